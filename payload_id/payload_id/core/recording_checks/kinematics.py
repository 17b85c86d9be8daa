"""Positions and speeds: their units by what limits make plausible."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array, BoolArray
from ..samples.differentiation import velocities
from ..samples.joint_samples import Samples
from .check_result import CheckResult, Verdict, listed

BEYOND = 0.05  # [rad or m] beyond a limit that is a wrong zero rather than a wrong unit
FAR_BEYOND = 0.5  # part of a joint's range beyond a limit that is a wrong unit rather than a zero
TURN = 2.0 * np.pi  # [rad]
TURNS = 2.0 * TURN  # [rad] that joints without known limits seldom reach


def kinematics(
    samples: Samples,
    joints: Sequence[str],
    turning: BoolArray,
    lower: Array,
    upper: Array,
    speed: Array,
) -> list[CheckResult]:
    """Return what positions tell.

    Args:
        samples: Of n joints.
        joints: Their names.
        turning: Which of them turn, shape (n,).
        lower: Least positions, -inf where none is stated, shape (n,) [rad or m].
        upper: Largest positions, shape (n,) [rad or m].
        speed: Largest speeds, inf where none is stated, shape (n,) [rad/s or m/s].
    """
    return [
        _positions(samples.q, joints, turning, lower, upper),
        _speeds(samples, joints, speed),
    ]


def looks_like_degrees(q: Array, turning: BoolArray, lower: Array, upper: Array) -> bool:
    """Tell whether positions, shape (N, n), are plausible in degrees and not in radians."""
    angles, lower, upper = q[:, turning], lower[turning], upper[turning]
    if not angles.size:
        return False
    q = in_limits(angles, lower, upper)
    low, high = q.min(axis=0), q.max(axis=0)
    far = np.maximum(BEYOND, (upper - lower) * FAR_BEYOND)
    outside = (low < lower - far) | (high > upper + far) | (high - low > TURNS)
    outside |= np.maximum(np.abs(low), np.abs(high)) > TURNS
    q = in_limits(np.deg2rad(angles), lower, upper)
    inside = (q.min(axis=0) >= lower - BEYOND) & (q.max(axis=0) <= upper + BEYOND)
    return bool(outside.any() and inside.all())


def in_limits(q: Array, lower: Array, upper: Array) -> Array:
    """Return angles without leaps by whole turns, and by whole turns nearest to their limits.

    Those within their limits stay: poses at rest may lie far from each other.

    Encoders may count from 0 to 2 pi where limits are symmetric. Larger numbers are left as they
    are: they count whole turns, or are no radians.

    Args:
        q: Positions of joints that turn, shape (N, n) [rad].
        lower: Least positions, -inf where none is stated, shape (n,) [rad].
        upper: Largest positions, shape (n,) [rad].
    """
    as_given = ((q >= lower) & (q <= upper)).all(axis=0) & np.isfinite(upper - lower)
    within = (np.abs(q).max(axis=0) <= TURN + BEYOND) & ~as_given
    q = np.where(within, np.unwrap(q, axis=0), q)
    low, high = q.min(axis=0), q.max(axis=0)
    bounded = np.isfinite(lower) & np.isfinite(upper) & within
    away = np.where(bounded, low + high, 0.0) - np.where(bounded, (lower, upper), 0.0).sum(axis=0)
    return np.asarray(q - TURN * np.round(away / 2.0 / TURN))


def _positions(
    q: Array, joints: Sequence[str], turning: BoolArray, lower: Array, upper: Array
) -> CheckResult:
    """Judge positions by their limits."""
    found, degrees = f"{q.min():.3g} to {q.max():.3g}", looks_like_degrees(q, turning, lower, upper)
    beyond = (q < lower - BEYOND).any(axis=0) | (q > upper + BEYOND).any(axis=0)
    q = q.copy()
    q[:, turning] = in_limits(q[:, turning], lower[turning], upper[turning])
    low, high = q.min(axis=0), q.max(axis=0)
    outside = (low < lower - BEYOND) | (high > upper + BEYOND)
    if degrees:
        do = "State 'position_unit: deg' in the columns file, or have the driver publish radians."
        return CheckResult("positions", Verdict.WRONG, f"{found}: degrees", "radians", do)
    if outside.any():
        names = [
            f"{joints[j]} {low[j]:.3g} to {high[j]:.3g} (limits {lower[j]:.3g} to {upper[j]:.3g})"
            for j in map(int, np.flatnonzero(outside))
        ]
        do = "Check the order of the columns, the unit, and the encoders' zeros."
        return CheckResult("positions", Verdict.WRONG, listed(names), "within the limits", do)
    moving = np.ptp(q, axis=0) > 2 * BEYOND
    if not moving.all():
        still = [joints[int(j)] for j in np.flatnonzero(~moving)]
        do = "Move every joint, the wrist above all; what does not move tells nothing of inertia."
        return CheckResult(
            "positions", Verdict.LOOK, f"{listed(still)} hardly move", "all move", do
        )
    if beyond.any():
        do = "Identification leaves whole turns out. To plan motions, have the driver count the "
        do += "angle as the limits do."
        found += ": whole turns off the limits"
        return CheckResult("positions", Verdict.LOOK, found, "within the limits", do)
    return CheckResult(
        "positions", Verdict.GOOD, f"{found}, every joint moves", "within the limits"
    )


def _speeds(samples: Samples, joints: Sequence[str], speed: Array) -> CheckResult:
    """Judge speeds by their limits: those of the positions, whatever the velocities are in."""
    true = np.abs(velocities(samples.stamp, samples.q))
    fastest = np.nan_to_num(true).max(axis=0)
    over = fastest > 1.2 * speed
    found = f"up to {fastest.max():.3g} rad/s"
    if over.any():
        names = [f"{joints[j]} {fastest[j]:.3g} (limit {speed[j]:.3g})"
                 for j in map(int, np.flatnonzero(over))]  # fmt: skip
        do = "Check the unit of the stamps and of the positions, and the limits."
        return CheckResult("speeds", Verdict.LOOK, listed(names), "within the limits", do)
    return CheckResult("speeds", Verdict.GOOD, found, "within the limits")
