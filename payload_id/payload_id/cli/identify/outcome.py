"""What an identification shows: a table and a figure for people, JSON for programs."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import ConfigurationError
from ...core.identification.estimate import Estimate
from ...core.identification.settings import Settings
from ...core.identification.status import FAILED
from ...files.configuration.atomic_write import check_place
from ...files.configuration.input_path import input_path
from ...files.recordings.recording import Recording
from ...files.recordings.wrench_recording import WrenchRecording
from ...files.runs.run_file import RunFile
from ..common.figure import drawn
from ..common.presentation import console, estimate_table, verdict
from ..common.reading import remarks
from ..common.settings import described

if TYPE_CHECKING:
    from .command import IdentifyOptions


@dataclass(frozen=True)
class Outcome:
    """What a recording tells of the payload, and what that rests on.

    Attributes:
        recording: The samples.
        subject: What carried the payload, as the figure names it: an arm or a sensor frame.
        headline: The same as the terminal names it, behind the recording.
        settings: How it was identified.
        uncertainty: The bounds that were assumed, as plain values.
        history: Estimates in the order in which they were made, at least one.
        identical: Whether a live run is repeated bit for bit; None if none is to be repeated.
        about: What JSON says of the subject.
    """

    recording: Recording | WrenchRecording
    subject: str
    headline: str
    settings: Settings
    uncertainty: Mapping[str, Any]
    history: Sequence[Estimate]
    identical: bool | None = None
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def estimate(self) -> Estimate:
        """The last estimate."""
        return self.history[-1]

    def save(self, about: RunFile, folder: Path) -> None:
        """Write what a run file says of the samples, with this result, beside them."""
        plain = {entry.name: getattr(self.estimate, entry.name) for entry in fields(Estimate)}
        replace(about, result=Estimate(**plain)).save(folder)


def check_new(folder: Path) -> None:
    """Raise if the folder of a run is there already.

    Raises:
        ConfigurationError: It is.
    """
    if os.path.lexists(input_path(folder, "run")):
        raise ConfigurationError(f"--save: {folder} is there already. Name a new folder.")
    check_place(folder, "run")


def present(outcome: Outcome, asked: IdentifyOptions, figure: Path | None) -> int:
    """Draw and show what is asked for; return the exit code.

    Args:
        outcome: The result.
        asked: Of the command line.
        figure: Where to draw; None: no figure.

    Raises:
        ConfigurationError: The figure cannot be written; the result has been shown.
    """
    picture = drawn(figure, partial(draw, outcome, asked))
    if asked.json:
        print(json.dumps(as_json(outcome, asked, picture.path)))
    else:
        show(outcome, asked, picture.path)
    picture.settle()
    return 3 if outcome.estimate.status in FAILED else 0


def draw(outcome: Outcome, asked: IdentifyOptions, path: Path) -> Path:
    """Draw the intervals over time; return the file."""
    # Not at the top: the plotting library takes longer to import than most replays to run.
    from ...files.figures.interval_figure import intervals_over_time

    status = outcome.estimate.status.words
    title = f"{outcome.subject}: {status}, {asked.recording.name}"
    return intervals_over_time(path, outcome.history, title)


def as_json(outcome: Outcome, asked: IdentifyOptions, figure: Path | None) -> dict[str, Any]:
    """Return the result with what it rests on."""
    return {
        **outcome.estimate.to_dict(),
        "recording": str(asked.recording),
        **outcome.about,
        "window": outcome.settings.window,
        "scales": list(outcome.settings.scales),
        "shape": described(asked, outcome.settings.shape),
        "knowledge": list(outcome.settings.knowledge.names),
        "uncertainty": outcome.uncertainty,
        "dropped": dict(outcome.recording.dropped),
        "notes": list(outcome.recording.notes),
        "figure": str(figure) if figure else None,
        "identical_to_live": outcome.identical,
    }


def show(outcome: Outcome, asked: IdentifyOptions, figure: Path | None) -> None:
    """Print the result for a person."""
    terminal = console()
    terminal.print(f"[bold]{asked.recording}[/bold]{outcome.headline}")
    for line in remarks(outcome.recording):
        terminal.print(line, style="yellow")
    terminal.print(verdict(outcome.estimate))
    terminal.print(estimate_table(outcome.estimate, None, terminal.width))
    if outcome.identical is not None:
        terminal.print(
            "Identical to the saved run, bit for bit."
            if outcome.identical
            else "[bold red]Differs from the saved run.[/bold red]"
        )
    if figure:
        terminal.print(f"figure: {figure}", soft_wrap=True, markup=False)
    terminal.print(next_command(outcome, asked), soft_wrap=True, markup=False)


def next_command(outcome: Outcome, asked: IdentifyOptions) -> str:
    """Return what comes next."""
    if outcome.estimate.status in FAILED:
        return "next: see what the verdict names, or look at the recording: ./payload-id check"
    if asked.save is None:
        return "next: --save RUN keeps this result for ./payload-id report, view and load"
    run = shlex.quote(str(asked.save))
    return (
        f"saved: {run}\nnext: ./payload-id report {run}; ./payload-id load export {run} --as yaml"
    )
