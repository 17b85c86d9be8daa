"""What every estimator must do, whatever its method: run `check_estimator` on each.

A check that does not hold for a method is named in `EXCEPTIONS` with the reason.
"""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from arms import arm, record, rows_of
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import change_of_frame, is_physical
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.body.shape import Shape
from payload_id.core.codec import built, plain
from payload_id.core.errors import InputError
from payload_id.core.estimators import ESTIMATORS, estimator_named
from payload_id.core.estimators.estimator import Estimator
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.rows.wrench.newton_euler import NewtonEulerRows
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.core.samples.wrench_samples import WrenchSamples
from payload_id.core.statistics.statistics import Statistics
from payload_id.core.threads import one_thread
from wrench_motion import PAYLOAD, simulated

PRIOR = PayloadPrior()
LOWER, UPPER = PRIOR.box()
TYPICAL = 0.1 * UPPER
USUAL = Uncertainty(torque_relative=0.025, link_relative=0.05)
REFERENCES = Path(__file__).parents[3] / "docs" / "proofs.md"

# A box that holds every payload that is drawn here, so that any of them may be of this shape.
WIDE = Shape.from_hull(0.5 * np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T)
NEAR = PAYLOAD[1:4] / PAYLOAD[0]
CUBE = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, -1).T
SHAPES = (
    None,
    Shape.from_hull(NEAR + CUBE * [0.2, 0.15, 0.1]),
    Shape.from_hull(NEAR + CUBE * [0.4, 0.03, 0.001]),  # a ruler
    Shape.from_hull(NEAR + CUBE * [0.4, 0.1, 0.1], ellipsoids=3),
    Shape.from_hull(1.0 + CUBE * 0.05),  # away from where the data put the body
)
NOISY = WrenchUncertainty(
    force_sigma=0.1, torque_sigma=0.005, linear_acceleration_sigma=0.05,
    angular_acceleration_sigma=0.5,
)  # fmt: skip
NEEDS_SHAPE = ("point_masses",)
EXCEPTIONS = {
    ("rtls", "check_frame"): "element-wise bounds on A's errors are those of one frame",
    ("point_masses", "check_noise_free"): "its few points need not carry every body exactly",
    ("point_masses", "check_error_falls_with_the_noise"): "likewise, what remains does not fall",
}


def prepared(name: str, with_shape: bool = False) -> Estimator:
    """Return an estimator, with a wide shape if it is asked for or needed."""
    return estimator_named(name, WIDE if with_shape or name in NEEDS_SHAPE else None)


def check_estimator(estimator: Estimator) -> None:
    """Raise AssertionError where an estimator does not do what all of them must."""
    for check in CHECKS:
        if (estimator.name, check.__name__) not in EXCEPTIONS:
            check(estimator)


@lru_cache
def noisy(
    name: str, seed: int, seconds: float, uncertainty: Uncertainty, kind: str = "uniform"
) -> tuple[RowBlock, Array]:
    """Return the rows of a recording with torque noise of a kind, and its payload."""
    run = record(arm(name), seed, seconds=seconds).measured(uncertainty, kind, seed)
    return rows_of(run.model, uncertainty, run.samples), run.phi


@lru_cache
def error_free(
    name: str, seed: int, uncertainty: Uncertainty = USUAL, rate: float = 250.0
) -> tuple[RowBlock, Array]:
    """Return the rows of a recording without errors, whatever is stated, and its payload."""
    run = record(arm(name), seed, rate=rate, seconds=1.0)
    return rows_of(run.model, uncertainty, run.true), run.phi


def statistics_of(rows: RowBlock) -> Statistics:
    """Return the statistics of rows."""
    return Statistics.empty(rows.B.shape[1]).add(rows, TYPICAL)


def check_is_named(estimator: Estimator) -> None:
    """It says what it is, where it comes from and what it does."""
    assert estimator.name
    assert estimator.citation
    assert type(estimator).__doc__
    assert ESTIMATORS[estimator.name] is type(estimator)
    assert f"| {estimator.citation} |" in REFERENCES.read_text()


