"""What a goal of `~/identify` may ask for."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from payload_id_msgs.action import Identify

from ....core.arrays import Array
from ....core.errors import InputError
from ....core.motion.limits import MotionLimits

Goal = Identify.Goal
FARTHEST = 1e3  # [rad or m] that a joint without limits may be away


def check_goal_fields(asked: Identify.Goal, n: int, mass_max: float) -> None:
    """Raise unless what was asked for is possible.

    Args:
        asked: The goal.
        n: Number of joints.
        mass_max: Heaviest payload of the prior [kg].

    Raises:
        InputError: A field is impossible, or two contradict each other.
    """
    _check_motion(asked, n)
    if asked.tare > Goal.TARE_ONLY:
        raise InputError(f"tare must be from 0 to {Goal.TARE_ONLY}; found {asked.tare}.")
    known = np.array(asked.known_mass, dtype=float)
    if known.size not in (0, 2) or not np.isfinite(known).all() or (known <= 0.0).any():
        raise InputError(
            "known_mass takes the mass and its largest error, both above 0 kg, or nothing; found "
            f"{known.tolist()}."
        )
    if known.size and known[0] - known[1] > mass_max:
        raise InputError(
            f"known_mass is {known[0]:g} kg, and the stated prior allows {mass_max:g} kg at most "
            "(uncertainty.prior.mass_max): one of them is wrong."
        )
    if asked.continue_run and (known.size or asked.tare == Goal.TARE_ONLY):
        raise InputError(
            "A run in progress is continued as it is: begin another one (continue_run false) with "
            "a known mass or for a tare."
        )


def _check_motion(asked: Identify.Goal, n: int) -> None:
    """Raise unless what was asked of the motion is possible."""
    if not (asked.time_limit >= 0.0 and math.isfinite(asked.time_limit)):
        raise InputError(f"time_limit must be above 0 s, or 0; found {asked.time_limit!r}.")
    if len(asked.start_positions) not in (0, n) or not np.isfinite(asked.start_positions).all():
        raise InputError(
            f"start_positions takes one finite number for each of {n} joints, or none; found "
            f"{list(asked.start_positions)}."
        )


def check_start(joints: Sequence[str], start: Array, allowed: MotionLimits, name: str) -> None:
    """Raise unless the arm may be where the motion shall begin.

    Args:
        joints: Their names, n of them.
        start: Where, shape (n,) [rad or m].
        allowed: Its limits in the turns in which it is.
        name: What they are called.

    Raises:
        InputError: A joint would be outside them.
    """
    lower = np.maximum(allowed.position_lower, -FARTHEST)
    upper = np.minimum(allowed.position_upper, FARTHEST)
    outside = (start < lower) | (start > upper)
    for j in map(int, np.flatnonzero(outside)):
        raise InputError(
            f"start_positions has {start[j]:.4g} for {joints[j]}; the limits '{name}' "
            f"allow {lower[j]:.4g} to {upper[j]:.4g}."
        )
