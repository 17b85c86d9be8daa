r"""Least squares with an entropic prior around a body [Lee2020].

Minimise over phi and the body's size s

    1/2 |R phi - z|^2 + gamma d(J(phi), s J0),  d(J, J0) = -log det J + tr(J0^-1 J) + log det J0 - 4

(eq. 21 of [Lee2020]: twice the Kullback-Leibler divergence of two zero-mean Gaussians). The rows
are in units of their noise, so that gamma has a meaning: exp(-gamma d) is a prior under which the
second moments depart from the homogeneous body's by 1/sqrt(gamma), relatively. How far bodies of
known shape depart from homogeneity is a matter of the body, so gamma is not fixed but estimated
along by the evidence [MacKay1992]: gamma ~ Gamma(PRIOR_DEGREES, mean 1 / DEPARTURE^2), which makes
the prior of phi heavy-tailed. A body unlike its homogeneous solid keeps a small gamma as soon as
the data say so; one like it gets a large gamma. The size is drawn, with the weight of a single row,
to that of a free fit: rows of noise alone have a minimum too.

J0 is a ball's, or, where the shape is known, that of the body that the data suggest among the
homogeneous solid and such of several materials (`body_mixture`).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.linalg import solve_triangular

from ..arrays import Array
from ..body.inertial import (
    PSEUDO_INERTIA_BASIS,
    congruence,
    from_pseudo_inertia,
    pseudo_inertia,
    typical_size,
)
from ..statistics.normal_form import NormalForm
from ..statistics.statistics import Statistics
from .body_mixture import BodyMixture
from .estimator import Estimator
from .problem import (
    TINY,
    denoised,
    free_fit,
    likely_body,
    off_the_edge,
    weight_beside_prior,
)

DEPARTURE_OF_SHAPE = 0.05  # typical relative departure of second moments from a known solid's
DEPARTURE_OF_BALL = 1.0  # ... from a ball's, where no shape is known
PRIOR_DEGREES = 2.0  # shape of gamma's prior: a Student's t with twice as many degrees of freedom
DIRECTIONS = 9  # of departure: ten parameters less the mass
ROUNDS = 12
NEWTON_STEPS = 2000
FINE = 1e-7  # gain in the cost, in units of the noise's variance, of the last step
SETTLED = 2e-3  # relative change of gamma that ends the search for it
MOST_NEGATIVE = 0.9


class Entropic(Estimator):
    """Least squares, drawn in the entropic distance to what a body of the shape is likely to be.

    Without a shape that is a small ball at the centre of mass that the data suggest. The estimate
    is always consistent: -log det J keeps it off the edge.
    """

    name = "entropic"
    physical = True
    citation = "Lee2020"

    @cached_property
    def _mixture(self) -> BodyMixture | None:
        """Return the bodies that the shape may be; None without a shape."""
        if self.shape is None:
            return None
        return BodyMixture.of(self.shape, DEPARTURE_OF_SHAPE, PRIOR_DEGREES)

    def estimate(self, statistics: Statistics, lower: Array, upper: Array) -> Array:
        """Return phi, shape (10,), with J(phi) > 0; the bounds are not used."""
        form = denoised(statistics)
        body, departure = likely_body(free_fit(form), upper), DEPARTURE_OF_BALL
        if self._mixture is not None:
            mass, departure = float(body[0]), DEPARTURE_OF_SHAPE
            body = mass * self._mixture.suggested(form, mass)
        phi = with_entropic_prior(form, body, departure)
        # Data far from any body lead near the edge, where rounding could make J indefinite.
        scale = typical_size(phi, upper[0])
        return off_the_edge(phi / scale, TINY) * scale


def with_entropic_prior(form: NormalForm, body: Array, departure: float) -> Array:
    """Return the phi that balances data and distance from a body, shape (10,).

    Args:
        form: The data, in units of their noise.
        body: Consistent phi; its mass is only where the search begins.
        departure: Typical relative departure of bodies from it.
    """
    T = congruence(np.linalg.cholesky(pseudo_inertia(body)))  # phi = T y, J(y) = 1 at the body
    weight = weight_beside_prior(float(np.linalg.norm(form.R @ T, 2)) * departure)
    R, z = weight * form.R @ T, weight * form.z
    y, gamma, before = from_pseudo_inertia(np.eye(4)), departure**-2, np.inf
    for _ in range(ROUNDS):
        y = _newton(R, z, gamma, y)
        if abs(gamma - before) < SETTLED * before:
            break
        before, gamma = gamma, _evidence(R, y, gamma, departure**-2)
    return np.asarray(T @ y)


def divergence(y: Array) -> float:
    """Return the distance of J(y) from the nearest multiple of 1: 4 log(tr J / 4) - log det J."""
    values = np.linalg.eigvalsh(pseudo_inertia(y))
    if values[0] <= 0:
        return float("inf")
    return float(4.0 * np.log(values.mean()) - np.log(values).sum())


def divergence_derivatives(y: Array) -> tuple[Array, Array, Array]:
    """Return the gradient, and W (16, 10) and t (10,) with W'W - t t' the Hessian."""
    root = _convex_root(y)
    t = 2.0 * _TRACES / np.trace(pseudo_inertia(y))
    return 2.0 * t - root[[0, 5, 10, 15]].sum(axis=0), root, t


def _convex_root(y: Array) -> Array:
    """Return W, shape (16, 10), with W'W the Hessian of -log det J: columns J^-1/2 E_k J^-1/2."""
    values, axes = np.linalg.eigh(pseudo_inertia(y))
    S = axes / np.sqrt(np.maximum(values, 1e-15 * values[-1]))
    return np.asarray((S.T @ PSEUDO_INERTIA_BASIS @ S).reshape(10, 16).T)


