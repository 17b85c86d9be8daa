"""The hull of rows and statements: valid whatever a solver did, and tight."""

from dataclasses import replace
from functools import lru_cache

import cvxpy as cp
import numpy as np
import pytest

from arms import ARMS, arm, record, rows_of
from known_payloads import KINDS, draw
from payload_id.core.body.inertial import PSEUDO_INERTIA_BASIS
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.bounds import METHODS, Interval, Memory, hull, linear_program
from payload_id.core.bounds.before_data import BeforeData
from payload_id.core.bounds.linear_program import LinearProgram
from payload_id.core.bounds.nearest import nearest
from payload_id.core.bounds.scaled_rows import ScaledRows
from payload_id.core.bounds.stated_cuts import StatedCuts, broken_duals, safe_cuts, widened
from payload_id.core.bounds.verified import safe_minimum
from payload_id.core.errors import SolverError
from payload_id.core.knowledge.catalogue import (
    CentreNearLine,
    KnownMass,
    MirrorPlane,
    SymmetricAboutAxis,
    knowledge_of,
)
from payload_id.core.knowledge.convex import stated
from payload_id.core.knowledge.statement import matrix
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.row_block import RowBlock

PRIOR = PayloadPrior(10.0, 0.5)
BOX = Interval(*PRIOR.box())
USUAL = Uncertainty(torque_relative=0.025, link_relative=0.05, prior=PRIOR)
TIGHT = 1e-4  # of a half-width


def J_of(phi):
    """Return J as an expression of CVXPY."""
    return sum(phi[k] * PSEUDO_INERTIA_BASIS[k] for k in range(10))


def inertia_of(phi):
    """Return the inertia as an expression of CVXPY."""
    return cp.bmat([[phi[4], phi[5], phi[6]], [phi[5], phi[7], phi[8]], [phi[6], phi[8], phi[9]]])


def many(phi):
    """Constraints with every kind of cone, and auxiliary variables."""
    t = cp.Variable()
    return [
        cp.norm(phi[1:4] - np.array([0.0, 0.0, 0.1]) * phi[0]) <= 0.02 * phi[0],
        phi[0] >= 1,
        phi[0] <= 2,
        cp.lambda_min(J_of(phi)) >= 1e-4,
        cp.sum_squares(phi[4:]) <= 0.01,
        cp.abs(phi[1]) <= t,
        t <= 0.01,
        inertia_of(phi) << 0.06 * np.eye(3),
    ]


def about_z(phi):
    """Textbook symmetry about the z axis through the origin."""
    return [phi[1] == 0, phi[2] == 0, phi[5] == 0, phi[6] == 0, phi[8] == 0, phi[4] == phi[7]]


def mirrored(phi):
    """Textbook symmetry of y and -y."""
    return [phi[2] == 0, phi[5] == 0, phi[8] == 0]


def on_line(phi):
    """Centre of mass within 5 mm of the z axis."""
    return [cp.norm(phi[1:3]) <= 0.005 * phi[0], cp.abs(phi[0] - 1.2) <= 0.1]


def exact_hull(constraints, rows=None):
    """Return the hull as an independent program finds it."""
    phi = cp.Variable(10)
    found = [*constraints(phi), J_of(phi) >> 0, phi >= BOX.lower, phi <= BOX.upper,
             PRIOR.shape() @ phi >= 0]  # fmt: skip
    if rows is not None:
        u = cp.Variable(rows.B.shape[1])
        unit = 1.0 / rows.d
        left = cp.multiply(unit, rows.A @ phi + rows.B @ u - rows.b)
        found += [cp.abs(left) <= 1, cp.abs(u) <= 1]
    ends = np.zeros((10, 2))
    scale = np.maximum(BOX.magnitude, 1e-3)
    for k in range(10):
        for end, sense in ((0, cp.Minimize), (1, cp.Maximize)):
            problem = cp.Problem(sense(phi[k] / scale[k]), found)
            ends[k, end] = scale[k] * problem.solve(solver=cp.CLARABEL)
    return Interval(ends[:, 0], ends[:, 1])


def assert_tight(found, exact):
    """Assert that an interval holds the exact hull, and is hardly wider."""
    room = TIGHT * exact.half_width + 1e-8
    solver = 1e-6 * np.maximum(exact.half_width, 1e-3)  # by which the reference may be off
    assert (found.lower <= exact.lower + solver).all()
    assert (found.upper >= exact.upper - solver).all()
    assert (exact.lower - found.lower <= room).all(), (exact.lower - found.lower) / room
    assert (found.upper - exact.upper <= room).all(), (found.upper - exact.upper) / room


@pytest.mark.slow
@pytest.mark.parametrize("constraints", [many, about_z, mirrored, on_line])
def test_box_before_data_is_the_exact_one(constraints):
    assert_tight(BeforeData.of(stated(constraints), BOX, PRIOR.shape()).interval,
                 exact_hull(constraints))  # fmt: skip


