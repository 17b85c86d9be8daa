r"""Widths of calibrated intervals as an arm's history lets one expect them.

`CalibratedInterval` is as wide as a rank of the history's scores times the expected errors

    s^2 = diag H^-1 + g^2 diag sum_k L_k^2 H^-1 F_k' F_k H^-1 / c^4,   H = sum_k F_k' F_k / c^2 + P,

F_k the rows [B A] of joint k in units of their noise, those of the history among them, L_k^2 the
mean square of what the load makes of the new ones, c the inflation, g the load noise and P the
prior of u (docs/bounds.md). Here the new rows are predicted, the load is the expected
one, and the noise of each joint's rows is, in units of their bounds, what the history's runs had.
Friction and offsets of the new run are its own: the history says nothing of them, so that motions
count which tell them from the payload.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arm.arm_history import ArmHistory
from ...arrays import Array
from ...errors import InputError
from ...history import largest_scores, made_otherwise, statistics_of
from ...statistics.nuisance_fit import PRIOR
from ...statistics.posterior import Posterior
from ...statistics.variance_components import UNIFORM_VARIANCE
from ..prediction.candidate_rows import CandidateRows, Collected, RowPredictor
from ..prediction.predictor import Predictor
from .posterior import by_rows, payload_columns

UNKNOWN = 1e3  # times the half widths known before: a prior that only keeps H invertible


@dataclass(frozen=True, eq=False)
class CalibratedWidths:
    """Mean logarithm of the ten expected errors, joined with what was known before.

    Attributes:
        history: Of the arm, with the rows' nuisance parameters.
        payload: Expected phi, shape (10,).
        known: Half widths of phi before any row, shape (10,).
        window: Length of the predicted rows' windows [s].
    """

    history: ArmHistory
    payload: Array
    known: Array
    window: float
    name = "calibrated_widths"
    needs_nuisance = True

    @classmethod
    def of(cls, known: Array, predictor: Predictor | None) -> CalibratedWidths:
        """Return the criterion for an arm's predicted rows.

        Args:
            known: Half widths of phi before any row, shape (10,).
            predictor: Makes the rows, of an arm with a history.

        Raises:
            InputError: The arm has no history, or one of other rows.
        """
        of_torques = predictor if isinstance(predictor, RowPredictor) else None
        history = None if of_torques is None else of_torques.model.history
        if of_torques is None or history is None:
            raise InputError(
                f"The criterion '{cls.name}' predicts intervals of joint torques from runs of this "
                "arm with known payloads, and its robot file names none (entry 'history'). Make "
                "them with 'payload-id calibrate history' and use the robot file that it writes, "
                "or choose the criterion 'half_widths'."
            )
        if made := made_otherwise(history, of_torques.row_source, history.window):
            raise InputError(
                f"The arm's history was made {made}, so that it says nothing of the motions to be "
                "planned. Make it again with the present robot file ('payload-id calibrate "
                "history')."
            )
        return cls(history, of_torques.payload, known, of_torques.window)

    def value(self, rows: CandidateRows, collected: Collected) -> Array:
        """Return mean log(expected error / standard deviation known before), shape (C,)."""
        joined = self._joined(self.deviation(rows, collected))
        return np.asarray(np.log(joined / self._spread).mean(axis=1))

    def predicted(self, rows: CandidateRows, collected: Collected, level: float = 0.95) -> Array:
        """Return the half widths that intervals with a probability will have, shape (C, 10).

        They are infinite where the history has too few runs.
        """
        return self.deviation(rows, collected) * largest_scores(self.history, level)

    def deviation(self, rows: CandidateRows, collected: Collected) -> Array:
        """Return s, the expected size of phi's errors, shape (C, 10) [units of phi]."""
        return np.sqrt(_Errors.of(self, rows, collected).squares)

    def slope(self, rows: CandidateRows, collected: Collected) -> CandidateRows:
        """Return the derivatives of the value, for one candidate."""
        errors = _Errors.of(self, rows, collected)
        s2 = errors.squares[0]
        # d value / d s^2: that of log (s^-2 + spread^-2)^(-1/2), a tenth of it for each.
        return by_rows(rows, errors.slope(0.05 / (s2 * (1.0 + s2 / self._spread**2))))

    @property
    def _spread(self) -> Array:
        """Standard deviations of what was known before, shape (10,)."""
        return self.known * np.sqrt(UNIFORM_VARIANCE)

    def _joined(self, deviation: Array) -> Array:
        """Return errors joined smoothly with what was known before, which they cannot exceed."""
        return np.asarray((deviation**-2.0 + self._spread**-2.0) ** -0.5)

    @cached_property
    def noise(self) -> Array:
        """Variance of each joint's rows in units of their bounds, mean of all runs, shape (n,)."""
        return np.asarray((self.history.noise**2).mean(axis=0))

    @cached_property
    def before(self) -> Array:
        """H without the new run's rows, shape (p + 10, p + 10)."""
        factor = Posterior.of(statistics_of(self.history)).rows / self.history.inflation
        p = factor.shape[1] - 10
        prior = np.append(np.full(p, PRIOR**2), (UNKNOWN * self.known) ** -2.0)
        return np.asarray(factor.T @ factor + np.diag(prior))


