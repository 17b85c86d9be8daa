"""Noise that keeps bounds on its mean at several lengths of time, and reaches one of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from payload_id.core.arrays import Array


def largest_mean(stamp: Array, noise: Array, length: float) -> Array:
    """Return the largest |mean| over every stretch at least so long [s], one for each joint.

    Args:
        stamp: Shape (N,) [s].
        noise: Shape (N, n).
        length: Of the shortest stretch; 0 for single samples.
    """
    if length == 0.0:
        return np.abs(noise).max(axis=0)
    steps = np.diff(stamp)[:, None]
    total = np.vstack([0 * noise[:1], np.cumsum(steps * (noise[1:] + noise[:-1]) / 2, axis=0)])
    worst = np.zeros(noise.shape[1])
    for k in range(1, len(stamp)):
        span = stamp[k:] - stamp[:-k]
        long = span >= length - 1e-6
        if long.any():
            mean = np.abs(total[k:] - total[:-k])[long] / span[long][:, None]
            worst = np.maximum(worst, mean.max(axis=0))
    return worst


def scaled(stamp: Array, pattern: Array, bounds: Mapping[float, float]) -> Array:
    """Return each joint's pattern as large as all its bounds allow, shape (N, n).

    Args:
        stamp: Shape (N,) [s].
        pattern: Shape (N, n).
        bounds: On the mean over stretches, by their length; 0 s for single samples.
    """
    room = [bound / largest_mean(stamp, pattern, length) for length, bound in bounds.items()]
    return pattern * np.min(room, axis=0)


def patterns(
    stamp: Array, towards: Array, bounds: Mapping[float, float], rng: np.random.Generator
) -> dict[str, Array]:
    """Return noise that reaches its bounds at one length or another, each shape (N, n).

    Args:
        stamp: Shape (N,) [s].
        towards: What the noise is to look like, shape (N, n): the sign of what a payload does.
        bounds: As in `scaled`.
        rng: Source of randomness.
    """
    sign = np.where(towards < 0.0, -1.0, 1.0)
    found = {"constant": np.ones_like(sign), "towards": sign}
    for length in bounds:
        period = max(length, 4.0 * float(np.diff(stamp).max()))
        wave = np.sign(np.sin(np.pi * stamp / period + rng.uniform(0, 6)))[:, None]
        found[f"wave of {length:g} s"] = np.where(wave == 0.0, 1.0, wave) * np.ones_like(sign)
        found[f"wave of {length:g} s towards"] = sign * (0.3 + found[f"wave of {length:g} s"])
    alone = {name: scaled(stamp, pattern, bounds) for name, pattern in found.items()}
    alone["all"] = scaled(stamp, np.sum([*alone.values()], axis=0), bounds)
    return alone
