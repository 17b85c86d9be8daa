r"""Rows from joint torques by the change of momentum over a window [ZZV, Sec. III-D].

For each joint and window [t1, t2]

    (W_m(t2) - W_m(t1) - int W_c dt) theta + friction = int tau dt,                  (13) of [ZZV]

theta all bodies' parameters. No acceleration is needed. Integrals are taken by the trapezoid rule
on the real stamps, and its leading error (Euler-Maclaurin)

    trapezoid(dp/dt) - (p(t2) - p(t1)) = h^2/12 (d2p/dt2(t2) - d2p/dt2(t1)) + O(h^4),   p = W_m theta,

is corrected with second differences of W_m at both ends; the size of the correction itself stands
in the bound for what remains. [ZZV] (21)-(22) sum one interval too many; here the sums have as
many intervals as the window.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arm_model import ArmModel
from ..inertial import Array
from ..samples import Samples
from ..uncertainty import Uncertainty
from .block import RowBlock
from .kinematic_error import regressor_error
from .kinetics import body_motion, force_regressor, momentum_regressor
from .nuisance import Nuisance, nuisance_of
from .torque_bound import true_torque

LEAST_SAMPLES = 5  # in a window: two second differences that do not share all their samples
ROUNDING = 1e-12  # relative size of what floating-point sums leave out


@dataclass(frozen=True)
class MomentumRows:
    """Makes rows of windows of samples of one arm.

    Attributes:
        model: The arm.
        uncertainty: What is assumed about sensors and links.
        nuisance: The nuisance parameters that follow from it.
    """

    model: ArmModel
    uncertainty: Uncertainty
    nuisance: Nuisance

    @classmethod
    def of(cls, model: ArmModel, uncertainty: Uncertainty) -> MomentumRows:
        """Return the maker of rows for an arm under an uncertainty."""
        return cls(model, uncertainty, nuisance_of(model, uncertainty))

    def window(self, samples: Samples) -> RowBlock:
        """Return one row for each joint from the samples of one window.

        Args:
            samples: At least `LEAST_SAMPLES` samples of n joints, without gaps.
        """
        weight = trapezoid_weights(samples.stamp)
        regressor, regressor_bound = self._regressor(samples, weight)
        columns, column_bound = self._joint_columns(samples, weight)
        torque, torque_bound = self._torque(samples, weight)
        return self._assemble(
            samples, regressor, regressor_bound, columns, column_bound, torque, torque_bound
        )

    def _regressor(self, samples: Samples, weight: Array) -> tuple[Array, Array]:
        """Return the coefficients of all bodies and their error bound, (n + 1, n, 10) each."""
        ends = end_samples(len(samples))
        motion = body_motion(self.model, samples.q, samples.dq)
        forces = force_regressor(motion)
        momentum = momentum_regressor(motion.at(ends))
        change = momentum[-1] - momentum[0]
        correction = end_correction(samples.stamp, momentum)
        regressor = change + correction - np.tensordot(weight, forces, axes=1)
        error = np.abs(correction) + regressor_error(self.model, self.uncertainty, samples, weight)
        return regressor, error

    def _joint_columns(self, samples: Samples, weight: Array) -> tuple[Array, Array]:
        """Return the columns of `JOINT_GROUPS` and what they leave out, (5, n) and (n,)."""
        n, dq = self.model.n, samples.dq
        duration = samples.stamp[-1] - samples.stamp[0]
        signs, unknown = sign_integral(samples.stamp, dq, self.uncertainty.stiction_velocity)
        columns = np.stack(
            [
                signs,
                weight @ dq,
                dq[-1] - dq[0],
                np.full(n, duration),
                -(weight @ samples.tau),
            ]
        )
        speed_error = self.uncertainty.per_joint("velocity_error", n)
        left_out = self.uncertainty.per_joint("friction_coulomb", n) * unknown
        left_out += self.uncertainty.per_joint("friction_viscous", n) * speed_error * duration
        left_out += self.uncertainty.per_joint("rotor_inertia", n) * speed_error * 2
        return columns, left_out

    def _torque(self, samples: Samples, weight: Array) -> tuple[Array, Array]:
        """Return the integral of the true torque and the bound on its error, (n,) each."""
        n = self.model.n
        middle, half_width = true_torque(
            samples.tau,
            self.uncertainty.per_joint("torque_relative", n),
            self.uncertainty.per_joint("torque_absolute", n),
        )
        gain = 1.0 + self.uncertainty.per_joint("torque_gain", n)
        return weight @ middle, gain * (weight @ half_width)

    def _assemble(
        self,
        samples: Samples,
        regressor: Array,
        regressor_bound: Array,
        columns: Array,
        column_bound: Array,
        torque: Array,
        torque_bound: Array,
    ) -> RowBlock:
        """Split the coefficients into payload, nuisance and right-hand side."""
        n, nuisance = self.model.n, self.nuisance
        links = regressor[:n].transpose(1, 0, 2).reshape(n, 10 * n)
        joints = np.concatenate([np.diag(column) for column in columns], axis=1)
        candidates = np.concatenate([links, joints], axis=1)  # (n, 15 n)
        B = candidates[:, nuisance.uncertain] * nuisance.half_width[nuisance.uncertain]
        link_error = regressor_bound[:n].transpose(1, 0, 2).reshape(n, 10 * n)
        rounding = ROUNDING * (np.abs(candidates) @ nuisance.largest + np.abs(torque) + 1e-3)
        return RowBlock(
            A=regressor[n],
            A_error=regressor_bound[n] + ROUNDING * np.abs(regressor[n]),
            B=B,
            b=torque - candidates @ nuisance.centre,
            d=torque_bound + column_bound + link_error @ nuisance.largest[: 10 * n] + rounding,
            joint=np.arange(n),
            start=np.full(n, samples.stamp[0]),
            end=np.full(n, samples.stamp[-1]),
        )


def trapezoid_weights(stamp: Array) -> Array:
    """Return w with sum w f(t) the trapezoid rule on stamps t, shape (N,) [s]."""
    step = np.diff(stamp)
    weight = np.zeros(len(stamp))
    weight[:-1] += step / 2
    weight[1:] += step / 2
    return weight


def end_samples(N: int) -> Array:
    """Return the first three and last three of N sample numbers."""
    return np.array([0, 1, 2, N - 3, N - 2, N - 1])


def end_correction(stamp: Array, momentum: Array) -> Array:
    """Return h^2/12 (d2/dt2 W_m(t2) - d2/dt2 W_m(t1)).

    Args:
        stamp: All stamps of the window, shape (N,) [s].
        momentum: W_m at `end_samples`, shape (6, ...).
    """
    step = np.diff(stamp)
    square = np.sum(step**3) / np.sum(step)  # h^2; exact for equal steps
    first = _second_difference(stamp[:3], momentum[:3])
    last = _second_difference(stamp[-3:], momentum[3:])
    return square / 12 * (last - first)


def _second_difference(stamp: Array, value: Array) -> Array:
    """Return the second derivative of the parabola through three values."""
    before, after = stamp[1] - stamp[0], stamp[2] - stamp[1]
    slope = (value[2] - value[1]) / after - (value[1] - value[0]) / before
    return 2.0 * slope / (before + after)


def sign_integral(stamp: Array, dq: Array, threshold: float) -> tuple[Array, Array]:
    """Return the integral of sign(dq), and the time during which the sign is not known.

    Args:
        stamp: Times, shape (N,) [s].
        dq: Velocities, shape (N, n).
        threshold: Speed below which the direction of friction is not known.

    Returns:
        integral, unknown: shape (n,) [s] each.
    """
    step = np.diff(stamp)
    sign = np.where(np.abs(dq) > threshold, np.sign(dq), 0.0)
    known = (sign[1:] == sign[:-1]) & (sign[1:] != 0.0)
    return step @ (sign[1:] * known), step @ ~known
