"""`payload-id replay`: identify from a recording, without ROS."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as with_fields
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import InputError
from ...core.identification.estimate import Estimate
from ...core.identification.identify import replay
from ...core.identification.settings import Settings
from ...core.identification.status import Status
from ...core.identification.tare import Tare
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...files.recordings.recording import Recording
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ...files.runs.run_file import RunFile, has_run_file
from ..common.arguments import add_method_arguments, with_changes
from ..common.presentation import console, estimate_table, verdict
from ..common.shape_arguments import add_shape_arguments, described, shape_of
from . import replay_wrench
from .repetition import identical, repetition, steps

FAILED = (Status.INCONSISTENT, Status.NO_DATA, Status.SOLVER_FAILED)


@dataclass(frozen=True)
class Run:
    """A recording and how to identify from it.

    Attributes:
        recording: The samples.
        robot: The arm.
        settings: How to identify.
        updates: Numbers of windows at which to update; empty to choose them.
        before: Result of the live run that made the recording, if there was one.
        tare: What the live run knew of the arm from runs without payload, if anything.
    """

    recording: Recording
    robot: RobotModel
    settings: Settings
    updates: tuple[int, ...] = ()
    before: dict[str, Any] | None = None
    tare: Tare | None = None


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    text = "identify the payload from a recording, without ROS"
    parser = verbs.add_parser("replay", help=text, description=f"{text[0].upper()}{text[1:]}.")
    add_recording_arguments(parser)
    add_method_arguments(parser)
    add_shape_arguments(parser)
    replay_wrench.add_wrench_arguments(parser)
    parser.add_argument("--figure", type=Path, metavar="PNG", help="draw intervals over time here")
    parser.add_argument("--json", action="store_true", help="print one JSON object and no more")
    parser.set_defaults(run=run)


def add_recording_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what says which recording is meant, and how it is read."""
    parser.add_argument(
        "recording", type=Path, help="rosbag2 folder, .mcap or .db3 file, or a table (.csv)"
    )
    parser.add_argument(
        "--also",
        type=Path,
        action="append",
        default=[],
        metavar="RECORDING",
        help="further recording of the same arm and payload, whose rows count as well; may be "
        "repeated (joint torques only, with --robot)",
    )
    parser.add_argument(
        "--robot",
        metavar="FILE",
        help="robot file (YAML), or the name of a shipped one such as kinova_gen3; not needed for "
        "a recording that a live run made",
    )
    parser.add_argument(
        "--columns", type=Path, metavar="FILE", help="YAML that says what a table's columns hold"
    )
    parser.add_argument("--topic", help="topic of the joint states (default: the robot file's)")
    parser.add_argument(
        "--payload-frame", metavar="FRAME", help="frame of the payload (default: the robot file's)"
    )
    parser.add_argument("--from", dest="start", type=float, metavar="SECONDS", help="first second")
    parser.add_argument("--to", dest="end", type=float, metavar="SECONDS", help="last second")


def run(arguments: argparse.Namespace) -> int:
    """Identify and show the result; return the exit code."""
    if replay_wrench.is_wrench(arguments):
        return replay_wrench.run(arguments, FAILED)
    job = load(arguments)
    history = estimates(job)
    last = history[-1]
    if arguments.figure:
        draw(job, history, arguments)
    if arguments.json:
        print(json.dumps(as_json(job, last, arguments)))
    else:
        show(job, last, arguments)
    return 3 if last.status in FAILED else 0


def load(arguments: argparse.Namespace) -> Run:
    """Read the recording and everything that goes with it."""
    if arguments.also and arguments.robot is None:
        raise InputError("--also needs --robot: a live run's own settings are for its bag alone.")
    if arguments.robot is None and has_run_file(arguments.recording):
        job = _from_run_file(arguments)
    else:
        job = _from_robot_file(arguments)
    recording = job.recording
    if arguments.start is not None or arguments.end is not None:
        start = 0.0 if arguments.start is None else arguments.start
        end = np.inf if arguments.end is None else arguments.end
        recording = recording.between(start, end)
    return with_fields(job, recording=recording)


def _from_run_file(arguments: argparse.Namespace) -> Run:
    """Repeat a live run from its own folder."""
    file = RunFile.load(arguments.recording)
    robot = RobotModel.from_urdf(
        file.urdf, arguments.payload_frame or file.payload_frame, file.joints, file.gravity
    )
    robot = robot.with_calibration(file.calibration)
    recording = Recording.from_bag(
        arguments.recording,
        arguments.topic or file.topic,
        file.joints,
        file.effort_sign,
        file.effort_offset,
        file.start_ns,
        file.end_ns,
    )
    uncertainty = Uncertainty.from_dict(dict(file.uncertainty))
    own = Settings(uncertainty, file.estimator, file.intervals, file.window, file.shape)
    settings = _settings(arguments, own)
    same = settings == own and arguments.payload_frame is None
    updates = file.updates if same else ()
    # Its rows are in the coordinates of the bounds that were stated then.
    fits = settings.uncertainty == own.uncertainty and arguments.payload_frame is None
    tare = file.tare if fits else None
    return Run(recording, robot, settings, updates, dict(file.result) or None, tare)


