r"""Rows from joint torques by the change of momentum over a window [ZZV, Theorem 8].

For each joint and window [t1, t2]

    (W_m(t2) - W_m(t1) - int W_c dt) theta + friction = int tau dt,                  (13) of [ZZV]

theta all bodies' parameters. No acceleration is needed. Integrals are taken by the trapezoid rule
on the real stamps, and its leading error (Euler-Maclaurin)

    trapezoid(dp/dt) - (p(t2) - p(t1)) = h^2/12 (d2p/dt2(t2) - d2p/dt2(t1)) + O(h^4), p = W_m theta,

is corrected with second differences of W_m next to both ends. O(h^3) remains; the size of the
correction and of the third differences, which tell it, stand in the bound. [ZZV] (21)-(22) sum one
interval too many; here the sums have as many intervals as the window.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arm.arm_model import ArmModel
from ...arm.kinetics import BodyMotion, body_motion, force_regressor, momentum_regressor
from ...arrays import Array, IntArray
from ...body.payload_prior import PayloadPrior
from ...errors import InputError, RecordingError
from ...samples.joint_samples import Samples
from ..quadrature import (
    ROUNDING,
    end_correction,
    end_samples,
    end_weights,
    sign_integral,
    trapezoid_weights,
)
from ..row_block import RowBlock
from .calibrated import known_of
from .constant_errors.constant_error import ConstantError, Effect, Window
from .kinematic_error import regressor_error
from .nuisance import Nuisance, group_slice, largest_gain
from .position_gate import PositionGate
from .stamp_error import stamp_error
from .stated_errors import constant_errors
from .torque_bound import gaussian_bound, noise_free
from .uncertainty import Uncertainty

PER_SAMPLE = (
    "torque_relative",
    "torque_absolute",
    "torque_sigma",
    "position_error",
    "velocity_error",
)


@dataclass(frozen=True)
class WindowTerms:
    """The equation of each joint over one window, before it is split into known and unknown.

    payload phi + candidates psi + constant u = torque + w,  |w| <= left_out + link_error |psi| ...

    Attributes:
        payload: Coefficients of the payload's parameters, shape (n, 10).
        payload_error: Bound on their errors, shape (n, 10).
        candidates: Coefficients of all candidates of `Nuisance`, shape (n, 15 n).
        link_error: Bound on the errors of those of the links, shape (n, 10 n).
        torque: Integral of the torque, shape (n,) [N m s].
        shift: What the integral of the reading itself is more than `torque`, shape (n,) [N m s].
        constant: Coefficients of the constant errors, in their unit boxes, shape (n, k) [N m s].
        left_out: Bound on what else the equation leaves out, shape (n,) [N m s].
        start: Time at which the window begins [s].
        end: Time at which it ends [s].
    """

    payload: Array
    payload_error: Array
    candidates: Array
    link_error: Array
    torque: Array
    shift: Array
    constant: Array
    left_out: Array
    start: float
    end: float


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
        """Return the row_source of rows for an arm under an uncertainty.

        Raises:
            InputError: A bound has another number of joints, the torques' errors may be as large
                as the torques, or the bounds do not go with the arm's calibration.
        """
        for name in PER_SAMPLE:
            uncertainty.per_joint(name, model.n)
        gain = largest_gain(uncertainty.per_joint("torque_gain", model.n))
        if (uncertainty.per_joint("torque_relative", model.n) * gain >= 1.0).any():
            raise InputError(
                "torque_relative and torque_gain must sum to less than 1 at each joint; found "
                f"{uncertainty.torque_relative} and {uncertainty.torque_gain}. With larger ones a "
                "reading would say nothing of the torque."
            )
        nuisance, tightened = known_of(model, uncertainty)
        return cls(model, tightened, nuisance)

    @property
    def p(self) -> int:
        """Number of nuisance parameters: the arm's, the tool's, then the constant errors."""
        return self.nuisance.p + len(self._tool) + sum(len(error.names) for error in self.constant)

    @cached_property
    def constant(self) -> tuple[ConstantError, ...]:
        """The errors that are constant in a run, in the order of their columns."""
        return constant_errors(self.model, self.uncertainty)

    @property
    def _tool(self) -> IntArray:
        """Which of the tool's ten parameters are uncertain."""
        return np.flatnonzero(self.uncertainty.tool)

    @property
    def channels(self) -> tuple[str, ...]:
        """Joint names."""
        return self.model.joints

    @property
    def frame(self) -> str:
        """Frame of the payload."""
        return self.model.payload_frame

    @property
    def prior(self) -> PayloadPrior:
        """Box that holds the payload before any data."""
        return self.uncertainty.prior

    def gate(self, pause: float) -> PositionGate:
        """Return what leaves out false positions."""
        return PositionGate(self.model, self.uncertainty, pause)

    def check(self, samples: Samples) -> None:
        """Raise unless the samples have as many joints as the arm.

        Raises:
            RecordingError: They have another number.
        """
        if samples.n != self.model.n:
            raise RecordingError(
                f"The samples have {samples.n} joints and the robot has {self.model.n}: "
                f"{', '.join(self.model.joints)}. Name the joints that were recorded."
            )

    def window(self, samples: Samples) -> RowBlock:
        """Return one row for each joint from the samples of one window.

        Args:
            samples: At least `LEAST_SAMPLES` samples of n joints, without gaps.
        """
        return self.rows(self.terms(samples))

    def terms(self, samples: Samples) -> WindowTerms:
        """Return the equations of one window with the coefficients of every candidate.

        Args:
            samples: At least `LEAST_SAMPLES` samples of n joints, without gaps.
        """
        n = self.model.n
        weight = trapezoid_weights(samples.stamp)
        motion = body_motion(self.model, samples.q, samples.dq)
        regressor, regressor_bound = self._regressor(samples, weight, motion)
        constant = self._constant_errors(samples, weight, motion)
        columns, column_bound = self._joint_columns(samples, weight)
        torque, torque_bound = self._torque(samples, weight)
        links = regressor[:n].transpose(1, 0, 2).reshape(n, 10 * n)
        joints = np.concatenate([np.diag(column) for column in columns], axis=1)
        return WindowTerms(
            payload=regressor[n],
            payload_error=regressor_bound[n] + constant.payload_error,
            candidates=np.concatenate([links, joints], axis=1),
            link_error=regressor_bound[:n].transpose(1, 0, 2).reshape(n, 10 * n),
            torque=torque,
            shift=weight @ samples.tau - torque,
            constant=constant.columns,
            left_out=torque_bound + column_bound + constant.left_out,
            start=float(samples.stamp[0]),
            end=float(samples.stamp[-1]),
        )

    def _constant_errors(self, samples: Samples, weight: Array, motion: BodyMotion) -> Effect:
        """Return what errors that are constant in the run do."""
        n, links = self.model.n, slice(10 * self.model.n)
        effect = Effect.none(n)
        if not self.constant:
            return effect
        reading, reading_error = noise_free(self.uncertainty, samples.tau)
        reading_error = reading_error + gaussian_bound(self.uncertainty, n)
        window = Window(
            self.model, samples, weight, motion, reading, reading_error,
            self.nuisance.centre[links].reshape(n, 10),
            self.nuisance.half_width[links].reshape(n, 10),
        )  # fmt: skip
        for error in self.constant:
            effect = effect.with_more(error.effect(window))
        return effect

    def _regressor(
        self, samples: Samples, weight: Array, motion: BodyMotion
    ) -> tuple[Array, Array]:
        """Return the coefficients of all bodies and their error bound, (n + 1, n, 10) each."""
        ends = end_samples(len(samples))
        forces = force_regressor(motion)
        momentum = momentum_regressor(motion.at(ends))
        change = momentum[-1] - momentum[0]
        correction, remainder = end_correction(samples.stamp, momentum)
        regressor = change + correction - np.tensordot(weight, forces, axes=1)
        measured = regressor_error(
            self.model, self.uncertainty, samples, weight.sum(), end_weights(samples.stamp)
        )
        unsure = self.uncertainty
        error = remainder + measured
        if unsure.stamp_jitter > 0.0:
            every = momentum_regressor(motion)
            error += stamp_error(samples.stamp, every, unsure.stamp_jitter)
        return regressor, error

    def _joint_columns(self, samples: Samples, weight: Array) -> tuple[Array, Array]:
        """Return the columns of `JOINT_GROUPS` and what they leave out, (5, n) and (n,)."""
        n, dq = self.model.n, samples.dq
        duration = samples.stamp[-1] - samples.stamp[0]
        speed_error = self.uncertainty.per_joint("velocity_error", n)
        threshold = self.uncertainty.stiction_velocity + speed_error
        signs, unknown = sign_integral(samples.stamp, dq, threshold)
        correction, remainder = end_correction(samples.stamp, dq[end_samples(len(dq))])
        columns = np.stack(
            [
                signs,
                weight @ dq,
                dq[-1] - dq[0] + correction,
                np.full(n, duration),
                -(weight @ noise_free(self.uncertainty, samples.tau)[0]),
            ]
        )
        change_error = remainder + sum(end_weights(samples.stamp)) * speed_error
        left_out = self.uncertainty.per_joint("friction_coulomb", n) * unknown
        left_out += self.uncertainty.per_joint("friction_viscous", n) * speed_error * duration
        left_out += self.uncertainty.per_joint("rotor_inertia", n) * change_error
        jitter = 2.0 * self.uncertainty.stamp_jitter  # of the window's length
        left_out += self.uncertainty.per_joint("torque_offset", n) * jitter
        return columns, left_out

    def _torque(self, samples: Samples, weight: Array) -> tuple[Array, Array]:
        """Return the integral of the noise-free reading and the bound on its error, (n,) each."""
        middle, half_width = noise_free(self.uncertainty, samples.tau)
        gain = largest_gain(self.uncertainty.per_joint("torque_gain", self.model.n))
        gaussian = gaussian_bound(self.uncertainty, self.model.n)
        bound = weight @ half_width + gaussian * np.linalg.norm(weight)
        return weight @ middle, gain * bound

    def rows(self, terms: WindowTerms) -> RowBlock:
        """Split the equations of one window into payload, nuisance and right-hand side."""
        n, nuisance, candidates = self.model.n, self.nuisance, terms.candidates
        links = nuisance.largest[: 10 * n]
        rounding = np.abs(candidates) @ nuisance.largest + np.abs(terms.torque) + 1e-3
        rounding += np.abs(terms.constant).sum(axis=1)
        # The tool is one body with the payload: its errors have the payload's coefficients.
        tool, width = self._tool, np.asarray(self.uncertainty.tool)[self._tool]
        known = candidates[:, nuisance.uncertain] * nuisance.half_width[nuisance.uncertain]
        column, size = nuisance.gain_columns(n)
        return RowBlock(
            A=terms.payload,
            A_error=terms.payload_error + ROUNDING * np.abs(terms.payload),
            B=np.hstack([known, terms.payload[:, tool] * width, terms.constant]),
            b=terms.torque - candidates @ nuisance.centre,
            d=terms.left_out
            + terms.link_error @ links
            + terms.payload_error[:, tool] @ width
            + ROUNDING * rounding,
            joint=np.arange(n),
            start=np.full(n, terms.start),
            end=np.full(n, terms.end),
            reading=terms.torque,
            gain_column=column,
            gain=size,
            shift=terms.shift * (1.0 + nuisance.centre[group_slice("torque_gain", n)]),
        )
