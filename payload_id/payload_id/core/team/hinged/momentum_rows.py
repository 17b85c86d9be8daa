r"""Seven rows a window: what the forces of a team say of two bodies on a hinge.

In the level frame {a0}, which stands still, with momentum P and angular momentum L about a fixed
point s of both bodies together,

    -int w' (P_A + P_B) = int w sum f + g int w (m_A + m_B)
    -int w' (L_A + L_B) = int w sum ((p - s) x f + m) + int w (moments of the weights)

for a weight w that vanishes with its slope at a window's ends. P and L are linear in each body's
phi, by its own pose and twist. Nothing acts about the hinge's axis but friction, so the
Newton-Euler moments of the second body about a point q of it give a seventh row, in its frame {b}:

    n'(M_q(F_b) phi_B) = n' sum over its robots of ((p_i - q) x f_i + m_i) + friction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...body.inertial import INERTIA_BASIS, change_of_frame, skew, skews
from ...rows.wrench.newton_euler import FEATURES_TO_REGRESSOR
from ..bounds import RobotBounds
from ..closed_form.hann_weights import Weights
from ..grasp_frames import GraspFrames
from ..window_features import features_of
from ..window_series import GRAVITY, Series
from .geometry import HingeGeometry

DOWN = np.array([0.0, 0.0, -GRAVITY])
STICTION = 0.02  # [rad/s] around which friction changes its sign
ROWS = 7  # of a window: force, moment, moment about the axis
OF_BODIES = 20
OF_FRICTION = 2  # dry, viscous
OF_ROBOT = 4  # constant error of the force, error of the gain


@dataclass(frozen=True)
class Held:
    """One of the two bodies, and who holds it.

    Attributes:
        series: Of its robots on the grid of windows; the first one's grasp frame is {a} or {b}.
        bounds: What is assumed about them.
        frames: Theirs against the first one's.
        C: Pose of their level frames in {a0}: rotation, shape (n, 3, 3).
        c: Origin, shape (n, 3) [m].
    """

    series: Sequence[Series]
    bounds: Sequence[RobotBounds]
    frames: GraspFrames
    C: Array
    c: Array


@dataclass(frozen=True)
class HingedRows:
    """b = A x + error, seven rows for each of W windows.

    x: parameters of both bodies about their robots' grasp frames (20), dry and viscous friction of
    the hinge (2), of each robot the constant error of its force and that of its sensor's gain (4).

    Attributes:
        A: Shape (W, 7, 22 + 4 N).
        b: Shape (W, 7) [N, N m].
    """

    A: Array
    b: Array

    def in_hinge_frames(self, hinge: HingeGeometry) -> HingedRows:
        """Return the same rows, of parameters in the two bodies' hinge frames."""
        A = self.A.copy()
        for side in (0, 1):
            own = slice(10 * side, 10 * side + 10)
            A[..., own] = A[..., own] @ change_of_frame(hinge.frame(side), hinge.place[side])
        return HingedRows(A, self.b)


def hinged_rows(one: Held, two: Held, hinge: HingeGeometry, weights: Weights) -> HingedRows:
    """Return the rows of windows that all series share."""
    inside = np.all([series.inside for held in (one, two) for series in held.series], axis=0)
    count = len(one.series) + len(two.series)
    W, first = len(inside), OF_BODIES + OF_FRICTION
    A, b = np.zeros((W, ROWS, first + OF_ROBOT * count)), np.zeros((W, ROWS))
    middle = len(weights.value) // 2
    s = one.series[0].x[:, middle] @ one.C[0].T + one.c[0]  # fixed point of each window, in {a0}
    A[:, :6, :10] = _momentum(one, s, weights)
    A[:, :6, 10:20] = _momentum(two, s, weights)
    A[:, 6, 10:20] = _about_axis(two, hinge, weights)
    A[:, 6, 20:22] = _friction(one, two, hinge, weights)
    every = [(held, i) for held in (one, two) for i in range(len(held.series))]
    for k, (held, i) in enumerate(every):
        own = np.zeros((W, ROWS, OF_ROBOT))
        own[:, :6, 3], own[:, :6, :3] = _exerted(held, i, s, weights)
        if held is two:
            own[:, 6, 3], own[:, 6, :3] = _exerted_about_axis(held, i, hinge, weights)
        b += own[..., 3]
        A[..., first + OF_ROBOT * k : first + OF_ROBOT * (k + 1)] = own
    return HingedRows(A[inside], b[inside])


