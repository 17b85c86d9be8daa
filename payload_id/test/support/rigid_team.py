"""A team on one rigid payload by Newton and Euler alone: nothing of `core.team` but its samples.

Robots bear moments; the motion of {1} is a sum of sines; every array is a function of true time.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

from payload_id.core.team.samples import RobotSamples

STENCIL = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])


@dataclass
class RigidTeam:
    """N robots that hold one payload.

    Attributes:
        rng: Draws what is not stated.
        number: N.
        turn: Size of the rotation vector's sines [rad].
        frequency: Of the motion [Hz].
        axis: Of the rotation, where there is one alone, shape (3,).
        pause: Stretch of time in which everything is at rest [s].
        places: Of the grasps in {1}, shape (N, 3) [m]; drawn if not given.
        mass: Of the payload [kg].
        gravity: [m/s2].
        com: Its centre of mass in {1}, shape (3,) [m].
    """

    rng: np.random.Generator
    number: int
    turn: float = 0.25
    frequency: float = 0.3
    axis: tuple[float, float, float] | None = None
    pause: tuple[float, float] | None = None
    places: np.ndarray | None = None
    mass: float = 3.0
    gravity: float = 9.81
    com: np.ndarray = field(default_factory=lambda: np.array([0.1, -0.2, 0.1]))

    def __post_init__(self) -> None:
        rng, N = self.rng, self.number
        self.rate = self.frequency * rng.uniform(0.6, 1.3, (2, 3, 3))
        self.phase, size = rng.uniform(0, 6, (2, 3, 3)), rng.normal(size=(2, 3, 3))
        self.size = size / np.linalg.norm(size, axis=1, keepdims=True)
        self.size *= np.array([self.turn, 0.05 if self.turn else 0.0])[:, None, None]
        turns = Rotation.random(N, random_state=int(rng.integers(1 << 30))).as_matrix()
        self.X = np.concatenate([np.eye(3)[None], turns[1:]])
        if self.places is None:
            angle = 2 * np.pi * np.arange(N) / N
            self.places = 0.4 * np.stack([np.cos(angle), np.sin(angle), 0.2 * angle], 1)
        self.places = self.places - self.places[0]
        self.base = Rotation.from_rotvec(rng.uniform(0, 6, (N, 1)) * [0, 0, 1.0]).as_matrix()
        self.origin = rng.normal(size=(N, 3))
        inner = Rotation.from_rotvec([0.4, 0.7, -0.3]).as_matrix()
        self.about_com = self.mass * inner @ np.diag([0.02, 0.03, 0.04]) @ inner.T

    def phi(self) -> np.ndarray:
        """Return the payload's parameters in {1}, shape (10,)."""
        c, m = self.com, self.mass
        inertia = self.about_com + m * (c @ c * np.eye(3) - np.outer(c, c))
        return np.concatenate([[m], m * c, inertia[np.triu_indices(3)]])

    def _warped(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return a time that stands still in the pause, and its rate."""
        if self.pause is None:
            return t, np.ones_like(t)
        begin, end = (np.tanh((t - x) / 0.3) for x in self.pause)
        stopped = [0.3 * np.logaddexp(x := (t - s) / 0.3, -x) for s in self.pause]
        return t - 0.5 * (stopped[0] - stopped[1]), 1.0 - 0.5 * (begin - end)

    def _sines(self, k: int, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        u, rate = self._warped(t)
        w = 2 * np.pi * self.rate[k]
        angle = w * u[:, None, None] + self.phase[k]
        value = (self.size[k] * np.sin(angle)).sum(1)
        slope = (self.size[k] * w * np.cos(angle)).sum(1) * rate[:, None]
        if k == 0 and self.axis is not None:
            return value[:, :1] * self.axis, slope[:, :1] * self.axis
        return value, slope

    def _body(self, t: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return R, x, omega and world velocity of {1}."""
        theta, rate = self._sines(0, t)
        x, velocity = self._sines(1, t)
        half = 1e-4
        before, after = (Rotation.from_rotvec(theta + s * half * rate) for s in (-1, 1))
        return (
            Rotation.from_rotvec(theta).as_matrix(),
            x,
            (before.inv() * after).as_rotvec() / (2 * half),
            velocity,
        )

    def truth(self, i: int, t: np.ndarray) -> dict[str, np.ndarray]:
        """Return what robot i would measure without any error at true times."""
        R, x, omega, velocity = self._body(t)
        parts = [self._body(t + k * 2e-3)[2:] for k in range(-4, 5)]
        alpha, acceleration = (
            sum(c * p[n] for c, p in zip(STENCIL, parts, strict=True)) / 2e-3 for n in (0, 1)
        )
        a = np.einsum("nji,nj->ni", R, acceleration + [0.0, 0.0, self.gravity])
        phi = self.phi()
        m, h, J = phi[0], phi[1:4], np.zeros((3, 3))
        J[np.triu_indices(3)] = phi[4:]
        J = J + np.triu(J, 1).T
        force = m * a + np.cross(alpha, h) + np.cross(omega, np.cross(omega, h))
        moment = np.cross(h, a) + alpha @ J.T + np.cross(omega, omega @ J.T)
        share = 1.0 / self.number
        moment = moment - share * np.cross(self.places.sum(0), force)
        X, p, C = self.X[i], self.places[i], self.base[i]
        v = np.einsum("nji,nj->ni", R, velocity) + np.cross(omega, p)
        return {
            "rotation": C.T @ R @ X,
            "position": (x + R @ p - self.origin[i]) @ C,
            "twist": np.hstack([omega @ X, v @ X]),
            "force": share * force @ X,
            "moment": share * moment @ X,
        }

    def samples(
        self, i: int, t: np.ndarray, clock: float = 0.0, jitter: np.ndarray | float = 0.0,
        **errors: np.ndarray,
    ) -> RobotSamples:  # fmt: skip
        """Return samples of robot i at true times; errors are added, rotations turned by them."""
        values = self.truth(i, t)
        if "rotation" in errors:
            turned = Rotation.from_rotvec(errors.pop("rotation")).as_matrix()
            values["rotation"] = values["rotation"] @ turned
        for name, error in errors.items():
            values[name] = values[name] + error
        return RobotSamples(f"r{i}", t + clock + jitter, **values)
