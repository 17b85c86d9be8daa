"""What a run of drives has been through, on an even grid of time."""

from __future__ import annotations

from dataclasses import dataclass

from ...arrays import Array


@dataclass(frozen=True)
class JointHistory:
    """N instants of n drives. A sliding joint's drive is the rotary one behind its pinion.

    Attributes:
        step: Time between two instants [s].
        angle: Shape (N, n) [rad].
        velocity: Shape (N, n) [rad/s].
        acceleration: Shape (N, n) [rad/s2].
        load: Torque that goes through the gear to the links, shape (N, n) [N m].
        warmth: Temperature above the one that figures hold for, shape (N, n) [K].
    """

    step: float
    angle: Array
    velocity: Array
    acceleration: Array
    load: Array
    warmth: Array
