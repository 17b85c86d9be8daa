"""How options say that a force-torque sensor's recording is read, and what is assumed of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from ...core.arrays import Array
from ...core.errors import InputError
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ...files.recordings.any_recording import is_table, stated
from ...files.recordings.wrench_recording import WrenchRecording
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ...files.tables.wrench_csv import is_wrench_description
from ..common.options import RecordingOptions, numbers_of
from ..common.settings import with_changes

_UNITS = {"force": "N", "torque": "N m"}


def is_described(asked: RecordingOptions) -> bool:
    """Tell whether options describe the recording of a force-torque sensor."""
    if asked.wrench_topic is not None:
        return True
    motion = (asked.pose_topic, asked.orientation)
    if asked.columns is None and (asked.static or motion != (None, None)):
        raise InputError(
            "--static, --pose-topic and --orientation belong to a force-torque sensor: name its "
            "topic with --wrench-topic. Of a table say with --columns what it holds."
        )
    return asked.columns is not None and is_wrench_description(asked.columns)


def refuse_options_of_arms(asked: RecordingOptions) -> None:
    """Raise if an option is given that is for joint torques.

    Raises:
        InputError: One is.
    """
    for option in ("also", "tare"):
        if getattr(asked, option):
            raise InputError(f"--{option} is for joint torques; leave it out for a wrench.")


def assumed(recording: WrenchRecording, asked: RecordingOptions) -> WrenchUncertainty:
    """Return the bounds that a recording comes with, with what the command line replaces.

    Raises:
        InputError: Nothing is said of the errors of force or torque.
    """
    stated = with_changes(recording.assumed or WrenchUncertainty(), asked.uncertainty)
    silent = [
        kind
        for kind in ("force", "torque")
        if not any(stated.axes(f"{kind}_{error}").any() for error in ("error", "sigma"))
    ]
    if silent:
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


def read(asked: RecordingOptions) -> WrenchRecording:
    """Read a bag or tables.

    Raises:
        PayloadIdError: They cannot be read, or options are for another kind of recording.
    """
    path: Path = asked.recording
    if not is_table(path):
        return _read_bag(asked)
    columns = stated(asked.columns, path, "kuka_wrench_csv.yaml")
    if asked.payload_frame is not None:
        raise InputError(f"{columns} states the sensor's 'frame': leave --payload-frame out.")
    robot = None
    if asked.robot is not None:
        robot = RobotModel.from_robot_file(RobotFile.load(asked.robot))
    return WrenchRecording.from_csv(path, columns, robot, asked.static)


def _read_bag(asked: RecordingOptions) -> WrenchRecording:
    """Read a bag, with the motion of a robot or of a pose topic, or of a sensor that rests."""
    robot, topic = None, asked.topic
    orientation = _orientation(asked)
    if asked.pose_topic is None and orientation is None:
        if asked.robot is None:
            raise InputError(
                f"Which robot carried the sensor in {asked.recording}? Give --robot FILE, or "
                "the topic of the sensor's pose with --pose-topic, or for a sensor that rests its "
                "--orientation."
            )
        file = RobotFile.load(asked.robot)
        robot = RobotModel.from_robot_file(file)
        topic = topic or file.joint_states.topic
    return WrenchRecording.from_bag(
        asked.recording,
        asked.wrench_topic,
        robot,
        topic or "/joint_states",
        asked.pose_topic,
        asked.payload_frame,
        _factors(asked),
        orientation=orientation,
    )


def _factors(asked: RecordingOptions) -> list[float] | float:
    """Return the stated factor of the wrench, or those of its axes."""
    found = numbers_of(asked.wrench_sign, "--wrench-sign", "1, -1 or six factors")
    return found[0] if len(found) == 1 else list(found)


def _orientation(asked: RecordingOptions) -> Array | None:
    """Return the stated axes of a sensor that rests, shape (3, 3), None if none are stated.

    Raises:
        InputError: They are no three angles, or something else says how the sensor moves, too.
    """
    if asked.orientation is None:
        return None
    if asked.pose_topic is not None or asked.robot is not None:
        raise InputError(
            "--orientation is for a sensor that rests: leave out --robot and --pose-topic, or it."
        )
    angles = numbers_of(asked.orientation, "--orientation", "three angles [rad]")
    if len(angles) != 3 or not np.isfinite(angles).all():
        raise InputError(
            "--orientation takes roll, pitch and yaw [rad], separated by commas; found "
            f"'{asked.orientation}'."
        )
    return np.asarray(Rotation.from_euler("xyz", angles).as_matrix())
