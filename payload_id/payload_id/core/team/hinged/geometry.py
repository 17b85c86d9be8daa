r"""Where the hinge is: its axis in a frame of each body, and the one level frame in the other.

With {a}, {b} grasp frames on the two bodies, (C, c) the pose of {b0} in {a0},

    R_a0a n_a = C R_b0b n_b,    p_a0a + R_a0a q_a = c + C (p_b0b + R_b0b q_b)

for an axis n through a point q. Both are linear in the measured matrices and vectors, so they hold
of means over blocks, and everything unknown in them is constant: the angle between the bodies is
not needed. q moves along the axis without any difference: n_a'q_a + n_b'q_b = 0 is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from ...arrays import Array
from ...body.inertial import skews
from ..blocks import Blocks
from ..closed_form.hinge import Hinge

YAWS = 12  # that a first fit is begun from
LEVEL = 1e-6  # [rad] tilt of what is stated to be level
ROUNDS = 3  # of weights from residuals
LEAST = 1e-8  # smallest standard deviation that residuals can show


@dataclass(frozen=True)
class HingeGeometry:
    """Where two bodies' grasp frames {a}, {b} have their common axis.

    Attributes:
        rotation: C, shape (3, 3).
        position: c, shape (3,) [m].
        axis: n_a and n_b, shape (2, 3).
        place: q_a and q_b, shape (2, 3) [m].
        across: A direction across the axis in each, shape (2, 3): x axes of the hinge frames.
        clock: Offset of b's clock beyond what was taken out of its blocks [s].
        left: Root mean squares, by component, that the fit leaves of the axis' direction and of its
            place, shape (2,) [-, m].
    """

    rotation: Array
    position: Array
    axis: Array
    place: Array
    across: Array
    clock: float
    left: Array

    def frame(self, side: int) -> Array:
        """Return the axes of the hinge frame of one body in its grasp frame, shape (3, 3)."""
        n, x = self.axis[side], self.across[side]
        return np.stack([x, np.cross(n, x), n], axis=1)

    def aligned_to(self, other: HingeGeometry) -> HingeGeometry:
        """Return the same with hinge frames as near to those of another fit as may be."""
        sign = np.sign(self.axis[0] @ other.axis[0])
        axis = sign * self.axis
        along = axis[0] @ (other.place[0] - self.place[0])
        return replace(
            self, axis=axis, place=self.place + along * axis, across=_across(axis, other.across)
        )


def hinge_geometry(
    blocks: Blocks, found: Hinge, tilt: float, clock: float, reach: float
) -> HingeGeometry | None:
    """Return the hinge between two robots' bodies; None with too few common blocks.

    Args:
        blocks: Of the two robots, means of pose and twist.
        found: The axes as angular velocities show them.
        tilt: Of the level frames against each other [rad].
        clock: Standard deviation of the clocks' offset [s]; 0: none.
        reach: Largest distance of the axis from the grasps, draws places weakly [m].
    """
    both = blocks.take(np.flatnonzero(blocks.present.all(axis=0)))
    if len(both) < 12:
        return None
    deviation = np.array([1e-3, 1e-3])
    starts = [
        _begun(both, np.stack([found.axis, sign * found.other]), yaw)
        for sign in (1.0, -1.0)
        for yaw in np.linspace(-np.pi, np.pi, YAWS, endpoint=False)
    ]
    problem = _Problem(both, deviation, tilt, 0.0, reach)
    begin = min(starts, key=lambda x: float((problem.residual(x) ** 2).sum()))
    for _ in range(ROUNDS):
        problem = _Problem(both, deviation, tilt, clock, reach)
        fit = least_squares(problem.residual, begin, method="trf", x_scale="jac", max_nfev=100,
                            xtol=1e-14, ftol=1e-14, gtol=1e-15)  # fmt: skip
        begin = fit.x
        deviation = np.maximum(problem.spread(begin), LEAST)
    return problem.geometry(begin)


def _begun(blocks: Blocks, axis: Array, yaw: float) -> Array:
    """Return unknowns for a yaw of C: places by linear least squares."""
    C = Rotation.from_euler("z", yaw).as_matrix()
    (Ra, Rb), (pa, pb) = blocks.mean_rotation, blocks.position
    rows = np.concatenate([Ra, -C @ Rb, -np.tile(np.eye(3), (len(blocks), 1, 1))], axis=2).reshape(
        -1, 9
    )
    right = (pb @ C.T - pa).ravel()
    along = np.concatenate([axis[0], axis[1], np.zeros(3)])
    found, *_ = np.linalg.lstsq(np.vstack([rows, along]), np.append(right, 0.0), rcond=1e-9)
    return np.concatenate([[0.0, 0.0, yaw], found[6:], axis.ravel(), found[:6], [0.0]])


class _Problem:
    """Residuals of x = (tilt and yaw of C, c, n_a, n_b, q_a, q_b, clock), 19 numbers."""

    def __init__(
        self, blocks: Blocks, deviation: Array, tilt: float, clock: float, reach: float
    ) -> None:
        self._blocks, self._deviation, self._reach = blocks, deviation, reach
        self._tilt, self._clock = max(tilt, LEVEL), clock
        omega, v = blocks.twist[1][:, :3], blocks.twist[1][:, 3:]
        Rb = blocks.rotation[1]
        self._turned = Rb @ skews(omega)  # rates of b's attitude and place
        self._moved = np.einsum("kij,kj->ki", Rb, v)

    def geometry(self, x: Array) -> HingeGeometry:
        """Return what the unknowns mean."""
        axis = x[6:12].reshape(2, 3)
        axis = axis / np.linalg.norm(axis, axis=1, keepdims=True)
        clock = float(x[18]) if self._clock else 0.0
        place = x[12:18].reshape(2, 3).copy()
        near = np.eye(3)[np.abs(axis).argmin(axis=1)]
        across = _across(axis, near)
        return HingeGeometry(_turn(x), x[3:6].copy(), axis, place, across, clock, self.spread(x))

    def spread(self, x: Array) -> Array:
        """Return the root mean squares of what is left of directions and places, shape (2,)."""
        return np.array([np.sqrt((e**2).mean()) for e in self._errors(x)])

    def residual(self, x: Array) -> Array:
        """Return all residuals, weighted."""
        direction, place = self._errors(x)
        n, q = x[6:12].reshape(2, 3), x[12:18]
        size = np.linalg.norm(n, axis=1)
        along = (n / size[:, None]).ravel() @ q
        late = x[18] / self._clock if self._clock else x[18]
        drawn = np.concatenate(
            [x[:2] / self._tilt, 1e3 * (size - 1.0), [1e3 * along, late], q / (10.0 * self._reach)]
        )
        scaled = [direction / self._deviation[0], place / self._deviation[1]]
        return np.concatenate([*(e.ravel() for e in scaled), drawn])

    def _errors(self, x: Array) -> tuple[Array, Array]:
        """Return what is left of the axis' direction and of its place, shape (B, 3) each."""
        C, c = _turn(x), x[3:6]
        n = x[6:12].reshape(2, 3)
        n = n / np.linalg.norm(n, axis=1, keepdims=True)
        q = x[12:18].reshape(2, 3)
        late = x[18] if self._clock else 0.0
        (Ra, Rb), (pa, pb) = self._blocks.mean_rotation, self._blocks.position
        Rb, pb = Rb + late * self._turned, pb + late * self._moved
        direction = Ra @ n[0] - (Rb @ n[1]) @ C.T
        place = pa + Ra @ q[0] - c - (pb + Rb @ q[1]) @ C.T
        return direction, place


def _across(axis: Array, near: Array) -> Array:
    """Return unit vectors across axes, as near to some directions as may be, shape (2, 3)."""
    x = near - (near * axis).sum(axis=1, keepdims=True) * axis
    return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True))


def _turn(x: Array) -> Array:
    """Return C: a yaw after a small tilt."""
    yaw, tilt = Rotation.from_euler("z", x[2]), Rotation.from_rotvec([x[0], x[1], 0.0])
    return np.asarray((yaw * tilt).as_matrix())
