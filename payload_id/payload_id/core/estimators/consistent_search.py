r"""Least squares over factors of the pseudo-inertia, J(phi) = U(theta) U(theta)'.

Whatever theta, such a body is consistent. Charts theta are members (`log_cholesky`, `manifold`):
each gives U, its derivatives at a point, and the point that a step leads to. Newton's method with
a trust region and analytic Hessians, which also leaves saddles [Conn2000, ch. 7], ends at a minimum
of the chart; where that is an edge that is no minimum among bodies, `ScaledProblem.searched` begins
again beyond it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import scipy
from typing_extensions import Self

from ..arrays import Array
from ..body.inertial import FROM_PSEUDO_INERTIA_BASIS, from_pseudo_inertia
from .problem import ScaledProblem

SUFFICIENT, POOR, FINE = 1e-4, 0.25, 0.75  # of the decrease that the model predicts [Conn2000]
ROUNDING = 1e-16  # relative decrease of the cost that ends a search
TINY = 1e-150  # in place of zero in a denominator, whose square is none yet


class Chart(Protocol):
    """A point theta of a chart of ten coordinates."""

    def factor(self) -> Array:
        """Return U, shape (4, 4)."""

    def factor_derivatives(self) -> tuple[Array, Array]:
        """Return dU/dstep (10, 4, 4) and its derivatives (10, 10, 4, 4), both at step zero."""

    def moved(self, step: Array) -> Self:
        """Return the point that a step leads to."""


def phi_at(point: Chart) -> Array:
    """Return the inertial parameters, shape (10,)."""
    U = point.factor()
    return from_pseudo_inertia(U @ U.T)


def derivatives(point: Chart) -> tuple[Array, Array]:
    """Return d phi_i / d step_j, shape (10, 10), and d2 phi_i / d step_j d step_k, (10, 10, 10)."""
    U = point.factor()
    dU, ddU = point.factor_derivatives()
    half = dU @ U.T
    first = half + np.swapaxes(half, -1, -2)
    half = ddU @ U.T + np.einsum("jab,kcb->jkac", dU, dU)
    second = half + np.swapaxes(half, -1, -2)
    return _to_phi(first).T, np.moveaxis(_to_phi(second), -1, 0)


def cost_derivatives(problem: ScaledProblem, point: Chart) -> tuple[Array, Array]:
    """Return gradient (10,) and Hessian (10, 10) of half the sum of squares."""
    first, second = derivatives(point)
    pull = problem.R.T @ (problem.R @ phi_at(point) - problem.z)
    wide = problem.R @ first
    return first.T @ pull, wide.T @ wide + np.tensordot(pull, second, axes=1)


def minimum(problem: ScaledProblem, chart: Callable[[Array], Chart], steps: int) -> Array:
    """Return the scaled parameters of least cost among the consistent ones, shape (10,).

    Args:
        problem: What is minimised.
        chart: Returns the point of consistent scaled parameters.
        steps: Most steps of each search; fewer give an earlier, still consistent, answer.
    """
    return problem.searched(lambda start: phi_at(_descended(problem, chart(start), steps)))


def _descended(problem: ScaledProblem, point: Chart, steps: int) -> Chart:
    """Return where Newton's method with a trust region ends."""
    cost, radius = problem.cost(phi_at(point)), 1.0
    least = ROUNDING**2 * float(problem.z @ problem.z)
    for _ in range(steps):
        gradient, hessian = cost_derivatives(problem, point)
        step = _trusted_step(gradient, hessian, radius)
        predicted = -float(gradient @ step + 0.5 * step @ hessian @ step)
        if predicted <= ROUNDING * cost + least:
            break
        ahead = point.moved(step)
        decrease = (cost - problem.cost(phi_at(ahead))) / predicted
        length = float(np.linalg.norm(step))
        if decrease < POOR:
            radius = POOR * length
        elif decrease > FINE:
            radius = max(radius, 2.0 * length)
        if decrease > SUFFICIENT:
            point, cost = ahead, problem.cost(phi_at(ahead))
    return point


def _trusted_step(gradient: Array, hessian: Array, radius: float) -> Array:
    """Return the step of at most a radius that minimises the quadratic model, shape (10,)."""
    size = max(float(np.max(np.abs(hessian))), float(np.max(np.abs(gradient))), TINY)
    values, axes = np.linalg.eigh(hessian / size)
    along = axes.T @ (gradient / size)

    def step(shift: float) -> Array:
        return np.asarray(-along / np.maximum(values + shift, TINY))

    if values[0] > 0.0 and np.linalg.norm(step(0.0)) <= radius:
        return np.asarray(axes @ step(0.0))
    least = max(abs(float(along[0])) / radius - float(values[0]), 0.0)
    found = step(least)
    if np.linalg.norm(found) <= radius:  # the lowest axis has no slope: either way is downhill
        found[0] = np.sqrt(radius**2 - float(found[1:] @ found[1:]))
        return np.asarray(axes @ found)
    most = max(-float(values[0]), 0.0) + 2.0 * float(np.linalg.norm(along)) / radius
    shift = scipy.optimize.brentq(
        lambda x: 1.0 / radius - 1.0 / np.linalg.norm(step(x)), least, most, xtol=TINY
    )
    found = step(shift)
    return np.asarray(axes @ found * min(1.0, radius / float(np.linalg.norm(found))))


def _to_phi(J: Array) -> Array:
    """Return phi of stacked pseudo-inertia matrices, shape (..., 10)."""
    return np.asarray(np.einsum("iab,...ab->...i", FROM_PSEUDO_INERTIA_BASIS, J))
