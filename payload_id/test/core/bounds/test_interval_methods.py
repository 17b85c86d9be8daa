"""Interval methods: what every one must do, and that the hulls do not rest on a solver's word."""

import time
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from scipy.optimize import linprog

from arms import arm, draw_payload, record, rows_of
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.bounds import (
    METHODS,
    Interval,
    Memory,
    cutting_planes,
    linear_program,
    method_named,
)
from payload_id.core.bounds.linear_program import LinearProgram
from payload_id.core.bounds.verified import Cuts, safe_minimum
from payload_id.core.errors import SolverError
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.row_block import RowBlock

PRIOR = PayloadPrior()
KNOWN = Interval(*PRIOR.box())
SHAPE = PRIOR.shape()
USUAL = Uncertainty(torque_relative=0.025, link_relative=0.05)
GUARANTEED = [name for name, method in METHODS.items() if method.guaranteed]
EVERY_METHOD = pytest.mark.parametrize("method", GUARANTEED)
EXACT_METHODS = pytest.mark.parametrize("method", ["hull", "hull_lp"])


def bounds_of(method, rows, known=KNOWN):
    """Return the bounds that a method finds."""
    return method_named(method).bounds(rows, known, Memory(), SHAPE)


def of_known_size(rows, phi):
    """Return rows whose bounds do not depend on phi."""
    return replace(rows, d=rows.bound(np.abs(phi)), A_error=np.zeros_like(rows.A))


@lru_cache
def usual():
    """Return rows of a usual run, without errors of A, and the payload."""
    phi = draw_payload(np.random.default_rng(1))
    run = record(arm("gen3"), 1, phi=phi, seconds=1.5).measured(USUAL, "uniform", 1)
    return of_known_size(rows_of(run.model, USUAL, run.samples), phi), phi


@lru_cache
def usual_bounds(method):
    """Return the bounds of a usual run."""
    return bounds_of(method, usual()[0])


@pytest.mark.slow
@EVERY_METHOD
def test_units_of_the_rows_do_not_matter(method):
    rows, _ = usual()
    reference = usual_bounds(method).interval
    for factor in (1e-4, 1e4):
        columns = {name: factor * getattr(rows, name) for name in ("A", "B", "b", "d")}
        found = bounds_of(method, replace(rows, **columns)).interval
        for end in ("lower", "upper"):
            off = np.abs(getattr(found, end) - getattr(reference, end))
            assert (off <= 2e-3 * reference.half_width).all()


@EVERY_METHOD
def test_what_is_known_is_kept(method):
    rows, phi = usual()
    known = Interval(np.maximum(KNOWN.lower, phi - 1e-3), np.minimum(KNOWN.upper, phi + 1e-3))
    found = bounds_of(method, rows, known).interval
    assert (found.lower >= known.lower).all()
    assert (found.upper <= known.upper).all()
    assert found.contains(phi)


@pytest.mark.parametrize("method", METHODS)
def test_a_lower_end_is_never_above_an_upper_one(method):
    """Whatever the rows say: of no payload at all, or off by so much that few methods notice."""
    rows, _ = usual()
    rng = np.random.default_rng(2)
    wrong = [rng.normal(size=len(rows)) * size for size in (0.1, 1.0, 100.0)]
    for b in (wrong[2], rows.b + wrong[0], rows.b + wrong[1], -5.0 * rows.b):
        found = bounds_of(method, replace(rows, b=b))
        assert (found.interval.lower <= found.interval.upper).all()
        assert found.consistent or np.isinf(found.interval.half_width).all()


# The hulls


@lru_cache
def inconsistent():
    """Return rows to which no payload fits: 3 N m too much at joint 4."""
    run = record(arm("gen3"), 3, phi=draw_payload(np.random.default_rng(3)), seconds=1.5)
    tau = run.measured(USUAL, "uniform").samples.tau + 3.0 * np.eye(7)[3]
    return of_known_size(rows_of(run.model, USUAL, replace(run.true, tau=tau)), run.phi)


