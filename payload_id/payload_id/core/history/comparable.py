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
    slower, still = slow(history.mean_speed, motion.mean_speed)
    joints = history.joints
    said = (
        (mass - error > HEAVIER * heaviest, f"it is heavier than all known loads (largest "
         f"{heaviest:.3g} kg), so that errors which grow with the load are only modelled"),
        (outside.any(), f"{_names(joints, outside)} moved where no run of the history did"),
        (faster.any(), f"{_names(joints, faster)} moved faster than in all runs of the history"),
        (slower, "the arm moved more slowly or rested longer than in all runs of the history, so "
         "that friction hides more of the load"),
        (still.any() and not slower, f"{_names(joints, still)} moved less, for such a joint, than "
         "any joint did in all runs of the history"),
        (louder.any(), f"the torque of {_names(joints, louder)} is explained less well than in "
         "all runs of the history (a larger load, temperature, wear or contact)"),
    )  # fmt: skip
    return tuple(text for holds, text in said if holds)


def slow(known: Array, new: Array) -> tuple[bool, Array]:
    """Return whether the arm moved more slowly than in all known runs, and which joints hardly did.

    With r_kj the mean speed of joint j in run k, over the median of this joint in all K + 1 runs,
    the new run's mean of r over the joints is compared with the least of the known runs, and each
    of its r with the least r of any joint in a known run. If the runs are exchangeable, each of
    the two comparisons names the new run with a probability of at most 1 / (K + 1).

    Args:
        known: Mean speeds in K runs, shape (K, n) [rad/s or m/s].
        new: In the new run, shape (n,).

    Returns:
        slower: Whether the arm as a whole was slower.
        still: Which joints were, shape (n,).
    """
    usual = np.median(np.vstack([known, new]), axis=0)
    moves = usual > 0.0
    if not moves.any():
        return False, moves
    before, now = known[:, moves] / usual[moves], new[moves] / usual[moves]
    still = np.zeros(len(new), dtype=bool)
    still[moves] = now < (1.0 - BEYOND) * before.min()
    slower = now.mean() < (1.0 - BEYOND) * before.mean(axis=1).min()
    return bool(slower), still


def _names(joints: Sequence[str], chosen: Array) -> str:
    """Return the names of joints that were chosen."""
    return ", ".join(name for name, one in zip(joints, chosen, strict=True) if one)
