"""Condition number of the stacked payload regressor [ZZV Sec. V-B]."""

from __future__ import annotations

import numpy as np

from ...inertial import Array
from ..candidate_rows import CandidateRows, Collected

TINY = 1e-300


class ConditionNumber:
    """log of the 2-norm condition number of Y, collected rows included, units of phi."""

    name = "condition_number"
    needs_nuisance = False

    def value(self, rows: CandidateRows, collected: Collected) -> Array:
        """Return log cond(Y) = (log largest - log smallest eigenvalue of Y'Y) / 2."""
        information = collected.plain + np.swapaxes(rows.A, 1, 2) @ rows.A
        eigenvalue = np.linalg.eigvalsh(information)
        rounding = 1e-16 * eigenvalue[:, -1] + TINY
        ratio = eigenvalue[:, -1] / np.maximum(eigenvalue[:, 0], rounding)
        return np.asarray(np.log(ratio) / 2)
