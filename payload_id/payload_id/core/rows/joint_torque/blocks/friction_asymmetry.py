r"""Friction that differs between the two directions of a joint.

With Coulomb levels F + a forwards and F - a backwards, and viscous coefficients V + b and V - b,

    friction = F sign(dq) + V dq + a + b |dq|,

at rest anything in a + [-F, F]. So a is a constant, as an offset of the sensor would be, and the
columns are those of 1 and |dq|. Nothing is left out but what an error of the velocity does to |dq|.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import Array
from ...nuisance import Effect, NuisanceBlock
from .stated import Stated, Window


@dataclass(frozen=True)
class FrictionAsymmetry(NuisanceBlock[Window]):
    """Half the differences of friction between the directions: a, then b.

    Attributes:
        speed_error: Of the measured velocities, shape (n,) [rad/s or m/s].
    """

    speed_error: Array

    @classmethod
    def of(cls, stated: Stated) -> FrictionAsymmetry:
        """Return it as it is stated."""
        kinds = "friction_coulomb_asymmetry", "friction_viscous_asymmetry"
        half_width = np.concatenate([stated.each(kind) / 2 for kind in kinds])
        none = np.zeros(len(half_width))
        return cls(stated.names(*kinds), none, half_width, stated.each("velocity_error"))

    def effect(self, window: Window) -> Effect:
        """Return what it does to the equations of a window."""
        duration = float(window.weight.sum())
        _, viscous = np.split(self.half_width, 2)
        columns = [np.full(len(viscous), duration), window.weight @ np.abs(window.samples.dq)]
        return Effect.of_channels(columns, viscous * self.speed_error * duration)
