"""What is assumed about sensors, links and payload: every interval is a consequence of these."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from typing_extensions import Self

from ...arm.per_joint import PerJoint
from ...arrays import Array
from ...body.payload_prior import PayloadPrior
from ...errors import InputError, UnknownNameError, require_type
from ...stated import FRACTION, Entries, check_stated, stated

LISTS = ("torque_mean_window", "torque_mean")


def bound(unit: str, meaning: str, default: Any = 0.0, highest: float = float("inf")) -> Any:
    """Return a field for a bound that is not negative.

    Args:
        unit: Of it, or units.
        meaning: What it bounds, in a few words, as the keys of a robot file and parameters of nodes
            say it.
        default: Where it is not stated.
        highest: Largest that can be stated.
    """
    return stated(default, highest=highest, unit=unit, meaning=meaning)


@dataclass(frozen=True)
class Uncertainty(Entries):
    """Bounds on everything that is not known exactly. Zero means known exactly.

    Those marked "per joint" take one number, or one number for each joint.

    Attributes:
        torque_relative: |measured - true torque| may reach this fraction of the torque, at every
            sample independently [-]. Per joint.
        torque_absolute: ... plus this much [N m or N]. Per joint.
        torque_gain: Error of each torque sensor's gain, constant in a run [-]. Per joint.
        torque_offset: Offset of each torque sensor, constant in a run [N m or N]. Per joint.
        link_relative: Each inertial parameter of each moving body of the robot's description (the
            links between two joints taken together, about the joint's frame) lies within this
            fraction of its value; parameters that are zero are taken as exactly zero [-].
        link_shift: Beside that, each of these bodies may be shifted as a whole by this much along
            each axis: parameters that are zero need not be, then [m].
        friction_coulomb: Largest Coulomb friction that the measured torque contains
            [N m or N]. Per joint.
        friction_viscous: Largest viscous friction coefficient [N m s/rad or N s/m]. Per joint.
        friction_coulomb_asymmetry: Largest difference of Coulomb friction between the two
            directions [N m or N]. Per joint.
        friction_viscous_asymmetry: ... of the viscous coefficient [N m s/rad or N s/m]. Per joint.
        friction_load: Largest friction that grows with the torque which the joint's gear transmits,
            as a fraction of that torque [-]. Per joint.
        friction_stribeck: Largest friction of a joint that just begins to move, beyond Coulomb
            friction [N m or N]. It never rises with speed. Per joint.
        stribeck_velocity: v_s, such that it falls nowhere faster than `friction_stribeck` / v_s and
            from v_s on is at most `friction_stribeck` exp(-speed / v_s) [rad/s or m/s]. Per joint.
        torque_ripple: Largest amplitude of a torque that is a sine of the joint's position [N m or
            N]. Per joint.
        ripple_cycles: Its cycles in a turn of the joint, or in a metre [-]. Per joint.
        torque_drift: Largest change of a torque's offset and friction together between any two
            moments of a run and its tares [N m or N]; `torque_offset` holds at each of them. Per
            joint.
        rotor_inertia: Largest reflected rotor inertia that the measured torque accelerates
            [kg m2 or kg]. Per joint.
        stiction_velocity: Below this speed the sign of Coulomb friction is unknown
            [rad/s or m/s].
        position_error: Largest error of a measured position [rad or m]. Per joint.
        velocity_error: Largest error of a measured velocity [rad/s or m/s]. Per joint.
        stamp_jitter: Largest error of a sample's stamp, at every sample independently [s].
        gravity_error: Largest error of each component of gravity in the base frame, constant in a
            run [m/s2]; a base that is tilted by a small angle makes one of 9.81 times the angle.
        joint_zero: Largest error of each encoder's zero, constant in a run, beside
            `position_error` [rad or m]. Per joint.
        torque_delay: Largest time by which torques are late or early against positions and
            velocities, constant in a run [s]. Per joint.
        torque_hold: Longest time for which an actuator holds a torque that then jumps, where
            torques move the arm: anywhere between two samples [s]. 0: they do not.
        tool: Largest error of what the description says of the tool between flange and payload:
            one bound for each inertial parameter about the payload frame, ten numbers in the order
            of phi [kg, kg m, kg m2]; empty: the tool is known as well as the links are.
        torque_sigma: Standard deviation of independent Gaussian torque noise [N m or N], an
            alternative to hard bounds. Per joint.
        coverage: Probability that no row of a run exceeds the bound made of `torque_sigma` [-].
        torque_mean_window: Lengths of time for which `torque_mean` says more [s].
        torque_mean: For each of these lengths, in their order: what the mean of the absolute part
            of the noise (that bounded by `torque_absolute` at a sample) stays within over every
            stretch of neighbouring samples at least as long [N m or N]. One number for each
            length, or one for each joint, the joints of the first length first.
        torque_mean_load: Largest torque of each joint under which `torque_mean` was measured
            [N m or N]; 0: under any. A run with a larger one may need as many times more.
            Per joint.
        dynamism_scale: c1 of eq. 9 of [NGK], for `point_masses`: motion at which it counts the full
            model nearly alone, below it more and more that of gravity; to be tuned for each arm
            whose velocities are poor; 0: the full model alone [-].
        prior: Box that holds the payload before any data.
    """

    WHERE: ClassVar[str] = "uncertainty"

    torque_relative: PerJoint = bound(
        "-", "error of every torque sample, as a fraction of the torque", highest=FRACTION
    )
    torque_absolute: PerJoint = bound(
        "N m or N", "... plus this much: noise, ripple, what the model leaves out"
    )
    torque_gain: PerJoint = bound(
        "-", "error of each torque sensor's gain, constant in a run", highest=FRACTION
    )
    torque_offset: PerJoint = bound("N m or N", "offset of each torque sensor, constant in a run")
    link_relative: float = bound(
        "-",
        "error of every inertial parameter of the robot's own links, as a fraction",
        highest=FRACTION,
    )
    link_shift: float = bound(
        "m",
        "shift of each of the robot's own bodies as a whole along each axis, beside "
        "link_relative; where the description's centres of mass are rough",
    )
    friction_coulomb: PerJoint = bound(
        "N m or N", "largest Coulomb friction in the measured torque"
    )
    friction_viscous: PerJoint = bound(
        "N m s/rad or N s/m", "largest viscous friction in the measured torque"
    )
    friction_coulomb_asymmetry: PerJoint = bound(
        "N m or N", "largest difference of Coulomb friction between the two directions"
    )
    friction_viscous_asymmetry: PerJoint = bound("N m s/rad or N s/m", "... of viscous friction")
    friction_load: PerJoint = bound(
        "-", "largest friction as a fraction of the torque transmitted", highest=FRACTION
    )
    friction_stribeck: PerJoint = bound(
        "N m or N", "largest friction beyond Coulomb friction of a slow joint"
    )
    stribeck_velocity: PerJoint = bound(
        "rad/s or m/s", "speed over which that is lost where it falls fastest"
    )
    torque_ripple: PerJoint = bound(
        "N m or N", "largest amplitude of a torque that is a sine of the position"
    )
    ripple_cycles: PerJoint = bound(
        "1/turn or 1/m", "its cycles in a turn of the joint, or in a metre"
    )
    torque_drift: PerJoint = bound(
        "N m or N", "largest change of a torque's offset and friction during a run and its tares"
    )
    rotor_inertia: PerJoint = bound(
        "kg m2 or kg", "largest rotor inertia, seen at the joint, in the torque"
    )
    stiction_velocity: float = bound(
        "rad/s or m/s", "below this speed the sign of Coulomb friction is unknown", default=0.01
    )
    position_error: PerJoint = bound("rad or m", "largest error of a measured position")
    velocity_error: PerJoint = bound("rad/s or m/s", "largest error of a measured velocity")
    stamp_jitter: float = bound("s", "largest error of a sample's stamp")
    gravity_error: float = bound(
        "m/s2", "largest error of each component of gravity in the base frame, constant in a run"
    )
    joint_zero: PerJoint = bound(
        "rad or m", "largest error of each encoder's zero, constant in a run"
    )
    torque_delay: PerJoint = bound(
        "s", "largest time by which torques are late or early, constant in a run"
    )
    torque_hold: float = bound(
        "s", "longest time for which a torque is held and then jumps, where torques move the arm"
    )
    tool: tuple[float, ...] = bound(
        "kg, kg m, kg m2",
        "largest errors of the tool's inertial parameters about the payload frame, ten numbers",
        default=(),
    )
    torque_sigma: PerJoint = bound(
        "N m or N", "standard deviation of independent Gaussian torque noise"
    )
    coverage: float = bound(
        "-",
        "probability that no row of a run exceeds the bound made of torque_sigma",
        default=0.99,
        highest=0.999999,
    )
    torque_mean_window: tuple[float, ...] = bound(
        "s", "lengths of time for which torque_mean says more", default=()
    )
    torque_mean: tuple[float, ...] = bound(
        "N m or N",
        "what the mean of the absolute part of the noise stays within over every stretch at least"
        " so long: for each length one number, or one for each joint",
        default=(),
    )
    torque_mean_load: PerJoint = bound(
        "N m or N",
        "largest torque under which torque_mean was measured, 0: under any; a run with a larger one"
        " may need as many times more",
    )
    dynamism_scale: float = bound(
        "-", "motion at which point_masses counts the full model nearly alone; 0: always"
    )
    prior: PayloadPrior = field(default_factory=PayloadPrior)

    def __post_init__(self) -> None:
        require_type(self.prior, PayloadPrior, "Uncertainty 'prior'", "a PayloadPrior")
        check_stated(self, "Uncertainty")
        self._check_means()
        if len(self.tool) not in (0, 10):
            raise InputError(
                "Uncertainty 'tool' takes ten bounds in the order of phi, or none; found "
                f"{len(self.tool)}."
            )

    def held_for(self, seconds: float) -> Self:
        """Return the bounds where torques are held for a time [s] and then jump.

        A sample may show what is held before or after it, throughout a run: that is a delay of half
        of the time, of either sign.
        """
        late = np.maximum(self.torque_delay, 0.5 * seconds)
        return replace(
            self,
            torque_hold=max(self.torque_hold, seconds),
            torque_delay=float(late) if late.ndim == 0 else tuple(late.tolist()),
        )

    def per_joint(self, name: str, n: int) -> Array:
        """Return one bound for each of n joints, shape (n,).

        Raises:
            InputError: The bound was given for another number of joints.
            UnknownNameError: There is no such bound.
        """
        require_type(name, str, "name", "that of a bound")
        if (name, n) not in self._of_joints:
            self._of_joints[name, n] = self._each(name, n)
        return self._of_joints[name, n]

    @cached_property
    def _of_joints(self) -> dict[tuple[str, int], Array]:
        """What `per_joint` has returned before."""
        return {}

    def _each(self, name: str, n: int) -> Array:
        """Return what `per_joint` does, not to be written to."""
        known = [each.name for each in fields(self)]
        if name not in known:
            raise UnknownNameError("bound", name, known)
        value = np.asarray(getattr(self, name), dtype=float)
        if value.ndim == 1 and len(value) != n:
            raise InputError(
                f"Uncertainty '{name}' has {len(value)} entries; give one number, or {n} (one for "
                "each joint)."
            )
        bounds: Array = np.empty(n)
        bounds[:] = value
        bounds.flags.writeable = False
        return bounds

    def _check_means(self) -> None:
        """Raise unless bounds on means go with their lengths."""
        lengths, bounds = len(self.torque_mean_window), len(self.torque_mean)
        if (bounds % lengths if lengths else bounds) or (lengths > 0) != (bounds > 0):
            raise InputError(
                "Uncertainty 'torque_mean' takes one bound, or one for each joint, for each length "
                f"in 'torque_mean_window'; found {bounds} bounds for {lengths} lengths."
            )
        if 0.0 in self.torque_mean_window or len({*self.torque_mean_window}) < lengths:
            raise InputError(
                "Uncertainty 'torque_mean_window' takes different lengths of time above 0 s; found "
                f"{list(self.torque_mean_window)}."
            )

    def means(self, n: int) -> tuple[tuple[float, Array], ...]:
        """Return the stated lengths, the shortest first, each with its bounds, (n,) [s], [N m].

        Raises:
            InputError: The bounds were given for another number of joints.
        """
        lengths = self.torque_mean_window
        if not lengths:
            return ()
        bounds = np.reshape(self.torque_mean, (len(lengths), -1))
        if bounds.shape[1] not in (1, n):
            raise InputError(
                f"Uncertainty 'torque_mean' has {bounds.shape[1]} bounds for each length; give "
                f"one, or {n} (one for each joint)."
            )
        wide = np.broadcast_to(bounds, (len(lengths), n)).astype(float)
        return tuple(sorted(zip(lengths, wide, strict=True), key=lambda x: x[0]))


BOUNDS = {entry.name: entry for entry in fields(Uncertainty) if entry.metadata}
