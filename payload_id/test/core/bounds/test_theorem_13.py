"""Theorem 13 as printed and to first order: what each says, and where it says nothing."""

from dataclasses import replace

import numpy as np
import pytest

from arms import arm, draw_payload, record, rows_of
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.bounds import Interval, Memory, method_named
from payload_id.core.bounds.theorem_13_sensitivity import derivative
from payload_id.core.errors import SolverError
from payload_id.core.estimators.log_cholesky import log_cholesky_minimum
from payload_id.core.estimators.problem import scaled_problem
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.statistics.statistics import Statistics

PRIOR = PayloadPrior()
KNOWN = Interval(*PRIOR.box())


def rows_with(part):
    """Return rows whose errors and boxes are that part of the usual ones."""
    stated = Uncertainty(torque_relative=0.025 * part, link_relative=0.05 * part)
    phi = draw_payload(np.random.default_rng(3))
    run = record(arm("gen3"), 3, phi=phi, seconds=2.0).measured(stated, "vertices", 3)
    rows = rows_of(run.model, stated, run.samples)
    return replace(rows, d=rows.bound(np.abs(phi)), A_error=np.zeros_like(rows.A))


def interval_of(method, rows):
    """Return the interval that a method finds."""
    return method_named(method).bounds(rows, KNOWN, Memory(), PRIOR.shape()).interval


def test_sensitivity_is_the_derivative_of_the_solution():
    rows = rows_with(1.0)

    def solution(rows):
        statistics = Statistics.empty(rows.B.shape[1]).add(rows, KNOWN.magnitude)
        problem = scaled_problem(statistics.nominal(), KNOWN.upper)
        return log_cholesky_minimum(problem) * problem.scale

    slope = derivative(rows.A, rows.b, solution(rows))
    change = 1e-3 * np.random.default_rng(3).normal(size=len(rows)) * rows.d
    ahead, behind = (solution(replace(rows, b=rows.b + sign * change)) for sign in (1.0, -1.0))
    np.testing.assert_allclose(slope @ change, (ahead - behind) / 2, rtol=1e-3, atol=1e-9)
    with pytest.raises(SolverError, match="differentiation"):
        derivative(np.eye(10), np.zeros(10), -np.ones(10))  # beyond the edge of consistency


def test_printed_theorem_says_nothing_where_some_error_has_no_minimiser():
    found = interval_of("sensitivity_enclosed", rows_with(1.0))
    np.testing.assert_array_equal(found.lower, KNOWN.lower)
    np.testing.assert_array_equal(found.upper, KNOWN.upper)
