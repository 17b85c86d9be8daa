"""Linear programs whose rows enter only as an optimum breaks them.

Of thousands of rows a few dozen matter, and physical consistency is an infinity of rows; both are
kept outside the program and let in on demand. A program that lacks some is a relaxation: its
optimum is a valid outer bound at every moment.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ..arrays import Array
from . import consistency_cuts
from .linear_program import LinearProgram, Solution
from .scaled_rows import ScaledRows

FIRST_ROWS = 20  # that a program begins with; about as many are active in the end
MORE_ROWS = 15  # that enter at a time
ROW_TOLERANCE = 1e-7  # by how much a row may be broken, relative to its bound
ROUNDS = 200  # of adding rows and cuts for one optimum; valid, only wider, if not enough
STALLED = 1e-7  # improvement by PATIENCE rounds of cuts that is not worth more of them
PATIENCE = 6
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


class _Rows(ABC):
    """Rows of G x close to r: those that are in the program, and those outside."""

    def __init__(self, program: LinearProgram, scaled: ScaledRows, first: Array) -> None:
        self._program, self._scaled = program, scaled
        self.numbers: list[int] = []
        self.rows: list[int] = []
        self._outside = np.ones(len(scaled.r), dtype=bool)
        self._enter(first)

    def separate(self, x: Array) -> int:
        """Let in the rows that x breaks most."""
        rows = _worst(np.where(self._outside, self._over(x), 0.0))
        self._enter(rows)
        return len(rows)

    def _enter(self, rows: Array) -> None:
        self._add(rows, self._scaled.G[rows], self._scaled.r[rows])
        self._outside[rows] = False

    @abstractmethod
    def _over(self, x: Array) -> Array:
        """Return by how much x breaks each row."""

    @abstractmethod
    def _add(self, rows: Array, G: Array, r: Array) -> None:
        """Add rows to the program."""


class HardRows(_Rows):
    """|G x - r| <= 1."""

    def _over(self, x: Array) -> Array:
        return np.asarray(np.abs(self._scaled.G @ x - self._scaled.r) - 1.0)

    def _add(self, rows: Array, G: Array, r: Array) -> None:
        self.numbers += self._program.add_rows(G, r - 1.0, r + 1.0)
        self.rows += rows.tolist()

    def multiplier(self, dual: Array) -> Array:
        """Return the multiplier of every row, zero for those outside, shape (m,)."""
        full = np.zeros(len(self._scaled.r))
        full[self.rows] = _of(dual, self.numbers)
        return full


class ElasticRows(_Rows):
    """|G x - r| <= t, t the last column of the program."""

    def _over(self, x: Array) -> Array:
        over = np.abs(self._scaled.G @ x[:-1] - self._scaled.r) - x[-1]
        return np.asarray(over / max(1.0, x[-1]))

    def _add(self, rows: Array, G: Array, r: Array) -> None:
        one, far = np.ones((len(rows), 1)), np.full(len(rows), np.inf)
        self.numbers += self._program.add_rows(np.hstack([G, one]), r, far)
        self.numbers += self._program.add_rows(np.hstack([G, -one]), -far, r)
        self.rows += [*rows.tolist(), *rows.tolist()]


class ConsistencyCuts:
    """v' J(phi) v >= 0 for every v, and what follows from the payload's size.

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
        self._enter(np.vstack([consistency_cuts.COORDINATES, first]))

    def separate(self, x: Array) -> int:
        """Let in the directions in which J at x is negative."""
        directions = consistency_cuts.broken(self._scaled.phi(x), self._length)
        self._enter(directions)
        return len(directions)

    def _enter(self, directions: Array) -> None:
        self.directions = np.vstack([self.directions, directions])
        self._add(consistency_cuts.coefficients(directions))

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


def _worst(over: Array) -> Array:
    """Return the rows that are broken most."""
    worst = np.argsort(over)[-MORE_ROWS:]
    return worst[over[worst] > ROW_TOLERANCE]


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
