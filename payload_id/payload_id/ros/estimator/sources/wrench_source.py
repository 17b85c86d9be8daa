"""The wrench of a force-torque sensor, as a sampler of wrenches sends it."""

from __future__ import annotations

from collections.abc import Callable

from payload_id_msgs.msg import WrenchBlock

from ....core.rows.wrench.uncertainty import WrenchUncertainty
from ....core.samples.arm_sensor_motion import model_at
from ....core.samples.joint_map import JointMap
from ....core.samples.sample_rows import SampleRows
from ....files.robots.robot_file import RobotFile
from ....files.robots.robot_model import RobotModel
from ....files.tables.wrench_csv import read_wrench_uncertainty
from ...common.wrench_blocks import rows_of_wrench
from .live_run import RunSettings
from .sample_source import SampleSource
from .wrench_run import WrenchRun


class WrenchSource(SampleSource):
    """Identification from the wrench between flange and payload."""

    block_type = WrenchBlock

    def __init__(self, robot: RobotFile, sensor_frame: str, wrench_uncertainty: str) -> None:
        """Read the robot file."""
        frame = sensor_frame or robot.payload_frame
        self.joint_map = JointMap(robot.joints)
        self.model = model_at(RobotModel.from_robot_file(robot), frame)
        self._uncertainty_file = wrench_uncertainty

    def rows(self, block: WrenchBlock) -> SampleRows:
        """Return the samples of a block."""
        return rows_of_wrench(block, self.model.payload_frame)

    def new_run(self, settings: Callable[[], RunSettings]) -> WrenchRun:
        """Return runs, each with the settings that hold when it begins."""
        file = self._uncertainty_file
        uncertainty = read_wrench_uncertainty(file) if file else WrenchUncertainty()
        return WrenchRun(self.model, self.joint_map, settings, uncertainty)

    def recorded_topic(self, blocks: str, bag: str) -> str:
        """Return the topic of the blocks, which the sampler records as well."""
        return blocks
