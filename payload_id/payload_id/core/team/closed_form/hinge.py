r"""Whether two robots hold two bodies that a hinge joins, and where its axis is.

With the axis n_1 in {1} and n_i in {i}, fixed in both, and the rest of the angular velocities equal
but for the turn about it,

    |omega_1|^2 - (n_1' omega_1)^2 = |omega_i|^2 - (n_i' omega_i)^2,

and the level frames give the same for the vertical: n_1' e_1 = n_i' e_i. For every pair of axes the
left sides are quadratic; they are found by least squares on the unit spheres.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from ...arrays import Array

STARTS = 12
FITS = 0.3  # of what a rigid body leaves, that a hinge may leave
LEAST_ANGLE = 0.02  # [rad] of turning that counts as a hinge


@dataclass(frozen=True)
class Hinge:
    """A hinge between the bodies of two robots.

    Attributes:
        axis: In the first one's grasp frame, shape (3,).
        other: In the second one's, shape (3,).
        angle: Half the range of its angle [rad].
    """

    axis: Array
    other: Array
    angle: float


def hinge(time: Array, omega: Array, vertical: Array, noise: float) -> Hinge | None:
    """Return the hinge between two robots' bodies; None if none explains their motion.

    Args:
        time: Of each instant, shape (n,) [s].
        omega: Angular velocities of the two in their own frames, shape (2, n, 3) [rad/s].
        vertical: In their own frames, shape (2, n, 3).
        noise: Standard deviation of the angular velocities, both together [rad/s].
    """
    a, b = omega
    e, f = vertical
    size = float(np.sqrt((a**2).sum(axis=1).mean()))
    if size == 0.0 or len(a) < 30:
        return None
    a, b = a / size, b / size

    def residual(x: Array) -> Array:
        n, m = x[:3] / np.linalg.norm(x[:3]), x[3:] / np.linalg.norm(x[3:])
        across = (a**2).sum(axis=1) - (a @ n) ** 2 - (b**2).sum(axis=1) + (b @ m) ** 2
        return np.concatenate([across, 3.0 * (e @ n - f @ m)])

    def jacobian(x: Array) -> Array:
        lengths = np.linalg.norm(x.reshape(2, 3), axis=1)
        n, m = x[:3] / lengths[0], x[3:] / lengths[1]
        by_n = np.vstack([-2.0 * (a @ n)[:, None] * a, 3.0 * e])
        by_m = np.vstack([2.0 * (b @ m)[:, None] * b, -3.0 * f])
        return np.hstack([
            (by_n - np.outer(by_n @ n, n)) / lengths[0],
            (by_m - np.outer(by_m @ m, m)) / lengths[1],
        ])  # fmt: skip

    rng = np.random.default_rng(0)
    starts = rng.normal(size=(STARTS, 6))
    # not "lm", whose last bits depend on what else is in memory
    fits = [least_squares(residual, x, jacobian, method="trf", max_nfev=60) for x in starts]
    best = min(fits, key=lambda fit: float(fit.cost))
    n, m = best.x[:3] / np.linalg.norm(best.x[:3]), best.x[3:] / np.linalg.norm(best.x[3:])
    relative = ((b @ m) - (a @ n)) * size  # rate of the angle
    step = float(np.median(np.diff(time)))
    angle = np.cumsum(relative) * step
    half = 0.5 * float(np.ptp(angle))
    rigid = float(
        ((a**2).sum(axis=1) - (b**2).sum(axis=1)) @ ((a**2).sum(axis=1) - (b**2).sum(axis=1))
    )
    left = residual(best.x)[: len(a)]
    loose = 4.0 * len(a) * (noise / size) ** 2
    if half < LEAST_ANGLE or float(left @ left) > FITS**2 * rigid + loose:
        return None
    return Hinge(n, m, half)
