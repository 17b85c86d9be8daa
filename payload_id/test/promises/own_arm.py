"""A small arm of this folder's own: four joints, its description, its robot file."""

from __future__ import annotations

from pathlib import Path

from .arms import Arm

# name, parent's height at which it sits [m], axis, mass [kg], height of its centre [m]
LINKS = (
    ("shoulder", 0.2, "0 0 1", 2.0, 0.1),
    ("upper", 0.2, "0 1 0", 1.5, 0.15),
    ("lower", 0.3, "1 0 0", 1.0, 0.1),
    ("wrist", 0.25, "0 1 0", 0.5, 0.05),
)
JOINTS = tuple(f"{link[0]}_joint" for link in LINKS)
LINK = """<link name="{name}"><inertial><origin xyz="0.01 -0.02 {centre}"/><mass value="{mass}"/>
<inertia ixx="{i}" ixy="0" ixz="0" iyy="{i}" iyz="0" izz="{k}"/></inertial>
<collision><origin xyz="0 0 {centre}"/><geometry><sphere radius="0.06"/></geometry></collision>
</link>
<joint name="{name}_joint" type="revolute"><parent link="{parent}"/><child link="{name}"/>
<origin xyz="0 0 {height}"/><axis xyz="{axis}"/>
<limit lower="-2.5" upper="2.5" effort="200" velocity="4"/></joint>
"""
END = """<link name="flange"/>
<joint name="wrist_flange" type="fixed"><parent link="wrist"/><child link="flange"/>
<origin xyz="0 0 0.06" rpy="0 0 0.5"/></joint>
<link name="gripper"><inertial><origin xyz="0.01 0 0.03" rpy="0.2 0.1 -0.4"/><mass value="0.4"/>
<inertia ixx="0.0006" ixy="0.0001" ixz="0" iyy="0.0005" iyz="0.00005" izz="0.0004"/></inertial>
<collision><origin xyz="0 0 0.03"/><geometry><sphere radius="0.04"/></geometry></collision></link>
<joint name="flange_gripper" type="fixed"><parent link="flange"/><child link="gripper"/>
<origin xyz="0 0.02 0.01" rpy="0 0 0.7"/></joint>
<link name="tool"/>
<joint name="gripper_tool" type="fixed"><parent link="gripper"/><child link="tool"/>
<origin xyz="0.03 -0.02 0.05" rpy="0.3 -1.1 2.0"/></joint></robot>
"""
ROBOT = """---
name: own_arm
urdf: own_arm.urdf
joints: [shoulder_joint, upper_joint, lower_joint, wrist_joint]
payload_frame: tool
joint_states: {topic: /joint_states, rate: 250.0}
effort: {source: torque, sign: [1, -1, 1, -1]}
limits: {use: urdf, sets: {urdf: {acceleration: [30.0, 30.0, 30.0, 30.0]}}}
driver:
  payload: {target: ur, service: /set, type: ur_msgs/srv/SetPayload, frame: flange, rated_mass: 4.0}
uncertainty:
  torque_relative: 0.02
  torque_absolute: 0.01
  prior: {mass_max: 5.0, com_max: 0.5}
...
"""


def urdf() -> str:
    """Return the description."""
    text, parent = ['<robot name="own_arm"><link name="base"/>\n'], "base"
    for name, height, axis, mass, centre in LINKS:
        i, k = round(0.01 * mass, 6), round(0.004 * mass, 6)
        text.append(LINK.format(name=name, parent=parent, height=height, axis=axis, mass=mass,
                                centre=centre, i=i, k=k))  # fmt: skip
        parent = name
    return "".join([*text, END])


def write(folder: Path, robot: str = ROBOT) -> Path:
    """Write the description and the robot file; return the latter's path."""
    (folder / "own_arm.urdf").write_text(urdf())
    path = folder / "own_arm.yaml"
    path.write_text(robot)
    return path


def own_arm(folder: Path, robot: str = ROBOT) -> Arm:
    """Write it; return it."""
    return Arm(str(write(folder, robot)))