def _from_robot_file(arguments: argparse.Namespace) -> Run:
    """Identify from any recording of a known robot."""
    if arguments.robot is None:
        raise InputError(
            f"Which robot made {arguments.recording}? Give --robot FILE, or a shipped name such "
            "as kinova_gen3."
        )
    file = RobotFile.load(arguments.robot)
    frame = arguments.payload_frame or file.payload_frame
    robot = RobotModel.from_urdf(file.urdf, frame, file.joints, file.gravity)
    robot = robot.with_calibration(file.calibration)
    settings = _settings(arguments, Settings(file.uncertainty))
    recording = read_recording(arguments.recording, arguments.columns, arguments.topic, file)
    for path in arguments.also:
        more = read_recording(path, arguments.columns, arguments.topic, file)
        recording = recording.followed_by(more)
    return Run(recording, robot, settings)


def read_recording(
    path: Path, columns: Path | None, topic: str | None, file: RobotFile
) -> Recording:
    """Read a bag, or a table with a description of its columns.

    Raises:
        InputError: A table comes without a description.
    """
    if path.suffix.lower() in (".csv", ".txt", ".tsv"):
        if columns is None:
            raise InputError(
                f"A table needs --columns FILE that says what the columns of {path.name} hold; "
                "config/recordings/kinova_gen3_csv.yaml is one."
            )
        return Recording.from_csv(path, columns)
    gain = 1.0 if file.effort.torque_constants is None else file.effort.torque_constants
    return Recording.from_bag(
        path,
        topic or file.joint_states.topic,
        file.joints,
        tuple(float(x) for x in file.effort.sign * gain),
        tuple(float(x) for x in file.effort.offset),
    )


def _settings(arguments: argparse.Namespace, own: Settings) -> Settings:
    """Return the settings with what the command line replaces."""
    return Settings(
        uncertainty=with_changes(own.uncertainty, arguments.uncertainty),
        estimator=arguments.estimator or own.estimator,
        intervals=arguments.intervals or own.intervals,
        window=own.window if arguments.window is None else arguments.window,
        shape=shape_of(arguments) or own.shape,
    )


def estimates(job: Run) -> list[Estimate]:
    """Return the estimates at every update."""
    updates = job.updates or steps(job.recording, job.settings.window)
    return list(replay(job.recording, job.robot, job.settings, updates, job.tare))


def draw(job: Run, history: Sequence[Estimate], arguments: argparse.Namespace) -> None:
    """Draw the intervals over time."""
    # Not at the top: the plotting library takes longer to import than most replays to run.
    from ...files.figures.interval_figure import intervals_over_time

    title = f"{job.robot.name}: {history[-1].status.value}, {arguments.recording.name}"
    intervals_over_time(arguments.figure, history, title)


def as_json(job: Run, estimate: Estimate, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the result with what it rests on."""
    return {
        **estimate.to_dict(),
        "recording": str(arguments.recording),
        "robot": job.robot.name,
        "robot_digest": job.robot.digest,
        "window": job.settings.window,
        "shape": described(arguments, job.settings.shape),
        "uncertainty": job.settings.uncertainty.to_dict(),
        "dropped": dict(job.recording.dropped),
        "notes": list(job.recording.notes),
        "figure": str(arguments.figure) if arguments.figure else None,
        "identical_to_live": identical(job.before, estimate) if job.updates else None,
    }


def show(job: Run, estimate: Estimate, arguments: argparse.Namespace) -> None:
    """Print the result for a person."""
    terminal = console()
    terminal.print(f"[bold]{arguments.recording}[/bold] on [bold]{job.robot.name}[/bold]")
    for line in remarks(job.recording):
        terminal.print(line, style="yellow")
    terminal.print(estimate_table(estimate))
    terminal.print(verdict(estimate))
    if job.updates:
        terminal.print(repetition(identical(job.before, estimate)))
    if arguments.figure:
        terminal.print(f"figure: {arguments.figure.resolve()}")


def remarks(recording: Recording) -> Sequence[str]:
    """Return what the user should know about the data."""
    lost = ", ".join(f"{count} {cause}" for cause, count in recording.dropped.items())
    return [*recording.notes, *([f"samples left out: {lost}"] if lost else [])]
