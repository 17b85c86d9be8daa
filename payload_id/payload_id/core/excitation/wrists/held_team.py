"""A payload held by a team at rest: what is known of it, and what each wrist would do with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import factorial

import numpy as np
from numpy.polynomial import Polynomial
from scipy.spatial.transform import Rotation

from ...arrays import Array
from ...body.inertial import skew
from ...errors import InputError
from ...motion.fourier import FourierSeries
from ...motion.trajectory import Motion
from ...rows.wrench.newton_euler import newton_euler_regressor
from ...team.bounds import RobotBounds, TeamBounds
from ...team.closed_form.pair_equations import FrameBounds
from ...team.estimate import TeamEstimate
from ...team.grasp_frames import GraspFrames
from ...team.samples import RobotSamples
from ...team.window_series import GRAVITY


@dataclass(frozen=True)
class HeldTeam:
    """N robots that hold a payload, at rest. A motion is that of frame {1} from where it is.

    Attributes:
        names: Of the robots, the reference first.
        frames: Grasp frames.
        frame_bounds: What is known of them, N of them.
        bounds: Errors of what each robot measures, N of them.
        phi: Estimate of the payload in {1}, shape (10,).
        half_width: Of its intervals, shape (10,).
        attitude: R_i0i now, shape (N, 3, 3).
        place: p_i0i now, shape (N, 3) [m].
    """

    names: tuple[str, ...]
    frames: GraspFrames
    frame_bounds: list[FrameBounds]
    bounds: list[RobotBounds]
    phi: Array
    half_width: Array
    attitude: Array
    place: Array

    @classmethod
    def of(
        cls, estimate: TeamEstimate, bounds: TeamBounds, newest: Mapping[str, RobotSamples]
    ) -> HeldTeam:
        """Return the team as an estimate knows it, where the newest samples say that it is.

        Raises:
            InputError: A grasp frame or the payload's mass is not known, or a robot has not spoken.
        """
        names = tuple(estimate.frames)
        frames = [estimate.frames[name] for name in names]
        unknown = [f.name for f in frames if not f.known or f.name not in newest]
        if unknown or not np.isfinite(estimate.phi + estimate.half_width).all():
            raise InputError(
                f"Wrist motions need grasp frames, and a newest sample, of every robot; missing of "
                f"{', '.join(unknown) or 'the payload'}. Turn the payload by hand about two axes "
                "first."
            )
        known = GraspFrames.unknown(len(names)).with_poses(
            np.stack([f.rotation for f in frames]), np.stack([f.position for f in frames])
        )
        boxes = [
            FrameBounds(np.minimum(f.rotation_bound, 0.5), f.position_bound, f.clock_bound)
            for f in frames
        ]
        last = [newest[name] for name in names]
        return cls(
            names, known, boxes, [bounds.of(name) for name in names],
            estimate.phi, estimate.half_width,
            np.stack([s.rotation[-1] for s in last]), np.stack([s.position[-1] for s in last]),
        )  # fmt: skip

    @property
    def centre(self) -> Array:
        """Middle of the grasps in {1}, about which motions turn, shape (3,) [m]."""
        return np.asarray(self.frames.position.mean(axis=0))

    @property
    def arms(self) -> Array:
        """Grasps from their middle in {1}, shape (N, 3) [m]."""
        return np.asarray(self.frames.position - self.centre)

    def body(self, at: Motion) -> tuple[Array, Array]:
        """Return axes (k, 3, 3) and origin (k, 3) [m] of {1} as it was before the motion.

        Args:
            at: A rotation vector [rad] and a translation of the centre [m], n = 6, at k instants.
        """
        R = Rotation.from_rotvec(at.q[:, :3]).as_matrix()
        return R, self.centre + at.q[:, 3:] - R @ self.centre

    def poses(self, at: Motion) -> tuple[Array, Array]:
        """Return R_i0i (N, k, 3, 3) and p_i0i (N, k, 3) [m] that carry a motion out."""
        R, x = self.body(at)
        X, p = self.frames.rotation, self.frames.position
        home = self.attitude @ X.swapaxes(1, 2)  # axes of {1} in {i0}
        moved = x[None] + np.einsum("kij,nj->nki", R, p) - p[:, None]
        turned = np.einsum("nij,kjl,nlm->nkim", home, R, X)
        return turned, self.place[:, None] + np.einsum("nij,nkj->nki", home, moved)

    def velocities(self, at: Motion) -> tuple[Array, Array]:
        """Return omega (k, 3) [rad/s] and the grasps' velocities (N, k, 3) [m/s], in {1}."""
        R, omega = self.body(at)[0], turning(at)[0]
        carried = np.einsum("kji,kj->ki", R, at.dq[:, 3:])
        return omega, carried + np.cross(omega, self.arms[:, None])

    def wrench_regressor(self, at: Motion) -> Array:
        """Return Y with Y phi the wrench about {1} that a motion takes, shape (k, 6, 10)."""
        R, c, (omega, alpha) = self.body(at)[0], self.centre, turning(at)
        proper = np.einsum("kji,kj->ki", R, at.ddq[:, 3:] + GRAVITY * self._up())
        proper -= np.cross(alpha, c) + np.cross(omega, np.cross(omega, c))
        return newton_euler_regressor(proper, omega, alpha)

    def _up(self) -> Array:
        """Return the vertical in {1} before the motion, shape (3,)."""
        return np.asarray(self.frames.rotation[0] @ self.attitude[0].T @ [0.0, 0.0, 1.0])

    def share(self) -> Array:
        """Return S with S w the least forces of all robots that make a wrench w, (N, 3, 6), in {1}.

        The part of a wrench that no forces make (two grasps: a moment about their line) is left.
        """
        G = np.hstack([np.vstack([np.eye(3), skew(p)]) for p in self.frames.position])
        return np.linalg.pinv(G, rcond=1e-6).reshape(len(self.names), 3, 6)

    def forces(self, at: Motion) -> Array:
        """Return the least forces of all robots that move the estimate, (N, k, 3) [N], in {1}."""
        wrench = self.wrench_regressor(at) @ self.phi
        return np.einsum("nij,kj->nki", self.share(), wrench)

    def samples(self, series: FourierSeries, time: Array) -> list[RobotSamples]:
        """Return what the robots would measure without errors, with the least forces."""
        at, axes = series.at(time), self.frames.rotation.swapaxes(1, 2)
        omega, velocity = self.velocities(at)
        parts = (
            *self.poses(at),
            np.einsum("nij,kj->nki", axes, omega),
            np.einsum("nij,nkj->nki", axes, velocity),
            np.einsum("nij,nkj->nki", axes, self.forces(at)),
        )
        return [
            RobotSamples(name, time, R, p, np.hstack([w, v]), f)
            for name, R, p, w, v, f in zip(self.names, *parts, strict=True)
        ]


# (1 - cos x) / x^2 and (x - sin x) / x^3 by x^2; the next term is below 1e-15 for half a turn.
_A, _B = (Polynomial([(-1.0) ** k / factorial(2 * k + n) for k in range(14)]) for n in (2, 3))


def turning(at: Motion) -> tuple[Array, Array]:
    """Return omega and its derivative in the turned axes, (k, 3) each, for rotation vectors w.

    omega = J dw,  J = 1 - A(w w) [w]x + B(w w) [w]x^2,  A and B as above.
    """
    w, dw, ddw = (x[:, :3] for x in (at.q, at.dq, at.ddq))
    square, change = (factor * (w * x).sum(axis=1)[:, None] for factor, x in ((1, w), (2, dw)))
    a, b = _A(square), _B(square)
    da, db = _A.deriv()(square) * change, _B.deriv()(square) * change
    across, rate = np.cross(w, dw), np.cross(w, ddw)
    omega = dw - a * across + b * np.cross(w, across)
    alpha = ddw - a * rate + b * (np.cross(w, rate) + np.cross(dw, across))
    return omega, alpha - da * across + db * np.cross(w, across)
