"""All bodies of a known mass inside a box: an interval for each of the ten parameters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array
from ..errors import InputError


def weight_in_box(
    mass: tuple[float, float], lower: Sequence[float] | Array, upper: Sequence[float] | Array
) -> tuple[Array, Array]:
    """Return the least and largest phi of a body whose mass all lies in a box.

    Every parameter is the integral of a function f over the body's mass: 1, x, y, z, y^2 + z^2,
    -xy, -xz, x^2 + z^2, -yz, x^2 + y^2. With a <= f <= b in the box and the mass from m to M, it is
    from min(m a, M a) to max(m b, M b), which point masses in the box attain.

    Args:
        mass: Least and largest mass [kg].
        lower: Corner of the box in the payload frame, shape (3,) [m].
        upper: The opposite corner, shape (3,) [m].

    Returns:
        lower, upper: phi about the payload frame's origin, shape (10,) each.

    Raises:
        InputError: Mass or box are inverted, negative or not finite.
    """
    low, high = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
    if low.shape != (3,) or high.shape != (3,) or not (low <= high).all():
        raise InputError(f"A box goes from a corner to the opposite one; found {low} to {high}.")
    if not (0.0 <= mass[0] <= mass[1] < np.inf and np.isfinite([low, high]).all()):
        raise InputError(f"Mass and box must be finite, the mass not negative; found {mass!r}.")
    x, y, z = np.stack([low, high], axis=1)
    moments = np.array(
        [
            (1.0, 1.0), x, y, z,
            _square(y) + _square(z), -_product(x, y)[::-1], -_product(x, z)[::-1],
            _square(x) + _square(z), -_product(y, z)[::-1], _square(x) + _square(y),
        ]
    )  # fmt: skip
    ends = moments[:, :, np.newaxis] * np.array(mass)
    return ends[:, 0].min(axis=1), ends[:, 1].max(axis=1)


def _square(x: Array) -> Array:
    """Return least and largest square of numbers between two ends, shape (2,)."""
    least = 0.0 if x[0] <= 0.0 <= x[1] else np.abs(x).min() ** 2
    return np.array([least, np.abs(x).max() ** 2])


def _product(x: Array, y: Array) -> Array:
    """Return least and largest product of numbers, each between two ends, shape (2,)."""
    corners = np.outer(x, y)
    return np.array([corners.min(), corners.max()])
