"""What a user states of the payload: estimates keep it, data that contradict it name it."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from arms import arm, record
from payload_id import PayloadPrior, Status, Uncertainty, identify
from payload_id.core.diagnosis.stated_knowledge import NAME
from payload_id.core.estimators import ESTIMATORS
from payload_id.core.knowledge.catalogue import (
    CentreNearPoint,
    KnownMass,
    SymmetricAboutAxis,
    knowledge_of,
)
from payload_id.core.knowledge.knowledge import NOTHING

USUAL = Uncertainty(
    torque_relative=0.025, link_relative=0.05, prior=PayloadPrior(mass_max=10.0, com_max=0.5)
)
PHI = np.array([1.2, 0.0, 0.0, 0.084, 0.0088, 0, 0, 0.0088, 0, 0.0015])  # about the z axis
TRUE = {"scales": KnownMass(1.21, 0.02), "axis": SymmetricAboutAxis((0, 0, 0), (0, 0, 1))}
ZERO = [1, 2, 5, 6, 8]  # parameters that are zero by the axis
WITHOUT_SHAPE = [name for name in ESTIMATORS if name != "point_masses"]


@lru_cache
def recording():
    """Return a run of the payload."""
    run = record(arm("gen3"), 2, phi=PHI, seconds=1.0)
    return run.measured(USUAL, "uniform", 2).samples


def found(knowledge=NOTHING, uncertainty=USUAL, **settings):
    """Return the estimate of the run with what is stated."""
    return identify(recording(), arm("gen3"), uncertainty, knowledge=knowledge, **settings)


@pytest.mark.parametrize("estimator", WITHOUT_SHAPE)
def test_every_estimate_lies_in_the_set_and_gives_the_same_verdict(estimator):
    known = found(knowledge_of(TRUE), estimator=estimator)
    assert abs(known.phi[0] - 1.21) <= 0.02 + 1e-5
    assert known.phi[ZERO] == pytest.approx(0.0, abs=1e-5)
    assert known.phi[4] == pytest.approx(known.phi[7], abs=1e-5)
    wrong = found(knowledge_of({"far": CentreNearPoint((1e14, 0, 0), 1.0)}), estimator=estimator)
    assert wrong.status is Status.INCONSISTENT and wrong.cause == NAME


@pytest.mark.parametrize("intervals", ["hull", "hull_lp"])
def test_a_false_statement_is_named(intervals):
    knowledge = knowledge_of({**TRUE, "data sheet": CentreNearPoint((0, 0, 0.3), 0.01)})
    wrong = found(knowledge, intervals=intervals)
    assert wrong.status is Status.INCONSISTENT and wrong.cause == NAME
    assert "'data sheet'" in wrong.message and "scales" not in wrong.message
    assert wrong.noise_factor > 1.0


def test_statements_that_only_together_are_false_are_all_named():
    wrong = found(knowledge_of({"one": KnownMass(2.4, 0.1), "other": KnownMass(2.45, 0.1)}))
    assert wrong.status is Status.INCONSISTENT and wrong.cause == NAME
    assert "'one', 'other'" in wrong.message


def test_inconsistent_data_are_not_blamed_on_what_is_stated():
    samples = replace(recording(), tau=recording().tau * [1, -1, 1, 1, 1, 1, 1])
    wrong = identify(samples, arm("gen3"), USUAL, knowledge=knowledge_of(TRUE))
    assert wrong.status is Status.INCONSISTENT
    assert wrong.cause not in ("", NAME)