@pytest.mark.parametrize(
    "known, constraints",
    [
        ({"s": SymmetricAboutAxis((0, 0, 0.3), (0, 0, -2))}, about_z),
        ({"m": MirrorPlane((0.2, 0, -0.1), (0, 3, 0))}, mirrored),
        ({"l": CentreNearLine((0, 0, 1), (0, 0, 1), 0.005), "m": KnownMass(1.2, 0.1)}, on_line),
    ],
)
def test_catalogue_says_what_a_textbook_says(known, constraints):
    one, other = (
        BeforeData.of(each, BOX, PRIOR.shape()).interval
        for each in (knowledge_of(known), stated(constraints))
    )
    room = 2 * TIGHT * np.maximum(other.half_width, 1e-6)
    assert (np.abs(one.lower - other.lower) <= room).all()
    assert (np.abs(one.upper - other.upper) <= room).all()


@lru_cache
def run_of(kind, seed=1, name="gen3", error="uniform", seconds=2.0, tolerant=True):
    """Return rows of a run, what is known of its payload, and the payload."""
    known, phi = draw(kind, np.random.default_rng(seed), tolerant)
    run = record(arm(name), seed, phi=phi, seconds=seconds).measured(USUAL, error, seed)
    return rows_of(run.model, USUAL, run.samples), knowledge_of({kind: known}), phi


def hull_of(rows, knowledge, method="hull", memory=None):
    """Return the bounds with what is stated."""
    ready = BeforeData.of(knowledge, BOX, PRIOR.shape())
    return METHODS[method]().bounds(
        rows, ready.interval, memory or Memory(), PRIOR.shape(), ready.stated
    )


@lru_cache
def hulls_of(kind):
    """Return the intervals of the usual run without and with what is stated."""
    rows, knowledge, _ = run_of(kind)
    plain = METHODS["hull"]().bounds(rows, BOX, Memory(), PRIOR.shape()).interval
    return plain, hull_of(rows, knowledge).interval


@pytest.mark.slow
@pytest.mark.parametrize("constraints", [on_line, about_z])
def test_hull_of_rows_and_statements_is_the_exact_one(constraints):
    phi = np.array([1.2, 0.0, 0.0, 0.08, 0.02, 0, 0, 0.02, 0, 0.005])
    run = record(arm("gen3"), 5, phi=phi, seconds=1.5).measured(USUAL, "uniform", 5)
    rows = rows_of(run.model, USUAL, run.samples)
    rows = replace(rows, d=rows.bound(np.abs(phi)), A_error=np.zeros_like(rows.A))
    found = hull_of(rows, stated(constraints))
    assert found.consistent
    assert_tight(found.interval, exact_hull(constraints, rows))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1])
def test_intervals_contain_payloads_of_which_the_statement_is_true(kind, seed):
    error = ("uniform", "vertices", "correlated")[seed % 3]
    rows, knowledge, phi = run_of(kind, seed, ARMS[seed % 5], error, 1.0, seed != 3)
    for method in ("hull", ("hull_lp", "least_squares_image")[KINDS.index(kind) % 2]):
        found = hull_of(rows, knowledge, method)
        assert found.consistent
        assert found.interval.contains(phi), method
        assert hull_of(rows, knowledge, method, found.memory).interval.contains(phi)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_hull_with_statements_lies_inside_the_hull_without(kind):
    """With rows whose bounds do not depend on phi, where the hull is computed in one pass."""
    rows, knowledge, phi = run_of(kind, 2)
    rows = replace(rows, d=rows.bound(np.abs(phi)), A_error=np.zeros_like(rows.A))
    plain = METHODS["hull"]().bounds(rows, BOX, Memory(), PRIOR.shape()).interval
    found = hull_of(rows, knowledge).interval
    room = TIGHT * plain.half_width
    assert found.contains(phi)
    assert (found.lower >= plain.lower - room).all()
    assert (found.upper <= plain.upper + room).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_statements_narrow_the_hull(kind):
    _, _, phi = run_of(kind)
    plain, found = hulls_of(kind)
    assert found.contains(phi)
    assert (found.half_width / plain.half_width).min() < 0.95


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "seed"), [(kind, 1 + k % 2) for k, kind in enumerate(KINDS)])
def test_proven_bounds_hold_for_any_multipliers(kind, seed):
    """The true payload keeps every bound that is proven, whatever multipliers a solver gives."""
    rng = np.random.default_rng(seed)
    rows, knowledge, phi = run_of(kind, seed)
    ready = BeforeData.of(knowledge, BOX, PRIOR.shape())
    rows = widened(rows, ready.stated)
    rows = replace(rows, d=rows.bound(np.abs(phi)), A_error=np.zeros_like(rows.A))
    scaled = ScaledRows.of(rows, ready.interval, rows.d)
    program = LinearProgram(scaled.lower, scaled.upper)
    cuts = StatedCuts(program, scaled, ready.stated)
    for _ in range(5):  # cuts at places where cones are broken
        x = rng.normal(size=len(scaled.lower)) * 3
        cuts.separate(x)
    for scale in (1e-6, 1.0, 1e3):
        for _ in range(10):
            objective = rng.normal(size=10) / BOX.magnitude
            multiplier = scale * rng.normal(size=len(rows)) / rows.d * rng.integers(0, 2, len(rows))
            more = scale * rng.normal(size=len(cuts.numbers))
            least = safe_minimum(
                objective, rows, rows.d, multiplier, cuts.cuts, more, ready.interval
            )
            assert least <= objective @ phi


