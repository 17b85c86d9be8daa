"""What is unknown beside the payload: blocks of parameters, each with its box, columns, remainder.

The equations of a window are, for each of its channels,

    payload phi + sum over blocks of columns psi = reading + w,   |w| <= d + payload_error |phi|,

psi = centre + half_width u, |u| <= 1. A parameter whose box is a point is known and moves to the
right-hand side. One kind of unknown is one class in a file of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from ..arrays import Array, BoolArray

Seen = TypeVar("Seen")


@dataclass(frozen=True)
class Effect:
    """What a block does to equations, C of each window; of K windows, or without K of one.

    Attributes:
        columns: Coefficients of its k parameters, shape (K, C, k).
        left_out: Bound on what is not linear in them, without payload, shape (K, C).
        payload_error: Bound on what it changes of the payload's coefficients, shape (K, C, 10), or
            0.0: nothing.
        middle: Middle of what `left_out` is half the range of, shape (K, C), or 0.0.
        likely: What columns most likely are beside, in place of `middle`, shape (K, C, k), or 0.0:
            estimates count it, bounds do not.
    """

    columns: Array
    left_out: Array
    payload_error: Array | float = 0.0
    middle: Array | float = 0.0
    likely: Array | float = 0.0

    @classmethod
    def of_channels(cls, columns: Sequence[Array], left_out: Array) -> Effect:
        """Return that of parameters of which each concerns one channel only.

        Args:
            columns: Kinds of columns, each with one parameter for each channel, shape (K, C) each.
            left_out: Shape (K, C).
        """
        unit = np.eye(left_out.shape[-1])
        return cls(np.concatenate([x[..., None] * unit for x in columns], axis=-1), left_out)

    @classmethod
    def of_windows(cls, effects: Sequence[Effect]) -> Effect:
        """Return what a block does to several windows, of its effects on each."""
        channels = effects[0].left_out.shape
        return cls(
            np.stack([x.columns for x in effects]),
            np.stack([x.left_out for x in effects]),
            np.stack([np.broadcast_to(x.payload_error, (*channels, 10)) for x in effects]),
            np.stack([np.broadcast_to(x.middle, channels) for x in effects]),
            np.stack([np.broadcast_to(x.likely, x.columns.shape) for x in effects]),
        )


@dataclass(frozen=True)
class NuisanceBlock(ABC, Generic[Seen]):
    """One kind of unknown, k parameters.

    Attributes:
        kind: Which bound states it, where it has one parameter for each joint.
        names: Of its parameters, such as "joint_2.Ixx".
        centre: Middle of their boxes, shape (k,).
        half_width: Half the width of their boxes, shape (k,).
    """

    kind: ClassVar[str]

    names: tuple[str, ...]
    centre: Array
    half_width: Array

    @cached_property
    def largest(self) -> Array:
        """Largest magnitude of each parameter in its box, shape (k,)."""
        return np.abs(self.centre) + self.half_width

    def growth(self, channels: int) -> Array:
        """Return how the error of each channel's reading grows with u, shape (channels, k)."""
        return np.zeros((channels, len(self.names)))

    @abstractmethod
    def effect(self, window: Seen) -> Effect:
        """Return what it does to the equations of windows."""


@dataclass(frozen=True)
class Nuisance:
    """The boxes of all parameters of some blocks; those with a width are uncertain, p of them.

    Attributes:
        every: Name of each parameter.
        centre: Middle of each one's box, shape (k,).
        half_width: Half the width of each one's box, shape (k,).
    """

    every: tuple[str, ...]
    centre: Array
    half_width: Array

    @classmethod
    def of(cls, blocks: Sequence[NuisanceBlock[Any]]) -> Nuisance:
        """Return the boxes of blocks, one after the other."""
        none = np.zeros(0)
        return cls(
            tuple(name for block in blocks for name in block.names),
            np.concatenate([none, *(block.centre for block in blocks)]),
            np.concatenate([none, *(block.half_width for block in blocks)]),
        )

    @cached_property
    def uncertain(self) -> BoolArray:
        """Which parameters have a width, shape (k,)."""
        return np.asarray(self.half_width > 0.0)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the uncertain parameters, p of them."""
        return tuple(x for x, keep in zip(self.every, self.uncertain, strict=True) if keep)

    @cached_property
    def p(self) -> int:
        """Number of uncertain parameters."""
        return int(self.uncertain.sum())

    @cached_property
    def largest(self) -> Array:
        """Largest magnitude of each parameter in its box, shape (k,)."""
        return np.abs(self.centre) + self.half_width

    def scaled(self, columns: Array) -> Array:
        """Return the columns of u, shape (..., p), for those of psi, shape (..., k)."""
        return np.asarray(columns[..., self.uncertain] * self.half_width[self.uncertain])

    def at(self, u: Array) -> Array:
        """Return psi, shape (k,), at the first p entries of u."""
        psi = self.centre.copy()
        psi[self.uncertain] += self.half_width[self.uncertain] * u[: self.p]
        return psi