def check_inputs_and_repetition(estimator: Estimator) -> None:
    """Inputs stay as they are, and the same inputs give the same numbers."""
    statistics = statistics_of(noisy("gen3", 1, 1.5, USUAL)[0])
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
        rows, _ = noisy("panda", 2, 1.0, uncertainty, "vertices")
        for windows in (0, 1, 5):
            some = rows.take(np.arange(windows * arm("panda").n))
            check_result(estimator, estimator.estimate(statistics_of(some), LOWER, UPPER))


def check_no_excitation(estimator: Estimator) -> None:
    """An arm that stands still gives a result; so do coefficients of zero."""
    rows = error_free("gen3", 3)[0]
    one_pose = rows.take(np.tile(np.arange(arm("gen3").n), 20))
    for some in (one_pose, rows.with_payload(np.zeros(10))):
        check_result(estimator, estimator.estimate(statistics_of(some), LOWER, UPPER))


def check_noise_alone(estimator: Estimator) -> None:
    """Torques that have nothing to do with any payload give a result."""
    for seed in range(5):
        rows = error_free("ur10", seed)[0]
        b = np.random.default_rng(seed).normal(size=len(rows)) * 10.0 ** (seed - 2)
        noise = statistics_of(replace(rows, b=b))
        check_result(estimator, estimator.estimate(noise, LOWER, UPPER))


def check_saved_and_loaded(estimator: Estimator) -> None:
    """Statistics that were saved, and ones that were begun before a restart, give the same."""
    rows, _ = noisy("panda", 5, 1.5, USUAL)
    whole = statistics_of(rows)
    expected = estimator.estimate(whole, LOWER, UPPER)
    for other in (pickle.loads(pickle.dumps(whole)), built(Statistics, plain(whole))):
        np.testing.assert_array_equal(estimator.estimate(other, LOWER, UPPER), expected)
    half = len(rows) // 2
    begun = statistics_of(rows.take(np.arange(half)))
    resumed = built(Statistics, plain(begun)).add(rows.take(np.arange(half, len(rows))), TYPICAL)
    found = estimator.estimate(resumed, LOWER, UPPER)
    np.testing.assert_allclose(found, expected, atol=2e-5 * abs(expected[0]))


def check_not_a_number(estimator: Estimator) -> None:
    """Rows with NaN never reach it: the statistics refuse them and say which."""
    rows = error_free("panda", 6)[0]
    for name in ("A", "B", "b", "d"):
        broken = getattr(rows, name).copy()
        broken[3] = np.nan
        with pytest.raises(InputError, match="row 3"):
            statistics_of(replace(rows, **{name: broken}))


def check_mass_scales(estimator: Estimator) -> None:
    """Twice the torques, with bounds twice as wide, are those of twice the payload."""
    rows, _ = noisy("panda", 7, 3.0, Uncertainty(torque_relative=0.01))
    rows = replace(rows, A_error=0 * rows.A_error)
    one = estimator.estimate(statistics_of(rows), LOWER, UPPER)
    double = replace(rows, b=2.0 * rows.b, likely=2.0 * rows.likely, d=2.0 * rows.d)
    two = estimator.estimate(statistics_of(double), LOWER, UPPER)
    np.testing.assert_allclose(two, 2.0 * one, atol=1e-4 * abs(one[0]))


def check_frame(estimator: Estimator) -> None:
    """The frame in which the payload is written does not matter."""
    rows, _ = noisy("gen3", 8, 3.0, USUAL)
    rows = replace(rows, A_error=0 * rows.A_error)
    rotation = np.linalg.qr(np.random.default_rng(8).normal(size=(3, 3)))[0]
    rotation *= np.sign(np.linalg.det(rotation))
    translation = np.array([0.03, -0.05, 0.02])
    T = change_of_frame(rotation, translation)
    A = rows.A @ np.linalg.inv(T)
    other = replace(rows, A=A, A_static=A)
    shape = getattr(estimator, "shape", None)
    moved = type(estimator)(None if shape is None else shape.transformed(rotation, translation))
    found = moved.estimate(statistics_of(other), LOWER, UPPER)
    expected = T @ estimator.estimate(statistics_of(rows), LOWER, UPPER)
    np.testing.assert_allclose(found, expected, atol=1e-4 * abs(expected[0]))


