r"""Equations of two robots on one rigid body, linear in the frame sought, with bounds.

With Q(s, t) = R_i0i(s)' R_i0i(t) and u the axial vector of its skew part,

    u_1(s, t) = R_1i u_i(s, t),    e_1(t) = R_1i e_i(t)                (e: the vertical)
    (Q_1 - 1) p_1i + y_1 = R_1i y_i,    y(s, t) = R_i0i(s)' (p_i0i(t) - p_i0i(s))
    omega_1 = R_1i omega_i,    v_1 + omega_1 x p_1i = R_1i v_i

hold exactly. About an estimate X, R_1i = X (1 + [a] + S) with a = sin(theta) n and
|S v| <= (1 - cos(theta)) |v|: what is not linear is small against the vector it acts on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array, IntArray
from ...body.inertial import skews

REMAINDER = 1.3  # allowance for derivatives taken at a block's middle
RATE = 20.0  # [1/s] sum of the sizes of the weights that make rates of blocks: what errors become


@dataclass(frozen=True)
class FrameBounds:
    """Bounds on one robot's grasp frame and clock about its estimate.

    Attributes:
        a: |axial vector of X' R_1i|, shape (3,) [rad]; infinite if nothing is known.
        position: |p_1i - estimate|, shape (3,) [m].
        clock: |offset - estimate| [s].
        consistent: Whether any frame explains all blocks within the bounds.
    """

    a: Array
    position: Array
    clock: float
    consistent: bool = True

    @classmethod
    def unknown(cls, clock: float) -> FrameBounds:
        """Return no bounds but the clock's."""
        return cls(np.full(3, np.inf), np.full(3, np.inf), clock)

    @classmethod
    def contradicted(cls, clock: float) -> FrameBounds:
        """Return that no frame is left, and the bound of the clock that was."""
        return replace(cls.unknown(clock), consistent=False)

    @classmethod
    def of_size(cls, size: Array) -> FrameBounds:
        """Return the box of all |z| <= size for z = (a, dp, d clock), shape (7,)."""
        return cls(size[:3], size[3:6], float(size[6]))

    @property
    def size(self) -> Array:
        """Largest |z|, as `of_size` takes it."""
        return np.concatenate([self.a, self.position, [self.clock]])

    @property
    def known(self) -> bool:
        """Whether the frame is bounded."""
        return bool(np.isfinite(self.a).all() and np.isfinite(self.position).all())

    @property
    def curvature(self) -> float:
        """1 - cos(theta), theta the largest angle."""
        return 1.0 - float(np.sqrt(1.0 - min(1.0, float(self.a @ self.a))))

    @property
    def rotation_vector(self) -> Array:
        """Largest components of the rotation vector, shape (3,) [rad]."""
        s = min(1.0, float(np.linalg.norm(self.a)))
        return self.a * (np.arcsin(s) / s if s > 0 else 1.0)


@dataclass(frozen=True)
class Motion:
    """Means of one robot's pose and twist over B blocks, with bounds on each axis' error.

    Attributes:
        R: Attitude, shape (B, 3, 3).
        mean_R: Mean of the matrices as they are, shape (B, 3, 3).
        x: Place, shape (B, 3) [m].
        V: Twist, shape (B, 6).
        rate: Of its change in time, shape (B, 6).
        bend: Sizes of the second derivatives of angular velocity and velocity, shape (B, 2).
        e_R: Of attitudes, shape (B,) [rad].
        e_x: Of places, shape (B,) [m].
        e_V: Of angular velocity and velocity, shape (B, 2).
    """

    R: Array
    mean_R: Array
    x: Array
    V: Array
    rate: Array
    bend: Array
    e_R: Array
    e_x: Array
    e_V: Array

    @property
    def unsure(self) -> Array:
        """Largest |error| of angular velocity and velocity, shape (B, 2) [rad/s, m/s]."""
        return np.sqrt(3.0) * self.e_V

    @property
    def fastest(self) -> Array:
        """Largest |angular velocity| and |velocity| there may be, shape (B, 2)."""
        return np.linalg.norm(self.V.reshape(-1, 2, 3), axis=2) + self.unsure

    @property
    def steepest(self) -> Array:
        """Largest |rates of change| of them there may be, shape (B, 2) [rad/s2, m/s2]."""
        return np.linalg.norm(self.rate.reshape(-1, 2, 3), axis=2) + RATE * self.unsure


