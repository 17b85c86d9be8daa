"""The Gen3 with a finger on its flange, as a robot file of one's own describes it."""

from __future__ import annotations

from pathlib import Path

from payload_id.files.robots.robot_file import RobotFile

HEAD = "extends: package://payload_id/config/robots/kinova_gen3.yaml\nurdf: arm.urdf.xacro\n"
XACRO = """<robot name="kinova_gen3" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="gripper" default="none"/><xacro:arg name="vision" default="true"/>"""
FINGER = """<link name="finger"><inertial><origin xyz="0 0 0.03"/><mass value="0.1"/>
<inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-5"/></inertial><collision>
<origin xyz="0 0 0.03"/><geometry><box size="0.02 0.02 0.06"/></geometry></collision></link>
<joint name="knuckle" type="revolute"><parent link="end_effector_link"/><child link="finger"/>
<origin xyz="0.03 0 0.01"/><axis xyz="0 1 0"/>
<limit lower="0" upper="0.8" velocity="1" effort="9"/></joint></robot>"""


def finger_robot(folder: Path, text: str = "") -> Path:
    """Write the robot file and its description; return its path."""
    urdf = RobotFile.load("kinova_gen3").urdf
    begin = urdf.index("<robot")
    rest = urdf[urdf.index(">", begin) + 1 :].replace("</robot>", FINGER)
    (folder / "arm.urdf.xacro").write_text(XACRO + rest)
    path = folder / "robot.yaml"
    path.write_text(f"{HEAD}{text}\n")
    return path
