"""What every estimator must do, whatever its method: run `check_estimator` on each."""

from __future__ import annotations

import numpy as np

from arms import arm, draw_payload, record, rows_of
from payload_id.core.estimators.estimator import Estimator
from payload_id.core.inertial import Array, is_physical
from payload_id.core.rows.block import RowBlock
from payload_id.core.statistics import Statistics
from payload_id.core.uncertainty import PayloadPrior, Uncertainty

PRIOR = PayloadPrior()
LOWER, UPPER = PRIOR.box()
TYPICAL = 0.1 * UPPER
USUAL = Uncertainty(torque_relative=0.025, link_relative=0.05)


def statistics_of(rows: RowBlock) -> Statistics:
    """Return the statistics of rows."""
    return Statistics.empty(rows.B.shape[1]).add(rows, TYPICAL)


def check_estimator(estimator: Estimator) -> None:
    """Raise AssertionError where an estimator does not do what all of them must."""
    for check in CHECKS:
        check(estimator)


def check_is_named(estimator: Estimator) -> None:
    """It says what it is, where it comes from and what it does."""
    assert estimator.name
    assert estimator.citation
    assert type(estimator).__doc__


def check_inputs_and_repetition(estimator: Estimator) -> None:
    """Inputs stay as they are, and the same inputs give the same numbers."""
    run = record(arm("gen3"), 1, seconds=1.5).measured(USUAL, "uniform", 1)
    statistics = statistics_of(rows_of(run.model, USUAL, run.samples))
    lower, upper = LOWER.copy(), UPPER.copy()
    plain, weighted = statistics.plain.copy(), statistics.weighted.copy()
    first = estimator.estimate(statistics, lower, upper)
    np.testing.assert_array_equal(first, estimator.estimate(statistics, lower, upper))
    np.testing.assert_array_equal(statistics.plain, plain)
    np.testing.assert_array_equal(statistics.weighted, weighted)
    np.testing.assert_array_equal(lower, LOWER)
    np.testing.assert_array_equal(upper, UPPER)
    check_result(estimator, first)


def check_result(estimator: Estimator, phi: Array) -> None:
    """Every result is ten finite numbers, consistent where that is promised."""
    assert phi.shape == (10,)
    assert np.isfinite(phi).all()
    if estimator.physical:
        assert is_physical(phi)


def check_little_data(estimator: Estimator) -> None:
    """No, one and five windows, links known and not, all give a result."""
    for uncertainty in (Uncertainty(), USUAL):
        run = record(arm("panda"), 2, seconds=1.0).measured(uncertainty, "vertices", 2)
        rows = rows_of(run.model, uncertainty, run.samples)
        for windows in (0, 1, 5):
            some = rows.take(np.arange(windows * run.model.n))
            check_result(estimator, estimator.estimate(statistics_of(some), LOWER, UPPER))


def check_no_excitation(estimator: Estimator) -> None:
    """An arm that stands still gives a result; so do coefficients of zero."""
    model = arm("gen3")
    run = record(model, 3, seconds=1.0)
    rows = rows_of(model, USUAL, run.true)
    one_pose = rows.take(np.tile(np.arange(model.n), 20))
    for some in (one_pose, rows.without_payload()):
        check_result(estimator, estimator.estimate(statistics_of(some), LOWER, UPPER))


def check_noise_alone(estimator: Estimator) -> None:
    """Torques that have nothing to do with any payload give a result."""
    for seed in range(5):
        rows = rows_of(arm("ur10"), USUAL, record(arm("ur10"), seed, seconds=1.0).true)
        b = np.random.default_rng(seed).normal(size=len(rows)) * 10.0 ** (seed - 2)
        noise = RowBlock(rows.A, rows.A_error, rows.B, b, rows.d, rows.joint, rows.start, rows.end)
        check_result(estimator, estimator.estimate(statistics_of(noise), LOWER, UPPER))


def check_recovery(estimator: Estimator) -> None:
    """Without any error the payload is found."""
    for seed, name in enumerate(("panda", "ur10", "xarm7", "gen3", "branched")):
        phi = draw_payload(np.random.default_rng(seed))
        rows = rows_of(arm(name), Uncertainty(), record(arm(name), seed, phi=phi, rate=1000).true)
        exact = RowBlock(
            rows.A, rows.A_error, rows.B, rows.A @ phi, rows.d, rows.joint, rows.start, rows.end
        )
        found = estimator.estimate(statistics_of(exact), LOWER, UPPER)
        np.testing.assert_allclose(found, phi, atol=1e-6)
        # The integration leaves its own error at 1 kHz.
        found = estimator.estimate(statistics_of(rows), LOWER, UPPER)
        np.testing.assert_allclose(found, phi, atol=1e-5)


def check_units_of_the_rows(estimator: Estimator) -> None:
    """Torques in other units, bounds with them, give the same payload."""
    run = record(arm("gen3"), 4).measured(USUAL, "uniform", 4)
    rows = rows_of(run.model, USUAL, run.samples)
    reference = estimator.estimate(statistics_of(rows), LOWER, UPPER)
    for factor in (1e-3, 1e3):
        other = RowBlock(
            factor * rows.A,
            factor * rows.A_error,
            factor * rows.B,
            factor * rows.b,
            factor * rows.d,
            rows.joint,
            rows.start,
            rows.end,
        )
        found = estimator.estimate(statistics_of(other), LOWER, UPPER)
        np.testing.assert_allclose(found, reference, atol=2e-5)  # a cone solver's last digits


def check_error_falls_with_the_noise(estimator: Estimator) -> None:
    """A tenth of the noise gives about a tenth of the error."""
    errors = {}
    for size in (0.02, 0.002):
        uncertainty = Uncertainty(torque_relative=size)
        errors[size] = []
        for seed in range(6):
            run = record(arm("panda"), seed, seconds=2.0).measured(uncertainty, "uniform", seed)
            rows = rows_of(run.model, uncertainty, run.samples)
            found = estimator.estimate(statistics_of(rows), LOWER, UPPER)
            errors[size].append(abs(found[0] - run.phi[0]))
    assert 4.0 < np.median(errors[0.02]) / np.median(errors[0.002]) < 25.0


CHECKS = (
    check_is_named,
    check_inputs_and_repetition,
    check_little_data,
    check_no_excitation,
    check_noise_alone,
    check_recovery,
    check_units_of_the_rows,
    check_error_falls_with_the_noise,
)
