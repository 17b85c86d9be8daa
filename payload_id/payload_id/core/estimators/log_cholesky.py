r"""Least squares over log-Cholesky parameters, which cannot leave consistency [ZZV, Sec. II-B].

J(phi) = U U', U = exp(alpha) [[V, t], [0, 1]], V upper triangular with diagonal exp(d)
[Rucker2022]; eta = [alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3]. Every eta is a consistent body,
and every consistent body has one eta, so that the minimum needs no constraints.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..body.inertial import pseudo_inertia
from ..statistics.statistics import Statistics
from .consistent_search import minimum
from .estimator import Estimator
from .problem import ScaledProblem, denoised, scaled_problem

STEPS = 1000  # most of a search; all but a few in a hundred take less than a tenth
SHEARS = ((0, 1), (1, 2), (0, 2))


class LogCholesky(Estimator):
    """Minimise |R phi(eta) - z|^2 over eta.

    Where the least-squares fit is consistent it is the answer; elsewhere the search goes towards
    the edge of consistency and never reaches it.
    """

    name = "log_cholesky"
    physical = True
    citation = "ZZV"

    def estimate(self, statistics: Statistics, lower: Array, upper: Array) -> Array:
        """Return phi, shape (10,), with J(phi) > 0; the bounds are not used."""
        problem = scaled_problem(denoised(statistics), upper, self.shape)
        return np.asarray(log_cholesky_minimum(problem) * problem.scale)


def log_cholesky_minimum(problem: ScaledProblem) -> Array:
    """Return the scaled parameters of least cost among the consistent ones, shape (10,)."""
    return minimum(problem, LogCholeskyParameters.of, STEPS)


@dataclass(frozen=True, eq=False)
class LogCholeskyParameters:
    """A body.

    Attributes:
        eta: Shape (10,).
    """

    eta: Array

    @classmethod
    def of(cls, phi: Array) -> LogCholeskyParameters:
        """Return those of consistent inertial parameters.

        Raises:
            numpy.linalg.LinAlgError: J(phi) is singular.
        """
        # J = U U' with U upper triangular: Cholesky's factor of J turned over.
        U = np.linalg.cholesky(pseudo_inertia(phi)[::-1, ::-1])[::-1, ::-1]
        alpha = np.log(U[3, 3])
        U = U / U[3, 3]
        shears = [U[place] for place in SHEARS]
        return cls(np.concatenate([[alpha], np.log(np.diag(U)[:3]), shears, U[:3, 3]]))

    def moved(self, step: Array) -> LogCholeskyParameters:
        """Return eta + step."""
        return LogCholeskyParameters(self.eta + step)

    def factor(self) -> Array:
        """Return U(eta), shape (4, 4)."""
        U = np.eye(4)
        U[range(3), range(3)] = np.exp(self.eta[1:4])
        for value, place in zip(self.eta[4:7], SHEARS, strict=True):
            U[place] = value
        U[:3, 3] = self.eta[7:]
        return np.asarray(np.exp(self.eta[0]) * U)

    def factor_derivatives(self) -> tuple[Array, Array]:
        """Return the first (10, 4, 4) and second (10, 10, 4, 4) derivatives of U."""
        U, size = self.factor(), np.exp(self.eta[0])
        first = np.zeros((10, 4, 4))
        first[0] = U
        for k in range(3):
            first[1 + k, k, k] = U[k, k]
            first[4 + k][SHEARS[k]] = size
            first[7 + k, k, 3] = size
        second = np.zeros((10, 10, 4, 4))
        second[0, :], second[:, 0] = first, first  # alpha scales everything
        for k in range(1, 4):
            second[k, k] = first[k]
        return first, second
