"""Rows and box in coordinates of order one, in which linear programs are solved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..rows.row_block import RowBlock
from .interval import Interval
from .least_squares_image import image

# The least-squares image holds every solution; a margin keeps it from being active itself.
IMAGE_MARGIN = 1.05


@dataclass(frozen=True)
class ScaledRows:
    """Rows |G x - r| <= 1 for x = (y, u), phi = centre + scale y.

    Attributes:
        rows: The rows as they were given.
        d: Bound on each row's error, shape (m,).
        known: What phi is known to keep.
        centre: Shape (10,).
        scale: Shape (10,), positive.
        G: Shape (m, 10 + p).
        r: Shape (m,).
        lower: Smallest x worth a look, shape (10 + p,).
        upper: Largest x worth a look, shape (10 + p,).
    """

    rows: RowBlock
    d: Array
    known: Interval
    centre: Array
    scale: Array
    G: Array
    r: Array
    lower: Array
    upper: Array

    @property
    def p(self) -> int:
        """Number of nuisance parameters."""
        return int(self.rows.B.shape[1])

    @classmethod
    def of(cls, rows: RowBlock, known: Interval, d: Array, narrow: bool = True) -> ScaledRows:
        """Scale rows by their least-squares image.

        Args:
            rows: At least one row.
            known: Finite bounds on phi.
            d: Bound on each row's error, shape (m,).
            narrow: Whether to look inside the image only; it holds nothing if the rows are
                inconsistent.
        """
        inside = image(rows, known)
        seen = np.isfinite(inside.half_width)
        half_width = np.minimum(np.where(seen, inside.half_width, np.inf), known.half_width)
        middle = (np.where(seen, inside.lower, 0.0) + np.where(seen, inside.upper, 0.0)) / 2
        centre = np.clip(middle, known.lower, known.upper)
        scale = np.where(half_width > 0, half_width, 1.0)
        lower, upper = (known.lower - centre) / scale, (known.upper - centre) / scale
        if narrow:
            reach = IMAGE_MARGIN * np.where(seen, inside.half_width / scale, np.inf)
            shift = (middle - centre) / scale
            lower, upper = np.maximum(lower, shift - reach), np.minimum(upper, shift + reach)
        u = np.ones(rows.B.shape[1])
        return cls(
            rows, d, known, centre, scale,
            G=np.hstack([rows.A * scale, rows.B]) / d[:, None],
            r=(rows.b - rows.A @ centre) / d,
            lower=np.concatenate([lower, -u]),
            upper=np.concatenate([upper, u]),
        )  # fmt: skip

    def phi(self, x: Array) -> Array:
        """Return the parameters at x, shape (10,)."""
        return self.centre + self.scale * x[:10]

    def of_phi(self, coefficients: Array) -> tuple[Array, Array]:
        """Return rows in x and what to subtract from their bounds, for rows in phi (K, 10)."""
        wide = np.zeros((len(coefficients), 10 + self.p))
        wide[:, :10] = coefficients * self.scale
        return wide, coefficients @ self.centre
