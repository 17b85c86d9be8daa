"""The hull of rows and statements: valid whatever a solver did, and tight."""

from dataclasses import replace
from functools import lru_cache

import cvxpy as cp
import numpy as np
import pytest

from arms import ARMS, arm, record, rows_of
from known_payloads import KINDS, draw, excess
from payload_id.core.body.inertial import PSEUDO_INERTIA_BASIS
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
from payload_id.core.knowledge.convex import stated
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty

PRIOR = PayloadPrior(10.0, 0.5)
BOX = Interval(*PRIOR.box())
USUAL = Uncertainty(torque_relative=0.025, link_relative=0.05, prior=PRIOR)
TIGHT = 1e-4  # of a half-width
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)


def J_of(phi):
    """Return J as an expression of CVXPY."""
    return sum(phi[k] * PSEUDO_INERTIA_BASIS[k] for k in range(10))


def many(phi):
    """Constraints with every kind of cone, and auxiliary variables."""
    t = cp.Variable()
    inertia = cp.bmat(
        [[phi[4], phi[5], phi[6]], [phi[5], phi[7], phi[8]], [phi[6], phi[8], phi[9]]]
    )
    return [
        cp.norm(phi[1:4] - np.array([0.0, 0.0, 0.1]) * phi[0]) <= 0.02 * phi[0],
        phi[0] >= 1,
        phi[0] <= 2,
        cp.lambda_min(J_of(phi)) >= 1e-4,
        cp.sum_squares(phi[4:]) <= 0.01,
        cp.abs(phi[1]) <= t,
        t <= 0.01,
        inertia << 0.06 * np.eye(3),
    ]


def about_z(phi):
    """Textbook symmetry about the z axis through the origin."""
    return [phi[1] == 0, phi[2] == 0, phi[5] == 0, phi[6] == 0, phi[8] == 0, phi[4] == phi[7]]


def on_line(phi):
    """Centre of mass within 5 mm of the z axis."""
    return [cp.norm(phi[1:3]) <= 0.005 * phi[0], cp.abs(phi[0] - 1.2) <= 0.1]


def exact_hull(constraints, rows=None):
    """Return the hull as an independent program finds it."""
    phi, cost = cp.Variable(10), cp.Parameter(10)
    found = [*constraints(phi), J_of(phi) >> 0, phi >= BOX.lower, phi <= BOX.upper]
    found.append(PRIOR.shape() @ phi >= 0)
    if rows is not None:
        u = cp.Variable(rows.B.shape[1])
        left = cp.multiply(1.0 / rows.d, rows.A @ phi + rows.B @ u - rows.b)
        found += [cp.abs(left) <= 1, cp.abs(u) <= 1]
    problem, scale = cp.Problem(cp.Minimize(cost @ phi), found), np.maximum(BOX.magnitude, 1e-3)
    ends = np.zeros((2, 10))
    for k in range(10):
        for end, sign in enumerate((1.0, -1.0)):
            cost.value = sign * np.eye(10)[k] / scale[k]
            ends[end, k] = sign * scale[k] * problem.solve(solver=cp.CLARABEL)
    return Interval(*ends)


def assert_tight(found, exact):
    """Assert that an interval holds the exact hull, and is hardly wider."""
    room = TIGHT * exact.half_width + 1e-8
    solver = 1e-6 * np.maximum(exact.half_width, 1e-3)  # by which the reference may be off
    for wider in (exact.lower - found.lower, found.upper - exact.upper):
        assert (wider >= -solver).all() and (wider <= room).all(), wider / room


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
@pytest.mark.parametrize("constraints", [many, about_z])
def test_box_before_data_is_the_exact_one(constraints):
    found = BeforeData.of(stated(constraints), BOX, PRIOR.shape()).interval
    assert_tight(found, exact_hull(constraints))


@pytest.mark.slow
@pytest.mark.parametrize("constraints", [on_line, about_z])
def test_hull_of_rows_and_statements_is_the_exact_one(constraints):
    phi = np.array([1.2, 0.0, 0.0, 0.08, 0.02, 0, 0, 0.02, 0, 0.005])
    run = record(arm("gen3"), 5, phi=phi, seconds=1.0).measured(USUAL, "uniform", 5)
    rows = of_known_size(rows_of(run.model, USUAL, run.samples), phi)
    found = hull_of(rows, stated(constraints))
    assert found.consistent
    assert_tight(found.interval, exact_hull(constraints, rows))


@pytest.mark.slow
@EVERY_KIND
def test_intervals_contain_payloads_of_which_the_statement_is_true(kind):
    number = KINDS.index(kind)
    error = ("uniform", "vertices", "correlated")[number % 3]
    rows, knowledge, phi = run_of(kind, number, ARMS[number % 5], error, number % 4 != 3)
    for method in ("hull", ("hull_lp", "least_squares_image")[number % 2]):
        found = hull_of(rows, knowledge, method)
        assert found.consistent
        assert found.interval.contains(phi), method
        assert hull_of(rows, knowledge, method, found.memory).interval.contains(phi)


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
