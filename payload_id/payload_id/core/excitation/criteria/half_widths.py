r"""Predicted half widths of the interval hull: what the user wants.

The hull of rows that are yet to come would take twenty programs a candidate. In its place stands
the image of the bounds under the linear estimate that weighs rows by them,

    phi^ = sum_i X' w_i (b_i / d_i) + ...,   X = the payload's columns of N^-1,
    |phi^ - phi|_k <= sum_i |X' w_i|_k + sum_j |X_jk| / S_j                              (image)

the last sum over nuisance parameters (S = 1) and what was known of phi. Rows are certain to hold
within the image, so that the hull is at least as narrow; how much narrower hardly depends on the
motion (docs/excitation.md), and `RATIO` stands for it. Rows that are known by their sums only count
as if they were spread evenly: sum |x| = sqrt(2 m / pi) |x|_2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...inertial import Array
from ..candidate_rows import CandidateRows, Collected
from .posterior import information, payload_columns

# Half width of the hull over that of the image: median of each group over random Bezier pieces.
RATIO = np.array([0.75] + [0.42] * 3 + [0.28] * 6)


@dataclass(frozen=True)
class HalfWidths:
    """Mean logarithm of the ten predicted half widths.

    Attributes:
        known: Half widths of phi before any row, shape (10,).
    """

    known: Array
    name = "half_widths"
    needs_nuisance = True

    def value(self, rows: CandidateRows, collected: Collected) -> Array:
        """Return the mean of log(half width / half width known before), shape (C,)."""
        return np.asarray(np.log(self.predicted(rows, collected) / self.known).mean(axis=1))

    def predicted(self, rows: CandidateRows, collected: Collected) -> Array:
        """Return the predicted half widths, shape (C, 10) [units of phi].

        The image is joined smoothly with what is known already, of which it cannot exceed.
        """
        image = RATIO * self.image(rows, collected)
        return np.asarray((image**-2.0 + self.known**-2.0) ** -0.5)

    def image(self, rows: CandidateRows, collected: Collected) -> Array:
        """Return the half widths of the image, shape (C, 10)."""
        X = payload_columns(information(rows, collected, self.known))
        found = np.abs(rows.scaled @ X).sum(axis=1) + np.abs(collected.kept @ X).sum(axis=1)
        S = np.append(np.ones(rows.B.shape[-1]), self.known)
        found += np.einsum("cjk,j->ck", np.abs(X), 1.0 / S)
        if collected.condensed:
            rest = collected.weighted - collected.kept.T @ collected.kept
            squares = np.einsum("cik,ij,cjk->ck", X, rest, X)
            found += np.sqrt(2 * collected.condensed / np.pi * np.maximum(squares, 0.0))
        return np.asarray(found)