def check_noise_free(estimator: Estimator) -> None:
    """Without any error the payload is found."""
    for seed, name in enumerate(("panda", "xarm7", "branched")):
        rows, phi = error_free(name, seed, Uncertainty(), 1000.0)
        # The integration leaves its own error at 1 kHz.
        for each, error in ((replace(rows, b=rows.A @ phi), 1e-6), (rows, 1e-5)):
            found = estimator.estimate(statistics_of(each), LOWER, UPPER)
            np.testing.assert_allclose(found, phi, atol=error)


def check_units_of_the_rows(estimator: Estimator) -> None:
    """Torques in other units, bounds with them, give the same payload."""
    rows, _ = noisy("gen3", 4, 3.0, USUAL)
    reference = estimator.estimate(statistics_of(rows), LOWER, UPPER)
    for factor in (1e-3, 1e3):
        scaled = {x: factor * getattr(rows, x) for x in ("A", "A_error", "B", "b", "d", "likely")}
        other = replace(rows, **scaled)
        found = estimator.estimate(statistics_of(other), LOWER, UPPER)
        np.testing.assert_allclose(found, reference, atol=2e-5)  # a cone solver's last digits


def check_error_falls_with_the_noise(estimator: Estimator) -> None:
    """A tenth of the noise gives about a tenth of the error."""
    medians = []
    for size in (0.02, 0.002):
        runs = [noisy("panda", seed, 2.0, Uncertainty(torque_relative=size)) for seed in range(6)]
        found = [estimator.estimate(statistics_of(rows), LOWER, UPPER) for rows, _ in runs]
        errors = [x[0] - phi[0] for x, (_, phi) in zip(found, runs, strict=True)]
        medians.append(np.median(np.abs(errors)))
    assert 4.0 < medians[0] / medians[1] < 25.0


def wrench_statistics(
    parts: list[WrenchSamples], uncertainty: WrenchUncertainty = NOISY
) -> Statistics:
    """Return the statistics of some windows of a wrench."""
    source = NewtonEulerRows.of(uncertainty)
    statistics = Statistics.empty(source.p, source.growth)
    rows = [source.window(part) for part in parts]
    return statistics.add(RowBlock.stack(rows), TYPICAL) if rows else statistics


@lru_cache
def wrench_cases() -> tuple[Statistics, ...]:
    """Return statistics of 0, 1 and 5 samples of a wrench, of rest and of pure noise."""
    moving, resting = simulated(1.0, 100.0), simulated(1.0, 100.0, speed=0.0)
    single = [moving.part(k, k + 1) for k in range(5)]
    pure = moving.with_wrench(1e4 * np.random.default_rng(9).normal(size=moving.wrench.shape))
    return (
        *(wrench_statistics(single[:windows]) for windows in (0, 1, 5)),
        wrench_statistics([resting.part(k, k + 11) for k in range(0, len(resting) - 10, 10)]),
        wrench_statistics([pure.part(0, 1)], WrenchUncertainty()),
    )


def check_wrench_with_shape(estimator: Estimator) -> None:
    """Of a wrench, with shapes in turn."""
    if getattr(estimator, "shape", None) is not None and estimator.name not in NEEDS_SHAPE:
        return  # all shapes have their turn anyway
    shapes, first = SHAPES[estimator.name in NEEDS_SHAPE :: 2], [*ESTIMATORS].index(estimator.name)
    for k, statistics in enumerate(wrench_cases()):
        shaped = type(estimator)(shapes[(first + k) % len(shapes)])
        with one_thread():
            check_result(shaped, shaped.estimate(statistics, LOWER, UPPER))


CHECKS = (
    check_is_named,
    check_inputs_and_repetition,
    check_little_data,
    check_no_excitation,
    check_noise_alone,
    check_saved_and_loaded,
    check_not_a_number,
    check_mass_scales,
    check_frame,
    check_noise_free,
    check_units_of_the_rows,
    check_error_falls_with_the_noise,
    check_wrench_with_shape,
)
