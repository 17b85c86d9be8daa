"""What is assumed about sensors, links and payload: every interval is a consequence of these."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from ...arm.per_joint import PerJoint
from ...arrays import Array, real_numbers
from ...body.payload_prior import PayloadPrior
from ...codec import plain
from ...errors import InputError, UnknownNameError, known_entries, require_type

FRACTIONS = ("torque_relative", "torque_gain", "friction_load", "link_relative", "coverage")
MEANS = ("torque_mean", "torque_hat")  # of each, with its lengths NAME_window, lists of numbers
LARGEST = 1e6  # of any bound in SI units; what is not bounded at all is left out or stated as that
LISTS = tuple(f"{name}{end}" for name in MEANS for end in ("_window", ""))


@dataclass(frozen=True)
class Uncertainty:
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
        torque_hat_window: Lengths of time for which `torque_hat` says more [s].
        torque_hat: For each of these lengths: what the mean of the same part with a hat as its
            weight (0 at both ends, 1 in the middle) stays within over every stretch of neighbouring
            samples that just covers it [N m or N]. Numbers as in `torque_mean`.
        prior: Box that holds the payload before any data.
    """

    torque_relative: PerJoint = 0.0
    torque_absolute: PerJoint = 0.0
    torque_gain: PerJoint = 0.0
    torque_offset: PerJoint = 0.0
    link_relative: float = 0.0
    link_shift: float = 0.0
    friction_coulomb: PerJoint = 0.0
    friction_viscous: PerJoint = 0.0
    friction_coulomb_asymmetry: PerJoint = 0.0
    friction_viscous_asymmetry: PerJoint = 0.0
    friction_load: PerJoint = 0.0
    friction_stribeck: PerJoint = 0.0
    stribeck_velocity: PerJoint = 0.0
    torque_ripple: PerJoint = 0.0
    ripple_cycles: PerJoint = 0.0
    torque_drift: PerJoint = 0.0
    rotor_inertia: PerJoint = 0.0
    stiction_velocity: float = 0.01
    position_error: PerJoint = 0.0
    velocity_error: PerJoint = 0.0
    stamp_jitter: float = 0.0
    gravity_error: float = 0.0
    joint_zero: PerJoint = 0.0
    torque_delay: PerJoint = 0.0
    tool: tuple[float, ...] = ()
    torque_sigma: PerJoint = 0.0
    coverage: float = 0.99
    torque_mean_window: tuple[float, ...] = ()
    torque_mean: tuple[float, ...] = ()
    torque_hat_window: tuple[float, ...] = ()
    torque_hat: tuple[float, ...] = ()
    prior: PayloadPrior = field(default_factory=PayloadPrior)

    def __post_init__(self) -> None:
        require_type(self.prior, PayloadPrior, "Uncertainty 'prior'", "a PayloadPrior")
        for entry in fields(self):
            if entry.name != "prior":
                plain = _plain(entry.name, str(entry.type), getattr(self, entry.name))
                object.__setattr__(self, entry.name, plain)
        for name in MEANS:
            self._check_lengths(name)
        if len(self.tool) not in (0, 10):
            raise InputError(
                "Uncertainty 'tool' takes ten bounds in the order of phi, or none; found "
                f"{len(self.tool)}."
            )
        for name in FRACTIONS:
            if np.max(getattr(self, name)) >= 1.0:
                raise InputError(
                    f"Uncertainty '{name}' is a fraction and must be below 1; "
                    f"found {getattr(self, name)!r}. (2.5 % is written 0.025.)"
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

    def _check_lengths(self, name: str) -> None:
        """Raise unless bounds on means go with their lengths."""
        stated, values = getattr(self, f"{name}_window"), getattr(self, name)
        lengths, bounds = len(stated), len(values)
        if (bounds % lengths if lengths else bounds) or (lengths > 0) != (bounds > 0):
            raise InputError(
                f"Uncertainty '{name}' takes one bound, or one for each joint, for each length in "
                f"'{name}_window'; found {bounds} bounds for {lengths} lengths."
            )
        if 0.0 in stated or len({*stated}) < lengths:
            raise InputError(
                f"Uncertainty '{name}_window' takes different lengths of time above 0 s; found "
                f"{list(stated)}."
            )

    def means(self, n: int, name: str = "torque_mean") -> tuple[tuple[float, Array], ...]:
        """Return the stated lengths, the shortest first, each with its bounds, (n,) [s], [N m].

        Args:
            n: Number of joints.
            name: "torque_mean" or "torque_hat".

        Raises:
            InputError: The bounds were given for another number of joints.
        """
        stated = getattr(self, f"{name}_window")
        if not stated:
            return ()
        bounds = np.reshape(getattr(self, name), (len(stated), -1))
        if bounds.shape[1] not in (1, n):
            raise InputError(
                f"Uncertainty '{name}' has {bounds.shape[1]} bounds for each length; give "
                f"one, or {n} (one for each joint)."
            )
        wide = np.broadcast_to(bounds, (len(stated), n)).astype(float)
        return tuple(sorted(zip(stated, wide, strict=True), key=lambda x: x[0]))

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists; `Uncertainty.from_dict` reads them back."""
        return dict(plain(self))

    @classmethod
    def from_dict(cls, entries: dict[str, Any]) -> Uncertainty:
        """Build from plain numbers, as a robot file or a saved result holds them."""
        values = known_entries(entries, cls, "uncertainty")
        if "prior" in values:
            values["prior"] = PayloadPrior.from_dict(values["prior"])
        return cls(**values)


def _plain(name: str, kind: str, value: object) -> float | tuple[float, ...]:
    """Return one bound as a number or numbers.

    Args:
        name: Of the bound.
        kind: Its annotation: "float", "PerJoint", or a tuple of numbers.
        value: What was given.

    Raises:
        InputError: It is no number, is negative or too large, or too many numbers.
    """
    words = f"Uncertainty '{name}'"
    numbers = real_numbers(value, words)
    if name in LISTS:
        numbers = np.ravel(numbers)
    wanted = {"float": (0,), "PerJoint": (0, 1)}.get(kind, (1,))
    if numbers.ndim not in wanted or (numbers.size == 0 and kind == "PerJoint"):
        what = {"float": "one number", "PerJoint": "one number, or one for each joint"}
        raise InputError(f"{words} takes {what.get(kind, 'a list of numbers')}; found {value!r}.")
    if not (numbers <= LARGEST).all() or (numbers < 0).any():
        raise InputError(
            f"{words} must be finite and not negative, at most {LARGEST:g}; found {value!r}."
        )
    return tuple(numbers.tolist()) if numbers.ndim else float(numbers)
