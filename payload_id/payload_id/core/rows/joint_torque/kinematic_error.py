"""How errors of measured positions and velocities reach the coefficients of the rows.

The coefficients are smooth functions of q and dq. To first order an error of at most e_i on
coordinate i moves a coefficient by at most |dW/dx_i| e_i; errors of different samples are
independent, so that their effects on an integral add up in magnitude. The derivatives are taken
by differences at some of the samples: at the first, the last, and where the arm is fastest in each
cell between, since they grow with the speed. At equal distances a vibration of all joints that is
in step with them could be at rest whenever it is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arm.arm_model import ArmModel
from ...arm.kinetics import body_motion, force_regressor, momentum_regressor
from ...arrays import Array, IntArray
from ...samples.joint_samples import Samples
from ..quadrature import cell_ends, fastest
from .uncertainty import Uncertainty

CELLS = 8  # of a window, in each of which derivatives are taken once
SECOND_ORDER = 1.05  # allowance for curvature and for the samples between the probes


@dataclass(frozen=True)
class Sensitivity:
    """By how much errors of positions and velocities can move the coefficients of K windows.

    Attributes:
        force: The mean of W_c over the window, shape (K, n + 1, n, 10).
        first: W_m at its first sample, shape (K, n + 1, n, 10).
        last: W_m at its last sample, shape (K, n + 1, n, 10).
    """

    force: Array
    first: Array
    last: Array

    def at_ends(self, end_weights: Sequence[Array]) -> Array:
        """Return what the samples at the ends add, (K, n + 1, n, 10).

        Args:
            end_weights: By how much errors of W_m at single samples enter at the start and at the
                end.
        """
        return end_weights[0] * self.first + end_weights[1] * self.last

    @classmethod
    def of_each(cls, windows: Sequence[Sensitivity]) -> Sensitivity:
        """Return that of all windows."""
        if len(windows) == 1:
            return windows[0]
        names = ("force", "first", "last")
        return cls(*(np.concatenate([getattr(x, name) for x in windows]) for name in names))


@dataclass(frozen=True)
class Probes:
    """The largest changes of W_c and W_m at some samples of a window.

    Attributes:
        sample: Their numbers, shape (P,), the first and the last sample among them.
        cell: Which of them is the probe of each cell, shape (C,).
        force: Of W_c, shape (P, n + 1, n, 10).
        momentum: Of W_m, shape (P, n + 1, n, 10).
    """

    sample: IntArray
    cell: IntArray
    force: Array
    momentum: Array

    @classmethod
    def of(cls, model: ArmModel, uncertainty: Uncertainty, samples: Samples) -> Probes:
        """Return those of the samples of one window."""
        position = uncertainty.per_joint("position_error", model.n)
        velocity = uncertainty.per_joint("velocity_error", model.n)
        if not (position.any() or velocity.any()):
            none = np.zeros((2, model.n + 1, model.n, 10))
            return cls(np.array([0, len(samples) - 1]), np.array([0]), none, none)
        fast = fastest(samples.dq, cell_ends(len(samples), CELLS))
        probe = np.unique([0, *fast, len(samples) - 1])
        cell = np.searchsorted(probe, fast)
        q, dq = samples.q[probe], samples.dq[probe]
        return cls(probe, cell, *sensitivity(model, q, dq, position, velocity))

    def whole(self) -> Sensitivity:
        """Return the sensitivity of the window."""
        force = np.mean(self.force[self.cell], axis=0, keepdims=True)
        return Sensitivity(force, self.momentum[:1], self.momentum[-1:])

    def part(self, first: int, last: int) -> Sensitivity:
        """Return that of a part of the window, the most at the probes in it and about it.

        Args:
            first: Number of the part's first sample.
            last: Number of its last sample.
        """
        start = int(np.searchsorted(self.sample, first, "right")) - 1
        stop = int(np.searchsorted(self.sample, last)) + 1
        force, momentum = (x[start:stop].max(axis=0)[None] for x in (self.force, self.momentum))
        return Sensitivity(force, momentum, momentum)


def sensitivity(
    model: ArmModel, q: Array, dq: Array, position: Array, velocity: Array
) -> tuple[Array, Array]:
    """Return the largest changes of W_c and W_m at each sample, (N, n + 1, n, 10) each."""
    N, n = q.shape
    none = np.zeros((1, n))
    of_q, of_dq = (np.diag(size)[size > 0.0] for size in (position, velocity))
    steps_q = np.concatenate([none, of_q, 0.0 * of_dq])  # the first step is none: the centre
    steps_dq = np.concatenate([none, 0.0 * of_q, of_dq])
    # One after the other they would cost far more: each call takes a while, however few samples.
    moved = body_motion(
        model, (q + steps_q[:, None]).reshape(-1, n), (dq + steps_dq[:, None]).reshape(-1, n)
    )
    shape = (len(steps_q), N, n + 1, n, 10)
    force, momentum = force_regressor(moved), momentum_regressor(moved)
    return _moved(force.reshape(shape)), _moved(momentum.reshape(shape))


def _moved(rows: Array) -> Array:
    """Return by how much all steps but the first change what is there with the first."""
    return np.asarray(np.abs(rows[1:] - rows[0]).sum(axis=0))