class Pairs:
    """Pairs of blocks (s, t) of two robots, and what they say of the second one's frame."""

    def __init__(self, one: Motion, two: Motion, shifted: float, tilt: float) -> None:
        self.one, self.two, self.tilt = one, two, tilt
        n = len(one.R)
        spread = np.linalg.norm(one.R - one.R.mean(axis=0), axis=(1, 2))
        anchors = {0, int(spread.argmax()), int(spread.argmin()), n - 1}
        self.s = np.repeat(sorted(anchors), n)
        self.t = np.tile(np.arange(n), len(anchors))
        keep = self.s != self.t
        self.s, self.t = self.s[keep], self.t[keep]
        self.shifted = shifted  # by how much estimates of the clock moved since blocks were made

    def first_bound(self, X: Array, clock: float) -> Array | None:
        """Return the bound on a that needs no linearisation, None if R_1i is not bounded."""
        one, two, s, t = self.one, self.two, self.s, self.t
        u1, _ = _axial(one.R, s, t)
        u2, _ = _axial(two.R, s, t)
        speed = two.fastest[:, 0]
        error = one.e_R + two.e_R
        eta = np.sqrt(3.0) * (error[s] + error[t])
        eta += REMAINDER * (clock + self.shifted) * (speed[s] + speed[t])
        eta_up = np.sqrt(3.0) * error + np.sqrt(2.0) * self.tilt
        eta_up += REMAINDER * (clock + self.shifted) * speed
        left = np.vstack([u1, one.R[:, 2]])
        right = np.vstack([u2, two.R[:, 2]])
        weight = 1.0 / np.concatenate([eta, eta_up])
        values = np.linalg.svd(right * weight[:, None], compute_uv=False)
        if values[-1] <= 1e-9 * values[0]:
            return None
        L = np.linalg.pinv(right * weight[:, None]) * weight  # (3, n)
        middle = X.T @ (L @ left).T  # X' R_1i
        off = np.abs(X.T).sum(axis=1)[:, None] * (np.abs(L) @ (1.0 / weight))[None, :]
        cosine = 0.5 * (np.trace(middle) - np.trace(off) - 1.0)
        largest = np.abs(middle - middle.T) / 2 + (off + off.T) / 2
        a = np.array([largest[2, 1], largest[0, 2], largest[1, 0]])
        if cosine <= 0.0 or a @ a >= 1.0:
            return None
        return np.asarray(a)

    def rows(self, X: Array, p: Array, box: FrameBounds) -> tuple[Array, Array, Array]:
        """Return G, r, d with |G z - r| <= d for z = (a, dp, d clock)."""
        parts = [self._turns(X, box), self._verticals(X, box), self._places(X, p, box)]
        parts += self._twists(X, p, box)
        G, r, d = (np.concatenate(column) for column in zip(*parts, strict=True))
        return G, r, d * (1.0 + 1e-9) + 1e-13

    def _turns(self, X: Array, box: FrameBounds) -> tuple[Array, Array, Array]:
        """u_1 = X (1 + [a] + S) (u_i + du_i clock)."""
        one, two, s, t = self.one, self.two, self.s, self.t
        u1, half1 = _axial(one.R, s, t)
        u2, half2 = _axial(two.R, s, t)
        Q2 = two.R[s].swapaxes(1, 2) @ two.R[t]
        rate = _times(half2, two.V[t, :3]) - _times(half2, _times(Q2.swapaxes(1, 2), two.V[s, :3]))
        G = np.concatenate(
            [-X @ skews(u2), np.zeros((len(s), 3, 3)), (rate @ X.T)[:, :, None]], axis=2
        )
        noise = _spread(half1, one.e_R[t]) + _spread(half1, one.e_R[s], one.R, s, t)
        other = _spread(half2, two.e_R[t]) + _spread(half2, two.e_R[s], two.R, s, t)
        d = noise + other @ np.abs(X).T
        d += (
            0.6 * (3.0 * np.maximum(one.e_R[s] + one.e_R[t], two.e_R[s] + two.e_R[t])[:, None]) ** 2
        )
        clock = box.clock + self.shifted
        speed, unsure = two.fastest[:, 0], two.unsure[:, 0]
        change = two.steepest[:, 0] + clock * two.bend[:, 0]
        late = 0.6 * (clock * (speed[s] + speed[t])) ** 2
        late += clock * (unsure[s] + unsure[t])  # of the clock's column
        late += REMAINDER * 0.5 * clock**2 * (change[s] + change[t])
        off = np.linalg.norm(box.a)
        late += (1.0 + off) * self.shifted * (speed[s] + speed[t])  # of either block, of any sign
        late += off * box.clock * np.linalg.norm(rate, axis=1)
        d += (late + box.curvature * np.linalg.norm(u2, axis=1))[:, None]
        return _flat(G, u1 - u2 @ X.T, d)

    def _verticals(self, X: Array, box: FrameBounds) -> tuple[Array, Array, Array]:
        """The vertical: e_1 = X (1 + [a] + S) (e_i + de_i clock)."""
        one, two = self.one, self.two
        e1, e2 = one.R[:, 2], two.R[:, 2]
        rate = np.cross(e2, two.V[:, :3])
        G = np.concatenate(
            [-X @ skews(e2), np.zeros((len(e1), 3, 3)), (rate @ X.T)[:, :, None]], axis=2
        )
        d = _across(e1) * one.e_R[:, None] + (_across(e2) * two.e_R[:, None]) @ np.abs(X).T
        clock = box.clock + self.shifted
        speed = two.fastest[:, 0]
        change = two.steepest[:, 0] + clock * two.bend[:, 0]
        late = 0.6 * (clock * speed) ** 2 + REMAINDER * 0.5 * clock**2 * change
        late += clock * two.unsure[:, 0]
        late += (self.shifted + np.linalg.norm(box.a) * clock) * speed
        late += 1.8 * np.maximum(one.e_R, two.e_R) ** 2 + np.sqrt(2.0) * self.tilt
        d = d + (late + box.curvature)[:, None]
        return _flat(G, e1 - e2 @ X.T, d)

    def _places(self, X: Array, p: Array, box: FrameBounds) -> tuple[Array, Array, Array]:
        """(Q_1 - 1)(p + dp) + y_1 = X (1 + [a] + S)(y_i + dy_i clock)."""
        one, two, s, t = self.one, self.two, self.s, self.t
        # means: R(s)'(mean x(t) + mean R(t) p - mean x(s) - mean R(s) p), R(s) any rotation
        Q1 = one.R[s].swapaxes(1, 2) @ (one.mean_R[t] - one.mean_R[s])
        y1 = _times(one.R[s].swapaxes(1, 2), one.x[t] - one.x[s])
        y2 = _times(two.R[s].swapaxes(1, 2), two.x[t] - two.x[s])
        velocity = _times(two.mean_R, two.V[:, 3:])
        rate = _times(two.R[s].swapaxes(1, 2), velocity[t] - velocity[s])
        rate -= np.cross(two.V[s, :3], y2)
        G = np.concatenate([-X @ skews(y2), -Q1, (rate @ X.T)[:, :, None]], axis=2)
        r = Q1 @ p + y1 - y2 @ X.T
        far = np.linalg.norm(p) + np.linalg.norm(box.position)
        wide = np.abs(p) + box.position
        lever = np.stack([wide[1] + wide[2], wide[0] + wide[2], wide[0] + wide[1]])
        Q = np.abs(one.R[s].swapaxes(1, 2) @ one.R[t])
        d = _times(Q, lever * one.e_R[t][:, None]) + lever * one.e_R[s][:, None]
        moved = _times(Q1, np.broadcast_to(p, (len(s), 3))) + y1
        d += _across(moved) * one.e_R[s][:, None]
        d += _spread_of(one, s, one.e_x) + _spread_of(one, s, one.e_x, t)
        other = _across(y2) * two.e_R[s][:, None]
        other += _spread_of(two, s, two.e_x) + _spread_of(two, s, two.e_x, t)
        d += other @ np.abs(X).T
        errors = np.maximum(one.e_R[s] + one.e_R[t], two.e_R[s])
        late = 3.0 * errors**2 * (far + np.linalg.norm(y2, axis=1))
        clock = box.clock + self.shifted
        change = two.steepest[:, 1] + clock * two.bend[:, 1]
        change += two.fastest[:, 0] * two.fastest[:, 1]
        speed, far_2 = two.fastest[s, 0], np.linalg.norm(y2, axis=1)
        late += clock * (two.unsure[s, 1] + two.unsure[t, 1] + two.unsure[s, 0] * far_2)
        late += REMAINDER * 0.5 * clock**2 * (change[s] + change[t])
        swept = two.fastest[s, 1] + two.fastest[t, 1]
        late += speed * clock**2 * (speed * far_2 + swept)
        off = np.linalg.norm(box.a)
        late += (1.0 + off) * self.shifted * (swept + speed * far_2)
        late += off * box.clock * np.linalg.norm(rate, axis=1) + box.curvature * far_2
        return _flat(G, r, d + late[:, None])

    def _twists(self, X: Array, p: Array, box: FrameBounds) -> list[tuple[Array, Array, Array]]:
        """omega_1 = X (1 + [a] + S) omega_i and v_1 + omega_1 x (p + dp) = X (...) v_i."""
        one, two = self.one, self.two
        none = np.zeros((len(one.V), 3, 3))
        clock = box.clock + self.shifted
        late = (self.shifted + np.linalg.norm(box.a) * clock) * np.linalg.norm(
            two.rate.reshape(-1, 2, 3), axis=2
        )
        late += REMAINDER * clock**2 * two.bend
        parts = []
        for part, (w1, w2) in enumerate(
            ((one.V[:, :3], two.V[:, :3]), (one.V[:, 3:], two.V[:, 3:]))
        ):
            rate = two.rate[:, 3 * part : 3 * part + 3] @ X.T
            place = none if part == 0 else -skews(one.V[:, :3])
            G = np.concatenate([-X @ skews(w2), place, rate[:, :, None]], axis=2)
            r = w1 - w2 @ X.T
            d = one.e_V[:, part, None] + two.e_V[:, part, None] * np.abs(X).sum(axis=1)
            if part:
                r = r + np.cross(one.V[:, :3], p)
                wide = np.abs(p) + box.position
                lever = np.stack([wide[1] + wide[2], wide[0] + wide[2], wide[0] + wide[1]])
                d = d + lever * one.e_V[:, 0, None]
            size = box.curvature * np.linalg.norm(w2, axis=1) + late[:, part]
            size += np.linalg.norm(box.a) * np.sqrt(3.0) * two.e_V[:, part]
            parts.append(_flat(G, r, d + size[:, None]))
        return parts


