"""Volume of what remains possible: D-optimality."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...inertial import Array
from ..candidate_rows import CandidateRows, Collected
from .posterior import information, payload_columns


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
