"""What is assumed about sensors, links and payload: every interval is a consequence of these."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np

from ...arm.per_joint import PerJoint
from ...arrays import Array
from ...body.payload_prior import PayloadPrior
from ...errors import InputError


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
        friction_coulomb: Largest Coulomb friction that the measured torque contains
            [N m or N]. Per joint.
        friction_viscous: Largest viscous friction coefficient [N m s/rad or N s/m]. Per joint.
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
        prior: Box that holds the payload before any data.
    """

    torque_relative: PerJoint = 0.0
    torque_absolute: PerJoint = 0.0
    torque_gain: PerJoint = 0.0
    torque_offset: PerJoint = 0.0
    link_relative: float = 0.0
    friction_coulomb: PerJoint = 0.0
    friction_viscous: PerJoint = 0.0
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
    prior: PayloadPrior = field(default_factory=PayloadPrior)

    def __post_init__(self) -> None:
        for entry in fields(self):
            if entry.name == "prior":
                continue
            value = getattr(self, entry.name)
            if isinstance(value, (list, np.ndarray)):
                value = tuple(float(x) for x in value)
                object.__setattr__(self, entry.name, value)
            numbers = np.asarray(value, dtype=float)
            if not np.isfinite(numbers).all() or (numbers < 0).any():
                raise InputError(
                    f"Uncertainty '{entry.name}' must be finite and not negative; found {value!r}."
                )
        if len(self.tool) not in (0, 10):
            raise InputError(
                "Uncertainty 'tool' takes ten bounds in the order of phi, or none; found "
                f"{len(self.tool)}."
            )
        for name in ("torque_relative", "torque_gain", "link_relative", "coverage"):
            if np.max(getattr(self, name)) >= 1.0:
                raise InputError(
                    f"Uncertainty '{name}' is a fraction and must be below 1; "
                    f"found {getattr(self, name)!r}. (2.5 % is written 0.025.)"
                )

    def per_joint(self, name: str, n: int) -> Array:
        """Return one bound for each of n joints, shape (n,).

        Raises:
            InputError: The bound was given for another number of joints.
        """
        value = np.asarray(getattr(self, name), dtype=float)
        if value.ndim == 1 and len(value) != n:
            raise InputError(
                f"Uncertainty '{name}' has {len(value)} entries; give one number, or {n} (one for "
                "each joint)."
            )
        return np.broadcast_to(value, (n,)).astype(float)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists; `Uncertainty.from_dict` reads them back."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}

    @classmethod
    def from_dict(cls, entries: dict[str, Any]) -> Uncertainty:
        """Build from plain numbers, as a robot file or a saved result holds them."""
        values = dict(entries)
        if "prior" in values:
            values["prior"] = PayloadPrior(**values["prior"])
        return cls(**values)
