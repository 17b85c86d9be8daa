"""Readings of a mocobot's joints, and what they say of its wrist [ZLEFL, Sec. IV-B]."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..arrays import Array, one_number, real_numbers
from ..errors import InputError
from .delta import Delta
from .gimbal import Gimbal
from .own_load import MechanismMasses, own_torque

DOWN = (0.0, 0.0, -9.80665)  # gravity in the axes of a level base [m/s2]


@dataclass(frozen=True)
class Mechanism:
    """A delta mechanism with series springs, and the gimbal on its platform.

    Attributes:
        delta: Geometry of the delta mechanism.
        gimbal: Its gimbal, whose centre is the platform's point p.
        masses: Of its parts.
        gravity: In the base's axes, three numbers [m/s2].
        spring: Stiffness of the series springs [N m/rad]; NaN: the drivers' efforts say the torque.
    """

    delta: Delta = field(default_factory=Delta)
    gimbal: Gimbal = field(default_factory=Gimbal)
    masses: MechanismMasses = field(default_factory=MechanismMasses)
    gravity: tuple[float, float, float] = DOWN
    spring: float = np.nan

    def __post_init__(self) -> None:
        if not (np.isnan(one_number(self.spring, "spring")) or 0.0 < self.spring < np.inf):
            raise InputError(f"spring must be above 0 N m/rad; found {self.spring!r}.")


@dataclass(frozen=True)
class JointReadings:
    """What the encoders and springs of one robot said at M instants.

    Attributes:
        stamp: The robot's own clock, shape (M,) [s].
        before: Angles of the motors' sides of the springs, shape (M, 3) [rad].
        theta: Angles of the lower legs, behind the springs, shape (M, 3) [rad].
        gimbal: Angles about the gimbal's axes x, y, z, shape (M, 3) [rad].
        tau: Torques of the springs on the lower legs, shape (M, 3) [N m].
    """

    stamp: Array
    before: Array
    theta: Array
    gimbal: Array
    tau: Array

    def __post_init__(self) -> None:
        m = np.shape(self.stamp)
        for name in ("stamp", "before", "theta", "gimbal", "tau"):
            array = real_numbers(getattr(self, name), name)
            if array.shape != (m if name == "stamp" else (*m, 3)):
                raise InputError(f"{name} has shape {array.shape}; {len(m) and m[0]} readings.")
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return len(self.stamp)


def spring_torque(mechanism: Mechanism, readings: JointReadings) -> Array:
    """Return the torques on the lower legs, shape (M, 3) [N m].

    k (before - theta) where k is known, as the drivers say otherwise.
    """
    if np.isnan(mechanism.spring):
        return readings.tau
    return np.asarray(mechanism.spring * (readings.before - readings.theta))


def wrist_force(
    mechanism: Mechanism,
    theta: Array,
    tau: Array,
    rotation: Array,
    dtheta: Array | None = None,
    ddtheta: Array | None = None,
) -> Array:
    """Return the force that the robot exerts on the payload, in the grasp frame, shape (M, 3) [N].

    f_i = g(phi)' (dh/dtheta)^-T (tau - tau_own): friction counts as part of it.

    Args:
        mechanism: The robot's.
        theta: Angles of the lower legs, shape (M, 3) [rad].
        tau: Torques of the springs, shape (M, 3) [N m].
        rotation: g(phi), shape (M, 3, 3).
        dtheta: Velocities of the lower legs [rad/s]; None: at rest.
        ddtheta: Their accelerations [rad/s2]; None: none.
    """
    still = np.zeros_like(theta)
    own = own_torque(
        mechanism.delta,
        mechanism.masses,
        theta,
        still if dtheta is None else dtheta,
        still if ddtheta is None else ddtheta,
        np.array(mechanism.gravity),
    )
    force = mechanism.delta.force(theta, tau - own)
    return np.asarray(np.einsum("...ji,...j->...i", rotation, force))
