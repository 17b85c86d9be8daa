"""Rotors that a motor's current has to accelerate too; a sensor behind the gear does not see them.

T = I_a d2x/dt2, x the joint's angle, I_a the rotor's inertia times the gear's ratio squared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from .joint_history import JointHistory


@dataclass(frozen=True)
class Rotor:
    """Rotors of n drives.

    Attributes:
        inertia: I_a, shape (n,) [kg m2].
    """

    inertia: Array

    def through(self, history: JointHistory) -> tuple[Array, Rotor]:
        """Return what accelerates the rotors, shape (N, n) [N m]; it remembers nothing."""
        return np.asarray(self.inertia * history.acceleration), self
