"""A force-torque sensor that moves, and the rows that its readings make, of this folder's own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from payload_id import WrenchSamples, WrenchUncertainty

from .own_rows import PAIRS, Rows

GRAVITY = np.array([0.0, 0.0, -9.81])


def inertia_of(phi: np.ndarray) -> np.ndarray:
    """Return the matrix of inertia about the origin."""
    found = np.zeros((3, 3))
    for value, (i, j) in zip(phi[4:], PAIRS, strict=True):
        found[i, j] = found[j, i] = value
    return found


def wrench_of(phi: np.ndarray, a, alpha, square) -> np.ndarray:
    """Return what moves a body: proper acceleration, angular acceleration, omega omega'."""
    h, I = phi[1:4], inertia_of(phi)  # noqa: E741
    force = phi[0] * a + np.cross(alpha, h) + (square - np.trace(square) * np.eye(3)) @ h
    turning = I @ square
    spin = np.array([turning[2, 1] - turning[1, 2], turning[0, 2] - turning[2, 0],
                     turning[1, 0] - turning[0, 1]])  # fmt: skip
    return np.concatenate([force, np.cross(h, a) + I @ alpha + spin])


def coefficients() -> np.ndarray:
    """Return K of wrench = K F phi, F = (a, alpha, six of omega omega'), shape (12, 6, 10)."""
    found = []
    for k in range(12):
        a, alpha, square = np.zeros(3), np.zeros(3), np.zeros((3, 3))
        if k < 6:
            (a if k < 3 else alpha)[k % 3] = 1.0
        else:
            i, j = PAIRS[k - 6]
            square[i, j] = square[j, i] = 1.0
        found.append([wrench_of(phi, a, alpha, square) for phi in np.eye(10)])
    return np.swapaxes(np.array(found), 1, 2)


K = coefficients()


@dataclass(frozen=True)
class Handling:
    """What a sensor is moved by: angles about z, y and x, and a place, sums of sines."""

    size: np.ndarray  # of the angles, shape (3, 3)
    place: np.ndarray  # of the place, shape (3, 3)
    phase: np.ndarray  # shape (2, 3, 3)

    @classmethod
    def drawn(cls, rng: np.random.Generator, angle: float = 0.7, place: float = 0.1) -> Handling:
        """Draw one."""
        return cls(
            angle * rng.uniform(0.4, 1.0, (3, 3)), place * rng.uniform(0.4, 1.0, (3, 3)),
            rng.uniform(0, 6.0, (2, 3, 3)),
        )  # fmt: skip

    def sines(self, t, which: int, order: int) -> np.ndarray:
        """Return the angles or the place, or a derivative of them, shape (3,)."""
        w = np.array([1.7, 3.1, 4.3])
        size = (self.size, self.place)[which]
        return (size * w**order * np.sin(w * t + self.phase[which] + order * np.pi / 2)).sum(axis=1)

    def rotation(self, t: float) -> np.ndarray:
        """Return the sensor's axes in the world."""
        (a, b, c) = self.sines(t, 0, 0)
        z, y, x = (np.array([[np.cos(u), -np.sin(u)], [np.sin(u), np.cos(u)]]) for u in (a, b, c))
        Z, Y, X = np.eye(3), np.eye(3), np.eye(3)
        Z[:2, :2], Y[np.ix_([2, 0], [2, 0])], X[1:, 1:] = z, y, x
        return Z @ Y @ X

    def omega(self, t: float) -> np.ndarray:
        """Return the angular velocity in the sensor's axes."""
        (_, b, c), (da, db, dc) = self.sines(t, 0, 0), self.sines(t, 0, 1)
        return np.array([
            dc - da * np.sin(b), db * np.cos(c) + da * np.cos(b) * np.sin(c),
            -db * np.sin(c) + da * np.cos(b) * np.cos(c),
        ])  # fmt: skip

    def samples(self, phi: np.ndarray, seconds: float = 2.05, rate: float = 500.0) -> WrenchSamples:
        """Return what an ideal sensor says that carries a payload."""
        t, h = np.arange(round(seconds * rate)) / rate, 1e-5
        R, omega = (np.array([f(x) for x in t]) for f in (self.rotation, self.omega))
        alpha = np.array([(self.omega(x + h) - self.omega(x - h)) / (2 * h) for x in t])
        a = np.array([r.T @ self.sines(x, 1, 2) for x, r in zip(t, R, strict=True)])
        exact = WrenchSamples(t, R, omega, alpha, a, np.zeros((len(t), 6)), gravity=tuple(GRAVITY))
        return exact.with_wrench(true_wrench(exact, phi))


