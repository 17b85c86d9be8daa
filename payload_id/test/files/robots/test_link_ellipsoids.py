"""Ellipsoids around the links hold their collision shapes, or are not given."""

from __future__ import annotations

import numpy as np
import pytest

from payload_id import RobotModel
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
MESH = '<collision><geometry><mesh filename="arm.stl"/></geometry></collision>'


def ellipsoid(shapes: str):
    urdf = f"""<robot name="arm"><link name="base"/><link name="link">{BODY}{shapes}</link>
      <joint name="turn" type="revolute"><parent link="base"/><child link="link"/>
        <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
    (found,) = link_ellipsoids(urdf, RobotModel.from_urdf(urdf, "link", ["turn"]))
    return found


@pytest.mark.parametrize("shapes", [BOX, CYLINDER, BOX + SPHERE])
def test_corners_of_the_shapes_are_inside(shapes):
    q = ellipsoid(shapes)
    for x, y, z in ((0.0, 0.0, 0.2), (0.07, 0.07, 0.0), (-0.07, 0.07, 0.4), (0.0, 0.1, 0.4)):
        point = np.array([x, y, z, 1.0])
        assert point @ q @ point >= -1e-9
    outside = np.array([1.0, 0.0, 0.2, 1.0])
    assert outside @ q @ outside < 0


@pytest.mark.parametrize("shapes", ["", MESH, BOX + MESH, CAPSULE, BOX + CAPSULE])
def test_none_where_a_shape_cannot_be_read(shapes):
    assert ellipsoid(shapes) is None
