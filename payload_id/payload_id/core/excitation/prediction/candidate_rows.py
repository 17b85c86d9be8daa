r"""The rows that motions would give, predicted for many candidates at once.

A row of a window is the integral of the inverse dynamics over it, which equals the change of
momentum of `MomentumRows`; here acceleration is known, and two Gauss-Legendre points integrate it.

    A = int W_payload dt,   B = int [W_links, friction, rotor, offset, gain] dt * half widths,
    d = (torque_relative int |tau| dt + torque_absolute window) / (1 - torque_gain),

tau that of the nominal arm with the expected payload. A joint so slow that its direction is unknown
adds its Coulomb friction to d; in place of a step at v_0, the speed from which it is known, stands
1 - |dq| / (2 v_0), which adds as much in a reversal and has a slope. What else stands in a real
row's bound (Gaussian noise, errors of encoders, stamps, integration, constant errors) is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arm.arm_model import ArmModel
from ...arrays import Array
from ...motion.trajectory import Motion
from ...rows.joint_torque.blocks import Sums
from ...rows.joint_torque.momentum import MomentumRows
from ...rows.joint_torque.nuisance import NOT_NEGATIVE, group_slice
from ...rows.joint_torque.uncertainty import Uncertainty
from ...rows.row_block import RowBlock
from ...statistics.statistics import Statistics
from .dynamics import arm_torque, kinematics, payload_regressor, regressor
from .torque_slope import TorqueSlope

WINDOW = 0.1  # [s]
# Gauss-Legendre: places and weights in a window of length 1, by number of points.
POINTS = {1: ([0.5], [1.0]), 2: ([0.5 - 12**-0.5, 0.5 + 12**-0.5], [0.5, 0.5])}
LEAST_BOUND = 0.01  # [N m] of d per unit of time: what is left out of it, so that no row is exact


@dataclass(frozen=True)
class CandidateRows:
    """Rows of C candidates, m each.

    Attributes:
        A: Coefficients of the payload, shape (C, m, 10).
        B: Coefficients of the p nuisance parameters in the unit box, shape (C, m, p).
        d: Bounds, shape (C, m).
    """

    A: Array
    B: Array
    d: Array

    @property
    def scaled(self) -> Array:
        """[B A] / d, shape (C, m, p + 10)."""
        return np.concatenate([self.B, self.A], axis=-1) / self.d[..., None]


@dataclass(frozen=True)
class Collected:
    """What the data so far say.

    Attributes:
        plain: A'A of all rows as they are, shape (10, 10).
        weighted: [B A]'[B A] of all rows divided by their bounds, shape (p + 10, p + 10).
        kept: [B A] / d of the rows that are known one by one, shape (m, p + 10).
        condensed: Number of those that are known by their sums only.
    """

    plain: Array
    weighted: Array
    kept: Array
    condensed: int = 0

    @classmethod
    def nothing(cls, p: int) -> Collected:
        """Return no data, for p nuisance parameters."""
        return cls(np.zeros((10, 10)), np.zeros((p + 10, p + 10)), np.zeros((0, p + 10)))

    @classmethod
    def of(cls, statistics: Statistics, rows: RowBlock, phi_max: Array) -> Collected:
        """Return what an identification knows.

        Args:
            statistics: Of all rows.
            rows: Those that are still kept one by one; may be none.
            phi_max: Largest |phi| expected, shape (10,), for the rows' bounds.
        """
        plain, weighted = statistics.plain[:, :10], statistics.weighted[:, :-1]
        kept = np.hstack([rows.B, rows.A]) / rows.bound(phi_max)[:, None]
        condensed = max(0, statistics.rows - len(rows))
        return cls(plain.T @ plain, weighted.T @ weighted, kept, condensed)

    def plus(self, rows: CandidateRows, candidate: int = 0) -> Collected:
        """Return what is known once a candidate's rows have come."""
        A, whole = rows.A[candidate], rows.scaled[candidate]
        kept = np.vstack([self.kept, whole])
        plain, weighted = self.plain + A.T @ A, self.weighted + whole.T @ whole
        return Collected(plain, weighted, kept, self.condensed)


