"""A finger on a Gen3's flange, which the arm does not move."""

from __future__ import annotations

from pathlib import Path

from payload_id import RobotFile

HEAD = """<robot name="kinova_gen3" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="gripper" default="none"/><xacro:arg name="vision" default="true"/>"""
FINGER = """<link name="finger"><inertial><origin xyz="0 0 0.03"/><mass value="0.1"/>
<inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-5"/></inertial><collision>
<origin xyz="0 0 0.03"/><geometry><box size="0.02 0.02 0.06"/></geometry></collision></link>
<joint name="knuckle" type="revolute"><parent link="end_effector_link"/><child link="finger"/>
<origin xyz="0.03 0 0.01"/><axis xyz="0 1 0"/>
<limit lower="0" upper="0.8" velocity="1" effort="9"/></joint></robot>"""


def write_finger(folder: Path, name: str, mass: float = 0.1) -> None:
    """Write the description of a Gen3 with a finger of a mass [kg], NAME.urdf.xacro."""
    urdf = RobotFile.load("kinova_gen3").urdf
    rest = urdf[urdf.index(">", urdf.index("<robot")) + 1 :]
    own = FINGER.replace('mass value="0.1"', f'mass value="{mass}"')
    (folder / f"{name}.urdf.xacro").write_text(HEAD + rest.replace("</robot>", own))