@EXACT_METHODS
def test_blame_names_the_joint_and_consistent_data_have_none(method):
    blame, sound = bounds_of(method, inconsistent()).blame, usual_bounds(method)
    assert next(iter(blame)) == 3
    assert sum(blame.values()) == pytest.approx(1.0)
    assert list(blame.values()) == sorted(blame.values(), reverse=True)
    assert sound.consistent and np.isnan(sound.noise_factor) and not sound.blame


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


@pytest.mark.parametrize("seed", range(4))
def test_proven_minimum_is_valid_for_any_multipliers_and_sharp_for_the_best(seed):
    rng = np.random.default_rng(seed)
    rows, objective = small_program(rng), rng.normal(size=10)
    cuts = np.abs(rng.normal(size=(3, 10))) * (KNOWN.lower >= 0)
    best, multiplier, of_cuts = linear_optimum(objective, rows, cuts)

    def proven(y, z):
        wide = Cuts.of_phi(cuts, rows.B.shape[1])
        return safe_minimum(objective, rows, rows.d, y, wide, z, KNOWN)

    size = max(1.0, abs(best))
    assert best - 1e-6 * size <= proven(multiplier, of_cuts) <= best + 1e-9 * size
    for scale in np.repeat([1e-8, 1e-3, 1.0, 1e3], 20):
        y, z = (x + scale * rng.normal(size=len(x)) for x in (multiplier, of_cuts))
        assert proven(y, z) <= best + 1e-9 * size
    alone = np.minimum(objective * KNOWN.lower, objective * KNOWN.upper).sum()
    assert proven(0 * multiplier, 0 * of_cuts) == pytest.approx(alone)


class Hopeless(LinearProgram):
    """A program whose solver is not allowed to take a step."""

    def __init__(self, lower, upper):
        super().__init__(lower, upper)
        self._solver.setOptionValue("presolve", "off")
        self._solver.setOptionValue("ipm_iteration_limit", 0)


def test_rows_that_differ_by_rounding_alone_and_are_huge_end():
    """As of samples at rest with bounds of zero: an interior point method circles for ever."""
    for seed in range(3):
        rng, far, one = np.random.default_rng(seed), np.full(20, np.inf), np.ones((20, 1))
        some = 1e12 * rng.normal(size=(3, 13)) * rng.choice([0.0, 1.0], (3, 13))
        G = np.repeat(some, [8, 7, 5], axis=0) * (1.0 + 2e-16 * rng.integers(-3, 4, (20, 13)))
        r = 1e-4 * rng.normal(size=20) * rng.choice([0.0, 1.0], 20)
        box = np.full(13, 60.0)
        program = LinearProgram(np.append(-box, 0.0), np.append(box, np.inf))
        program.add_rows(np.hstack([G, one]), r, far)
        program.add_rows(np.hstack([G, -one]), -far, r)
        others = np.hstack([rng.normal(size=(9, 13)), np.zeros((9, 1))])
        program.add_rows(others, -rng.random(9), far[:9])
        begin = time.process_time()
        with suppress(SolverError):
            program.minimise(np.append(np.zeros(13), 1.0))
        assert time.process_time() - begin < 5.0


@EXACT_METHODS
def test_failing_solver_leaves_what_was_known_and_gives_no_verdict(method, monkeypatch):
    monkeypatch.setattr(linear_program, "PATIENCE", 0)
    monkeypatch.setattr(cutting_planes, "LinearProgram", Hopeless)
    found = bounds_of(method, usual()[0])
    assert found.consistent
    np.testing.assert_allclose(found.interval.lower, KNOWN.lower)
    np.testing.assert_allclose(found.interval.upper, KNOWN.upper)
    with pytest.raises(SolverError, match="linear program"):
        bounds_of(method, inconsistent())
