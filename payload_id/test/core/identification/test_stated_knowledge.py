"""What a user states of the payload: estimates keep it, data that contradict it name it."""

from dataclasses import replace
from functools import lru_cache

import cvxpy as cp
import numpy as np
import pytest

from arms import arm, record
from known_payloads import draw
from payload_id import OnlineIdentifier, PayloadPrior, Settings, Status, Uncertainty, identify
from payload_id.core.diagnosis.stated_knowledge import NAME
from payload_id.core.errors import InputError
from payload_id.core.estimators import ESTIMATORS
from payload_id.core.knowledge.catalogue import (
    CentreNearLine,
    CentreNearPoint,
    KnownMass,
    SymmetricAboutAxis,
    knowledge_of,
)
from payload_id.core.knowledge.convex import stated
from payload_id.core.knowledge.knowledge import NOTHING

USUAL = Uncertainty(
    torque_relative=0.025, link_relative=0.05, prior=PayloadPrior(mass_max=10.0, com_max=0.5)
)
PHI = np.array([1.2, 0.0, 0.0, 0.084, 0.0088, 0, 0, 0.0088, 0, 0.0015])  # about the z axis
TRUE = {
    "scales": KnownMass(1.21, 0.02),
    "axis": SymmetricAboutAxis((0, 0, 0), (0, 0, 1)),
}


@lru_cache
def recording(seconds=2.0, seed=2):
    return record(arm("gen3"), seed, phi=PHI, seconds=seconds).measured(USUAL, "uniform", seed)


def found(knowledge=NOTHING, **settings):
    run = recording()
    return identify(run.samples, run.model, USUAL, knowledge=knowledge, **settings)


@lru_cache
def found_without():
    """Return the estimate without any statement."""
    return found()


@lru_cache
def found_with():
    """Return the estimate with those that are true."""
    return found(knowledge_of(TRUE))


def test_estimate_and_intervals_keep_what_is_stated():
    plain, known = found_without(), found_with()
    assert known.contains(PHI).all()
    assert known.half_width[0] <= 0.02 + 1e-6 < plain.half_width[0]
    assert known.half_width[[1, 2, 5, 6, 8]] == pytest.approx(0.0, abs=1e-6)
    assert (known.half_width <= 1.001 * plain.half_width + 1e-9).all()
    assert abs(known.phi[0] - 1.21) <= 0.02 + 1e-6
    assert known.phi[[1, 2, 5, 6, 8]] == pytest.approx(0.0, abs=1e-6)
    assert known.phi[4] == pytest.approx(known.phi[7], abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [name for name in ESTIMATORS if name != "point_masses"])
def test_every_estimate_lies_in_the_set(estimator):
    known = found(knowledge_of(TRUE), estimator=estimator)
    assert abs(known.phi[0] - 1.21) <= 0.02 + 1e-5
    assert known.phi[[1, 2, 5, 6, 8]] == pytest.approx(0.0, abs=1e-5)


def test_estimate_is_nearer_to_the_truth():
    plain, known = found_without(), found_with()
    width = np.maximum(plain.half_width, 1e-6)
    error = [np.linalg.norm((each.phi - PHI) / width) for each in (plain, known)]
    assert error[1] < error[0]


def test_constraints_of_cvxpy_and_the_catalogue_agree():
    known = found(knowledge_of({"line": CentreNearLine((0, 0, 0), (0, 0, 1), 0.001)}))
    run = recording()
    own = identify(
        run.samples, run.model, USUAL,
        constraints=lambda phi: [cp.norm(phi[1:3]) <= 0.001 * phi[0]],
    )  # fmt: skip
    width = np.maximum(known.half_width, 1e-9)
    assert np.abs(own.lower - known.lower) / width == pytest.approx(0.0, abs=1e-3)
    assert np.abs(own.upper - known.upper) / width == pytest.approx(0.0, abs=1e-3)


def test_both_ways_of_stating_add_up():
    run = recording()
    both = identify(
        run.samples, run.model, USUAL, knowledge=knowledge_of({"scales": TRUE["scales"]}),
        constraints=lambda phi: [phi[1:3] == 0],
    )  # fmt: skip
    assert both.half_width[0] <= 0.02 + 1e-6
    assert both.half_width[[1, 2]] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("intervals", ["hull", "hull_lp"])
def test_a_false_statement_is_named(intervals):
    knowledge = knowledge_of({**TRUE, "data sheet": CentreNearPoint((0, 0, 0.3), 0.01)})
    wrong = found(knowledge, intervals=intervals)
    assert wrong.status is Status.INCONSISTENT
    assert wrong.cause == NAME
    assert "without 'data sheet' they would not" in wrong.message
    assert "scales" not in wrong.message
    assert wrong.noise_factor > 1.0


