"""Expected errors by an arm's history before a motion, and what going both ways does to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import pytest

from arms import arm, draw_payload, record, rows_of
from made_history import with_history
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import InputError
from payload_id.core.excitation.candidates.there_and_back_candidates import ThereAndBackFamily
from payload_id.core.excitation.criteria import criterion_named
from payload_id.core.excitation.criteria.calibrated_widths import CalibratedWidths
from payload_id.core.excitation.prediction.candidate_rows import (
    CandidateRows,
    Collected,
    RowPredictor,
)
from payload_id.core.history import (
    KnownRun,
    Load,
    calibrated_interval,
    largest_scores,
    learn_history,
    statistics_of,
)
from payload_id.core.history.error_size import ErrorSize
from payload_id.core.motion.limits import MotionLimits
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.there_and_back import there_and_back
from payload_id.core.motion.trajectory import Trajectory, even_edges, sampled
from payload_id.core.motion.wave import WavePiece
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.simulation.realistic_arm import RealisticArm
from payload_id.core.statistics.posterior import Posterior
from payload_id.core.statistics.statistics import Statistics

MODEL = arm("ur10")
STATED = Uncertainty(
    torque_absolute=5.0, torque_gain=0.1, torque_offset=6.0, link_relative=0.1, link_shift=0.01,
    friction_coulomb=40.0, friction_viscous=40.0, rotor_inertia=5.0, stiction_velocity=0.02,
    prior=PayloadPrior(10.0, 0.5),
)  # fmt: skip
ROWS = MomentumRows.of(MODEL, STATED)
PHI = draw_payload(np.random.default_rng(1))
KNOWN = np.subtract(*STATED.prior.box()[::-1]) / 2
LIMITS = MotionLimits(
    np.full(6, -2.5), np.full(6, 2.5), np.full(6, 1.4), np.full(6, 5.0), np.full(6, 300.0)
)
START, LENGTH, WINDOW = np.array([0.3, -1.0, 0.8, -0.4, 0.5, 0.1]), 8.0, 0.2


def family(duration: float = LENGTH) -> ThereAndBackFamily:
    return ThereAndBackFamily.within(START, duration, LIMITS)


def some(count: int, seed: int = 0) -> np.ndarray:
    made = family()
    return made.drawn(np.random.default_rng(seed).uniform(-1.0, 1.0, (count, made.size)))


@lru_cache
def predictor() -> RowPredictor:
    return RowPredictor(with_history(ROWS), PHI, window=WINDOW)


def criterion(**changes: object) -> CalibratedWidths:
    made = CalibratedWidths.of(KNOWN, predictor())
    return replace(made, history=replace(made.history, **changes))


def of_run(rows: CandidateRows, noise: np.ndarray, phi: np.ndarray) -> Statistics:
    """Return the statistics of predicted rows as if they had been measured, errors as stated."""
    A, B, d = rows.A[0], rows.B[0], rows.d[0]
    joint = np.arange(len(d)) % len(noise)
    rng = np.random.default_rng(5)
    b = A @ phi + noise[joint] * d * rng.normal(size=len(d))
    zero = np.zeros(len(d))
    block = RowBlock(A, np.zeros_like(A), B, b, d, joint, zero, zero)
    return Statistics.empty(B.shape[1]).add(block, np.zeros(10))


@pytest.mark.parametrize("longest", [10.0, 3.0])
def test_expected_errors_are_those_of_the_posterior_of_such_rows(longest):
    """Two runs of rows, the first collected; what the history has seen is as long, or shorter.

    The noise of the joints' rows, which the posterior estimates, is given to the criterion.
    """
    made, motions = criterion(seconds=np.full(20, longest)), family()
    one, two = (predictor().rows(lambda t, k=k: motions.motion(some(2)[[k]], t), 4.0)
                for k in range(2))  # fmt: skip
    collected = Collected.nothing(predictor().p).plus(one)
    noise = np.sqrt(made.noise)
    run = of_run(one, noise, PHI).joined(of_run(two, noise, PHI))
    run = run.thinned(min(1.0, longest / 8.0))
    posterior = Posterior.of(statistics_of(made.history).joined(run))
    size = ErrorSize(made.history.inflation, made.history.load_noise)
    seen = np.tile(posterior.noise(6), (20, 1))
    found = criterion(seconds=made.history.seconds, noise=seen).deviation(two, collected)[0]
    np.testing.assert_allclose(found, size.of(posterior, run, PHI), rtol=0.01)
    found = made.deviation(two, collected)[0]
    level = 0.8
    widths = made.predicted(two, collected, level)[0]
    np.testing.assert_allclose(widths, found * largest_scores(made.history, level))


def test_rows_known_by_their_sums_count_about_as_if_they_were_known():
    made, motions = criterion(), family()
    one, two = (predictor().rows(lambda t, k=k: motions.motion(some(2)[[k]], t), 4.0)
                for k in range(2))  # fmt: skip
    kept = Collected.nothing(predictor().p).plus(one)
    summed = replace(kept, kept=kept.kept[:0], condensed=len(kept.kept))
    ratio = made.deviation(two, summed) / made.deviation(two, kept)
    assert (np.abs(np.log(ratio)) < 0.7).all()
    assert (made.deviation(two, summed) < made.deviation(two, Collected.nothing(ROWS.p))).all()


def test_nothing_is_expected_to_be_wider_than_what_was_known_before():
    still = predictor().rows(lambda t: family().motion(family().calm[None], t), 8.0)
    nothing = Collected.nothing(predictor().p)
    made = criterion()
    assert -1.0 < made.value(still, nothing)[0] < 0.0
    moving = predictor().rows(lambda t: family().motion(some(1), t), 8.0)
    assert made.value(moving, nothing)[0] < made.value(still, nothing)[0]


def test_a_history_is_asked_for():
    bare = RowPredictor(ROWS, PHI)
    for wrong in (bare, None):
        with pytest.raises(InputError, match="calibrate --history"):
            criterion_named("calibrated_widths", KNOWN, wrong)
    other = replace(ROWS, uncertainty=replace(STATED, torque_absolute=6.0))
    with pytest.raises(InputError, match="other bounds"):
        known = replace(other, model=with_history(ROWS).model)
        criterion_named("calibrated_widths", KNOWN, RowPredictor(known, PHI))


def test_every_drawn_motion_there_and_back_keeps_the_limits_and_ends_where_it_began():
    assert family().count == 1
    for x in some(5):
        motion = family().trajectory(x)
        assert motion.duration == pytest.approx(LENGTH)
        found = motion.ranges(even_edges(motion, 0.05))
        assert (found.q_upper <= 2.5).all() and (found.q_lower >= -2.5).all()
        assert found.speed.max() <= 1.4 * 1.002 and found.acceleration.max() <= 5.0 * 1.01
        ends = motion.at(np.array([0.0, LENGTH]))
        assert np.allclose(ends.q, START) and np.abs([ends.dq, ends.ddq]).max() < 1e-9
    with pytest.raises(InputError, match="cannot rest"):
        ThereAndBackFamily.within(START, 0.1, LIMITS)


@dataclass(frozen=True)
class Followed:
    """A trajectory as `record` takes it."""

    trajectory: Trajectory

    def at(self, t: np.ndarray) -> tuple[np.ndarray, ...]:
        motion = self.trajectory.at(t)
        return motion.q, motion.dq, motion.ddq


def error_under_odd_torques(motion: Trajectory) -> np.ndarray:
    """Return what friction that nobody models does to the estimate of phi, shape (10,)."""
    run = record(MODEL, 0, PHI, seconds=motion.duration, motion=Followed(motion))
    v, tau = run.true.dq, run.true.tau
    stribeck = 8.0 * np.exp(-((v / 0.1) ** 2)) * np.sign(v)
    friction = (10.0 + 0.08 * np.abs(tau)) * np.sign(v) + 12.0 * v + stribeck
    samples = replace(run.true, tau=tau + friction)
    # Even parameters are at the middle of their boxes, to which a worse fit draws them.
    block = rows_of(MODEL, replace(STATED, torque_gain=0.0, rotor_inertia=0.0), samples)
    found = Statistics.empty(block.B.shape[1]).add(block, np.zeros(10))
    return Posterior.of(found).phi - PHI


def test_friction_that_nobody_models_leaves_the_payload_alone_on_both_ways():
    """Friction with load and Stribeck's curve: a fit on one way errs, a fit on both does not."""
    rng = np.random.default_rng(3)
    k, waves = rng.uniform(-1.0, 1.0, 6), 0.4 * rng.normal(size=(6, 2))
    path = WavePiece(MotionState.at_rest(START), k, waves, 3.9)
    both = error_under_odd_torques(there_and_back(path, 0.2))
    once = error_under_odd_torques(WavePiece(MotionState.at_rest(START), k, waves, 8.0))
    assert (np.abs(once[:4]) > 0.05).all()
    assert np.abs(both[:4]).max() < 1e-3


