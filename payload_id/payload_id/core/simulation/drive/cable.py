r"""A cable or hose along the arm that no description knows: bent by every joint, and rubbing.

    T = C sin(x - x_0) + R u,    u <- clip(u + dx / w, -1, 1).

The sine is bounded on joints that turn endlessly; the second part is hysteresis, as of friction.
What the cable weighs is part of the links, see `RealisticArm`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array
from .clipped_walk import Slip
from .joint_history import JointHistory


@dataclass(frozen=True)
class Cable:
    """Torques of a cable on n drives.

    Attributes:
        bending: C, shape (n,) [N m].
        straight: x_0, shape (n,) [rad].
        rubbing: R, shape (n,) [N m].
        slip: u, with w the angle in which rubbing turns over [rad].
    """

    bending: Array
    straight: Array
    rubbing: Array
    slip: Slip

    def through(self, history: JointHistory) -> tuple[Array, Cable]:
        """Return the cable's torque, shape (N, n) [N m], and the cable as that leaves it."""
        u, slip = self.slip.through(history.angle)
        bent = self.bending * np.sin(history.angle - self.straight)
        return np.asarray(bent + self.rubbing * u), replace(self, slip=slip)
