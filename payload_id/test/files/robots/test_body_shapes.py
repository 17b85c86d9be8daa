"""Bodies that are read from meshes: fine ones, and those that state a unit."""

import numpy as np
import pytest
import trimesh
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from payload_id.files.robots.arm_geometry import description_geometry
from payload_id.files.robots.body_shapes import MOST_CORNERS, geometry_of, mesh_hull
from payload_id.files.robots.contacts import always_near
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel

COLLADA = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>2026-01-01T00:00:00</created><modified>2026-01-01T00:00:00</modified>
<unit name="{unit}" meter="{unit}"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="12">0 0 0 1 0 0 0 2 0 0 0 3</float_array>
<technique_common><accessor source="#a" count="4" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>
"""


@pytest.mark.parametrize("widths", ([1.0, 1.0, 1.0], [0.02, 0.1, 0.5]))
def test_what_stands_for_a_very_fine_mesh_holds_it_and_is_hardly_larger(tmp_path, widths):
    ball = trimesh.creation.icosphere(subdivisions=5)
    turn = Rotation.from_euler("xyz", [0.3, 0.5, 0.7]).as_matrix()
    fine = trimesh.Trimesh(ball.vertices * widths @ turn.T + [0.3, 0.0, 0.1], ball.faces)
    fine.export(tmp_path / "fine.stl")
    body = mesh_hull(tmp_path / "fine.stl", 0.5)
    assert len(fine.vertices) > MOST_CORNERS >= len(body.points)
    corners = body.points @ body.rotation.T + body.translation
    hull, points = ConvexHull(corners), 0.5 * fine.vertices
    assert (points @ hull.equations[:, :3].T + hull.equations[:, 3]).max() <= 1e-6 * max(widths)
    assert hull.volume < 1.03 * ConvexHull(points).volume


@pytest.mark.parametrize("unit", (1.0, 0.001))
def test_a_collada_file_is_in_metres_and_not_turned(tmp_path, unit):
    path = tmp_path / "part.dae"
    path.write_text(COLLADA.format(unit=unit))
    vertices, triangles = geometry_of(path)
    assert len(triangles) == 4
    np.testing.assert_allclose(np.ptp(vertices, axis=0), unit * np.array([1.0, 2.0, 3.0]))


def test_bodies_that_are_near_in_every_pose_are_named_for_a_person_to_judge():
    robot = RobotFile.load("ur10e")
    model = RobotModel.described(robot)
    geometry = description_geometry(robot.urdf, model, robot.urdf_path.parent)
    turns = np.full(model.n, np.pi)
    found = always_near(model, geometry, -turns, turns)
    stated = {frozenset(pair) for pair in robot.allowed_contacts}
    assert stated <= {frozenset(contact.bodies) for contact in found}
