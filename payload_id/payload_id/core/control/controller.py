"""What every controller offers: a pure step from state, measurement and reference to a command.

A controller holds constants only; what changes is in the state that it is given and returns. Time
comes with the measurement. Whatever a step could not do as it should is said in its command.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from ..arrays import Array
from ..motion.joint_trajectory import DesiredState

LONGEST_PERIOD = 0.1  # [s] a step after a longer pause does not integrate over it


@dataclass(frozen=True, eq=False)
class Measurement:
    """What the arm's sensors say at one instant.

    Attributes:
        time: Stamp [s].
        q: Joint positions, shape (n,) [rad or m].
        dq: Joint velocities, shape (n,) [rad/s or m/s].
    """

    time: float
    q: Array
    dq: Array


@dataclass(frozen=True, eq=False)
class Command:
    """What one step of a controller asks of the actuators.

    Attributes:
        torque: Joint torques u, shape (n,) [N m or N].
        reasons: Why this is not the torque, or not the state, that the controller wants: one
            sentence each; empty when all is well.
    """

    torque: Array
    reasons: tuple[str, ...] = ()


State = TypeVar("State")


class Controller(Protocol[State]):
    """A joint-space controller."""

    def start(self, measurement: Measurement) -> State:
        """Return the state before the first step."""
        ...

    def command(
        self, state: State, measurement: Measurement, reference: DesiredState
    ) -> tuple[Command, State]:
        """Return what to command now, and the state for the next step."""
        ...


def errors(
    measurement: Measurement, reference: DesiredState, continuous: Array
) -> tuple[Array, Array]:
    """Return e = q_d - q, by the shorter way where a joint turns without limits, and de."""
    e = reference.q - measurement.q
    e = np.where(continuous, (e + np.pi) % (2.0 * np.pi) - np.pi, e)
    return e, reference.dq - measurement.dq


def limited(torque: Array, limit: Array, joints: tuple[str, ...]) -> tuple[Array, tuple[str, ...]]:
    """Return the torque within its limit, and a sentence for each joint that was cut.

    A torque that is no number becomes 0: what the actuators shall do then is not known.
    """
    if (np.abs(torque) <= limit).all():
        return torque, ()
    known = np.isfinite(torque)
    cut = np.clip(np.where(known, torque, 0.0), -limit, limit)
    return cut, tuple(
        f"{joints[j]}: wanted {torque[j]:.4g}, commanded {cut[j]:.4g}, the limit is {limit[j]:.4g}."
        for j in np.flatnonzero(~(np.abs(torque) <= limit))
    )
