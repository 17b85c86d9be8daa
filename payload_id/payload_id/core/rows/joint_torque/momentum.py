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

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...arm.arm_model import ArmModel
from ...arm.kinetics import BodyMotion, body_motion, force_integral, momentum_regressor
from ...arrays import Array, IntArray
from ...body.inertial import PARAMETERS
from ...body.payload_prior import PayloadPrior
from ...errors import InputError, RecordingError
from ...samples.joint_samples import Samples
from ..quadrature import (
    ROUNDING,
    WindowWeights,
    box_weights,
    end_samples,
    hat_weights,
    rough_part,
    sign_integral,
    step_weights,
)
from ..row_block import RowBlock
from .blocks import Effect, NuisanceBlock, Window, stated_blocks
from .calibrated import known_of
from .hat_rows import LEAST_STEPS, HatRow, worth_it
from .kinematic_error import Probes, Sensitivity
from .motion_memory import MotionMemory
from .nuisance import Nuisance, group_slice
from .position_gate import PositionGate
from .stamp_error import stamp_error
from .torque_bound import TorqueNoise, largest_gain
from .uncertainty import MEANS, Uncertainty
from .window_sums import Integrals, WindowSums

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

    payload phi + candidates psi + constant u + middle = torque + w,
    |w| <= left_out + link_error |psi| + payload_error |phi|

    Attributes:
        payload: Coefficients of the payload's parameters, shape (n, 10).
        payload_error: Bound on their errors, shape (n, 10).
        candidates: Coefficients of all candidates of `Nuisance`, shape (n, 15 n).
        link_error: Bound on the errors of those of the links, shape (n, 10 n).
        torque: Integral of the torque, shape (n,) [N m s].
        shift: What the integral of the reading itself is more than `torque`, shape (n,) [N m s].
        constant: Coefficients of the constant errors, in their unit boxes, shape (n, k) [N m s].
        middle: What they do in the middle of their boxes, shape (n,) [N m s].
        likely: What they most likely do beside, as in `Effect`, shape (n, k + 1) [N m s], or None.
        growth: How the noise grows with them, as in `Effect`, shape (n, k) [-], or None.
        left_out: Bound on what else the equation leaves out, shape (n,) [N m s].
        weight: Integral of the window's weight [s].
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
    middle: Array
    likely: Array | None
    growth: Array | None
    left_out: Array
    weight: float
    start: float
    end: float


