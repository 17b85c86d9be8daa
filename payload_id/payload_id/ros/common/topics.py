"""What publishers and subscribers of this package agree on: qualities of service, names."""

from __future__ import annotations

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from ...files.robots.robot_file import RobotFile

LATCHED = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
EVERY = QoSProfile(  # of what is published, with what there was before
    depth=100, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
# Figures of an estimator's condition: whether a run is in progress, why it gets no samples (empty:
# it gets some), and the node whose blocks it takes.
RUNNING, SILENT, SAMPLER = "running", "silent", "sampler"
# Of sensor_msgs/JointState; launch files remap it to joint_states.topic of the robot file.
JOINT_STATES = "joint_states"
BLOCKS = QoSProfile(depth=2000, reliability=ReliabilityPolicy.RELIABLE)


def controller_topic(node: Node, robot: RobotFile) -> str:
    """Return the full name of the arm's controller's topic, beside which its others lie.

    It is command.trajectory_topic of the robot file in the node's namespace, or where that name is
    remapped to.
    """
    return str(node.resolve_topic_name(robot.command.trajectory_topic.lstrip("/")))
