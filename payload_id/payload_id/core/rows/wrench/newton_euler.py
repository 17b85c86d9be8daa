r"""Rows from a force-torque sensor by the Newton-Euler equations [NGK, TBEN].

With a_p = a - g the proper acceleration of the sensor's origin, all in the sensor frame,

    f = m a_p + (S(alpha) + S(omega)^2) h
    t = h x a_p + I alpha + omega x I omega                       S(v) w = v x w

which is wrench = Y phi; Y is linear in the twelve features F = (a_p, alpha, omega omega'). A row is
the integral of that over a window, so that only F has to be integrated: a weighted sum of true
equations is a true equation, there is no remainder, and the weights need not be accurate. Rows of
windows instead of samples, because noise that is independent from sample to sample averages out
before it meets a bound, errors of the measured acceleration hardly bias the estimate, and their
number does not depend on the sensor's rate. A window should be short against the motion's period.

Nuisance parameters: bias, drift, gain, time offset and tilt of gravity, in `blocks`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...arrays import Array
from ...body.inertial import INERTIA_BASIS, skew
from ...body.payload_prior import PayloadPrior
from ...errors import RecordingError, require_type
from ...samples.wrench_samples import AXES, WrenchSamples
from ..dynamism import dynamism, full_share
from ..nuisance import Nuisance, NuisanceBlock
from ..quadrature import ROUNDING, trapezoid_weights
from ..row_block import RowBlock
from ..windows import STAMP_TOLERANCE
from .blocks import WrenchSums, WrenchWindow, of_motion, of_sensor
from .feature_error import COLUMN, ROW, feature_error, random_part
from .pose_gate import PoseGate
from .uncertainty import WrenchUncertainty


def _regressor_of_features() -> Array:
    """Return K with Y = K F, shape (6, 10, 12)."""
    K = np.zeros((6, 10, 12))
    unit = np.eye(3)
    levi_civita = np.stack([-skew(e) for e in unit])  # e_ijk
    for k in range(3):  # a_p
        K[k, 0, k] = 1.0
        K[3:, 1:4, k] = -skew(unit[k])
    for k in range(3):  # alpha
        K[:3, 1:4, 3 + k] = skew(unit[k])
        K[3:, 4:, 3 + k] = INERTIA_BASIS[:, :, k].T
    for k, (i, j) in enumerate(zip(ROW, COLUMN, strict=True)):
        Q = np.zeros((3, 3))
        Q[i, j] = Q[j, i] = 1.0
        K[:3, 1:4, 6 + k] = Q - np.trace(Q) * unit  # S(omega)^2 = omega omega' - |omega|^2
        for n, E in enumerate(INERTIA_BASIS):
            K[3:, 4 + n, 6 + k] = np.einsum("ijk,kj->i", levi_civita, E @ Q)
    return K


FEATURES_TO_REGRESSOR = _regressor_of_features()
_MAGNITUDE = np.abs(FEATURES_TO_REGRESSOR)


def features(proper_acceleration: Array, omega: Array, alpha: Array) -> Array:
    """Return F = (a_p, alpha, omega omega'), shape (N, 12)."""
    return np.concatenate([proper_acceleration, alpha, omega[:, ROW] * omega[:, COLUMN]], axis=1)


def newton_euler_regressor(proper_acceleration: Array, omega: Array, alpha: Array) -> Array:
    """Return Y with wrench = Y phi (force, then torque), shape (N, 6, 10).

    Args:
        proper_acceleration: a - g of the frame's origin, in the frame, shape (N, 3) [m/s2].
        omega: Angular velocity in the frame, shape (N, 3) [rad/s].
        alpha: Angular acceleration in the frame, shape (N, 3) [rad/s2].
    """
    F = features(proper_acceleration, omega, alpha)
    return np.tensordot(F, FEATURES_TO_REGRESSOR, axes=(1, 2))


@dataclass(frozen=True)
class NewtonEulerRows:
    """Makes rows of windows of samples of one sensor.

    Attributes:
        uncertainty: What is assumed about sensor and motion.
        frame: Name of the sensor frame, in which phi is expressed.
    """

    uncertainty: WrenchUncertainty
    frame: str

    @classmethod
    def of(cls, uncertainty: WrenchUncertainty, frame: str = "sensor") -> NewtonEulerRows:
        """Return the row_source of rows under an uncertainty."""
        kind = "a WrenchUncertainty, or None"
        require_type(uncertainty, WrenchUncertainty, "uncertainty", kind)
        require_type(frame, str, "frame", "the name of a frame")
        return cls(uncertainty, frame)

    @property
    def p(self) -> int:
        """Number of nuisance parameters."""
        return self.nuisance.p

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the nuisance parameters."""
        return self.nuisance.names

    @cached_property
    def sensor(self) -> tuple[NuisanceBlock[WrenchSums], ...]:
        """Blocks of what is unknown of the sensor."""
        return tuple(block for block in of_sensor(self.uncertainty) if block.half_width.any())

    @cached_property
    def motion(self) -> tuple[NuisanceBlock[WrenchWindow], ...]:
        """Blocks of what else is unknown of a run."""
        return of_motion(self.uncertainty)

    @property
    def _blocks(self) -> tuple[NuisanceBlock[Any], ...]:
        """All blocks, in the order of their parameters."""
        return (*self.sensor, *self.motion)

    @cached_property
    def nuisance(self) -> Nuisance:
        """The boxes of all parameters, the sensor's first."""
        return Nuisance.of(self._blocks)

    @cached_property
    def growth(self) -> Array:
        """How the error of each axis grows with u, shape (6, p)."""
        every = np.hstack([np.zeros((6, 0)), *(x.growth(len(AXES)) for x in self._blocks)])
        return np.asarray(every[:, self.nuisance.uncertain])

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the six axes."""
        return AXES

    @property
    def prior(self) -> PayloadPrior:
        """Box that holds the payload before any data."""
        return self.uncertainty.prior

    def gate(self, pause: float) -> PoseGate:
        """Return what leaves out samples with false motions."""
        return PoseGate(self.uncertainty, pause)

    def fitted(self, samples: Any) -> WrenchSamples:
        """Return the samples if they are of a wrench.

        Raises:
            RecordingError: They are of another kind.
        """
        if not isinstance(samples, WrenchSamples):
            raise RecordingError(
                f"Rows of a force-torque sensor need WrenchSamples; found "
                f"{type(samples).__name__}. Joint torques need an arm's model instead."
            )
        with np.errstate(over="ignore", invalid="ignore"):  # of motions that the gate leaves out
            samples.kept(integrands)  # for all windows at once
        return samples

    def window(self, samples: WrenchSamples) -> RowBlock:
        """Return one row for each of the six axes from the samples of one window.

        Args:
            samples: One or more samples, without gaps. A single one stands for a whole second.
        """
        weight = trapezoid_weights(samples.stamp) if len(samples) > 1 else np.ones(1)
        values = samples.kept(integrands)
        sums = weight @ values
        F, reading, gravity, motion, speed = (
            sums[:12], sums[12:18], sums[18:21], sums[21], sums[22:],
        )  # fmt: skip
        duration, start = float(weight.sum()), float(samples.stamp[0])
        A = FEATURES_TO_REGRESSOR @ F
        moment = np.array([weight @ samples.stamp])
        seen = WrenchSums(np.array([duration]), moment, reading)
        effects = [block.effect(seen) for block in self.sensor]
        window = WrenchWindow(samples, weight, duration)
        effects += [block.effect(window) for block in self.motion]
        B = self.nuisance.scaled(np.hstack([np.zeros((6, 0)), *(x.columns for x in effects)]))
        error = feature_error(self.uncertainty, samples, weight, speed, duration)
        error += self._shifted(samples, values)
        random = random_part(self.uncertainty, samples, weight) * self.uncertainty.six("sigma")
        known = duration * self.uncertainty.six("error")
        bound = self.uncertainty.largest_gain * (known + random)
        for effect in effects:
            bound += effect.left_out
        rounding = np.abs(reading) + np.abs(B).sum(axis=1) + 1e-3 * duration
        return RowBlock(
            A=A,
            A_error=_MAGNITUDE @ error + ROUNDING * np.abs(A),
            B=B,
            b=reading,
            d=bound + ROUNDING * rounding,
            joint=np.arange(6),
            start=np.full(6, start),
            end=np.full(6, start + duration),
            A_static=FEATURES_TO_REGRESSOR[:, :, :3] @ -gravity,  # at rest a_p = -g
            full_share=full_share(np.full(6, motion / duration), self.uncertainty.dynamism_scale),
        )

    def _shifted(self, samples: WrenchSamples, values: Array) -> Array:
        """Return the second-order effect of a shift in time on the integrals of F, shape (12,).

        1/2 tau^2 |dF/dt(t2) - dF/dt(t1)|, the rates those within tau of either end: changes of F
        over tau next to it, and what they differ from those over the tau after that. Or the
        difference that F at both ends and in the middle tells, if that is more.
        """
        tau = self.uncertainty.time_error
        if tau == 0.0 or len(values) < 3:
            return np.zeros(12)
        F, stamp = values[:, :12], samples.stamp
        duration = stamp[-1] - stamp[0]
        bend = np.abs(F[-1] - 2.0 * F[len(F) // 2] + F[0]) * 4.0 / duration
        near = min(max(tau, float(np.diff(stamp).max())), duration / 2)
        first, first_change = _rate(stamp, F, near)
        last, last_change = _rate(-stamp[::-1], -F[::-1], near)
        change = np.abs(last - first) + first_change + last_change
        return np.asarray(0.5 * tau**2 * np.maximum(bend, change))


def _rate(stamp: Array, F: Array, near: float) -> tuple[Array, Array]:
    """Return the mean rate of F over a time from the first stamp on, and how much the next differs.

    Args:
        stamp: Shape (N,) [s].
        F: Shape (N, k).
        near: That time [s], at most half of all.
    """
    one, two = np.searchsorted(stamp, stamp[0] + near * np.array([1.0, 2.0]) - STAMP_TOLERANCE)
    two = min(two, len(stamp) - 1)
    rate = (F[one] - F[0]) / (stamp[one] - stamp[0])
    next_rate = (F[two] - F[one]) / (stamp[two] - stamp[one]) if two > one else rate
    return rate, np.abs(next_rate - rate)


def integrands(samples: WrenchSamples) -> Array:
    """Return all whose integrals over a window its rows need, shape (N, 25).

    F, the wrench, gravity in the sensor frame, the dynamism and |omega|.
    """
    gravity, omega = samples.gravity_in_sensor, samples.angular_velocity
    proper = samples.linear_acceleration - gravity
    F = features(proper, omega, samples.angular_acceleration)
    nu = dynamism(samples.linear_acceleration, samples.angular_acceleration, omega)
    return np.concatenate([F, samples.wrench, gravity, nu[:, None], np.abs(omega)], axis=1)
