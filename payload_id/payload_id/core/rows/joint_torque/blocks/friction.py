"""Friction F sign(dq) + V dq of each joint, and the inertia of its rotor: none is negative."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ....arrays import Array
from ...nuisance import Effect, NuisanceBlock
from .stated import Stated, Sums


@dataclass(frozen=True)
class CoulombFriction(NuisanceBlock[Sums]):
    """F; while the direction is not known, all of it is left out."""

    kind: ClassVar[str] = "friction_coulomb"

    @classmethod
    def of(cls, stated: Stated) -> CoulombFriction:
        """Return the box [0, friction_coulomb]."""
        half = stated.each(cls.kind) / 2
        return cls(stated.names(cls.kind), half, half)

    def effect(self, window: Sums) -> Effect:
        """Return the integral of the sign, and the largest friction where it is not known."""
        return Effect.of_channels([window.signs], self.largest * window.unknown)


@dataclass(frozen=True)
class ViscousFriction(NuisanceBlock[Sums]):
    """V.

    Attributes:
        speed_error: Of the measured velocities, shape (n,) [rad/s or m/s].
    """

    kind: ClassVar[str] = "friction_viscous"

    speed_error: Array

    @classmethod
    def of(cls, stated: Stated) -> ViscousFriction:
        """Return the box [0, friction_viscous]."""
        half = stated.each(cls.kind) / 2
        return cls(stated.names(cls.kind), half, half, stated.each("velocity_error"))

    def effect(self, window: Sums) -> Effect:
        """Return the travel, and what errors of the velocities do."""
        left_out = self.largest * self.speed_error * window.duration
        return Effect.of_channels([window.travel], left_out)


@dataclass(frozen=True)
class RotorInertia(NuisanceBlock[Sums]):
    """Inertia that the measured torque accelerates beside the links."""

    kind: ClassVar[str] = "rotor_inertia"

    @classmethod
    def of(cls, stated: Stated) -> RotorInertia:
        """Return the box [0, rotor_inertia]."""
        half = stated.each(cls.kind) / 2
        return cls(stated.names(cls.kind), half, half)

    def effect(self, window: Sums) -> Effect:
        """Return the change of speed, and what its error does."""
        return Effect.of_channels([window.speed_change], self.largest * window.speed_error)
