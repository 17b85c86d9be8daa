"""Runs of a force-torque sensor, fed live; the same book-keeping as those of joint torques."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from payload_id_msgs.msg import WrenchBlock

from ....core.arm.arm_model import ArmModel
from ....core.arrays import Array
from ....core.identification.online import OnlineIdentifier
from ....core.identification.problem import Problem
from ....core.identification.wrench.online import OnlineWrench
from ....core.rows.wrench.newton_euler import NewtonEulerRows
from ....core.rows.wrench.uncertainty import WrenchUncertainty
from ....core.samples.arm_sensor_motion import model_at
from ....core.samples.joint_map import JointMap
from ....core.samples.sample_rows import SampleRows
from ....files.robots.robot_file import RobotFile
from ....files.robots.robot_model import RobotModel
from ....files.runs.run_file import RunFile
from ....files.tables.wrench_csv import read_wrench_uncertainty
from ...common.wrench_blocks import rows_of_wrench, samples_of_rows
from .live_run import LiveRun, RunRecord, RunSettings


class WrenchRun(LiveRun):
    """Takes in wrench samples and gives estimates; a delay of the wrench is estimated on the way.

    Attributes:
        uncertainty: What is assumed about sensor and motion.
    """

    block_type = WrenchBlock

    def __init__(
        self,
        model: ArmModel,
        joint_map: JointMap,
        settings: Callable[[], RunSettings],
        uncertainty: WrenchUncertainty,
    ) -> None:
        """Begin the first run.

        Args:
            model: The arm, its payload frame that of the sensor.
            joint_map: How joint states are read.
            settings: Gives the settings for the next run.
            uncertainty: What is assumed about sensor and motion.
        """
        self.uncertainty = uncertainty
        self._row_source = NewtonEulerRows.of(uncertainty, model.payload_frame)
        super().__init__(model, joint_map, settings)

    def rows(self, block: Any) -> SampleRows:
        """Return the samples of a block."""
        return rows_of_wrench(block, self.model.payload_frame)

    def recorded_topic(self, blocks: str, bag: str) -> str:
        """Return the topic of the blocks, which the sampler records as well."""
        return blocks

    def _identifier_of(self, settings: RunSettings) -> OnlineIdentifier:
        """Return the identification of runs with some settings."""
        return OnlineWrench(self._row_source, settings.identification)

    def _take_in(self, rows: SampleRows, stamp: Array) -> None:
        """Hand samples to the identification, with stamps since the run began, shape (N,) [s]."""
        record, samples = self._record, samples_of_rows(rows, stamp)
        record.watch = record.watch.seen(samples)
        record.measured = not record.watch.complaint
        self._identifier.add(samples)

    def _complaint(self) -> str:
        """Say that nothing is measured."""
        return self._record.watch.complaint

    def fill_in(self, run: RunFile, earlier: tuple[RunRecord, Problem] | None = None) -> RunFile:
        """Return a run file with the entries that come from the run, up to its last update."""
        return replace(
            super().fill_in(run, earlier),
            payload_frame=self.model.payload_frame,
            wrench=self.uncertainty,
            calibration=None,
        )


def wrench_run(
    robot: RobotFile, sensor_frame: str, uncertainty: str, settings: Callable[[], RunSettings]
) -> LiveRun:
    """Return runs of a sensor between flange and payload.

    Args:
        robot: The robot file.
        sensor_frame: Of the sensor; empty: the payload frame.
        uncertainty: File with what is assumed; empty: only the bias is unknown.
        settings: Gives the settings for the next run.
    """
    model = model_at(RobotModel.from_robot_file(robot), sensor_frame or robot.payload_frame)
    assumed = read_wrench_uncertainty(uncertainty) if uncertainty else WrenchUncertainty()
    return WrenchRun(model, JointMap(robot.joints), settings, assumed)
