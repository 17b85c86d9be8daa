"""A team as RViz shows it: grasp frames, forces, the payload as an ellipsoid, a line of text."""

from __future__ import annotations

import numpy as np
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from ...core.arrays import Array
from ...core.body.equivalent_ellipsoid import equivalent_ellipsoid
from ...core.team.estimate import TeamEstimate, TeamStatus
from ...files.teams.team_file import TeamFile
from ..common.conversions import point, time_message
from .messages import pose_message, vector
from .team_report import USABLE, TeamReport

AXIS = 0.12  # length of the axes of a grasp frame [m]
FORCE = 0.004  # length of an arrow for each newton [m/N]
THIN, TEXT = 0.012, 0.06  # [m]
Colour = tuple[float, float, float]
RED, GREEN, BLUE = (0.9, 0.2, 0.2), (0.2, 0.75, 0.3), (0.25, 0.4, 0.95)
ORANGE, GREY = (0.95, 0.6, 0.1), (0.6, 0.6, 0.6)


def team_markers(report: TeamReport, team: TeamFile) -> MarkerArray:
    """Return the markers of a report, in the reference robot's grasp frame."""
    markers = [Marker(action=Marker.DELETEALL)]
    estimate = report.estimate
    if estimate is not None:
        for name in team.names:
            markers += _grasp(report, estimate, name)
        markers += _payload(report, estimate)
    markers.append(_text(np.array([0.0, 0.0, 0.35]), _sentence(report), "verdict"))
    for k, marker in enumerate(markers):
        marker.id = k
        marker.header.frame_id = team.robots[0].grasp_frame
        marker.header.stamp = time_message(report.stamp_ns)
    return MarkerArray(markers=markers)


def _grasp(report: TeamReport, estimate: TeamEstimate, name: str) -> list[Marker]:
    """Return the axes of a grasp frame, its name, and the newest force there."""
    frame = estimate.frames.get(name)
    if frame is None or not frame.known or not np.isfinite(frame.rotation).all():
        return []
    at, turn = frame.position, frame.rotation
    axes = [
        _arrow(at, at + AXIS * turn[:, k], colour, "grasp frames", THIN)
        for k, colour in enumerate((RED, GREEN, BLUE))
    ]
    found = [*axes, _text(at + np.array([0.0, 0.0, 0.06]), name, "grasp frames")]
    newest = report.members[name].newest
    if newest is not None and newest.force is not None:
        force = turn @ newest.force[-1]
        found.append(_arrow(at, at + FORCE * force, ORANGE, "forces", 1.5 * THIN))
    return found


def _payload(report: TeamReport, estimate: TeamEstimate) -> list[Marker]:
    """Return the payload's centre of mass and its equivalent ellipsoid."""
    axes = estimate.axes
    if axes is None or not (np.isfinite(axes.com).all() and np.isfinite(axes.moments).all()):
        return []
    colour = GREEN if report.status in USABLE else GREY
    size = 2.0 * equivalent_ellipsoid(float(estimate.phi[0]), axes.moments)
    found = [_sphere(axes.com, np.eye(3), np.full(3, 0.05), colour, 1.0)]
    if np.isfinite(size).all():
        body = axes.rotation * np.sign(np.linalg.det(axes.rotation))
        found.append(_sphere(axes.com, body, np.maximum(size, THIN), colour, 0.25))
    return found


def _sentence(report: TeamReport) -> str:
    """Return mass and verdict in a line."""
    estimate = report.estimate
    known = estimate is not None and np.isfinite(estimate.phi[0])
    if estimate is None or not known or estimate.status is TeamStatus.INCONSISTENT:
        return report.status
    return (
        f"{estimate.phi[0]:.2f} kg ({estimate.lower[0]:.2f} to {estimate.upper[0]:.2f}) "
        f"{report.status}"
    )


def _arrow(start: Array, end: Array, rgb: Colour, ns: str, width: float) -> Marker:
    """Return an arrow."""
    marker = _marker(Marker.ARROW, ns, rgb, 0.95)
    marker.points = [point(start), point(end)]
    marker.scale = vector([width, 2 * width, 2.5 * width])
    return marker


def _sphere(at: Array, rotation: Array, size: Array, rgb: Colour, opacity: float) -> Marker:
    """Return an ellipsoid."""
    marker = _marker(Marker.SPHERE, "payload", rgb, opacity)
    marker.pose, marker.scale = pose_message(rotation, at), vector(size)
    return marker


def _text(at: Array, text: str, ns: str) -> Marker:
    """Return a line of text."""
    marker = _marker(Marker.TEXT_VIEW_FACING, ns, (1.0, 1.0, 1.0), 1.0)
    marker.text, marker.pose.position, marker.scale.z = text, point(at), TEXT
    return marker


def _marker(kind: int, ns: str, rgb: Colour, opacity: float) -> Marker:
    """Return a marker of a kind."""
    red, green, blue = rgb
    marker = Marker(type=kind, ns=ns, color=ColorRGBA(r=red, g=green, b=blue, a=opacity))
    marker.pose.orientation.w = 1.0
    return marker
