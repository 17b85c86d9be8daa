"""A stated gain of the sensors draws no estimate to zero, however much data there are."""

from dataclasses import replace

import numpy as np
import pytest

from payload_id.core.bounds import METHODS, Interval, Memory
from payload_id.core.bounds.nearest import nearest
from payload_id.core.estimators import ESTIMATORS, estimator_named
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.statistics.nuisance_fit import linearised, nuisance_fit
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from stated_arm import SHAPE, measured_run


def masses(arm, uncertainty, seed, seconds):
    """Return the error of the mass for each estimator and length; seconds rise."""
    model = RobotModel.from_robot_file(RobotFile.load(arm))
    samples, phi = measured_run(model, uncertainty, seed, max(seconds))
    found = {name: [] for name in ESTIMATORS}
    online, start = OnlineIdentifier(model, Settings(uncertainty)), 0
    for length in seconds:
        end = int(np.searchsorted(samples.stamp, length + 1e-6)) + 1
        online.add(samples.part(start, end))
        start = end
        problem = online.problem()
        for name, errors in found.items():
            estimator = estimator_named(name, SHAPE if name == "point_masses" else None)
            prior = problem.prior
            estimate = estimator.estimate(problem.statistics, prior.lower, prior.upper)
            errors.append(estimate[0] - phi[0])
    return found


@pytest.mark.slow
def test_mass_does_not_collapse_on_the_shipped_arm():
    stated = replace(RobotFile.load("xarm7").uncertainty, torque_gain=0.1)
    for seed in (1, 2):
        for name, errors in masses("xarm7", stated, seed, (40.0,)).items():
            # ols leaves offsets, friction and links where the description has them
            assert abs(errors[0]) < (1.0 if name == "ols" else 0.4), name


@pytest.mark.slow
def test_error_falls_with_data():
    stated = Uncertainty(
        torque_absolute=2.0, torque_relative=0.05, torque_gain=0.1, torque_offset=1.0
    )
    runs = [masses("kinova_gen3", stated, seed, (10.0, 60.0)) for seed in range(5)]
    for name in ESTIMATORS:
        if name == "ols":
            continue
        short, long = np.median(np.abs([run[name] for run in runs]), axis=0)
        assert long < 0.8 * short, name


def gained(seed, channels=3, p=5, m=400, noise=0.3, known=2.0):
    """Return factors of rows of sensors with gains, the last columns of B, and the true x.

    A part of the torque is known, of that size: without one no data tell a common factor.
    """
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(channels, m, 10)), rng.normal(size=(channels, m, p))
    phi, u = rng.normal(size=10), rng.uniform(-0.7, 0.7, p + channels)
    wide = np.zeros((channels, m, p + channels))
    gain = np.zeros((channels, p + channels))
    right = np.zeros((channels, m))
    for c in range(channels):
        gain[c, p + c] = 0.3
        part = known * rng.normal(size=m)
        reading = (part + A[c] @ phi + B[c] @ u[:p]) / (1.0 + 0.3 * u[p + c])
        reading += noise * rng.normal(size=m)
        wide[c, :, :p], wide[c, :, p + c], right[c] = B[c], -0.3 * reading, reading - part
    rows = np.concatenate([wide, A, right[..., None]], axis=2)
    return np.linalg.qr(rows, mode="r"), gain, np.append(u, phi), rows


def test_fit_of_gains_is_consistent():
    errors = {}
    for m in (400, 40_000):
        found = []
        for seed in range(5):
            factors, gain, x, _ = gained(seed, m=m)
            fit = nuisance_fit(factors, np.full(3, float(m)), np.ones((3, 11)) * m, gain)
            found.append(np.linalg.norm(fit.x - x))
        errors[m] = np.median(found)
    assert errors[40_000] < 0.25 * errors[400]


def test_linear_expansion_is_that_of_the_divided_rows():
    _, gain, x, rows = gained(1, m=60)
    p = gain.shape[1]

    def rho(y):
        return np.einsum("cmk,k->cm", rows, np.append(y, -1.0)) / (1.0 + gain @ y[:p])[:, None]

    # Stand-ins for triangular factors: rows as they are have the same expansion.
    linear = linearised(rows, gain, x)
    np.testing.assert_allclose(linear @ np.append(x, -1.0), rho(x), atol=1e-12)
    for step in 1e-6 * np.eye(len(x)):
        slope = (rho(x + step) - rho(x - step)) / 2e-6
        np.testing.assert_allclose(linear[..., :-1] @ step / 1e-6, slope, atol=1e-7)


def test_common_factor_changes_no_residual():
    # Payload, the rest of u and 1 + gain u, all times the same: the divided rows do not change.
    _, gain, x, rows = gained(2, m=60, noise=0.0, known=0.0)
    p, factor = gain.shape[1], 1.1
    scaled = factor * x
    scaled[5:p] = (factor * (1.0 + 0.3 * x[5:p]) - 1.0) / 0.3
    for y in (x, scaled):
        left = np.einsum("cmk,k->cm", rows, np.append(y, -1.0)) / (1.0 + gain @ y[:p])[:, None]
        assert np.abs(left).max() < 1e-12


@pytest.mark.parametrize("seed", [1, 2])
def test_nuisance_parameters_keep_their_box(seed):
    factors, gain, _, _ = gained(seed, m=40, noise=3.0)
    fit = nuisance_fit(factors, np.full(3, 40.0), 40.0 * np.ones((3, 11)), gain)
    p = gain.shape[1]
    assert (np.abs(fit.x[:p]) <= 1.0).all()
    assert (1.0 + gain @ fit.x[:p] >= 0.5).all()


@pytest.mark.slow
def test_estimate_is_inside_the_set_of_the_hull():
    robot = RobotFile.load("kinova_gen3")
    model = RobotModel.from_robot_file(robot)
    stated = replace(robot.uncertainty, torque_gain=0.05)
    samples, _ = measured_run(model, stated, 3, 5.0)
    online = OnlineIdentifier(model, Settings(stated, "ols"))
    online.add(samples)
    problem = online.problem()
    estimate = problem.solve().estimate
    known = Interval(estimate.lower, estimate.upper)
    phi = nearest(problem.rows, known, estimate.phi, problem.shape, problem.prior)
    np.testing.assert_allclose(phi, estimate.phi, atol=1e-4 * problem.prior.half_width.max())
    # Moved out by a half-width, it comes back, and what comes back is in the set again.
    far = estimate.phi + np.eye(10)[0] * 2.5 * known.half_width[0]
    back = nearest(problem.rows, known, far, problem.shape, problem.prior)
    assert known.lower[0] - 1e-6 <= back[0] <= known.upper[0] + 1e-6
    again = METHODS["hull"]().bounds(problem.rows, known, Memory(), problem.shape).interval
    assert (back >= again.lower - 1e-4 * again.half_width - 1e-6).all()
    assert (back <= again.upper + 1e-4 * again.half_width + 1e-6).all()
