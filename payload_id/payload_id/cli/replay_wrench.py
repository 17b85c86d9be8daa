"""`payload-id replay` of a force-torque sensor's recording."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import InputError
from ..core.wrench.identify import WrenchEstimate, identify_wrench
from ..core.wrench.static import identify_static
from ..core.wrench.uncertainty import WrenchUncertainty
from ..files.robot_file import RobotFile
from ..files.robot_model import RobotModel
from ..files.wrench_csv import is_wrench_description
from ..files.wrench_recording import WrenchRecording
from .arguments import with_changes
from .presentation import console, estimate_table, verdict

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
    if arguments.wrench_topic is not None:
        return True
    if arguments.static or arguments.pose_topic is not None:
        if arguments.columns is None:
            raise InputError(
                "--static and --pose-topic belong to a force-torque sensor: name its topic with "
                "--wrench-topic."
            )
    return arguments.columns is not None and is_wrench_description(arguments.columns)


def run(arguments: argparse.Namespace, failed: tuple[Any, ...]) -> int:
    """Identify and show the result; return the exit code."""
    recording = read(arguments)
    uncertainty = with_changes(recording.assumed or WrenchUncertainty(), arguments.uncertainty)
    if arguments.figure:
        raise InputError("--figure is not available for a force-torque sensor's recording yet.")
    estimate = _identify(arguments, recording, uncertainty)
    if arguments.json:
        print(json.dumps(_as_json(arguments, recording, uncertainty, estimate)))
    else:
        _show(arguments, recording, estimate)
    return 3 if estimate.status in failed else 0


def _identify(
    arguments: argparse.Namespace, recording: WrenchRecording, uncertainty: WrenchUncertainty
) -> WrenchEstimate:
    """Identify, from motion or from rests."""
    estimator, intervals = arguments.estimator or "lmi", arguments.intervals or "hull"
    window = 0.1 if arguments.window is None else arguments.window
    if arguments.static:
        return identify_static(
            recording, uncertainty, estimator, intervals, window, recording.frame
        )
    return identify_wrench(recording, uncertainty, estimator, intervals, window)


def read(arguments: argparse.Namespace) -> WrenchRecording:
    """Read a bag or tables, and keep the stretch that is asked for."""
    path: Path = arguments.recording
    if path.suffix.lower() in TABLES:
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
    estimate: WrenchEstimate,
) -> dict[str, Any]:
    """Return the result with what it rests on."""
    return {
        **estimate.to_dict(),
        "recording": str(arguments.recording),
        "uncertainty": uncertainty.to_dict(),
        "dropped": dict(recording.dropped),
        "notes": list(recording.notes),
    }


def _show(
    arguments: argparse.Namespace, recording: WrenchRecording, estimate: WrenchEstimate
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
