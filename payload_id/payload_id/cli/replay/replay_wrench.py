"""`payload-id replay` of a force-torque sensor's recording."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

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
from ..common.method_arguments import with_methods
from ..common.recording_arguments import TABLES, columns_of, stretch_of
from .outcome import Outcome, identical, steps


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


def identify(arguments: argparse.Namespace) -> Outcome:
    """Read a recording and identify from it."""
    file = saved_run(arguments)
    recording = read(arguments)
    uncertainty = assumed(recording, arguments)
    own = Settings()
    if file is not None:
        own = file.settings(Uncertainty())
    settings = with_methods(own, arguments)
    whole = arguments.start is None and arguments.end is None and not arguments.static
    if file is not None and not (
        whole and settings == own and uncertainty.to_dict() == dict(file.uncertainty)
    ):
        file = None  # not everything is as in the live run
    history = _history(arguments, recording, uncertainty, settings, file)
    return Outcome(
        recording=recording,
        subject=history[-1].payload_frame,
        headline=f", sensor frame [bold]{recording.frame}[/bold]",
        settings=settings,
        uncertainty=uncertainty.to_dict(),
        history=history,
        identical=None if file is None else identical(file.result, history[-1]),
    )


def assumed(recording: WrenchRecording, arguments: argparse.Namespace) -> WrenchUncertainty:
    """Return the bounds that a recording comes with, with what the command line replaces."""
    return with_changes(recording.assumed or WrenchUncertainty(), arguments.uncertainty)


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
    if settings.scales:
        raise InputError("--scales is for joint torques; leave it out for a force-torque sensor.")
    if arguments.static:
        if arguments.figure:
            raise InputError(
                "--figure draws intervals over the time of a motion; leave out --static or "
                "--figure."
            )
        return [
            identify_static(
                recording, uncertainty, settings.estimator, settings.intervals, settings.window,
                recording.frame, settings.shape, settings.knowledge,
            )
        ]  # fmt: skip
    on_the_way = steps(recording, settings.window)[:-1] if arguments.figure else ()
    return list(wrench_estimates(recording, uncertainty, settings, updates=on_the_way))


def read(arguments: argparse.Namespace) -> WrenchRecording:
    """Read a bag or tables, and keep the stretch that is asked for."""
    path: Path = arguments.recording
    file = saved_run(arguments)
    if file is not None:
        recording = read_blocks(path, arguments.topic or file.topic, file.start_ns, file.end_ns)
        stated = WrenchUncertainty.from_dict(dict(file.uncertainty))
        recording = replace(recording, assumed=stated)
    elif path.suffix.lower() in TABLES:
        columns = columns_of(path, arguments, "kuka_wrench_csv.yaml")
        recording = WrenchRecording.from_csv(path, columns)
    else:
        recording = _read_bag(arguments)
    return stretch_of(recording, arguments)


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