_TRACES = np.trace(PSEUDO_INERTIA_BASIS, axis1=1, axis2=2)


def _of_mass(y: Array) -> float:
    """Return how unlikely the size of J(y) is, tr J / 4 - log(tr J / 4), least where it is one."""
    size = float(_TRACES @ y) / 4.0
    return size - float(np.log(size)) if size > 0 else float("inf")


def _newton(R: Array, z: Array, gamma: float, y: Array) -> Array:
    """Minimise 1/2 |R y - z|^2 + gamma divergence(y) + `_of_mass`(y) by Newton steps from y."""

    def cost(y: Array) -> float:
        left = R @ y - z
        return 0.5 * float(left @ left) + gamma * divergence(y) + _of_mass(y)

    value = cost(y)
    for _ in range(NEWTON_STEPS):
        step, decrease = _step(R, z - R @ y, gamma, y)
        length = 1.0
        if decrease < FINE and np.isfinite(cost(y + step)):
            return y + step
        while (new := cost(y + length * step)) > value - 1e-4 * length * decrease:
            length /= 2.0
            if length < 1e-10:
                return y
        y, value = y + length * step, new
    return y


def _step(R: Array, left: Array, gamma: float, y: Array) -> tuple[Array, float]:
    """Return the Newton step from y of what `_newton` minimises, and twice what it gains.

    By orthogonal factors: the weights of data and prior may differ by many powers of ten. Of the
    Hessian's negative part, of rank one, as much is taken as leaves it positive.
    """
    _, root, t = divergence_derivatives(y)
    weight, size = np.sqrt(gamma), float(_TRACES @ y) / 4.0
    # -log det J has the gradient -W'e, e the diagonal's entries; the rest depends on tr J alone.
    rest = 2.0 * gamma * t + (1.0 - 1.0 / size) * _TRACES / 4.0
    Q, factor = np.linalg.qr(np.vstack([R, weight * root]))
    turned = solve_triangular(factor, np.column_stack([rest, t]), trans="T", check_finite=False)
    seen = Q.T @ np.concatenate([left, weight * np.eye(4).ravel()]) - turned[:, 0]
    negative = np.sqrt(max(gamma - 0.25, 0.0)) * turned[:, 1]
    share, more = float(negative @ negative), seen
    if share < MOST_NEGATIVE:  # Sherman and Morrison's formula
        more = seen + negative * float(negative @ seen) / (1.0 - share)
    return solve_triangular(factor, more, check_finite=False), float(seen @ more)


def _evidence(R: Array, y: Array, gamma: float, expected: float) -> float:
    """Return the gamma under which departures like y's, and their uncertainty, are most likely.

    An expectation-maximisation step: E[2 d] = 2 d(y) + (directions that the data leave) / gamma.
    """
    factor = np.linalg.qr(np.vstack([R, np.sqrt(gamma) * _convex_root(y)]))[1]
    learnt = float(np.linalg.norm(solve_triangular(factor, R.T, trans="T")) ** 2) - 1.0
    left = DIRECTIONS - np.clip(learnt, 0.0, DIRECTIONS)
    degrees = 2.0 * PRIOR_DEGREES
    return (DIRECTIONS + degrees) / (2.0 * divergence(y) + left / gamma + degrees / expected)