def test_bounds_far_beyond_any_payload_change_nothing():
    plain = found_without()
    run = recording()
    for constraints in (lambda phi: [phi[0] <= 1e14], lambda phi: [cp.norm(phi) <= 1e9]):
        known = identify(run.samples, run.model, USUAL, constraints=constraints)
        assert known.status is plain.status
        assert (known.half_width <= 1.001 * plain.half_width + 1e-9).all()
        assert (np.abs(known.phi - plain.phi) <= 1e-3 * plain.half_width + 1e-9).all()


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [name for name in ESTIMATORS if name != "point_masses"])
def test_a_false_statement_gives_the_same_verdict_with_every_estimator(estimator):
    wrong = found(knowledge_of({"far": CentreNearPoint((1e14, 0, 0), 1.0)}), estimator=estimator)
    assert wrong.status is Status.INCONSISTENT and wrong.cause == NAME


def test_statements_that_only_together_are_false_are_all_named():
    heavy = knowledge_of({"one": KnownMass(2.4, 0.1), "other": KnownMass(2.45, 0.1)})
    wrong = found(heavy)
    assert wrong.status is Status.INCONSISTENT and wrong.cause == NAME
    assert "any single one of 'one', 'other' does not help" in wrong.message


@pytest.mark.slow
def test_inconsistent_data_are_not_blamed_on_what_is_stated():
    run = recording()
    samples = replace(run.samples, tau=run.samples.tau * [1, -1, 1, 1, 1, 1, 1])
    wrong = identify(samples, run.model, USUAL, knowledge=knowledge_of(TRUE))
    assert wrong.status is Status.INCONSISTENT
    assert wrong.cause not in ("", NAME)


@pytest.mark.parametrize(
    "knowledge, names",
    [
        ({"scales": KnownMass(11.0, 0.5)}, ["'scales'", "prior.mass_max"]),
        ({"a": KnownMass(1.0), "b": KnownMass(2.0), "c": TRUE["axis"]}, ["'a', 'b'"]),
    ],
)
def test_contradictions_are_refused_before_any_data(knowledge, names):
    with pytest.raises(InputError) as caught:
        OnlineIdentifier(arm("gen3"), Settings(USUAL, knowledge=knowledge_of(knowledge)))
    assert all(name in str(caught.value) for name in names)
    assert "'c'" not in str(caught.value)


@pytest.mark.slow
def test_updates_only_narrow_and_repeat_bit_for_bit():
    run = recording()
    knowledge = stated(
        lambda phi: [cp.norm(phi[1:3]) <= 1e-3 * phi[0], cp.abs(phi[0] - 1.2) <= 0.03]
    )

    def history():
        settings = Settings(USUAL, knowledge=knowledge)
        online = OnlineIdentifier(run.model, settings)
        for start in range(0, len(run.samples), 180):
            online.add(run.samples.part(start, start + 180))
            yield online.update()

    one, other = list(history()), list(history())
    for a, b in zip(one, other, strict=True):
        assert (a.lower == b.lower).all() and (a.upper == b.upper).all()
        assert ((a.phi == b.phi) | np.isnan(a.phi)).all()
        assert a.contains(PHI).all()
    widths = np.array([each.half_width for each in one])
    assert (np.diff(widths, axis=0) <= 1e-15).all()


def test_before_any_data_the_intervals_are_those_of_what_is_stated():
    online = OnlineIdentifier(arm("gen3"), Settings(USUAL, knowledge=knowledge_of(TRUE)))
    empty = online.update()
    assert empty.status is Status.NO_DATA
    assert empty.half_width[0] == pytest.approx(0.02, rel=1e-6)
    online.reset()
    assert online.update().half_width[0] == pytest.approx(0.02, rel=1e-6)


def test_prior_of_the_run_counts_not_one_of_before():
    """Auxiliary variables get their ranges from the run's own prior."""
    knowledge = stated(lambda phi: [cp.sum_squares(phi[1:4]) <= 0.01])
    for mass_max in (1.5, 30.0):
        wide = replace(USUAL, prior=PayloadPrior(mass_max=mass_max, com_max=1.0))
        run = recording()
        estimate = identify(run.samples, run.model, wide, knowledge=knowledge)
        assert estimate.contains(PHI).all()


def test_payload_drawn_by_chance_is_identified_with_what_is_true_of_it():
    known, phi = draw("filled_container", np.random.default_rng(4))
    run = record(arm("gen3"), 7, phi=phi, seconds=2.0).measured(USUAL, "uniform", 7)
    estimate = identify(run.samples, run.model, USUAL, knowledge=knowledge_of({"tub": known}))
    assert estimate.contains(phi).all()
    assert estimate.status in (Status.GOOD, Status.USABLE)
