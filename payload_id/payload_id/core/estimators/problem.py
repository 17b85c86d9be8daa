"""What estimators share: a free fit, a body of likely size, and least squares over bodies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..body.inertial import (
    FROM_PSEUDO_INERTIA_BASIS,
    LEAST_MASS,
    from_mass_com_inertia,
    from_pseudo_inertia,
    pseudo_inertia,
    typical_size,
)
from ..body.shape import Shape
from ..statistics.normal_form import NormalForm, without_attenuation
from ..statistics.statistics import Statistics

EPSILON = 1e-8  # smallest eigenvalue of the scaled J that counts as consistent
TINY = 1e-10  # ... that searches over consistent bodies may come to
PULL = 1e-7  # weight of the likely body, relative to the data's largest singular value
UNSEEN = 1e-12  # part of the largest singular value below which a direction is not seen
BALL_RADIUS = 0.03  # [m]
RESTARTS = 8  # most searches, one after the other
WORTH = 1e-9  # relative decrease of the cost for which a search is begun again
ROUNDING = 1e-28  # of the scale: costs below are zero
RESOLUTION = 1e8  # largest weight of data against a prior that double precision can hold


def denoised(statistics: Statistics) -> NormalForm:
    """Return the rows weighted by channel, the noise of the coefficients accounted for.

    Only rows with a static part (a wrench's) have coefficients that are measured and noisy; those
    of joint torques are exact but for a remainder, which is no noise.
    """
    form = statistics.balanced()
    if statistics.blended is None:
        return form
    return without_attenuation(form, statistics.noise_moments(free_fit(form)))


def free_fit(form: NormalForm) -> Array:
    """Return the least-squares phi, the smallest one where data leave a choice, shape (10,)."""
    return np.linalg.lstsq(form.R, form.z, rcond=1e-12)[0]


def likely_body(free: Array, upper: Array, shape: Shape | None = None) -> Array:
    """Return a body of about the mass of a free fit: of the shape if it is known, else a ball.

    The ball is about the centre of mass of the fit.
    """
    mass = float(np.clip(free[0], LEAST_MASS, max(upper[0], LEAST_MASS)))
    if shape is not None:
        return mass * shape.solid
    reach = float(np.clip(upper[1] / max(upper[0], LEAST_MASS), 0.0, 1.0))
    com = np.clip(free[1:4] / mass, -reach, reach)
    return from_mass_com_inertia(mass, com, 0.4 * mass * BALL_RADIUS**2 * np.eye(3))


def weight_beside_prior(size: float) -> float:
    """Return by what rows of a size are multiplied so that a prior of weight one is not lost."""
    return RESOLUTION / size if size > RESOLUTION else 1.0


def off_the_edge(x: Array, margin: float = EPSILON) -> Array:
    """Return scaled parameters, moved to where every eigenvalue of J is at least margin."""
    values, axes = np.linalg.eigh(pseudo_inertia(x))
    if values[0] >= margin:
        return x
    return from_pseudo_inertia((axes * np.maximum(values, margin)) @ axes.T)


@dataclass(frozen=True)
class ScaledProblem:
    """Minimise |R x - z|^2, phi = scale * x; R has norm one and full rank.

    Attributes:
        R: Shape (10, 10).
        z: Shape (10,).
        scale: Powers of one mass and one length, so that consistency of phi is that of x.
        guess: A body of likely size, where the data say nothing; scaled, consistent.
    """

    R: Array
    z: Array
    scale: Array
    guess: Array

    def cost(self, x: Array) -> float:
        """Return half the sum of squares."""
        left = self.R @ x - self.z
        return 0.5 * float(left @ left)

    def start(self) -> Array:
        """Return a consistent x near the least-squares fit, well inside."""
        free = np.linalg.solve(self.R, self.z)
        values, axes = np.linalg.eigh(pseudo_inertia(free))
        if values[0] > EPSILON:
            return free
        least = np.linalg.eigvalsh(pseudo_inertia(self.guess))[0]
        return from_pseudo_inertia((axes * np.maximum(values, least)) @ axes.T)

    def better(self, x: Array) -> Array | None:
        """Return a consistent point of lower cost if x is not the minimum, else None.

        In J the problem is convex: x is the minimum iff the gradient G has v'Gv >= 0 for all v (and
        vanishes along J). A negative direction v, along which J may be flat, is entered: J + t v v'
        with the best t.
        """
        left = self.R @ x - self.z
        G = np.tensordot(self.R.T @ left, FROM_PSEUDO_INERTIA_BASIS, axes=1)
        values, axes = np.linalg.eigh(G)
        added = from_pseudo_inertia(np.outer(axes[:, 0], axes[:, 0]))
        rise = float(np.sum((self.R @ added) ** 2))
        gain = 0.5 * values[0] ** 2 / rise if values[0] < 0 and rise > 0 else 0.0
        if gain <= WORTH * self.cost(x) + ROUNDING * float(self.z @ self.z):
            return None
        return x - values[0] / rise * added

    def searched(self, search: Callable[[Array], Array]) -> Array:
        """Return the x of least cost, shape (10,), begun again where a search ends at an edge.

        Args:
            search: Returns where a search that begins at a consistent x ends.
        """
        x = start = self.start()
        if self.cost(start) <= ROUNDING * float(self.z @ self.z):
            return start
        for _ in range(RESTARTS):
            x = off_the_edge(search(start), TINY)
            better = self.better(x)
            if better is None:
                break
            start = better
        return x


def scaled_problem(form: NormalForm, upper: Array, shape: Shape | None = None) -> ScaledProblem:
    """Return the problem of a normal form.

    Directions that the data do not see are drawn to a likely body, with a weight that is small
    against the least direction that they see at all.
    """
    free = free_fit(form)
    guess = likely_body(free, upper, shape)
    scale = typical_size(free if shape is None else guess, upper[0])
    R, guess = form.R * scale, np.asarray(guess / scale)
    values = np.linalg.svd(R, compute_uv=False)
    seen = values[values > UNSEEN * values[0]] if values[0] > 0 else values[:0]
    weight = 1.0
    if len(seen):
        weight = float(np.clip(1e-3 * seen[-1], UNSEEN * values[0], PULL * values[0]))
    Q, factor = np.linalg.qr(np.vstack([R, weight * np.eye(10)]))
    size = max(float(np.linalg.norm(factor, 2)), 1e-300)
    z = Q.T @ np.concatenate([form.z, weight * guess])
    return ScaledProblem(factor / size, z / size, scale, guess)
