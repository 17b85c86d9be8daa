"""Criteria of motions: of stacked rows, near the hull, with slopes that are theirs."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from arms import arm, draw_payload
from made_history import with_history
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.bounds.hull import Hull, HullLP
from payload_id.core.bounds.interval import Interval, Memory
from payload_id.core.errors import InputError, UnknownNameError
from payload_id.core.excitation.candidates.there_and_back_candidates import ThereAndBackFamily
from payload_id.core.excitation.candidates.wave_candidates import WaveFamily
from payload_id.core.excitation.criteria import CRITERIA, criterion_named
from payload_id.core.excitation.criteria.calibrated_widths import CalibratedWidths
from payload_id.core.excitation.prediction.candidate_rows import (
    CandidateRows,
    Collected,
    RowPredictor,
)
from payload_id.core.history import (
    largest_scores,
    statistics_of,
)
from payload_id.core.history.error_size import Fitted
from payload_id.core.motion.limits import MotionLimits
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.statistics.posterior import Posterior
from payload_id.core.statistics.statistics import Statistics
from planning_scene import HOME, KNOWN, LIMITS, LOWER, PHI, UNSURE, UPPER, predictor, some, task


def rows_of_candidates(x: np.ndarray, horizon: float = 1.5) -> CandidateRows:
    return predictor().rows(lambda t: task().family.motion(x, t), horizon)


def test_collected_rows_count_like_new_ones_in_every_criterion():
    """Splitting a motion into what is collected and what is new changes nothing."""
    rows = rows_of_candidates(some(1))
    half, nothing = rows.A.shape[1] // 2, Collected.nothing(predictor().p)
    first, second = (
        CandidateRows(rows.A[:, part], rows.B[:, part], rows.d[:, part])
        for part in (slice(half), slice(half, None))
    )
    for name in CRITERIA:
        made = criterion_named(name, KNOWN, predictor())
        expected = pytest.approx(made.value(rows, nothing), abs=1e-9)
        assert made.value(second, nothing.plus(first)) == expected, name
    # Rows known by their sums only are guessed to be spread evenly: near, not equal.
    kept = nothing.plus(first)
    summed = replace(kept, kept=kept.kept[:0], condensed=len(kept.kept))
    for name in ("half_widths", "calibrated_widths"):
        made = criterion_named(name, KNOWN, predictor())
        assert made.value(second, summed) == pytest.approx(made.value(second, kept), abs=0.5)


def hull(rows: CandidateRows, method: Hull) -> np.ndarray:
    """Return the half widths of the hull of rows without noise."""
    zero = np.zeros(rows.A.shape[1])
    A, B, d = rows.A[0], rows.B[0], rows.d[0]
    block = RowBlock(A, np.zeros_like(A), B, A @ PHI, d, zero.astype(int), zero, zero)
    return method.bounds(block, Interval(LOWER, UPPER), Memory()).interval.half_width


def test_predicted_half_widths_follow_those_of_the_hull():
    """Over pieces of very different size; physical consistency is not part of the prediction."""
    made, nothing = criterion_named("half_widths", KNOWN), Collected.nothing(predictor().p)
    pairs = []
    for seed, size in enumerate((0.1, 0.3, 0.6, 1.0)):
        rows = rows_of_candidates(size * some(1, seed) / 0.6, 3.0)
        exact = hull(rows, HullLP())
        image = np.minimum(made.image(rows, nothing)[0], KNOWN)
        assert (exact <= image * (1 + 1e-6)).all()
        pairs.append(np.log([made.predicted(rows, nothing)[0], exact]))
    predicted, exact = np.array(pairs).mean(axis=2).T
    assert np.corrcoef(predicted, exact)[0, 1] > 0.97
    about = np.log(made.predicted(rows, nothing)[0] / hull(rows, Hull()))
    assert np.abs(about).mean() < np.log(2)


def test_gradients_are_those_of_finite_differences_whatever_is_uncertain():
    every = replace(UNSURE, torque_gain=0.05, torque_offset=0.2, friction_coulomb=1.0,
                    friction_viscous=0.5, rotor_inertia=0.3, stiction_velocity=0.2,
                    tool=(0.05, 0.0, 0.01, 0.01, *[1e-3] * 6))  # fmt: skip
    row_source = RowPredictor(with_history(MomentumRows.of(arm("gen3"), every)), PHI)
    before = row_source.rows(lambda t: task().family.motion(some(1, seed=7), t), 1.5)
    collected = Collected.nothing(row_source.p).plus(before)
    # Of some rows only sums are known.
    collected = replace(collected, kept=collected.kept[::2], condensed=len(collected.kept) // 2)
    family = WaveFamily.within(MotionState.at_rest(HOME), 3.0, LIMITS)
    steps = np.array([[2.0], [1.0], [-1.0], [-2.0]]) * 1e-5
    for name in CRITERIA:
        made = task(name, family="wave", predictor=row_source, collected=collected,
                    criterion=criterion_named(name, KNOWN, row_source))  # fmt: skip
        rng = np.random.default_rng(2)
        x = rng.uniform(-0.5, 0.5, family.size)
        slope, direction = made.gradient(x, made.rows(x[None])), rng.normal(size=family.size)
        f = made.value(x + steps * direction)
        expected = (-f[0] + 8 * f[1] - 8 * f[2] + f[3]) / 12e-5  # of fourth order
        assert slope @ direction == pytest.approx(expected, rel=1e-3, abs=1e-3), name


MODEL = arm("ur10")
STATED = Uncertainty(
    torque_absolute=5.0, torque_gain=0.1, torque_offset=6.0, link_relative=0.1, link_shift=0.01,
    friction_coulomb=40.0, friction_viscous=40.0, rotor_inertia=5.0, stiction_velocity=0.02,
    prior=PayloadPrior(10.0, 0.5),
)  # fmt: skip
ROWS = MomentumRows.of(MODEL, STATED)
LOAD = draw_payload(np.random.default_rng(1))
WIDE = np.subtract(*STATED.prior.box()[::-1]) / 2
START, SECONDS, WINDOW = np.array([0.3, -1.0, 0.8, -0.4, 0.5, 0.1]), 8.0, 0.2
WAYS = ThereAndBackFamily.within(
    START, SECONDS, MotionLimits(*(np.full(6, x) for x in (-2.5, 2.5, 1.4, 5.0, 300.0)))
)


def ways(count: int, seed: int = 0) -> np.ndarray:
    """Return motions there and back."""
    return WAYS.drawn(np.random.default_rng(seed).uniform(-1.0, 1.0, (count, WAYS.size)))


@lru_cache
def of_history() -> RowPredictor:
    return RowPredictor(with_history(ROWS), LOAD, window=WINDOW)


def calibrated(**changes: object) -> CalibratedWidths:
    made = CalibratedWidths.of(WIDE, of_history())
    return replace(made, history=replace(made.history, **changes))


def of_run(rows: CandidateRows, noise: np.ndarray) -> Statistics:
    """Return the statistics of predicted rows as if they had been measured, errors as stated."""
    A, B, d = rows.A[0], rows.B[0], rows.d[0]
    joint, zero = np.arange(len(d)) % len(noise), np.zeros(len(d))
    b = A @ LOAD + noise[joint] * d * np.random.default_rng(5).normal(size=len(d))
    block = RowBlock(A, np.zeros_like(A), B, b, d, joint, zero, zero)
    return Statistics.empty(B.shape[1]).add(block, np.zeros(10))


def test_expected_errors_are_those_of_the_posterior_of_such_rows():
    """Two runs of rows, the first collected; what the history has seen is as long, or shorter.

    The noise of the joints' rows, which the posterior estimates, is given to the criterion.
    """
    one, two = (of_history().rows(lambda t, x=x: WAYS.motion(x[None], t), 4.0) for x in ways(2))
    collected = Collected.nothing(of_history().p).plus(one)
    for longest in (10.0, 3.0):
        made = calibrated(seconds=np.full(20, longest))
        noise = np.sqrt(made.noise)
        run = of_run(one, noise).joined(of_run(two, noise)).thinned(min(1.0, longest / 8.0))
        posterior = Posterior.of(statistics_of(made.history).joined(run))
        own, load = Fitted(posterior, run, LOAD).parts(made.history.inflation)
        seen = np.tile(posterior.noise(6), (20, 1))
        known = calibrated(seconds=made.history.seconds, noise=seen)
        found = known.deviation(two, collected)[0]
        np.testing.assert_allclose(found, np.hypot(own, made.history.load_noise * load), rtol=0.01)
        widths = made.predicted(two, collected, 0.8)[0]
        expected = made.deviation(two, collected)[0] * largest_scores(made.history, 0.8)
        np.testing.assert_allclose(widths, expected)
    nothing = Collected.nothing(of_history().p)
    still = of_history().rows(lambda t: WAYS.motion(WAYS.calm[None], t), 8.0)
    assert made.value(two, nothing)[0] < made.value(still, nothing)[0] < 0.0


def test_a_criterion_that_cannot_be_had_is_refused():
    with pytest.raises(UnknownNameError, match="half_widths"):
        criterion_named("half_width", KNOWN)
    other = replace(ROWS, uncertainty=replace(STATED, torque_absolute=6.0))
    strange = RowPredictor(replace(other, model=with_history(ROWS).model), LOAD)
    for wrong, words in ((RowPredictor(ROWS, LOAD), "history"), (None, "history"),
                         (strange, "other bounds")):  # fmt: skip
        with pytest.raises(InputError, match=words):
            criterion_named("calibrated_widths", WIDE, wrong)
