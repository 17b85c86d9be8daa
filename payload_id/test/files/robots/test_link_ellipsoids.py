"""Ellipsoids around the links hold their collision shapes, or are not given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from payload_id import RobotFile, RobotModel
from payload_id.files.robots.link_ellipsoids import link_ellipsoids

BODY = """
  <inertial><origin xyz="0 0 0.2"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial>
"""
SPHERE = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
BOX = """<collision><origin xyz="0 0 0.2"/><geometry><box size="0.2 0.2 0.4"/></geometry>
  </collision>"""
CYLINDER = """<collision><origin xyz="0 0 0.2"/>
  <geometry><cylinder radius="0.1" length="0.4"/></geometry></collision>"""
CAPSULE = """<collision><origin xyz="0 0 0.4"/>
  <geometry><capsule radius="0.1" length="0.4"/></geometry></collision>"""
ROBOT = """urdf: arm.urdf
joints: [turn]
payload_frame: link
effort: {source: torque}
uncertainty: {}
"""


def ellipsoid(folder: Path, shapes: str, more: str = ""):
    (folder / "arm.urdf").write_text(f"""<robot name="arm"><link name="base"/>
      <link name="link">{BODY}{shapes}</link>
      <joint name="turn" type="revolute"><parent link="base"/><child link="link"/>
        <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
      <link name="tip">{SPHERE}</link>
      <joint name="to" type="fixed"><parent link="link"/><child link="tip"/></joint></robot>""")
    (folder / "arm.yaml").write_text(ROBOT + more)
    robot = RobotFile.load(folder / "arm.yaml")
    return link_ellipsoids(robot, RobotModel.from_robot_file(robot))[0]


@pytest.mark.parametrize("shapes", [BOX, CYLINDER, BOX + SPHERE, BOX + CAPSULE])
def test_corners_of_the_shapes_are_inside(tmp_path, shapes):
    q = ellipsoid(tmp_path, shapes)
    for x, y, z in ((0.0, 0.0, 0.2), (0.07, 0.07, 0.0), (-0.07, 0.07, 0.4), (0.0, 0.1, 0.4)):
        point = np.array([x, y, z, 1.0])
        assert point @ q @ point >= -1e-9
    outside = np.array([1.0, 0.0, 0.2, 1.0])
    assert outside @ q @ outside < 0


def test_none_where_shapes_do_not_hold_the_mass(tmp_path):
    assert ellipsoid(tmp_path, "", "links_without_body: {link: a wire}\n") is None
    assert ellipsoid(tmp_path, SPHERE) is None
