"""What earlier runs have taught about an arm: a box of its parameters psi, and the rows behind it.

The box alone forgets that, say, a link that is heavier goes with a sensor whose gain is lower. Both
contain the truth whenever the bounds stated for those runs held and psi has not changed since. The
room `calibration` finds them; `rows.joint_torque.calibrated` says what they mean for later rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from ..codec import Identified
from .effort_scale import Scales


@dataclass(frozen=True)
class ArmEquations:
    """Rows |C psi - t| <= d.

    Attributes:
        C: Coefficients of psi, shape (m, 15 n + 10).
        t: Integral of the torque less what a known payload needs, shape (m,) [N m s].
        d: Bound on what the rows leave out, shape (m,) [N m s], positive.
        joint: Joint of each row, shape (m,).
        start: Time at which each row's data begin, shape (m,) [s].
        end: Time at which they end, shape (m,) [s].
    """

    C: Array
    t: Array
    d: Array
    joint: IntArray
    start: Array
    end: Array

    def __len__(self) -> int:
        return len(self.t)

    @property
    def duration(self) -> Array:
        """Length of each row's window, shape (m,) [s]."""
        return self.end - self.start

    def take(self, rows: BoolArray | IntArray) -> ArmEquations:
        """Return some of the rows."""
        return ArmEquations(*(getattr(self, entry.name)[rows] for entry in fields(self)))

    @classmethod
    def stack(cls, parts: Sequence[ArmEquations]) -> ArmEquations:
        """Put equations of the same arm under each other; at least one."""
        return cls(*(np.concatenate([getattr(x, e.name) for x in parts]) for e in fields(cls)))

    def residual(self, psi: Array) -> Array:
        """Return what psi leaves unexplained as mean torques over the windows, (m,) [N m]."""
        return np.asarray((self.t - self.C @ psi) / self.duration)


@dataclass(frozen=True, eq=False)
class Calibration(Identified):
    """The box of psi of one arm, and the rows behind it.

    Attributes:
        digest: `ArmModel.digest` of the arm, tool included.
        joints: Names of its joints.
        lower: Smallest value of each candidate; -inf where nothing is kept, shape (15 n + 10,).
        upper: Largest value; inf where nothing is kept, shape (15 n + 10,).
        estimate: Point estimate of each candidate, shape (15 n + 10,).
        uncertainty: What was assumed, `Uncertainty.to_dict()`.
        equations: Rows that matter.
        factors: R factor of all weighted rows [C t] of each joint, and one more of the rows of runs
            of which only the mass was known, all joints together, what was not known estimated
            along; shape (n or n + 1, 15 n + 11, 15 n + 11).
        counts: Number of rows that each of them stands for, shape (n or n + 1,).
        effort: How efforts became torques.
        about: What else the user should know: recordings, version, residuals.
    """

    digest: str
    joints: tuple[str, ...]
    lower: Array
    upper: Array
    estimate: Array
    uncertainty: Mapping[str, Any]
    equations: ArmEquations
    factors: Array
    counts: Array
    effort: Scales = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.joints)
