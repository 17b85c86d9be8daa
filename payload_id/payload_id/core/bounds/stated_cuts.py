r"""What is stated of the payload as linear inequalities that hold whatever a solver did.

Where s = F phi + H zeta + g lies in a cone K, y's >= 0 for every y of the dual cone, which for
every cone used here but {0} is K itself:

    (y'F) phi + (y'H) zeta + y'g >= 0.

The y of rows are known beforehand, those of other cones are read off from the point that breaks
them: (1, -w/|w|) for |w| > t, v v' for an eigenvector v of a negative eigenvalue. y is made so
that it lies in the dual cone in floating point, too; what the sums y'F, y'H and y'g are rounded
by, at most, is added to the right-hand side. The auxiliary zeta are the last columns of B.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Array
from ..conic import matrix, triangle
from ..knowledge.knowledge import Knowledge, Stacked
from ..rows.row_block import RowBlock
from .linear_program import LinearProgram
from .scaled_rows import ScaledRows
from .verified import UNIT, Cuts

CUT_TOLERANCE = 1e-6  # by which a cut may be broken where each |x| is of order 1
FAR = 1e15  # beyond what any x can reach, and less than what the solver takes for infinite
LEAST = 1e-250  # coefficient that is told from zero


def widened(rows: RowBlock, stated: Knowledge) -> RowBlock:
    """Return rows with a column of zeros for each auxiliary variable of what is stated."""
    if not stated.q:
        return rows
    return replace(rows, B=np.hstack([rows.B, np.zeros((len(rows), stated.q))]))


def row_duals(stacked: Stacked) -> list[Array]:
    """Return y of every row that is zero (two of them) or not negative, each (N,)."""
    found = []
    for kind, rows in stacked.cones:
        if kind not in ("zero", "nonnegative"):
            continue
        for k in range(rows.start, rows.stop):
            y = np.zeros(len(stacked.g))
            y[k] = 1.0
            found += [y, -y] if kind == "zero" else [y]
    return found


def first_duals(stacked: Stacked) -> list[Array]:
    """Return y to begin with for every other cone: its axis, or the diagonal, each (N,)."""
    found = []
    for kind, rows in stacked.cones:
        if kind == "second_order":
            found.append(_placed(stacked, slice(rows.start, rows.start + 1), np.ones(1)))
        if kind == "semidefinite":
            n = len(matrix(np.zeros(rows.stop - rows.start)))
            found += [_placed(stacked, rows, triangle(np.diag(unit))) for unit in np.eye(n)]
    return found


def broken_duals(stacked: Stacked, s: Array) -> list[Array]:
    """Return y with y's < 0 for every second-order or semidefinite cone that s is not in."""
    found = []
    for kind, rows in stacked.cones:
        if kind == "second_order":
            directions = _outside_second_order(s[rows])
        elif kind == "semidefinite":
            directions = _outside_semidefinite(s[rows])
        else:
            directions = []
        found += [_placed(stacked, rows, y) for y in directions]
    return found


def _outside_second_order(s: Array) -> list[Array]:
    """Return y of the cone, at most one, for s = (t, w) with |w| > t."""
    t, size = s[0], float(np.linalg.norm(s[1:]))
    if size <= max(t, 0.0):
        return [] if t >= 0.0 else [np.append(1.0, np.zeros(len(s) - 1))]
    w = -s[1:] / size
    return [np.append(np.linalg.norm(w) * (1.0 + 8 * len(s) * UNIT), w)]


def _outside_semidefinite(s: Array) -> list[Array]:
    """Return v v' as vectors for every eigenvector v of a negative eigenvalue."""
    values, vectors = np.linalg.eigh(matrix(s))
    return [triangle(np.outer(v, v)) for v in vectors[:, values < 0].T]


def _placed(stacked: Stacked, rows: slice, y: Array) -> Array:
    """Return y in the rows of its cone, zero elsewhere, shape (N,)."""
    wide = np.zeros(len(stacked.g))
    wide[rows] = y
    return wide


