"""The hull of rows and statements: valid whatever a solver did, and tight."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from arms import arm, record, rows_of
from known_payloads import KINDS, draw, excess
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.bounds import METHODS, Interval, Memory
from payload_id.core.bounds.before_data import BeforeData
from payload_id.core.bounds.conic_cuts import cones_of, widened
from payload_id.core.bounds.cutting_planes import CuttingPlanes
from payload_id.core.bounds.nearest import nearest
from payload_id.core.bounds.scaled_rows import ScaledRows
from payload_id.core.bounds.verified import safe_minimum
from payload_id.core.knowledge.catalogue import (
    knowledge_of,
)
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty

PRIOR = PayloadPrior(10.0, 0.5)
BOX = Interval(*PRIOR.box())
USUAL = Uncertainty(torque_relative=0.025, link_relative=0.05, prior=PRIOR)
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)


@lru_cache
def run_of(kind, seed=1, name="gen3", error="uniform", tolerant=True):
    """Return rows of a run, what is known of its payload, and the payload."""
    known, phi = draw(kind, np.random.default_rng(seed), tolerant)
    run = record(arm(name), seed, phi=phi, seconds=1.0).measured(USUAL, error, seed)
    return rows_of(run.model, USUAL, run.samples), knowledge_of({kind: known}), phi


def of_known_size(rows, phi):
    """Return rows whose bounds do not depend on phi, of which the hull takes one pass."""
    return replace(rows, d=rows.bound(np.abs(phi)), A_error=np.zeros_like(rows.A))


def hull_of(rows, knowledge, method="hull", memory=None):
    """Return the bounds with what is stated."""
    ready = BeforeData.of(knowledge, BOX, PRIOR.shape())
    return METHODS[method]().bounds(
        rows, ready.interval, memory or Memory(), PRIOR.shape(), ready.stated
    )


@lru_cache
def hulls_of(kind):
    """Return the intervals of the usual run without and with what is stated."""
    rows, knowledge, phi = run_of(kind)
    rows = of_known_size(rows, phi)
    return hull_of(rows, knowledge_of({})).interval, hull_of(rows, knowledge).interval


@pytest.mark.slow
@EVERY_KIND
def test_proven_bounds_hold_for_any_multipliers(kind):
    """The true payload keeps every bound that is proven, whatever multipliers a solver gives."""
    rng = np.random.default_rng(1)
    rows, knowledge, phi = run_of(kind)
    ready = BeforeData.of(knowledge, BOX, PRIOR.shape())
    rows = of_known_size(widened(rows, ready.stated), phi)
    scaled = ScaledRows.of(rows, ready.interval, rows.d)
    cuts = CuttingPlanes(scaled, cones_of(PRIOR.shape(), ready.stated)).cuts
    for _ in range(5):  # cuts at places where cones are broken
        cuts.separate(rng.normal(size=len(scaled.lower)) * 3)
    for scale in np.repeat([1e-6, 1.0, 1e3], 10):
        objective = rng.normal(size=10) / BOX.magnitude
        y = scale * rng.normal(size=len(rows)) / rows.d * rng.integers(0, 2, len(rows))
        z = scale * rng.normal(size=len(cuts.numbers))
        least = safe_minimum(objective, rows, rows.d, y, cuts.cuts, z, ready.interval)
        assert least <= objective @ phi


@pytest.mark.slow
@EVERY_KIND
def test_nearest_point_lies_in_the_set(kind):
    """A point of the set stays; one outside is brought to where every statement holds."""
    rows, knowledge, phi = run_of(kind)
    ready, (_, found) = BeforeData.of(knowledge, BOX, PRIOR.shape()), hulls_of(kind)
    inside = nearest(rows, found, phi, PRIOR.shape(), BOX, ready.stated)
    assert (inside == phi).all()
    outside = phi + 3 * found.half_width
    brought = nearest(rows, found, outside, PRIOR.shape(), BOX, ready.stated)
    assert brought == pytest.approx(np.clip(brought, found.lower, found.upper), abs=1e-6)
    assert max(excess(each, brought) for each in ready.stated.statements) < 1e-5
