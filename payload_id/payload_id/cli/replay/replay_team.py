"""Replaying the saved run of a team: the same samples, updates and bounds, without ROS."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...core.body.inertial import PARAMETERS
from ...core.codec import as_json, digest
from ...core.errors import ConfigurationError
from ...core.team.estimate import TeamEstimate
from ...files.figures.number_format import UNIT_TEXTS, rounded
from ...files.teams.team_run import SavedTeamRun, has_team_run
from ..common.presentation import console, plain_table

UNUSABLE = 3  # exit code where there is no usable estimate


def is_team(recording: object) -> bool:
    """Tell whether a recording is the saved run of a team."""
    return (
        isinstance(recording, str | Path) and Path(recording).is_dir() and has_team_run(recording)
    )


def replay(arguments: argparse.Namespace) -> int:
    """Repeat a run and show its result; return the exit code.

    Raises:
        ConfigurationError: A file is missing, damaged or changed.
    """
    saved = SavedTeamRun.load(arguments.recording)
    estimate = saved.repeat(arguments.recording)
    same = digest(estimate) == digest(saved.result)
    if arguments.json:
        print(json.dumps({**as_json(estimate), "as_saved": same}))
    else:
        show(estimate, same, saved)
    return 0 if estimate.status.value in ("GOOD", "USABLE") else UNUSABLE


def show(estimate: TeamEstimate, same: bool, saved: SavedTeamRun) -> None:
    """Print a team's estimate."""
    terminal, table = console(), plain_table()
    for title in (f"payload at {estimate.reference}", "estimate [interval]", ""):
        table.add_column(title, justify="left")
    for k, name in enumerate(PARAMETERS):
        text = rounded(float(estimate.phi[k]), float(estimate.lower[k]), float(estimate.upper[k]))
        table.add_row(name, text.replace("[", "\\["), UNIT_TEXTS[k])
    terminal.print(table)
    for name, frame in estimate.frames.items():
        place = ", ".join(f"{x:.4f}" for x in frame.position)
        terminal.print(f"{name}: grasps at ({place}) m, clock {1e3 * frame.clock:+.1f} ms")
    for finding in estimate.findings:
        terminal.print(f"{finding.fault.value}: {finding.sentence}")
    for sentence in estimate.cannot:
        terminal.print(f"not given: {sentence}")
    terminal.print(f"{estimate.status.value}. {estimate.message}")
    terminal.print(
        "The result is that of the live run, bit for bit."
        if same
        else f"The result is NOT that of the live run; software {saved.software_version} made that."
    )


def refuse_options(arguments: argparse.Namespace, default: Callable[[str], Any]) -> None:
    """Raise where an option is given that a team's run, which holds its settings, ignores.

    Args:
        arguments: What was given.
        default: Returns the default of an argument.

    Raises:
        ConfigurationError: One is.
    """
    own = ("recording", "json", "run", "verb", "traceback")
    given = {name: value for name, value in vars(arguments).items() if name not in own}
    ignored = [name for name, value in given.items() if value != default(name)]
    if ignored:
        raise ConfigurationError(
            "The saved run of a team is repeated as it was; leave out: "
            + ", ".join(f"--{name.replace('_', '-')}" for name in ignored)
            + "."
        )
