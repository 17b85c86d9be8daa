"""Joint limits of an arm: one of the named sets of a robot file, with what the description says."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...core.arrays import Array, BoolArray
from ...core.errors import InputError
from ...core.motion.limits import MotionLimits

TURNS = 10.0 * np.pi  # [rad] that no joint with ends turns either way
LONGEST = 30.0  # [m] that none slides
UNLIMITED_FROM = 1e4  # [rad or m], with which joints without ends are often written
NONE = {"position_lower": -np.inf}  # what no limit means; inf for all others


def stated_limits(
    stated: Mapping[str, Array | None], described: Mapping[str, Array], sliding: BoolArray
) -> MotionLimits:
    """Return a named set of a robot file; what is NaN has no limit.

    Args:
        stated: What the file says, shape (n,) each; None for what the robot description says.
        described: What that says of each joint, shape (n,) each.
        sliding: Which joints slide, shape (n,).

    Raises:
        InputError: A position_lower is not below its position_upper, or no joint's position in
            rad or m. Begins with a verb.
    """
    chosen = {key: described[key] if v is None else v for key, v in stated.items()}
    filled = {key: np.where(np.isnan(v), NONE.get(key, np.inf), v) for key, v in chosen.items()}
    lower, upper = filled["position_lower"], filled["position_upper"]
    if (lower >= upper).any():
        raise InputError(
            "has a position_lower that is not below position_upper: "
            f"{lower.tolist()} and {upper.tolist()}."
        )
    for key in ("position_lower", "position_upper"):
        _check_unit(key, filled[key], sliding)
    return MotionLimits(torque=filled.pop("effort"), **filled)


def _check_unit(key: str, ends: Array, sliding: BoolArray) -> None:
    """Raise where ends of joints' travel, shape (n,), are in degrees or millimetres."""
    size = np.abs(ends)
    for j in np.flatnonzero((size > np.where(sliding, LONGEST, TURNS)) & (size < UNLIMITED_FROM)):
        unit, other = ("m", "millimetres") if sliding[j] else ("rad", "degrees")
        raise InputError(
            f"gives joint number {j + 1} the {key} {ends[j]:g} {unit}, which looks like {other}. "
            f"State it in {unit} here, or mend the <limit> of the robot description from which it "
            "comes; null if there is none."
        )
