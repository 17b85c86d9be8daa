"""What an identification shows: a table and a figure for people, JSON for programs."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import ConfigurationError
from ...core.identification.estimate import Estimate
from ...core.identification.problem import Problem
from ...core.identification.status import FAILED
from ...core.identification.wrench.static import identify_static
from ...core.rows.wrench.newton_euler import NewtonEulerRows
from ...files.configuration.atomic_write import check_place
from ...files.configuration.input_path import input_path
from ...files.recordings.replay_job import ReplayJob
from ...files.runs.run_file import RunFile
from ..common.figure import drawn
from ..common.presentation import console, estimate_table, told, verdict
from ..common.reading import remarks
from ..common.settings import described

if TYPE_CHECKING:
    from .command import IdentifyOptions


@dataclass(frozen=True)
class Outcome:
    """What a recording tells of the payload, and what that rests on.

    Attributes:
        job: The recording, and how it was identified from.
        uncertainty: The bounds that were assumed, as plain values.
        history: Estimates in the order in which they were made, at least one.
        problem: After the last of them; None of poses at rest, which are solved otherwise.
    """

    job: ReplayJob
    uncertainty: Mapping[str, Any]
    history: Sequence[Estimate]
    problem: Problem | None = None

    @property
    def estimate(self) -> Estimate:
        """The last estimate."""
        return self.history[-1]

    @property
    def about(self) -> dict[str, Any]:
        """What JSON says of the arm; nothing of a force-torque sensor."""
        robot = self.job.robot
        if isinstance(robot, NewtonEulerRows):
            return {}
        tare = [run.source for run in self.job.bare]
        return {"robot": robot.name, "robot_digest": robot.digest, "tare": tare}

    def save(self, about: RunFile, folder: Path) -> None:
        """Write what a run file says of the samples, with this result, beside them."""
        bounds = [each.bounds for each in self.history]
        about.with_result(self.estimate, bounds, self.problem).save(folder)


def identify(job: ReplayJob, asked: IdentifyOptions, show: Callable[[float], object]) -> Outcome:
    """Identify from a recording.

    Args:
        job: The recording, and how.
        asked: Of the command line.
        show: Called with the part that is done.
    """
    rows, settings = job.robot, job.settings
    uncertainty: Any = settings.uncertainty
    if isinstance(rows, NewtonEulerRows):
        uncertainty = rows.uncertainty
    if asked.static and isinstance(rows, NewtonEulerRows):
        found = identify_static(
            job.recording, uncertainty, settings.estimator, settings.intervals, settings.window,
            rows.frame, settings.shape, settings.knowledge,
        )  # fmt: skip
        return Outcome(job, uncertainty.to_dict(), [found])
    online, history = job.run(show)
    return Outcome(job, uncertainty.to_dict(), history, online.present())


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
    given = outcome, asked, picture.path
    told(asked.json, lambda: as_json(*given), lambda: show(*given))
    picture.settle()
    return 3 if outcome.estimate.status in FAILED else 0


def draw(outcome: Outcome, asked: IdentifyOptions, path: Path) -> Path:
    """Draw the intervals over time; return the file."""
    # Not at the top: the plotting library takes longer to import than most replays to run.
    from ...files.figures.interval_figure import intervals_over_time

    subject = outcome.about.get("robot", outcome.estimate.payload_frame)
    title = f"{subject}: {outcome.estimate.status.words}, {asked.recording.name}"
    return intervals_over_time(path, outcome.history, title)


def as_json(outcome: Outcome, asked: IdentifyOptions, figure: Path | None) -> dict[str, Any]:
    """Return the result with what it rests on."""
    settings, recording = outcome.job.settings, outcome.job.recording
    return {
        **outcome.estimate.to_dict(),
        "recording": str(asked.recording),
        **outcome.about,
        "window": settings.window,
        "scales": list(settings.scales),
        "shape": described(asked, settings.shape),
        "knowledge": list(settings.knowledge.names),
        "uncertainty": outcome.uncertainty,
        "dropped": dict(recording.dropped),
        "notes": list(recording.notes),
        "figure": str(figure) if figure else None,
        "identical_to_live": outcome.job.repeats(outcome.estimate),
    }


def show(outcome: Outcome, asked: IdentifyOptions, figure: Path | None) -> None:
    """Print the result for a person."""
    terminal, job = console(), outcome.job
    on = outcome.about.get("robot") or f"sensor frame {outcome.estimate.payload_frame}"
    tared = f", tared with {len(job.bare)} recording(s) of the bare arm" if job.bare else ""
    terminal.print(f"[bold]{asked.recording}[/bold] on [bold]{on}[/bold]{tared}")
    for line in remarks(job.recording):
        terminal.print(line, style="yellow")
    terminal.print(verdict(outcome.estimate))
    terminal.print(estimate_table(outcome.estimate, None, terminal.width))
    if (same := job.repeats(outcome.estimate)) is not None:
        terminal.print(
            "Identical to the saved run, bit for bit."
            if same
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
