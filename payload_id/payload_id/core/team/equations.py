"""Residuals of a team's grasp frames over all pairs, and their exact Jacobian; see `refine`."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from ..arrays import Array
from ..body.inertial import skews
from .blocks import Blocks
from .grasp_frames import KINDS, ROUNDING, UNUSED, FrameWeights, GraspFrames


class Equations:
    """Residuals and their exact Jacobian about given frames; x holds a step of each robot."""

    def __init__(
        self, blocks: Blocks, frames: GraspFrames, weights: FrameWeights, deviation: Array
    ) -> None:
        """Prepare for steps of the robots that are known, but the first."""
        self.frames, self.weights, self.deviation = frames, weights, deviation
        self.fitted = np.flatnonzero(frames.known)[1:]
        self.members = np.flatnonzero(frames.known)
        self.width = 13 if weights.clock.any() else 12
        self.size = self.width * len(self.fitted)
        counted = blocks.present[self.members]
        self._blocks = blocks.take(counted.sum(axis=0) > 1)
        self._present = self._blocks.present[self.members]
        s = self._present / weights.robot[:, self.members, None] ** 2  # (4, n, B)
        self._root = np.sqrt(s) / deviation[:, None, None]
        total = s.sum(axis=1, keepdims=True)
        self._part = np.divide(s, total, out=np.zeros_like(s), where=total > 0)  # of the mean
        self._body = self._first_body()

    def _first_body(self) -> tuple[Array, Array, Array]:
        """Return attitude, place and twist of {1} about which equations are written, per block."""
        values = [self._of_robot(i, np.zeros(13), None)[0] for i in self.members.tolist()]
        first = self._present.argmax(axis=0)
        pick = np.arange(len(self._blocks))
        attitude = np.stack([v[0] for v in values])[first, pick]
        place = np.stack([v[1] for v in values])[first, pick]
        twist = np.stack([v[2] for v in values])[first, pick]
        return attitude, place, twist

    def step(self, x: Array) -> Array:
        """Return the step of all robots, shape (N, 13)."""
        full = np.zeros((len(self.frames.known), 13))
        full[self.fitted, : self.width] = x.reshape(-1, self.width)
        return full

    def residual(self, x: Array) -> Array:
        """Return all weighted residuals, shape (m,)."""
        e = self._errors(self.step(x))
        e = e - np.einsum("knb,knbi->kbi", self._part, e)[:, None]
        return np.concatenate([(self._root[..., None] * e).ravel(), self._prior(x)[0]])

    def jacobian(self, x: Array) -> Array:
        """Return the residuals' derivatives, shape (m, size)."""
        step = self.step(x)
        n, B, w = len(self.members), len(self._blocks), self.width
        J = np.zeros((KINDS, n, B, 3, self.size))
        for column, i in enumerate(self.fitted):
            member = int(np.searchsorted(self.members, i))
            own = slice(column * w, column * w + w)
            rates = self._of_robot(i, step[i], self._body)[1][..., :w]  # (4, B, 3, w)
            share = self._part[:, :, :, None, None]
            J[..., own] -= share[:, member][:, None] * rates[:, None]
            J[:, member, ..., own] += rates
        J *= self._root[..., None, None]
        return np.concatenate([J.reshape(-1, self.size), self._prior(x)[1]])

    def pulled(self, x: Array) -> Array:
        """Return the step that undoes what the attitudes' noise draws places to zero by, (size,).

        The lever arm turns with a measured attitude: its noise adds 2 sigma^2 to every block's
        square of p_1i's coefficients, and correlates with the residual [Fuller1987].
        """
        J = self.jacobian(x)
        H, pull, w = J.T @ J, np.zeros(self.size), self.width
        noise = min(float(self.deviation[0]), float(self.deviation[1]))
        kinds = ((1, noise),) if self.deviation[1] < UNUSED else ((3, float(self.deviation[2])),)
        for kind, sigma in kinds:
            for n, i in enumerate(self.fitted):
                member = int(np.searchsorted(self.members, i))
                robust = self._root[kind, member] ** 2 * (1.0 - self._part[kind, member])
                own = slice(n * w + 6, n * w + 9)
                ratio = 2.0 * sigma**2 * float(robust.sum())
                size = np.linalg.eigvalsh(H[own, own])[0]
                pull[own] = min(ratio, 0.3 * float(size)) * self.frames.position[i]
        return np.asarray(np.linalg.lstsq(H, pull, rcond=1e-13)[0])

    def spread(self) -> Array:
        """Return the standard deviation that the residuals of each kind show, shape (4,)."""
        e = self._errors(np.zeros((len(self.frames.known), 13)))
        e = e - np.einsum("knb,knbi->kbi", self._part, e)[:, None]
        square = ((self._root[..., None] * e) ** 2).sum(axis=(1, 2, 3))
        freedom = 3.0 * float((self._present.sum(axis=0) - 1).sum()) - 0.5 * self.size
        return np.asarray(np.sqrt(square / max(freedom, 1.0)))

    def _errors(self, step: Array) -> Array:
        """Return a_i of each member against the first body's, shape (4, n, B, 3)."""
        return np.stack([self._against(i, step[i]) for i in self.members.tolist()], axis=1)

    def _against(self, i: int, step: Array) -> Array:
        """Return one robot's a_i, shape (4, B, 3)."""
        attitude, place, twist = self._of_robot(i, step, None)[0]
        D = np.einsum("bji,bjk->bik", self._body[0], attitude)
        turned = 0.5 * np.stack(
            [D[:, 2, 1] - D[:, 1, 2], D[:, 0, 2] - D[:, 2, 0], D[:, 1, 0] - D[:, 0, 1]], axis=1
        )
        moved = twist - self._body[2]
        return np.stack([turned, place - self._body[1], moved[:, :3], moved[:, 3:]])

    def _of_robot(
        self, i: int, step: Array, body: tuple[Array, Array, Array] | None
    ) -> tuple[tuple[Array, Array, Array], Array]:
        """Return where robot i says the body is, and the derivatives of that if asked for.

        Derivatives have shape (4, B, 3, 13), in the order of `step`.
        """
        frames, blocks = self.frames, self._blocks
        exp_eps, exp_gamma = (Rotation.from_rotvec(v).as_matrix() for v in (step[:3], step[3:6]))
        X, C = frames.rotation[i] @ exp_eps, frames.base_rotation[i] @ exp_gamma
        p, c = frames.position[i] + step[6:9], frames.base_position[i] + step[9:12]
        late = (frames.clock[i] + step[12] - blocks.shift[i])[:, None]
        omega0 = blocks.twist[i][:, :3]
        turn = Rotation.from_rotvec(late * omega0).as_matrix()
        R, mean_R = blocks.rotation[i] @ turn, blocks.mean_rotation[i] @ turn
        rate = np.einsum("bij,bj->bi", blocks.mean_rotation[i], blocks.twist[i][:, 3:])
        x = blocks.position[i] + late * rate
        V = blocks.twist[i] + late * blocks.rate[i]
        lever = X.T @ p  # from {1} to {i}, in {i}
        local = x - mean_R @ lever
        omega = V[:, :3] @ X.T
        attitude = C @ R @ X.T
        value = attitude, c + local @ C.T, np.hstack([omega, V[:, 3:] @ X.T - np.cross(omega, p)])
        if body is None:
            return value, np.zeros(0)
        J = np.zeros((KINDS, len(blocks), 3, 13))
        Jeps, Jgamma = _right_jacobian(step[:3]), _right_jacobian(step[3:6])
        D = np.einsum("bji,bjk->bik", body[0], attitude)
        half = 0.5 * (np.einsum("bii->b", D)[:, None, None] * np.eye(3) - D.swapaxes(1, 2))
        J[0, :, :, :3] = -half @ X @ Jeps
        J[0, :, :, 3:6] = half @ X @ R.swapaxes(1, 2) @ Jgamma
        J[0, :, :, 12] = np.einsum("bij,bj->bi", half, omega0 @ X.T)
        J[1, :, :, :3] = -C @ mean_R @ skews(lever[None])[0] @ Jeps
        J[1, :, :, 3:6] = -C @ skews(local) @ Jgamma
        J[1, :, :, 6:9] = -C @ mean_R @ X.T
        J[1, :, :, 9:12] = np.eye(3)
        swept = rate - np.einsum("bij,bj->bi", mean_R, np.cross(omega0, lever))
        J[1, :, :, 12] = swept @ C.T
        P = skews(p[None])[0]
        J[2, :, :, :3] = -X @ skews(V[:, :3]) @ Jeps
        J[2, :, :, 12] = blocks.rate[i][:, :3] @ X.T
        J[3, :, :, :3] = (-X @ skews(V[:, 3:]) - P @ X @ skews(V[:, :3])) @ Jeps
        J[3, :, :, 6:9] = -skews(omega)
        J[3, :, :, 12] = blocks.rate[i][:, 3:] @ X.T + J[2, :, :, 12] @ P.T
        return value, J

    def _prior(self, x: Array) -> tuple[Array, Array]:
        """Return the residuals of what is known beforehand, and their derivatives."""
        step, w = self.step(x), self.width
        rows, slopes = [], []
        for column, i in enumerate(self.fitted):
            own = slice(column * w, column * w + w)
            C = self.frames.base_rotation[i] @ Rotation.from_rotvec(step[i, 3:6]).as_matrix()
            J = np.zeros((9, self.size))
            tilt = max(float(np.hypot(self.weights.tilt[i], self.weights.tilt[0])), ROUNDING)
            level = -C @ skews(np.array([[0.0, 0.0, 1.0]]))[0] @ _right_jacobian(step[i, 3:6])
            J[:2, own][:, 3:6] = level[:2] / tilt
            J[2:5, own][:, :3] = np.eye(3)
            J[5:8, own][:, 6:9] = np.eye(3) / self.weights.reach
            values = [C[:2, 2] / tilt, step[i, :3], (self.frames.position[i] + step[i, 6:9])]
            values[2] = values[2] / self.weights.reach
            late = np.zeros(1)
            if w == 13:
                sigma = max(float(self.weights.clock[i]), 1e-9)
                late = np.array([(self.frames.clock[i] + step[i, 12]) / sigma])
                J[8, own.start + 12] = 1.0 / sigma
            rows.append(np.concatenate([*values, late]))
            slopes.append(J)
        return np.concatenate(rows), np.concatenate(slopes)


def _right_jacobian(v: Array) -> Array:
    """Return J with exp(v + dv) = exp(v) exp(J dv) to first order, shape (3, 3)."""
    angle = float(np.linalg.norm(v))
    K = skews(v[None])[0]
    if angle < 1e-5:
        return np.eye(3) - 0.5 * K + K @ K / 6.0
    return np.asarray(
        np.eye(3)
        - (1.0 - np.cos(angle)) / angle**2 * K
        + (angle - np.sin(angle)) / angle**3 * K @ K
    )