@pytest.mark.parametrize("kind", ["centre_near_line", "symmetric_about_axis", "made_of"])
def test_cuts_hold_for_every_payload_of_the_set_in_floating_point(kind):
    """Every cut, wherever it was taken, holds at the payload without any tolerance."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        known, phi = draw(kind, rng)
        stacked = knowledge_of({"it": known}).stacked
        duals = [
            y for _ in range(20) for y in broken_duals(stacked, rng.normal(size=len(stacked.g)))
        ]
        cuts = safe_cuts(stacked, np.stack(duals), BOX.magnitude, 0)
        assert (cuts.c @ phi + cuts.f >= 0.0).all()
        for y in duals:
            for cone, block in stacked.cones:
                if cone == "second_order":
                    assert y[block.start] >= np.linalg.norm(y[block][1:])
                elif cone == "semidefinite":
                    assert np.linalg.eigvalsh(matrix(y[block]))[0] >= -1e-14


@pytest.mark.slow
def test_solver_that_stops_early_makes_intervals_wider_not_wrong(monkeypatch):
    rows, knowledge, phi = run_of("symmetric_about_axis")
    _, good = hulls_of("symmetric_about_axis")
    original = linear_program.LinearProgram.minimise

    def sloppy(self, cost):
        found = original(self, cost)
        noise = 1.0 + 0.05 * np.sin(np.arange(len(found.dual)) if found else 0.0)
        return found and replace(found, dual=found.dual * noise)

    monkeypatch.setattr(linear_program.LinearProgram, "minimise", sloppy)
    found = hull_of(rows, knowledge).interval
    assert found.contains(phi)
    assert (found.half_width > good.half_width).any()


def test_program_that_fails_leaves_what_was_stated(monkeypatch):
    rows, knowledge, phi = run_of("known_mass")
    ready = BeforeData.of(knowledge, BOX, PRIOR.shape())

    def failing(*arguments):
        raise SolverError("linear program", "test")

    monkeypatch.setattr(hull, "minimise", failing)
    found = METHODS["hull"]().bounds(
        rows, ready.interval, Memory(), PRIOR.shape(), ready.stated
    ).interval  # fmt: skip
    assert found.contains(phi)
    assert found.half_width[0] <= ready.interval.half_width[0]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_nearest_point_lies_in_the_set(kind):
    """A point of the set stays; one outside is brought to where every statement holds."""
    rows, knowledge, phi = run_of(kind)
    ready = BeforeData.of(knowledge, BOX, PRIOR.shape())
    _, found = hulls_of(kind)
    inside = nearest(rows, found, phi, PRIOR.shape(), BOX, ready.stated)
    assert (inside == phi).all()
    far = nearest(rows, found, phi + 3 * found.half_width, PRIOR.shape(), BOX, ready.stated)
    assert far == pytest.approx(np.clip(far, found.lower, found.upper), abs=1e-6)
    held = held_by(ready.stated, far)
    assert held > -1e-5


def held_by(knowledge, phi):
    """Return the greatest least margin of phi in the cones over the auxiliary variables."""
    stacked = knowledge.stacked
    zeta, t = cp.Variable(max(knowledge.q, 1)), cp.Variable()
    H = stacked.H if knowledge.q else np.zeros((len(stacked.g), 1))
    s = stacked.F @ phi + H @ zeta + stacked.g
    size = np.abs(stacked.F) @ np.abs(phi) + np.abs(stacked.g) + 1e-12
    found = [cp.abs(zeta) <= 1]
    for kind, block in stacked.cones:
        part, unit = s[block], size[block].max()
        if kind == "zero":
            found.append(cp.abs(part) / unit <= -t)
        elif kind == "nonnegative":
            found.append(cp.multiply(1.0 / size[block], part) >= t)
        elif kind == "second_order":
            found.append(cp.norm(part[1:]) / unit <= part[0] / unit - t)
        else:
            n = len(matrix(np.zeros(block.stop - block.start)))
            basis = np.stack([matrix(e) for e in np.eye(block.stop - block.start)])
            M = sum(part[k] * basis[k] for k in range(len(basis)))
            found.append(M / unit - t * np.eye(n) >> 0)
    problem = cp.Problem(cp.Maximize(t), [*found, t <= 1])
    return problem.solve(solver=cp.CLARABEL)


def test_without_statements_nothing_changes():
    rows, _, _ = run_of("known_mass")
    one, _ = hulls_of("known_mass")
    other = hull_of(rows, knowledge_of({})).interval
    assert (one.lower == other.lower).all() and (one.upper == other.upper).all()


def test_no_rows_leave_the_box_of_what_is_stated():
    _, knowledge, _ = run_of("known_mass")
    ready = BeforeData.of(knowledge, BOX, PRIOR.shape())
    none = RowBlock.empty(3)
    found = METHODS["hull"]().bounds(none, ready.interval, Memory(), PRIOR.shape(), ready.stated)
    assert (found.interval.lower == ready.interval.lower).all()
