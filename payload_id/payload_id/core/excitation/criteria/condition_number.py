"""Condition number of the stacked payload regressor [ZZV Sec. V-B]."""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ..prediction.candidate_rows import CandidateRows, Collected

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

    def slope(self, rows: CandidateRows, collected: Collected) -> CandidateRows:
        """Return its derivatives: those of an eigenvalue are its vector's."""
        A = rows.A[0]
        value, vector = np.linalg.eigh(collected.plain + A.T @ A)
        by = np.outer(vector[:, -1], vector[:, -1]) / value[-1]
        by -= np.outer(vector[:, 0], vector[:, 0]) / max(value[0], 1e-16 * value[-1] + TINY)
        return CandidateRows((A @ by)[None], np.zeros_like(rows.B), np.zeros_like(rows.d))
