"""The estimate as RViz shows it: four masses, their centre and its interval, gravity, text."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from visualization_msgs.msg import Marker, MarkerArray

from ...core.arm.centre_of_mass import com_interval
from ...core.arrays import Array
from ...core.body.four_masses import four_masses
from ...core.body.inertial import is_physical
from ...core.identification.estimate import Estimate
from ...core.number_format import rounded
from ..common.colours import BALL, GRAVITY, THINNEST, VERDICT
from ..common.conversions import Report
from ..common.markers import arrow, in_frame, shape, text


def estimate_markers(report: Report, gravity: Array | None) -> MarkerArray:
    """Return the markers of an estimate, in the payload frame.

    Args:
        report: The estimate.
        gravity: Gravity in the payload frame, shape (3,) [m/s2]; None if the pose is not known.
    """
    estimate = report.estimate
    # Each moves on with the payload frame until the next estimate.
    return in_frame(
        list(_shapes(estimate, gravity)), estimate.payload_frame, report.stamp_ns,
        ns="payload", frame_locked=True,
    )  # fmt: skip


def _shapes(estimate: Estimate, gravity: Array | None) -> Iterator[Marker]:
    """Yield centre of mass, gravity there, four masses, the box of the centre, and the text."""
    colour, com = VERDICT[estimate.status], np.zeros(3)
    if estimate.mass_identified and estimate.phi[0] > 0.0:
        com = estimate.phi[1:4] / estimate.phi[0]
        yield shape(Marker.SPHERE, colour, 1.0, [0.03] * 3, com)
        if is_physical(estimate.phi):
            for mass, place in zip(*four_masses(estimate.phi), strict=True):
                yield shape(Marker.SPHERE, colour, 0.5, [BALL * np.cbrt(mass)] * 3, place)
        if gravity is not None:
            yield arrow(colour, com, com + GRAVITY * gravity / np.linalg.norm(gravity), 0.01)
    if (interval := com_interval(estimate.lower, estimate.upper)) is not None:
        lower, upper = interval
        size = np.maximum(upper - lower, THINNEST)
        yield shape(Marker.CUBE, colour, 0.3, size, (lower + upper) / 2)
    yield text(estimate_text(estimate), com + np.array([0.0, 0.0, 0.1]), colour)


def estimate_text(estimate: Estimate) -> str:
    """Return the line of text: mass, its interval and the verdict; no mass that is not known."""
    if not np.isfinite(estimate.phi[0]):
        return estimate.status.value
    if not estimate.mass_identified:
        return f"mass not identified: {estimate.status.value}"
    mass = rounded(estimate.phi[0], estimate.lower[0], estimate.upper[0])
    return f"{mass} kg {estimate.status.value}"