@pytest.mark.slow
def test_what_is_expected_before_a_run_is_what_its_interval_shows():
    """Arms with drives as they are: the criterion knows motion and load, the interval the run."""
    real, rng = RealisticArm.drawn(MODEL, "ur_like", 4), np.random.default_rng(8)
    drawn, known = some(9, seed=1), []
    loads = [draw_payload(rng) if k % 3 else np.zeros(10) for k in range(9)]
    for k, (x, phi) in enumerate(zip(drawn, loads, strict=True)):
        motion = sampled(family().trajectory(x), 100.0)
        samples = real.run(motion, phi, k, k, rate=100.0).samples
        known.append(KnownRun.of(f"run {k}", samples, Load.of_mass(phi[0]), ROWS, WINDOW))
    history = learn_history(known[:6], ROWS, WINDOW)
    nothing, ratios = Collected.nothing(ROWS.p), []
    for run, x, phi in zip(known[6:], drawn[6:], loads[6:], strict=True):
        found = calibrated_interval(history, run.statistics, run.motion, run.seconds, 0.8)
        half = (found.upper - found.lower)[0] / 2
        made = replace(criterion(), history=history, payload=phi)
        of_load = replace(predictor(), payload=phi)
        rows = of_load.rows(lambda t, x=x: family().motion(x[None], t), LENGTH)
        ratios.append(made.predicted(rows, nothing, 0.8)[0, 0] / half)
    assert (0.6 < np.array(ratios)).all() and (np.array(ratios) < 1.3).all(), ratios
