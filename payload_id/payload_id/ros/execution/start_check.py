"""Whether a motion may begin: rest, limits, place; each refusal is one sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...core.arrays import Array
from ...core.errors import InputError
from ...core.motion.limits import MotionLimits
from ...core.safety.tube.tracking_tube import TrackingTube
from ...core.safety.tube.tube_watch import position_error
from .standstill import AT_REST


class NotReadyError(InputError):
    """The arm is not where, or not as, a motion could begin."""


class CalledOffError(NotReadyError):
    """Somebody cancelled or stopped a motion before it began."""


def check_rest(joints: Sequence[str], speed: Array, topic: str) -> None:
    """Raise unless the arm stands still.

    Raises:
        NotReadyError: It moves.
    """
    if (speed > AT_REST).any():
        j = int(np.argmax(speed))
        raise NotReadyError(
            f"The arm is moving: {joints[j]} at {speed[j]:.3g} rad/s (m/s) on {topic}, at most "
            f"{AT_REST:g} counts as rest. Wait until it stands still."
        )


def check_limits(
    joints: Sequence[str], q: Array, limits: MotionLimits, name: str, topic: str
) -> None:
    """Raise unless a pose lies within the position limits.

    Raises:
        NotReadyError: It does not.
    """
    outside = (q < limits.position_lower) | (q > limits.position_upper)
    if outside.any():
        j = int(np.argmax(outside))
        raise NotReadyError(
            f"The arm is outside the limits '{name}': {joints[j]} is at {q[j]:.4g} on "
            f"{topic}, allowed are {limits.position_lower[j]:.4g} to "
            f"{limits.position_upper[j]:.4g}. Move it back by hand, or name other limits."
        )


def check_place(
    joints: Sequence[str],
    q: Array,
    start: Array,
    tube: TrackingTube,
    continuous: Sequence[bool],
    topic: str,
    encoder_error: Array | float = 0.0,
) -> None:
    """Raise unless the arm is where a plan begins, as it will be judged in motion.

    Args:
        joints: Their names.
        q: Measured pose, shape (n,) [rad or m].
        start: Of the plan, shape (n,) [rad or m].
        tube: How far from it the arm may be.
        continuous: Joints whose position may be reported up to whole turns.
        topic: Of the joint states, for the sentence.
        encoder_error: Largest error of a measured position, shape (n,) [rad or m].

    Raises:
        NotReadyError: It is elsewhere.
    """
    e = np.abs(position_error(start, q, continuous)) + encoder_error
    if (e > tube.position).any():
        j = int(np.argmax(e - tube.position))
        raise NotReadyError(
            f"The arm is not where the plan begins: {joints[j]} is {e[j]:.3g} rad (m) from its "
            f"{start[j]:.4g} by {topic}, encoder error included; {tube.position[j]:.3g} are "
            "allowed. Plan again."
        )


def start_of(
    q: Array,
    holding: Array | None,
    tube: TrackingTube,
    continuous: Sequence[bool],
    encoder_error: Array | float = 0.0,
) -> Array:
    """Return the pose from which to plan: the one that the controller holds, if it is known.

    It is in the turns in which the driver reports: no command asks for a jump by a whole turn.

    A controller that gives way under the load would otherwise sink a little with every motion.

    Args:
        q: Measured pose, shape (n,) [rad or m].
        holding: End of the last motion, whole turns apart; None if there was none.
        tube: How far the arm may be from what its controller holds.
        continuous: Joints whose position may be reported up to whole turns.
        encoder_error: Largest error of a measured position, shape (n,) [rad or m].
    """
    if holding is None:
        return q
    error = position_error(holding, q, continuous)
    turns = np.rint((q - holding - error) / (2 * np.pi))
    near = np.abs(error) + encoder_error <= tube.position
    return holding + 2 * np.pi * turns if near.all() else q
