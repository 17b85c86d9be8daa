"""The estimate as RViz shows it: centre of mass, its interval, gravity, and a line of text."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from ...core.arm.centre_of_mass import com_interval
from ...core.arrays import Array
from ...core.identification.estimate import Estimate
from ...core.identification.status import Status
from ...files.figures.number_format import rounded
from ..common.conversions import Report, point, time_message

NAMESPACE = "payload"
COM_DIAMETER = 0.03  # [m]
THINNEST = 0.002  # least edge of the interval's box, to stay visible [m]
ARROW_LENGTH = 0.15  # of standard gravity [m]
STANDARD_GRAVITY = 9.81  # [m/s2]
TEXT_HEIGHT = 0.04  # [m]

_GREEN, _YELLOW, _RED, _GREY = (
    (0.2, 0.8, 0.3),
    (0.95, 0.8, 0.2),
    (0.9, 0.25, 0.2),
    (0.6, 0.6, 0.6),
)
COLOURS = {
    Status.GOOD: _GREEN,
    Status.TOO_WIDE: _YELLOW,
    Status.SMALL_LOAD: _YELLOW,
    Status.NOT_IDENTIFIABLE: _YELLOW,
    Status.INCONSISTENT: _RED,
    Status.SOLVER_FAILED: _RED,
}


def estimate_markers(report: Report, gravity: Array | None) -> MarkerArray:
    """Return the markers of an estimate, in the payload frame.

    Args:
        report: The estimate.
        gravity: Gravity in the payload frame, shape (3,) [m/s2]; None if the pose is not known.
    """
    estimate = report.estimate
    known = estimate.mass_identified and estimate.phi[0] > 0.0
    com = estimate.phi[1:4] / estimate.phi[0] if known else None
    interval = com_interval(estimate.lower, estimate.upper)
    markers = [
        _point(estimate, com),
        _box(estimate, interval),
        _arrow(estimate, com, gravity),
        _text(estimate, com),
    ]
    for number, marker in enumerate(markers):
        marker.header.frame_id = estimate.payload_frame
        marker.header.stamp = time_message(report.stamp_ns)
        marker.ns, marker.id = NAMESPACE, number
        marker.pose.orientation.w = 1.0
        marker.frame_locked = True  # moves on with the payload frame until the next estimate
    return MarkerArray(markers=markers)


def estimate_text(estimate: Estimate) -> str:
    """Return the line of text: mass, its interval and the verdict; no mass that is not known."""
    if not np.isfinite(estimate.phi[0]):
        return estimate.status.value
    if not estimate.mass_identified:
        return f"mass not identified: {estimate.status.value}"
    mass = rounded(estimate.phi[0], estimate.lower[0], estimate.upper[0])
    return f"{mass} kg {estimate.status.value}"


def _point(estimate: Estimate, com: Array | None) -> Marker:
    """Return a sphere at the centre of mass."""
    if com is None:
        return _nothing()
    marker = _marker(Marker.SPHERE, estimate, 1.0)
    marker.pose.position = point(com)
    marker.scale = _vector(np.full(3, COM_DIAMETER))
    return marker


def _box(estimate: Estimate, interval: tuple[Array, Array] | None) -> Marker:
    """Return the box that holds the centre of mass."""
    if interval is None:
        return _nothing()
    lower, upper = interval
    marker = _marker(Marker.CUBE, estimate, 0.3)
    marker.pose.position = point((lower + upper) / 2)
    marker.scale = _vector(np.maximum(upper - lower, THINNEST))
    return marker


def _arrow(estimate: Estimate, com: Array | None, gravity: Array | None) -> Marker:
    """Return an arrow from the centre of mass along gravity."""
    if com is None or gravity is None:
        return _nothing()
    marker = _marker(Marker.ARROW, estimate, 0.9)
    marker.points = [point(com), point(com + gravity / STANDARD_GRAVITY * ARROW_LENGTH)]
    marker.scale = _vector(np.array([0.01, 0.02, 0.03]))
    return marker


def _text(estimate: Estimate, com: Array | None) -> Marker:
    """Return a line of text beside the centre of mass."""
    marker = _marker(Marker.TEXT_VIEW_FACING, estimate, 1.0)
    marker.text = estimate_text(estimate)
    marker.pose.position = point(np.array([0.0, 0.0, 0.1]) + (0.0 if com is None else com))
    marker.scale.z = TEXT_HEIGHT
    return marker


def _marker(kind: int, estimate: Estimate, opacity: float) -> Marker:
    red, green, blue = COLOURS.get(estimate.status, _GREY)
    return Marker(type=kind, action=Marker.ADD, color=ColorRGBA(r=red, g=green, b=blue, a=opacity))


def _nothing() -> Marker:
    """Return the marker that takes an earlier one away."""
    return Marker(action=Marker.DELETE)


def _vector(v: Array) -> Vector3:
    return Vector3(x=float(v[0]), y=float(v[1]), z=float(v[2]))
