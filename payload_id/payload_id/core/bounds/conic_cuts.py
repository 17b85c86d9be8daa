r"""Physical consistency, and what is stated of a payload, as linear inequalities that hold.

Where s = F phi + H zeta + g lies in a cone K, y's >= 0 for every y of the dual cone, which for
every cone used here but {0} is K itself:

    (y'F) phi + (y'H) zeta + y'g >= 0.

The y of rows are known beforehand, those of other cones are read off from the point that breaks
them: (1, -w/|w|) for |w| > t, v v' for an eigenvector v of a negative eigenvalue. y is made so
that it lies in the dual cone in floating point, too; what the sums y'F, y'H and y'g are rounded
by, at most, is added to the right-hand side. The auxiliary zeta are the last columns of B. Letting
in the y that the present optimum breaks closes in on a cone from outside [Kelley1960].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Array
from ..body.inertial import LENGTHS, PSEUDO_INERTIA_BASIS
from ..conic import matrix, triangle
from ..knowledge.knowledge import NOTHING, Knowledge, Stacked
from ..knowledge.statement import LARGEST
from ..rows.row_block import RowBlock
from .linear_program import LinearProgram
from .scaled_rows import ScaledRows
from .verified import UNIT, Cuts

CUT_TOLERANCE = 1e-6  # by which a cut may be broken where each |x| is of order 1
# J(phi) as a vector, in units of a length that makes its entries comparable, shape (10, 10).
_UNIT = np.diag([1.0 / np.sqrt(np.prod(LENGTHS))] * 3 + [1.0])
_OF_BODY = triangle(_UNIT @ PSEUDO_INERTIA_BASIS @ _UNIT).T


def cones_of(shape: Array, stated: Knowledge = NOTHING) -> Stacked:
    """Return all that a payload keeps: what is stated, its shape, and J(phi) >= 0.

    Args:
        shape: Rows c with c phi >= 0, shape (K, 10).
        stated: What is stated.
    """
    return stated.stacked.followed_by(("nonnegative", shape), ("semidefinite", _OF_BODY))


def is_curved(kind: str) -> bool:
    """Tell whether a kind of cone is no polyhedron."""
    return kind in ("second_order", "semidefinite")


def widened(rows: RowBlock, stated: Knowledge) -> RowBlock:
    """Return rows with a column of zeros for each auxiliary variable of what is stated."""
    if not stated.q:
        return rows
    return replace(rows, B=np.hstack([rows.B, np.zeros((len(rows), stated.q))]))


def row_duals(stacked: Stacked) -> list[Array]:
    """Return y of every row that is zero (two of them) or not negative, each (N,)."""
    found = []
    for kind, rows in stacked.cones:
        if is_curved(kind):
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


class ConicCuts:
    """Cones of phi, let into a program cut by cut.

    Attributes:
        numbers: Number in the program of each cut that is in it.
    """

    def __init__(
        self,
        program: LinearProgram,
        scaled: ScaledRows,
        cones: Stacked,
        first: Sequence[Array],
        columns: int,
    ) -> None:
        """Let in all rows, and the cuts to begin with.

        Args:
            program: Its columns are (y, u), the auxiliary variables last in u, then others.
            scaled: The rows.
            cones: See `cones_of`.
            first: Dual vectors of the last solution.
            columns: Number of the other columns.
        """
        self._program, self._scaled, self._columns = program, scaled, columns
        self._stacked = cones
        self.numbers: list[int] = []
        self._duals: list[Array] = []  # in the order of `numbers`, as are their sizes
        self._sizes: list[float] = []
        known = [y for y in first if len(y) == len(cones.g)]
        self._straight = row_duals(cones)
        self._enter([*self._straight, *first_duals(cones), *known])

    @property
    def cuts(self) -> Cuts:
        """All cuts that are in the program, in the order of `numbers`."""
        return self._of(np.reshape(self._duals, (len(self._duals), len(self._stacked.g))))

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
        cuts = self._of(np.array(duals))
        wide = np.hstack([cuts.c * self._scaled.scale, cuts.e])
        offset = cuts.c @ self._scaled.centre + cuts.f
        size = np.maximum(np.abs(wide).max(axis=1), np.finfo(float).tiny)
        right = np.clip(-offset, -LARGEST * size, LARGEST * size) / size
        if x is None:
            keep = np.arange(len(duals))
        else:
            keep = np.flatnonzero(wide @ x[: wide.shape[1]] + offset < -CUT_TOLERANCE * size)
        rows = np.hstack([wide / size[:, None], np.zeros((len(duals), self._columns))])[keep]
        far = np.full(len(keep), np.inf)
        self.numbers += self._program.add_rows(rows, right[keep], far)
        self._duals += [duals[k] for k in keep.tolist()]
        self._sizes += size[keep].tolist()
        return len(keep)

    def _of(self, duals: Array) -> Cuts:
        """Return the cuts of dual vectors, shape (K, N)."""
        return safe_cuts(self._stacked, duals, self._scaled.known.magnitude, self._scaled.p)

    def multiplier(self, dual: Array) -> Array:
        """Return the multiplier of each cut, in the order of `cuts`."""
        return multipliers_of(dual, self.numbers) / np.array(self._sizes)

    def used(self, multipliers: Array) -> tuple[Array, ...]:
        """Return the dual vectors of the cuts of curved cones that have a multiplier."""
        start = len(self._straight)
        return tuple(self._duals[start + k] for k in np.flatnonzero(multipliers[start:]))


def multipliers_of(dual: Array, numbers: Sequence[int]) -> Array:
    """Return the duals of some rows; a row younger than the solution has none: zero."""
    index = np.asarray(numbers, dtype=int)
    values, known = np.zeros(len(index)), index < len(dual)
    values[known] = dual[index[known]]
    return values
