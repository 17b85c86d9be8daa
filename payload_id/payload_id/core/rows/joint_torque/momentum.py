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
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...arm.arm_model import ArmModel
from ...arm.kinetics import (
    BodyMotion,
    body_motion,
    force_integral,
    gravity_integral,
    momentum_regressor,
)
from ...arrays import Array
from ...body.payload_prior import PayloadPrior
from ...errors import InputError, RecordingError
from ...samples.joint_samples import Samples
from ..dynamism import dynamism, full_share
from ..nuisance import Effect, Nuisance, NuisanceBlock
from ..quadrature import (
    ROUNDING,
    end_samples,
    held_part,
    rough_part,
    sign_integral,
    steps,
    trapezoid_weights,
    weighted_sum,
)
from ..row_block import RowBlock
from ..windows import alike_windows
from .blocks import Stated, Sums, Window, of_arm, of_run
from .calibrated import known_of
from .kinematic_error import Probes, Sensitivity
from .position_gate import PositionGate
from .stamp_error import stamp_error
from .torque_bound import TorqueNoise, largest_gain
from .uncertainty import Uncertainty
from .window_sums import WindowSums

PER_SAMPLE = (
    "torque_relative",
    "torque_absolute",
    "torque_sigma",
    "position_error",
    "velocity_error",
)


@dataclass(frozen=True)
class WindowTerms:
    """The equation of each joint over K windows, before it is split into known and unknown.

    payload phi + columns psi + middle = reading + w,   |w| <= left_out + payload_error |phi|

    m = K n rows: all joints of the first window first.

    Attributes:
        payload: Coefficients of the payload's parameters, shape (m, 10).
        payload_error: Bound on their errors, shape (m, 10).
        columns: Coefficients of all parameters of all blocks, the arm's first, shape (m, k).
        reading: Integral of the torque, shape (m,) [N m s].
        left_out: Bound on what else the equation leaves out, shape (m,) [N m s].
        middle: Middle of its range, shape (m,) [N m s].
        likely: What `columns` most likely are beside, in place of `middle`, shape (m, k); shape
            (m, 0): nothing, and `middle` is none.
        still: As `payload`, of gravity alone, shape (m, 10); None where it does not count.
        full_share: `RowBlock.full_share`, shape (m,).
        start: Time at which the window begins, shape (m,) [s].
        end: Time at which it ends, shape (m,) [s].
    """

    payload: Array
    payload_error: Array
    columns: Array
    reading: Array
    left_out: Array
    middle: Array
    likely: Array
    still: Array | None
    full_share: Array
    start: Array
    end: Array


