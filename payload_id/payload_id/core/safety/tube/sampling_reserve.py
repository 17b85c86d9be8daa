"""What a robust input needs beyond the disturbance because it is held for a period.

Between two steps, s after the first, with the input v held and D = diag(rotor) <= M,

    dV/dt <= |r|' (w + delta) - r' v + s phi,   phi = sum_j f_j^2 / rotor_j,
    f_j = 2 w_j + largest_j + 2 delta_j:

delta bounds the change of torque and disturbance, and |C r|; `largest` bounds the reserve itself.
A period adds at most T sigma, sigma = T phi / 2. The reserve

    delta_j + sigma sqrt(upper_j / (2 V_c)),   upper_j >= M_jj,

outweighs both wherever V >= V_c, since r' M r <= (sum_j |r_j| sqrt(M_jj))^2. docs/proofs.md has the
proof, which asks for more than these formulas: `torque/design_margins.py` proves it for a motion.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ...arrays import Array
from ...errors import InputError

NUMBERS = ("level", "full_level", "rate", "period")
POSITIVE = (*NUMBERS, "rotor", "inertia", "upper")


@dataclass(frozen=True, eq=False)
class SamplingReserve:
    """The constants of a robust design, and the reserve as a function of the disturbance.

    Attributes:
        disturbance: Largest |w_j| that V_c is made for, shape (n,) [N m or N].
        change: delta, shape (n,) [N m or N].
        largest: Largest reserve, shape (n,) [N m or N].
        rotor: Smallest reflected rotor inertia, shape (n,) [kg m2 or kg].
        inertia: d with r' M r >= d_j r_j^2, shape (n,) [kg m2 or kg].
        upper: Upper bounds of M_jj, shape (n,) [kg m2 or kg].
        start: Largest |r_j| at the start of a motion, shape (n,) [rad/s or m/s].
        level: V_M [J].
        full_level: V_c [J].
        rate: alpha [1/s].
        period: T [s].
    """

    disturbance: Array
    change: Array
    largest: Array
    rotor: Array
    inertia: Array
    upper: Array
    start: Array
    level: float
    full_level: float
    rate: float
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
        if self.full_level > self.level or self.rate * self.period > 1.0:
            raise InputError(
                "The robust design needs V_c of at most V_M and rate * period of at most 1; found "
                f"{self.full_level:g} and {self.level:g} J, {self.rate:g} 1/s, {self.period:g} s."
            )

    def holds(self, disturbance: Array) -> Array:
        """Tell for which disturbances of shape (..., n) V_c is made, shape (...)."""
        return np.asarray((disturbance <= self.disturbance).all(axis=-1))

    def rise(self, disturbance: Array) -> Array:
        """Return sigma for disturbances of shape (..., n), shape (...) [W]."""
        f = 2.0 * disturbance + self.largest + 2.0 * self.change
        return np.asarray(0.5 * self.period * np.sum(f**2 / self.rotor, axis=-1))

    @property
    def reach(self) -> Array:
        """Return rho, the largest |r_j| for V <= V_M, shape (n,)."""
        return np.asarray(np.sqrt(2.0 * self.level / self.inertia))

    @property
    def start_energy(self) -> float:
        """Largest V of a motion's start [J]: M - D >= 0, and (M - D)_jj <= M_jj - D_jj."""
        own = self.rotor @ self.start**2
        shared = np.sqrt(np.maximum(self.upper - self.rotor, 0.0)) @ self.start
        return 0.5 * float(own + shared**2)

    @property
    def needed_level(self) -> float:
        """V_c + sigma / alpha, which V does not exceed if it starts below [J]."""
        return self.full_level + float(self.rise(self.disturbance)) / self.rate

    @property
    def fastest(self) -> Array:
        """Return bounds of |dr_j/dt| in the tube, shape (n,): |D^(1/2) dr/dt| <= sqrt(phi)."""
        return np.sqrt(2.0 * self.rise(self.disturbance) / self.period / self.rotor)

    def __call__(self, disturbance: Array) -> Array:
        """Return the reserve for disturbances of shape (..., n), same shape [N m or N]."""
        share = np.sqrt(self.upper / (2.0 * self.full_level))
        return np.asarray(self.change + self.rise(disturbance)[..., np.newaxis] * share)
