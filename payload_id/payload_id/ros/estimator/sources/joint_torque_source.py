"""Joint torques that the arm measures, as the node `payload_sampler` sends them."""

from __future__ import annotations

from collections.abc import Callable

from payload_id_msgs.msg import SampleBlock

from ....core.arm.arm_model import ArmModel
from ....core.samples.sample_rows import SampleRows
from ....files.bags.bag_reader import open_bag
from ....files.bags.joint_states_bag import JOINT_STATE
from ....files.robots.robot_file import RobotFile
from ....files.robots.robot_model import RobotModel
from ...common.conversions import rows_of
from .live_run import LiveRun, RunSettings
from .sample_source import SampleSource


class JointTorqueSource(SampleSource):
    """Identification from measured joint torques."""

    block_type = SampleBlock

    def __init__(self, robot: RobotFile, sensor_frame: str, wrench_uncertainty: str) -> None:
        """Read the robot file; there is no further sensor."""
        self._robot = robot
        self.joint_map = robot.joint_map()
        self.model: ArmModel = RobotModel.from_robot_file(robot)

    def rows(self, block: SampleBlock) -> SampleRows:
        """Return the samples of a block."""
        return rows_of(block, self._robot.joints)

    def new_run(self, settings: Callable[[], RunSettings]) -> LiveRun:
        """Return runs, each with the settings that hold when it begins."""
        return LiveRun(self.model, self.joint_map, settings)

    def recorded_topic(self, blocks: str, bag: str) -> str:
        """Return the topic of joint states in the recording; without any, the robot file's."""
        if bag:
            with open_bag(bag) as opened:
                for topic, kind in opened.types.items():
                    if kind == JOINT_STATE:
                        return str(topic)
        return self._robot.joint_states.topic
