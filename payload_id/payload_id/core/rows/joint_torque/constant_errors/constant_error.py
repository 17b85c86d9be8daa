"""What an error that is constant in a run does to the rows of a window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ....arm.arm_model import ArmModel
from ....arm.kinetics import BodyMotion
from ....arrays import Array
from ....samples.joint_samples import Samples


@dataclass(frozen=True)
class Window:
    """What an error may depend on.

    Attributes:
        model: The arm, n joints.
        samples: Of the window, N.
        weight: Weights of the samples in an integral, shape (N,) [s].
        motion: Of the bodies at the samples.
        reading: Torques without noise, shape (N, n) [N m].
        reading_error: Bound on their errors, shape (N, n) [N m].
        links: Middle of the box of the links' parameters, shape (n, 10).
        links_half: Half its width, shape (n, 10).
    """

    model: ArmModel
    samples: Samples
    weight: Array
    motion: BodyMotion
    reading: Array
    reading_error: Array
    links: Array
    links_half: Array


@dataclass(frozen=True)
class Effect:
    """What it does to the equation of each joint, payload phi + candidates psi + columns u = ...

    Attributes:
        columns: Coefficients of its coordinates u in the unit box, shape (n, k) [N m s].
        left_out: Bound on what is not linear in them, without payload, shape (n,) [N m s].
        payload_error: Bound on the errors of the payload's coefficients, shape (n, 10).
    """

    columns: Array
    left_out: Array
    payload_error: Array

    @classmethod
    def none(cls, n: int) -> Effect:
        """Return the effect of no error."""
        return cls(np.zeros((n, 0)), np.zeros(n), np.zeros((n, 10)))

    def with_more(self, other: Effect) -> Effect:
        """Return both."""
        return Effect(
            np.hstack([self.columns, other.columns]),
            self.left_out + other.left_out,
            self.payload_error + other.payload_error,
        )


class ConstantError(Protocol):
    """One kind of error; its columns are as many as its names."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its coordinates; none where it is not stated."""
        ...

    def effect(self, window: Window) -> Effect:
        """Return what it does to the equations of a window."""
        ...
