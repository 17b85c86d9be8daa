"""A body held by a team, without a simulator: motion in closed form, Newton-Euler forces."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.spatial.transform import Rotation

from payload_id.core.body.inertial import from_mass_com_inertia, mass_com_inertia, skew
from payload_id.core.team.bounds import RobotBounds
from payload_id.core.team.samples import RobotSamples
from payload_id.core.team.window_series import GRAVITY as G


def phi_of_table_1() -> np.ndarray:
    """Return the payload of [ZLEFL, Table I] in {1}, shape (10,)."""
    R = Rotation.from_rotvec(np.radians([0.001, 0.010, -95.016])).as_matrix()
    inertia = R @ np.diag([2.258, 3.448, 5.698]) @ R.T
    return from_mass_com_inertia(11.412, [0.553, 0.172, 0.072], inertia)


def grasps_of_table_1() -> tuple[np.ndarray, np.ndarray]:
    """Return R_1i (3, 3, 3) and p_1i (3, 3) of [ZLEFL, Table I], signs so that the loop closes."""
    R = Rotation.from_rotvec(np.radians([[0, 0, 0], [0, 0, 0], [0, 0, 90.0]])).as_matrix()
    p = np.array([[0, 0, 0], [0.647, 0.533, 0], [1.105, -0.305, 0]])
    return R, p


@dataclass(frozen=True)
class Motion:
    """Motion of frame {1} in a world with z up, at k instants; exact derivatives.

    Attributes:
        R: Shape (k, 3, 3).
        x: Shape (k, 3).
        omega: In {1}, shape (k, 3).
        alpha: In {1}, shape (k, 3).
        v: In {1}, shape (k, 3).
        a: Acceleration of the origin in {1}, shape (k, 3).
    """

    R: np.ndarray
    x: np.ndarray
    omega: np.ndarray
    alpha: np.ndarray
    v: np.ndarray
    a: np.ndarray


@dataclass(frozen=True)
class Path:
    """Holds in turn, joined by smooth moves, then sums of sines that begin and end at rest.

    Attributes:
        holds: Three angles (roll, pitch, yaw) and a place of each hold, shape (H, 6).
        hold: How long each takes [s].
        move: How long each move takes [s].
        amplitude: Of the sines, shape (6, K).
        frequency: Shape (K,) [Hz].
        phase: Shape (6, K).
        length: Of the motion after the holds [s].
    """

    holds: np.ndarray
    hold: float
    move: float
    amplitude: np.ndarray
    frequency: np.ndarray
    phase: np.ndarray
    length: float

    @classmethod
    def drawn(
        cls, rng: np.random.Generator, length: float = 20.0, holds: int = 4, angle: float = 0.17,
        reach: float = 0.06, fastest: float = 0.8, hold: float = 2.0,
    ) -> Path:  # fmt: skip
        """Draw a path with rotations up to about an angle [rad]."""
        K = 4
        size = np.array([angle] * 3 + [reach] * 3)
        share = rng.uniform(0.3, 1.0, (6, K))
        share /= share.sum(axis=1, keepdims=True)
        poses = rng.uniform(-1.0, 1.0, (holds, 6)) * size * 0.9
        return cls(
            poses, hold, 1.0, share * size[:, None], rng.uniform(0.15, fastest, K),
            rng.uniform(0, 2 * np.pi, (6, K)), length,
        )  # fmt: skip

    @property
    def duration(self) -> float:
        """How long all takes [s]."""
        return len(self.holds) * (self.hold + self.move) + self.length

    def at(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return angles and place with two derivatives, each of shape (k, 6)."""
        q, dq, ddq = (np.zeros((len(t), 6)) for _ in range(3))
        poses = np.vstack([self.holds, np.zeros((1, 6))])
        whole = self.hold + self.move
        for n in range(len(self.holds)):
            here = (t >= n * whole) & (t < (n + 1) * whole)
            s = np.clip((t[here] - n * whole - self.hold) / self.move, 0.0, 1.0)
            rise, d, dd = _smooth(s)
            step = poses[n + 1] - poses[n]
            q[here] = poses[n] + rise[:, None] * step
            dq[here] = d[:, None] * step / self.move
            ddq[here] = dd[:, None] * step / self.move**2
        begin = len(self.holds) * whole
        here = t >= begin
        u = t[here] - begin
        w = 2 * np.pi * self.frequency
        angle = u[:, None, None] * w + self.phase
        f = (self.amplitude * np.sin(angle)).sum(axis=2)
        df = (self.amplitude * w * np.cos(angle)).sum(axis=2)
        ddf = -(self.amplitude * w**2 * np.sin(angle)).sum(axis=2)
        e, de, dde = _smooth(np.clip(u / 1.5, 0, 1))
        e, de, dde = e[:, None], de[:, None] / 1.5, dde[:, None] / 1.5**2
        q[here], dq[here] = e * f, de * f + e * df
        ddq[here] = dde * f + 2 * de * df + e * ddf
        return q, dq, ddq

    def motion(self, t: np.ndarray) -> Motion:
        """Return the motion at some times, shape (k,)."""
        q, dq, ddq = self.at(np.asarray(t, dtype=float))
        return motion_of(q, dq, ddq)


