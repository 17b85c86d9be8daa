"""Two bodies on a hinge held by robots with passive gimbals: exact motion, Newton-Euler forces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from payload_id.core.body.inertial import change_of_frame, from_mass_com_inertia, skews
from payload_id.core.team.samples import RobotSamples
from team_motion import Motion, Path, wrench_on


@dataclass(frozen=True)
class HingedTeam:
    """Who holds which body where.

    The second body's frame {2} is {1} turned by the angle about the axis through `place`.

    Attributes:
        phi: Of both bodies, in {1} and in {2}, shape (2, 10).
        axis: n in {1}, and so in {2}, shape (3,).
        place: q in {1} and in {2}, shape (3,) [m].
        side: Which body each robot holds, shape (N,).
        R: Axes of each grasp frame in its body's, shape (N, 3, 3).
        p: Its origin there, shape (N, 3) [m].
        yaw: Of each level frame in the world, shape (N,) [rad].
        origin: Of each, shape (N, 3) [m].
        clock: Offset of each clock, shape (N,) [s].
        swing: Amplitudes of the angle's sines, shape (K,) [rad].
        rate: Their frequencies, shape (K,) [rad/s].
        phase: Shape (K,).
        friction: Dry and viscous, about the axis, shape (2,) [N m, N m s].
    """

    phi: np.ndarray
    axis: np.ndarray
    place: np.ndarray
    side: np.ndarray
    R: np.ndarray
    p: np.ndarray
    yaw: np.ndarray
    origin: np.ndarray
    clock: np.ndarray
    swing: np.ndarray
    rate: np.ndarray
    phase: np.ndarray
    friction: np.ndarray

    @classmethod
    def drawn(cls, rng: np.random.Generator, side=(0, 0, 1), friction=(0.0, 0.0)) -> HingedTeam:
        """Draw bodies on both sides of an axis, and grasps on them, the first at {1}."""
        side = np.asarray(side)
        n = rng.normal(size=3)
        n[2] *= 0.3
        n /= np.linalg.norm(n)
        q = rng.uniform(-0.2, 0.2, 3) + [0.5, 0.0, 0.0]
        across = np.cross(n, [0.0, 0.0, 1.0])
        across /= np.linalg.norm(across)
        if across @ q > 0:
            across = -across  # {1} is on the first body's side
        bodies, places = [], []
        for k in (0, 1):
            towards = across if k == 0 else -across
            com = q + towards * rng.uniform(0.2, 0.4) + rng.uniform(-0.1, 0.1, 3)
            points = rng.normal(size=(12, 3)) * rng.uniform(0.1, 0.25, 3)
            share = rng.dirichlet(np.ones(12)) * rng.uniform(2.0, 8.0)
            points -= (share @ points) / share.sum()
            inertia = sum(
                s * (x @ x * np.eye(3) - np.outer(x, x)) for s, x in zip(share, points, strict=True)
            )
            bodies.append(from_mass_com_inertia(share.sum(), com, inertia))
            many = int((side == k).sum())
            spread = np.linspace(-0.4, 0.4, many) if many > 1 else np.zeros(1)
            grasps = com + towards * 0.15 + spread[:, None] * n + rng.uniform(-0.1, 0.1, (many, 3))
            places.append(iter(grasps))
        p = np.array([next(places[k]) for k in side])
        # {1} is the first robot's grasp frame: all is moved there
        move = p[0].copy()
        T = change_of_frame(np.eye(3), -move)
        R = Rotation.random(len(side), random_state=int(rng.integers(1 << 31))).as_matrix()
        R[0] = np.eye(3)
        return cls(
            np.array([T @ phi for phi in bodies]), n, q - move, side, R, p - move,
            rng.uniform(-np.pi, np.pi, len(side)), rng.uniform(-1, 1, (len(side), 3)),
            np.zeros(len(side)), np.array([0.2, 0.12]), rng.uniform(1.0, 4.0, 2),
            rng.uniform(0, 6, 2), np.asarray(friction, dtype=float),
        )  # fmt: skip

    def angle(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the hinge's angle and two derivatives, shape (k,) each; at rest it stays."""
        turn = np.outer(t, self.rate) + self.phase
        return (
            np.sin(turn) @ self.swing, np.cos(turn) @ (self.swing * self.rate),
            -np.sin(turn) @ (self.swing * self.rate**2),
        )  # fmt: skip

    def motions(self, path: Path, t: np.ndarray) -> tuple[Motion, Motion]:
        """Return the motion of {1} and of {2}."""
        one = path.motion(t)
        theta, rate, second = self.angle(t)
        n, q = self.axis, self.place
        Q = Rotation.from_rotvec(theta[:, None] * n).as_matrix()
        turned = np.cross(one.omega, n)
        omega = one.omega + rate[:, None] * n  # all in {1}
        alpha = one.alpha + second[:, None] * n + rate[:, None] * turned
        away = q - np.einsum("kij,j->ki", Q, q)  # origin of {2}
        at_q = one.v + np.cross(one.omega, q)
        acc_q = one.a + np.cross(one.alpha, q) + np.cross(one.omega, np.cross(one.omega, q))
        v = at_q + np.cross(omega, away - q)
        a = acc_q + np.cross(alpha, away - q) + np.cross(omega, np.cross(omega, away - q))
        back = lambda x: np.einsum("kji,kj->ki", Q, x)  # noqa: E731
        two = Motion(
            one.R @ Q, one.x + np.einsum("kij,kj->ki", one.R, away), back(omega), back(alpha),
            back(v), back(a),
        )  # fmt: skip
        return one, two

    def forces(self, path: Path, t: np.ndarray, wave: np.ndarray) -> np.ndarray:
        """Return every robot's force on its body, in the world, shape (k, N, 3).

        Of all forces that move both bodies so, those nearest to `wave`, shape (k, 3 N).
        """
        bodies = self.motions(path, t)
        k, N = len(t), len(self.side)
        G, right = np.zeros((k, 7, 3 * N)), np.zeros((k, 7))
        turned = lambda R, x: np.einsum("kij,kj->ki", R, x)  # noqa: E731
        for phi, motion in zip(self.phi, bodies, strict=True):
            wrench = wrench_on(phi, motion)
            f, m = turned(motion.R, wrench[:, :3]), turned(motion.R, wrench[:, 3:])
            right[:, :3] += f
            right[:, 3:6] += np.cross(motion.x, f) + m
        n, q = bodies[1].R @ self.axis, bodies[1].x + bodies[1].R @ self.place
        _, rate, _ = self.angle(t)
        drag = np.stack([np.tanh(rate / 0.02), rate], axis=1) @ self.friction
        right[:, 6] = (n * (m + np.cross(bodies[1].x - q, f))).sum(axis=1) + drag
        for i, side in enumerate(self.side):
            place = bodies[side].x + bodies[side].R @ self.p[i]
            own = slice(3 * i, 3 * i + 3)
            G[:, :3, own] = np.eye(3)
            G[:, 3:6, own] = skews(place)
            if side:
                G[:, 6, own] = np.cross(n, place - q)
        missing = right - np.einsum("krj,kj->kr", G, wave)
        return (wave + np.einsum("kjr,kr->kj", np.linalg.pinv(G), missing)).reshape(k, N, 3)

    def samples(self, path: Path, rng: np.random.Generator, rate: float = 100.0) -> list:
        """Return what ideal robots measure along a path of {1}."""
        even = np.arange(round(path.duration * rate) + 1) / rate
        N = len(self.side)
        f, phase = rng.uniform(0.1, 0.7, (3 * N, 2)), rng.uniform(0, 6, (3 * N, 2))
        robots = []
        for i in range(N):
            t = np.clip(even - self.clock[i], 0.0, None)
            wave = 3.0 * np.sin(t[:, None, None] * f * 2 * np.pi + phase).sum(axis=2)
            motion = self.motions(path, t)[self.side[i]]
            force = self.forces(path, t, wave)[:, i]
            X, p = self.R[i], self.p[i]
            B = Rotation.from_euler("z", self.yaw[i]).as_matrix()
            place = motion.x + np.einsum("kij,j->ki", motion.R, p) - self.origin[i]
            velocity = motion.v + np.cross(motion.omega, p)
            robots.append(RobotSamples(
                f"omnid{i + 1}", even, B.T @ motion.R @ X, place @ B,
                np.hstack([motion.omega @ X, velocity @ X]),
                np.einsum("kji,kj->ki", motion.R @ X, force),
            ))  # fmt: skip
        return robots
