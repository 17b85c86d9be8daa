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

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

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
    trapezoid_weights,
    weighted_sum,
)
from ..row_block import RowBlock
from ..windows import alike_windows
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


class Read(NamedTuple):
    """What was measured in K windows of N samples.

    Attributes:
        stamp: Shape (K, N) [s].
        dq: Velocities, shape (K, N, n) [rad/s or m/s].
        tau: Torques, shape (K, N, n) [N m or N].
        middle: Middle of what their sensors would show without noise, shape (K, N, n) [N m or N].
        half_width: Half its width, shape (K, N, n) [N m or N].
    """

    stamp: Array
    dq: Array
    tau: Array
    middle: Array
    half_width: Array


@dataclass(frozen=True)
class WindowTerms:
    """The equation of each joint over K windows, before it is split into known and unknown.

    payload phi + candidates psi + constant u + middle = torque + w,
    |w| <= left_out + link_error |psi| + payload_error |phi|

    m = K n rows: all joints of the first window first.

    Attributes:
        payload: Coefficients of the payload's parameters, shape (m, 10).
        payload_error: Bound on their errors, shape (m, 10).
        candidates: Coefficients of all candidates of `Nuisance`, shape (m, 15 n).
        link_error: Bound on the errors of those of the links, shape (m, 10 n).
        torque: Integral of the torque, shape (m,) [N m s].
        shift: What the integral of the reading itself is more than `torque`, shape (m,) [N m s].
        blocks: What blocks of unknowns do, m rows.
        left_out: Bound on what else the equation leaves out, shape (m,) [N m s].
        weight: Integral of the window's weight, shape (m,) [s].
        start: Time at which the window begins, shape (m,) [s].
        end: Time at which it ends, shape (m,) [s].
    """

    payload: Array
    payload_error: Array
    candidates: Array
    link_error: Array
    torque: Array
    shift: Array
    blocks: Effect
    left_out: Array
    weight: Array
    start: Array
    end: Array


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

    def windows(self, windows: Sequence[Samples]) -> list[RowBlock]:
        """Return the rows of each of some windows; those with as many samples are made at once."""
        blocks: list[RowBlock] = []
        for alike in alike_windows(windows):
            if self.takes_hat(alike[0]):
                blocks += [self.window(samples) for samples in alike]
            else:
                sensitivity = self._sensitivity(alike)
                rows = self.rows(self.box_terms(self.sums(alike, sensitivity)))
                blocks += rows.split(len(alike))
        return blocks

    def terms(self, samples: Samples) -> WindowTerms:
        """Return the equations of one window with the coefficients of every candidate.

        Args:
            samples: At least `LEAST_SAMPLES` samples of n joints, without gaps.
        """
        if self.takes_hat(samples):
            return self.hat_terms(samples)
        return self.box_terms(self.sums([samples], self._sensitivity([samples])))

    def takes_hat(self, samples: Samples) -> bool:
        """Tell whether the window of some samples has a hat as its weight."""
        return worth_it(self.uncertainty, samples.stamp, self.model.n)

    def _sensitivity(self, windows: Sequence[Samples]) -> Sensitivity:
        """Return what errors of positions and velocities do to windows."""
        if not (self._each("position_error").any() or self._each("velocity_error").any()):
            return self._exact
        return Sensitivity.of_each([self._sensitivity_of(samples) for samples in windows])

    def _sensitivity_of(self, samples: Samples) -> Sensitivity:
        """Return what they do to one window, recalled where its motion was there before."""
        if self.memory is None:
            return self.probes(samples).whole()
        gravity = (self.model.gravity,)
        return self.memory.recalled(
            "sensitivity", samples, gravity, lambda: self.probes(samples).whole()
        )

    @cached_property
    def _exact(self) -> Sensitivity:
        """Of windows without errors of positions and velocities."""
        return Sensitivity(*np.zeros((3, 1, self.model.n + 1, self.model.n, 10)))

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
        at_samples, read = weights.at_samples(samples.stamp)[None], self._read([samples])
        effect = self._effect_of_blocks(read, 0, samples, weights, motion)
        whole = self._integrals(read, weights.force[None], at_samples, [effect])
        noise: Array | float = np.inf
        if mean is not None:
            noise = self.noise.weighted(whole.duration, whole.size, whole.least, mean)
        of_row = row.regressor(motion), row.speed_change()
        coefficients, change = ((value[None], error[None]) for value, error in of_row)
        return self._terms(whole, coefficients, change, noise)

    def box_terms(self, sums: WindowSums) -> WindowTerms:
        """Return the equations of windows whose weight is 1, of their sums."""
        whole, speed_error = sums.integrals, self._each("velocity_error")
        mean = self.noise.mean(whole.duration, whole.size, whole.least)
        return self._terms(whole, sums.regressor(), sums.speed_change(speed_error), mean)

    def sums(self, windows: Sequence[Samples], sensitivity: Sensitivity) -> WindowSums:
        """Return what enters the equations of windows whose weight is 1.

        Args:
            windows: Each of as many samples, at least `LEAST_SAMPLES`, of n joints, without gaps.
            sensitivity: Of the windows, from `probes`.
        """
        ends, read = end_samples(len(windows[0])), self._read(windows)
        weight, jitter = trapezoid_weights(read.stamp), self.uncertainty.stamp_jitter
        momentum, impulse, late, effects = [], [], [], []
        for k, samples in enumerate(windows):
            motion = body_motion(self.model, samples.q, samples.dq)
            momentum.append(momentum_regressor(motion, ends))
            impulse.append(force_integral(motion, weight[k]))
            if jitter > 0.0:
                late.append(stamp_error(samples.stamp, momentum_regressor(motion), jitter))
            effects.append(self._effect_of_blocks(read, k, samples, None, motion))
        return WindowSums(
            integrals=self._integrals(read, weight, np.ones(weight.shape), effects),
            momentum=np.stack(momentum),
            speed=np.stack([samples.dq[ends] for samples in windows]),
            sensitivity=sensitivity,
            impulse=np.stack(impulse),
            stamp_error=np.stack(late) if late else np.zeros((1, *impulse[0].shape)),
        )

    def _read(self, windows: Sequence[Samples]) -> Read:
        """Return what was measured in windows with as many samples each."""
        stamp, dq, tau = (
            np.stack([getattr(x, name) for x in windows]) for name in ("stamp", "dq", "tau")
        )
        return Read(stamp, dq, tau, *self.noise.noise_free(tau))

    def _integrals(
        self, read: Read, weight: Array, at_samples: Array, effects: Sequence[Effect]
    ) -> Integrals:
        """Return the sums over windows that any weight has.

        Args:
            read: What was measured in K windows with N samples each.
            weight: Of the samples in an integral, shape (K, N) [s].
            at_samples: w at each sample, shape (K, N) [-].
            effects: What blocks of unknowns do to each window.
        """
        stamp, dq, tau, middle, half_width = read
        step = np.diff(stamp) * (at_samples[:, 1:] + at_samples[:, :-1]) / 2
        threshold = self.uncertainty.stiction_velocity + self._each("velocity_error")
        signs, unknown = sign_integral(step, dq, threshold)
        every = np.concatenate([dq, middle, half_width, tau, np.abs(tau)], axis=2)
        travel, middles, half_widths, reading, sizes = np.split(weighted_sum(weight, every), 5, 1)
        return Integrals(
            stamp=stamp,
            weight=weight,
            signs=signs,
            unknown=unknown,
            travel=travel,
            middle=middles,
            half_width=half_widths,
            reading=reading,
            size=sizes,
            lowest=tau.min(axis=1),
            highest=tau.max(axis=1),
            rough=rough_part(stamp, at_samples, middle, half_width + self.noise.gaussian),
            constant=Effect.of_each(effects),
        )

    def _terms(
        self,
        whole: Integrals,
        coefficients: tuple[Array, Array],
        speed_change: tuple[Array, Array],
        mean_noise: Array | float,
    ) -> WindowTerms:
        """Return the equations of K windows.

        Args:
            whole: Their integrals.
            coefficients: Of all bodies, and their error bound, shape (K, n + 1, n, 10) each.
            speed_change: Integral of each joint's acceleration, and its error bound, (K, n).
            mean_noise: Bound on the noise's integral beside that from its samples, shape (K, n).
        """
        n, blocks = self.model.n, whole.constant
        torque, torque_bound = self._torque(whole, mean_noise)
        columns, column_bound = self._joint_columns(whole, torque, speed_change)
        K, m = len(torque), torque.size
        candidates, joint = np.zeros((K, n, 15 * n)), np.arange(n)
        link_error, payload, payload_error = np.empty((K, n, 10 * n)), *np.empty((2, K, n, 10))
        for (links, load), every in zip(
            ((candidates[:, :, : 10 * n], payload), (link_error, payload_error)),
            coefficients,
            strict=True,
        ):
            links.reshape(K, n, n, 10)[:] = every[:, :n].swapaxes(1, 2)
            load[:] = every[:, n]
        for group, column in enumerate(columns):
            candidates[:, joint, (10 + group) * n + joint] = column
        return WindowTerms(
            payload=payload.reshape(m, 10),
            payload_error=payload_error.reshape(m, 10) + blocks.payload_error,
            candidates=candidates.reshape(m, 15 * n),
            link_error=link_error.reshape(m, 10 * n),
            torque=torque.ravel(),
            shift=(whole.reading - torque).ravel(),
            blocks=blocks,
            left_out=(torque_bound + column_bound).ravel() + blocks.left_out,
            weight=np.repeat(whole.duration, n),
            start=np.repeat(whole.stamp[:, 0], n),
            end=np.repeat(whole.stamp[:, -1], n),
        )

    def _effect_of_blocks(
        self,
        read: Read,
        number: int,
        samples: Samples,
        weights: WindowWeights | None,
        motion: BodyMotion,
    ) -> Effect:
        """Return what blocks of unknowns do to a window.

        Args:
            read: What was measured in several windows.
            number: Of the window among them.
            samples: Of the window.
            weights: Of these; None for a window whose weight is 1.
            motion: Of the bodies at the samples.
        """
        n, links = self.model.n, slice(10 * self.model.n)
        effect = Effect.none(n)
        if not self.blocks:
            return effect
        weights = box_weights(samples.stamp) if weights is None else weights
        window = Window(
            self.model, samples, weights.force, weights.momentum, motion,
            read.middle[number], read.half_width[number] + self.noise.gaussian,
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

    def _each(self, name: str) -> Array:
        """Return a bound for each joint, shape (n,)."""
        return self.uncertainty.per_joint(name, self.model.n)

    def _joint_columns(
        self, whole: Integrals, torque: Array, speed_change: tuple[Array, Array]
    ) -> tuple[tuple[Array, ...], Array]:
        """Return the columns of `JOINT_GROUPS`, (K, n) each, and what they leave out, (K, n).

        Args:
            whole: Integrals of the windows.
            torque: Integral of the reading on the right-hand side, shape (K, n) [N m s].
            speed_change: As in `_terms`.
        """
        duration = whole.duration
        change, change_error = speed_change
        columns = whole.signs, whole.travel, change, duration, -torque
        left_out = self._each("friction_coulomb") * whole.unknown
        left_out += self._each("friction_viscous") * self._each("velocity_error") * duration
        left_out += self._each("rotor_inertia") * change_error
        left_out += self.noise.largest_gain * self._each("torque_drift") / 2 * duration
        jitter = 2.0 * self.uncertainty.stamp_jitter  # of the window's length
        left_out += self._each("torque_offset") * jitter
        return columns, left_out

    def _torque(self, whole: Integrals, mean_noise: Array | float) -> tuple[Array, Array]:
        """Return the integral of the noise-free reading and the bound on its error, (K, n) each.

        Noise is bounded sample by sample, or in the mean where that is less.
        """
        less = mean_noise < whole.half_width
        torque = np.where(less, whole.reading, whole.middle)
        bound = np.where(less, mean_noise, whole.half_width)
        random = self.noise.gaussian * np.linalg.norm(whole.weight, axis=1, keepdims=True)
        return torque, self.noise.largest_gain * (bound + random + whole.rough)

    def rows(self, terms: WindowTerms) -> RowBlock:
        """Split the equations of windows into payload, nuisance and right-hand side."""
        n, nuisance, candidates = self.model.n, self.nuisance, terms.candidates
        blocks, m = terms.blocks, len(candidates)

        def summed(coefficients: Array, values: Array) -> Array:
            """Return products, those of a window the same however many come with it, (m,)."""
            return np.asarray((coefficients.reshape(m // n, n, len(values)) @ values).ravel())

        rounding = summed(np.abs(candidates), nuisance.largest) + np.abs(terms.torque) + 1e-3
        rounding += np.abs(blocks.columns).sum(axis=1)
        # Forces that one joint does not feel are summed, too.
        rounding = np.repeat(rounding.reshape(-1, n).max(axis=1), n)
        # The tool is one body with the payload: its errors have the payload's coefficients.
        tool, width = self._tool, np.asarray(self.uncertainty.tool)[self._tool]
        known = candidates[:, nuisance.uncertain] * nuisance.half_width[nuisance.uncertain]
        own_gain = 1.0 + nuisance.centre[group_slice("torque_gain", n)]
        likely, growth = self._noise_model(terms.shift * np.tile(own_gain, m // n), blocks)
        return RowBlock(
            A=terms.payload,
            A_error=terms.payload_error + ROUNDING * np.abs(terms.payload),
            B=np.hstack([known, terms.payload[:, tool] * width, blocks.columns]),
            b=terms.torque - blocks.middle - summed(candidates, nuisance.centre),
            d=terms.left_out
            + summed(terms.link_error, nuisance.largest[: 10 * n])
            + summed(terms.payload_error[:, tool], width)
            + ROUNDING * rounding,
            joint=np.tile(np.arange(n), m // n),
            start=terms.start,
            end=terms.end,
            reading=terms.torque,
            likely=likely,
            growth=growth,
            weight=terms.weight,
        )

    def _noise_model(self, shift: Array, blocks: Effect) -> tuple[Array, Array]:
        """Return `RowBlock.likely` and `RowBlock.growth`.

        Args:
            shift: What b lacks of the reading, shape (m,) [N m s]; it stands in the column of the
                gain, too.
            blocks: What blocks of unknowns do, m rows.
        """
        m, n = len(shift), self.model.n
        gains = self.nuisance.growth(n)
        first = self.p - blocks.columns.shape[1]
        growth, likely = np.zeros((m, 0)), np.zeros((m, 0))
        if gains.any() or blocks.growth is not None:
            growth = np.zeros((m, self.p))
            growth[:, : gains.shape[1]] = np.tile(gains, (m // n, 1))
        if shift.any() or blocks.likely is not None:
            likely = np.zeros((m, self.p + 1))
            likely[:, -1] = -shift
            if growth.shape[1]:
                likely[:, : self.p] = -growth * shift[:, None]
        if blocks.likely is not None:
            likely[:, first:] += blocks.likely
        if blocks.growth is not None:
            growth[:, first:] = blocks.growth
        return likely, growth
