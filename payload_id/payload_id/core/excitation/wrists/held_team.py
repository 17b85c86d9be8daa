"""A payload held by a team at rest: what is known of it, and what each wrist would do with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Array
from ...body.inertial import skew
from ...errors import InputError
from ...motion.fourier import FourierSeries
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

    def body(self, series: FourierSeries, time: Array) -> tuple[Array, Array]:
        """Return axes (k, 3, 3) and origin (k, 3) [m] of {1} as it was before the motion.

        Args:
            series: Of a rotation vector [rad] and a translation of the centre [m], n = 6.
            time: Since the beginning, shape (k,) [s].
        """
        q = series.at(time).q
        R = Rotation.from_rotvec(q[:, :3]).as_matrix()
        return R, self.centre + q[:, 3:] - R @ self.centre

    def poses(self, series: FourierSeries, time: Array) -> tuple[Array, Array]:
        """Return R_i0i (N, k, 3, 3) and p_i0i (N, k, 3) [m] that carry a motion out."""
        R, x = self.body(series, time)
        X, p = self.frames.rotation, self.frames.position
        home = self.attitude @ X.swapaxes(1, 2)  # axes of {1} in {i0}
        moved = x[None] + np.einsum("kij,nj->nki", R, p) - p[:, None]
        turned = np.einsum("nij,kjl,nlm->nkim", home, R, X)
        return turned, self.place[:, None] + np.einsum("nij,nkj->nki", home, moved)

    def wrench_regressor(self, series: FourierSeries, time: Array) -> Array:
        """Return Y with Y phi the wrench about {1} that a motion takes, shape (k, 6, 10)."""
        R, x = self.body(series, time)
        up = R[:, :, :].swapaxes(1, 2) @ self._up()
        step = time[1] - time[0]
        omega = _omega(R, step)
        a = np.gradient(np.gradient(x, step, axis=0), step, axis=0)
        proper = np.einsum("kji,kj->ki", R, a) + GRAVITY * up
        return newton_euler_regressor(proper, omega, np.gradient(omega, step, axis=0))

    def _up(self) -> Array:
        """Return the vertical in {1} before the motion, shape (3,)."""
        return np.asarray(self.frames.rotation[0] @ self.attitude[0].T @ [0.0, 0.0, 1.0])

    def share(self) -> Array:
        """Return S with S w the least forces of all robots that make a wrench w, (N, 3, 6), in {1}.

        The part of a wrench that no forces make (two grasps: a moment about their line) is left.
        """
        G = np.hstack([np.vstack([np.eye(3), skew(p)]) for p in self.frames.position])
        return np.linalg.pinv(G, rcond=1e-6).reshape(len(self.names), 3, 6)

    def samples(self, series: FourierSeries, time: Array) -> list[RobotSamples]:
        """Return what the robots would measure without errors, with the least forces."""
        turned, place = self.poses(series, time)
        step = time[1] - time[0]
        force = np.einsum("nij,kjl,l->nki", self.share(), self.wrench_regressor(series, time),
                          self.phi)  # fmt: skip
        own = np.einsum("nji,nkj->nki", self.frames.rotation, force)
        made = []
        for i, name in enumerate(self.names):
            v = np.einsum("kji,kj->ki", turned[i], np.gradient(place[i], step, axis=0))
            twist = np.hstack([_omega(turned[i], step), v])
            made.append(RobotSamples(name, time, turned[i], place[i], twist, own[i]))
        return made


def _omega(R: Array, step: float) -> Array:
    """Return the angular velocity of attitudes at equal steps in their own axes, shape (k, 3)."""
    turn = Rotation.from_matrix(R[:-1].swapaxes(1, 2) @ R[1:]).as_rotvec() / step
    return np.asarray(np.vstack([turn[:1], (turn[1:] + turn[:-1]) / 2, turn[-1:]]))
