"""How far the arm may be from its desired motion: the tube that every certificate rests on.

With e = q_d - q, gains K_r and r = de + K_r e, passivity-based controllers command torques along
dq_a = dq_d + K_r e and ddq_a = ddq_d + K_r de; docs/proofs.md derives the bounds below from

    V = 1/2 r' M(q) r <= V_M,   M(q) >= diag(inertia).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...codec import InJson
from ...errors import InputError
from .robust_assumptions import robust_assumptions
from .sampling_reserve import SamplingReserve

EXACT = "exact"
POSITION_CONTROLLED = "position_controlled"
ROBUST = "robust"
ROUNDING = 1.0 - 1e-12


@dataclass(frozen=True, eq=False)
class TrackingTube(InJson):
    """Bounds on the tracking error of n joints, at every instant of a motion.

    Attributes:
        position: |q - q_d|, shape (n,) [rad or m].
        velocity: |dq - dq_d|, shape (n,) [rad/s or m/s].
        reference_velocity: |dq_a - dq_d|, shape (n,) [rad/s or m/s].
        reference_acceleration: |ddq_a - ddq_d|, shape (n,) [rad/s2 or m/s2].
        kind: "exact", "position_controlled" or "robust".
        assumptions: What must be true for these bounds, one sentence each; see `rests_on`.
        reserve: Constants of the robust design, which a certificate proves; None: no design, the
            controller acts without steps and the tube is stated.
    """

    position: Array
    velocity: Array
    reference_velocity: Array
    reference_acceleration: Array
    kind: str
    assumptions: tuple[str, ...]
    reserve: SamplingReserve | None = None

    def __post_init__(self) -> None:
        n = np.size(self.position)
        names = ("position", "velocity", "reference_velocity", "reference_acceleration")
        for name in names:
            object.__setattr__(self, name, _bounds(name, getattr(self, name), n))
        if self.kind not in (EXACT, POSITION_CONTROLLED, ROBUST):
            raise InputError(
                f"A tube is '{EXACT}', '{POSITION_CONTROLLED}' or '{ROBUST}'; found {self.kind!r}."
            )
        if self.reserve is not None:
            self._check_design(self.reserve)

    def _check_design(self, design: SamplingReserve) -> None:
        """Raise unless the widths are those that follow from |r| <= rho, gains and V_M."""
        if self.kind != ROBUST or len(design.inertia) != self.n:
            raise InputError(
                f"A tube of kind '{self.kind}' and of {self.n} joints cannot have a robust design "
                f"of {len(design.inertia)} joints."
            )
        r, K = self.reference_velocity, self.gain
        least = design.reach + design.velocity_error + K * design.position_error
        narrow = (r < least * ROUNDING) | (self.velocity < 2.0 * r * ROUNDING)
        narrow |= (K * self.position < r * ROUNDING) | (K <= 0.0)
        if narrow.any():
            raise InputError(
                "The tube of a robust design is at least rho / K, 2 rho, rho and 2 K rho wide, "
                "rho = sqrt(2 V_M / d) and what r is measured wrong by; found "
                f"{[self.position.tolist(), self.velocity.tolist(), r.tolist()]}."
            )

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.position)

    @property
    def gain(self) -> Array:
        """K_r of a robust controller, shape (n,) [1/s]; 0 where its tube is not a tube."""
        rho = self.reference_velocity
        return np.divide(self.reference_acceleration, 2.0 * rho, out=0.0 * rho, where=rho > 0)

    @property
    def design(self) -> SamplingReserve:
        """Constants of the robust design.

        Raises:
            InputError: The tube is not that of one.
        """
        if self.kind != ROBUST or self.reserve is None:
            without = ", without a design" if self.kind == ROBUST else ""
            raise InputError(
                f"Torques keep only the tube of a robust design, kind '{ROBUST}'; this one is of "
                f"kind '{self.kind}'{without}. Certify the motion for the robust controller, or "
                "move it with another back_end."
            )
        return self.reserve

    @property
    def rests_on(self) -> tuple[str, ...]:
        """What must be true for these bounds: the assumptions, and those of a robust controller."""
        if self.kind != ROBUST:
            return self.assumptions
        own = robust_assumptions(self.gain, self.reference_velocity, self.reserve)
        return (*self.assumptions, *own)

    def feedback_torque(self, disturbance: Array) -> Array:
        """Return a bound of |v_j|, what the controller adds to RNEA(theta_0; q, dq, dq_a, ddq_a).

        The robust input never exceeds the disturbance that it outweighs and what torques change
        before it does, joint by joint. An exact or position-controlled arm takes the torque that
        its real motion needs, and no more. Infinite where the disturbance is above what the
        controller is designed for.

        Args:
            disturbance: Bounds of |w_j| over slices, shape (K, n) [N m or N].

        Returns:
            bound: Shape (K, n) [N m or N].
        """
        if self.kind != ROBUST:
            return np.zeros_like(disturbance)
        if self.reserve is None:
            return np.array(disturbance)
        bound = disturbance + self.reserve.change
        return np.where(self.reserve.holds(disturbance)[..., np.newaxis], bound, np.inf)

    def contains(self, e: Array, de: Array) -> bool:
        """Tell whether tracking errors, each of shape (..., n), are within the tube."""
        inside = (np.abs(e) <= self.position) & (np.abs(de) <= self.velocity)
        return bool(inside.all())

    @classmethod
    def exact(cls, n: int) -> TrackingTube:
        """Return the tube of an arm that is where it shall be."""
        zero = np.zeros(n)
        return cls(zero, zero, zero, zero, EXACT, ("The arm follows the desired motion exactly.",))

    @classmethod
    def position_controlled(
        cls, position: Array, velocity: Array, acceleration: Array
    ) -> TrackingTube:
        """Return the stated tube of an arm under its own position controller.

        Args:
            position: Largest |q - q_d|, shape (n,) [rad or m].
            velocity: Largest |dq - dq_d|, shape (n,) [rad/s or m/s].
            acceleration: Largest |ddq - ddq_d|, shape (n,) [rad/s2 or m/s2].
        """
        stated = (
            "The arm's own controller keeps the stated tracking errors of position, velocity and "
            "acceleration; position and velocity are watched while it moves."
        )
        return cls(position, velocity, velocity, acceleration, POSITION_CONTROLLED, (stated,))

    @classmethod
    def passivity_based(
        cls,
        level: float,
        gain: Array,
        inertia: Array,
        assumptions: Sequence[str] = (),
        reserve: SamplingReserve | None = None,
        error: Array | float = 0.0,
    ) -> TrackingTube:
        """Return the tube of 1/2 r' M r <= V_M; what is measured stays in it, too.

        Args:
            level: V_M [J].
            gain: K_r, shape (n,) [1/s].
            inertia: Numbers d with M(q; theta) >= diag(d) for every pose and theta, or with
                1 / (M^-1)_jj >= d_j, shape (n,) [kg m2 or kg].
            assumptions: What the level and the inertia rest on, beside what `rests_on` says.
            reserve: Constants of the robust design; None: the tube is stated.
            error: What r is measured wrong by without a design, shape (n,) [rad/s or m/s].
        """
        K, d = np.asarray(gain, dtype=float), np.asarray(inertia, dtype=float)
        known = np.isfinite(level) and np.isfinite(K).all() and np.isfinite(d).all()
        if not (known and level > 0 and (K > 0).all() and (d > 0).all()):
            raise InputError(
                "The tube of a passivity-based controller needs a level, gains and inertias above "
                f"0; found {level!r}, {K.tolist()} and {d.tolist()}. An arm whose smallest inertia "
                "is not known has no such tube: give its rotor inertia, or state a tube."
            )
        if reserve is not None:
            error = reserve.velocity_error + K * reserve.position_error
        r = np.sqrt(2.0 * level / d) + error  # |r_j| <= sqrt(2 V_M (M^-1)_jj)
        return cls(r / K, 2.0 * r, r, 2.0 * K * r, ROBUST, tuple(assumptions), reserve)


def _bounds(name: str, value: Array, n: int) -> Array:
    """Return n finite numbers, none negative."""
    array = np.array(value, dtype=float)
    if array.shape != (n,) or not np.isfinite(array).all() or (array < 0).any():
        raise InputError(
            f"The tube's '{name}' needs {n} finite numbers, none negative; found {value!r}."
        )
    array.setflags(write=False)
    return array
