"""`payload-id replay` of a force-torque sensor's recording."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from ...core.arrays import Array
from ...core.errors import InputError
from ...core.identification.estimate import Estimate
from ...core.identification.identify import estimates_of
from ...core.identification.settings import Settings
from ...core.identification.wrench.identify import wrench_estimates
from ...core.identification.wrench.online import OnlineWrench
from ...core.identification.wrench.static import identify_static
from ...core.rows.wrench.newton_euler import NewtonEulerRows
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ...files.recordings.any_recording import is_table
from ...files.recordings.replay_job import steps
from ...files.recordings.saved_run import identical
from ...files.recordings.wrench_blocks import read_blocks
from ...files.recordings.wrench_recording import WrenchRecording
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ...files.runs.run_file import RunFile, bag_of, has_run_file
from ...files.tables.wrench_csv import is_wrench_description
from ..common.arguments import numbers_of, with_changes
from ..common.method_arguments import with_methods
from ..common.recording_arguments import columns_of, stretch_of
from .outcome import Outcome

_UNITS = {"force": "N", "torque": "N m"}


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
        "--orientation",
        metavar="ROLL,PITCH,YAW",
        help="for a bag of a sensor that rests: its orientation in the world, whose z points up "
        "[rad]; write --orientation=...; instead of --robot or --pose-topic",
    )
    group.add_argument(
        "--wrench-sign",
        default="1",
        metavar="SIGN",
        help="1: the wrench in a bag is what the sensor exerts on the payload; -1: the opposite; "
        "or six factors to N and N m: --wrench-sign=1,1,1,0.001,0.001,0.001",
    )


def is_wrench(arguments: argparse.Namespace) -> bool:
    """Tell whether a recording of a force-torque sensor is asked for."""
    if arguments.wrench_topic is not None or saved_run(arguments) is not None:
        return True
    motion = (arguments.pose_topic, arguments.orientation)
    if arguments.columns is None and (arguments.static or motion != (None, None)):
        raise InputError(
            "--static, --pose-topic and --orientation belong to a force-torque sensor: name its "
            "topic with --wrench-topic. Of a table say with --columns what it holds."
        )
    return arguments.columns is not None and is_wrench_description(arguments.columns)


def saved_run(arguments: argparse.Namespace) -> RunFile | None:
    """Return the settings of the live run of a wrench that made the recording, if one did.

    None too where the arguments say how to read the messages instead.
    """
    said = (arguments.wrench_topic, arguments.pose_topic, arguments.orientation, arguments.robot)
    if any(entry is not None for entry in said):
        return None
    if not has_run_file(arguments.recording):
        return None
    file = RunFile.load(arguments.recording)
    return None if file.wrench is None else file


def identify(arguments: argparse.Namespace) -> Outcome:
    """Read a recording and identify from it."""
    file = saved_run(arguments)
    recording = read(arguments)
    uncertainty = assumed(recording, arguments)
    own = Settings() if file is None else file.settings
    settings = with_methods(own, arguments)
    whole = arguments.start is None and arguments.end is None and not arguments.static
    if file is not None and not (whole and settings == own and uncertainty == file.wrench):
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
    """Return the bounds that a recording comes with, with what the command line replaces.

    Raises:
        InputError: Nothing is said of the errors of force or torque, nor was in a live run.
    """
    stated = with_changes(recording.assumed or WrenchUncertainty(), arguments.uncertainty)
    silent = [
        kind
        for kind in ("force", "torque")
        if not any(stated.axes(f"{kind}_{error}").any() for error in ("error", "sigma"))
    ]
    if silent and saved_run(arguments) is None:
        raise InputError(
            f"Nothing is stated of the errors of the sensor's {' and '.join(silent)}, and no data "
            "are exact. Give "
            + " ".join(f"--uncertainty {kind}_error=..." for kind in silent)
            + f" (accuracy, of the data sheet [{' and '.join(_UNITS[kind] for kind in silent)}]) "
            f"or {', '.join(f'{kind}_sigma' for kind in silent)} (noise, of a recording at rest), "
            "force_bias and torque_bias where the sensor was tared, and for the motion "
            "orientation_error, angular_velocity_error, angular_acceleration_error, "
            "linear_acceleration_error; or state them in the --columns file."
        )
    return stated


def _history(
    arguments: argparse.Namespace,
    recording: WrenchRecording,
    uncertainty: WrenchUncertainty,
    settings: Settings,
    file: RunFile | None,
) -> list[Estimate]:
    """Identify, from motion or from rests; more than one estimate where they are drawn."""
    if file is not None:
        online = OnlineWrench(NewtonEulerRows.of(uncertainty, recording.frame), settings)
        made: list[Estimate] = list(estimates_of(online, recording, file.updates))
        return [*made[:-1], online.concluded(made[-1])]
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
    """Read a bag or tables, and keep the stretch that is asked for.

    Raises:
        PayloadIdError: They cannot be read, or options are for another kind of recording.
    """
    for option in ("also", "tare"):
        if getattr(arguments, option):
            raise InputError(f"--{option} is for joint torques; leave it out for a wrench.")
    path: Path = arguments.recording
    file = saved_run(arguments)
    if file is not None:
        topic = arguments.topic or file.topic
        recording = read_blocks(bag_of(path), topic, file.start_ns, file.end_ns)
        recording = replace(recording, assumed=file.wrench)
    elif is_table(path):
        columns = columns_of(path, arguments, "kuka_wrench_csv.yaml")
        robot = None
        if arguments.payload_frame is not None:
            raise InputError(f"{columns} states the sensor's 'frame': leave --payload-frame out.")
        if arguments.robot is not None:
            robot = RobotModel.from_robot_file(RobotFile.load(arguments.robot))
        recording = WrenchRecording.from_csv(path, columns, robot, arguments.static)
    else:
        recording = _read_bag(arguments)
    return stretch_of(recording, arguments)


def _read_bag(arguments: argparse.Namespace) -> WrenchRecording:
    """Read a bag, with the motion of a robot or of a pose topic, or of a sensor that rests."""
    robot, topic = None, arguments.topic
    orientation = _orientation(arguments)
    if arguments.pose_topic is None and orientation is None:
        if arguments.robot is None:
            raise InputError(
                f"Which robot carried the sensor in {arguments.recording}? Give --robot FILE, or "
                "the topic of the sensor's pose with --pose-topic, or for a sensor that rests its "
                "--orientation."
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
        _factors(arguments),
        orientation=orientation,
    )


def _factors(arguments: argparse.Namespace) -> list[float] | float:
    """Return the stated factor of the wrench, or those of its axes."""
    found = numbers_of(arguments.wrench_sign, "--wrench-sign", "1, -1 or six factors")
    return found[0] if len(found) == 1 else list(found)


def _orientation(arguments: argparse.Namespace) -> Array | None:
    """Return the stated axes of a sensor that rests, shape (3, 3), None if none are stated.

    Raises:
        InputError: They are no three angles, or something else says how the sensor moves, too.
    """
    if arguments.orientation is None:
        return None
    if arguments.pose_topic is not None or arguments.robot is not None:
        raise InputError(
            "--orientation is for a sensor that rests: leave out --robot and --pose-topic, or it."
        )
    angles = numbers_of(arguments.orientation, "--orientation", "three angles [rad]")
    if len(angles) != 3 or not np.isfinite(angles).all():
        raise InputError(
            "--orientation takes roll, pitch and yaw [rad], separated by commas; found "
            f"'{arguments.orientation}'."
        )
    return np.asarray(Rotation.from_euler("xyz", angles).as_matrix())
