"""Obstacles from messages: what they become, and what is refused with which sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from geometry_msgs.msg import Point, Pose, Quaternion
from payload_id_msgs.msg import Obstacle
from scipy.spatial.transform import Rotation
from shape_msgs.msg import Mesh, SolidPrimitive

from payload_id.core.errors import InputError, UnknownNameError
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from payload_id.ros.bridge.obstacles.obstacle_messages import base_frames
from payload_id.ros.bridge.obstacles.obstacle_messages import obstacles_from as bodies_of
from payload_id.ros.bridge.obstacles.obstacles import Obstacles

TURN = Rotation.from_euler("xyz", [0.3, -0.5, 1.1])
SHIFTED = (Rotation.from_euler("z", 0.7).as_matrix(), np.array([0.1, 0.2, 0.3]))
FRAMES = {"base_link": (np.eye(3), np.zeros(3)), "table": SHIFTED}
NAN = float("nan")


def obstacle(kind=SolidPrimitive.BOX, dimensions=(0.2, 0.4, 0.6), name="thing", frame=""):
    message = Obstacle(id=name, primitive=SolidPrimitive(type=kind, dimensions=list(dimensions)))
    message.header.frame_id = frame
    x, y, z, w = TURN.as_quat()
    message.pose = Pose(
        position=Point(x=0.5, y=-0.1, z=0.4), orientation=Quaternion(x=x, y=y, z=z, w=w)
    )
    return message


def obstacles_from(messages):
    return bodies_of(messages, [FRAMES[x.header.frame_id or "base_link"] for x in messages])


def body_of(message):
    return obstacles_from([message])[message.id]


def test_primitives_keep_sizes_and_place():
    box = body_of(obstacle())
    assert box.kind == "box" and box.size == (0.2, 0.4, 0.6)
    assert np.allclose(box.rotation, TURN.as_matrix())
    assert np.allclose(box.translation, [0.5, -0.1, 0.4])
    cylinder = body_of(obstacle(SolidPrimitive.CYLINDER, (0.8, 0.1)))  # height, radius
    assert cylinder.kind == "cylinder" and cylinder.size == (0.1, 0.8)  # radius, length
    assert body_of(obstacle(SolidPrimitive.SPHERE, (0.3,))).size == (0.3,)


@pytest.mark.parametrize("name", ["x" * 10**6, "\x1b[2J", "two\nlines"])
def test_a_name_that_no_sentence_can_hold_is_refused(name):
    with pytest.raises(InputError, match="printable characters") as refusal:
        body_of(obstacle(name=name))
    assert str(refusal.value).isprintable() and len(str(refusal.value)) < 300


def test_a_frame_that_stands_still_moves_the_body():
    body = body_of(obstacle(frame="table"))
    assert np.allclose(body.rotation, SHIFTED[0] @ TURN.as_matrix())
    assert np.allclose(body.translation, SHIFTED[0] @ [0.5, -0.1, 0.4] + SHIFTED[1])


def test_a_mesh_becomes_its_convex_hull():
    corners = np.vstack([np.eye(3), -np.eye(3), 0.1 * np.ones((1, 3))])
    message = Obstacle(id="octahedron", mesh=Mesh(vertices=[Point(x=x, y=y, z=z)
                                                            for x, y, z in corners]))  # fmt: skip
    body = body_of(message)
    assert body.kind == "hull" and len(body.points) == 6  # the inner point is gone
    assert np.allclose(np.sort(body.points + body.translation, axis=0), np.sort(corners[:6], 0))


def changed(**fields):
    message = obstacle()
    for name, value in fields.items():
        setattr(message, name, value)
    return message


def placed(position=(0.0, 0.0, 0.0), orientation=(0.0, 0.0, 0.0, 1.0)):
    point = Point(**dict(zip("xyz", position, strict=True)))
    turn = Quaternion(**dict(zip("xyzw", orientation, strict=True)))
    return changed(pose=Pose(position=point, orientation=turn))


NO_BODIES = [
    (obstacle(dimensions=(0.1, NAN, 0.1)), "from 0.0001 to 200 m"),
    (obstacle(dimensions=(0.1, 0.0, 0.1)), "from 0.0001 to 200 m"),
    (obstacle(dimensions=(0.1, -0.2, 0.1)), "from 0.0001 to 200 m"),
    (obstacle(dimensions=(0.1, float("inf"), 0.1)), "from 0.0001 to 200 m"),
    (obstacle(dimensions=(0.1, 1e-300, 0.1)), "from 0.0001 to 200 m"),
    (obstacle(dimensions=(0.1, 1e300, 0.1)), "from 0.0001 to 200 m"),
    (placed(position=(1e300, 0.0, 0.0)), "in metres"),
    (placed(position=(0.0, -500.0, 0.0)), "in metres"),
    (Obstacle(id="far", mesh=Mesh(vertices=[Point(x=1e200)] * 4)), "up to 100 m"),
    (Obstacle(id="many", mesh=Mesh(vertices=[Point()] * 100_001)), "at most 100000"),
    (obstacle(dimensions=(0.1, 0.1)), "has 3 dimensions"),
    (obstacle(kind=SolidPrimitive.CONE, dimensions=(0.1, 0.1)), "mesh"),
    (placed(position=(NAN, 0.0, 0.0)), "finite"),
    (placed(orientation=(0.0, 0.0, 0.0, 0.0)), "length 1"),
    (placed(orientation=(0.0, 0.0, 1.0, 1.0)), "length 1"),
    (changed(id=""), "no id"),
    (changed(mesh=Mesh(vertices=[Point()] * 4)), "primitive and a mesh"),
    (Obstacle(id="empty"), "neither"),
    (
        Obstacle(id="flat", mesh=Mesh(vertices=[Point(x=1.0), Point(y=1.0), Point(), Point()])),
        "plane",
    ),
]


def test_what_is_no_body_is_refused_with_its_name():
    for message, words in NO_BODIES:
        with pytest.raises(InputError, match=words) as error:
            obstacles_from([message])
        assert message.id in str(error.value) or len(message.mesh.vertices) > 100_000
    with pytest.raises(InputError, match="Two obstacles"):
        obstacles_from([obstacle(), obstacle()])


def test_links_that_do_not_move_are_frames_the_root_first():
    robot = RobotFile.load("kinova_gen3")
    frames = base_frames(RobotModel.from_robot_file(robot))
    assert next(iter(frames)) == "base_link"
    assert "end_effector_link" not in frames and "shoulder_link" not in frames


def test_both_sources_are_known_and_changes_are_noticed():
    ball = obstacles_from([obstacle(SolidPrimitive.SPHERE, (0.3,), "ball")])
    store = Obstacles().add(obstacles_from([obstacle()])).hearing(ball, 0.0)
    assert store.names == ["ball", "thing"]
    assert store.hearing(ball, 1.0).digest == store.digest  # the same again is no change
    alone = store.hearing({}, 0.0)
    assert alone.names == ["thing"] and alone.digest != store.digest
    with pytest.raises(UnknownNameError, match="thing"):
        store.without(["thin"])
    assert not alone.without(["thing"]).bodies and store.without(["ball"]).names == ["thing"]
    assert not store.only({}).bodies


def test_what_cannot_be_used_or_is_old_counts_as_danger_until_it_is_mended():
    store = Obstacles(lifetime=1.0).add(obstacles_from([obstacle()]))
    assert not store.doubt(1e6)  # the service's obstacles do not grow old
    heard = store.hearing({}, 5.0)
    assert not heard.doubt(6.0) and "obstacles_lifetime" in heard.doubt(6.1)
    unusable = replace(heard, unusable="a radius of nan")
    assert "a radius of nan" in unusable.doubt(5.2)
    assert not unusable.hearing({}, 6.3).doubt(6.4)
