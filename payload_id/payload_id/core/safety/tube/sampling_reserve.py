"""What a robust input needs beyond the disturbance because it is held for a period.

Between two steps, s after the first, with the input v held and D = diag(rotor) <= M,

    dV/dt <= |r|' (w + delta) - r' v + s phi,   phi = sum_j f_j^2 / rotor_j,
    f_j = 2 w_j + largest_j + 2 delta_j:

delta bounds the change of torque and disturbance, and |C r|; `largest` bounds the reserve itself.
A period adds at most T sigma, sigma = T phi / 2. The reserve

    delta_j + sigma sqrt(upper_j / (2 V_c)),   upper_j >= M_jj,

outweighs both wherever V >= V_c, since r' M r <= (sum_j |r_j| sqrt(M_jj))^2. docs/safety.md has the
proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array


@dataclass(frozen=True, eq=False)
class SamplingReserve:
    """The reserve as a function of the disturbance.

    Attributes:
        disturbance: Largest |w_j| that V_c is made for, shape (n,) [N m or N].
        change: delta, shape (n,) [N m or N].
        largest: Largest reserve, shape (n,) [N m or N].
        rotor: Smallest reflected rotor inertia, shape (n,) [kg m2 or kg].
        upper: Upper bounds of M_jj, shape (n,) [kg m2 or kg].
        full_level: V_c [J].
        period: T [s].
    """

    disturbance: Array
    change: Array
    largest: Array
    rotor: Array
    upper: Array
    full_level: float
    period: float

    @classmethod
    def from_dict(cls, entries: dict[str, Any]) -> SamplingReserve:
        """Build from plain numbers and lists."""
        arrays = {k: np.asarray(v, dtype=float) for k, v in entries.items() if isinstance(v, list)}
        level, period = float(entries["full_level"]), float(entries["period"])
        names = ("disturbance", "change", "largest", "rotor", "upper")
        w, change, largest, rotor, upper = (arrays[name] for name in names)
        return cls(w, change, largest, rotor, upper, level, period)

    def holds(self, disturbance: Array) -> Array:
        """Tell for which disturbances of shape (..., n) V_c is made, shape (...)."""
        return np.asarray((disturbance <= self.disturbance).all(axis=-1))

    def rise(self, disturbance: Array) -> Array:
        """Return sigma for disturbances of shape (..., n), shape (...) [W]."""
        f = 2.0 * disturbance + self.largest + 2.0 * self.change
        return np.asarray(0.5 * self.period * np.sum(f**2 / self.rotor, axis=-1))

    @property
    def fastest(self) -> Array:
        """Return bounds of |dr_j/dt| in the tube, shape (n,): |D^(1/2) dr/dt| <= sqrt(phi)."""
        return np.sqrt(2.0 * self.rise(self.disturbance) / self.period / self.rotor)

    def __call__(self, disturbance: Array) -> Array:
        """Return the reserve for disturbances of shape (..., n), same shape [N m or N]."""
        share = np.sqrt(self.upper / (2.0 * self.full_level))
        return np.asarray(self.change + self.rise(disturbance)[..., np.newaxis] * share)
