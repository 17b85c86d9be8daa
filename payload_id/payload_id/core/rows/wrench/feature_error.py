"""How errors of a measured motion reach the coefficients of the Newton-Euler rows.

The coefficients are linear in the features F = (a_p, alpha, omega omega'), so a bound on the error
of the integral of F is all that is needed. For products it is exact, not a first order:
|(x + e)(y + f) - x y| <= |x| |f| + |y| |e| + |e| |f|.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...samples.wrench_samples import WrenchSamples
from .uncertainty import WrenchUncertainty

ROW, COLUMN = np.triu_indices(3)  # of the products of omega in F
MOTION = ("linear_acceleration", "angular_acceleration", "angular_velocity")


def feature_error(
    uncertainty: WrenchUncertainty,
    samples: WrenchSamples,
    weight: Array,
    speed: Array,
    duration: float,
) -> Array:
    """Return the bound on the error of sum weight F, shape (12,).

    Args:
        uncertainty: What is assumed of the motion.
        samples: Of one window.
        weight: Of each sample in the integral, shape (N,) [s].
        speed: Integral of |omega|, shape (3,) [rad].
        duration: Sum of the weights [s].
    """
    hard, noise = (
        [uncertainty.axes(f"{name}_{kind}") for name in MOTION] for kind in ("error", "sigma")
    )
    tilt = uncertainty.orientation_error
    spread = random_part(uncertainty, samples, weight)
    error = np.zeros(12)
    error[:3] = duration * hard[0] + spread * noise[0]
    if tilt or uncertainty.gravity_error:
        level = 0.5 * uncertainty.gravity_error**2 * np.linalg.norm(samples.gravity)
        error[:3] += duration * level + _tilt(samples, weight, tilt)
    error[3:6] = duration * hard[1] + spread * noise[1]
    error[6:] = _products(
        samples.angular_velocity, weight, spread, hard[2], noise[2], speed, duration
    )
    return error


def random_part(uncertainty: WrenchUncertainty, samples: WrenchSamples, weight: Array) -> float:
    """Return the bound on sum weight n for noise n of standard deviation one [s].

    Noise that stays alike for `correlation_time` averages out that much less.
    """
    alike = 1.0
    if uncertainty.correlation_time > 0.0 and len(samples) > 1:
        alike = max(1.0, uncertainty.correlation_time / samples.step)
    variance = min(alike * float(weight @ weight), float(weight.sum()) ** 2)
    return uncertainty.sigma_factor * float(np.sqrt(variance))


def _tilt(samples: WrenchSamples, weight: Array, angle: float) -> Array:
    """Return the error of gravity in the sensor frame that an error of the orientation makes."""
    if angle == 0.0:
        return np.zeros(3)
    g = samples.gravity_in_sensor
    size = float(np.linalg.norm(samples.gravity))
    across = np.sqrt(np.maximum(size**2 - g**2, 0.0))
    return np.asarray(weight @ (angle * across + 0.5 * angle**2 * size))


def _products(
    omega: Array,
    weight: Array,
    spread: float,
    hard: Array,
    noise: Array,
    mean: Array,
    whole: float,
) -> Array:
    """Return the error of the six products of omega, shape (6,).

    With noise n of standard deviation s beside the hard error e: the random part is that of
    x n_y + y n_x + n_x n_y with |x| <= |omega| + e, its mean s^2 where both are one.
    """
    e, f = hard[ROW], hard[COLUMN]
    sure = mean[ROW] * f + mean[COLUMN] * e + whole * e * f
    if not noise.any():
        return np.asarray(sure)
    speed = np.abs(omega)
    x, y = speed[:, ROW], speed[:, COLUMN]
    s, t = noise[ROW], noise[COLUMN]
    wide = ((x + e) * t) ** 2 + ((y + f) * s) ** 2 + (s * t) ** 2
    wide += np.where((ROW == COLUMN), 2.0 * (x + e) * t * (y + f) * s, 0.0)
    random = spread * np.sqrt(weight @ wide / whole)
    return np.asarray(sure + random + np.where((ROW == COLUMN), s * t, 0.0) * whole)
