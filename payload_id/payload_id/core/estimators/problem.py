"""The least-squares problem that the physically consistent estimators solve, in scaled units."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..body.inertial import FROM_PSEUDO_INERTIA_BASIS, from_pseudo_inertia, pseudo_inertia
from ..body.shape import Shape
from ..statistics.normal_form import NormalForm, without_attenuation
from ..statistics.statistics import Statistics
from .scaling import EPSILON, TINY, ball, drawn_to, free_fit, off_the_edge, square, typical_size
from .trust_region import ROUNDING

RESTARTS = 8  # most searches, one after the other
WORTH = 1e-9  # relative decrease of the cost for which a search is begun again


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
        start: Array | None = self.start()
        x = self.guess
        for _ in range(RESTARTS):
            if start is None:
                break
            x = off_the_edge(search(start), TINY)
            start = self.better(x)
        return x


def likely_body(free: Array, upper: Array, shape: Shape | None) -> Array:
    """Return a body of about the mass of a free fit: of the shape if it is known, else a ball."""
    guess = ball(free, upper)
    return guess if shape is None else guess[0] * shape.solid


def denoised(statistics: Statistics) -> NormalForm:
    """Return the rows weighted by channel, the noise of the coefficients accounted for.

    Only rows with a static part (a wrench's) have coefficients that are measured and noisy; those
    of joint torques are exact but for a remainder, which is no noise.
    """
    form = statistics.balanced()
    if statistics.blended is None:
        return form
    return without_attenuation(form, statistics.noise_moments(free_fit(form)))


def scaled_problem(form: NormalForm, upper: Array, shape: Shape | None = None) -> ScaledProblem:
    """Return the problem of a normal form, unseen directions drawn to a likely body."""
    free = free_fit(form)
    guess = likely_body(free, upper, shape)
    scale = typical_size(free if shape is None else guess, upper)
    R, z = square(*drawn_to(form.R * scale, form.z, guess / scale))
    return ScaledProblem(R, z, scale, np.asarray(guess / scale))
