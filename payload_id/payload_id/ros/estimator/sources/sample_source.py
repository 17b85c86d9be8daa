"""What the estimator asks of a source of samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ....core.arm.arm_model import ArmModel
from ....core.samples.joint_map import JointMap
from ....core.samples.sample_rows import SampleRows
from ....files.robots.robot_file import RobotFile
from .live_run import LiveRun, RunSettings


class SampleSource(Protocol):
    """Knows the blocks of one sampler, and how a payload is identified from them.

    Attributes:
        block_type: Type of their messages.
        model: The arm; its payload frame is that of the estimates.
        joint_map: How joint states are read.
    """

    block_type: Any
    model: ArmModel
    joint_map: JointMap

    def __init__(self, robot: RobotFile, sensor_frame: str, wrench_uncertainty: str) -> None:
        """Read the robot file.

        Args:
            robot: The robot file.
            sensor_frame: Frame of a force-torque sensor; empty: the robot file's payload frame.
            wrench_uncertainty: YAML file with the bounds of `WrenchUncertainty`; empty: only the
                bias is unknown.

        Raises:
            PayloadIdError: A file cannot be used, or the robot does not have what is measured.
        """

    def rows(self, block: Any) -> SampleRows:
        """Return the samples of a block.

        Raises:
            InputError: They are of another arm or frame, or the arrays do not fit together.
        """

    def new_run(self, settings: Callable[[], RunSettings]) -> LiveRun:
        """Return runs, each with the settings that hold when it begins."""

    def recorded_topic(self, blocks: str, bag: str) -> str:
        """Return the topic of the samples in the sampler's recording.

        Args:
            blocks: Topic of the blocks.
            bag: Folder of the recording; empty: there is none.

        Raises:
            PayloadIdError: The recording cannot be read.
        """
