r"""Least squares over log-Cholesky parameters, which cannot leave consistency [ZZV, Sec. II-B].

J(phi) = U U', U = exp(alpha) [[V, t], [0, 1]], V upper triangular with diagonal exp(d)
[Rucker2022]; eta = [alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3]. Every eta is a consistent body,
and every consistent body has one eta, so that the minimum needs no constraints.
"""

from __future__ import annotations

import numpy as np
import scipy

from ..arrays import Array
from ..body.inertial import FROM_PSEUDO_INERTIA_BASIS, from_pseudo_inertia, pseudo_inertia
from ..statistics.statistics import Statistics
from .estimator import Estimator
from .problem import ScaledProblem, denoised, scaled_problem

STEPS = 100
FLAT = 1e-13  # gradient at which the search ends, relative to the cost where nothing fits
SHEARS = ((0, 1), (1, 2), (0, 2))


class LogCholesky(Estimator):
    """Minimise |R phi(eta) - z|^2 over eta by Newton's method with a trust region.

    Gradient and Hessian are analytic. Where the least-squares fit is consistent it is the answer;
    elsewhere the search goes towards the edge of consistency and never reaches it.
    """

    name = "log_cholesky"
    physical = True
    citation = "ZZV"

    def estimate(self, statistics: Statistics, lower: Array, upper: Array) -> Array:
        """Return phi, shape (10,), with J(phi) > 0; the bounds are not used."""
        problem = scaled_problem(denoised(statistics), upper, self.shape)
        return np.asarray(minimum(problem) * problem.scale)


def minimum(problem: ScaledProblem) -> Array:
    """Return the scaled parameters of least cost among the consistent ones, shape (10,)."""

    def search(start: Array) -> Array:
        found = scipy.optimize.minimize(
            lambda eta: problem.cost(phi_of(eta)),
            eta_of(start),
            jac=lambda eta: cost_derivatives(problem, eta)[0],
            hess=lambda eta: cost_derivatives(problem, eta)[1],
            method="trust-exact",
            options={"gtol": FLAT * float(problem.z @ problem.z), "maxiter": STEPS},
        )
        return phi_of(found.x)

    return problem.searched(search)


def factor_of(eta: Array) -> Array:
    """Return U(eta), shape (4, 4)."""
    U = np.eye(4)
    U[range(3), range(3)] = np.exp(eta[1:4])
    for value, place in zip(eta[4:7], SHEARS, strict=True):
        U[place] = value
    U[:3, 3] = eta[7:]
    return np.asarray(np.exp(eta[0]) * U)


def phi_of(eta: Array) -> Array:
    """Return the inertial parameters of log-Cholesky parameters, shape (10,)."""
    U = factor_of(eta)
    return from_pseudo_inertia(U @ U.T)


def eta_of(phi: Array) -> Array:
    """Return the log-Cholesky parameters of consistent inertial parameters, shape (10,)."""
    # J = U U' with U upper triangular: Cholesky's factor of J turned over.
    U = np.linalg.cholesky(pseudo_inertia(phi)[::-1, ::-1])[::-1, ::-1]
    alpha = np.log(U[3, 3])
    U = U / U[3, 3]
    return np.concatenate(
        [[alpha], np.log(np.diag(U)[:3]), [U[place] for place in SHEARS], U[:3, 3]]
    )


def factor_derivatives(eta: Array) -> tuple[Array, Array]:
    """Return the first (10, 4, 4) and second (10, 10, 4, 4) derivatives of U."""
    U = factor_of(eta)
    size = np.exp(eta[0])
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


def derivatives(eta: Array) -> tuple[Array, Array]:
    """Return d phi_i / d eta_j, shape (10, 10), and d2 phi_i / d eta_j d eta_k, (10, 10, 10)."""
    U = factor_of(eta)
    dU, ddU = factor_derivatives(eta)
    half = dU @ U.T
    first = half + np.swapaxes(half, -1, -2)
    half = ddU @ U.T + np.einsum("jab,kcb->jkac", dU, dU)
    second = half + np.swapaxes(half, -1, -2)
    return _to_phi(first).T, np.moveaxis(_to_phi(second), -1, 0)


def _to_phi(J: Array) -> Array:
    """Return phi of stacked pseudo-inertia matrices, shape (..., 10)."""
    return np.asarray(np.einsum("iab,...ab->...i", FROM_PSEUDO_INERTIA_BASIS, J))


def cost_derivatives(problem: ScaledProblem, eta: Array) -> tuple[Array, Array]:
    """Return gradient (10,) and Hessian (10, 10) of half the sum of squares."""
    first, second = derivatives(eta)
    pull = problem.R.T @ (problem.R @ phi_of(eta) - problem.z)
    wide = problem.R @ first
    return first.T @ pull, wide.T @ wide + np.tensordot(pull, second, axes=1)
