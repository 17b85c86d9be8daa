r"""Friction that differs between the two directions of a joint.

With Coulomb levels F + a forwards and F - a backwards, and viscous coefficients V + b and V - b,

    friction = F sign(dq) + V dq + a + b |dq|,

at rest anything in a + [-F, F]. So a is a constant, as an offset of the sensor would be, and the
columns are those of 1 and |dq|. Nothing is left out but what an error of the velocity does to |dq|.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....arrays import Array
from .nuisance_block import Effect, Stated, Window


@dataclass(frozen=True)
class FrictionAsymmetry:
    """Half the differences of friction between the directions.

    Attributes:
        coulomb: Largest a, shape (n,) [N m or N].
        viscous: Largest b, shape (n,) [N m s/rad or N s/m].
        speed_error: Of the measured velocities, shape (n,) [rad/s or m/s].
        joints: Names.
    """

    coulomb: Array
    viscous: Array
    speed_error: Array
    joints: tuple[str, ...]
    of_motion_alone: ClassVar[bool] = False

    @classmethod
    def of(cls, stated: Stated) -> FrictionAsymmetry:
        """Return it as it is stated."""
        coulomb = stated.each("friction_coulomb_asymmetry") / 2
        viscous = stated.each("friction_viscous_asymmetry") / 2
        return cls(coulomb, viscous, stated.each("velocity_error"), stated.joints)

    @property
    def names(self) -> tuple[str, ...]:
        """One for each joint and kind of friction that may differ."""
        kinds = {"coulomb": self.coulomb, "viscous": self.viscous}
        return tuple(
            f"{self.joints[j]}.friction_{kind}_asymmetry"
            for kind, size in kinds.items()
            for j in np.flatnonzero(size)
        )

    def effect(self, window: Window) -> Effect:
        """Return what it does to the equations of a window."""
        duration = float(window.weight.sum())
        columns = np.stack(
            [self.coulomb * duration, self.viscous * (window.weight @ np.abs(window.samples.dq))]
        )
        whole = Effect.of_joints(columns, self.viscous * self.speed_error * duration)
        return whole.only(np.concatenate([self.coulomb, self.viscous]) > 0.0)
