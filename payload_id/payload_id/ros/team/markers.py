"""A team as RViz shows it: grasp frames, forces, the payload as an ellipsoid, a line of text."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from visualization_msgs.msg import Marker, MarkerArray

from ...core.body.equivalent_ellipsoid import equivalent_ellipsoid
from ...core.identification.status import Status
from ...core.team.estimate import TeamEstimate
from ...files.teams.team_file import TeamFile
from ..common.colours import Colour
from ..common.markers import arrow, in_frame, shape, text
from .live_team import TeamReport

AXIS = 0.12  # length of the axes of a grasp frame [m]
FORCE = 0.004  # length of an arrow for each newton [m/N]
THIN = 0.012  # [m]


def team_markers(report: TeamReport, team: TeamFile) -> MarkerArray:
    """Return the markers of a report, in the reference robot's grasp frame."""
    markers: list[Marker] = []
    if (estimate := report.estimate) is not None:
        for name in team.names:
            markers += _grasp(report, estimate, name)
        markers += _payload(report, estimate)
    markers.append(text(_sentence(report), np.array([0.0, 0.0, 0.35])))
    return in_frame(markers, team.robots[0].grasp_frame, report.stamp_ns, ns="team")


def _grasp(report: TeamReport, estimate: TeamEstimate, name: str) -> Iterator[Marker]:
    """Yield the axes of a grasp frame (x, y, z), its name, and the newest force there."""
    frame = estimate.frames.get(name)
    if frame is None or not frame.known or not np.isfinite(frame.rotation).all():
        return
    at, turn = frame.position, frame.rotation
    for k, colour in enumerate((Colour.VERMILION, Colour.GREEN, Colour.BLUE)):
        yield arrow(colour, at, at + AXIS * turn[:, k], THIN)
    yield text(name, at + np.array([0.0, 0.0, 0.06]))
    newest = report.members[name].newest
    if newest is not None and newest.force is not None:
        yield arrow(Colour.ORANGE, at, at + FORCE * (turn @ newest.force[-1]), 1.5 * THIN)


def _payload(report: TeamReport, estimate: TeamEstimate) -> Iterator[Marker]:
    """Yield the payload's centre of mass and its equivalent ellipsoid."""
    axes = estimate.axes
    if axes is None or not (np.isfinite(axes.com).all() and np.isfinite(axes.moments).all()):
        return
    colour = Colour.GREEN if report.usable else Colour.GREY
    size = 2.0 * equivalent_ellipsoid(float(estimate.phi[0]), axes.moments)
    yield shape(Marker.SPHERE, colour, 1.0, [0.05] * 3, axes.com)
    if np.isfinite(size).all():
        body = axes.rotation * np.sign(np.linalg.det(axes.rotation))
        yield shape(Marker.SPHERE, colour, 0.25, np.maximum(size, THIN), axes.com, body)


def _sentence(report: TeamReport) -> str:
    """Return mass and verdict in a line."""
    estimate = report.estimate
    known = estimate is not None and np.isfinite(estimate.phi[0])
    if estimate is None or not known or estimate.status is Status.INCONSISTENT:
        return report.status.words
    return (
        f"{estimate.phi[0]:.2f} kg ({estimate.lower[0]:.2f} to {estimate.upper[0]:.2f}) "
        f"{report.status.words}"
    )
