"""What hypotheses are judged by: rows, and the smallest noise factor under a relaxation of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from ..bounds import Interval
from ..bounds.feasibility import smallest_noise_factor
from ..bounds.interval import NO_SHAPE
from ..bounds.least_squares_image import image
from ..bounds.scaled_rows import ScaledRows
from ..errors import SolverError
from ..rows.row_block import RowBlock

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Fit:
    """Relaxed rows at their smallest noise factor.

    Attributes:
        factor: Smallest t with |rows| <= t d; infinite where nothing fits.
        phi: Payload there, shape (10,).
        weight: How much each row asks for the factor (its multiplier), shape (m,).
        u: Nuisance parameters there, in their boxes, shape (p,).
        values: Of the numbers that a hypothesis leaves free, shape (k,).
    """

    factor: float
    phi: Array
    weight: Array
    u: Array
    values: Array = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def none(cls, rows: int) -> Fit:
        """Return what stands for no fit at all."""
        return cls(float("inf"), np.full(10, np.nan), np.zeros(rows), np.zeros(0))


@dataclass(frozen=True)
class Relaxation:
    """What of the rows A phi + B u = b + w, |w| <= d is otherwise: A phi + B u + C v = b + w.

    Attributes:
        columns: C, shape (m, k); None for none.
        lower: Least values v, shape (k,).
        upper: Largest values, shape (k,).
        keep: Rows that count, shape (m,); None for all.
        payload: Bounds on phi in place of those of the evidence, and no known shape.
        physical: Whether phi must be that of a body; else it need only be of a size that the
            bounds allow.
    """

    columns: Array | None = None
    lower: Array = field(default_factory=lambda: -np.ones(1))
    upper: Array = field(default_factory=lambda: np.ones(1))
    keep: Mask | None = None
    payload: Interval | None = None
    physical: bool = True


AS_STATED = Relaxation()


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
        fit: The rows at their smallest noise factor.
        physical: Whether phi must be that of a body; without that the factor is found sooner, and
            is never larger.
    """

    rows: RowBlock
    known: Interval
    shape: Array
    own: Mask
    links: Array
    fit: Fit
    physical: bool = True

    @classmethod
    def of(
        cls,
        rows: RowBlock,
        known: Interval,
        shape: Array,
        tare: int,
        links: Array,
        factor: float,
        physical: bool = True,
    ) -> Evidence:
        """Collect the evidence.

        Args:
            rows: At least one row.
            known: Finite bounds on phi.
            shape: As the attribute.
            tare: Number of rows of a tare; they come first.
            links: As the attribute.
            factor: The noise factor that was found; NaN if none was.
            physical: As the attribute.
        """
        inside = image(rows, known).intersect(known)
        empty = bool((inside.lower > inside.upper).any())
        d = rows.bound(known.magnitude if empty else inside.magnitude)
        fixed = replace(rows, d=d, A_error=np.zeros_like(rows.A))
        own = np.arange(len(rows)) >= tare
        evidence = cls(fixed, known, shape, own, links, Fit.none(len(rows)), physical)
        fit = evidence.refit()
        if np.isfinite(factor) and np.isfinite(fit.factor):
            fixed = replace(fixed, d=d * fit.factor / factor)
            fit = replace(fit, factor=factor)
        return replace(evidence, rows=fixed, fit=fit)

    @property
    def factor(self) -> float:
        """The smallest noise factor."""
        return self.fit.factor

    def take(self, keep: Mask) -> Evidence:
        """Return the evidence of some rows."""
        fit = replace(self.fit, weight=self.fit.weight[keep])
        return replace(self, rows=self.rows.take(keep), own=self.own[keep], fit=fit)

    def of_own_data(self) -> Evidence:
        """Return the evidence without rows that repeat data of others."""
        return self.take(self.rows.scale == 0.0)

    def refit(self, relaxed: Relaxation = AS_STATED) -> Fit:
        """Return the rows at their smallest noise factor under a relaxation."""
        rows, known, shape = self.rows, self.known, self.shape
        p, columns, keep = rows.B.shape[1], relaxed.columns, relaxed.keep
        middle = half = np.zeros(0)
        if columns is not None:
            middle, half = (relaxed.upper + relaxed.lower) / 2, (relaxed.upper - relaxed.lower) / 2
            B = np.hstack([rows.B, columns * half])
            rows = replace(rows, B=B, b=rows.b - columns @ (middle))
        if keep is not None:
            rows = rows.take(keep)
        if relaxed.payload is not None:
            known, shape = relaxed.payload, NO_SHAPE
        if not relaxed.physical:
            known, shape = Interval(-known.magnitude, known.magnitude), NO_SHAPE
        physical = self.physical and relaxed.physical
        fit = smallest_factor(rows, known, shape, physical)
        fit = replace(fit, u=fit.u[:p], values=middle + half * _padded(fit.u[p:], len(half)))
        if keep is None:
            return fit
        weight = np.zeros(len(self.rows))
        weight[keep] = fit.weight
        return replace(fit, weight=weight)


def _padded(values: Array, k: int) -> Array:
    """Return the first k values; NaN where nothing fits."""
    return values[:k] if len(values) >= k else np.full(k, np.nan)


def smallest_factor(rows: RowBlock, known: Interval, shape: Array, physical: bool) -> Fit:
    """Return rows at their smallest noise factor.

    Args:
        rows: Without errors of A.
        known: Bounds on phi.
        shape: Rows c with c phi >= 0, shape (K, 10).
        physical: Whether phi must be that of a body.
    """
    if not len(rows):
        return replace(Fit.none(0), factor=0.0)
    scaled = ScaledRows.of(rows, known, rows.d, narrow=False)
    try:
        found = smallest_noise_factor(scaled, shape, physical=physical)
    except SolverError:
        return Fit.none(len(rows))
    return Fit(found.factor, scaled.phi(found.x), found.weight, found.x[10:])
