"""Inertial parameters of the arm's own bodies, and errors of those of its tool."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import Array
from ....body.inertial import PARAMETERS
from ...nuisance import Effect, NuisanceBlock
from .stated import Stated, Sums

# Of Ixx, Ixy, ..: the axes, and those whose squares make a moment of inertia.
AXES = ((0, 0, 1, 2), (0, 1, 0, 0), (0, 2, 0, 0), (1, 1, 0, 2), (1, 2, 0, 0), (2, 2, 0, 1))


@dataclass(frozen=True)
class Links(NuisanceBlock[Sums]):
    """The ten parameters of what each joint carries, joint by joint."""

    @classmethod
    def of(cls, stated: Stated) -> Links:
        """Return the box: what may travel along a link, then `link_relative` and `link_shift`."""
        bounds = stated.bounds
        lower, upper = (end.ravel() for end in stated.model.link_range)
        largest = np.maximum(np.abs(lower), np.abs(upper))
        half_width = (upper - lower) / 2 + bounds.link_relative * largest
        moved = (1.0 + bounds.link_relative) * largest.reshape(-1, 10)
        names = (f"{joint}.{name}" for joint in stated.model.joints for name in PARAMETERS)
        half_width += shifted(moved, bounds.link_shift).ravel()
        return cls(tuple(names), (lower + upper) / 2, half_width)

    def effect(self, window: Sums) -> Effect:
        """Return the bodies' coefficients, and what errors of these do."""
        return _of_bodies(window, slice(0, -1), self.largest)


@dataclass(frozen=True)
class Tool(NuisanceBlock[Sums]):
    """Errors of the tool's parameters: one body with the payload, so with its coefficients."""

    @classmethod
    def of(cls, stated: Stated) -> Tool:
        """Return the box that `tool` states."""
        names = tuple(f"tool.{name}" for name in PARAMETERS)
        return cls(names, np.zeros(10), np.asarray(stated.bounds.tool or np.zeros(10)))

    def effect(self, window: Sums) -> Effect:
        """Return the payload's coefficients, and what errors of these do."""
        return _of_bodies(window, slice(-1, None), self.largest)


def _of_bodies(window: Sums, bodies: slice, largest: Array) -> Effect:
    """Return the effect of bodies' parameters, of which the largest magnitudes are given."""
    columns, errors = (
        every[:, bodies].swapaxes(1, 2).reshape(len(every), every.shape[2], -1)
        for every in (window.regressor, window.regressor_error)
    )
    return Effect(columns, errors @ largest)


def shifted(largest: Array, shift: float) -> Array:
    """Return by how much parameters change when bodies are shifted as a whole, shape (n, 10).

    With x + s for x, |s_i| <= r, h changes by m s, and with it sums of x_i x_j:

        |d(sum x_i x_j)| <= |h_i| r + |h_j| r + m r^2.

    Args:
        largest: Largest magnitudes of the bodies' parameters, shape (n, 10).
        shift: Largest shift along each axis, r [m].
    """
    m, h = largest[:, 0], largest[:, 1:4]
    first = np.stack([m * shift] * 3, axis=1)
    pair = (h[:, :, None] + h[:, None, :]) * shift + (m * shift**2)[:, None, None]
    second = [pair[:, j, j] + pair[:, k, k] if i == l else pair[:, i, l] for i, l, j, k in AXES]
    return np.column_stack([np.zeros(len(m)), first, *second])
