"""Obstacles as RViz shows them are where they are, in their size; a thousand cost little."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from visualization_msgs.msg import Marker

from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.ros.bridge.obstacle_server import obstacle_markers

TURN = Rotation.from_rotvec([0.3, -0.8, 0.5])
PLACE = np.array([0.4, -0.2, 0.9])


@pytest.mark.parametrize(
    ("kind", "size"), [("box", (0.1, 0.2, 0.3)), ("sphere", (0.15,)), ("cylinder", (0.1, 0.5))]
)
def test_primitives_are_shown_where_they_are_in_their_size(kind, size):
    body = ConvexBody.primitive(kind, size, TURN.as_matrix(), PLACE)
    _, marker = obstacle_markers([body], "base").markers
    points = np.array([(p.x, p.y, p.z) for p in marker.points])
    own = (points - PLACE) @ TURN.as_matrix()
    half = body.half + body.radius + body.disc * np.array([1.0, 1.0, 0.0])
    assert marker.header.frame_id == "base"
    assert np.allclose(np.abs(own).max(axis=0), half, rtol=0.1)


def test_hulls_are_shown_by_their_triangles_and_the_ground_is_not():
    corners = np.stack(np.meshgrid(*[[-0.1, 0.1]] * 3), axis=-1).reshape(-1, 3)
    bodies = [ConvexBody.hull(corners, translation=PLACE), ConvexBody.ground()]
    _, marker = obstacle_markers(bodies, "base").markers
    points = np.array([(p.x, p.y, p.z) for p in marker.points])
    assert marker.type == Marker.TRIANGLE_LIST
    assert np.allclose(points.min(axis=0), PLACE - 0.1) and np.allclose(
        points.max(axis=0), PLACE + 0.1
    )
