r"""Gravity that is not where the description has it: a base that is tilted, or another g.

The gravity part of W_c is linear in g: its error is three columns,

    -int W_c(gravity along axis k, at rest) theta dt,    k = x, y, z,

with the middle of the links' box for theta. What the rest of the box and the payload add is a
bound, and so is what errors of the positions change of these columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arm.kinetics import body_motion, gravity_integral, gravity_regressor
from ....arrays import Array
from ...nuisance import Effect, NuisanceBlock
from ...quadrature import HIGHER, cell_ends
from .stated import Stated, Window

CELLS = 2  # of a window, at whose ends that is looked at


@dataclass(frozen=True)
class BaseTilt(NuisanceBlock[Window]):
    """Error of gravity in the base frame, one component for each axis.

    Attributes:
        position: Largest error of the positions, shape (n,) [rad or m].
    """

    position: Array

    @classmethod
    def of(cls, stated: Stated) -> BaseTilt:
        """Return it as it is stated."""
        position = stated.each("joint_zero") + stated.each("position_error")
        names = tuple(f"gravity.{axis}" for axis in "xyz")
        return cls(names, np.zeros(3), np.full(3, stated.bounds.gravity_error), position)

    def effect(self, window: Window) -> Effect:
        """Return what it does to the equations of a window."""
        # What gravity of 1 m/s2 along each axis adds to the row, (n + 1, n, 10) each.
        parts = [-gravity_integral(window.motion, window.weight, axis) for axis in np.eye(3)]
        columns = [np.einsum("bjk,bk->j", part[:-1], window.links) for part in parts]
        spread, moved = np.abs(parts).sum(axis=0), self._moved(window)
        whole = np.abs(window.links) + window.links_half
        left_out = np.einsum("bjk,bk->j", spread[:-1], window.links_half)
        left_out += np.einsum("bjk,bk->j", moved[:-1], whole)
        size = self.half_width[0]
        payload_error = size * (spread[-1] + moved[-1])
        return Effect(np.stack(columns, axis=1), size * left_out, payload_error)

    def _moved(self, window: Window) -> Array:
        """Return by how much errors of the positions change the parts, shape (n + 1, n, 10)."""
        n, samples = len(self.position), window.samples
        if not self.position.any():
            return np.zeros((n + 1, n, 10))
        probe = cell_ends(len(samples), CELLS)
        steps = np.concatenate([np.zeros((1, n)), np.diag(self.position)[self.position > 0.0]])
        q = (samples.q[probe] + steps[:, None]).reshape(-1, n)
        motion = body_motion(window.model, q, np.zeros_like(q))
        total = np.zeros((n + 1, n, 10))
        for axis in np.eye(3):
            rows = gravity_regressor(motion, axis).reshape(len(steps), len(probe), n + 1, n, 10)
            total += np.abs(rows[1:] - rows[0]).max(axis=1).sum(axis=0)
        return HIGHER * float(window.weight.sum()) * total