MotionAt = Callable[[Array], Motion]  # times (N,) to q, dq, ddq of shape (C, N, n)


@dataclass(frozen=True)
class RowPredictor:
    """Predicts rows for one arm, uncertainty and expected payload.

    Attributes:
        row_source: Makes the real rows; its uncertainty and nuisance parameters are used.
        payload: Expected phi in the payload frame, shape (10,).
        window: Length of a row's window [s].
    """

    row_source: MomentumRows
    payload: Array
    window: float = WINDOW

    @property
    def model(self) -> ArmModel:
        """The arm."""
        return self.row_source.model

    @property
    def p(self) -> int:
        """Number of nuisance parameters."""
        return self.row_source.p

    def instants(self, horizon: float, points: int) -> Array:
        """Return the Gauss-Legendre points of all full windows within [0, horizon] [s]."""
        return instants_of(self.window, horizon, points)

    def rows(
        self, motion: MotionAt, horizon: float, nuisance: bool = True, points: int = 2
    ) -> CandidateRows:
        """Return the rows of all full windows within [0, horizon].

        Args:
            motion: Gives the candidates' motion.
            horizon: Until when the candidates' motion counts [s].
            nuisance: Whether B is wanted; it is empty otherwise, and costs most of the time.
            points: Gauss-Legendre points of each window, 1 or 2.
        """
        places, weights = POINTS[points]
        time = self.instants(horizon, points)
        count = len(time) // points
        sampled = motion(time)
        C, N, n = sampled.q.shape
        q, dq, ddq = (x.reshape(C * N, n) for x in (sampled.q, sampled.dq, sampled.ddq))
        state = kinematics(self.model, q, dq, ddq)

        def integral(value: Array) -> Array:
            """Sum over the points of each window, shape (C, windows * n, ...)."""
            parts = value.reshape(C, count, len(places), n, *value.shape[2:])
            whole = np.einsum("cwp...,p->cw...", parts, self.window * np.array(weights))
            return np.asarray(whole.reshape(C, count * n, *value.shape[2:]))

        W = payload_regressor(state)
        torque = arm_torque(state, self.model.link_phi) + W @ self.payload
        A, d = integral(W), integral(self._noise(torque, dq))
        if not nuisance:
            return CandidateRows(A, np.zeros((C, count * n, 0)), d)
        # Windows of all candidates one after the other, as blocks see them.
        links = integral(regressor(state, slice(0, n)).transpose(0, 2, 1, 3))
        bodies = np.concatenate([links, A[:, :, None]], axis=2).reshape(C * count, n, n + 1, 10)
        bodies = bodies.swapaxes(1, 2)
        sign = np.clip(dq / slow_speed(self.row_source.uncertainty), -1.0, 1.0)
        sums = (integral(x).reshape(C * count, n) for x in (sign, dq, ddq, torque))
        signs, travel, change, reading = sums
        duration, exact = np.full((C * count, 1), self.window), np.zeros((C * count, n))
        seen = Sums(
            duration, bodies, np.zeros_like(bodies), signs, exact, travel, change, exact, reading
        )
        columns = [block.effect(seen).columns for block in self.row_source.arm]
        arm = self.row_source.of_arm.scaled(np.concatenate(columns, axis=2))
        B = np.zeros((C, count * n, self.p))
        B[..., : arm.shape[-1]] = arm.reshape(C, count * n, -1)
        return CandidateRows(A, B, d)

    def _noise(self, torque: Array, dq: Array) -> Array:
        """Return d per unit of time, shape (N, n) [N m]."""
        unsure, noise = self.row_source.uncertainty, self.row_source.noise
        found = noise.relative * np.abs(torque) + noise.largest_gain * noise.own
        found += unsure.per_joint("friction_coulomb", self.model.n) * unknown_direction(unsure, dq)
        return np.asarray(found + LEAST_BOUND)

    def slope(self, motion: Motion, by: CandidateRows) -> Array:
        """Return the derivatives of a number f by q, dq, ddq at each instant, shape (N, 3, n).

        With G = df/d(a row's coefficients), f changes with a state as the torque of an arm does
        whose bodies have the parameters G (`torque_slope`). What a row's bound and gain column owe
        to the torque is one more such term, with the parameters of the arm itself.

        Args:
            motion: The motion of one candidate at these N instants, one a window.
            by: Derivatives of f by the rows' A, B and d, one candidate.
        """
        n, N = self.model.n, len(motion.time)
        A, B, d = (self.window * part[0].reshape(N, n, -1) for part in (by.A, by.B, by.d))
        unsure, payload = self.row_source.uncertainty, A
        links, torque, direct = np.zeros((N, n, n, 10)), np.zeros((N, n)), np.zeros((N, 3, n))
        if B.shape[-1]:
            box = self.row_source.of_arm
            every = np.zeros((N, n, len(box.centre)))
            every[..., box.uncertain] = B[..., : box.p] * box.half_width[box.uncertain]
            payload = A + every[..., -10:]
            links = every[..., : 10 * n].reshape(N, n, n, 10)
            sign, viscous, rotor, gain = (
                np.diagonal(every[..., group_slice(name, n)], axis1=1, axis2=2)
                for name in (*NOT_NEGATIVE, "torque_gain")
            )
            slow = slow_speed(unsure)
            direct[:, 1] = viscous + np.where(np.abs(motion.dq) < slow, sign / slow, 0.0)
            direct[:, 2] = rotor
            torque = torque - gain
        if d.any():
            state = kinematics(self.model, motion.q, motion.dq, motion.ddq)
            now = arm_torque(state, self.model.link_phi)
            now = now + payload_regressor(state) @ self.payload
            torque = torque + d[..., 0] * self.row_source.noise.relative * np.sign(now)
            unknown = unknown_direction(unsure, motion.dq) > 0.0
            fall = unsure.per_joint("friction_coulomb", n) / (2.0 * slow_speed(unsure))
            direct[:, 1] -= d[..., 0] * np.where(unknown, fall * np.sign(motion.dq), 0.0)
        arm = np.vstack([self.model.link_phi, self.payload])
        bodies = (
            np.concatenate([links, payload[:, :, None]], axis=2) + torque[..., None, None] * arm
        )
        at, joint = (part.ravel() for part in np.indices((N, n)))
        found = self._torque_slope(motion, at, joint, bodies.reshape(N * n, n + 1, 10))
        return np.asarray(found.reshape(N, n, 3, n).sum(axis=1) + direct)

    @cached_property
    def _torque_slope(self) -> TorqueSlope:
        """Differentiates torques of this arm."""
        return TorqueSlope(self.model)


def instants_of(window: float, horizon: float, points: int) -> Array:
    """Return the Gauss-Legendre points of all full windows within [0, horizon] [s]."""
    starts = np.arange(max(1, int(horizon / window + 1e-9))) * window
    return np.asarray((starts[:, None] + window * np.array(POINTS[points][0])).ravel())


def slow_speed(uncertainty: Uncertainty) -> float:
    """Return v_0, the speed below which the direction of friction is unknown [rad/s or m/s]."""
    return max(uncertainty.stiction_velocity, 1e-6)


def unknown_direction(uncertainty: Uncertainty, dq: Array) -> Array:
    """Return which part of Coulomb friction counts as unknown at velocities, (N, n) [-]."""
    return np.maximum(1.0 - np.abs(dq) / (2.0 * slow_speed(uncertainty)), 0.0)
