"""Robot descriptions that tell a controller manager about its hardware."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from ....core.arrays import Array
from ....files.robots.robot_file import RobotFile

TOPIC_HARDWARE = "joint_state_topic_hardware_interface/JointStateTopicSystem"
COMMANDS, STATES = "robot_joint_commands", "robot_joint_states"  # its topics
KINDS = ("position", "velocity", "effort")


def with_hardware(
    urdf: str,
    plugin: str,
    parameters: Mapping[str, str],
    joints: Mapping[str, float],
    commands: Sequence[str],
    states: Sequence[str],
) -> str:
    """Return a robot description with a section for ros2_control.

    Args:
        urdf: The description.
        plugin: Class of the hardware.
        parameters: The hardware's own.
        joints: Joints, with the position at which each begins [rad or m].
        commands: Command interfaces of each joint.
        states: Its state interfaces.
    """
    root = ElementTree.fromstring(urdf)
    system = ElementTree.SubElement(root, "ros2_control", name="arm", type="system")
    hardware = ElementTree.SubElement(system, "hardware")
    ElementTree.SubElement(hardware, "plugin").text = plugin
    for name, value in parameters.items():
        ElementTree.SubElement(hardware, "param", name=name).text = value
    for name, place in joints.items():
        joint = ElementTree.SubElement(system, "joint", name=name)
        for kind in commands:
            ElementTree.SubElement(joint, "command_interface", name=kind)
        for kind in states:
            state = ElementTree.SubElement(joint, "state_interface", name=kind)
            first = ElementTree.SubElement(state, "param", name="initial_value")
            first.text = str(place if kind == "position" else 0.0)
    return ElementTree.tostring(root, "unicode")


def behind_topics(robot: RobotFile, at: Array, namespace: str = "") -> str:
    """Return the description of an arm that stands behind topics.

    Commands are sent in every cycle, also where the arm is where it should be. Efforts are not
    offered: the topic does not say which of its interfaces a controller has claimed.

    Args:
        robot: The robot file.
        at: Where it begins, shape (n,) [rad or m].
        namespace: Of the topics.
    """
    own = namespace.rstrip("/")
    return with_hardware(
        robot.urdf,
        TOPIC_HARDWARE,
        {
            "joint_commands_topic": f"{own}/{COMMANDS}",
            "joint_states_topic": f"{own}/{STATES}",
            "trigger_joint_command_threshold": "-1",
        },
        dict(zip(robot.joints, at.tolist(), strict=True)),
        KINDS[:2],
        KINDS,
    )
