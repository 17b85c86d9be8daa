"""What a replay shows: a table and a figure for people, JSON for programs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ...core.identification.estimate import Estimate
from ...core.identification.settings import Settings
from ...core.identification.status import FAILED
from ...files.recordings.recording import Recording
from ...files.recordings.wrench_recording import WrenchRecording
from ..common.figure_argument import drawn
from ..common.presentation import console, estimate_table, verdict
from ..common.recording_arguments import remarks
from ..common.shape_arguments import described


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


def present(outcome: Outcome, arguments: argparse.Namespace, figure: Path | None) -> int:
    """Draw and show what is asked for; return the exit code.

    Args:
        outcome: The result.
        arguments: Of the command line.
        figure: Where to draw; None: no figure.

    Raises:
        ConfigurationError: The figure cannot be written; the result has been shown.
    """
    picture = drawn(figure, partial(draw, outcome, arguments))
    if arguments.json:
        print(json.dumps(as_json(outcome, arguments, picture.path)))
    else:
        show(outcome, arguments, picture.path)
    picture.settle()
    return 3 if outcome.estimate.status in FAILED else 0


def draw(outcome: Outcome, arguments: argparse.Namespace, path: Path) -> Path:
    """Draw the intervals over time; return the file."""
    # Not at the top: the plotting library takes longer to import than most replays to run.
    from ...files.figures.interval_figure import intervals_over_time

    status = outcome.estimate.status.words
    title = f"{outcome.subject}: {status}, {arguments.recording.name}"
    return intervals_over_time(path, outcome.history, title)


def as_json(outcome: Outcome, arguments: argparse.Namespace, figure: Path | None) -> dict[str, Any]:
    """Return the result with what it rests on."""
    return {
        **outcome.estimate.to_dict(),
        "recording": str(arguments.recording),
        **outcome.about,
        "window": outcome.settings.window,
        "scales": list(outcome.settings.scales),
        "shape": described(arguments, outcome.settings.shape),
        "knowledge": list(outcome.settings.knowledge.names),
        "uncertainty": outcome.uncertainty,
        "dropped": dict(outcome.recording.dropped),
        "notes": list(outcome.recording.notes),
        "figure": str(figure) if figure else None,
        "identical_to_live": outcome.identical,
    }


def show(outcome: Outcome, arguments: argparse.Namespace, figure: Path | None) -> None:
    """Print the result for a person."""
    terminal = console()
    terminal.print(f"[bold]{arguments.recording}[/bold]{outcome.headline}")
    for line in remarks(outcome.recording):
        terminal.print(line, style="yellow")
    terminal.print(verdict(outcome.estimate))
    terminal.print(estimate_table(outcome.estimate))
    if outcome.identical is not None:
        terminal.print(
            "Identical to the live run, bit for bit."
            if outcome.identical
            else "[bold red]Differs from the live run.[/bold red]"
        )
    if figure:
        terminal.print(f"figure: {figure}", soft_wrap=True, markup=False)
