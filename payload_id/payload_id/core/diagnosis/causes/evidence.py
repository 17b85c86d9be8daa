"""What causes are judged by: the rows, and the smallest noise factor under a relaxation of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...bounds import Interval
from ...bounds.cutting_planes import ConsistencyCuts, ElasticRows, first_rows, minimise
from ...bounds.interval import NO_SHAPE
from ...bounds.least_squares_image import image
from ...bounds.linear_program import LinearProgram
from ...bounds.scaled_rows import ScaledRows
from ...errors import SolverError
from ...rows.joint_torque.momentum import MomentumRows
from ...rows.row_block import RowBlock
from .recollection import Recollection

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Fit:
    """The relaxed rows at their smallest noise factor.

    Attributes:
        factor: Smallest t with |rows| <= t d; infinite where nothing fits.
        phi: Payload there, shape (10,).
        extra: Values of the extra columns there.
        weight: How much each row asks for the factor (its multiplier), shape (m,).
        u: Nuisance parameters there, in their boxes, shape (p,).
    """

    factor: float
    phi: Array
    extra: Array
    weight: Array
    u: Array

    @classmethod
    def none(cls, rows: int) -> Fit:
        """Return what stands for no fit at all."""
        return cls(float("inf"), np.full(10, np.nan), np.zeros(0), np.zeros(rows), np.zeros(0))


@dataclass(frozen=True)
class Evidence:
    """Inconsistent rows.

    Attributes:
        rows: All rows, those of a tare first; `d` is the whole bound, without errors of A.
        known: Finite bounds that phi keeps.
        shape: Rows c with c phi >= 0 that follow from the payload's size, shape (K, 10).
        own: Which rows are of this run, not of a tare, shape (m,).
        links: Which columns of B are of links, by the joint that carries them, -1 for others,
            shape (p,).
        factor: The smallest noise factor.
        fit: The rows at that factor.
        source: What made the rows, if they are of joint torques.
        recollection: Windows of samples of this run, if any are at hand.
        window: Length of a window [s].
    """

    rows: RowBlock
    known: Interval
    shape: Array
    own: Mask
    links: Array
    factor: float = float("nan")
    fit: Fit | None = None
    source: MomentumRows | None = None
    recollection: Recollection | None = None
    window: float = float("nan")

    @classmethod
    def of(
        cls, rows: RowBlock, known: Interval, shape: Array, tare: int, links: Array, factor: float
    ) -> Evidence:
        """Collect the evidence.

        Args:
            rows: At least one row.
            known: Finite bounds on phi.
            shape: As the attribute.
            tare: Number of rows of a tare; they come first.
            links: As the attribute.
            factor: The noise factor that was found; NaN if none was.
        """
        inside = image(rows, known).intersect(known)
        empty = bool((inside.lower > inside.upper).any())
        d = rows.bound(known.magnitude if empty else inside.magnitude)
        fixed = replace(rows, d=d, A_error=np.zeros_like(rows.A))
        evidence = cls(fixed, known, shape, np.arange(len(rows)) >= tare, links)
        fit = evidence.relaxed()
        if np.isfinite(factor) and np.isfinite(fit.factor):
            fixed = replace(fixed, d=d * fit.factor / factor)
            fit = replace(fit, factor=factor)
        return replace(evidence, rows=fixed, factor=fit.factor, fit=fit)

    def of_own_data(self) -> Evidence:
        """Return the evidence without rows that repeat data of others, and without its fit."""
        once = self.rows.scale == 0.0
        return replace(self, rows=self.rows.take(once), own=self.own[once], fit=None)

    def with_samples(
        self, source: MomentumRows, recollection: Recollection, window: float
    ) -> Evidence:
        """Return the evidence with what rows can be made anew of.

        Args:
            source: What made the rows.
            recollection: Windows of this run.
            window: Length of a window [s].
        """
        return replace(self, source=source, recollection=recollection, window=window)

    def with_right_hand_side(self, b: Array) -> Evidence:
        """Return the evidence with other right-hand sides, shape (m,)."""
        return replace(self, rows=replace(self.rows, b=b))

    def relaxed(
        self,
        extra: Array | None = None,
        keep: Mask | None = None,
        physical: bool = True,
        wider: Array | float = 1.0,
    ) -> Fit:
        """Return the rows at their smallest noise factor under a relaxation.

        Args:
            extra: Coefficients of columns that are added, each with a value in [-1, 1], (m, k).
            keep: Rows that count, shape (m,); None for all.
            physical: Whether phi must be that of a body within the prior; else it need only be of
                a size that the prior allows.
            wider: By how much the box of each nuisance parameter is widened, shape (p,).
        """
        rows = replace(self.rows, B=self.rows.B * wider)
        if extra is not None:
            rows = replace(rows, B=np.hstack([rows.B, extra]))
        if keep is not None:
            rows = rows.take(keep)
        known = self.known if physical else Interval(-self.known.magnitude, self.known.magnitude)
        fit = smallest_factor(rows, known, self.shape if physical else NO_SHAPE, physical)
        p = self.rows.B.shape[1]
        fit = replace(fit, u=fit.u[:p], extra=fit.u[p:])
        if keep is None:
            return fit
        weight = np.zeros(len(self.rows))
        weight[keep] = fit.weight
        return replace(fit, weight=weight)


def smallest_factor(rows: RowBlock, known: Interval, shape: Array, physical: bool) -> Fit:
    """Return the rows at their smallest noise factor, without extra columns."""
    if not len(rows):
        return replace(Fit.none(0), factor=0.0)
    scaled = ScaledRows.of(rows, known, rows.d, narrow=False)
    return smallest_scaled_factor(scaled, (scaled,) if physical else (), shape)


def smallest_scaled_factor(scaled: ScaledRows, payloads: Sequence[ScaledRows], shape: Array) -> Fit:
    """Return rows at their smallest noise factor.

    Args:
        scaled: The rows.
        payloads: Where in x the payloads stand that must be those of bodies.
        shape: Rows c with c phi >= 0 for each of them, shape (K, 10).
    """
    program = LinearProgram(np.append(scaled.lower, 0.0), np.append(scaled.upper, np.inf))
    elastic = ElasticRows(program, scaled, first_rows(scaled))
    none = np.zeros((0, 4))
    cuts = [ConsistencyCuts(program, where, none, shape, columns=1) for where in payloads]
    cost = np.zeros(len(scaled.lower) + 1)
    cost[-1] = 1.0
    try:
        solution = minimise(program, [elastic, *cuts], cost)
    except SolverError:
        solution = None
    if solution is None:
        return Fit.none(len(scaled.r))
    weight = np.zeros(len(scaled.r))
    numbers = np.asarray(elastic.numbers)
    old = numbers < len(solution.dual)
    np.add.at(weight, np.asarray(elastic.rows)[old], np.abs(solution.dual[numbers[old]]))
    phi, u = scaled.phi(solution.x), solution.x[10:-1]
    return Fit(solution.value, phi, np.zeros(0), weight, u)
