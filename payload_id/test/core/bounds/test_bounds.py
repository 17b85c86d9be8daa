"""Intervals: they contain the truth, are as tight as stated, and never rest on a solver's word."""

import time
import warnings
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache

import cvxpy as cp
import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import linprog

from arms import (
    ARMS,
    PAYLOADS,
    Joints,
    Run,
    adversary,
    arm,
    draw_payload,
    joint_torques,
    record,
    rows_of,
)
from payload_id.core.body.inertial import PSEUDO_INERTIA_BASIS, pseudo_inertia
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.bounds import (
    METHODS,
    Hint,
    Interval,
    Memory,
    coefficient_error,
    feasibility,
    hull,
    linear_program,
    method_named,
)
from payload_id.core.bounds import (
    theorem_13_enclosed as sensitivity_enclosed,
)
from payload_id.core.bounds import (
    theorem_13_sensitivity as sensitivity,
)
from payload_id.core.bounds.least_squares_image import image
from payload_id.core.bounds.linear_program import LinearProgram
from payload_id.core.bounds.verified import Cuts, safe_minimum
from payload_id.core.errors import SolverError, UnknownNameError
from payload_id.core.estimators.log_cholesky import minimum
from payload_id.core.estimators.problem import scaled_problem
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.statistics.statistics import Statistics

PRIOR = PayloadPrior()
KNOWN = Interval(*PRIOR.box())
SHAPE = PRIOR.shape()
USUAL = Uncertainty(torque_relative=0.025, link_relative=0.05)
GUARANTEED = [name for name, method in METHODS.items() if method.guaranteed]
NESTED = ("hull", "hull_lp", "least_squares_image")  # each inside the next
EVERY_METHOD = pytest.mark.parametrize("method", GUARANTEED)
EXACT_METHODS = pytest.mark.parametrize("method", ["hull", "hull_lp"])


def bounds_of(method, rows, known=KNOWN, memory=None):
    """Return the bounds that a method finds."""
    return method_named(method).bounds(rows, known, memory or Memory(), SHAPE)


@lru_cache
def usual(name="gen3", seed=1, kind="cloud", error="uniform"):
    """Return rows of a usual run, without errors of A, and the payload."""
    phi = draw_payload(np.random.default_rng(seed), kind)
    run = record(arm(name), seed, phi=phi).measured(USUAL, error, seed)
    rows = rows_of(run.model, USUAL, run.samples)
    return replace(rows, d=rows.bound(np.abs(phi)), A_error=np.zeros_like(rows.A)), phi


@lru_cache
def usual_bounds(method, name="gen3", seed=1):
    """Return the bounds of a usual run."""
    return bounds_of(method, usual(name, seed)[0])


@lru_cache
def inconsistent():
    """Return rows to which no payload fits: 3 N m too much at joint 4."""
    run = record(arm("gen3"), 3, phi=draw_payload(np.random.default_rng(3)))
    tau = run.measured(USUAL, "uniform").samples.tau + 3.0 * np.eye(7)[3]
    rows = rows_of(run.model, USUAL, replace(run.true, tau=tau))
    return replace(rows, d=rows.bound(np.abs(run.phi)), A_error=np.zeros_like(rows.A))


def relative_width(found, reference):
    """Return how many times as wide each interval is."""
    return found.interval.half_width / reference.interval.half_width


# Containment


