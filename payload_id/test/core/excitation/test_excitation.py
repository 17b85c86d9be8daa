"""Dynamics of many states, criteria, and the search for motions."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from arms import EVERY_ARM, arm, draw_payload, joint_torques, random_states, record, rows_of
from made_history import with_history
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.bounds.hull import Hull, HullLP
from payload_id.core.bounds.interval import Interval, Memory
from payload_id.core.bounds.least_squares_image import image
from payload_id.core.errors import InputError, UnknownNameError
from payload_id.core.excitation.candidates.candidates import BezierFamily, FourierFamily
from payload_id.core.excitation.candidates.there_and_back_candidates import ThereAndBackFamily
from payload_id.core.excitation.candidates.wave_candidates import WaveFamily
from payload_id.core.excitation.criteria import CRITERIA, criterion_named
from payload_id.core.excitation.prediction.candidate_rows import (
    CandidateRows,
    Collected,
    RowPredictor,
)
from payload_id.core.excitation.prediction.dynamics import (
    arm_torque,
    kinematics,
    payload_regressor,
    regressor,
)
from payload_id.core.excitation.prediction.torque_slope import TorqueSlope
from payload_id.core.excitation.search.candidate_queue import Queue
from payload_id.core.excitation.search.candidate_search import Counter, Search
from payload_id.core.excitation.search.planning import Budget, NoPlan, Plan, plan
from payload_id.core.excitation.search.planning_task import PlanningTask
from payload_id.core.excitation.search.verdict import Verdict
from payload_id.core.motion.limits import MotionLimits
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.trajectory import Motion, even_edges
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.core.statistics.statistics import Statistics

UNSURE = Uncertainty(torque_relative=0.025, link_relative=0.05, prior=PayloadPrior(5.0, 0.3))
HOME = np.array([0.0, 0.26, 3.14, -2.27, 0.0, 0.96, 1.57])
PHI = from_mass_com_inertia(1.8, [0.01, 0.0, 0.08], 0.004 * np.eye(3))
LIMITS = MotionLimits(
    np.array([-np.inf, -2.24, -np.inf, -2.57, -np.inf, -2.09, -np.inf]),
    np.array([np.inf, 2.24, np.inf, 2.57, np.inf, 2.09, np.inf]),
    np.full(7, 1.2),
    np.full(7, 5.0),
    np.array([39.0] * 4 + [9.0] * 3),
)
LOWER, UPPER = UNSURE.prior.box()
KNOWN = (UPPER - LOWER) / 2
ACCEPT = Verdict(True, "certificate")


class StandingClock:
    """Time does not pass."""

    def __call__(self) -> float:
        return 0.0


@lru_cache(maxsize=1)
def predictor() -> RowPredictor:
    return RowPredictor(with_history(MomentumRows.of(arm("gen3"), UNSURE)), PHI)


def task(
    name: str = "condition_number", start: MotionState | None = None, **changes: object
) -> PlanningTask:
    family = BezierFamily.within(start or MotionState.at_rest(HOME), 3.0, LIMITS)
    half = 0.15 * np.abs(PHI) + 1e-3
    box = ParameterBox.around(arm("gen3"), (PHI - half, PHI + half), UNSURE)
    criterion = criterion_named(name, KNOWN, predictor())
    nothing = Collected.nothing(predictor().p)
    made = PlanningTask(family, predictor(), criterion, nothing, 1.5, LIMITS, box)
    return replace(made, **changes)


def some(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-0.6, 0.6, (count, 7))


@pytest.mark.parametrize("name", EVERY_ARM)
def test_torques_of_many_states_are_those_of_pinocchio(name):
    model, rng = arm(name), np.random.default_rng(1)
    q, dq = random_states(model, rng, 20)
    ddq = rng.normal(size=q.shape)
    phi = draw_payload(rng)
    state = kinematics(model, q, dq, ddq)
    expected = joint_torques(model, model.link_phi, phi, q, dq, ddq)
    found = arm_torque(state, model.link_phi) + payload_regressor(state) @ phi
    assert np.allclose(found, expected, atol=1e-10)
    every = regressor(state, slice(None))
    bodies = np.vstack([model.link_phi, phi])
    assert np.allclose(np.einsum("Nljk,lk->Nj", every, bodies), expected, atol=1e-10)


def test_predicted_rows_are_those_that_a_recording_gives():
    run = record(arm("gen3"), 3, PHI, seconds=1.05, rate=1000.0)
    real = rows_of(run.model, UNSURE, run.true)
    index = lambda t: np.round(t * 1000).astype(int)  # noqa: E731
    ddq = np.gradient(run.true.dq, run.true.stamp, axis=0, edge_order=2)

    def motion(t: np.ndarray) -> Motion:
        k = index(t)
        return Motion(t, run.true.q[None, k], run.true.dq[None, k], ddq[None, k])

    found = predictor().rows(motion, 1.0)
    assert found.A.shape[1] == len(real)
    scale = np.abs(real.A).max()
    assert np.allclose(found.A[0], real.A, atol=0.01 * scale)
    assert np.allclose(found.B[0], real.B, atol=0.01 * np.abs(real.B).max())
    assert np.allclose(found.d[0], real.d, rtol=0.1, atol=0.05 * real.d.max())


def test_collected_rows_count_like_new_ones():
    """Splitting a motion into what is collected and what is new changes no criterion."""
    made = task()
    rows = predictor().rows(lambda t: made.family.motion(some(1), t), 1.5)
    half = rows.A.shape[1] // 2
    first = CandidateRows(rows.A[:, :half], rows.B[:, :half], rows.d[:, :half])
    second = CandidateRows(rows.A[:, half:], rows.B[:, half:], rows.d[:, half:])
    nothing = Collected.nothing(predictor().p)
    for name in CRITERIA:
        criterion = criterion_named(name, KNOWN, predictor())
        whole = criterion.value(rows, nothing)
        assert criterion.value(second, nothing.plus(first)) == pytest.approx(whole, abs=1e-9)


def test_collected_rows_of_an_identification_are_those_of_its_statistics():
    run = record(arm("gen3"), 3, PHI, seconds=1.0)
    block = rows_of(run.model, UNSURE, run.true)
    magnitude = np.abs(PHI)
    statistics = Statistics.empty(block.B.shape[1]).add(block, magnitude)
    found = Collected.of(statistics, block, magnitude)
    whole = np.hstack([block.B, block.A]) / block.bound(magnitude)[:, None]
    assert np.allclose(found.weighted, whole.T @ whole, rtol=1e-8, atol=1e-6)
    assert np.allclose(found.plain, block.A.T @ block.A, atol=1e-9)
    assert found.condensed == 0
    # Rows known by their sums only are guessed to be spread evenly: near, not equal.
    condensed = Collected.of(statistics, RowBlock.empty(block.B.shape[1]), magnitude)
    new = predictor().rows(lambda t: task().family.motion(some(1), t), 1.5)
    criterion = criterion_named("half_widths", KNOWN)
    assert criterion.value(new, condensed) == pytest.approx(criterion.value(new, found), abs=0.4)


def test_the_condition_number_is_that_of_the_stacked_rows():
    made = task()
    rows = predictor().rows(lambda t: made.family.motion(some(2), t), 1.5, nuisance=False)
    nothing = Collected.nothing(0)
    both = criterion_named("condition_number", KNOWN).value(
        CandidateRows(rows.A[1:], rows.B[1:], rows.d[1:]), nothing.plus(rows, 0)
    )
    assert np.exp(both[0]) == pytest.approx(np.linalg.cond(np.vstack(rows.A)), rel=1e-6)


def test_log_det_is_that_of_the_schur_complement():
    made = task()
    rows = predictor().rows(lambda t: made.family.motion(some(1), t), 1.5)
    p, whole = predictor().p, rows.scaled[0]
    N = whole.T @ whole + np.diag(np.append(np.ones(p), KNOWN**-2.0))
    schur = N[p:, p:] - N[p:, :p] @ np.linalg.solve(N[:p, :p], N[:p, p:])
    expected = -np.linalg.slogdet(schur)[1] / 20
    found = criterion_named("log_det", KNOWN).value(rows, Collected.nothing(p))
    assert found[0] == pytest.approx(expected, abs=1e-8)


def _hull(rows: CandidateRows, phi: np.ndarray, method: Hull) -> np.ndarray:
    """Return the half widths of the hull of rows without noise."""
    zero = np.zeros(rows.A.shape[1])
    A, B, d = rows.A[0], rows.B[0], rows.d[0]
    block = RowBlock(A, np.zeros_like(A), B, A @ phi, d, zero.astype(int), zero, zero)
    return method.bounds(block, Interval(LOWER, UPPER), Memory()).interval.half_width


def predicted_and_exact(size: float, seed: int, method: Hull) -> tuple[np.ndarray, np.ndarray]:
    """Return logarithms of half widths of a random piece, as predicted and of the hull."""
    x = size * np.random.default_rng(seed).uniform(-1.0, 1.0, (1, 7))
    rows = predictor().rows(lambda t: task().family.motion(x, t), 3.0)
    criterion = criterion_named("half_widths", KNOWN)
    predicted = criterion.predicted(rows, Collected.nothing(predictor().p))[0]
    return np.log(predicted), np.log(_hull(rows, PHI, method))


def test_predicted_half_widths_follow_those_of_the_hull():
    """Over pieces of very different size; physical consistency is not part of the prediction."""
    sizes = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
    pairs = [predicted_and_exact(size, seed, HullLP()) for seed, size in enumerate(sizes)]
    predicted, exact = np.array(pairs).mean(axis=2).T
    assert np.corrcoef(predicted, exact)[0, 1] > 0.97


def test_predicted_half_widths_are_about_those_of_the_hull():
    pairs = [predicted_and_exact(size, seed, Hull()) for seed, size in enumerate((0.4, 0.9))]
    predicted, exact = np.array(pairs).transpose(1, 0, 2)
    assert np.abs(predicted - exact).mean() < np.log(2)


def test_the_image_contains_the_hull():
    rows = predictor().rows(lambda t: task().family.motion(some(1), t), 3.0)
    found = criterion_named("half_widths", KNOWN).image(rows, Collected.nothing(predictor().p))[0]
    assert (_hull(rows, PHI, HullLP()) <= np.minimum(found, KNOWN) * (1 + 1e-6)).all()


@pytest.mark.parametrize("name", sorted(CRITERIA))
def test_gradients_are_those_of_finite_differences(name):
    made, x, rng = task(name), some(1, seed=4)[0], np.random.default_rng(0)
    slope = made.gradient(x, made.rows(x[None]))
    for _ in range(3):
        direction = rng.normal(size=7)
        steps = np.array([[2.0], [1.0], [-1.0], [-2.0]]) * 1e-4 * direction
        f = made.value(x + steps)
        expected = (-f[0] + 8 * f[1] - 8 * f[2] + f[3]) / 12e-4  # of fourth order
        assert slope @ direction == pytest.approx(expected, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("name", sorted(CRITERIA))
def test_gradients_know_everything_that_may_be_uncertain(name):
    every = replace(UNSURE, torque_gain=0.05, torque_offset=0.2, friction_coulomb=1.0,
                    friction_viscous=0.5, rotor_inertia=0.3, stiction_velocity=0.2,
                    tool=(0.05, 0.0, 0.01, 0.01, *[1e-3] * 6))  # fmt: skip
    row_source = RowPredictor(with_history(MomentumRows.of(arm("gen3"), every)), PHI)
    before = row_source.rows(lambda t: task().family.motion(some(1, seed=7), t), 1.5)
    collected = Collected.nothing(row_source.p).plus(before)
    # Of some rows only sums are known.
    collected = replace(collected, kept=collected.kept[::2], condensed=len(collected.kept) // 2)
    family = WaveFamily.within(MotionState.at_rest(HOME), 3.0, LIMITS)
    made = task(name, family=family, predictor=row_source, collected=collected,
                criterion=criterion_named(name, KNOWN, row_source))  # fmt: skip
    rng = np.random.default_rng(2)
    x = rng.uniform(-0.5, 0.5, family.size)
    slope, direction = made.gradient(x, made.rows(x[None])), rng.normal(size=family.size)
    f = made.value(x + np.array([[2.0], [1.0], [-1.0], [-2.0]]) * 1e-5 * direction)
    expected = (-f[0] + 8 * f[1] - 8 * f[2] + f[3]) / 12e-5
    assert slope @ direction == pytest.approx(expected, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("name", EVERY_ARM)
def test_slopes_of_torques_are_those_of_the_regressor(name):
    model, rng = arm(name), np.random.default_rng(3)
    n, h = model.n, 1e-6
    state = rng.normal(size=(3, 4, n))
    at, joint = np.array([0, 3, 1, 3, 2]), rng.integers(0, n, 5)
    bodies = rng.normal(size=(5, n + 1, 10))  # of no real body

    def sums(q, dq, ddq):
        W = regressor(kinematics(model, q, dq, ddq), slice(0, n + 1))
        return np.einsum("klc,klc->k", W[at, :, joint], bodies)

    found = TorqueSlope(model)(Motion(np.arange(4.0), *state), at, joint, bodies)
    for part, i in np.ndindex(3, n):
        step = np.zeros((3, 1, n))
        step[part, 0, i] = h
        numeric = (sums(*(state + step)) - sums(*(state - step))) / (2 * h)
        assert np.abs(found[:, part, i] - numeric).max() < 1e-6 * np.abs(found).max()


def test_a_disturbance_without_bound_leaves_calmer_candidates():
    made = task()
    pool = Search(made, 0, Counter(200), lambda: False).pool
    queue = Queue(made, pool)
    first = queue.next(hurry=False)
    queue.refused(first, Verdict(False, torque=np.full(7, np.inf)))
    second = queue.next(hurry=False)
    calm = made.family.calm
    assert second is not None
    assert np.linalg.norm(second - calm) < np.linalg.norm(first - calm)


def test_unknown_criteria_are_refused():
    with pytest.raises(UnknownNameError, match="half_widths"):
        criterion_named("half_width", KNOWN)


def test_sampled_torques_hold_for_every_corner_of_the_box():
    made, x = task(), some(2)
    usage = made.usage(x)[:, :-3]
    motion = made.family.motion(x, made.usage.instants)
    rng, model = np.random.default_rng(0), arm("gen3")
    for _ in range(20):
        phi = np.where(rng.random(10) < 0.5, made.box.payload_lower, made.box.payload_upper)
        links = np.where(rng.random((7, 10)) < 0.5, made.box.links_lower, made.box.links_upper)
        for c in range(2):
            states = motion.q[c], motion.dq[c], motion.ddq[c]
            torque = np.abs(joint_torques(model, links, phi, *states)) / LIMITS.torque
            torque[made.usage.instants >= 1.5] /= 0.93
            # The links' share is that of typical motions, not of these ones.
            assert (torque <= usage[c] + 0.02).all()


def test_a_usage_gradient_is_that_of_finite_differences():
    made, x = task(), some(1, seed=2)[0]
    value, jacobian = made.usage(x[None])[0].ravel(), made.usage.gradient(x)
    direction, h = np.ones(7), 1e-4
    ahead, behind = made.usage(x[None] + h * direction), made.usage(x[None] - h * direction)
    numeric = ((ahead - behind) / (2 * h)).ravel()
    smooth = np.abs(value) > 0.01  # |torque| has a kink at 0, and extrema over time jump
    error = np.abs(jacobian @ direction - numeric)[smooth]
    assert np.quantile(error, 0.97) < 1e-3


def test_every_candidate_of_the_bezier_family_keeps_kinematic_limits():
    start = MotionState.of(task().family.trajectory(0.7 * np.ones(7)), 1.5)
    family = BezierFamily.within(start, 3.0, LIMITS)
    for x in np.vstack([np.ones(7), -np.ones(7), some(10)]):
        found = family.trajectory(x).ranges(even_edges(family.trajectory(x), 0.05))
        assert (found.q_upper <= LIMITS.position_upper).all()
        assert (found.q_lower >= LIMITS.position_lower).all()
        assert np.maximum(found.dq_upper, -found.dq_lower).max() <= 1.2
        assert np.maximum(found.ddq_upper, -found.ddq_lower).max() <= 5.0


def test_the_box_of_the_bezier_family_uses_up_a_limit():
    family = task().family
    found = [family.trajectory(x) for x in (np.ones(7), -np.ones(7))]
    ranges = [one.ranges(even_edges(one, 0.05)) for one in found]
    speed = np.maximum.reduce([np.maximum(r.dq_upper, -r.dq_lower).max(axis=0) for r in ranges])
    position = np.maximum.reduce([np.abs(r.q_upper).max(axis=0) for r in ranges])
    near = (speed > 0.99 * 1.2) | (position > 0.99 * LIMITS.position_upper)
    assert near.all()


def family_named(name: str):
    if name in ("fourier", "there_and_back"):
        made = {"fourier": FourierFamily, "there_and_back": ThereAndBackFamily}[name]
        return made.within(HOME, 10.0, LIMITS)
    start = MotionState.of(task().family.trajectory(0.5 * np.ones(7)), 1.5)
    return {"bezier": BezierFamily, "wave": WaveFamily}[name].within(start, 3.0, LIMITS)


def test_drawn_waves_keep_the_limits_joint_by_joint():
    family = family_named("wave")
    x = family.drawn(np.random.default_rng(0).uniform(-1, 1, (5, family.size)))
    for one in x:
        found = family.trajectory(one).ranges(even_edges(family.trajectory(one), 0.05))
        assert (found.q_upper <= LIMITS.position_upper).all()
        assert (found.q_lower >= LIMITS.position_lower).all()
        assert np.maximum(found.dq_upper, -found.dq_lower).max() <= 1.2 * 1.002
        assert np.maximum(found.ddq_upper, -found.ddq_lower).max() <= 5.0 * 1.01


@pytest.mark.parametrize("family", ["bezier", "wave", "fourier", "there_and_back"])
def test_candidates_in_a_batch_are_the_motions_one_by_one(family):
    made = family_named(family)
    assert getattr(made, "count", 2) == 2  # pieces of a path there and back
    x = np.random.default_rng(0).uniform(-1, 1, (4, made.size))
    middle = made.duration / 2 + np.array([-0.1, 0.03])
    t = np.append(np.linspace(0.0, made.duration, 9), middle)
    batch = made.motion(x, t)
    for c in range(4):
        one = made.trajectory(x[c]).at(t)
        for kind in ("q", "dq", "ddq"):
            assert np.allclose(getattr(batch, kind)[c], getattr(one, kind), atol=1e-10)


def test_a_state_from_which_no_piece_keeps_the_limits_is_refused():
    fast = MotionState(HOME, np.array([0, 0, 0, -1.2, 0, 0, 0.0]), np.zeros(7))
    with pytest.raises(InputError, match="joint number 4"):
        BezierFamily.within(fast, 3.0, LIMITS)


def test_the_plan_is_better_than_the_random_candidates_and_keeps_the_limits():
    made = task()
    found = plan(made, lambda motion: ACCEPT, Budget(evaluations=900), 1, StandingClock())
    assert isinstance(found, Plan)
    random = np.random.default_rng(5).uniform(-1.0, 1.0, (100, 7))
    feasible = random[made.usage(random).max(axis=(1, 2)) <= 1.0]
    assert found.value < np.sort(made.value(feasible))[0]
    assert made.usage(found.parameters[None]).max() <= 1.0
    assert found.certificate == "certificate"


@pytest.mark.slow
def test_the_same_seed_gives_the_same_plan_and_another_one_does_not():
    made = task()
    one, again, other = (
        plan(made, lambda motion: ACCEPT, Budget(evaluations=400), seed, StandingClock())
        for seed in (7, 7, 8)
    )
    assert np.array_equal(one.parameters, again.parameters) and one.value == again.value
    assert not np.array_equal(one.parameters, other.parameters)


def test_only_what_the_certifier_accepts_is_returned_best_first():
    made, asked = task(), []

    def certify(motion: object) -> Verdict:
        asked.append(motion)
        return ACCEPT if len(asked) == 4 else Verdict(False, "no", "not this one", 0.1)

    found = plan(made, certify, Budget(evaluations=400), 1, StandingClock())
    assert isinstance(found, Plan) and found.trajectory is asked[3]
    assert found.asked == len(asked)


def test_missing_torque_makes_the_next_candidates_calmer():
    """The certifier allows 40 % of the way from the calm motion's torque to the first plan's."""
    made = task()

    def torque(x: np.ndarray) -> np.ndarray:
        return (made.usage(x[None])[0, :-3] * LIMITS.torque).max(axis=0)

    calm, used = torque(made.family.calm), []

    def certify(motion: object) -> Verdict:
        used.append(torque(found_parameters(made, motion)))
        over = np.maximum(used[-1] - np.maximum(1.1 * calm + 0.5, 0.6 * calm + 0.4 * used[0]), 0.0)
        if not over.any():
            return ACCEPT
        return Verdict(False, "refusal", "too much torque", (over / LIMITS.torque).max(), over)

    found = plan(made, certify, Budget(evaluations=400), 1, StandingClock())
    assert isinstance(found, Plan) and 1 < found.asked <= 6


def found_parameters(made: PlanningTask, motion) -> np.ndarray:
    """Return the x of a Bezier piece."""
    family = made.family
    middle, half = (family.lower + family.upper) / 2, (family.upper - family.lower) / 2
    return (motion.k - middle) / half


def test_a_hopeless_task_is_a_refusal_with_the_nearest_reason():
    calls = []

    def certify(motion: object) -> Verdict:
        calls.append(motion)
        miss = 0.5 if len(calls) != 3 else 0.2
        return Verdict(False, f"refusal {len(calls)}", f"reason {len(calls)}", miss)

    found = plan(task(), certify, Budget(evaluations=300), 1, StandingClock())
    assert isinstance(found, NoPlan)
    assert "reason 3" in found.reason and found.nearest == "refusal 3"
    assert found.asked == len(calls) <= 20


def test_no_answer_later_than_the_budget():
    """A certifier that takes 0.4 s is asked only while its answer comes in time."""
    now = [0.0]

    def clock() -> float:
        now[0] += 1e-3
        return now[0]

    def certify(motion: object) -> Verdict:
        now[0] += 0.4
        return Verdict(False, "no", "too slow", 0.1)

    found = plan(task(), certify, Budget(seconds=1.5), 1, clock)
    assert isinstance(found, NoPlan) and found.seconds <= 1.5 and found.asked >= 2
    rushed = plan(task(), certify, Budget(seconds=-1.0), 1, clock)
    assert isinstance(rushed, NoPlan) and rushed.nearest is None and "before any" in rushed.reason


def test_candidates_near_collision_are_asked_for_last():
    made = task()
    clear = lambda q: np.where(q[:, -1, 0] > 0.0, 1.0, -1.0)  # noqa: E731  first joint turns left
    found = plan(
        replace(made, clearance=clear),
        lambda m: ACCEPT,
        Budget(evaluations=600),
        1,
        StandingClock(),
    )
    assert found.trajectory.at(np.array([3.0])).q[0, 0] > 0.0


def test_the_image_of_the_rows_method_agrees_when_nothing_was_known():
    """With payload rows alone the criterion's image is that of `least_squares_image`, weighted."""
    exact = replace(UNSURE, link_relative=0.0, torque_relative=0.0, torque_absolute=1.0)
    alone = RowPredictor(MomentumRows.of(arm("gen3"), exact), PHI)
    rows = alone.rows(lambda t: task().family.motion(some(1), t), 3.0)
    zero = np.zeros(rows.A.shape[1])
    A, d = rows.A[0], rows.d[0]
    block = RowBlock(A, np.zeros_like(A), rows.B[0], A @ PHI, d, zero.astype(int), zero, zero)
    wide = np.full(10, 1e6)
    found = criterion_named("half_widths", wide).image(rows, Collected.nothing(0))[0]
    assert np.allclose(found, image(block, Interval(-wide, wide)).half_width, rtol=1e-3)
