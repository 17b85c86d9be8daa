"""Robot descriptions that tell a controller manager about its hardware."""

from __future__ import annotations

from xml.etree import ElementTree

from ....core.arrays import Array
from ....files.robots.robot_file import RobotFile

TOPIC_HARDWARE = "joint_state_topic_hardware_interface/JointStateTopicSystem"
COMMANDS, STATES = "robot_joint_commands", "robot_joint_states"  # its topics
KINDS = ("position", "velocity", "effort")


def behind_topics(robot: RobotFile, at: Array, namespace: str = "") -> str:
    """Return the description of an arm that stands behind topics, for ros2_control.

    Commands are sent in every cycle, also where the arm is where it should be. Efforts are not
    offered: the topic does not say which of its interfaces a controller has claimed.

    Args:
        robot: The robot file.
        at: Where it begins, shape (n,) [rad or m].
        namespace: Of the topics.
    """
    root, own = ElementTree.fromstring(robot.urdf), namespace.rstrip("/")
    system = ElementTree.SubElement(root, "ros2_control", name="arm", type="system")
    hardware = ElementTree.SubElement(system, "hardware")
    ElementTree.SubElement(hardware, "plugin").text = TOPIC_HARDWARE
    for name, value in (
        ("joint_commands_topic", f"{own}/{COMMANDS}"),
        ("joint_states_topic", f"{own}/{STATES}"),
        ("trigger_joint_command_threshold", "-1"),
    ):
        ElementTree.SubElement(hardware, "param", name=name).text = value
    for name, place in zip(robot.joints, at.tolist(), strict=True):
        joint = ElementTree.SubElement(system, "joint", name=name)
        for kind in KINDS[:2]:
            ElementTree.SubElement(joint, "command_interface", name=kind)
        for kind in KINDS:
            state = ElementTree.SubElement(joint, "state_interface", name=kind)
            first = ElementTree.SubElement(state, "param", name="initial_value")
            first.text = str(place if kind == "position" else 0.0)
    return ElementTree.tostring(root, "unicode")