def _axial(R: Array, s: IntArray, t: IntArray) -> tuple[Array, Array]:
    """Return u of Q = R(s)' R(t), (n, 3), and its derivative by a turn on the right, (n, 3, 3)."""
    Q = R[s].swapaxes(1, 2) @ R[t]
    u = 0.5 * np.stack(
        [Q[:, 2, 1] - Q[:, 1, 2], Q[:, 0, 2] - Q[:, 2, 0], Q[:, 1, 0] - Q[:, 0, 1]], 1
    )
    half = 0.5 * (np.einsum("nii->n", Q)[:, None, None] * np.eye(3) - Q.swapaxes(1, 2))
    return u, half


def _spread(
    half: Array, error: Array, R: Array | None = None, s: IntArray | None = None,
    t: IntArray | None = None,
) -> Array:  # fmt: skip
    """Return how far u moves with an error per axis of the right end of Q, or of the left one."""
    if R is None or s is None or t is None:
        return np.asarray(np.abs(half).sum(axis=2) * error[:, None])
    Q = R[s].swapaxes(1, 2) @ R[t]
    return np.asarray(np.abs(half @ Q.swapaxes(1, 2)).sum(axis=2) * error[:, None])


def _spread_of(motion: Motion, s: IntArray, error: Array, t: IntArray | None = None) -> Array:
    """Return |R(s)'| times an error per axis at s, or at t, shape (n, 3)."""
    turned = np.abs(motion.R[s]).sum(axis=1)
    return np.asarray(turned * error[s if t is None else t][:, None])


def _across(v: Array) -> Array:
    """Return the largest |e x v| of each axis for |e| <= 1 per axis, shape (n, 3)."""
    size = np.abs(v)
    return np.asarray(size.sum(axis=1, keepdims=True) - size)


def _times(M: Array, v: Array) -> Array:
    """Return M v for each, shape (n, 3)."""
    return np.asarray(np.einsum("nij,nj->ni", M, v))


def _flat(G: Array, r: Array, d: Array) -> tuple[Array, Array, Array]:
    """Return rows of equations of three components each."""
    return G.reshape(-1, G.shape[2]), r.ravel(), d.ravel()
