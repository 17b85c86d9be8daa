"""From what is uncertain, how late torques act and how well states are measured to a tube.

pi_j is what |p_j| = |(M r)_j| stays below (`safety/tube/sampling_reserve.py`), V_M the level of the
tube that follows from it, |r_j| <= rho_j = sqrt(2 V_M / d_j), d_j the inertia of each joint. What
pi must be grows with the tube, so that the smallest tube is a fixed point. docs/proofs.md has the
proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..errors import InputError
from ..motion.trajectory import MotionRanges, Trajectory, even_edges
from ..safety.torque.arm_dynamics import ArmDynamics
from ..safety.torque.design_margins import proved_inertia
from ..safety.torque.parameter_box import ParameterBox
from ..safety.torque.slice_torque_bounds import slice_torque_bounds
from ..safety.torque.torque_change import SLICE, TorqueChange, torque_change
from ..safety.tube.sampling_reserve import Sampling, SamplingReserve, least_momentum
from ..safety.tube.tracking_tube import TrackingTube

# Numbers of the search: whatever it ends with is proved with each certificate (`design_margins`).
SMALLEST = 1e-9  # [J] where it begins: 0.02 mrad/s of a rotor of 4 kg m2
ITERATIONS = 30  # at most; designs of the shipped torque arms take 4 to 7
GROWTH = 1.01  # a fixed point is taken so much above what is found that it is a bound [-]
STEP = 1.2  # likewise for the level: at 1.01 there are twice as many steps for tubes 3 % narrower
SLICES = 2 * SLICE  # [s]: designs as those on the certificate's slices, in less time
ROUNDING = 1e-9  # part by which constants are on the safe side of what is proved [-]

_Slices = tuple[Trajectory, MotionRanges]  # a motion, and all or some of its slices of time


def robust_design(
    model: ArmModel,
    box: ParameterBox,
    level: float,
    gain: Array | float,
    disturbance: Array | float,
    change: Array | float,
    mismatch: Array | float = 0.0,
    sampling: Sampling | None = None,
) -> TrackingTube:
    """Return the tube of the robust controller, with its constants as `reserve`.

    Whether they hold for a motion and a box is proved with its certificate (`design_margins`).

    Args:
        model: The arm.
        box: What is uncertain; the rotors' inertias must be above 0.
        level: V_M, which decides how wide the tube is [J].
        gain: K_r, shape (n,) [1/s].
        disturbance: Largest |w_j| in the motions to come, shape (n,) [N m or N].
        change: delta, shape (n,) [N m or N].
        mismatch: Largest |p_j - p0_j|, shape (n,) [N m s or N s].
        sampling: How late torques act, and errors of measurement; None: 1 ms, and none.

    Raises:
        InputError: The rotors' inertia is unknown, or the tube is too narrow.
    """
    n, by = model.n, sampling or Sampling(1e-3)
    given = (gain, disturbance, change, mismatch, by.position_error, by.velocity_error)
    K, w, delta, mu, q_error, dq_error = (
        np.broadcast_to(np.asarray(x, dtype=float), (n,)) for x in given
    )
    _check(level=np.array(level), gain=K, disturbance=w, change=delta, mismatch=mu)
    rotor = _smallest_rotor(box)
    d = proved_inertia(model, box) * (1.0 - ROUNDING)
    reserve = SamplingReserve(w, delta, mu, np.ones(n), rotor, d, q_error, dq_error, level,
                              by.period)  # fmt: skip
    momentum = np.maximum(reserve.needed_momentum, 1e-9) * (1.0 + ROUNDING)
    needed = _level_of(momentum, box)
    if needed > level:
        j = int(np.argmax(momentum**2 / rotor))
        raise InputError(
            f"A tube of V_M = {level:.3g} J is too narrow: it takes {needed:.3g} J where torques "
            f"follow the state within {by.period:g} s. Most of it is due to {model.joints[j]}: "
            f"{by.period * reserve.force[j]:.3g} N m s by that time, {mu[j]:.3g} N m s by what is "
            "not known of inertias and velocities."
        )
    # What is left of the level is shared out: a wider layer is a gentler input.
    momentum = momentum * np.sqrt(level / needed) * (1.0 - ROUNDING)
    made = replace(reserve, momentum=momentum)
    return TrackingTube.passivity_based(level, K, d, (), made)


def undesigned_tube(
    model: ArmModel,
    box: ParameterBox,
    level: float,
    gain: Array | float,
    sampling: Sampling | None = None,
) -> TrackingTube:
    """Return the tube that every design of a level and a gain has, whatever the motion.

    Args:
        model: The arm.
        box: What is uncertain; the rotors' inertias must be above 0.
        level: V_M [J].
        gain: K_r, shape (n,) [1/s].
        sampling: Errors of measurement; None: there are none.

    Raises:
        InputError: The rotors' inertia is unknown.
    """
    _smallest_rotor(box)
    d = proved_inertia(model, box) * (1.0 - ROUNDING)
    K = np.broadcast_to(np.asarray(gain, dtype=float), (model.n,))
    error = 0.0 if sampling is None else sampling.velocity_error + K * sampling.position_error
    return TrackingTube.passivity_based(level, K, d, error=error)


def tube_level(model: ArmModel, box: ParameterBox, tube: TrackingTube, sampling: Sampling) -> float:
    """Return V_M of an `undesigned_tube` [J]."""
    d = proved_inertia(model, box) * (1.0 - ROUNDING)
    r = tube.reference_velocity - sampling.velocity_error - tube.gain * sampling.position_error
    return float((0.5 * d * r**2).max())


def design_for(
    dynamics: ArmDynamics,
    trajectories: Sequence[Trajectory],
    gain: Array | float,
    sampling: Sampling,
    level: float | None = None,
    room: float = 1.0,
) -> TrackingTube:
    """Return the tube of the design for some motions; see `robust_design`.

    The disturbance is the certifier's own bound over the tube, change and mismatch those of
    `torque_change`. They grow with the tube: the level is the least that holds them, about.

    Args:
        dynamics: The arm, and what is uncertain.
        trajectories: The motions.
        gain: K_r, shape (n,) [1/s].
        sampling: How late torques act, and errors of measurement.
        level: V_M [J]; None: the least, times the square of `room`.
        room: For other motions that the same design shall serve, such as what goes on from
            these [-].

    Raises:
        InputError: There is no such design.
    """
    model, box = dynamics.model, dynamics.box
    motions = [(x, x.ranges(even_edges(x, SLICES))) for x in trajectories]
    made = level or room**2 * _least_level(dynamics, motions, gain, sampling)
    needs = _Needs.of(dynamics, motions, gain, sampling, made)
    needed = _level_of(least_momentum(sampling.period, *needs.least), box)
    # A part of what is left is room for other motions, the rest makes the input gentler.
    spare = float(np.clip(np.sqrt(made / needed) / GROWTH, 1.0, room))
    return robust_design(model, box, made, gain, *needs.with_room(spare), sampling)


@dataclass(frozen=True, eq=False)
class _Needs:
    """What motions need in the tube of a level.

    Attributes:
        disturbance: Largest |w_j|, shape (n,) [N m or N].
        change: How much torques change, by motion.
        mismatch: Largest |p_j - p0_j|, shape (n,) [N m s or N s].
        worst: The slices that disturb a joint most.
    """

    disturbance: Array
    change: Sequence[TorqueChange]
    mismatch: Array
    worst: Sequence[_Slices]

    @classmethod
    def of(
        cls,
        dynamics: ArmDynamics,
        motions: Sequence[_Slices],
        gain: Array | float,
        sampling: Sampling,
        level: float,
    ) -> _Needs:
        """Return what slices of motions need."""
        model, box = dynamics.model, dynamics.box
        tube = undesigned_tube(model, box, level, gain, sampling)
        w = [slice_torque_bounds(model, x, tube, box).largest_disturbance for _, x in motions]
        change = [torque_change(model, box, x, tube, sampling, SLICES) for x, _ in motions]
        mismatch = np.max([x.mismatch(level).max(axis=0) for x in change], axis=0)
        rows = (np.unique(x.argmax(axis=0)) for x in w)
        worst = [(x, y.take(k)) for (x, y), k in zip(motions, rows, strict=True)]
        return cls(np.max([x.max(axis=0) for x in w], axis=0), change, mismatch, worst)

    @cached_property
    def least(self) -> tuple[Array, Array, Array]:
        """Disturbance, change and mismatch, shape (n,) each.

        Raises:
            InputError: The faster the controller acts, the more its torque changes.
        """
        return self.disturbance, self._settled(self.disturbance, 0.0), self.mismatch

    def with_room(self, spare: float) -> tuple[Array, Array, Array]:
        """Return the same, so many times as large, and the change that this makes."""
        w = spare * self.disturbance
        return w, self._settled(w, spare * self.least[1]), spare * self.mismatch

    def _settled(self, disturbance: Array, least: Array | float) -> Array:
        return np.asarray(np.max([_settled(x, disturbance, least) for x in self.change], axis=0))


def _least_level(
    dynamics: ArmDynamics,
    motions: Sequence[_Slices],
    gain: Array | float,
    sampling: Sampling,
) -> float:
    """Return the least V_M, about, that holds what a tube of it needs [J].

    It is looked for on the slices that disturb most in a small tube; all of them must hold.

    Raises:
        InputError: There is none.
    """
    level, ratio, some = SMALLEST, np.inf, motions
    for _ in range(ITERATIONS):
        needs = _Needs.of(dynamics, some, gain, sampling, level)
        needed = _level_of(least_momentum(sampling.period, *needs.least), dynamics.box)
        if needed <= level and some is motions:
            return level
        if needed <= level:
            some = motions
            continue
        if needed > ratio * level:  # what is needed grows faster than the level from here on
            break
        level, ratio = STEP * needed, needed / level
        some = needs.worst if some is motions else some
    raise InputError(
        "There is no robust design: the wider the tube, the more the payload's bounds and torques "
        f"that follow the state within {sampling.period:g} s widen it, without end. "
        "Narrow the prior, shorten control.effort_period or effort_delay, or "
        "hold the payload nearer to the axes."
    )


def _level_of(momentum: Array, box: ParameterBox) -> float:
    """Return V_M of |p_j| <= momentum_j [J]."""
    return 0.5 * float(np.sum(momentum**2 / _smallest_rotor(box)))


def _settled(found: TorqueChange, disturbance: Array, least: Array | float) -> Array:
    """Return delta for the |dr/dt| that itself allows, shape (n,) [N m or N].

    Raises:
        InputError: The faster the controller acts, the more its torque changes.
    """
    delta = np.maximum(found(np.zeros(len(disturbance))), least)
    for _ in range(ITERATIONS):
        next_one = found(2.0 * (disturbance + delta))
        if (next_one <= delta).all():
            return delta
        delta = np.maximum(delta, GROWTH * next_one)
    raise InputError(
        f"A time of {found.period:g} s within which torques follow the state is too long for this "
        "motion: the faster the controller acts, the more its torque changes within it. Shorten "
        "control.effort_period or effort_delay."
    )


def _check(**given: Array) -> None:
    """Raise unless all are finite and none is negative."""
    for name, value in given.items():
        if not np.isfinite(value).all() or (value < 0).any():
            raise InputError(
                f"The robust controller's '{name}' must be finite and not negative; found "
                f"{value.tolist()!r}."
            )


def _smallest_rotor(box: ParameterBox) -> Array:
    """Return the rotors' smallest inertias, shape (n,), all above 0."""
    rotor = box.rotor_inertia_lower
    if not (rotor > 0).all():
        raise InputError(
            "The tube of the robust controller needs rotor inertias above 0; the smallest found "
            f"are {rotor.tolist()} kg m2. Without rotors the tube is as wide as the small inertia "
            "of the wrist makes it, which is of no use: give rotor inertias, or use the arm's own "
            "position controller with a stated tube."
        )
    return np.asarray(rotor)
