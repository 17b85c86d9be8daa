"""What blocks of unknowns of an arm are made of, and what they see of windows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arm.arm_model import ArmModel
from ....arm.kinetics import BodyMotion
from ....arrays import Array
from ....errors import InputError
from ....samples.joint_samples import Samples
from ..torque_bound import largest_gain
from ..uncertainty import Uncertainty


@dataclass(frozen=True)
class Sums:
    """What K windows show to blocks of the arm's own parameters, as measured or as predicted.

    Attributes:
        duration: Of the windows, shape (K, 1) [s].
        regressor: Coefficients of all bodies, the payload last, shape (K, n + 1, n, 10).
        regressor_error: Bound on their errors, shape (K, n + 1, n, 10).
        signs: Integral of the sign of the velocities where it is known, shape (K, n) [s].
        unknown: Time during which it is not, shape (K, n) [s].
        travel: Integral of the velocities, shape (K, n) [rad or m].
        speed_change: Integral of the accelerations, shape (K, n) [rad/s or m/s].
        speed_error: Bound on its error, shape (K, n) [rad/s or m/s].
        reading: Integral of the torques, shape (K, n) [N m s].
    """

    duration: Array
    regressor: Array
    regressor_error: Array
    signs: Array
    unknown: Array
    travel: Array
    speed_change: Array
    speed_error: Array
    reading: Array


@dataclass(frozen=True)
class Window:
    """What one window of samples shows to blocks of what is unknown of a run.

    Attributes:
        model: The arm, n joints.
        samples: Of the window, N.
        weight: Weights of the samples in an integral, shape (N,) [s]; none is negative.
        motion: Of the bodies at the samples.
        reading_error: Bound on the errors of the torques, shape (N, n) [N m].
        links: Middle of the box of the links' parameters, shape (n, 10).
        links_half: Half its width, shape (n, 10).
    """

    model: ArmModel
    samples: Samples
    weight: Array
    motion: BodyMotion
    reading_error: Array
    links: Array
    links_half: Array


@dataclass(frozen=True)
class Stated:
    """What is stated of an arm of n joints, as blocks need it.

    Attributes:
        model: The arm.
        bounds: All that is stated.
    """

    model: ArmModel
    bounds: Uncertainty

    def each(self, name: str) -> Array:
        """Return one bound for each joint, shape (n,)."""
        return self.bounds.per_joint(name, self.model.n)

    def names(self, *kinds: str) -> tuple[str, ...]:
        """Return names of parameters, of every joint one of each kind."""
        return tuple(f"{joint}.{kind}" for kind in kinds for joint in self.model.joints)

    def with_scale(self, size: str, scale: str) -> Array:
        """Return the scale of an error, shape (n,).

        Args:
            size: Name of the bound on the error.
            scale: Name of its scale.

        Raises:
            InputError: A joint has the error without its scale.
        """
        found = self.each(scale)
        missing = (self.each(size) > 0.0) & (found == 0.0)
        if missing.any():
            joint = self.model.joints[int(np.argmax(missing))]
            raise InputError(
                f"Uncertainty '{size}' is stated for {joint} without '{scale}'. State both."
            )
        return found

    @property
    def largest_gain(self) -> Array:
        """How many times the noise-free reading the torque can be, shape (n,)."""
        return largest_gain(self.each("torque_gain"))

    @property
    def slow(self) -> Array:
        """Speed below which the direction of a joint is not known, shape (n,) [rad/s or m/s]."""
        return np.asarray(self.bounds.stiction_velocity + self.each("velocity_error"))

    @property
    def dry_friction(self) -> Array:
        """Largest friction that turns round with the velocity, shape (n,) [N m or N]."""
        return np.asarray(self.each("friction_coulomb") + self.each("friction_stribeck"))
