r"""Gravity that is not where the description has it: a base that is tilted, or another g.

The gravity part of W_c is linear in g: an error of g by e u, u in the unit box, is three columns,

    -e int W_c(gravity along axis k, at rest) theta dt,    k = x, y, z,

with the middle of the links' box for theta. What the rest of the box and the payload add is a
bound, and so is what errors of the positions change of these columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....arm.kinetics import body_motion, gravity_integral, gravity_regressor
from ....arrays import Array
from .nuisance_block import Effect, Stated, Window

AXES = ("x", "y", "z")
PROBES = 3  # samples of a window at which that is looked at
HIGHER = 1.2  # allowance for curvature and for what lies between them


@dataclass(frozen=True)
class BaseTilt:
    """Error of gravity in the base frame.

    Attributes:
        size: Largest error of each component [m/s2].
        position: Largest error of the positions, shape (n,) [rad or m].
    """

    size: float
    position: Array
    of_motion_alone: ClassVar[bool] = True

    @classmethod
    def of(cls, stated: Stated) -> BaseTilt:
        """Return it as it is stated."""
        position = stated.each("joint_zero") + stated.each("position_error")
        return cls(stated.bounds.gravity_error, position)

    @property
    def names(self) -> tuple[str, ...]:
        """One for each axis of the base frame."""
        return tuple(f"gravity.{axis}" for axis in AXES) if self.size > 0.0 else ()

    def effect(self, window: Window) -> Effect:
        """Return what it does to the equations of a window."""
        # What gravity of 1 m/s2 along each axis adds to the row, (n + 1, n, 10) each.
        parts = [-gravity_integral(window.motion, window.weight, axis) for axis in np.eye(3)]
        columns = [np.einsum("bjk,bk->j", part[:-1], window.links) for part in parts]
        spread, moved = np.abs(parts).sum(axis=0), self._moved(window)
        whole = np.abs(window.links) + window.links_half
        left_out = np.einsum("bjk,bk->j", spread[:-1], window.links_half)
        left_out += np.einsum("bjk,bk->j", moved[:-1], whole)
        return Effect(
            columns=self.size * np.stack(columns, axis=1),
            left_out=self.size * left_out,
            payload_error=self.size * (spread[-1] + moved[-1]),
            middle=np.zeros(len(left_out)),
        )

    def _moved(self, window: Window) -> Array:
        """Return by how much errors of the positions change the parts, shape (n + 1, n, 10)."""
        n, samples = len(self.position), window.samples
        if not self.position.any():
            return np.zeros((n + 1, n, 10))
        probe = np.unique(np.linspace(0, len(samples) - 1, PROBES).round().astype(int))
        steps = np.concatenate([np.zeros((1, n)), np.diag(self.position)[self.position > 0.0]])
        q = (samples.q[probe] + steps[:, None]).reshape(-1, n)
        motion = body_motion(window.model, q, np.zeros_like(q))
        total = np.zeros((n + 1, n, 10))
        for axis in np.eye(3):
            rows = gravity_regressor(motion, axis).reshape(len(steps), len(probe), n + 1, n, 10)
            total += np.abs(rows[1:] - rows[0]).max(axis=1).sum(axis=0)
        return HIGHER * float(window.weight.sum()) * total
