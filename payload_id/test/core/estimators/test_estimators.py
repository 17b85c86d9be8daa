"""Point estimates: one battery for all, and each against an independent calculation."""

import cvxpy as cp
import numpy as np
import pytest

from arms import ARMS, arm, draw_payload, record, rows_of
from estimator_battery import (
    CHECKS,
    LOWER,
    NEEDS_SHAPE,
    TYPICAL,
    UPPER,
    USUAL,
    excused,
    prepared,
    statistics_of,
)
from payload_id.core.body.inertial import PSEUDO_INERTIA_BASIS, is_physical
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.bounds import METHODS, Interval, Memory
from payload_id.core.errors import UnknownNameError
from payload_id.core.estimators import ESTIMATORS, estimator_named
from payload_id.core.estimators.linear_matrix_inequality import constrained_least_squares
from payload_id.core.statistics.statistics import Statistics
from payload_id.core.statistics.variance_components import UNIFORM_VARIANCE


def cases():
    """Return every estimator with every check that is meant for it, without and with a shape."""
    for with_shape in (False, True):
        for name in ESTIMATORS:
            estimator = prepared(name, with_shape)
            if with_shape and (name in NEEDS_SHAPE or not estimator.physical):
                continue
            for check in CHECKS:
                if not excused(estimator, check):
                    kind = "shape-" if with_shape else ""
                    yield pytest.param(estimator, check, id=f"{name}-{kind}{check.__name__}")


@pytest.mark.slow
@pytest.mark.parametrize(("estimator", "check"), list(cases()))
def test_every_estimator(estimator, check):
    check(estimator)


def test_unknown_estimator_lists_those_there_are():
    with pytest.raises(UnknownNameError, match="ols"):
        estimator_named("lim")


def noisy_rows(name, seed, kind):
    phi = draw_payload(np.random.default_rng(seed), kind)
    run = record(arm(name), seed, phi=phi, seconds=2.0).measured(USUAL, "uniform", seed)
    return rows_of(run.model, USUAL, run.samples), phi


def test_ordinary_least_squares_is_the_textbooks():
    rows, _ = noisy_rows("gen3", 1, "cloud")
    expected = np.linalg.lstsq(rows.A, rows.unbiased()[1], rcond=None)[0]
    found = estimator_named("ols").estimate(statistics_of(rows), LOWER, UPPER)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_unseen_directions_of_ordinary_least_squares_are_zero():
    statistics = Statistics.empty(0)
    np.testing.assert_array_equal(
        estimator_named("ols").estimate(statistics, LOWER, UPPER), np.zeros(10)
    )


@pytest.mark.parametrize(
    ("name", "kind"),
    [("gen3", "cloud"), ("panda", "rod"), ("ur10", "point"), ("branched", "plate")],
)
def test_lmi_is_a_cone_solvers_on_the_raw_rows(name, kind):
    rows, _ = noisy_rows(name, 2, kind)
    statistics = statistics_of(rows)
    form = statistics.marginal()
    found = constrained_least_squares(form, LOWER, UPPER)
    d = rows.bound(TYPICAL)
    B, b = rows.unbiased()
    A, B, b = rows.A / d[:, None], B / d[:, None], b / d
    freedom = len(rows) - B.shape[1] - 10
    wide = np.hstack([A, B])
    squares = np.sum((b - wide @ np.linalg.lstsq(wide, b, rcond=None)[0]) ** 2)
    pull = np.sqrt(np.clip(squares / freedom, 1e-8, UNIFORM_VARIANCE) / UNIFORM_VARIANCE)
    y, u = cp.Variable(10), cp.Variable(B.shape[1])
    scale = np.array([1.0] + [0.1] * 3 + [0.01] * 6)
    phi = cp.multiply(scale, y)
    J = sum(y[k] * PSEUDO_INERTIA_BASIS[k] for k in range(10))
    size = np.linalg.norm(A * scale, 2)
    cost = cp.sum_squares((A @ phi + B @ u - b) / size) + cp.sum_squares(pull * u / size)
    cp.Problem(cp.Minimize(cost), [J >> 0, phi >= LOWER, phi <= UPPER, cp.abs(u) <= 1]).solve(
        solver=cp.SCS, eps=1e-9, max_iters=100_000
    )
    np.testing.assert_allclose(found, phi.value, atol=2e-3 * np.abs(found[0]) * scale.max())
    losses = [np.sum((form.R @ x - form.z) ** 2) for x in (found, phi.value)]
    assert losses[0] <= losses[1] + 0.01  # squares of rows in units of their bounds
    assert is_physical(found)


@pytest.mark.parametrize("kind", ["point", "rod", "plate", "none"])
@pytest.mark.parametrize("name", ARMS)
def test_lmi_is_physical_for_bodies_at_the_edge(name, kind):
    rows, phi = noisy_rows(name, 3, kind)
    found = estimator_named("lmi").estimate(statistics_of(rows), LOWER, UPPER)
    assert is_physical(found)
    assert abs(found[0] - phi[0]) < 0.3


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_lmi_stays_inside_the_interval(name):
    prior = PayloadPrior()
    for seed in range(3):
        rows, _ = noisy_rows(name, seed, "cloud")
        hull = METHODS["hull"]().bounds(rows, Interval(*prior.box()), Memory(), prior.shape())
        inside = hull.interval
        found = estimator_named("lmi").estimate(statistics_of(rows), inside.lower, inside.upper)
        slack = 1e-5 * inside.half_width
        assert (found >= inside.lower - slack).all()
        assert (found <= inside.upper + slack).all()
        assert is_physical(found)
