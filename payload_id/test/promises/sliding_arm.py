"""A small arm with a joint that slides, its description and its robot file."""

from __future__ import annotations

from pathlib import Path

from .arms import Arm

# name, kind, height at which it sits [m], axis, mass [kg]
LINKS = (
    ("lift", "revolute", 0.2, "0 1 0", 2.0),
    ("slide", "prismatic", 0.2, "1 0 0", 1.5),
    ("swing", "continuous", 0.3, "0 0 1", 1.0),
    ("wrist", "revolute", 0.1, "0 1 0", 0.6),
)
LINK = """<link name="{name}"><inertial><origin xyz="0.03 -0.02 0.05"/><mass value="{mass}"/>
<inertia ixx="{i}" ixy="0.0004" ixz="-0.0003" iyy="{i}" iyz="0.0002" izz="{k}"/></inertial>
<collision><geometry><sphere radius="0.03"/></geometry></collision></link>
<joint name="{name}_joint" type="{kind}"><parent link="{parent}"/><child link="{name}"/>
<origin xyz="0.02 0 {height}"/><axis xyz="{axis}"/>
<limit lower="-2.5" upper="2.5" effort="60" velocity="6"/></joint>
"""
ROBOT = """---
name: sliding_arm
urdf: sliding_arm.urdf
joints: [lift_joint, slide_joint, swing_joint, wrist_joint]
payload_frame: tool
joint_states: {topic: /joint_states, rate: 250.0}
effort: {source: torque}
uncertainty:
  torque_relative: 0.02
  torque_absolute: 0.01
  prior: {mass_max: 5.0, com_max: 0.5}
...
"""


def sliding_arm(folder: Path) -> Arm:
    """Write description and robot file into a folder; return the arm."""
    text, parent = ['<robot name="sliding_arm"><link name="base"/>\n'], "base"
    for name, kind, height, axis, mass in LINKS:
        i, k = round(0.01 * mass, 6), round(0.004 * mass, 6)
        text.append(LINK.format(name=name, kind=kind, parent=parent, height=height, axis=axis,
                                mass=mass, i=i, k=k))  # fmt: skip
        parent = name
    text.append(
        '<link name="tool"/><joint name="mount" type="fixed"><parent link="wrist"/>'
        '<child link="tool"/><origin xyz="0.02 0 0.1" rpy="0.2 0 0.5"/></joint></robot>\n'
    )
    (folder / "sliding_arm.urdf").write_text("".join(text))
    path = folder / "sliding_arm.yaml"
    path.write_text(ROBOT)
    return Arm(str(path))