def _smooth(s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the step of degree 9 (four derivatives vanish at both ends) and its derivatives."""
    p = np.polynomial.Polynomial([0, 0, 0, 0, 0, 126, -420, 540, -315, 70])
    return p(s), p.deriv()(s), p.deriv(2)(s)


def motion_of(q: np.ndarray, dq: np.ndarray, ddq: np.ndarray) -> Motion:
    """Return the motion of (roll, pitch, yaw, place) with R = Rz Ry Rx."""
    r, p = q[:, 0], q[:, 1]
    R = Rotation.from_euler("ZYX", q[:, [2, 1, 0]]).as_matrix()
    zero, one = np.zeros_like(r), np.ones_like(r)
    sr, cr, sp, cp = np.sin(r), np.cos(r), np.sin(p), np.cos(p)
    E = np.stack(
        [
            np.stack([one, zero, -sp], 1),
            np.stack([zero, cr, sr * cp], 1),
            np.stack([zero, -sr, cr * cp], 1),
        ],
        axis=1,
    )
    dr, dp = dq[:, 0], dq[:, 1]
    dE = np.stack(
        [
            np.stack([zero, zero, -cp * dp], 1),
            np.stack([zero, -sr * dr, cr * cp * dr - sr * sp * dp], 1),
            np.stack([zero, -cr * dr, -sr * cp * dr - cr * sp * dp], 1),
        ],
        axis=1,
    )
    omega = np.einsum("kij,kj->ki", E, dq[:, :3])
    alpha = np.einsum("kij,kj->ki", E, ddq[:, :3]) + np.einsum("kij,kj->ki", dE, dq[:, :3])
    v = np.einsum("kji,kj->ki", R, dq[:, 3:])
    a = np.einsum("kji,kj->ki", R, ddq[:, 3:])
    return Motion(R, q[:, 3:], omega, alpha, v, a)


def wrench_on(phi: np.ndarray, motion: Motion) -> np.ndarray:
    """Return force and moment about {1}, in {1}, that move the payload so, shape (k, 6)."""
    m, c, inertia = mass_com_inertia(phi)
    omega, alpha = motion.omega, motion.alpha
    up = motion.R[:, 2]
    ac = motion.a + np.cross(alpha, c) + np.cross(omega, np.cross(omega, c))
    force = m * (ac + G * up)
    moment = alpha @ inertia.T + np.cross(omega, omega @ inertia.T) + np.cross(c, force)
    return np.hstack([force, moment])


@dataclass(frozen=True)
class Team:
    """A team that holds a payload.

    Attributes:
        phi: In {1}, shape (10,).
        R: R_1i, shape (N, 3, 3).
        p: p_1i, shape (N, 3).
        yaw: Of each {i0} in the world, shape (N,).
        origin: Of each {i0} in the world, shape (N, 3).
        clock: Offset of each clock, shape (N,) [s].
        moments: Whether robots exert moments, too.
        tilt: Of each {i0}, rotation vectors, shape (N, 3) [rad].
    """

    phi: np.ndarray
    R: np.ndarray
    p: np.ndarray
    yaw: np.ndarray
    origin: np.ndarray
    clock: np.ndarray
    moments: bool = False
    tilt: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))

    @classmethod
    def of_table_1(cls, rng: np.random.Generator, **changes: object) -> Team:
        """Return the paper's team, standing anyhow."""
        R, p = grasps_of_table_1()
        return cls.standing(phi_of_table_1(), R, p, rng, **changes)

    @classmethod
    def standing(cls, phi, R, p, rng, **changes) -> Team:
        """Return a team with frames {i0} drawn."""
        N = len(R)
        team = cls(
            phi, np.asarray(R), np.asarray(p), rng.uniform(-np.pi, np.pi, N),
            rng.uniform(-1, 1, (N, 3)), np.zeros(N),
        )  # fmt: skip
        return replace(team, **changes)

    @classmethod
    def drawn(cls, rng: np.random.Generator, N: int, **changes: object) -> Team:
        """Draw a payload and N grasps around it."""
        angle = (
            np.sort(rng.uniform(0, 2 * np.pi, N))
            if N > 4
            else (2 * np.pi * (np.arange(N) + rng.uniform(-0.25, 0.25, N)) / N)
        )
        radius = rng.uniform(0.3, 0.8)
        around = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
        place = np.hstack([around, rng.uniform(-0.1, 0.1, (N, 1))])
        R = Rotation.random(N, random_state=rng.integers(1 << 31)).as_matrix()
        mass = rng.uniform(2.0, 20.0)
        com = np.append(rng.uniform(-0.1, 0.1, 2), rng.uniform(-0.1, 0.1))
        points = rng.normal(size=(12, 3)) * rng.uniform(0.15, 0.45, 3)
        share = rng.dirichlet(np.ones(12)) * mass
        points -= (share @ points) / mass
        inertia = sum(
            s * (x @ x * np.eye(3) - np.outer(x, x)) for s, x in zip(share, points, strict=True)
        )
        T = R[0].T
        phi = from_mass_com_inertia(mass, T @ (com - place[0]), T @ inertia @ T.T)
        relative = np.einsum("ij,njk->nik", T, R)
        return cls.standing(phi, relative, (place - place[0]) @ T.T, rng, **changes)

    @property
    def N(self) -> int:
        """Number of robots."""
        return len(self.R)

    @property
    def names(self) -> list[str]:
        """Names of the robots."""
        return [f"omnid{i + 1}" for i in range(self.N)]

    def samples(
        self, path: Path, rng: np.random.Generator, rate: float = 100.0, internal: float = 3.0,
        times: list[np.ndarray] | None = None,
    ) -> list[RobotSamples]:  # fmt: skip
        """Return what ideal robots measure along a path.

        Args:
            path: Of frame {1}.
            rng: Draws how the wrench is shared.
            rate: Of samples [Hz].
            internal: Size of forces that cancel [N].
            times: Stamps of each robot on its own clock; even ones if not given.
        """
        even = np.arange(round(path.duration * rate) + 1) / rate
        f = rng.uniform(0.1, 0.7, (3 * self.N, 2))
        shift = rng.uniform(0, 6, (3 * self.N, 2))
        out = []
        for i in range(self.N):
            stamp = even if times is None else times[i]
            true = np.clip(stamp - self.clock[i], 0.0, None)
            motion = path.motion(true)
            wave = internal * np.sin(true[:, None, None] * f * 2 * np.pi + shift).sum(axis=2)
            out.append(self._robot(i, stamp, motion, wave))
        return out

    def _robot(self, i: int, stamp: np.ndarray, motion: Motion, wave: np.ndarray) -> RobotSamples:
        """Return what robot i measures."""
        X, p = self.R[i], self.p[i]
        force, moment = self.shared(motion, wave)
        base = Rotation.from_euler("z", self.yaw[i])
        if len(self.tilt):
            base = base * Rotation.from_rotvec(self.tilt[i])
        B = base.as_matrix()
        position = motion.x + np.einsum("kij,j->ki", motion.R, p) - self.origin[i]
        velocity = motion.v + np.cross(motion.omega, p)
        return RobotSamples(
            self.names[i],
            stamp,
            np.einsum("ji,kjl,lm->kim", B, motion.R, X),
            position @ B,
            np.hstack([motion.omega @ X, velocity @ X]),
            force[:, i] @ X,
            moment[:, i] @ X if self.moments else None,
        )

    def shared(self, motion: Motion, wave: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return force and moment of each robot about its grasp, in {1}, shape (k, N, 3) each."""
        N = self.N
        W = wrench_on(self.phi, motion)
        forces = np.hstack([np.eye(3)] * N)
        turns = np.hstack([skew(x) for x in self.p])
        if self.moments:
            scale = 0.3  # moments cost more than forces
            grasp = np.block(
                [[forces, np.zeros((3, 3 * N))], [turns, np.hstack([np.eye(3) * scale] * N)]]
            )
            wave = np.hstack([wave, 0.1 * np.roll(wave, 1, axis=1)])
        else:
            scale, grasp = 0.0, np.vstack([forces, turns])
        inverse = np.linalg.pinv(grasp, rcond=1e-9)
        shared = wave + (W - wave @ grasp.T) @ inverse.T
        force = shared[:, : 3 * N].reshape(-1, N, 3)
        moment = (
            scale * shared[:, 3 * N :].reshape(-1, N, 3) if self.moments else np.zeros_like(force)
        )
        return force, moment


def disturbed(
    samples: RobotSamples, bounds: RobotBounds, rng: np.random.Generator, kind: str = "uniform"
) -> RobotSamples:
    """Return samples with errors within bounds; twists and poses have errors of their own.

    Args:
        samples: Ideal ones.
        bounds: What errors keep.
        rng: Draws them.
        kind: "uniform", "corners" (each at an end of its range), "slow" (sines through the run) or
            "constant".
    """
    k = len(samples)

    def error(size: float, width: int) -> np.ndarray:
        if kind == "corners":
            return size * rng.choice([-1.0, 1.0], (k, width))
        if kind == "slow":
            f, phase = rng.uniform(0.05, 1.5, width), rng.uniform(0, 6.3, width)
            return size * np.sin(2 * np.pi * samples.time[:, None] * f + phase)
        if kind == "constant":
            return np.tile(size * rng.uniform(-1, 1, width), (k, 1))
        return size * rng.uniform(-1.0, 1.0, (k, width))

    turn = Rotation.from_rotvec(error(bounds.orientation, 3)).as_matrix()
    twist = np.hstack([error(bounds.angular_velocity, 3), error(bounds.linear_velocity, 3)])
    force = samples.force + rng.uniform(-1, 1, 3) * bounds.force_bias
    force = force * (1.0 + rng.uniform(-1, 1) * bounds.force_gain / (1 + bounds.force_gain))
    dry = np.einsum("kji,kj->ki", samples.rotation, error(bounds.friction, 3))
    noise = error(bounds.force_absolute, 3) + error(bounds.force_relative, 3) * np.abs(force) / (
        1.0 + bounds.force_relative
    )
    moment = None
    if samples.moment is not None:
        moment = samples.moment + error(bounds.moment_absolute, 3)
    return RobotSamples(
        samples.name, samples.time, samples.rotation @ turn,
        samples.position + error(bounds.position, 3), samples.twist + twist,
        force + dry + noise, moment,
    )  # fmt: skip
