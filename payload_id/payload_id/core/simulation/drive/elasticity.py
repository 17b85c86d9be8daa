r"""Twist of a strain wave gear between motor and link, hardening, with lost motion.

    x_motor = x_link + twist(L) + H u,    u <- clip(u + dL / L_w, -1, 1),
    twist(L) = sign(L) (min(|L|, T1) / K1 + part of |L| in [T1, T2] / K2 + part beyond T2 / K3),

L the load: the three stiffnesses and the hysteresis H are how makers of such gears state them. To
first order: the link's motion is given, and what the rotor's own acceleration adds by x_motor being
another one is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array
from .clipped_walk import Slip


@dataclass(frozen=True)
class Elasticity:
    """Gears of n drives.

    Attributes:
        breaks: T1 and T2, shape (2, n) [N m].
        compliance: 1 / K1, 1 / K2 and 1 / K3, shape (3, n) [rad/(N m)].
        lost_motion: H, half of the loop's width, shape (n,) [rad].
        slip: u, with L_w the load in which lost motion turns over [N m].
    """

    breaks: Array
    compliance: Array
    lost_motion: Array
    slip: Slip

    def through(self, load: Array) -> tuple[Array, Elasticity]:
        """Return x_motor - x_link, shape (N, n) [rad], and the gears as that leaves them.

        Args:
            load: Over time, shape (N, n) [N m].
        """
        u, slip = self.slip.through(load)
        return np.asarray(self.twist(load) + self.lost_motion * u), replace(self, slip=slip)

    def twist(self, load: Array) -> Array:
        """Return the elastic twist for a load, in its shape [rad]."""
        size, (first, second) = np.abs(load), self.breaks
        soft, middle, hard = self.compliance
        part = soft * np.minimum(size, first)
        part = part + middle * np.clip(size - first, 0.0, second - first)
        return np.asarray(np.sign(load) * (part + hard * np.maximum(size - second, 0.0)))
