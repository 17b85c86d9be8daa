"""What estimators share: typical sizes, the ball that stands for unseen directions, the edge."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..body.inertial import from_mass_com_inertia, from_pseudo_inertia, pseudo_inertia
from ..statistics.normal_form import NormalForm

EPSILON = 1e-8  # smallest eigenvalue of the scaled J that counts as consistent
TINY = 1e-10  # ... that searches over consistent bodies may come to
PULL = 1e-7  # weight of the ball, relative to the data's largest singular value
UNSEEN = 1e-12  # part of the largest singular value below which a direction is not seen
BALL_MASS = 1e-3  # [kg] least mass of the ball
BALL_RADIUS = 0.03  # [m]


def free_fit(form: NormalForm) -> Array:
    """Return the least-squares phi, the smallest one where data leave a choice, shape (10,)."""
    return np.linalg.lstsq(form.R, form.z, rcond=1e-12)[0]


def ball(phi: Array, upper: Array) -> Array:
    """Return a ball with about the mass and centre of phi: the guess where data say nothing."""
    mass = float(np.clip(phi[0], BALL_MASS, max(upper[0], BALL_MASS)))
    reach = float(np.clip(upper[1] / max(upper[0], BALL_MASS), 0.0, 1.0))
    com = np.clip(phi[1:4] / mass, -reach, reach)
    return from_mass_com_inertia(mass, com, 0.4 * mass * BALL_RADIUS**2 * np.eye(3))


def typical_size(phi: Array, upper: Array) -> Array:
    """Return typical sizes of phi's entries as powers of one mass and one length, shape (10,)."""
    mass = float(np.clip(abs(phi[0]), 1e-3, max(upper[0], 1e-3)))
    spread = float(np.sum(np.abs(phi[[4, 7, 9]])) / mass)
    length = float(np.clip(np.sqrt(spread), 0.02, 1.0))
    return mass * np.array([1.0] + [length] * 3 + [length**2] * 6)


def drawn_to(R: Array, z: Array, guess: Array) -> tuple[Array, Array]:
    """Add rows that draw scaled parameters to a guess, with hardly any weight.

    The weight is small against the least direction that the data see at all, too.
    """
    values = np.linalg.svd(R, compute_uv=False)
    seen = values[values > UNSEEN * values[0]] if values[0] > 0 else values[:0]
    weight = 1.0
    if len(seen):
        weight = float(np.clip(1e-3 * seen[-1], UNSEEN * values[0], PULL * values[0]))
    return np.vstack([R, weight * np.eye(10)]), np.concatenate([z, weight * guess])


def square(R: Array, z: Array) -> tuple[Array, Array]:
    """Return an equivalent problem with a square R of norm one."""
    Q, factor = np.linalg.qr(R)
    size = max(float(np.linalg.norm(factor, 2)), 1e-300)
    return factor / size, Q.T @ z / size


def off_the_edge(x: Array, margin: float = EPSILON) -> Array:
    """Return scaled parameters, moved to where every eigenvalue of J is at least margin."""
    values, axes = np.linalg.eigh(pseudo_inertia(x))
    if values[0] >= margin:
        return x
    return from_pseudo_inertia((axes * np.maximum(values, margin)) @ axes.T)
