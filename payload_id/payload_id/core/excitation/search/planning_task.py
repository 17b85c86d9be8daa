"""What a plan is for: candidates, limits and criterion, and what the search asks of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Array
from ...motion.limits import MotionLimits
from ...safety.torque.parameter_box import ParameterBox
from ..candidates.candidates import Family
from ..candidates.sampled_family import SampledFamily
from ..criteria.condition_number import ConditionNumber
from ..criteria.criterion import Criterion
from ..prediction.candidate_rows import CandidateRows, Collected
from ..prediction.predictor import Predictor
from ..prediction.torque_slope import TorqueSlope
from .limit_usage import LimitUsage

Clearance = Callable[[Array], Array]  # q (C, N, n) to rough distances to collision (C,) [m]


@dataclass(frozen=True)
class PlanningTask:
    """What a plan is for.

    Attributes:
        family: The candidates.
        predictor: Predicts their rows.
        criterion: What is minimised.
        collected: Rows so far.
        horizon: Until when the motion's rows count [s].
        limits: What may not be exceeded; torque limits apply to the whole box.
        box: Bounds of payload, links and joints.
        reserve: Torque that the controller may add, shape (n,) [N m or N].
        clearance: Rough distances of sampled configurations; None if there are no bodies.
    """

    family: Family
    predictor: Predictor
    criterion: Criterion
    collected: Collected
    horizon: float
    limits: MotionLimits
    box: ParameterBox
    reserve: Array | float = 0.0
    clearance: Clearance | None = None

    @cached_property
    def usage(self) -> LimitUsage:
        """What candidates take of the limits."""
        return LimitUsage(
            self.family, self.horizon, self.limits, self.box, self.reserve, self.torque_slope
        )

    def clearances(self, x: Array) -> Array:
        """Return the rough distances to collision, shape (C,); infinite if nobody knows them."""
        if self.clearance is None or not len(x):
            return np.full(len(x), np.inf)
        return self.clearance(self.usage.sampled.motion(x).q)

    def value(self, x: Array) -> Array:
        """Return the criterion of candidates, shape (C,)."""
        return self.criterion.value(self.rows(x), self.collected)

    def condition_number(self, x: Array) -> Array:
        """Return the logarithm of the condition number, which costs less, shape (C,)."""
        return ConditionNumber().value(self._rows(x, nuisance=False), self.collected)

    def rows(self, x: Array) -> CandidateRows:
        """Return the rows of candidates that the criterion asks for."""
        return self._rows(x, self.criterion.needs_nuisance)

    def _rows(self, x: Array, nuisance: bool) -> CandidateRows:
        """Return the rows of candidates."""
        motion = self._at_rows.motion(x)
        return self.predictor.rows(lambda _: motion, self.horizon, nuisance=nuisance, points=1)

    def gradient(self, x: Array, rows: CandidateRows) -> Array:
        """Return the gradient of the criterion at x, shape (P,), whose rows these are."""
        by_rows = self.criterion.slope(rows, self.collected)
        by_motion = self.predictor.slope(self._at_rows.one(x), by_rows)
        return np.asarray(np.einsum("Ndj,dPNj->P", by_motion, self._at_rows.slope))

    @cached_property
    def _at_rows(self) -> SampledFamily:
        """The candidates at the instants at which rows are predicted."""
        return SampledFamily.of(self.family, self.predictor.instants(self.horizon, 1))

    @cached_property
    def torque_slope(self) -> TorqueSlope:
        """Differentiates torques of this arm."""
        return TorqueSlope(self.predictor.model)
