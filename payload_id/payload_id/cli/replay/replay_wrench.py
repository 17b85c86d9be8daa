"""`payload-id replay` of a force-torque sensor's recording."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import InputError
from ...core.identification.settings import Settings
from ...core.identification.wrench.identify import WrenchEstimate, wrench_estimates
from ...core.identification.wrench.online import OnlineWrench
from ...core.identification.wrench.static import identify_static
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.rows.wrench.newton_euler import NewtonEulerRows
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ...files.recordings.wrench_blocks import read_blocks
from ...files.recordings.wrench_recording import WrenchRecording
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ...files.runs.run_file import RunFile, has_run_file
from ...files.tables.wrench_csv import is_wrench_description
from ..common.arguments import with_changes
from ..common.presentation import console, estimate_table, verdict
from ..common.shape_arguments import described, shape_of
from .repetition import identical, repetition, steps

TABLES = (".csv", ".txt", ".tsv")


def add_wrench_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what only recordings of a force-torque sensor need."""
    group = parser.add_argument_group(
        "force-torque sensor",
        "used with --wrench-topic, or with --columns that describe a wrench; --payload-frame then "
        "is the sensor's frame",
    )
    group.add_argument("--wrench-topic", metavar="TOPIC", help="topic of the wrench in a bag")
    group.add_argument(
        "--pose-topic",
        metavar="TOPIC",
        help="topic of the sensor's pose (PoseStamped), instead of --robot and joint states",
    )
    group.add_argument(
        "--wrench-sign",
        type=float,
        choices=(1.0, -1.0),
        default=1.0,
        help="1: the wrench in a bag is what the sensor exerts on the payload; -1: the opposite",
    )
    group.add_argument(
        "--static", action="store_true", help="use only the stretches in which the sensor rests"
    )


def is_wrench(arguments: argparse.Namespace) -> bool:
    """Tell whether a recording of a force-torque sensor is asked for."""
    if arguments.wrench_topic is not None or saved_run(arguments) is not None:
        return True
    if arguments.static or arguments.pose_topic is not None:
        if arguments.columns is None:
            raise InputError(
                "--static and --pose-topic belong to a force-torque sensor: name its topic with "
                "--wrench-topic."
            )
    return arguments.columns is not None and is_wrench_description(arguments.columns)


def saved_run(arguments: argparse.Namespace) -> RunFile | None:
    """Return the settings of the live run of a wrench that made the recording, if one did.

    None too where the arguments say how to read the messages instead.
    """
    if arguments.wrench_topic is not None or arguments.robot is not None:
        return None
    if not has_run_file(arguments.recording):
        return None
    file = RunFile.load(arguments.recording)
    return file if file.source == "wrench" else None


def run(arguments: argparse.Namespace, failed: tuple[Any, ...]) -> int:
    """Identify and show the result; return the exit code."""
    file = saved_run(arguments)
    recording = read(arguments)
    uncertainty = with_changes(recording.assumed or WrenchUncertainty(), arguments.uncertainty)
    settings = _settings(arguments, file)
    same = file is not None and _is_repetition(arguments, file, settings, uncertainty)
    history = _history(arguments, recording, uncertainty, settings, file if same else None)
    estimate = history[-1]
    repeated = identical(dict(file.result), estimate) if file is not None and same else None
    if arguments.figure:
        _draw(arguments, history)
    if arguments.json:
        result = _as_json(arguments, recording, uncertainty, settings, estimate)
        print(json.dumps({**result, "identical_to_live": repeated}))
    else:
        _show(arguments, recording, estimate, repeated)
    return 3 if estimate.status in failed else 0


def _own_settings(file: RunFile | None) -> Settings:
    """Return how the live run identified; the defaults without one."""
    if file is None:
        return Settings()
    return Settings(Uncertainty(), file.estimator, file.intervals, file.window, file.shape)


def _settings(arguments: argparse.Namespace, file: RunFile | None) -> Settings:
    """Return how to identify: as the live run did, if one was saved, but for the arguments."""
    own = _own_settings(file)
    return Settings(
        own.uncertainty,
        arguments.estimator or own.estimator,
        arguments.intervals or own.intervals,
        own.window if arguments.window is None else arguments.window,
        shape_of(arguments) or own.shape,
    )


def _is_repetition(
    arguments: argparse.Namespace,
    file: RunFile,
    settings: Settings,
    uncertainty: WrenchUncertainty,
) -> bool:
    """Tell whether everything is as in the live run."""
    whole = arguments.start is None and arguments.end is None and not arguments.static
    same = settings == _own_settings(file) and uncertainty.to_dict() == dict(file.uncertainty)
    return whole and same