def features(samples: WrenchSamples) -> np.ndarray:
    """Return F of every sample, shape (N, 12)."""
    proper = samples.linear_acceleration - np.asarray(samples.gravity) @ samples.rotation
    w = samples.angular_velocity
    squares = np.array([w[:, i] * w[:, j] for i, j in PAIRS]).T
    return np.hstack([proper, samples.angular_acceleration, squares])


def true_wrench(samples: WrenchSamples, phi: np.ndarray) -> np.ndarray:
    """Return what moves a payload so, shape (N, 6)."""
    return features(samples) @ np.einsum("kij,j->ki", K, phi)


def wrench_rows(
    samples: WrenchSamples, bounds: WrenchUncertainty, window: float | None = 0.1
) -> Rows:
    """Return the rows of windows of samples, or where there are none of single poses."""
    every = round(window / np.median(np.diff(samples.stamp))) if window else 1
    blocks = []
    for first in range(0, len(samples) - (every if window else 0), every):
        part = samples.part(first, first + every + 1) if window else samples.part(first, first + 1)
        blocks.append(_window(part, bounds))
    return Rows(*(np.concatenate(x) for x in zip(*blocks, strict=True)))


def _window(samples: WrenchSamples, bounds: WrenchUncertainty):
    t = samples.stamp
    weight = np.ones(1) if len(t) == 1 else np.zeros(len(t))
    if len(t) > 1:
        weight[:-1] += np.diff(t) / 2
        weight[1:] += np.diff(t) / 2
    seconds, r = weight.sum(), samples.wrench
    each = {
        kind: np.concatenate([np.broadcast_to(getattr(bounds, f"{what}_{kind}"), 3)
                              for what in ("force", "torque")])
        for kind in ("error", "sigma", "gain", "bias", "drift")
    }  # fmt: skip
    of = {name: np.broadcast_to(getattr(bounds, name), 3) for name in (
        "linear_acceleration_error", "angular_acceleration_error", "angular_velocity_error",
        "linear_acceleration_sigma", "angular_acceleration_sigma")}  # fmt: skip
    gain = 1 / (1 - each["gain"])
    random = bounds.sigma_factor * np.linalg.norm(weight)
    d = gain * (seconds * each["error"] + random * each["sigma"])
    A = np.einsum("k,kij->ij", weight @ features(samples), K)
    columns = [
        np.diag(seconds * gain * each["bias"]),
        np.diag((weight @ t) * gain * each["drift"]),
        np.diag(-(weight @ r) * (gain - 1)),
        bounds.time_error * (r[-1] - r[0])[:, None],
    ]
    if bounds.gravity_error:  # changes of gravity across it, times m and h
        size = np.array([1, *[bounds.prior.com_max] * 3]) * bounds.prior.mass_max
        turn = np.tensordot(weight, samples.rotation, 1).T
        for axis in np.eye(3)[:2]:
            change = np.zeros(12)
            change[:3] = -turn @ np.cross(axis, GRAVITY)
            column = np.einsum("k,kij->ij", change, K)[:, :4] * bounds.gravity_error * size
            columns += [np.where(np.arange(6)[:, None] < 3, column[:, :1], 0.0)]
            columns += [np.where(np.arange(6)[:, None] < 3, 0.0, column[:, 1:])]
    B = np.hstack(columns)
    B = B[:, np.abs(B).max(axis=0) >= 0]
    error = np.zeros(12)
    error[:3] = seconds * of["linear_acceleration_error"]
    error[:3] += random * of["linear_acceleration_sigma"]
    error[3:6] = seconds * of["angular_acceleration_error"]
    error[3:6] += random * of["angular_acceleration_sigma"]
    e, w = of["angular_velocity_error"], np.abs(samples.angular_velocity)
    for k, (i, j) in enumerate(PAIRS):
        error[6 + k] = weight @ (w[:, i] * e[j] + w[:, j] * e[i] + e[i] * e[j])
    if bounds.orientation_error:
        g = np.asarray(samples.gravity) @ samples.rotation
        across = np.sqrt(np.maximum((g**2).sum(axis=1, keepdims=True) - g**2, 0))
        error[:3] += bounds.orientation_error * (weight @ across)
    return A, B, weight @ r, d, np.einsum("k,kij->ij", error, np.abs(K))


def tilted(samples: WrenchSamples, angle: float) -> WrenchSamples:
    """Return samples that take the world for level which is tilted."""
    c, s = np.cos(angle), np.sin(angle)
    return replace(
        samples, rotation=np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ samples.rotation
    )
