"""Obstacles, and other bodies of triangles, as RViz shows them."""

from __future__ import annotations

from collections.abc import Iterable

from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from ....core.arrays import Array
from ....core.safety.clearance.convex_body import ConvexBody
from ....core.safety.clearance.swept_volume import body_triangles
from ...common.conversions import point

COLOUR, NAMESPACE = (0.85, 0.35, 0.2, 0.6), "obstacles"


def obstacle_markers(obstacles: Iterable[ConvexBody], frame: str) -> MarkerArray:
    """Return obstacles as RViz shows them, after whatever was shown before is gone."""
    markers = [Marker(action=Marker.DELETEALL)]
    for number, body in enumerate(obstacles):
        if body.kind != "half_space":
            markers.append(triangle_marker(body_triangles(body), NAMESPACE, number, COLOUR))
    return markers_in(markers, frame)


def markers_in(markers: list[Marker], frame: str) -> MarkerArray:
    """Return markers in a frame."""
    for marker in markers:
        marker.header.frame_id = frame
    return MarkerArray(markers=markers)


def triangle_marker(
    triangles: Array, namespace: str, number: int, colour: tuple[float, float, float, float]
) -> Marker:
    """Return a marker of triangles, shape (K, 3, 3) [m]."""
    marker = Marker(type=Marker.TRIANGLE_LIST, action=Marker.ADD, ns=namespace, id=number)
    red, green, blue, alpha = colour
    marker.color = ColorRGBA(r=red, g=green, b=blue, a=alpha)
    marker.pose.orientation.w, marker.scale = 1.0, Vector3(x=1.0, y=1.0, z=1.0)
    marker.points = [point(corner) for corner in triangles.reshape(-1, 3)]
    return marker
