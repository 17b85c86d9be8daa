"""Replaying the saved run of a team: the same samples, updates and bounds, without ROS."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ...core.arrays import Array
from ...core.body.inertial import PARAMETERS
from ...core.codec import digest, plain
from ...core.identification.status import USABLE
from ...core.number_format import UNIT_TEXTS, rounded
from ...core.team.estimate import TeamEstimate
from ...files.teams.team_run import SavedTeamRun, has_team_run
from ..common.presentation import console, table_of, told


def is_team(recording: Path) -> bool:
    """Tell whether a recording is the saved run of a team."""
    return recording.is_dir() and has_team_run(recording)


def repeat(folder: Path, json_wanted: bool) -> int:
    """Repeat a run and show its result; return the exit code.

    Raises:
        ConfigurationError: A file is missing, damaged or changed.
    """
    estimate, same, saved = repeated(folder)
    how = "NOT " if not same else ""
    made = "" if same else f"; software {saved.software_version} made that"

    def shown() -> None:
        show(estimate)
        console().print(
            f"The result is {how}that of the live run{made or ', bit for bit'}.", soft_wrap=True
        )

    told(json_wanted, lambda: {**plain(estimate), "as_saved": same}, shown)
    return 0 if estimate.status in USABLE else 3


def repeated(folder: Path) -> tuple[TeamEstimate, bool, SavedTeamRun]:
    """Return what a run gives once more, whether that is its saved result, and the run."""
    saved = SavedTeamRun.load(folder)
    estimate = saved.repeat(folder)
    return estimate, digest(estimate) == digest(saved.result), saved


def show(estimate: TeamEstimate, truth: Array | None = None) -> None:
    """Print a team's estimate: verdict, payload, grasps, what is wrong or not given.

    Args:
        estimate: What was found.
        truth: True parameters of the payload, shape (10,); None: not known.
    """
    terminal = console()
    terminal.print(Text(f"{estimate.status.value}. {estimate.message}", "bold"))
    terminal.print(_payload_table(estimate, truth))
    terminal.print(_grasps_table(estimate))
    for finding in estimate.findings:
        terminal.print(f"{finding.fault.value}: {finding.sentence}", style="yellow", markup=False)
    for sentence in estimate.cannot:
        terminal.print(f"not given: {sentence}", style="yellow", markup=False)


def _payload_table(estimate: TeamEstimate, truth: Array | None) -> Table:
    """Return the ten parameters with their intervals."""
    found = zip(estimate.phi, estimate.lower, estimate.upper, strict=True)
    columns: dict[str, Iterable[str]] = {
        f"payload at {estimate.reference}": PARAMETERS,
        "estimate [interval]": [escape(rounded(*map(float, each))) for each in found],
        "": UNIT_TEXTS,
    }
    if truth is not None:
        columns["truth"] = [f"{x:.4g}" for x in truth]
    return table_of(columns, 3)


def _grasps_table(estimate: TeamEstimate) -> Table:
    """Return where each robot grasps, how its clock is off, and what it carries."""
    frames, payload = estimate.frames, estimate.payload
    return table_of(
        {
            "grasp": frames,
            "place [m]": [", ".join(f"{x:.4f}" for x in at.position) for at in frames.values()],
            "clock [ms]": [f"{1e3 * at.clock:+.1f}" for at in frames.values()],
            "carries": [f"{payload[x].share:.0%}" if x in payload else "-" for x in frames],
        },
        2,
    )
