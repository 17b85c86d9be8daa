"""What the joints add to the torque of the bodies: rotor inertia, viscous and Coulomb friction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from .parameter_box import ParameterBox
from .slice_motion import Drifting, SliceMotion


@dataclass(frozen=True, eq=False)
class JointTerms:
    """Of n joints on K slices, base to tip; the middle of the box and what the box adds.

    Attributes:
        value: At the slices' centres for theta_0, shape (K, n) [N m or N].
        slope: Derivatives for theta_0 along the 3 n directions, shape (n, 3 n).
        middle_rest: What value and slope leave out for theta_0, shape (K, n).
        half_rest: Largest effect of theta - theta_0, shape (K, n).
        full_rest: What value and slope leave out for all theta, shape (K, n).
    """

    value: Array
    slope: Array
    middle_rest: Array
    half_rest: Array
    full_rest: Array


def joint_terms(box: ParameterBox, order: list[int], motion: SliceMotion) -> JointTerms:
    """Return the joints' part of the torque: I ddq_a + b dq + f sign(dq).

    The controller's model takes f_0 times a number between -1 and 1 that grows with dq and is the
    sign of dq beyond the stiction velocity; the arm may do anything between -f and f below it.
    """
    n = box.n
    rotor, rotor_half = (part[order] for part in box.interval("rotor_inertia"))
    viscous, viscous_half = (part[order] for part in box.interval("viscous"))
    coulomb, coulomb_half = (part[order] for part in box.interval("coulomb"))
    ddq, dq = motion.reference_acceleration, motion.velocity
    low, high = _signs(dq, box.stiction_velocity)
    sign, known = (low + high) / 2, (low == high)
    slope = np.zeros((n, 3 * n))
    slope[:, 2 * n :] = np.diag(rotor)
    value = rotor * ddq.centre + viscous * dq.centre + coulomb * sign
    swing = viscous * dq.reach
    other = rotor_half * ddq.largest + viscous_half * dq.largest
    # Where the sign is not known, f is against what is compensated: from -f to f, less f_0 s.
    stuck = np.where(known, coulomb_half, 2.0 * coulomb + coulomb_half)
    largest = np.where(known, coulomb_half, coulomb + coulomb_half)
    return JointTerms(
        value, slope, swing + coulomb * (high - low) / 2, other + stuck, swing + other + largest
    )


def _signs(dq: Drifting, stiction: float) -> tuple[Array, Array]:
    """Return the least and the largest sign that dq may have, -1 or 1, shape (K, n)."""
    lower, upper = dq.centre - dq.reach, dq.centre + dq.reach
    return np.where(lower > stiction, 1.0, -1.0), np.where(upper < -stiction, -1.0, 1.0)
