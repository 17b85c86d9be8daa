"""A live run read back from its folder: recording, arm and settings, as it used them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..robots.robot_file import RobotFile
from ..robots.robot_model import RobotModel
from ..runs.run_file import RunFile, bag_of
from .recording import Recording


def recording_of(
    folder: Path,
    file: RunFile,
    topic: str = "",
    start_ns: int | None = None,
    end_ns: int | None = None,
) -> Recording:
    """Read a bag as a live run read its messages.

    Args:
        folder: The run's.
        file: The run's.
        topic: Of the joint states; empty: the run's.
        start_ns: Header stamp of the first sample to use [ns]; None: the first.
        end_ns: Header stamp of the last sample to use [ns]; None: the last.

    Raises:
        PayloadIdError: As `Recording.from_bag`.
    """
    sign, offset = file.effort_sign, file.effort_offset
    return Recording.from_bag(
        bag_of(folder), topic or file.topic, file.joints, sign, offset, start_ns, end_ns
    )


def arm_of(file: RunFile, recording: Recording, frame: str = "") -> RobotModel:
    """Return the arm of a run, with what the run knew of it.

    Args:
        file: The run's.
        recording: Whose torques it is for.
        frame: Link that carries the payload; empty: the run's.
    """
    arm = RobotModel.from_urdf(file.urdf, frame or file.payload_frame, file.joints, file.gravity)
    return with_known(arm, recording, file)


def with_known(arm: RobotModel, recording: Recording, file: RunFile | RobotFile) -> RobotModel:
    """Return an arm with what a file knows of it, for torques as the recording has them."""
    arm = replace(arm, effort=recording.effort, history=file.history)
    return arm.with_calibration(file.calibration)
