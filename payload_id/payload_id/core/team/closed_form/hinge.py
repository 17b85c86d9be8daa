r"""Whether two robots hold two bodies that a hinge joins, and where its axis is.

With the axis n_1 in {1} and n_i in {i}, fixed in both, and the rest of the angular velocities equal
but for the turn about it,

    |omega_1|^2 - (n_1' omega_1)^2 = |omega_i|^2 - (n_i' omega_i)^2,

and the level frames give the same for the vertical: n_1' e_1 = n_i' e_i. For every pair of axes the
left sides are quadratic; they are found by least squares on the unit spheres, with the offset of
the second clock to first order, omega_i + d domega_i, within its bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from ...arrays import Array

STARTS = 12
FEWEST = 30  # instants that tell a hinge
FITS = 0.3  # of what a rigid body leaves, that a hinge may leave
LEAST_ANGLE = 0.02  # [rad] of turning that counts as a hinge
LONGEST_TURN = 2.0  # [s] that the one turn of what slips may take
SAME_ANGLE = 0.15  # of that turn, by which the angle may be off before and after it
SEVERAL = 8  # instants before and after it


@dataclass(frozen=True)
class Hinge:
    """A hinge between the bodies of two robots.

    Attributes:
        axis: In the first one's grasp frame, shape (3,).
        other: In the second one's, shape (3,).
        angle: Half the range of its angle [rad].
        only_turn: When it turned once and no more, from and to [s]; None if it did not. So does
            what slips in a hand.
    """

    axis: Array
    other: Array
    angle: float
    only_turn: tuple[float, float] | None = None


def hinge(
    time: Array, omega: Array, rate: Array, vertical: Array, noise: float, clock: float
) -> Hinge | None:
    """Return the hinge between two robots' bodies; None if none explains their motion.

    Args:
        time: Of each instant, shape (n,) [s].
        omega: Angular velocities of the two in their own frames, shape (2, n, 3) [rad/s].
        rate: Of change of the second one's, shape (n, 3) [rad/s2].
        vertical: In their own frames, shape (2, n, 3).
        noise: Standard deviation of the angular velocities, both together [rad/s].
        clock: By how much the second clock may be off [s].
    """
    a, b = omega
    e, f = vertical
    size = float(np.sqrt((a**2).sum(axis=1).mean())) if len(a) >= FEWEST else 0.0
    if size == 0.0:
        return None
    turned = clock * np.cross(f, b)  # of the vertical, while the second clock's offset passes
    a, b, late = a / size, b / size, clock * rate / size

    def parts(x: Array) -> tuple[Array, Array, Array, Array]:
        n, m = x[:3] / np.linalg.norm(x[:3]), x[3:6] / np.linalg.norm(x[3:6])
        return n, m, b + x[6] * late, f + x[6] * turned

    def residual(x: Array) -> Array:
        n, m, b, f = parts(x)
        across = (a**2).sum(axis=1) - (a @ n) ** 2 - (b**2).sum(axis=1) + (b @ m) ** 2
        return np.concatenate([across, 3.0 * (e @ n - f @ m)])

    def jacobian(x: Array) -> Array:
        n, m, b, f = parts(x)
        lengths = np.linalg.norm(x[:6].reshape(2, 3), axis=1)
        by_n = np.vstack([-2.0 * (a @ n)[:, None] * a, 3.0 * e])
        by_m = np.vstack([2.0 * (b @ m)[:, None] * b, -3.0 * f])
        by_d = 2.0 * ((b @ m) * (late @ m) - (b * late).sum(axis=1))
        return np.hstack([
            (by_n - np.outer(by_n @ n, n)) / lengths[0],
            (by_m - np.outer(by_m @ m, m)) / lengths[1],
            np.append(by_d, -3.0 * turned @ m)[:, None],
        ])  # fmt: skip

    rng = np.random.default_rng(0)
    starts = np.hstack([rng.normal(size=(STARTS, 6)), np.zeros((STARTS, 1))])
    most = np.append(np.full(6, np.inf), 1.0)
    # not "lm", whose last bits depend on what else is in memory
    fits = [
        least_squares(residual, x, jacobian, (-most, most), method="trf", max_nfev=60)
        for x in starts
    ]
    best = min(fits, key=lambda fit: float(fit.cost))
    n, m, b, _ = parts(best.x)
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
    return Hinge(n, m, half, _only_turn(time, angle))


def _only_turn(time: Array, angle: Array) -> tuple[float, float] | None:
    """Return from when to when an angle changes, if it is the same before, and after; else None.

    Args:
        time: Of each instant, shape (n,) [s].
        angle: Shape (n,) [rad].
    """
    n = len(time)
    first = np.arange(SEVERAL, n - SEVERAL)  # instants of the turn: first to last - 1
    last = np.searchsorted(time, time[first] + LONGEST_TURN)
    first, last = first[last <= n - SEVERAL], last[last <= n - SEVERAL]
    if not len(first):
        return None
    sums = np.concatenate([np.zeros((1, 2)), np.cumsum(np.stack([angle, angle**2], 1), axis=0)])
    before, after = sums[first] / first[:, None], (sums[n] - sums[last]) / (n - last)[:, None]
    spread = [np.maximum(mean[:, 1] - mean[:, 0] ** 2, 0.0) for mean in (before, after)]
    turn = after[:, 0] - before[:, 0]
    off = np.maximum(*spread) / np.maximum(turn**2, LEAST_ANGLE**2)
    k = int(np.argmin(off))
    if off[k] > SAME_ANGLE**2:
        return None
    gone = np.abs(angle - before[k, 0]) > SAME_ANGLE * abs(turn[k])
    here = np.abs(angle - after[k, 0]) <= SAME_ANGLE * abs(turn[k])
    part = slice(first[k], last[k])
    begin = first[k] + int(np.argmax(gone[part])) if gone[part].any() else first[k]
    end = first[k] + int(np.argmax(here[part])) if here[part].any() else last[k]
    return float(time[begin]), float(time[max(begin, end)])