@dataclass(frozen=True)
class _Errors:
    """Expected errors of candidates' estimates, and what they are made of; m rows, m0 before them.

    Attributes:
        rows: The candidates' [B A] / d, shape (C, m, p + 10).
        kept: Those of the rows before, shape (m0, p + 10).
        weight: What each row counts in H, those before first, shape (m0 + m,).
        H: Shape (C, p + 10, p + 10).
        X: The payload's columns of H^-1, shape (C, p + 10, 10).
        load: A phi / d of each row, shape (C, m0 + m).
        per_joint: Turns squares of all rows into means of each joint, in units of its noise, shape
            (n, m0 + m).
        payload: Expected phi, shape (10,).
        load_part: g^2 / c^2.
    """

    rows: Array
    kept: Array
    weight: Array
    H: Array
    X: Array
    load: Array
    per_joint: Array
    payload: Array
    load_part: float

    @classmethod
    def of(cls, by: CalibratedWidths, rows: CandidateRows, collected: Collected) -> _Errors:
        """Return the errors of candidates whose rows these are."""
        history, kept, new, n = by.history, collected.kept, rows.scaled, len(by.history.joints)
        C, m0, m = len(new), len(kept), new.shape[1]
        joint = np.arange(m0 + m) % n
        windows = by.window / history.window  # of the real rows for each that is predicted
        longest = float(history.seconds.max()) / ((m0 + m + collected.condensed) / n * by.window)
        part = windows * min(1.0, longest) / history.inflation**2
        weight = part / by.noise[joint]
        H = by.before + np.swapaxes(new, 1, 2) @ (weight[m0:, None] * new)
        H += kept.T @ (weight[:m0, None] * kept)
        if collected.condensed:
            mean = part / np.exp(np.log(by.noise).mean())
            H += mean * (collected.weighted - kept.T @ kept)
        load = np.concatenate(
            [np.broadcast_to(kept[:, -10:] @ by.payload, (C, m0)), new[..., -10:] @ by.payload],
            axis=1,
        )
        chosen = (joint == np.arange(n)[:, None]) / by.noise[:, None]
        count = np.maximum((joint == np.arange(n)[:, None]).sum(axis=1), 1)
        load_part = (history.load_noise / history.inflation) ** 2
        return cls(new, kept, weight, H, payload_columns(H), load, chosen / count[:, None],
                   by.payload, load_part)  # fmt: skip

    @cached_property
    def effect(self) -> Array:
        """X' w: what an error of each row does to phi, shape (C, m0 + m, 10)."""
        before = np.einsum("ip,cpk->cik", self.kept, self.X)
        return np.concatenate([before, self.rows @ self.X], axis=1)

    @cached_property
    def load_weight(self) -> Array:
        """What each row's squared effect counts in s^2, g^2 L^2 and its weight, (C, m0 + m)."""
        square = self.load**2 @ self.per_joint.T  # L^2, (C, n)
        return np.asarray(self.load_part * self.weight * (square @ (self.per_joint > 0.0)))

    @property
    def squares(self) -> Array:
        """s^2, shape (C, 10)."""
        own = np.diagonal(self.X[:, -10:], axis1=1, axis2=2)
        return np.asarray(own + np.einsum("ci,cik->ck", self.load_weight, self.effect**2))

    def slope(self, c: Array) -> Array:
        """Return the derivatives of c s^2 by the rows of the one candidate, shape (m, p + 10).

        Args:
            c: Shape (10,).
        """
        m0, X, W, effect = len(self.kept), self.X[0], self.rows[0], self.effect[0]
        # By the rows as factors of the errors: the effects' squares, and L^2 of each joint.
        by_effect = 2.0 * self.load_weight[0][:, None] * effect * c  # (m0 + m, 10)
        by_square = self.load_part * self.weight * (effect**2 @ c)  # of each row's L^2
        by_mean = (self.per_joint > 0.0) @ by_square  # of each joint's, (n,)
        by_load = 2.0 * self.load[0] * (by_mean @ self.per_joint)
        found = by_effect[m0:] @ X.T
        found[:, -10:] += by_load[m0:, None] * self.payload
        # By H, through X = H^-1 E: dX = -H^-1 dH X.
        by_X = W.T @ by_effect[m0:] + self.kept.T @ by_effect[:m0]
        by_X[-10:] += np.diag(c)
        by_H = -np.linalg.solve(self.H[0], by_X) @ X.T
        return np.asarray(found + self.weight[m0:, None] * (W @ (by_H + by_H.T)))