@dataclass(frozen=True)
class MomentumRows:
    """Makes rows of windows of samples of one arm.

    Attributes:
        model: The arm.
        uncertainty: What is assumed about sensors and links.
        nuisance: The nuisance parameters that follow from it.
        memory: Of what motions alone determine, for rows that are made again and again of the same
            motions; None: nothing is remembered.
    """

    model: ArmModel
    uncertainty: Uncertainty
    nuisance: Nuisance
    memory: MotionMemory | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, model: ArmModel, uncertainty: Uncertainty) -> MomentumRows:
        """Return the row_source of rows for an arm under an uncertainty.

        Raises:
            InputError: A bound has another number of joints, the torques' errors may be as large
                as the torques, or the bounds do not go with the arm's calibration.
        """
        for name in PER_SAMPLE:
            uncertainty.per_joint(name, model.n)
        for name in MEANS:
            uncertainty.means(model.n, name)
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
        return len(self.names)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the nuisance parameters, such as "joint_2.friction_coulomb"."""
        tool = (f"tool.{PARAMETERS[k]}" for k in self._tool)
        return (*self.nuisance.names, *tool, *(n for block in self.blocks for n in block.names))

    @cached_property
    def blocks(self) -> tuple[NuisanceBlock, ...]:
        """What is unknown of a run beside arm and tool, in the order of its columns."""
        return stated_blocks(self.model, self.uncertainty)

    @cached_property
    def noise(self) -> TorqueNoise:
        """What is stated of the torques' noise."""
        return TorqueNoise.of(self.uncertainty, self.model.n)

    @cached_property
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

    def fitted(self, samples: Samples) -> Samples:
        """Return samples with the arm's joints in the arm's order.

        Raises:
            RecordingError: They are of other joints, or of another number of them.
        """
        if not isinstance(samples, Samples):
            raise RecordingError(
                f"Rows of joint torques need Samples, such as a Recording; found "
                f"{type(samples).__name__}."
            )
        samples = samples.of_joints(self.model.joints)
        if samples.n != self.model.n:
            raise RecordingError(
                f"The samples have {samples.n} joints and the robot has {self.model.n}: "
                f"{', '.join(self.model.joints)}. Name the joints that were recorded."
            )
        return samples

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
        if self.takes_hat(samples):
            return self.hat_terms(samples)
        return self.box_terms(self.sums(samples, self._sensitivity(samples)))

    def takes_hat(self, samples: Samples) -> bool:
        """Tell whether the window of some samples has a hat as its weight."""
        return worth_it(self.uncertainty, samples.stamp, self.model.n)

    def _sensitivity(self, samples: Samples) -> Sensitivity:
        """Return what errors of positions and velocities do to a window."""
        if self.memory is None:
            return self.probes(samples).whole()
        gravity = (self.model.gravity,)
        return self.memory.recalled(
            "sensitivity", samples, gravity, lambda: self.probes(samples).whole()
        )

    def probes(self, samples: Samples) -> Probes:
        """Return what errors of positions and velocities do to windows of some samples."""
        return Probes.of(self.model, self.uncertainty, samples)

    def hat_terms(self, samples: Samples, mean: Array | None = None) -> WindowTerms:
        """Return the equations of a window with a hat as its weight.

        Args:
            samples: At least 2 `LEAST_STEPS` + 1 samples of n joints, without gaps.
            mean: What the weighted mean of the noise is known to stay within, shape (n,) [N m].
        """
        weights = hat_weights(samples.stamp, LEAST_STEPS)
        motion = body_motion(self.model, samples.q, samples.dq)
        row = HatRow(self.model, self.uncertainty, samples, weights)
        integrals = self._integrals(samples, weights, motion)
        noise: Array | float = np.inf
        if mean is not None:
            total, size, least = integrals.duration, integrals.size, integrals.least
            noise = self.noise.weighted(total, size, least, mean)
        return self._terms(integrals, row.regressor(motion), row.speed_change(), noise)

    def box_terms(self, sums: WindowSums) -> WindowTerms:
        """Return the equations of a window whose weight is 1, of its sums."""
        whole, speed_error = (
            sums.integrals,
            self.uncertainty.per_joint("velocity_error", self.model.n),
        )
        mean = self.noise.mean(whole.duration, whole.size, whole.least)
        return self._terms(whole, sums.regressor(), sums.speed_change(speed_error), mean)

    def sums(self, samples: Samples, sensitivity: Sensitivity) -> WindowSums:
        """Return what enters the equations of a window whose weight is 1.

        Args:
            samples: At least `LEAST_SAMPLES` samples of n joints, without gaps.
            sensitivity: Of the window, from `probes`.
        """
        weights, ends = box_weights(samples.stamp), end_samples(len(samples))
        motion = body_motion(self.model, samples.q, samples.dq)
        jitter, late = self.uncertainty.stamp_jitter, np.zeros_like(sensitivity.force)
        if jitter > 0.0:
            late = stamp_error(samples.stamp, momentum_regressor(motion), jitter)
        return WindowSums(
            integrals=self._integrals(samples, weights, motion),
            momentum=momentum_regressor(motion, ends),
            speed=samples.dq[ends],
            sensitivity=sensitivity,
            impulse=force_integral(motion, weights.force),
            stamp_error=late,
        )

    def _integrals(self, samples: Samples, weights: WindowWeights, motion: BodyMotion) -> Integrals:
        """Return the sums over a window that any weight has."""
        unsure, weight = self.uncertainty, weights.force
        threshold = unsure.stiction_velocity + unsure.per_joint("velocity_error", self.model.n)
        step = step_weights(samples.stamp, weights)
        signs, unknown = sign_integral(step, samples.dq, threshold)
        middle, half_width = self.noise.noise_free(samples.tau)
        noise = half_width + self.noise.gaussian
        return Integrals(
            stamp=samples.stamp,
            weight=weight,
            signs=signs,
            unknown=unknown,
            travel=weight @ samples.dq,
            middle=weight @ middle,
            half_width=weight @ half_width,
            reading=weight @ samples.tau,
            size=weight @ np.abs(samples.tau),
            lowest=samples.tau.min(axis=0),
            highest=samples.tau.max(axis=0),
            rough=rough_part(samples.stamp, weights.at_samples(samples.stamp), middle, noise),
            constant=self._constant_errors(samples, weights, motion),
        )

    def _terms(
        self,
        whole: Integrals,
        coefficients: tuple[Array, Array],
        speed_change: tuple[Array, Array],
        mean_noise: Array | float,
    ) -> WindowTerms:
        """Return the equations of one window.

        Args:
            whole: Its integrals.
            coefficients: Of all bodies, and their error bound, shape (n + 1, n, 10) each.
            speed_change: Integral of each joint's acceleration, and its error bound, shape (n,).
            mean_noise: Bound on the noise's integral beside that from its samples, shape (n,).
        """
        n, constant = self.model.n, whole.constant
        regressor, regressor_bound = coefficients
        torque, torque_bound = self._torque(whole, mean_noise)
        columns, column_bound = self._joint_columns(whole, torque, speed_change)
        links = regressor[:n].transpose(1, 0, 2).reshape(n, 10 * n)
        joints = np.concatenate([np.diag(column) for column in columns], axis=1)
        return WindowTerms(
            payload=regressor[n],
            payload_error=regressor_bound[n] + constant.payload_error,
            candidates=np.concatenate([links, joints], axis=1),
            link_error=regressor_bound[:n].transpose(1, 0, 2).reshape(n, 10 * n),
            torque=torque,
            shift=whole.reading - torque,
            constant=constant.columns,
            middle=constant.middle,
            likely=constant.likely,
            growth=constant.growth,
            weight=whole.duration,
            left_out=torque_bound + column_bound + constant.left_out,
            start=float(whole.stamp[0]),
            end=float(whole.stamp[-1]),
        )

    def _constant_errors(
        self, samples: Samples, weights: WindowWeights, motion: BodyMotion
    ) -> Effect:
        """Return what errors that are constant in the run do."""
        n, links = self.model.n, slice(10 * self.model.n)
        effect = Effect.none(n)
        if not self.blocks:
            return effect
        reading, reading_error = self.noise.noise_free(samples.tau)
        reading_error = reading_error + self.noise.gaussian
        window = Window(
            self.model, samples, weights.force, weights.momentum, motion, reading, reading_error,
            self.nuisance.centre[links].reshape(n, 10),
            self.nuisance.half_width[links].reshape(n, 10),
        )  # fmt: skip
        for block in self.blocks:
            effect = effect.with_more(self._effect(block, window))
        return effect

    def _effect(self, block: NuisanceBlock, window: Window) -> Effect:
        """Return what a block does, recalled where the motion alone determines it."""
        if self.memory is None or not block.of_motion_alone:
            return block.effect(window)
        other = window.weight, window.momentum, window.model.gravity
        return self.memory.recalled(
            type(block).__name__, window.samples, other, lambda: block.effect(window)
        )

    def _joint_columns(
        self, whole: Integrals, torque: Array, speed_change: tuple[Array, Array]
    ) -> tuple[Array, Array]:
        """Return the columns of `JOINT_GROUPS` and what they leave out, (5, n) and (n,).

        Args:
            whole: Integrals of the window.
            torque: Integral of the reading on the right-hand side, shape (n,) [N m s].
            speed_change: As in `_terms`.
        """
        n, duration = self.model.n, whole.duration
        speed_error = self.uncertainty.per_joint("velocity_error", n)
        change, change_error = speed_change
        columns = np.stack([whole.signs, whole.travel, change, np.full(n, duration), -torque])
        left_out = self.uncertainty.per_joint("friction_coulomb", n) * whole.unknown
        left_out += self.uncertainty.per_joint("friction_viscous", n) * speed_error * duration
        left_out += self.uncertainty.per_joint("rotor_inertia", n) * change_error
        left_out += (
            self.noise.largest_gain * self.uncertainty.per_joint("torque_drift", n) / 2 * duration
        )
        jitter = 2.0 * self.uncertainty.stamp_jitter  # of the window's length
        left_out += self.uncertainty.per_joint("torque_offset", n) * jitter
        return columns, left_out

    def _torque(self, whole: Integrals, mean_noise: Array | float) -> tuple[Array, Array]:
        """Return the integral of the noise-free reading and the bound on its error, (n,) each.

        Noise is bounded sample by sample, or in the mean where that is less.
        """
        less = mean_noise < whole.half_width
        torque = np.where(less, whole.reading, whole.middle)
        bound = np.where(less, mean_noise, whole.half_width)
        left_out = bound + self.noise.gaussian * np.linalg.norm(whole.weight) + whole.rough
        return torque, self.noise.largest_gain * left_out

    def rows(self, terms: WindowTerms) -> RowBlock:
        """Split the equations of one window into payload, nuisance and right-hand side."""
        n, nuisance, candidates = self.model.n, self.nuisance, terms.candidates
        links = nuisance.largest[: 10 * n]
        rounding = np.abs(candidates) @ nuisance.largest + np.abs(terms.torque) + 1e-3
        rounding += np.abs(terms.constant).sum(axis=1)
        rounding = np.full(n, rounding.max())  # forces that one joint does not feel are summed, too
        # The tool is one body with the payload: its errors have the payload's coefficients.
        tool, width = self._tool, np.asarray(self.uncertainty.tool)[self._tool]
        known = candidates[:, nuisance.uncertain] * nuisance.half_width[nuisance.uncertain]
        column, size = nuisance.gain_columns(n)
        before = np.zeros((n, known.shape[1] + len(tool)))
        likely, growth = (
            np.zeros((n, 0)) if more is None else np.hstack([before, more])
            for more in (terms.likely, terms.growth)
        )
        return RowBlock(
            A=terms.payload,
            A_error=terms.payload_error + ROUNDING * np.abs(terms.payload),
            B=np.hstack([known, terms.payload[:, tool] * width, terms.constant]),
            b=terms.torque - terms.middle - candidates @ nuisance.centre,
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
            likely=likely,
            growth=growth,
            weight=np.full(n, terms.weight),
        )
