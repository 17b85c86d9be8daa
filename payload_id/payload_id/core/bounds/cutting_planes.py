"""Linear programs whose rows enter only as an optimum breaks them.

Of thousands of rows a few dozen matter, and physical consistency is an infinity of rows; both are
kept outside the program and let in on demand. A program that lacks some is a relaxation: its
optimum is a valid outer bound at every moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from ..arrays import Array
from ..body.inertial import PSEUDO_INERTIA_BASIS, pseudo_inertia
from .linear_program import LinearProgram, Solution
from .scaled_rows import ScaledRows

FIRST_ROWS = 20  # that a program begins with; about as many are active in the end
MORE_ROWS = 15  # that enter at a time
ROW_TOLERANCE = 1e-7  # by how much a row may be broken, relative to its bound
ROUNDS = 200  # of adding rows and cuts for one optimum; valid, only wider, if not enough
STALLED = 1e-7  # improvement by PATIENCE rounds of cuts that is not worth more of them
PATIENCE = 6
# A J whose smallest eigenvalue is this part of its trace below zero counts as consistent.
EIGENVALUE_TOLERANCE = 1e-7
MORE_PATIENCE = 25  # for sets of any kind, whose corners first cuts may not change


class Separator(Protocol):
    """A family of inequalities that lets its members into a program as they are broken.

    Attributes:
        numbers: Number in the program of each member that is in it.
    """

    numbers: list[int]

    def separate(self, x: Array) -> int:
        """Let in members that x breaks; return how many."""
        ...


def minimise(
    program: LinearProgram, separators: Sequence[Separator], cost: Array, patience: int = PATIENCE
) -> Solution | None:
    """Return the optimum over all members of all families; None if no x satisfies them.

    The first family is finite and is always let in whole; another one may only creep closer.
    """
    solution = program.minimise(cost)
    values: list[float] = []
    for _ in range(ROUNDS):
        if solution is None:
            return None
        entered = [family.separate(solution.x) for family in separators]
        if not any(entered):
            break
        values = [] if entered[0] else [*values, solution.value]
        if len(values) > patience and values[-1] - values[-1 - patience] < STALLED:
            break
        solution = program.minimise(cost)
    return solution


class Rows:
    """Rows |G x - r| <= free + share a: those that are in the program, and those outside.

    Attributes:
        numbers: Number in the program of each row that is in it.
        rows: Which row each of these is; each row twice where its bound depends on a.
    """

    def __init__(
        self,
        program: LinearProgram,
        scaled: ScaledRows,
        remembered: Sequence[int] = (),
        free: Array | float = 1.0,
        share: Any = None,
    ) -> None:
        """Let in the rows to begin with.

        Args:
            program: Its columns are x, and those of a behind them.
            scaled: The rows, m of them.
            remembered: Rows that mattered before.
            free: What they are allowed whatever a is, shape (m,) or ().
            share: What a allows them, shape (m, k), may be sparse; None: there is no a.
        """
        self._program, self._scaled = program, scaled
        self._free = np.broadcast_to(free, (len(scaled.r),))
        self._share: Any = np.zeros((len(scaled.r), 0)) if share is None else share
        self.numbers: list[int] = []
        self.rows: list[int] = []
        self._outside = np.ones(len(scaled.r), dtype=bool)
        self._enter(first_rows(scaled, remembered))

    def separate(self, x: Array) -> int:
        """Let in the rows that x breaks most, in units of what they are allowed."""
        size = self._scaled.G.shape[1]
        allowed = self._free + self._share @ x[size:]
        over = np.abs(self._scaled.G @ x[:size] - self._scaled.r) - allowed
        over = np.where(self._outside, over / np.maximum(allowed, 1.0), 0.0)
        worst = np.argsort(over)[-MORE_ROWS:]
        worst = worst[over[worst] > ROW_TOLERANCE]
        self._enter(worst)
        return len(worst)

    def _enter(self, rows: Array) -> None:
        G, r = self._scaled.G[rows], self._scaled.r[rows]
        free, share, far = self._free[rows], self._share[rows], np.full(len(rows), np.inf)
        share = share.toarray() if sparse.issparse(share) else share
        if share.any():
            self.numbers += self._program.add_rows(np.hstack([G, share]), r - free, far)
            self.numbers += self._program.add_rows(np.hstack([G, -share]), -far, r + free)
            self.rows += [*rows.tolist(), *rows.tolist()]
        else:
            self.numbers += self._program.add_rows(np.hstack([G, share]), r - free, r + free)
            self.rows += rows.tolist()
        self._outside[rows] = False

    def multiplier(self, dual: Array) -> Array:
        """Return the multiplier of every row, zero for those outside, shape (m,)."""
        full = np.zeros(len(self._scaled.r))
        np.add.at(full, self.rows, _of(dual, self.numbers))
        return full


class ConsistencyCuts:
    """v' J(phi) v >= 0 for every v, and what follows from the payload's size.

    J(phi) >= 0 iff all these hold. Adding those that the present optimum breaks most (eigenvectors
    of J to negative eigenvalues) closes in on the cone from outside (Kelley 1960), beginning with
    the diagonal of J.

    Attributes:
        numbers: Number in the program of each cut that is in it.
        directions: v of each cut but the first ones, which come from the size, shape (K, 4).
        coefficients: c of each cut c phi >= 0 in the order of `numbers`, shape (K + ..., 10).
    """

    def __init__(
        self,
        program: LinearProgram,
        scaled: ScaledRows,
        first: Array,
        shape: Array,
        columns: int = 0,
    ) -> None:
        """Let in the cuts to begin with; `columns` columns follow those of phi and u."""
        self._program, self._scaled, self._columns = program, scaled, columns
        self._length = _typical_length(scaled)
        self.numbers: list[int] = []
        self.directions = np.zeros((0, 4))
        self.coefficients = np.zeros((0, 10))
        self._sizes = np.zeros(0)
        self._add(shape)
        self._enter(np.vstack([np.eye(4), first]))

    def separate(self, x: Array) -> int:
        """Let in the directions in which J at x is negative."""
        directions = broken_directions(self._scaled.phi(x), self._length)
        self._enter(directions)
        return len(directions)

    def _enter(self, directions: Array) -> None:
        self.directions = np.vstack([self.directions, directions])
        self._add(np.einsum("nij,ki,kj->kn", PSEUDO_INERTIA_BASIS, directions, directions))

    def _add(self, coefficients: Array) -> None:
        if not len(coefficients):
            return
        wide, offset = self._scaled.of_phi(coefficients)
        size = np.maximum(np.abs(wide).max(axis=1), 1e-30)
        rows = np.hstack([wide / size[:, None], np.zeros((len(wide), self._columns))])
        self.numbers += self._program.add_rows(rows, -offset / size, np.full(len(wide), np.inf))
        self.coefficients = np.vstack([self.coefficients, coefficients])
        self._sizes = np.concatenate([self._sizes, size])

    def multiplier(self, dual: Array) -> Array:
        """Return the multiplier of each cut as c phi >= 0, in the order of `coefficients`."""
        return _of(dual, self.numbers) / self._sizes

    def used(self, multipliers: Array) -> Array:
        """Return the directions whose cuts have a multiplier, shape (K, 4)."""
        first = len(self.coefficients) - len(self.directions)
        return self.directions[np.flatnonzero(multipliers[first:])]


def broken_directions(phi: Array, length: float) -> Array:
    """Return directions v with v' J(phi) v < 0, shape (K, 4); none if J is consistent.

    Args:
        phi: Parameters, shape (10,).
        length: Typical size of the payload [m]; it makes J's entries comparable.
    """
    unit = np.array([1.0 / length] * 3 + [1.0])
    J = unit[:, None] * pseudo_inertia(phi) * unit
    values, vectors = np.linalg.eigh(J)
    size = max(float(np.abs(values).sum()), 1e-12)
    if values[0] >= -EIGENVALUE_TOLERANCE * size:
        return np.zeros((0, 4))
    return (vectors[:, values < 0] * unit[:, None]).T


def first_rows(scaled: ScaledRows, remembered: Sequence[int] = ()) -> Array:
    """Return the rows to begin with: those remembered, or a few that are near their bounds."""
    m = len(scaled.r)
    if m <= FIRST_ROWS:
        return np.arange(m)
    old = np.unique(np.array([row for row in remembered if row < m], dtype=int))
    if len(old):
        return old
    spread = np.linspace(0, m - 1, FIRST_ROWS // 2).astype(int)
    near = np.argsort(-np.abs(scaled.r))[: FIRST_ROWS // 2]
    return np.unique(np.concatenate([spread, near]))


def _of(dual: Array, numbers: list[int]) -> Array:
    """Return the duals of some rows; a row younger than the solution has none: zero."""
    index = np.asarray(numbers, dtype=int)
    known = index < len(dual)
    values = np.zeros(len(index))
    values[known] = dual[index[known]]
    return values


def _typical_length(scaled: ScaledRows) -> float:
    """Return a typical size of the payload [m], from what is known of it."""
    mass, spread = scaled.known.upper[0], scaled.known.upper[[4, 7, 9]].max()
    return float(np.clip(np.sqrt(max(spread, 0.0) / max(mass, 1e-9)), 0.02, 1.0))
