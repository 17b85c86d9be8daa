"""A Gen3 that plans: limits, what is unsure of it, a task, and clocks that are handed in."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from arms import arm
from made_history import with_history
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.excitation.candidates.candidates import BezierFamily, FourierFamily
from payload_id.core.excitation.candidates.there_and_back_candidates import ThereAndBackFamily
from payload_id.core.excitation.candidates.wave_candidates import WaveFamily
from payload_id.core.excitation.criteria import criterion_named
from payload_id.core.excitation.prediction.candidate_rows import Collected, RowPredictor
from payload_id.core.excitation.search.planning_task import PlanningTask
from payload_id.core.excitation.search.verdict import Verdict
from payload_id.core.motion.limits import MotionLimits
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.safety.torque.parameter_box import ParameterBox

UNSURE = Uncertainty(torque_relative=0.025, link_relative=0.05, prior=PayloadPrior(5.0, 0.3))
HOME = np.array([0.0, 0.26, 3.14, -2.27, 0.0, 0.96, 1.57])
PHI = from_mass_com_inertia(1.8, [0.01, 0.0, 0.08], 0.004 * np.eye(3))
HALF = 0.15 * np.abs(PHI) + 1e-3
LIMITS = MotionLimits(
    np.array([-np.inf, -2.24, -np.inf, -2.57, -np.inf, -2.09, -np.inf]),
    np.array([np.inf, 2.24, np.inf, 2.57, np.inf, 2.09, np.inf]),
    np.full(7, 1.2),
    np.full(7, 5.0),
    np.array([39.0] * 4 + [9.0] * 3),
)
LOWER, UPPER = UNSURE.prior.box()
KNOWN = (UPPER - LOWER) / 2
LENGTH, HANDOVER = 3.0, 1.5
ACCEPT, REFUSE = Verdict(True, "certificate"), Verdict(False, "no", "not this one")


class Clock:
    """A clock that is a step later whenever it is looked at; it may stand still."""

    def __init__(self, step: float = 0.0) -> None:
        self.now, self._step = 0.0, step

    def __call__(self) -> float:
        self.now += self._step
        return self.now


@lru_cache(maxsize=1)
def predictor() -> RowPredictor:
    """Return what predicts rows of a Gen3 with a history."""
    return RowPredictor(with_history(MomentumRows.of(arm("gen3"), UNSURE)), PHI)


def family_named(name: str, seed: int | None = None):
    """Return a family: pieces begin in motion unless they begin at rest, near home, by a seed."""
    rest = {"fourier": FourierFamily, "there_and_back": ThereAndBackFamily}
    if name in rest:
        return rest[name].within(HOME, 8.0, LIMITS)
    if seed is None:
        first = BezierFamily.within(MotionState.at_rest(HOME), LENGTH, LIMITS)
        start = MotionState.of(first.trajectory(0.5 * np.ones(7)), HANDOVER)
    else:
        away = np.random.default_rng(seed).uniform(-0.2, 0.2, 7)
        start = MotionState.at_rest(HOME + away)
    return {"bezier": BezierFamily, "wave": WaveFamily}[name].within(start, LENGTH, LIMITS)


def task(
    name: str = "condition_number", family: str = "bezier", seed: int = 0, **changes: object
) -> PlanningTask:
    """Return a task with nothing collected."""
    box = ParameterBox.around(arm("gen3"), (PHI - HALF, PHI + HALF), UNSURE)
    criterion, nothing = criterion_named(name, KNOWN, predictor()), Collected.nothing(predictor().p)
    made = PlanningTask(
        family_named(family, seed), predictor(), criterion, nothing, HANDOVER, LIMITS, box
    )
    return replace(made, **changes)


def some(count: int, seed: int = 0, size: int = 7) -> np.ndarray:
    """Return candidates of a family."""
    return np.random.default_rng(seed).uniform(-0.6, 0.6, (count, size))
