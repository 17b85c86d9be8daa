"""Shapes of which markers for RViz are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from ...core.arrays import Array
from .colours import Colour
from .conversions import point, pose_message, time_message, vector

TEXT = 0.05  # [m] height of a line of text


def shape(
    kind: int,
    colour: Colour,
    opacity: float,
    size: Sequence[float] | Array,
    at: Sequence[float] | Array = (0.0, 0.0, 0.0),
    rotation: Array | None = None,
) -> Marker:
    """Return a marker of a kind, its size along its own axes [m], with a pose."""
    red, green, blue = (part / 255 for part in colour.value)
    marker = Marker(type=kind, color=ColorRGBA(r=red, g=green, b=blue, a=opacity))
    marker.scale = vector(size)
    marker.pose = pose_message(np.eye(3) if rotation is None else rotation, at)
    return marker


def arrow(colour: Colour, start: Array, end: Array, width: float) -> Marker:
    """Return an arrow from one point to another."""
    marker = shape(Marker.ARROW, colour, 0.95, [width, 2.0 * width, 2.5 * width])
    marker.points = [point(start), point(end)]
    return marker


def triangles(colour: Colour, opacity: float, corners: Array) -> Marker:
    """Return triangles by their corners, shape (K, 3, 3) [m]."""
    marker = shape(Marker.TRIANGLE_LIST, colour, opacity, [1.0, 1.0, 1.0])
    marker.points = [point(corner) for corner in corners.reshape(-1, 3)]
    return marker


def text(words: str, at: Sequence[float] | Array, colour: Colour = Colour.WHITE) -> Marker:
    """Return a line of text that faces whoever looks."""
    marker = shape(Marker.TEXT_VIEW_FACING, colour, 1.0, [0.0, 0.0, TEXT], at)
    marker.text = words
    return marker


def in_frame(
    markers: Sequence[Marker], frame: str, stamp_ns: int, **fields: Any
) -> MarkerArray:  # fmt: skip
    """Return markers in a frame, after whatever was shown before is gone.

    Args:
        markers: In their order.
        frame: Name of the frame.
        stamp_ns: When they were so [ns].
        fields: What else all of them have.
    """
    every = [Marker(action=Marker.DELETEALL), *markers]
    for number, marker in enumerate(every):
        marker.id = number
        marker.header.frame_id, marker.header.stamp = frame, time_message(stamp_ns)
        for name, value in fields.items():
            setattr(marker, name, value)
    return MarkerArray(markers=every)
