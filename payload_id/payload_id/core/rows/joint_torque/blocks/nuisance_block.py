"""What is unknown beside the payload, constant in a run: one block of columns for each kind.

A kind is one class in a file of its own: what of the stated bounds concerns it (`of`), the names of
its parameters, and its effect on the equations of a window. `BLOCKS` names all kinds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Protocol

import numpy as np
from typing_extensions import Self

from ....arm.arm_model import ArmModel
from ....arm.kinetics import BodyMotion
from ....arrays import Array, BoolArray
from ....errors import InputError
from ....samples.joint_samples import Samples
from ..torque_bound import largest_gain
from ..uncertainty import Uncertainty


@dataclass(frozen=True)
class Window:
    """What an effect may depend on.

    Attributes:
        model: The arm, n joints.
        samples: Of the window, N.
        weight: Weights of the samples in an integral, shape (N,) [s]; none is negative.
        momentum: Weights of the samples in a change of momentum, shape (N,) [-].
        motion: Of the bodies at the samples.
        reading: Torques without noise, shape (N, n) [N m].
        reading_error: Bound on their errors, shape (N, n) [N m].
        links: Middle of the box of the links' parameters, shape (n, 10).
        links_half: Half its width, shape (n, 10).
    """

    model: ArmModel
    samples: Samples
    weight: Array
    momentum: Array
    motion: BodyMotion
    reading: Array
    reading_error: Array
    links: Array
    links_half: Array


@dataclass(frozen=True)
class Effect:
    """What a block does to the equations, payload phi + candidates psi + columns u + middle = ...

    Attributes:
        columns: Coefficients of its coordinates u in the unit box, shape (n, k) [N m s].
        left_out: Bound on what is not linear in them, without payload, shape (n,) [N m s].
        payload_error: Bound on the errors of the payload's coefficients, shape (n, 10).
        middle: What it does at u = 0, shape (n,) [N m s]: errors that cannot be negative.
        likely: What it most likely does beside, of what bounds allow for: coefficients of its
            coordinates, and at u = 0, shape (n, k + 1) [N m s]. Estimates count it, bounds do not.
            None: nothing, in every window.
        growth: How the noise of each equation grows with its coordinates, shape (n, k) [-]: where
            they multiply the readings. None: not at all.
    """

    columns: Array
    left_out: Array
    payload_error: Array
    middle: Array
    likely: Array | None = None
    growth: Array | None = None

    @classmethod
    def none(cls, n: int) -> Effect:
        """Return the effect of no error."""
        return cls(np.zeros((n, 0)), np.zeros(n), np.zeros((n, 10)), np.zeros(n))

    @classmethod
    def of_joints(cls, columns: Array, left_out: Array, middle: Array | None = None) -> Effect:
        """Return that of errors of the torques, of which each concerns its own joint only.

        Args:
            columns: Kinds of columns, each with one for each joint, shape (kinds, n) [N m s]; those
                that are zero in every window of an arm are left out by `only`.
            left_out: Shape (n,) [N m s].
            middle: Shape (n,) [N m s]; None for zeros.
        """
        n = len(left_out)
        apart = np.concatenate([np.diag(column) for column in columns], axis=1)
        none = np.zeros(n)
        return cls(apart, left_out, np.zeros((n, 10)), none if middle is None else middle)

    @classmethod
    def of_each(cls, windows: Sequence[Effect]) -> Effect:
        """Return what the same blocks do to the equations of several windows, all their rows."""
        if len(windows) == 1:
            return windows[0]
        return cls(*(_stacked([getattr(x, entry.name) for x in windows]) for entry in fields(cls)))

    @classmethod
    def summed(cls, parts: Sequence[Effect]) -> Effect:
        """Return what the same errors do to the sums of equations."""
        likely = [part.likely for part in parts if part.likely is not None]
        return cls(
            np.sum([part.columns for part in parts], axis=0),
            np.sum([part.left_out for part in parts], axis=0),
            np.sum([part.payload_error for part in parts], axis=0),
            np.sum([part.middle for part in parts], axis=0),
            np.sum(likely, axis=0) if likely else None,
            parts[0].growth,
        )

    def only(self, stated: BoolArray) -> Effect:
        """Return it with some of its columns, those where stated, shape (k,), is true."""
        likely, growth = self.likely, self.growth
        return replace(
            self,
            columns=self.columns[:, stated],
            likely=None if likely is None else likely[:, np.append(stated, True)],
            growth=None if growth is None else growth[:, stated],
        )

    def with_more(self, other: Effect) -> Effect:
        """Return both."""
        likely, growth = None, None
        if self.likely is not None or other.likely is not None:
            one, two = self._likely, other._likely
            likely = np.hstack([one[:, :-1], two[:, :-1], one[:, -1:] + two[:, -1:]])
        if self.growth is not None or other.growth is not None:
            growth = np.hstack([self._growth, other._growth])
        return Effect(
            np.hstack([self.columns, other.columns]),
            self.left_out + other.left_out,
            self.payload_error + other.payload_error,
            self.middle + other.middle,
            likely,
            growth,
        )

    @property
    def _likely(self) -> Array:
        """`likely`, zeros where it is None."""
        n, k = self.columns.shape
        return np.zeros((n, k + 1)) if self.likely is None else self.likely

    @property
    def _growth(self) -> Array:
        """`growth`, zeros where it is None."""
        return np.zeros(self.columns.shape) if self.growth is None else self.growth


def _stacked(parts: Sequence[Array | None]) -> Any:
    """Return arrays under each other; None where there are none."""
    arrays = [part for part in parts if part is not None]
    return np.concatenate(arrays) if arrays else None


class NuisanceBlock(Protocol):
    """One kind of unknown; its columns are as many as its names.

    Attributes:
        of_motion_alone: Whether the motion of a window alone determines its effect, whatever the
            torques are.
    """

    of_motion_alone: ClassVar[bool]

    @classmethod
    def of(cls, stated: Stated) -> Self:
        """Return it as it is stated."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its parameters; none where it is not stated."""
        ...

    def effect(self, window: Window) -> Effect:
        """Return what it does to the equations of a window."""
        ...


@dataclass(frozen=True)
class Stated:
    """What is stated of an arm of n joints, as blocks need it.

    Attributes:
        model: The arm.
        bounds: All that is stated.
    """

    model: ArmModel
    bounds: Uncertainty

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints."""
        return self.model.joints

    def each(self, name: str) -> Array:
        """Return one bound for each joint, shape (n,)."""
        return self.bounds.per_joint(name, self.model.n)

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
            joint = self.joints[int(np.argmax(missing))]
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