def safe_cuts(stacked: Stacked, duals: Array, largest: Array, p: int) -> Cuts:
    """Return the cuts of dual vectors, true for every |phi| <= largest whatever was rounded.

    Args:
        stacked: What is stated.
        duals: Vectors of the dual cone, shape (K, N).
        largest: Shape (10,).
        p: Number of nuisance parameters, the auxiliary variables being the last of them.
    """
    size = np.abs(duals)
    # A sum of N products errs by (N + 2) units of their magnitudes; F, H, g and y by a few more.
    unit = (duals.shape[1] + 64) * UNIT
    slack = unit * (size @ (np.abs(stacked.F) @ largest + np.abs(stacked.H).sum(axis=1)
                            + np.abs(stacked.g)))  # fmt: skip
    e = np.zeros((len(duals), p))
    e[:, p - stacked.H.shape[1] :] = duals @ stacked.H
    return Cuts(duals @ stacked.F, e, duals @ stacked.g + slack)


class StatedCuts:
    """What is stated, let into a program row by row; see `Separator`.

    Attributes:
        numbers: Number in the program of each cut that is in it.
        cuts: The same cuts, in the order of `numbers`.
    """

    def __init__(
        self,
        program: LinearProgram,
        scaled: ScaledRows,
        stated: Knowledge,
        first: Sequence[Array] = (),
        columns: int = 0,
    ) -> None:
        """Let in all rows, and the cuts to begin with.

        Args:
            program: Its columns are (y, u), the auxiliary variables last in u, then others.
            scaled: The rows.
            stated: What is stated; it must not be nothing.
            first: Dual vectors of the last solution.
            columns: Number of the other columns.
        """
        self._program, self._scaled, self._columns = program, scaled, columns
        self._stacked, p = stated.stacked, scaled.p
        self.numbers: list[int] = []
        self.cuts = Cuts.of_phi(np.zeros((0, 10)), p)
        self._duals = np.zeros((0, len(self._stacked.g)))
        self._sizes = np.zeros(0)
        known = [y for y in first if len(y) == len(self._stacked.g)]
        self._enter([*row_duals(self._stacked), *first_duals(self._stacked), *known])

    def separate(self, x: Array) -> int:
        """Let in cuts that x breaks."""
        p, q = self._scaled.p, self._stacked.H.shape[1]
        zeta = x[10 + p - q : 10 + p]
        s = self._stacked.F @ self._scaled.phi(x) + self._stacked.H @ zeta + self._stacked.g
        return self._enter(broken_duals(self._stacked, s), x)

    def _enter(self, duals: Sequence[Array], x: Array | None = None) -> int:
        """Let in the cuts of dual vectors, of those that x breaks if it is given."""
        if not duals:
            return 0
        y = np.stack(list(duals))
        cuts = safe_cuts(self._stacked, y, self._scaled.known.magnitude, self._scaled.p)
        wide = np.hstack([cuts.c * self._scaled.scale, cuts.e])
        offset = cuts.c @ self._scaled.centre + cuts.f
        size = np.maximum(np.abs(wide).max(axis=1), LEAST)
        right = np.clip(-offset, -FAR * size, FAR * size) / size
        if x is None:
            keep = np.arange(len(y))
        else:
            keep = np.flatnonzero(wide @ x[: wide.shape[1]] + offset < -CUT_TOLERANCE * size)
        rows = np.hstack([wide / size[:, None], np.zeros((len(y), self._columns))])[keep]
        far = np.full(len(keep), np.inf)
        self.numbers += self._program.add_rows(rows, right[keep], far)
        self.cuts = self.cuts.followed_by(Cuts(cuts.c[keep], cuts.e[keep], cuts.f[keep]))
        self._duals = np.vstack([self._duals, y[keep]])
        self._sizes = np.concatenate([self._sizes, size[keep]])
        return len(keep)

    def multiplier(self, dual: Array) -> Array:
        """Return the multiplier of each cut, in the order of `cuts`."""
        index = np.asarray(self.numbers, dtype=int)
        old = index < len(dual)  # a cut younger than the solution has none
        values = np.zeros(len(index))
        values[old] = dual[index[old]]
        return values / self._sizes

    def used(self, multipliers: Array) -> tuple[Array, ...]:
        """Return the dual vectors of the cuts of curved cones that have a multiplier."""
        rows = np.array(row_duals(self._stacked)).reshape(-1, len(self._stacked.g))
        start = len(rows)
        return tuple(self._duals[start + k] for k in np.flatnonzero(multipliers[start:]))
