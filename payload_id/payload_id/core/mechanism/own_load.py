"""Torques that a delta mechanism needs for itself: weight and inertia of legs and platform.

Legs are uniform rods. A rod of mass m whose ends accelerate with a and b passes the forces
m (a/3 + b/6 - g/2) and m (a/6 + b/3 - g/2) on to its ends, exactly, whatever its motion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..stated import check_stated
from .delta import Delta


@dataclass(frozen=True)
class MechanismMasses:
    """Masses of a delta mechanism; zero: it weighs nothing.

    Attributes:
        platform: Platform, with the part of the gimbal that does not turn with the payload [kg].
        lower_leg: Each lower leg [kg].
        upper_leg: Each upper leg [kg].
    """

    platform: float = 0.0
    lower_leg: float = 0.0
    upper_leg: float = 0.0

    def __post_init__(self) -> None:
        check_stated(self, "The mass of")


def own_torque(
    delta: Delta,
    masses: MechanismMasses,
    theta: Array,
    dtheta: Array,
    ddtheta: Array,
    gravity: Array,
) -> Array:
    """Return the torques on the lower legs that the mechanism's own parts take [N m].

    Shape (..., 3).

    Args:
        delta: Geometry.
        masses: Masses.
        theta: Joint angles, shape (..., 3) [rad].
        dtheta: Their velocities [rad/s].
        ddtheta: Their accelerations [rad/s2].
        gravity: In the base's axes, shape (3,) [m/s2].
    """
    a_knee = delta.knee_accelerations(theta, dtheta, ddtheta)
    a = delta.acceleration(theta, dtheta, ddtheta)
    m1, m2 = masses.lower_leg, masses.upper_leg
    at_knee = m1 * (a_knee / 3 - gravity / 2)
    at_knee = at_knee + m2 * (a_knee / 3 + a[..., None, :] / 6 - gravity / 2)
    at_ends = m2 * (a_knee / 6 + a[..., None, :] / 3 - gravity / 2)
    at_platform = masses.platform * (a - gravity) + np.sum(at_ends, axis=-2)
    through = np.einsum("...ji,...j->...i", delta.jacobian(theta), at_platform)
    return np.asarray(np.sum(delta.knee_slopes(theta) * at_knee, axis=-1) + through)
