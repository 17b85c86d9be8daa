"""Robot descriptions, good and bad: a small arm of two joints whose every part can be replaced."""

from __future__ import annotations

INERTIAL = (
    '<inertial><origin xyz="0 0 {z}" rpy="0 0 0"/><mass value="{m}"/>'
    '<inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="{ixy}" ixz="0" iyz="0"/></inertial>'
)
ARM = """<robot name="arm"><link name="base"/><link name="upper">{inertial}</link>
<link name="lower">{sound}</link><link name="tool"/>
<joint name="shoulder" type="{kind}"><origin xyz="{xyz}" rpy="0 0 0"/><parent link="{parent}"/>
<child link="upper"/><axis xyz="{axis}"/>
<limit lower="{low}" upper="{high}" effort="{effort}" velocity="{velocity}"/>{inner}</joint>
<joint name="elbow" type="revolute"><origin xyz="0 0 0.4"/><parent link="upper"/>
<child link="{child}"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="40" velocity="2"/></joint>
<joint name="flange" type="fixed"><origin xyz="0 0 0.3"/><parent link="lower"/>
<child link="tool"/></joint>{more}</robot>
"""
BODY = {"m": "2", "z": "0.1", "ixx": "0.02", "iyy": "0.02", "izz": "0.01", "ixy": "0"}
PARTS = {
    "kind": "revolute", "xyz": "0 0 0.2", "parent": "base", "child": "lower", "axis": "0 0 1",
    "low": "-3", "high": "3", "effort": "60", "velocity": "2", "inner": "", "more": "",
}  # fmt: skip


def described(**parts: str) -> str:
    """Return the description of the arm; `parts` replace those that `BODY` and `PARTS` name."""
    body = {key: parts.pop(key, text) for key, text in BODY.items()}
    stated = parts.pop("inertial", INERTIAL.format(**body))
    return ARM.format(**{**PARTS, **parts}, inertial=stated, sound=INERTIAL.format(**BODY))


def joint(name: str, parent: str, child: str) -> str:
    """Return one more joint, a fixed one."""
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="fixed">{ends}</joint>'
