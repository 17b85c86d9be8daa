"""A small arm of two joints: its description, whose every part can be replaced, and its files."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from payload_id import Recording, RobotModel

SAMPLES = 60  # of the recording

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


@lru_cache
def arm() -> RobotModel:
    """Return the arm."""
    return RobotModel.from_urdf(described(), "tool")


@lru_cache
def recording() -> Recording:
    """Return a short recording of it."""
    t = np.arange(SAMPLES) * 0.01
    q = np.column_stack([np.sin(3 * t), np.cos(2 * t)])
    dq = np.column_stack([3 * np.cos(3 * t), -2 * np.sin(2 * t)])
    tau = np.column_stack([np.cos(t), 5 * np.sin(q[:, 1])])
    return Recording(t, q, dq, tau, joints=arm().joints, start_ns=10**18)


@lru_cache
def table() -> bytes:
    """Return the recording as a table."""
    r = recording()
    rows = np.column_stack([r.stamp, r.q, r.dq, r.tau]).tolist()
    lines = ["t,q1,q2,v1,v2,e1,e2", *(",".join(map(repr, row)) for row in rows)]
    return "".join(f"{line}\n" for line in lines).encode()


COLUMNS: dict[str, Any] = {
    "joints": ["shoulder", "elbow"], "stamp": {"column": "t", "unit": "s"}, "position": "q{j}",
    "velocity": ["v1", "v2"], "effort": "e{j}", "position_unit": "rad", "effort_sign": [1, -1],
    "effort_offset": 0.5, "delimiter": ",",
}  # fmt: skip
ROBOT = b"""name: arm
urdf: arm.urdf
joints: [shoulder, elbow]
payload_frame: tool
gravity: [0, 0, -9.81]
effort: {source: torque, sign: [1, -1], offset: [0.0, 0.1]}
joint_states: {topic: /joint_states, rate: 500.0}
limits: {use: urdf, sets: {urdf: {acceleration: [5.0, 5.0], velocity: [1.0, 1.0]}}}
uncertainty: {torque_absolute: [1.0, 0.5], link_relative: 0.1, prior: {mass_max: 5.0}}
home: [0.1, 0.2]
driver:
  executed: [position]
  back_ends: [follow_joint_trajectory]
  goal: {path: 0.05, end: [0.02, 0.02], time: 2.0}
  follows_while: {well: {topic: /fault, type: a/msg/B, field: data, allowed: [0]}}
  reset: {first: {service: /reset, type: a/srv/B}}
  payload: {target: ur, service: /set, type: a/srv/B, frame: tool, rated_mass: 3.0}
"""
