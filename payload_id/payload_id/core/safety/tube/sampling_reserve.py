"""The constants of a robust design: torques act late, are held, and follow measured states.

With p = M r and the torque made from a state that is at most T old,

    |dp_j/dt| <= f_j = 2 (w_j + delta_j),      v_j = (w_j + delta_j) clip(p0_j / layer_j),

w the disturbance, delta what torques change from that measured state until now and |C' r|, p0 the
momentum that the controller computes, |p - p0| <= mismatch. Where |p_j| would leave pi_j, p0_j has
been beyond the layer for all of T if

    pi_j >= T f_j + mismatch_j + layer_j,

so that v_j outweighs all else, and |p_j| falls. r' M r <= sum_j pi_j^2 / rotor_j = 2 V_M then.
docs/proofs.md has the proof; `torque/design_margins.py` proves the constants for a motion.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ...arm.per_joint import PerJoint
from ...arrays import Array
from ...errors import InputError

NUMBERS = ("level", "period")
POSITIVE = (*NUMBERS, "momentum", "rotor", "inertia")
# The layer's least width: in it v pulls p back no faster than to 0 within the age of its state.
LAYER = 0.5  # part of T f


@dataclass(frozen=True)
class Sampling:
    """How late torques follow the state, and how wrong it is.

    Attributes:
        period: T, largest age of the state that a torque is made from, while it acts [s].
        position_error: Of measured positions, one number or shape (n,) [rad or m].
        velocity_error: Of measured velocities, likewise [rad/s or m/s].
    """

    period: float
    position_error: PerJoint | Array = 0.0
    velocity_error: PerJoint | Array = 0.0


def fastest(force: Array, rotor: Array) -> Array:
    """Return bounds of |dr_j/dt| for |M dr/dt| <= force, M >= D = diag(rotor), shape (n,).

    |D^(1/2) dr/dt| <= |D^(-1/2) force|.
    """
    return np.asarray(np.linalg.norm(force / np.sqrt(rotor)) / np.sqrt(rotor))


def least_momentum(period: float, disturbance: Array, change: Array, mismatch: Array) -> Array:
    """Return the least pi, shape (n,) [N m s or N s]."""
    return np.asarray((1.0 + LAYER) * period * 2.0 * (disturbance + change) + mismatch)


@dataclass(frozen=True, eq=False)
class SamplingReserve:
    """The constants of a robust design.

    Attributes:
        disturbance: Largest |w_j|, shape (n,) [N m or N].
        change: delta, shape (n,) [N m or N].
        mismatch: Largest |p_j - p0_j|, shape (n,) [N m s or N s].
        momentum: pi, shape (n,) [N m s or N s].
        rotor: Smallest reflected rotor inertia, shape (n,) [kg m2 or kg].
        inertia: d with r' M r >= d_j r_j^2, shape (n,) [kg m2 or kg].
        position_error: Of measured positions, shape (n,) [rad or m].
        velocity_error: Of measured velocities, shape (n,) [rad/s or m/s].
        level: V_M [J].
        period: T, largest age of the state that a torque is made from, while it acts [s].
    """

    disturbance: Array
    change: Array
    mismatch: Array
    momentum: Array
    rotor: Array
    inertia: Array
    position_error: Array
    velocity_error: Array
    level: float
    period: float

    def __post_init__(self) -> None:
        n = np.size(self.disturbance)
        for entry in fields(self):
            value = np.array(getattr(self, entry.name), dtype=float)
            shape = () if entry.name in NUMBERS else (n,)
            positive = value > 0 if entry.name in POSITIVE else value >= 0
            if value.shape != shape or not (np.isfinite(value) & positive).all():
                least = "above 0" if entry.name in POSITIVE else "none negative"
                raise InputError(
                    f"The robust design's '{entry.name}' needs finite numbers of shape {shape}, "
                    f"{least}; found {value.tolist()}."
                )
            object.__setattr__(self, entry.name, value if shape else float(value))

    def holds(self, disturbance: Array) -> Array:
        """Tell for which disturbances of shape (..., n) the design is made, shape (...)."""
        return np.asarray((disturbance <= self.disturbance).all(axis=-1))

    @property
    def force(self) -> Array:
        """Return f, bounds of |dp_j/dt|, shape (n,) [N m or N]."""
        return np.asarray(2.0 * (self.disturbance + self.change))

    @property
    def layer(self) -> Array:
        """Return what pi leaves for the input to grow in, shape (n,) [N m s or N s]."""
        return np.asarray(self.momentum - self.period * self.force - self.mismatch)

    @property
    def needed_momentum(self) -> Array:
        """Return the least pi, shape (n,) [N m s or N s]."""
        return least_momentum(self.period, self.disturbance, self.change, self.mismatch)

    @property
    def needed_level(self) -> float:
        """V_M of these pi [J]: M >= diag(rotor)."""
        return 0.5 * float(np.sum(self.momentum**2 / self.rotor))

    @property
    def reach(self) -> Array:
        """Return rho, the largest |r_j| for V <= V_M, shape (n,)."""
        return np.asarray(np.sqrt(2.0 * self.level / self.inertia))

    @property
    def start(self) -> Array:
        """Return the largest |p0_j| with which a motion may start, shape (n,) [N m s or N s]."""
        return np.asarray(self.momentum - self.mismatch)

    @property
    def fastest(self) -> Array:
        """Return bounds of |dr_j/dt| in the tube, shape (n,)."""
        return fastest(self.force, self.rotor)