@dataclass(frozen=True)
class MomentumRows:
    """Makes rows of windows of samples of one arm.

    Attributes:
        model: The arm.
        uncertainty: What is assumed about sensors and links.
        arm: Blocks of the arm's own parameters, the links' first, with their boxes.
    """

    model: ArmModel
    uncertainty: Uncertainty
    arm: tuple[NuisanceBlock[Sums], ...]

    @classmethod
    def of(cls, model: ArmModel, uncertainty: Uncertainty) -> MomentumRows:
        """Return the row_source of rows for an arm under an uncertainty.

        Raises:
            InputError: A bound has another number of joints, the torques' errors may be as large
                as the torques, or the bounds do not go with the arm's calibration.
        """
        for name in PER_SAMPLE:
            uncertainty.per_joint(name, model.n)
        uncertainty.means(model.n)
        gain = largest_gain(uncertainty.per_joint("torque_gain", model.n))
        if (uncertainty.per_joint("torque_relative", model.n) * gain >= 1.0).any():
            raise InputError(
                "torque_relative and torque_gain must sum to less than 1 at each joint; found "
                f"{uncertainty.torque_relative} and {uncertainty.torque_gain}. With larger ones a "
                "reading would say nothing of the torque."
            )
        box, tightened = known_of(model, uncertainty)
        blocks = of_arm(Stated(model, tightened))
        ends = np.cumsum([len(block.names) for block in blocks])[:-1]
        boxes = zip(blocks, np.split(box.centre, ends), np.split(box.half_width, ends), strict=True)
        arm = (replace(block, centre=centre, half_width=half) for block, centre, half in boxes)
        return cls(model, tightened, tuple(arm))

    @property
    def p(self) -> int:
        """Number of nuisance parameters."""
        return self.nuisance.p

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the nuisance parameters, such as "joint_2.friction_coulomb"."""
        return self.nuisance.names

    @cached_property
    def run(self) -> tuple[NuisanceBlock[Window], ...]:
        """Blocks of what else is unknown of a run."""
        return of_run(Stated(self.model, self.uncertainty))

    @property
    def _blocks(self) -> tuple[NuisanceBlock[Any], ...]:
        """All blocks, in the order of their parameters."""
        return (*self.arm, *self.run)

    @cached_property
    def nuisance(self) -> Nuisance:
        """The boxes of all parameters, the arm's first."""
        return Nuisance.of(self._blocks)

    @cached_property
    def of_arm(self) -> Nuisance:
        """The boxes of the arm's own parameters, 15 n + 10 of them."""
        return Nuisance.of(self.arm)

    @cached_property
    def growth(self) -> Array:
        """How the error of each joint's reading grows with u, shape (n, p)."""
        every = np.hstack([block.growth(self.model.n) for block in self._blocks])
        return np.asarray(every[:, self.nuisance.uncertain])

    @cached_property
    def noise(self) -> TorqueNoise:
        """What is stated of the torques' noise."""
        return TorqueNoise.of(self.uncertainty, self.model.n)

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
            sums = self.sums(alike, self._sensitivity(alike))
            blocks += self.rows(self.terms_of(sums)).split(len(alike))
        return blocks

    def terms(self, samples: Samples) -> WindowTerms:
        """Return the equations of one window with the coefficients of every parameter.

        Args:
            samples: At least `LEAST_SAMPLES` samples of n joints, without gaps.
        """
        return self.terms_of(self.sums([samples], self._sensitivity([samples])))

    def _sensitivity(self, windows: Sequence[Samples]) -> Sensitivity:
        """Return what errors of positions and velocities do to windows."""
        if not (self._each("position_error").any() or self._each("velocity_error").any()):
            return self._exact
        return Sensitivity.of_each([self.probes(samples).whole() for samples in windows])

    @cached_property
    def _exact(self) -> Sensitivity:
        """Of windows without errors of positions and velocities."""
        return Sensitivity(*np.zeros((3, 1, self.model.n + 1, self.model.n, 10)))

    def probes(self, samples: Samples) -> Probes:
        """Return what errors of positions and velocities do to windows of some samples."""
        return Probes.of(self.model, self.uncertainty, samples)

    def sums(self, windows: Sequence[Samples], sensitivity: Sensitivity) -> WindowSums:
        """Return what enters the equations of windows.

        Args:
            windows: Each of as many samples, at least `LEAST_SAMPLES`, of n joints, without gaps.
            sensitivity: Of the windows, from `probes`.
        """
        ends, jitter = end_samples(len(windows[0])), self.uncertainty.stamp_jitter
        held = self.uncertainty.torque_hold > 0.0
        stamp, dq, tau = (
            np.stack([getattr(x, name) for x in windows]) for name in ("stamp", "dq", "tau")
        )
        weight, size = trapezoid_weights(stamp), np.abs(tau)
        error = self.noise.of_samples(size)
        threshold = self.uncertainty.stiction_velocity + self._each("velocity_error")
        signs, unknown = sign_integral(steps(stamp), dq, threshold)
        every = weighted_sum(weight, np.concatenate([dq, tau, size], axis=2))
        travel, reading, sizes = np.split(every, 3, axis=1)
        momentum, impulse, late, of_run, still = [], [], [], [], []
        for k, samples in enumerate(windows):
            motion = body_motion(self.model, samples.q, samples.dq)
            momentum.append(momentum_regressor(motion, ends))
            impulse.append(force_integral(motion, weight[k]))
            if jitter > 0.0:
                late.append(stamp_error(samples.stamp, momentum_regressor(motion), jitter))
            still.append(self._still(motion, weight[k]))
            if self.run:
                of_run.append(self._of_run(samples, weight[k], motion, error[k]))
        return WindowSums(
            stamp=stamp,
            signs=signs,
            unknown=unknown,
            travel=travel,
            reading=reading,
            size=sizes,
            lowest=tau.min(axis=1),
            highest=tau.max(axis=1),
            rough=held_part(stamp, tau) if held else rough_part(stamp, tau, error),
            impulse=np.stack(impulse),
            stamp_error=np.stack(late) if late else np.zeros((1, *impulse[0].shape)),
            still=np.stack([coefficients for coefficients, _ in still]),
            motion=np.array([nu for _, nu in still]),
            momentum=np.stack(momentum),
            speed=np.stack([samples.dq[ends] for samples in windows]),
            sensitivity=sensitivity,
            of_run=tuple(Effect.of_windows(effects) for effects in zip(*of_run, strict=True)),
        )

    def _still(self, motion: BodyMotion, weight: Array) -> tuple[Array, float]:
        """Return the payload's coefficients in gravity alone, and the integral of its dynamism.

        Accelerations are means over the window. Shapes (n, 10), or (0, 10) if they do not count.
        """
        if self.uncertainty.dynamism_scale == 0.0:
            return np.zeros((0, 10)), 0.0
        linear, angular = np.split(motion.velocity[:, -1], 2, axis=1)
        duration = weight.sum()
        a = (linear[-1] - linear[0] + weight @ np.cross(angular, linear)) / duration
        alpha = (angular[-1] - angular[0]) / duration
        nu = dynamism(*np.broadcast_arrays(a, alpha, angular))
        gravity = gravity_integral(motion, weight, self.model.gravity)
        return -gravity[-1], float(weight @ nu)

    def _of_run(
        self, samples: Samples, weight: Array, motion: BodyMotion, error: Array
    ) -> list[Effect]:
        """Return what each block of what is unknown of a run does to a window.

        Args:
            samples: Of the window.
            weight: Of these in an integral, shape (N,) [s].
            motion: Of the bodies at the samples.
            error: Bound on the errors of the torques, shape (N, n) [N m].
        """
        links = self.arm[0]
        window = Window(
            self.model, samples, weight, motion, error,
            links.centre.reshape(-1, 10), links.half_width.reshape(-1, 10),
        )  # fmt: skip
        return [block.effect(window) for block in self.run]

    def _each(self, name: str) -> Array:
        """Return a bound for each joint, shape (n,)."""
        return self.uncertainty.per_joint(name, self.model.n)

    def terms_of(self, sums: WindowSums) -> WindowTerms:
        """Return the equations of windows, of their sums."""
        regressor, error = sums.regressor()
        for effect in sums.of_run:
            error[:, -1] += effect.payload_error
        speed_change = sums.speed_change(self._each("velocity_error"))
        seen = Sums(
            sums.duration, regressor, error, sums.signs, sums.unknown, sums.travel, *speed_change,
            sums.reading,
        )  # fmt: skip
        effects = [*(block.effect(seen) for block in self.arm), *sums.of_run]
        noise = self.noise.of_windows(sums.weight, sums.size, sums.least) + sums.rough
        left_out = self.noise.largest_gain * noise
        middle, m = np.zeros(left_out.shape), left_out.size
        likely = np.zeros((m, 0))
        if any(np.any(effect.likely) for effect in sums.of_run):
            every = [np.broadcast_to(x.likely, x.columns.shape) for x in effects]
            likely = np.concatenate(every, axis=2).reshape(m, -1)
        for effect in effects:
            left_out += effect.left_out
            middle += effect.middle
        columns = np.concatenate([x.columns for x in effects], axis=2)
        share = full_share(sums.motion / sums.duration[:, 0], self.uncertainty.dynamism_scale)
        return WindowTerms(
            payload=regressor[:, -1].reshape(m, 10),
            payload_error=error[:, -1].reshape(m, 10),
            columns=columns.reshape(m, -1),
            reading=sums.reading.ravel(),
            left_out=left_out.ravel(),
            middle=middle.ravel(),
            likely=likely,
            still=sums.still.reshape(m, 10) if sums.still.size else None,
            full_share=np.repeat(share, self.model.n),
            start=np.repeat(sums.stamp[:, 0], self.model.n),
            end=np.repeat(sums.stamp[:, -1], self.model.n),
        )

    def rows(self, terms: WindowTerms) -> RowBlock:
        """Split the equations of windows into payload, nuisance and right-hand side."""
        n, nuisance = self.model.n, self.nuisance
        columns = terms.columns.reshape(-1, n, len(nuisance.centre))  # sums alike for any number
        rounding = (np.abs(columns) @ nuisance.largest).ravel() + np.abs(terms.reading) + 1e-3
        # Forces that one joint does not feel are summed, too.
        rounding = np.repeat(rounding.reshape(-1, n).max(axis=1), n)
        likely = terms.likely
        if likely.shape[1]:
            off = likely @ nuisance.centre - terms.middle
            likely = np.column_stack([nuisance.scaled(likely), off])
        return RowBlock(
            A=terms.payload,
            A_error=terms.payload_error + ROUNDING * np.abs(terms.payload),
            B=nuisance.scaled(terms.columns),
            b=terms.reading - terms.middle - (columns @ nuisance.centre).ravel(),
            d=terms.left_out + ROUNDING * rounding,
            joint=np.tile(np.arange(n), len(columns)),
            start=terms.start,
            end=terms.end,
            A_static=terms.payload if terms.still is None else terms.still,
            full_share=terms.full_share,
            reading=terms.reading,
            likely=likely,
        )
