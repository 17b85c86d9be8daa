"""What the view shows: curves in bounded memory, surfaces of bodies."""

from itertools import product

import numpy as np
import pytest
import trimesh

from payload_id import RobotFile
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.files.robots.arm_frames import ArmFrames
from payload_id.ros.view.bodies import body_triangles, link_triangles
from payload_id.ros.view.history import MOST, History

BODIES = [
    ConvexBody.primitive("box", (0.2, 0.3, 0.4)),
    ConvexBody.primitive("sphere", (0.2,)),
    ConvexBody.primitive("cylinder", (0.1, 0.5)),
    ConvexBody.primitive("capsule", (0.1, 0.5)),
    ConvexBody.hull(np.random.default_rng(1).normal(size=(30, 3))),
]
CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))


def test_a_history_keeps_the_newest_and_the_span_in_bounded_memory():
    history = History(2)
    for k in range(20_000):
        history.add(0.1 * k, np.array([k, -k]))
    assert len(history.time) <= MOST
    time = history.time
    assert (np.diff(time) > 0).all()
    assert time[-1] == pytest.approx(0.1 * 19_999)
    assert np.diff(time[-100:]).max() == pytest.approx(0.1)  # the newest with all their rows
    np.testing.assert_allclose(history.column(0), time / 0.1)
    np.testing.assert_allclose(history.column(1), -time / 0.1)


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.kind)
def test_the_surface_shown_is_that_of_the_body(body):
    turned = body.moved(np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]), np.array([1.0, 2.0, 3.0]))
    shown = body_triangles(turned)
    directions = np.random.default_rng(2).normal(size=(50, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    local = directions @ turned.rotation
    ball = turned.disc * np.linalg.norm(local[:, :2], axis=1) + turned.radius
    corners = turned.points if turned.kind == "hull" else CORNERS * turned.half
    reach = (corners @ local.T).max(axis=0) + ball + directions @ turned.translation
    found = (shown.vertices @ directions.T).max(axis=0)
    assert (found <= reach + 1e-9).all()
    assert (found >= reach - 0.02).all()  # flat facets of round bodies


def test_every_link_of_an_arm_is_shown_where_it_has_a_shape():
    robot = RobotFile.load("kinova_gen3")
    shapes = link_triangles(robot.urdf, robot.urdf_path.parent)
    frames = ArmFrames(robot.urdf)
    assert {frames.base, *frames.links} == set(shapes)
    assert sum(bool(found) for found in shapes.values()) >= robot.n


def test_a_link_without_a_mesh_that_can_be_read_reaches_to_its_joints(tmp_path):
    urdf = """<robot name="r"><link name="a"><visual><geometry><mesh filename="package://no/a.stl"/>
      </geometry></visual></link><link name="b"/><joint name="j" type="revolute"><parent link="a"/>
      <child link="b"/><origin xyz="0.1 0 0.3"/><axis xyz="0 0 1"/><limit lower="-1" upper="1"
      velocity="1" effort="1"/></joint></robot>"""
    shapes = link_triangles(urdf, tmp_path)
    assert not shapes["b"]
    (capsule,) = shapes["a"]
    along = capsule.vertices @ np.array([0.1, 0.0, 0.3]) / np.hypot(0.1, 0.3)
    assert along.min() <= 0.0 and along.max() >= np.hypot(0.1, 0.3) - 1e-9
    assert ArmFrames(urdf).reach() == pytest.approx(np.hypot(0.1, 0.3))


def test_a_mesh_is_shown_where_the_description_has_it(tmp_path):
    mesh = trimesh.creation.box(bounds=[[0.9, -0.1, 0.0], [1.1, 0.1, 0.4]])
    mesh.export(tmp_path / "a.stl")
    urdf = """<robot name="r"><link name="a"><visual><origin xyz="0 0 0.5" rpy="0 0 1.5707963"/>
      <geometry><mesh filename="a.stl" scale="2 1 1"/></geometry></visual></link><link name="b"/>
      <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>"""
    (shown,) = link_triangles(urdf, tmp_path)["a"]
    ends = shown.vertices.min(axis=0), shown.vertices.max(axis=0)
    np.testing.assert_allclose(ends, [[-0.1, 1.8, 0.5], [0.1, 2.2, 0.9]], atol=1e-6)
