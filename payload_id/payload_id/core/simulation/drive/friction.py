r"""Friction of a gear: Stribeck curve, load, temperature, and hysteresis before it slides.

In steady sliding at velocity v, under a load L, D kelvin above the reference temperature:

    F = s(v) sign(v) + b v,
    s(v) = (F_c (1 - kappa_c D) + mu |L|) (1 + sigma exp(-(v / v_s)^2)),
    b    = F_v exp(-kappa_v D).

Near a reversal F is the sum of Maxwell elements [AlBender2005], each a spring that slips at its
share of s: a force that depends on where the drive went and not on how fast, with closed minor
loops and memory of past reversals. With angle x, spring rates alpha_i s_0 / w_i and s_0 = s(0),

    u_i <- clip(u_i + s_0 dx / w_i, -s(v), s(v)),    F = sum_i alpha_i u_i + b v.

A spring gives back at most what it took, and slip opposes u_i: friction is passive.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array
from .clipped_walk import clipped_walk
from .joint_history import JointHistory

SHARES = np.array([0.25, 0.25, 0.25, 0.25])  # alpha_i [-]
WIDTHS = np.array([0.25, 0.5, 1.0, 2.0])  # w_i over the presliding angle [-]


@dataclass(frozen=True)
class Friction:
    """Friction of n drives.

    Attributes:
        coulomb: F_c at reference temperature without load, shape (n,) [N m].
        stiction: sigma, breakaway over Coulomb friction less 1, shape (n,) [-].
        stribeck_velocity: v_s, shape (n,) [rad/s].
        viscous: F_v at reference temperature, shape (n,) [N m s/rad].
        load: mu, Coulomb friction for each torque that passes the gear, shape (n,) [-].
        presliding: Angle in which friction turns over, shape (n,) [rad]; 0: at once.
        coulomb_cooling: kappa_c, what Coulomb friction loses with warmth, shape (n,) [1/K].
        viscous_cooling: kappa_v, the same of viscous friction, shape (n,) [1/K].
        u: u_i at the last instant, shape (4, n) [N m].
        angle: At the last instant, shape (n,) [rad]; None: as at the first one to come.
    """

    coulomb: Array
    stiction: Array
    stribeck_velocity: Array
    viscous: Array
    load: Array
    presliding: Array
    coulomb_cooling: Array
    viscous_cooling: Array
    u: Array
    angle: Array | None = None

    @property
    def breakaway(self) -> Array:
        """s_0: of a cold drive at rest without load, shape (n,) [N m]."""
        zero = np.zeros_like(self.coulomb)
        return self.sliding(zero, zero, zero)

    def through(self, history: JointHistory) -> tuple[Array, Friction]:
        """Return the friction torque, shape (N, n) [N m], and friction as that leaves it."""
        slip = self.sliding(history.velocity, history.load, history.warmth)
        before = history.angle[0] if self.angle is None else self.angle
        moved = np.diff(history.angle, axis=0, prepend=before[np.newaxis])
        width = WIDTHS[:, np.newaxis] * np.maximum(self.presliding, 1e-12)  # (4, n)
        steps = moved[:, np.newaxis] * (self.breakaway / width)
        limit = np.repeat(slip[:, np.newaxis], len(SHARES), axis=1)
        u = clipped_walk(steps, limit, self.u)
        dry = np.einsum("i,kij->kj", SHARES, u)
        torque = dry + self.viscosity(history.warmth) * history.velocity
        return np.asarray(torque), replace(self, u=u[-1], angle=history.angle[-1])

    def sliding(self, velocity: Array, load: Array, warmth: Array) -> Array:
        """Return s(v), dry friction in steady sliding, in the shape of the arguments [N m]."""
        cooled = np.maximum(1.0 - self.coulomb_cooling * warmth, 0.0)
        coulomb = self.coulomb * cooled + self.load * np.abs(load)
        ratio = velocity / np.maximum(self.stribeck_velocity, 1e-12)
        return np.asarray(coulomb * (1.0 + self.stiction * np.exp(-(ratio**2))))

    def viscosity(self, warmth: Array) -> Array:
        """Return b, in the shape of the warmth [N m s/rad]."""
        return np.asarray(self.viscous * np.exp(-self.viscous_cooling * warmth))
