"""Bodies, turns and least-squares problems at random, and derivatives by differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from arms import draw_payload
from payload_id.core.arrays import Array
from payload_id.core.statistics.normal_form import NormalForm

STEP = 1e-5


def differences(function: Callable[[Array], Array], x: Array) -> Array:
    """Return the derivative of a function at x by central differences, in the last axis."""
    steps = STEP * np.eye(len(x))
    return np.stack([(function(x + s) - function(x - s)) / (2 * STEP) for s in steps], axis=-1)


def random_body(seed: int) -> Array:
    """Return phi of a body of about a metre, shape (10,)."""
    return draw_payload(np.random.default_rng(seed), size=0.5)


def random_turn(seed: int) -> Array:
    """Return a rotation, shape (3, 3)."""
    rotation = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    return rotation * np.sign(np.linalg.det(rotation))


def random_form(
    seed: int, rows: int = 40, noise: float = 0.1, phi: Array | None = None
) -> tuple[NormalForm, Array]:
    """Return a problem in units of its noise, and the true phi."""
    rng = np.random.default_rng(seed)
    phi = random_body(seed) if phi is None else phi
    A = rng.normal(size=(rows, 10)) / noise
    return form_of(A, A @ phi + rng.normal(size=rows)), phi


def form_of(A: Array, b: Array) -> NormalForm:
    """Return the problem of rows A phi = b."""
    factor = np.linalg.qr(np.column_stack([A, b]), mode="r")
    return NormalForm(factor[:10, :10], factor[:10, 10], abs(factor[10, 10]), len(b))
