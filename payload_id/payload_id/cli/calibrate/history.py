"""`payload-id calibrate history`: learn how far estimates err, and what is printed of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from rich.table import Table

from ...core.arm.arm_history import ArmHistory
from ...core.body.inertial import PARAMETERS
from ...core.errors import InputError
from ...core.history import KnownRun, learn_history, segments
from ...core.history.conformal import largest_score, runs_needed
from ...core.history.learning import OWN
from ...core.number_format import number
from ...core.rows.joint_torque.momentum import MomentumRows
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.version import VERSION
from ...files.calibration_io.calibrated_robot import HISTORY, save_calibrated_robot
from ...files.recordings.known_runs import KnownRecording
from ...files.recordings.recording import Recording
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ..common.figure import Drawn, drawn
from ..common.presentation import console, table_of, told
from ..common.progress import progress
from ..common.reading import read_stretch, remarks, robot_file
from ..common.settings import with_changes
from .command import History
from .known import changing, check_out, known_recordings, measured_with, window_of, written

LEVELS = (0.9, 0.95, 0.99)


@dataclass(frozen=True)
class HistoryJob:
    """What is learnt, from what.

    Attributes:
        robot: The arm.
        recordings: At least two.
        runs: The runs that they were cut into.
        history: What they have shown.
        output: The robot file with it.
    """

    robot: RobotModel
    recordings: tuple[Recording, ...]
    runs: tuple[KnownRun, ...]
    history: ArmHistory
    output: Drawn


def run(wanted: History) -> int:
    """Learn a history, write and show it; return the exit code."""
    check_out(wanted.out)
    file = robot_file(wanted)
    robot = RobotModel.from_robot_file(replace(file, history=None))  # calibrated as later runs
    uncertainty = with_changes(file.uncertainty, wanted.uncertainty)
    known = known_recordings(wanted)
    check_masses(known, uncertainty.prior.mass_max)
    runs = [(run, read_stretch(run.path, wanted, file)) for run in known]
    robot = measured_with(robot, [recording for _, recording in runs])
    with progress(f"learning from {len(runs)} runs"):
        job = learn(wanted, file, robot, uncertainty, runs)
    told(wanted.json, partial(as_json, job), partial(show, job))
    job.output.settle()
    return 0


def check_masses(runs: Sequence[KnownRecording], mass_max: float) -> None:
    """Raise unless the prior allows the payload of every run, as it shall those of new runs.

    Args:
        runs: Their payloads' masses are known.
        mass_max: Heaviest payload of the prior [kg].

    Raises:
        InputError: Names the run whose payload is heavier.
    """
    for run in runs:
        if run.load.phi[0] > mass_max:
            raise InputError(
                f"{run.path.name} is said to carry {run.load.phi[0]:g} kg, and the stated prior "
                f"allows {mass_max:g} kg at most (uncertainty.prior.mass_max): one of them is "
                "wrong."
            )


def learn(
    wanted: History,
    file: RobotFile,
    robot: RobotModel,
    uncertainty: Uncertainty,
    recordings: Sequence[tuple[KnownRecording, Recording]],
) -> HistoryJob:
    """Learn a history from recordings, and write the robot file with it."""
    rows, window = MomentumRows.of(robot, uncertainty), window_of(wanted)
    runs = tuple(
        KnownRun.of(known.path.name, part, known.load, rows, window)
        for known, recording in recordings
        for part in segments(recording, wanted.segments)
    )
    own = tuple(dict.fromkeys((*OWN, *changing(wanted))))
    history = learn_history(runs, rows, window, own)
    names = [known.path.name for known, _ in recordings]
    about = {"recordings": names, "software_version": VERSION, "own": list(own)}
    lines = (
        f"Written by payload-id {VERSION} calibrate history from {', '.join(names)}.",
        "Make it again after a change of robot, tool, sensors or of the bounds below.",
    )
    history = replace(history, about=about)
    # What took minutes to learn is shown though it cannot be written.
    write = partial(save_calibrated_robot, robot=file.path, archive=HISTORY, result=history,
                    remarks=lines)  # fmt: skip
    return HistoryJob(
        robot, tuple(r for _, r in recordings), runs, history, drawn(wanted.out, write)
    )


def as_json(job: HistoryJob) -> dict[str, Any]:
    """Return the history as plain values."""
    history = job.history
    return {
        "robot": job.robot.name,
        "robot_digest": job.robot.digest,
        "inflation": history.inflation,
        "load_noise": history.load_noise,
        "runs": [
            {
                "source": run.source,
                "seconds": run.seconds,
                "mass": history.masses[k],
                "scores": history.scores[k],
            }
            for k, run in enumerate(job.runs)
        ],
        "notes": [*history.notes, *(line for r in job.recordings for line in remarks(r))],
        "written": None if job.output.path is None else str(job.output.path),
    }


def show(job: HistoryJob) -> None:
    """Print the history for a person."""
    terminal, history = console(), job.history
    terminal.print(f"{len(history)} runs on [bold]{job.robot.name}[/bold]")
    for line in [*(x for r in job.recordings for x in remarks(r)), *history.notes]:
        terminal.print(line, style="yellow")
    terminal.print(run_table(job))
    terminal.print(level_table(history))
    terminal.print(
        f"Errors are {history.inflation:.1f} times those of independent rows, and rows err by a "
        f"further {history.load_noise:.1%} of what the load makes of them."
    )
    for line in written(job.output):
        terminal.print(line)


def run_table(job: HistoryJob) -> Table:
    """Return each run with the score of its mass."""
    masses = job.history.masses
    return table_of(
        {
            "run": [run.source for run in job.runs],
            "s": [number(run.seconds, 1) for run in job.runs],
            "known mass [kg]": ["-" if np.isnan(x) else number(x, 3) for x in masses],
            "score": [number(x, 2) for x in job.history.scores[:, 0]],
        }
    )


def level_table(history: ArmHistory) -> Table:
    """Return which intervals the history allows: factors on the expected size of errors."""
    sizes = np.abs(history.scores).T
    levels = {f"{x:.0%}": [_factor(size, x) for size in sizes] for x in LEVELS}
    return table_of({"interval of": PARAMETERS, **levels})


def _factor(size: Any, level: float) -> str:
    """Return the factor on expected errors, or how many runs it would need."""
    factor = largest_score(size, level)
    known = int(np.isfinite(size).sum())
    missing = runs_needed(level) - known
    return f"± {factor:.2f}" if np.isfinite(factor) else f"{missing} more runs"
