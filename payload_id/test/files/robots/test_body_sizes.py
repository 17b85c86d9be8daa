"""Bodies and limits of a robot description in another unit than metres and radians are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.described_arms import described

from payload_id import RobotModel
from payload_id.core.errors import ConfigurationError, ModelError
from payload_id.files.robots.arm_geometry import description_geometry
from payload_id.files.robots.robot_file import RobotFile

SHAPES = {
    "box": '<box size="{0} {0} {0}"/>',
    "sphere": '<sphere radius="{0}"/>',
    "cylinder": '<cylinder radius="{0}" length="{0}"/>',
    "capsule": '<capsule radius="{0}" length="{0}"/>',
    "mesh": '<mesh filename="cube.obj" scale="{0} {0} {0}"/>',
}
CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1)) + (
    "f 1 2 3\nf 2 3 4\nf 5 6 7\nf 6 7 8\nf 1 2 5\nf 3 4 7\n"
)
FILE = """urdf: arm.urdf
joints: [shoulder, elbow]
payload_frame: tool
effort: {{source: torque}}
limits: {{sets: {{urdf: {{acceleration: [5, 6]{more}}}}}}}
uncertainty: {{torque_absolute: 1.0}}
"""


def geometry(folder: Path, shape: str, size: float, origin: str = "0 0 0.1"):
    (folder / "cube.obj").write_text(CUBE)
    body = f'<origin xyz="{origin}"/><geometry>{SHAPES[shape].format(size)}</geometry>'
    urdf = f"""<robot name="arm"><link name="base"/><link name="link">
      <inertial><mass value="2"/>
        <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision>{body}</collision></link>
      <joint name="turn" type="revolute"><parent link="base"/><child link="link"/>
        <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
    return description_geometry(urdf, RobotModel.from_urdf(urdf, "link", ["turn"]), folder)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_body_in_millimetres_or_scaled_twice_is_no_body_of_an_arm(tmp_path, shape):
    assert len(geometry(tmp_path, shape, 0.1).bodies) == 1
    with pytest.raises(ModelError, match="'link' reaches .* metres"):
        geometry(tmp_path, shape, 100.0)
    with pytest.raises(ModelError, match="'link' hold .* too little"):
        geometry(tmp_path, shape, 1e-4)
    with pytest.raises(ModelError, match="'link' reaches .* metres"):
        geometry(tmp_path, shape, 0.1, origin="0 -900 0")


def test_limits_in_millimetres_and_those_of_joints_without_ends(tmp_path):
    stated = tmp_path / "robot.yaml"
    stated.write_text(FILE.format(more=""))
    (tmp_path / "arm.urdf").write_text(
        described().replace('lower="-3" upper="3"', 'lower="-1e9" upper="1e9"')
    )
    assert RobotFile.load(stated).limits.position_upper[0] == 1e9
    sliding = described().replace('"revolute"', '"prismatic"', 1)
    (tmp_path / "arm.urdf").write_text(sliding.replace('upper="3"', 'upper="400"'))
    with pytest.raises(ConfigurationError, match="joint number 1 .* millimetres"):
        RobotFile.load(stated)