def _history(
    arguments: argparse.Namespace,
    recording: WrenchRecording,
    uncertainty: WrenchUncertainty,
    settings: Settings,
    file: RunFile | None,
) -> list[WrenchEstimate]:
    """Identify, from motion or from rests; more than one estimate where they are drawn."""
    if file is not None:
        online = OnlineWrench(NewtonEulerRows.of(uncertainty, recording.frame), settings)
        return list(online.replayed(recording, file.updates))
    if arguments.static:
        if arguments.figure:
            raise InputError(
                "--figure draws intervals over the time of a motion; leave out --static or "
                "--figure."
            )
        return [
            identify_static(
                recording, uncertainty, settings.estimator, settings.intervals, settings.window,
                recording.frame, settings.shape,
            )
        ]  # fmt: skip
    on_the_way = steps(recording, settings.window)[:-1] if arguments.figure else ()
    return list(wrench_estimates(recording, uncertainty, settings, updates=on_the_way))


def _draw(arguments: argparse.Namespace, history: Sequence[WrenchEstimate]) -> None:
    """Draw the intervals over time."""
    # Not at the top: the plotting library takes longer to import than most replays to run.
    from ...files.figures.interval_figure import intervals_over_time

    last = history[-1]
    title = f"{last.payload_frame}: {last.status.value}, {arguments.recording.name}"
    intervals_over_time(arguments.figure, history, title)


def read(arguments: argparse.Namespace) -> WrenchRecording:
    """Read a bag or tables, and keep the stretch that is asked for."""
    path: Path = arguments.recording
    file = saved_run(arguments)
    if file is not None:
        recording = read_blocks(path, arguments.topic or file.topic, file.start_ns, file.end_ns)
        assumed = WrenchUncertainty.from_dict(dict(file.uncertainty))
        recording = replace(recording, assumed=assumed)
    elif path.suffix.lower() in TABLES:
        if arguments.columns is None:
            raise InputError(
                f"A table needs --columns FILE that says what the columns of {path.name} hold; "
                "config/recordings/kuka_wrench_csv.yaml is one."
            )
        recording = WrenchRecording.from_csv(path, arguments.columns)
    else:
        recording = _read_bag(arguments)
    if arguments.start is None and arguments.end is None:
        return recording
    start = 0.0 if arguments.start is None else arguments.start
    return recording.between(start, np.inf if arguments.end is None else arguments.end)


def _read_bag(arguments: argparse.Namespace) -> WrenchRecording:
    """Read a bag, with the motion of a robot or of a pose topic."""
    robot, topic = None, arguments.topic
    if arguments.pose_topic is None:
        if arguments.robot is None:
            raise InputError(
                f"Which robot carried the sensor in {arguments.recording}? Give --robot FILE, or "
                "the topic of the sensor's pose with --pose-topic."
            )
        file = RobotFile.load(arguments.robot)
        robot = RobotModel.from_robot_file(file)
        topic = topic or file.joint_states.topic
    return WrenchRecording.from_bag(
        arguments.recording,
        arguments.wrench_topic,
        robot,
        topic or "/joint_states",
        arguments.pose_topic,
        arguments.payload_frame,
        arguments.wrench_sign,
    )


def _as_json(
    arguments: argparse.Namespace,
    recording: WrenchRecording,
    uncertainty: WrenchUncertainty,
    settings: Settings,
    estimate: WrenchEstimate,
) -> dict[str, Any]:
    """Return the result with what it rests on."""
    return {
        **estimate.to_dict(),
        "recording": str(arguments.recording),
        "window": settings.window,
        "shape": described(arguments, settings.shape),
        "uncertainty": uncertainty.to_dict(),
        "dropped": dict(recording.dropped),
        "notes": list(recording.notes),
        "figure": str(arguments.figure) if arguments.figure else None,
    }


def _show(
    arguments: argparse.Namespace,
    recording: WrenchRecording,
    estimate: WrenchEstimate,
    repeated: bool | None,
) -> None:
    """Print the result for a person."""
    terminal = console()
    terminal.print(
        f"[bold]{arguments.recording}[/bold], sensor frame [bold]{recording.frame}[/bold]"
    )
    lost = ", ".join(f"{count} {cause}" for cause, count in recording.dropped.items())
    for line in (*recording.notes, *([f"samples left out: {lost}"] if lost else [])):
        terminal.print(line, style="yellow")
    terminal.print(estimate_table(estimate))
    terminal.print(verdict(estimate))
    if repeated is not None:
        terminal.print(repetition(repeated))
    if arguments.figure:
        terminal.print(f"figure: {arguments.figure.resolve()}")
