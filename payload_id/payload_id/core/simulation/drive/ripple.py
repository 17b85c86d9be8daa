r"""Torque that repeats with the angle: cogging of the motor, ripple of gear and torque sensor.

    T = sum_h A_h sin(k_h x + phi_h),

x the joint's angle, k_h how often it repeats in a turn of the joint: 2 N for a strain wave gear of
ratio N, whose wave generator is an ellipse; 1 and 2 for a sensor that also feels other loads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from .joint_history import JointHistory


@dataclass(frozen=True)
class Ripple:
    """Periodic torques of n drives.

    Attributes:
        order: k_h, shape (H,) [1/rad times 1 rad].
        amplitude: A_h, shape (H, n) [N m].
        phase: phi_h, shape (H, n) [rad].
    """

    order: Array
    amplitude: Array
    phase: Array

    def through(self, history: JointHistory) -> tuple[Array, Ripple]:
        """Return the ripple, shape (N, n) [N m]; it remembers nothing."""
        total = np.zeros_like(history.angle)
        for order, amplitude, phase in zip(self.order, self.amplitude, self.phase, strict=True):
            total += amplitude * np.sin(order * history.angle + phase)
        return total, self
