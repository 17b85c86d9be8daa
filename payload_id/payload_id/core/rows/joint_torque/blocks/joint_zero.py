r"""Encoders whose zeros are off: true positions are the measured ones less a constant.

With R(q) the coefficients of a row of a window, those at the true positions are

    R(q - e u) = R(q) - sum_j e_j u_j dR/dq_j + rest,  |rest| <= 1/2 sum_ij e_i e_j |d2R/dq_i dq_j|,

one column for each joint, -dR/dq_j theta, theta the middle of the links' box. Derivatives are
central differences over the stated errors themselves, at some samples and on a spline between them;
`HIGHER` allows for third ones. What the spline misses is looked at once between neighbouring
samples, where the squares of the velocities, which it should follow, are farthest from their own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from ....arm.kinetics import body_motion, force_regressor, momentum_regressor
from ....arrays import Array, IntArray
from ...nuisance import Effect, NuisanceBlock
from ...quadrature import HIGHER, cell_ends, relative_square
from .stated import Stated, Window

CELLS = 8  # of a window, at whose ends first derivatives are taken
CURVATURE_CELLS = 2  # ... and second ones
FIRST = 0.01  # of the first derivatives: what the spline through the probes may miss


@dataclass(frozen=True)
class JointZero(NuisanceBlock[Window]):
    """Constant error of each joint's position."""

    @classmethod
    def of(cls, stated: Stated) -> JointZero:
        """Return it as it is stated."""
        size = stated.each("joint_zero")
        return cls(stated.names("joint_zero"), np.zeros(len(size)), size)

    @property
    def _steps(self) -> Array:
        """The errors of those joints whose zeros may be off, one at a time, shape (k, n)."""
        return np.diag(self.half_width)[self.half_width > 0.0]

    def effect(self, window: Window) -> Effect:
        """Return what it does to the equations of a window."""
        slope, missed = self._slopes(window)  # times the errors' sizes
        bend = self._bends(window)  # (n + 1, n, 10), times their squares
        largest = np.abs(slope).sum(axis=0)
        whole = np.abs(window.links) + window.links_half
        rest = HIGHER * bend + FIRST * largest + missed
        left_out = np.einsum("bjk,bk->j", largest[:-1], window.links_half)
        left_out += np.einsum("bjk,bk->j", rest[:-1], whole)
        n, off = len(self.half_width), np.flatnonzero(self.half_width)
        columns = np.zeros((n, n))
        columns[:, off] = -np.einsum("abjk,bk->ja", slope[:, :-1], window.links)
        columns[:, off] /= self.half_width[off]
        return Effect(columns, left_out, largest[-1] + rest[-1])

    def _slopes(self, window: Window) -> tuple[Array, Array]:
        """Return e_j dR/dq_j for each joint that may be off, and what it may miss of them all.

        Shapes (k, n + 1, n, 10) and (n + 1, n, 10).
        """
        stamp, dq, weight = window.samples.stamp, window.samples.dq, window.weight
        probe = cell_ends(len(stamp), CELLS)
        between = CubicSpline(stamp[probe], np.eye(len(probe)))(stamp)  # (N, P)
        square = relative_square(dq)
        off = np.abs(square - between @ square[probe])
        cells = list(zip(probe[:-1], probe[1:], strict=True))
        check = np.array([a + np.argmax(off[a : b + 1]) for a, b in cells])
        at, steps = np.concatenate([probe, check]), self._steps
        both = self._regressors(window, at, np.concatenate([steps, -steps]))
        momentum, force = (np.subtract(*np.split(moved, 2)) / 2.0 for moved in both)
        force, seen = np.split(force, [len(probe)], axis=1)
        slope = momentum[:, len(probe) - 1] - momentum[:, 0]
        slope = slope - np.einsum("p,kp...->k...", weight @ between, force)
        beside = np.abs(seen - np.einsum("cp,kp...->kc...", between[check], force)).sum(axis=0)
        size = [weight[a + 1 : b].sum() for a, b in cells]
        return slope, np.einsum("c,c...->...", size, beside)

    def _bends(self, window: Window) -> Array:
        """Return 1/2 sum_ij e_i e_j |d2R/dq_i dq_j|, shape (n + 1, n, 10)."""
        probe = cell_ends(len(window.samples), CURVATURE_CELLS)
        e = self._steps
        first, second = np.triu_indices(len(e), 1)
        steps = [np.zeros((1, len(self.half_width))), e, -e, e[first] + e[second]]
        rows = self._rows(window, probe, np.concatenate(steps))
        here, ahead, back, both = np.split(rows, np.cumsum([len(x) for x in steps[:-1]]))
        total = 0.5 * np.abs(ahead + back - 2.0 * here).sum(axis=0)
        mixed = both - ahead[first] - ahead[second] + here
        return np.asarray(total + np.abs(mixed).sum(axis=0))

    def _rows(self, window: Window, probe: IntArray, steps: Array) -> Array:
        """Return the coefficients at positions moved by each step, shape (K, n + 1, n, 10).

        Args:
            window: Of the samples.
            probe: Which of them are used, shape (P,).
            steps: Shape (K, n) [rad or m].
        """
        momentum, force = self._regressors(window, probe, steps)
        stamp = window.samples.stamp
        between = CubicSpline(stamp[probe], np.eye(len(probe)))(stamp)  # (N, P)
        change = momentum[:, -1] - momentum[:, 0]
        return np.asarray(change - np.einsum("p,kp...->k...", window.weight @ between, force))

    @staticmethod
    def _regressors(window: Window, probe: IntArray, steps: Array) -> tuple[Array, Array]:
        """Return W_m and W_c at positions moved by each step, shape (K, P, n + 1, n, 10) each.

        Args:
            window: Of the samples.
            probe: Which of them are used, shape (P,).
            steps: Shape (K, n) [rad or m].
        """
        samples, (K, n), P = window.samples, steps.shape, len(probe)
        q = (samples.q[probe] + steps[:, None]).reshape(K * P, n)
        dq = np.broadcast_to(samples.dq[probe], (K, P, n)).reshape(K * P, n)
        motion = body_motion(window.model, q, dq)
        shape = (K, P, n + 1, n, 10)
        return momentum_regressor(motion).reshape(shape), force_regressor(motion).reshape(shape)
