"""Quick least-squares fits of the Newton-Euler equations, for checks of the data."""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...rows.wrench.newton_euler import newton_euler_regressor
from ...samples.wrench_samples import WrenchSamples

CHECK_SAMPLES = 3000  # as many as a check looks at, evenly chosen


def thinned(samples: WrenchSamples, most: int = CHECK_SAMPLES) -> WrenchSamples:
    """Return samples of no more than `most` groups of neighbours, their means.

    Means, so that noise and vibration count less than motion does.
    """
    group = -(-len(samples) // most)
    if group == 1:
        return samples
    whole = len(samples) // group
    middle = np.arange(whole) * group + group // 2

    def mean(values: Array) -> Array:
        return values[: whole * group].reshape(whole, group, -1).mean(axis=1)

    return WrenchSamples(
        mean(samples.stamp)[:, 0],
        samples.rotation[middle],
        mean(samples.angular_velocity),
        mean(samples.angular_acceleration),
        mean(samples.linear_acceleration),
        mean(samples.wrench),
        gravity=samples.gravity,
    )


def regressor(samples: WrenchSamples) -> Array:
    """Return Y of every sample, shape (N, 6, 10)."""
    return newton_euler_regressor(
        samples.proper_acceleration, samples.angular_velocity, samples.angular_acceleration
    )


def with_bias(Y: Array) -> Array:
    """Return columns of Y and a constant bias for each axis, shape (N, k, columns + k)."""
    axes = Y.shape[1]
    bias = np.broadcast_to(np.eye(axes), (len(Y), axes, axes))
    return np.concatenate([Y, bias], axis=2)


def residual(X: Array, value: Array) -> tuple[Array, Array]:
    """Fit value = X x by least squares; return x and what is left, shape of value.

    Args:
        X: Shape (N, k, columns).
        value: Shape (N, k).
    """
    flat = X.reshape(-1, X.shape[2])
    size = np.linalg.norm(flat, axis=0)
    size[size == 0.0] = 1.0
    x = np.linalg.lstsq(flat / size, value.ravel(), rcond=1e-10)[0] / size
    return x, value - X @ x


def misfits(X: Array, values: Array) -> tuple[Array, Array]:
    """Fit each of several values by the same columns; return the fits and the sums of squares left.

    Args:
        X: Shape (N, k, columns).
        values: Shape (M, N, k).

    Returns:
        x: Shape (M, columns).
        squares: Shape (M,).
    """
    flat = X.reshape(-1, X.shape[2])
    size = np.linalg.norm(flat, axis=0)
    size[size == 0.0] = 1.0
    wanted = values.reshape(len(values), -1).T
    x = np.linalg.lstsq(flat / size, wanted, rcond=1e-10)[0]
    left = wanted - (flat / size) @ x
    return (x / size[:, None]).T, (left**2).sum(axis=0)


def axis_scales(samples: WrenchSamples) -> Array:
    """Return the residual's typical size on each axis, shape (6,): what weights axes alike."""
    left = residual(with_bias(regressor(samples)), samples.wrench)[1]
    size = np.sqrt(np.mean(left**2, axis=0))
    spread = samples.wrench.std(axis=0)
    floor = 1e-6 * max(float(spread.max()), 1e-9)
    return np.asarray(np.maximum(size, np.maximum(1e-3 * spread, floor)))
