"""The search goes on with a certified motion in hand, and leaves room for the next piece."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arms import arm
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.excitation.candidates.candidates import BezierFamily, FourierFamily
from payload_id.core.excitation.candidates.sampled_family import SampledFamily
from payload_id.core.excitation.candidates.wave_candidates import WaveFamily
from payload_id.core.excitation.criteria import criterion_named
from payload_id.core.excitation.prediction.candidate_rows import Collected, RowPredictor
from payload_id.core.excitation.search.candidate_search import Counter, Search
from payload_id.core.excitation.search.next_piece import ALONG, next_piece
from payload_id.core.excitation.search.planning import Budget, Plan, plan
from payload_id.core.excitation.search.planning_task import PlanningTask
from payload_id.core.excitation.search.verdict import Verdict
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.limits import MotionLimits
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.safety.torque.parameter_box import ParameterBox

UNSURE = Uncertainty(torque_relative=0.025, link_relative=0.05, prior=PayloadPrior(5.0, 0.3))
PHI = from_mass_com_inertia(2.3, [0.02, -0.01, 0.09], 0.005 * np.eye(3))
LIMITS = MotionLimits(
    np.array([-np.inf, -2.2, -np.inf, -2.5, -np.inf, -2.0, -np.inf]),
    np.array([np.inf, 2.2, np.inf, 2.5, np.inf, 2.0, np.inf]),
    np.array([1.7] * 4 + [3.0] * 3),
    np.array([5.2] * 4 + [10.0] * 3),
    np.array([56.0] * 4 + [29.0] * 3),
)
LENGTH, HANDOVER = 3.0, 1.5
ACCEPT, REFUSE = Verdict(True, "certificate"), Verdict(False, "no", "not this one", 0.1)


class Ticking:
    """A clock that is a step later whenever it is looked at."""

    def __init__(self, step: float = 1e-3) -> None:
        self.now, self._step = 0.0, step

    def __call__(self) -> float:
        self.now += self._step
        return self.now


def start(seed: int) -> MotionState:
    home = np.array([0.0, 0.3, 3.1, -2.0, 0.0, 0.9, 1.5])
    return MotionState.at_rest(home + np.random.default_rng(seed).uniform(-0.4, 0.4, 7))


def task(seed: int = 0, family=WaveFamily, name: str = "half_widths") -> PlanningTask:
    row_source = RowPredictor(MomentumRows.of(arm("gen3"), UNSURE), PHI)
    half = 0.15 * np.abs(PHI) + 1e-3
    lower, upper = UNSURE.prior.box()
    return PlanningTask(
        family.within(start(seed), LENGTH, LIMITS),
        row_source,
        criterion_named(name, (upper - lower) / 2),
        Collected.nothing(row_source.p),
        HANDOVER,
        LIMITS,
        ParameterBox.around(arm("gen3"), (PHI - half, PHI + half), UNSURE),
    )


def some(size: int, count: int = 3) -> np.ndarray:
    return np.random.default_rng(1).uniform(-0.4, 0.4, (count, size))


@pytest.mark.parametrize("kind", ["bezier", "wave", "fourier"])
def test_sampled_families_are_the_families(kind):
    made = {"bezier": BezierFamily, "wave": WaveFamily}.get(kind)
    family = (
        FourierFamily.within(start(0).q, LENGTH, LIMITS)
        if made is None
        else made.within(start(0), LENGTH, LIMITS)
    )
    t, x = np.linspace(0.0, LENGTH, 7), some(family.size)
    found, expected = SampledFamily.of(family, t).motion(x), family.motion(x, t)
    one = SampledFamily.of(family, t).one(x[1])
    for name in ("q", "dq", "ddq"):
        assert np.allclose(getattr(found, name), getattr(expected, name), atol=1e-10)
        assert np.allclose(getattr(one, name), getattr(expected, name)[1], atol=1e-10)


def test_the_next_piece_begins_where_a_candidate_is_left():
    family = WaveFamily.within(start(2), LENGTH, LIMITS)
    x = some(family.size)[0]
    state = MotionState.of(family.trajectory(x), HANDOVER)
    following = next_piece(family, HANDOVER)
    expected = BezierPiece(state, ALONG * LENGTH * state.dq, LENGTH).at(following.time - HANDOVER)
    found = following.one(x)
    for name in ("q", "dq", "ddq"):
        assert np.allclose(getattr(found, name), getattr(expected, name), atol=1e-9)


def test_slopes_of_limits_count_the_next_piece():
    made = task(1)
    x, direction, h = 0.5 * some(made.family.size)[0], some(made.family.size)[1], 1e-6
    ahead, behind = made.usage(x[None] + h * direction), made.usage(x[None] - h * direction)
    numeric = (ahead - behind)[0, -3:].ravel() / (2 * h)
    found = (made.usage.gradient(x) @ direction)[-numeric.size :]
    smooth = np.ones(numeric.size, dtype=bool)
    smooth[: made.family.n] = np.isfinite(LIMITS.position_upper)
    assert np.allclose(found[smooth], numeric[smooth], atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_wave_pieces_can_be_followed_by_wave_pieces(seed):
    """Nothing within sampled limits leads to a state from which no family exists."""
    made = task(seed)
    pool = Search(made, seed, Counter(600), lambda: False).pool
    for x in pool.x[pool.promising][:30]:
        state = MotionState.of(made.family.trajectory(x), HANDOVER)
        WaveFamily.within(state, LENGTH, LIMITS)


@pytest.mark.slow
def test_an_interrupted_search_is_gone_on_with():
    made, calls = task(), []
    search = Search(made, 3, Counter(), lambda: False)
    before = search.pool.value[0]

    def late() -> bool:
        calls.append(0)
        return len(calls) > 8

    search.refine(1, late)
    cut_off = search.pool.value[0]
    assert not search.done and cut_off <= before
    search.refine(1, lambda: False)
    assert search.pool.value[0] < cut_off


@pytest.mark.slow
def test_more_time_never_makes_a_plan_worse():
    """What was certified first is kept unless a better motion is certified."""
    budget, gains = Budget(seconds=0.2, evaluations=np.inf), []
    for seed in range(2):
        made, asked = task(seed), []

        def once(motion: object, asked: list = asked) -> Verdict:
            asked.append(motion)
            return ACCEPT if len(asked) == 1 else REFUSE

        first = plan(made, once, budget, seed, Ticking())
        better = plan(made, lambda motion: ACCEPT, budget, seed, Ticking())
        assert isinstance(first, Plan) and first.trajectory is asked[0]
        assert max(first.seconds, better.seconds) <= budget.seconds
        gains.append(first.value - better.value)
    assert min(gains) >= 0.0 and max(gains) > 0.01


@pytest.mark.slow
def test_a_slow_certifier_leaves_no_time_to_go_on():
    clock = Ticking()

    def slow(motion: object) -> Verdict:
        clock.now += 0.5
        return ACCEPT

    found = plan(task(), slow, Budget(seconds=1.5), 1, clock)
    assert isinstance(found, Plan) and found.asked == 1 and found.seconds <= 1.5


@pytest.mark.slow
def test_what_is_returned_was_accepted():
    """Of many answers, the certificate is that of the motion that is returned."""
    answers = {}

    def certify(motion: object) -> Verdict:
        answers[f"certificate {len(answers)}"] = motion
        return Verdict(True, f"certificate {len(answers) - 1}")

    found = plan(task(), certify, Budget(evaluations=1200), 2, lambda: 0.0)
    assert answers[found.certificate] is found.trajectory and found.asked == len(answers)


@pytest.mark.slow
def test_going_on_is_deterministic_for_a_budget_of_evaluations():
    one, again = (
        plan(task(), lambda motion: ACCEPT, Budget(evaluations=700), 5, lambda: 0.0)
        for _ in range(2)
    )
    assert np.array_equal(one.parameters, again.parameters)


def test_a_motion_followed_to_its_end_needs_no_next_piece():
    made = task(4)
    x, fast = made.family.calm[None], replace(LIMITS, velocity=LIMITS.velocity / 2)
    whole = replace(made, horizon=LENGTH, limits=fast).usage(x)
    expected = fast.usage_by_joint(made.family.motion(x, made.usage.instants)).reshape(1, 3, 7)
    assert np.allclose(whole[:, -3:], expected)