def _momentum(held: Held, s: Array, weights: Weights) -> Array:
    """Return the six rows of one body, in {a0}, shape (W, 6, 10)."""
    series, C, c = held.series[0], held.C[0], held.c[0]
    R, omega, v = C @ series.R, series.omega, series.v
    x = series.x @ C.T + c - s[:, None]
    W, M = omega.shape[:2]
    P, L = np.zeros((W, M, 3, 10)), np.zeros((W, M, 3, 10))
    turn, lever = skews(omega), skews(x)
    P[..., 0] = np.einsum("wmij,wmj->wmi", R, v)
    P[..., 1:4] = R @ turn
    L[..., 1:4] = -R @ skews(v)
    L[..., 4:] = R @ np.einsum("kij,wmj->wmik", INERTIA_BASIS, omega)
    L += lever @ P
    rows = np.einsum("m,wmip->wip", weights.slope, np.concatenate([P, L], axis=2))
    w = weights.value
    rows[:, :3, 0] -= DOWN
    rows[:, 3:, 0] -= np.cross(np.einsum("m,wmi->wi", w, x), DOWN)
    rows[:, 3:, 1:4] += skew(DOWN) @ np.einsum("m,wmij->wij", w, R)
    return np.asarray(rows)


def _exerted(held: Held, i: int, s: Array, weights: Weights) -> tuple[Array, Array]:
    """Return a robot's mean wrench about s in {a0}, (W, 6); what a constant force adds."""
    series, C, c, w = held.series[i], held.C[i], held.c[i], weights.value
    R = C @ series.R
    lever = skews(series.x @ C.T + c - s[:, None])
    both = np.concatenate([R, lever @ R], axis=2)  # of a force in {i}
    wrench = np.einsum("m,wmij,wmj->wi", w, both, series.force)
    if series.moment is not None:
        wrench[:, 3:] += np.einsum("m,wmij,wmj->wi", w, R, series.moment)
    return wrench, np.einsum("m,wmij->wij", w, both)


def _about_axis(held: Held, hinge: HingeGeometry, weights: Weights) -> Array:
    """Return the seventh row: moments of the second body about the axis, in {b}, shape (W, 10)."""
    features, _ = features_of(held.series[0], held.bounds[0], weights)
    Y = np.einsum("rpk,wk->wrp", FEATURES_TO_REGRESSOR, features)
    n, q = hinge.axis[1], hinge.place[1]
    return np.einsum("r,wrp->wp", np.concatenate([n @ -skew(q), n]), Y)


def _exerted_about_axis(
    held: Held, i: int, hinge: HingeGeometry, weights: Weights
) -> tuple[Array, Array]:
    """Return a robot's mean moment about the axis, (W,), and what a constant force adds, (3,)."""
    n, q = hinge.axis[1], hinge.place[1]
    X, p = held.frames.rotation[i], held.frames.position[i]
    by_force = n @ skew(p - q) @ X
    moment = np.einsum("m,wmk->wk", weights.value, held.series[i].force) @ by_force
    if (own := held.series[i].moment) is not None:
        moment += np.einsum("m,wmk->wk", weights.value, own) @ (n @ X)
    return moment, by_force


def _friction(one: Held, two: Held, hinge: HingeGeometry, weights: Weights) -> Array:
    """Return what a unit of dry and viscous friction takes of the seventh row, shape (W, 2)."""
    rate = two.series[0].omega @ hinge.axis[1] - one.series[0].omega @ hinge.axis[0]
    both = np.stack([np.tanh(rate / STICTION), rate], axis=2)
    return np.einsum("m,wmk->wk", weights.value, both)
