r"""How large an error of one kind the rows leave room for, with the mass in its interval or not.

Rows with one more column c, s the size of the error in its unit,

    A phi + B u + c s = b + w,    |w| <= d,

allow, whatever phi and u are, sizes up to S; and sizes up to S* with the mass in the interval that
was found without the column. Beyond S the rows contradict each other: the error is noticed. From
S* to S it is not, and the interval is false for certain. Both are linear programs; rows and cuts
that are left out of them make S and S* larger, never smaller.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ...arrays import Array
from ...bounds import Interval
from ...bounds.coefficient_error import with_linear_bounds
from ...bounds.cutting_planes import ConsistencyCuts, HardRows, first_rows, minimise
from ...bounds.least_squares_image import image
from ...bounds.linear_program import LinearProgram
from ...bounds.scaled_rows import ScaledRows
from ...errors import SolverError
from ...rows.joint_torque.momentum import MomentumRows, WindowTerms
from ...rows.row_block import RowBlock
from ...samples.joint_samples import Samples

MOST_WINDOWS = 80  # that are looked at: fewer leave more room, and what is said stays true


@dataclass(frozen=True)
class Active:
    """What held an optimum.

    Attributes:
        rows: Numbers of rows.
        directions: Of cuts, shape (K, 4).
    """

    rows: tuple[int, ...] = ()
    directions: Array = field(default_factory=lambda: np.zeros((0, 4)))


@dataclass(frozen=True)
class Ground:
    """What an estimate stands on.

    Attributes:
        source: Made the rows.
        windows: Samples of each window.
        terms: Equations of each window.
        rows: Rows of a tare, then those of the windows, m in all.
        tare: Number of rows of a tare.
        known: Bounds on phi before any data.
        shape: Rows c with c phi >= 0, shape (K, 10).
        phi: Point estimate, shape (10,).
        mass: Interval of the mass that was found, ends [kg].
    """

    source: MomentumRows
    windows: tuple[Samples, ...]
    terms: tuple[WindowTerms, ...]
    rows: RowBlock
    tare: int
    known: Interval
    shape: Array
    phi: Array
    mass: tuple[float, float]

    @classmethod
    def of(
        cls,
        source: MomentumRows,
        windows: tuple[Samples, ...],
        tare: RowBlock,
        known: Interval,
        shape: Array,
        phi: Array,
        mass: tuple[float, float],
    ) -> Ground:
        """Make the rows of some of the windows, evenly chosen."""
        some = np.linspace(0, len(windows) - 1, min(len(windows), MOST_WINDOWS)).astype(int)
        windows = tuple(windows[k] for k in some)
        terms = tuple(source.terms(window) for window in windows)
        rows = RowBlock.stack([tare, *(source.rows(term) for term in terms)])
        return cls(source, windows, terms, rows, len(tare), known, shape, phi, mass)

    @cached_property
    def seen(self) -> dict[tuple[float, bool], Active]:
        """What was active in the newest program of each kind: the next one begins with it."""
        return {}

    def column(self, own: Array) -> Array:
        """Return a column of all rows of one for those of the windows: none in a tare."""
        return np.concatenate([np.zeros(self.tare), own])

    def room(self, column: Array, largest: float) -> Room:
        """Return what room the rows leave for the error of a column.

        Args:
            column: c, shape (m,).
            largest: Size up to which is looked.
        """
        rows = replace(self.rows, B=np.hstack([self.rows.B, largest * column[:, None]]))
        inside = image(rows, self.known).intersect(self.known)
        rows = with_linear_bounds(rows, inside)
        return Room(ScaledRows.of(rows, inside, rows.d, narrow=False), self, largest)


@dataclass(frozen=True)
class Room:
    """What room rows leave for an error of one kind, found when it is asked for.

    Attributes:
        scaled: The rows with its column last, its value in [-1, 1].
        ground: What they are of.
        largest: Size up to which is looked.
    """

    scaled: ScaledRows
    ground: Ground
    largest: float

    @cached_property
    def kept(self) -> tuple[float, float]:
        """Least and largest size with the mass in its interval."""
        return self._end(-1.0, self.ground.mass), self._end(1.0, self.ground.mass)

    @cached_property
    def every(self) -> tuple[float, float]:
        """Least and largest size at all."""
        return self.least, self.most

    @cached_property
    def least(self) -> float:
        """Least size at all."""
        return self._end(-1.0, None)

    @cached_property
    def most(self) -> float:
        """Largest size at all."""
        return self._end(1.0, None)

    def _end(self, sign: float, mass: tuple[float, float] | None) -> float:
        """Return an end of the sizes, with the mass in an interval or anywhere."""
        return sign * self.largest * self._most(sign, mass)

    def _most(self, sign: float, mass: tuple[float, float] | None) -> float:
        """Return the largest value of the last column, or of minus it, in [0, 1]."""
        scaled = self.scaled
        lower, upper = scaled.lower.copy(), scaled.upper.copy()
        if mass is not None:
            ends = (np.array(mass) - scaled.centre[0]) / scaled.scale[0]
            lower[0], upper[0] = max(lower[0], ends[0]), min(upper[0], ends[1])
        kind = sign, mass is None
        seen = self.ground.seen.get(kind, Active())
        program = LinearProgram(lower, upper)
        rows = HardRows(program, scaled, first_rows(scaled, seen.rows))
        cuts = ConsistencyCuts(program, scaled, seen.directions, self.ground.shape)
        cost = np.zeros(len(lower))
        cost[-1] = -sign
        try:
            solution = minimise(program, (rows, cuts), cost)
        except SolverError:
            return 1.0
        if solution is None:
            return 1.0
        active = np.flatnonzero(rows.multiplier(solution.dual))
        used = cuts.used(cuts.multiplier(solution.dual))
        self.ground.seen[kind] = Active(tuple(active.tolist()), used)
        return float(np.clip(-solution.value, 0.0, 1.0))
