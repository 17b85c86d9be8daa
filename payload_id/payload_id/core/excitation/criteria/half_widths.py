r"""Predicted half widths of the interval hull: what the user wants.

The hull of rows that are yet to come would take twenty programs a candidate. In its place stands
the image of the bounds under the linear estimate that weighs rows by them,

    phi^ = sum_i X' w_i (b_i / d_i) + ...,   X = the payload's columns of N^-1,
    |phi^ - phi|_k <= sum_i |X' w_i|_k + sum_j |X_jk| / S_j                              (image)

the last sum over nuisance parameters (S = 1) and what was known of phi. Rows are certain to hold
within the image, so that the hull is at least as narrow; how much narrower hardly depends on the
motion (docs/motion.md), and `RATIO` stands for it. Rows that are known by their sums only count
as if they were spread evenly: sum |x| = sqrt(2 m / pi) |x|_2.

The condition number of Y counts beside them. Pieces are chosen one at a time, and the mean alone
would dwell on what a piece shows easily; the condition number asks for what all pieces so far show
least. Half widths after several pieces are about the same with it (docs/motion.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ..prediction.candidate_rows import CandidateRows, Collected
from .condition_number import ConditionNumber
from .posterior import by_rows, information, payload_columns

# Half width of the hull over that of the image: median of each group over random Bezier pieces.
RATIO = np.array([0.75] + [0.42] * 3 + [0.28] * 6)
CONDITION = 0.75  # weight of the logarithm of the condition number


@dataclass(frozen=True)
class HalfWidths:
    """Mean logarithm of the ten predicted half widths, and a part of that of cond(Y).

    Attributes:
        known: Half widths of phi before any row, shape (10,).
    """

    known: Array
    name = "half_widths"
    needs_nuisance = True

    def value(self, rows: CandidateRows, collected: Collected) -> Array:
        """Return mean log(half width / half width known before) + c log cond(Y), shape (C,)."""
        mean = np.log(self.predicted(rows, collected) / self.known).mean(axis=1)
        return np.asarray(mean + CONDITION * ConditionNumber().value(rows, collected))

    def predicted(self, rows: CandidateRows, collected: Collected) -> Array:
        """Return the predicted half widths, shape (C, 10) [units of phi].

        The image is joined smoothly with what is known already, of which it cannot exceed.
        """
        image = RATIO * self.image(rows, collected)
        return np.asarray((image**-2.0 + self.known**-2.0) ** -0.5)

    def image(self, rows: CandidateRows, collected: Collected) -> Array:
        """Return the half widths of the image, shape (C, 10)."""
        return self._image(
            rows, collected, payload_columns(information(rows, collected, self.known))
        )

    def _image(self, rows: CandidateRows, collected: Collected, X: Array) -> Array:
        """Return the half widths of the image, X the payload's columns of N^-1, shape (C, 10)."""
        found = np.abs(rows.scaled @ X).sum(axis=1) + np.abs(collected.kept @ X).sum(axis=1)
        S = np.append(np.ones(rows.B.shape[-1]), self.known)
        found += np.einsum("cjk,j->ck", np.abs(X), 1.0 / S)
        if collected.condensed:
            rest = collected.weighted - collected.kept.T @ collected.kept
            squares = np.einsum("cik,ij,cjk->ck", X, rest, X)
            found += np.sqrt(2 * collected.condensed / np.pi * np.maximum(squares, 0.0))
        return np.asarray(found)

    def slope(self, rows: CandidateRows, collected: Collected) -> CandidateRows:
        """Return the derivatives of the value, for one candidate."""
        N = information(rows, collected, self.known)
        X, W = payload_columns(N)[0], rows.scaled[0]
        image = self._image(rows, collected, X[None])[0]
        # d value / d image: that of log (image^-2 R^-2 + known^-2)^(-1/2), a tenth of it for each.
        c = 0.1 / (1.0 + (RATIO * image / self.known) ** 2) / image
        signs, kept = np.sign(W @ X) * c, np.sign(collected.kept @ X) * c
        S = np.append(np.ones(rows.B.shape[-1]), self.known)
        by_X = W.T @ signs + collected.kept.T @ kept + np.sign(X) * c / S[:, None]
        if collected.condensed:
            rest = collected.weighted - collected.kept.T @ collected.kept
            size = np.sqrt(np.maximum(np.einsum("ik,ij,jk->k", X, rest, X), 1e-300))
            by_X += np.sqrt(2 * collected.condensed / np.pi) * (rest @ X) * c / size
        by_N = -np.linalg.solve(N[0], by_X) @ X.T
        by = by_rows(rows, W @ (by_N + by_N.T) + signs @ X.T)
        condition = ConditionNumber().slope(rows, collected)
        return CandidateRows(by.A + CONDITION * condition.A, by.B, by.d)
