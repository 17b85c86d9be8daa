"""Whether a new run is like those of an arm's history: what is unlike them is said."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arm.arm_history import ArmHistory
from ..arrays import Array
from ..diagnosis import MotionSeen

BEYOND = 0.1  # of what the history's runs span, by which a new run may leave it
HEAVIER = 1.25  # times the heaviest known load
LOUDER = 1.5  # times the largest noise of any run


def unlike(
    history: ArmHistory, motion: MotionSeen, noise: Array, mass: float, error: float
) -> tuple[str, ...]:
    """Return in what a new run is unlike all runs of a history, one sentence each.

    Args:
        history: Of the arm.
        motion: Where the joints were.
        noise: What is left of each channel's rows, as `ArmHistory.noise`, shape (n,).
        mass: Estimated mass [kg].
        error: Half-width of its interval [kg].
    """
    heaviest = float(np.nanmax(history.masses)) if np.isfinite(history.masses).any() else 0.0
    low, high = history.lower.min(axis=0), history.upper.max(axis=0)
    room = BEYOND * (high - low)
    outside = (motion.lower < low - room) | (motion.upper > high + room)
    faster = motion.speed > (1.0 + BEYOND) * history.speed.max(axis=0)
    louder = noise > LOUDER * history.noise.max(axis=0)
    joints = history.joints
    said = (
        (mass - error > HEAVIER * heaviest, f"it is heavier than all known loads (largest "
         f"{heaviest:.3g} kg), so that errors which grow with the load are only modelled"),
        (outside.any(), f"{_names(joints, outside)} moved where no run of the history did"),
        (faster.any(), f"{_names(joints, faster)} moved faster than in all runs of the history"),
        (louder.any(), f"the torque of {_names(joints, louder)} is explained less well than in "
         "all runs of the history (a larger load, temperature, wear or contact)"),
    )  # fmt: skip
    return tuple(text for holds, text in said if holds)


def _names(joints: Sequence[str], chosen: Array) -> str:
    """Return the names of joints that were chosen."""
    return ", ".join(name for name, one in zip(joints, chosen, strict=True) if one)
