"""Volume of what remains possible: D-optimality."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ..prediction.candidate_rows import CandidateRows, Collected
from .posterior import by_rows, information, payload_columns


@dataclass(frozen=True)
class LogDet:
    """Mean logarithm of the axes of the ellipsoid of payloads, nuisance parameters eliminated.

    Attributes:
        known: Half widths of phi before any row, shape (10,).
    """

    known: Array
    name = "log_det"
    needs_nuisance = True

    def value(self, rows: CandidateRows, collected: Collected) -> Array:
        """Return log det(payload's part of N^-1) / 20, shape (C,)."""
        remaining = payload_columns(information(rows, collected, self.known))[:, -10:]
        return np.asarray(np.linalg.slogdet(remaining)[1] / 20)

    def slope(self, rows: CandidateRows, collected: Collected) -> CandidateRows:
        """Return its derivatives, by d N^-1 = -N^-1 dN N^-1."""
        X = payload_columns(information(rows, collected, self.known))[0]
        by_N = -X @ np.linalg.solve(X[-10:], X.T) / 20
        return by_rows(rows, 2.0 * rows.scaled[0] @ by_N)