def trials():
    """Return arm, payload, error and seed of each trial: every pair of them occurs."""
    errors = ("uniform", "vertices", "correlated", "adversary", "adversary")
    for seed in range(25):
        yield ARMS[seed % 5], PAYLOADS[seed // 5], errors[(seed + seed // 5) % 5], seed


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind", "error", "seed"), list(trials()))
def test_intervals_contain_the_truth(name, kind, error, seed):
    model, rng = arm(name), np.random.default_rng(seed)
    uncertainty = replace(USUAL, torque_absolute=0.05 * (seed % 3))
    phi = draw_payload(rng, kind)
    k, sign = seed % 10, rng.choice([-1.0, 1.0])
    nominal = record(model, seed, phi=phi, seconds=1.5)
    u, links = adversary(nominal, uncertainty, k, sign)
    if error == "adversary":
        error = u
    true = record(model, seed, phi=phi, seconds=1.5, links=links, jitter=0.3 * (seed % 2))
    run = true.measured(uncertainty, error, seed, of_true=bool(seed % 3))
    rows = rows_of(model, uncertainty, run.samples)
    for method in GUARANTEED:
        found = bounds_of(method, rows)
        assert found.consistent
        assert found.interval.contains(phi), method


@pytest.mark.slow
@pytest.mark.parametrize(("name", "extreme"), [(x, k % 2 == 0) for k, x in enumerate(ARMS)])
def test_intervals_contain_the_truth_with_friction_and_sensor_errors(name, extreme):
    model, rng = arm(name), np.random.default_rng(7)
    uncertainty = Uncertainty(
        torque_relative=0.02,
        torque_absolute=0.1,
        torque_gain=0.05,
        torque_offset=0.5,
        link_relative=0.03,
        friction_coulomb=1.0,
        friction_viscous=0.5,
        rotor_inertia=0.1,
        position_error=1e-4,
        velocity_error=1e-3,
    )
    joints = Joints.draw(rng, uncertainty, model.n, extreme)
    true = record(model, 8, seconds=2.0, joints=joints)
    run = true.measured(uncertainty, "vertices" if extreme else "uniform", 8)
    seen = replace(
        run.samples,
        q=run.samples.q + 1e-4 * rng.choice([-1, 1], run.samples.q.shape),
        dq=run.samples.dq + 1e-3 * rng.choice([-1, 1], run.samples.q.shape),
    )
    rows = rows_of(model, uncertainty, seen)
    for method in GUARANTEED:
        found = bounds_of(method, rows)
        assert found.consistent
        assert found.interval.contains(run.phi), method


def test_adversary_reaches_the_ends_of_the_hull():
    # The intervals are no wider than the assumptions force them to be.
    model = arm("gen3")
    nominal = record(model, 2, seconds=2.0)
    for sign in (-1.0, 1.0):
        u, links = adversary(nominal, USUAL, 0, sign)
        run = record(model, 2, phi=nominal.phi, seconds=2.0, links=links).measured(USUAL, u)
        found = bounds_of("hull", rows_of(model, USUAL, run.samples)).interval
        place = (run.phi[0] - (found.lower + found.upper)[0] / 2) / found.half_width[0]
        assert sign * place < -0.9


# Tightness


def cone_program(rows, elastic=False):
    """Return phi, its scale, constraints and factor: the same set, written down independently."""
    u = cp.Variable(rows.B.shape[1])
    inside = image(rows, KNOWN).intersect(KNOWN)  # its ends may cross: a box to scale by
    middle, scale = (inside.lower + inside.upper) / 2, np.maximum(inside.half_width, 1e-6)
    phi = middle + cp.multiply(scale, cp.Variable(10))
    t = cp.Variable() if elastic else 1.0
    A, B, b = rows.A / rows.d[:, None], rows.B / rows.d[:, None], rows.b / rows.d
    unit = np.diag([10.0, 10.0, 10.0, 1.0])
    J = sum(phi[k] * (unit @ PSEUDO_INERTIA_BASIS[k] @ unit) for k in range(10))
    box = [phi >= KNOWN.lower, phi <= KNOWN.upper, SHAPE @ phi >= 0]
    return phi, scale, [cp.abs(A @ phi + B @ u - b) <= t, cp.abs(u) <= 1, J >> 0, *box], t


def solved(problem):
    """Return the optimum; its last digits may be wrong."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Solution may be inaccurate")
        return problem.solve(solver=cp.CLARABEL)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gen3", "ur10", "branched"])
@pytest.mark.parametrize("kind", ["cloud", "point"])
def test_hull_is_that_of_a_cone_solver(name, kind):
    rows, _ = usual(name, 1, kind)
    phi, scale, constraints, _ = cone_program(rows)
    cost = cp.Parameter(10)
    problem = cp.Problem(cp.Minimize(cost @ phi), constraints)
    found = bounds_of("hull", rows).interval
    for k in range(10):
        ends = []
        for sign in (1.0, -1.0):
            cost.value = sign * np.eye(10)[k] / scale[k]
            ends.append(sign * solved(problem) * scale[k])
        slack = 2.5e-3 * (ends[1] - ends[0])
        assert ends[0] - slack <= found.lower[k] <= ends[0] + 1e-3 * slack
        assert ends[1] + slack >= found.upper[k] >= ends[1] - 1e-3 * slack


@pytest.mark.parametrize("name", ["panda", "branched"])
def test_linear_hull_is_that_of_a_linear_program(name):
    rows, _ = usual(name)
    m, p = rows.B.shape
    G = np.hstack([rows.A, rows.B]) / rows.d[:, None]
    r = rows.b / rows.d
    box = [*zip(KNOWN.lower, KNOWN.upper, strict=True), *[(-1.0, 1.0)] * p]
    found = bounds_of("hull_lp", rows).interval
    for k in range(10):
        for sign, end in ((1.0, found.lower[k]), (-1.0, found.upper[k])):
            cost = sign * np.eye(10 + p)[k]
            limits = np.concatenate([r + 1, 1 - r])
            best = sign * linprog(cost, np.vstack([G, -G]), limits, bounds=box).fun
            assert end == pytest.approx(best, abs=1e-5 * found.half_width[k])
            assert sign * end <= sign * best + 1e-7 * found.half_width[k]


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_methods_are_nested(name):
    hull_, linear, image = (usual_bounds(method, name, 4) for method in NESTED)
    assert (relative_width(hull_, linear) <= 1 + 1e-6).all()
    assert (relative_width(linear, image) <= 1 + 1e-6).all()
    for inner, outer in ((hull_, linear), (linear, image)):
        slack = 1e-6 * outer.interval.half_width
        assert (inner.interval.lower >= outer.interval.lower - slack).all()
        assert (inner.interval.upper <= outer.interval.upper + slack).all()


@pytest.mark.parametrize("seed", range(3))
def test_linear_bounds_hold_wherever_the_rows_do(seed):
    """Also at the ends of a box; where all of it is of one sign they say the same as the rows."""
    rng = np.random.default_rng(seed)
    rows, _ = usual("ur10", 4)
    rows = replace(rows, A_error=rng.uniform(0.0, 0.1, rows.A.shape))
    ends = np.sort(rng.normal(size=(2, 10)) + [[seed]] * 2, axis=0)
    linear = coefficient_error.with_linear_bounds(rows, Interval(*ends))
    assert len(linear) == 2 * len(rows)
    for corner in (True, False):
        t = rng.integers(0, 2, 10) if corner else rng.uniform(size=10)
        phi, u = ends[0] + t * (ends[1] - ends[0]), rng.uniform(-1, 1, rows.B.shape[1])
        sign = rng.choice([-1.0, 1.0], len(rows))
        b = rows.A @ phi + rows.B @ u - sign * rows.bound(np.abs(phi))  # every row at its bound
        moved = replace(linear, b=linear.b + np.tile(b - rows.b, 2))
        part = np.abs(moved.A @ phi + moved.B @ u - moved.b) / moved.d
        assert (part <= 1.0 + 1e-12).all()
        if corner:
            np.testing.assert_allclose(part.reshape(2, -1).max(axis=0), 1.0, rtol=1e-9)


# Equivariance and monotony


@EXACT_METHODS
def test_more_rows_never_widen(method):
    rows, _ = usual("panda", 5)
    before = None
    for count in (20, 60, 140, len(rows)):
        found = bounds_of(method, rows.take(np.arange(count)))
        if before is not None:
            assert (relative_width(found, before) <= 1 + 1e-4).all()
        before = found


@EXACT_METHODS
def test_order_of_the_rows_does_not_matter(method):
    rows, _ = usual("panda", 5)
    shuffled = rows.take(np.random.default_rng(0).permutation(len(rows)))
    found, reference = bounds_of(method, shuffled), usual_bounds(method, "panda", 5)
    np.testing.assert_allclose(relative_width(found, reference), 1.0, rtol=2e-3)


@pytest.mark.slow
@EVERY_METHOD
@pytest.mark.parametrize("factor", [1e-4, 1e4])
def test_units_of_the_rows_do_not_matter(method, factor):
    rows, _ = usual("gen3", 6)
    scaled = replace(
        rows, A=factor * rows.A, B=factor * rows.B, b=factor * rows.b, d=factor * rows.d
    )
    found, reference = bounds_of(method, scaled), usual_bounds(method, "gen3", 6)
    width = reference.interval.half_width
    assert (np.abs(found.interval.lower - reference.interval.lower) <= 2e-3 * width).all()
    assert (np.abs(found.interval.upper - reference.interval.upper) <= 2e-3 * width).all()


@EVERY_METHOD
def test_larger_bounds_widen(method):
    rows, _ = usual("gen3", 6)
    found = bounds_of(method, replace(rows, d=1.5 * rows.d))
    assert (relative_width(found, usual_bounds(method, "gen3", 6)) >= 1 - 1e-6).all()


@pytest.mark.slow
@EVERY_METHOD
def test_errors_of_the_coefficients_are_honoured(method):
    rows, phi = usual("gen3", 7)
    rng = np.random.default_rng(7)
    error = 0.02 * np.abs(rows.A)
    for signs in (rng.choice([-1, 1], rows.A.shape), np.sign(rows.b)[:, None] * np.sign(phi)):
        wrong = replace(rows, A=rows.A + error * signs, A_error=error)
        found = bounds_of(method, wrong)
        assert found.consistent
        assert found.interval.contains(phi)
        narrower = usual_bounds(method, "gen3", 7).interval.half_width[0]
        assert found.interval.half_width[0] > narrower or narrower == KNOWN.half_width[0]


@EVERY_METHOD
def test_what_is_known_is_kept(method):
    rows, phi = usual("gen3", 8)
    known = Interval(np.maximum(KNOWN.lower, phi - 1e-3), np.minimum(KNOWN.upper, phi + 1e-3))
    found = bounds_of(method, rows, known).interval
    assert (found.lower >= known.lower).all()
    assert (found.upper <= known.upper).all()
    assert found.contains(phi)


@EXACT_METHODS
def test_memory_changes_the_work_and_not_the_answer(method):
    rows, _ = usual("ur10", 9)
    fresh = usual_bounds(method, "ur10", 9)
    assert any(hint.rows for hint in fresh.memory.hints)
    rng = np.random.default_rng(9)
    strange = Memory(
        tuple(
            Hint((0, 10**6, *rng.integers(0, 900, 50).tolist()), rng.normal(size=(9, 4)))
            for _ in range(20)
        )
    )
    for memory in (fresh.memory, strange):
        again = bounds_of(method, rows, memory=memory)
        np.testing.assert_allclose(relative_width(again, fresh), 1.0, rtol=2e-3)


@EXACT_METHODS
def test_rows_without_slack_are_those_that_matter(method):
    rows, _ = usual("ur10", 10)
    found = bounds_of(method, rows)
    assert (found.slack > -1e-5).all()
    keep = np.argsort(found.slack)[: len(rows) // 2]
    fewer = bounds_of(method, rows.take(keep))
    ratio = relative_width(fewer, found)
    assert (ratio >= 1 - 1e-3).all()
    assert ratio.max() < 1.05


# Little or no information


@EVERY_METHOD
def test_no_rows_leave_what_is_known(method):
    found = bounds_of(method, RowBlock.empty(5))
    assert found.consistent
    np.testing.assert_array_equal(found.interval.lower, KNOWN.lower)
    np.testing.assert_array_equal(found.interval.upper, KNOWN.upper)


@EVERY_METHOD
def test_one_window_is_enough_for_a_valid_interval(method):
    run = record(arm("panda"), 11).measured(USUAL, "vertices")
    rows = rows_of(run.model, USUAL, run.samples.part(0, 30))
    assert len(rows) == run.model.n
    found = bounds_of(method, rows)
    assert found.consistent
    assert found.interval.contains(run.phi)


def static_rows(uncertainty, phi):
    """Return rows of poses that are held."""
    model, rng = arm("gen3"), np.random.default_rng(12)
    blocks = []
    for _ in range(6):
        q = np.tile(rng.uniform(-1.5, 1.5, model.n), (60, 1))
        still = np.zeros_like(q)
        tau = joint_torques(model, model.link_phi, phi, q, still, still)
        held = Samples(np.arange(60) * 4e-3, q, still, tau)
        run = Run(model, held, phi, model.link_phi, held)
        blocks.append(rows_of(model, uncertainty, run.measured(uncertainty, "vertices").samples))
    return RowBlock.stack(blocks)


def test_static_poses_bound_mass_and_moments_but_not_inertia():
    phi = draw_payload(np.random.default_rng(13))
    rows = static_rows(Uncertainty(torque_relative=0.01), phi)
    for method in NESTED:
        found = bounds_of(method, rows).interval
        assert found.contains(phi)
        assert (found.half_width[:4] < 0.05 * KNOWN.half_width[:4]).all()
    linear = bounds_of("hull_lp", rows).interval
    np.testing.assert_allclose(linear.half_width[4:], KNOWN.half_width[4:], rtol=1e-6)
    exact = bounds_of("hull", rows).interval
    # Only what a body of that mass within the prior's reach can have is left.
    assert (exact.upper[[4, 7, 9]] <= exact.upper[0] * PRIOR.com_max**2 * 1.01).all()
    assert (exact.upper[[4, 7, 9]] >= 10 * phi[[4, 7, 9]]).all()


# Inconsistent data


@EXACT_METHODS
def test_noise_factor_is_that_of_a_cone_solver(method):
    rows = inconsistent()
    found = bounds_of(method, rows)
    assert not found.consistent
    _, _, constraints, t = cone_program(rows, elastic=True)
    factor = solved(cp.Problem(cp.Minimize(t), constraints))
    assert factor > 1.2
    assert found.noise_factor == pytest.approx(factor, rel=1e-3)


@EXACT_METHODS
def test_noise_factor_restores_feasibility(method):
    rows = inconsistent()
    factor = bounds_of(method, rows).noise_factor
    assert bounds_of(method, replace(rows, d=1.0001 * factor * rows.d)).consistent
    # The factor is that of a payload that can exist, whichever method asks.
    assert not bounds_of("hull", replace(rows, d=0.999 * factor * rows.d)).consistent


@EXACT_METHODS
def test_blame_names_the_joint(method):
    blame = bounds_of(method, inconsistent()).blame
    assert next(iter(blame)) == 3
    assert sum(blame.values()) == pytest.approx(1.0)
    assert list(blame.values()) == sorted(blame.values(), reverse=True)


@EXACT_METHODS
def test_consistent_data_have_no_factor_and_no_blame(method):
    found = usual_bounds(method)
    assert found.consistent
    assert np.isnan(found.noise_factor)
    assert not found.blame


# What is proven


def small_program(rng, m=25, p=4):
    """Return random rows that some phi and u in their boxes explain."""
    A, B = rng.normal(size=(m, 10)), rng.normal(size=(m, p))
    d = rng.uniform(0.1, 1.0, m)
    phi = rng.uniform(0.1, 0.9, 10) * KNOWN.upper
    b = A @ phi + B @ rng.uniform(-1, 1, p) + d * rng.uniform(-1, 1, m)
    zero = np.zeros(m)
    return RowBlock(A, 0 * A, B, b, d, zero.astype(int), zero, zero)


def linear_optimum(objective, rows, cuts):
    """Return the least value of objective'phi, and the multipliers of rows and cuts."""
    m, p = rows.B.shape
    G = np.hstack([rows.A, rows.B])
    wide = np.hstack([cuts, np.zeros((len(cuts), p))])
    box = [*zip(KNOWN.lower, KNOWN.upper, strict=True), *[(-1.0, 1.0)] * p]
    found = linprog(
        np.concatenate([objective, np.zeros(p)]),
        np.vstack([G, -G, -wide]),
        np.concatenate([rows.b + rows.d, rows.d - rows.b, np.zeros(len(cuts))]),
        bounds=box,
    )
    dual = found.ineqlin.marginals
    return found.fun, dual[:m] - dual[m : 2 * m], -dual[2 * m :]


@pytest.mark.parametrize("seed", range(10))
def test_proven_minimum_is_valid_for_any_multipliers_and_sharp_for_the_best(seed):
    rng = np.random.default_rng(seed)
    rows, objective = small_program(rng), rng.normal(size=10)
    cuts = np.abs(rng.normal(size=(3, 10))) * (KNOWN.lower >= 0)
    best, multiplier, cut_multiplier = linear_optimum(objective, rows, cuts)

    def proven(multiplier, cut_multiplier):
        return safe_minimum(
            objective, rows, rows.d, multiplier, Cuts.of_phi(cuts, rows.B.shape[1]), cut_multiplier,
            KNOWN,
        )  # fmt: skip

    size = max(1.0, abs(best))
    sharp = proven(multiplier, cut_multiplier)
    assert best - 1e-6 * size <= sharp <= best + 1e-9 * size
    for scale in (1e-8, 1e-3, 1.0, 1e3):
        for _ in range(20):
            changed = multiplier + scale * rng.normal(size=len(multiplier))
            cut_changed = cut_multiplier + scale * rng.normal(size=len(cut_multiplier))
            assert proven(changed, cut_changed) <= best + 1e-9 * size
    assert proven(0 * multiplier, 0 * cut_multiplier) == pytest.approx(
        np.minimum(objective * KNOWN.lower, objective * KNOWN.upper).sum()
    )


class Hopeless(LinearProgram):
    """A program whose solver is not allowed to take a step."""

    def __init__(self, lower, upper):
        super().__init__(lower, upper)
        self._solver.setOptionValue("presolve", "off")
        self._solver.setOptionValue("ipm_iteration_limit", 0)


class Fickle(LinearProgram):
    """A program whose solver gives up at every third attempt."""

    attempts = 0

    def minimise(self, cost):
        type(self).attempts += 1
        if self.attempts % 3 == 0:
            raise SolverError("linear program", "gave up")
        return super().minimise(cost)


def test_a_solver_without_iterations_fails(monkeypatch):
    monkeypatch.setattr(linear_program, "PATIENCE", 0)
    program = Hopeless(-np.ones(3), np.ones(3))
    program.add_rows(np.random.default_rng(0).normal(size=(4, 3)), -0.1 * np.ones(4), np.ones(4))
    with pytest.raises(SolverError, match="linear program"):
        program.minimise(np.ones(3))


@pytest.mark.parametrize("seed", range(10))
def test_rows_that_differ_by_rounding_alone_and_are_huge_end(seed):
    # As of samples at rest with bounds of zero; an interior point method circles there for ever.
    rng, far = np.random.default_rng(seed), np.full(20, np.inf)
    G = np.repeat(
        1e12 * rng.normal(size=(3, 13)) * rng.choice([0.0, 1.0], (3, 13)), [8, 7, 5], axis=0
    )
    G *= 1.0 + 2e-16 * rng.integers(-3, 4, G.shape)
    r, one = 1e-4 * rng.normal(size=20) * rng.choice([0.0, 1.0], 20), np.ones((20, 1))
    program = LinearProgram(
        np.append(np.full(13, -60.0), 0.0), np.append(np.full(13, 60.0), np.inf)
    )
    program.add_rows(np.hstack([G, one]), r, far)
    program.add_rows(np.hstack([G, -one]), -far, r)
    program.add_rows(
        np.hstack([rng.normal(size=(9, 13)), np.zeros((9, 1))]), -rng.random(9), far[:9]
    )
    begin = time.monotonic()
    with suppress(SolverError):
        program.minimise(np.append(np.zeros(13), 1.0))
    assert time.monotonic() - begin < 5.0


@EXACT_METHODS
def test_failing_solver_leaves_what_was_known(method, monkeypatch):
    monkeypatch.setattr(linear_program, "PATIENCE", 0)
    monkeypatch.setattr(hull, "LinearProgram", Hopeless)
    rows, phi = usual("gen3", 14)
    found = bounds_of(method, rows)
    assert found.consistent
    np.testing.assert_allclose(found.interval.lower, KNOWN.lower)
    np.testing.assert_allclose(found.interval.upper, KNOWN.upper)
    assert found.interval.contains(phi)


@EXACT_METHODS
def test_solver_that_fails_now_and_then_costs_width_only(method, monkeypatch):
    rows, phi = usual("gen3", 14)
    reference = usual_bounds(method, "gen3", 14)
    monkeypatch.setattr(hull, "LinearProgram", Fickle)
    found = bounds_of(method, rows)
    assert found.consistent
    assert found.interval.contains(phi)
    ratio = relative_width(found, reference)
    assert (ratio >= 1 - 1e-3).all()
    assert ratio.max() > 1.5


@EXACT_METHODS
def test_no_verdict_without_a_solver(method, monkeypatch):
    # Neither "inconsistent" nor a factor is reported when the solver did not get to the end.
    monkeypatch.setattr(linear_program, "PATIENCE", 0)
    monkeypatch.setattr(feasibility, "LinearProgram", Hopeless)
    with pytest.raises(SolverError, match="Iteration limit"):
        bounds_of(method, inconsistent())


def test_unknown_method_lists_those_there_are():
    with pytest.raises(UnknownNameError, match="hull_lp"):
        method_named("hul")


@pytest.mark.parametrize("name", ["gen3", "panda"])
def test_sensitivity_is_the_derivative_of_the_solution(name):
    rows, _ = usual(name, 3)
    rows = replace(rows, shift=np.zeros(len(rows)))
    statistics = Statistics.empty(rows.B.shape[1]).add(rows, KNOWN.magnitude)
    problem = scaled_problem(statistics.nominal(), KNOWN.upper)
    phi = minimum(problem) * problem.scale
    slope = sensitivity.derivative(rows.A, rows.b, phi)
    direction = np.random.default_rng(3).normal(size=len(rows)) * rows.d
    step = 1e-3
    moved = []
    for sign in (1.0, -1.0):
        other = replace(rows, b=rows.b + sign * step * direction)
        form = Statistics.empty(rows.B.shape[1]).add(other, KNOWN.magnitude).nominal()
        scaled = scaled_problem(form, KNOWN.upper)
        moved.append(minimum(scaled) * scaled.scale)
    difference = (moved[0] - moved[1]) / (2 * step)
    np.testing.assert_allclose(slope @ direction, difference, rtol=1e-3, atol=1e-6)


def test_sensitivity_says_where_a_solution_is_beyond_the_edge_of_consistency():
    with pytest.raises(SolverError, match="differentiation"):
        sensitivity.derivative(np.eye(10), np.zeros(10), -np.ones(10))


def test_sensitivity_is_wider_than_the_hull_and_the_hull_holds_where_it_fails():
    """At the edge of consistency its derivative vanishes; the hull's programs do not care."""
    rows, _ = usual("gen3", 4)
    hull_, first_order = usual_bounds("hull", "gen3", 4), bounds_of("sensitivity", rows)
    assert (hull_.interval.half_width < first_order.interval.half_width).all()
    assert np.mean(hull_.interval.half_width / first_order.interval.half_width) < 0.25


def hardly_wrong(factor: float) -> RowBlock:
    """Return rows whose errors and boxes are that part of the usual ones."""
    stated = Uncertainty(torque_relative=0.025 * factor, link_relative=0.05 * factor)
    phi = draw_payload(np.random.default_rng(3))
    run = record(arm("gen3"), 3, phi=phi).measured(stated, "vertices", 3)
    rows = rows_of(run.model, stated, run.samples)
    return replace(rows, d=rows.bound(np.abs(phi)), A_error=np.zeros_like(rows.A))


def test_printed_theorem_is_the_first_order_one_where_every_error_has_a_minimiser():
    rows = hardly_wrong(3e-3)
    printed, first_order = bounds_of("sensitivity_enclosed", rows), bounds_of("sensitivity", rows)
    assert (printed.interval.half_width < 0.1 * KNOWN.half_width).all()
    for end in ("lower", "upper"):
        np.testing.assert_allclose(
            getattr(printed.interval, end), getattr(first_order.interval, end), rtol=1e-4, atol=1e-7
        )


def test_printed_theorem_says_nothing_where_some_error_has_no_minimiser():
    rows, _ = usual("gen3", 4)
    L = sensitivity_enclosed.least_squares(rows.A, KNOWN)
    factor = sensitivity_enclosed.growth(L @ rows.b, sensitivity_enclosed.moves(L, rows, KNOWN))
    assert factor < 1.0
    found = bounds_of("sensitivity_enclosed", rows).interval
    np.testing.assert_array_equal(found.lower, KNOWN.lower)
    np.testing.assert_array_equal(found.upper, KNOWN.upper)


@pytest.mark.parametrize("seed", range(3))
def test_growth_is_proven_and_near_what_can_be_proven(seed):
    """No signs of the errors leave consistency below the factor; some do not far above it."""
    rng = np.random.default_rng(seed)
    fit, moves = draw_payload(rng), rng.normal(size=(40, 10)) * [1, *[0.05] * 3, *[0.003] * 6]
    factor = sensitivity_enclosed.growth(fit, moves)
    J, shifts = pseudo_inertia(fit), np.tensordot(moves, PSEUDO_INERTIA_BASIS, axes=1)
    refuted = np.inf
    for v in rng.normal(size=(20, 4)):
        for _ in range(20):  # the worst signs for v, and the v that they move farthest
            signs = np.sign(np.einsum("a,kab,b->k", v, shifts, v))
            values, axes = eigh(np.tensordot(signs, shifts, axes=1), J)
            v = axes[:, -1]
        refuted = min(refuted, 1.0 / values[-1])
    assert factor < refuted < 2.5 * factor


@EXACT_METHODS
@pytest.mark.parametrize("name", ["gen3", "ur10"])
def test_proof_costs_next_to_nothing(method, name):
    assert 0.0 <= usual_bounds(method, name, 5).overhead < 1e-5


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("method", METHODS)
def test_a_lower_end_is_never_above_an_upper_one(method, seed):
    """Whatever the rows say: of no payload at all, or off by so much that few methods notice."""
    rows, _ = usual()
    rng = np.random.default_rng(seed)
    wrong = rng.normal(size=len(rows)) * 10.0 ** rng.uniform(-2, 3)
    for b in (wrong, rows.b + wrong, -5.0 * rows.b):
        found = bounds_of(method, replace(rows, b=b))
        assert (found.interval.lower <= found.interval.upper).all()
        assert found.consistent or np.isinf(found.interval.half_width).all()
