"""Rows of a force-torque sensor: true equations, and bounds that hold."""

import time

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

from payload_id.core.body.inertial import FROM_PINOCCHIO
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import InputError, RecordingError
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.rows.wrench.newton_euler import (
    FEATURES_TO_REGRESSOR,
    NewtonEulerRows,
    dynamism,
    newton_euler_regressor,
)
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.core.samples.wrench_samples import WrenchSamples
from wrench_motion import PAYLOAD, simulated

SMALL = PayloadPrior(mass_max=3.0, com_max=0.3)


def test_regressor_is_pinocchios():
    rng = np.random.default_rng(0)
    for _ in range(50):
        velocity, omega, acceleration, alpha, gravity = rng.normal(size=(5, 3))
        spatial = acceleration - np.cross(omega, velocity)
        wanted = pin.bodyRegressor(
            pin.Motion(velocity, omega), pin.Motion(spatial - gravity, alpha)
        )
        found = newton_euler_regressor((acceleration - gravity)[None], omega[None], alpha[None])
        np.testing.assert_allclose(found[0], wanted[:, FROM_PINOCCHIO], atol=1e-10)


def test_rows_hold_exactly_for_the_true_payload():
    samples = simulated(seconds=1.0)
    rows = NewtonEulerRows.of(WrenchUncertainty())
    block = rows.window(samples.part(20, 60))
    np.testing.assert_allclose(block.A @ PAYLOAD, block.b, atol=1e-7)
    assert block.A.shape == (6, 10) and block.B.shape == (6, rows.p) == (6, 6)
    assert rows.channels == ("fx", "fy", "fz", "tx", "ty", "tz")


def test_static_rows_are_those_of_gravity_alone():
    samples = simulated(seconds=1.0)
    block = NewtonEulerRows.of(WrenchUncertainty()).window(samples.part(0, 21))
    assert (block.A_static[:, 4:] == 0.0).all()
    weight = np.full(21, 1 / 200)
    weight[[0, -1]] /= 2
    np.testing.assert_allclose(block.A_static[:3, 0], -weight @ samples.gravity_in_sensor[:21])
    a, al, w = (
        np.linalg.norm(x, axis=1)
        for x in (
            samples.linear_acceleration,
            samples.angular_acceleration,
            samples.angular_velocity,
        )
    )
    np.testing.assert_allclose(dynamism(samples), a**2 + al**2 + (w / 0.5) ** 2)


def perturbed(samples, error, rng):
    """Return samples whose motion and wrench are off by no more than the bounds say."""

    def off(values, bound):
        return values + bound * rng.choice([-1.0, 1.0], size=values.shape)

    return WrenchSamples(
        samples.stamp,
        samples.rotation,
        off(samples.angular_velocity, error.get("angular_velocity_error", 0.0)),
        off(samples.angular_acceleration, error.get("angular_acceleration_error", 0.0)),
        off(samples.linear_acceleration, error.get("linear_acceleration_error", 0.0)),
        np.hstack(
            [
                off(samples.wrench[:, :3], error.get("force_error", 0.0)),
                off(samples.wrench[:, 3:], error.get("torque_error", 0.0)),
            ]
        ),
    )


ERRORS = [
    {"force_error": 0.2},
    {"torque_error": 0.02},
    {"angular_velocity_error": 0.05},
    {"angular_acceleration_error": 0.4},
    {"linear_acceleration_error": 0.3},
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: next(iter(e)))
def test_each_error_stays_within_its_bound(error):
    truth = simulated(seconds=1.0)
    rows = NewtonEulerRows.of(WrenchUncertainty(**error))
    rng = np.random.default_rng(3)
    largest = 0.0
    for start in range(0, 160, 20):
        for _ in range(5):
            block = rows.window(perturbed(truth, error, rng).part(start, start + 21))
            excess = np.abs(block.A @ PAYLOAD - block.b) / (block.bound(np.abs(PAYLOAD)) + 1e-7)
            largest = max(largest, float(excess.max()))
    assert largest <= 1.0
    name = next(iter(error))
    worst = simulated(seconds=1.0)
    moved = {"force_error": "wrench", "torque_error": "wrench"}.get(name, name[: -len("_error")])
    assert moved in vars(worst)  # the same sign throughout comes close to the bound
    columns = {k: getattr(worst, k) for k in ("stamp", "rotation", "angular_velocity",
               "angular_acceleration", "linear_acceleration", "wrench")}  # fmt: skip
    part = {"force_error": slice(0, 3), "torque_error": slice(3, 6)}.get(name, slice(None))
    columns[moved] = columns[moved].copy()
    columns[moved][:, part] += error[name]
    block = rows.window(WrenchSamples(**columns).part(0, 21))
    excess = np.abs(block.A @ PAYLOAD - block.b) / (block.bound(np.abs(PAYLOAD)) + 1e-7)
    assert 0.3 < excess.max() <= 1.0


def u_of(rows, values):
    """Return the coordinates in the unit box of nuisance parameters given by name."""
    nuisance = rows.nuisance
    size = nuisance.half_width[nuisance.uncertain]
    return np.array([values.get(name, 0.0) for name in nuisance.chosen]) / size


def test_bias_drift_and_gain_are_columns():
    bias, drift = np.array([3, -2, 10, 0.1, -0.2, 0.3]), np.array([0.1, 0, -0.2, 0.01, 0, 0.02])
    clean = simulated(seconds=1.0)
    gain = np.array([0.02, -0.01, 0.0, 0.01, 0.0, -0.02])
    shown = (1 + gain) * clean.wrench + bias + clean.stamp[:, None] * drift
    samples = clean.with_wrench(shown)
    rows = NewtonEulerRows.of(
        WrenchUncertainty(force_gain=0.03, torque_gain=0.03, force_drift=1.0, torque_drift=0.1)
    )
    axes = rows.channels
    values = {f"bias.{a}": b / (1 + g) for a, b, g in zip(axes, bias, gain, strict=True)}
    values |= {f"drift.{a}": b / (1 + g) for a, b, g in zip(axes, drift, gain, strict=True)}
    values |= {f"gain.{a}": 1 / (1 + g) - 1 for a, g in zip(axes, gain, strict=True)}
    u = u_of(rows, values)
    assert (np.abs(u) <= 1.0).all()
    for start in (0, 100):
        block = rows.window(samples.part(start, start + 21))
        np.testing.assert_allclose(block.A @ PAYLOAD + block.B @ u, block.b, atol=1e-7)


def test_time_offset_is_a_column():
    tau = 1.5e-3
    samples = simulated(seconds=1.0, delay=tau)
    rows = NewtonEulerRows.of(WrenchUncertainty(time_error=2e-3, force_bias=0, torque_bias=0))
    u = u_of(rows, {"time_offset": tau})
    for start in (0, 100, 160):
        block = rows.window(samples.part(start, start + 21))
        left = np.abs(block.A @ PAYLOAD + block.B @ u - block.b)
        assert (left <= block.bound(np.abs(PAYLOAD)) + 1e-7).all()
        assert left.max() < 0.1 * np.abs(block.A @ PAYLOAD - block.b).max() + 1e-7


def test_tilt_of_gravity_is_eight_columns():
    angle = 0.02
    true = simulated(seconds=1.0)
    tilt = pin.exp3(angle * np.array([0.6, 0.8, 0.0]))
    believed = WrenchSamples(
        true.stamp,
        tilt.T @ true.rotation,
        true.angular_velocity,
        true.angular_acceleration,
        true.linear_acceleration,
        true.wrench,
    )
    rows = NewtonEulerRows.of(
        WrenchUncertainty(gravity_error=angle, force_bias=0, torque_bias=0, prior=SMALL)
    )
    assert rows.p == 8
    blocks = [rows.window(believed.part(k, k + 21)) for k in range(0, 180, 20)]
    B = np.vstack([b.B for b in blocks])
    left = np.concatenate([b.b - b.A @ PAYLOAD for b in blocks])
    bound = np.concatenate([b.bound(np.abs(PAYLOAD)) for b in blocks])
    u = np.linalg.lstsq(B, left, rcond=None)[0]
    assert (np.abs(left - B @ u) <= bound + 1e-7).all()
    assert (np.abs(left) > 3 * bound).any()
    # in the box, each product of tilt and parameter at most as large as both bounds
    assert (np.abs(u) <= 1.0).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "error",
    [
        {"force_error": 0.1, "torque_error": 0.01},
        {"force_error": 0.02, "torque_error": 0.002, "linear_acceleration_error": 0.05,
         "angular_acceleration_error": 0.1, "angular_velocity_error": 0.01},
    ],
    ids=["wrench", "motion"],
)  # fmt: skip
def test_intervals_contain_the_truth(error):
    truth = simulated(seconds=3.0)
    uncertainty = WrenchUncertainty(**error, prior=SMALL)
    rng = np.random.default_rng(5)
    for _ in range(2):
        bias = rng.uniform(-1, 1, 6) * [10, 10, 10, 1, 1, 1]
        samples = perturbed(truth, error, rng)
        samples = samples.with_wrench(samples.wrench + bias)
        online = OnlineIdentifier(NewtonEulerRows.of(uncertainty), Settings())
        online.add(samples)
        estimate = online.update()
        assert estimate.contains(PAYLOAD).all(), estimate
        assert estimate.half_width[0] < 0.1


@pytest.mark.slow
def test_noise_of_stated_sigma_averages_out():
    uncertainty = WrenchUncertainty(force_sigma=0.1, torque_sigma=0.01, prior=SMALL)
    covered = 0
    for seed in range(5):
        samples = simulated(seconds=4.0, noise=0.1, seed=seed)
        online = OnlineIdentifier(NewtonEulerRows.of(uncertainty), Settings())
        online.add(samples)
        estimate = online.update()
        covered += estimate.contains(PAYLOAD).all()
    assert covered == 5
    hard = WrenchUncertainty(force_error=0.45, torque_error=0.045, prior=SMALL)
    online = OnlineIdentifier(NewtonEulerRows.of(hard), Settings())
    online.add(samples)
    assert (estimate.half_width < 0.5 * online.update().half_width).all()


def test_result_does_not_depend_on_how_samples_arrive():
    samples = simulated(seconds=2.0, noise=0.02)
    answers = []
    for size in (400, 37):
        online = OnlineIdentifier(
            NewtonEulerRows.of(WrenchUncertainty(force_error=0.1, torque_error=0.01)), Settings()
        )
        for start in range(0, 400, size):
            online.add(samples.part(start, start + size))
        answers.append(online.update())
    assert answers[0].to_dict() == answers[1].to_dict()


def test_bad_rows_are_left_out_and_counted():
    good = simulated(seconds=0.1)
    columns = {k: np.array(getattr(good, k)) for k in ("stamp", "rotation", "angular_velocity",
               "angular_acceleration", "linear_acceleration", "wrench")}  # fmt: skip
    columns["wrench"][3, 2] = np.nan
    columns["stamp"][7] = columns["stamp"][6]
    columns["stamp"][9] = columns["stamp"][2]
    samples = WrenchSamples(**columns)
    assert len(samples) == len(good) - 3
    assert samples.dropped == {"not_finite": 1, "duplicate": 1, "out_of_order": 1}
    columns["rotation"][4] = np.ones((3, 3))
    with pytest.raises(RecordingError, match="no rotations, first number"):
        WrenchSamples(**columns)
    with pytest.raises(RecordingError, match="wrench must have shape"):
        WrenchSamples(**{**columns, "wrench": columns["wrench"][:, :3]})


def test_bounds_are_checked():
    with pytest.raises(InputError, match="one number, or three"):
        WrenchUncertainty(force_error=(1.0, 2.0))
    for factor in (0.0, 0.5):
        with pytest.raises(InputError, match="'sigma_factor' must be at least 1"):
            WrenchUncertainty(sigma_factor=factor)
    with pytest.raises(InputError, match="must be below 1"):
        WrenchUncertainty(torque_gain=2.0)
    with pytest.raises(InputError, match="finite and not negative"):
        WrenchUncertainty(time_error=-1.0)
    one = WrenchUncertainty(force_error=[1.0, 2.0, 3.0], prior=SMALL)
    assert WrenchUncertainty.from_dict(one.to_dict()) == one
    with pytest.raises(RecordingError, match="WrenchSamples"):
        NewtonEulerRows.of(one).fitted(object())


def test_accumulation_is_fast():
    samples = simulated(seconds=2.0, rate=1000.0)
    row_source = NewtonEulerRows.of(WrenchUncertainty(force_error=0.1, torque_error=0.01))
    best = np.inf
    for _ in range(3):
        online = OnlineIdentifier(row_source, Settings())
        started = time.perf_counter()
        for start in range(0, len(samples), 100):
            online.add(samples.part(start, start + 100))
        best = min(best, time.perf_counter() - started)
    assert best / len(samples) <= 100e-6  # 20 us on a machine with nothing else to do
    assert FEATURES_TO_REGRESSOR.shape == (6, 10, 12)


@pytest.mark.parametrize("frequency", [1.0, 5.0, 15.0, 25.0])
@pytest.mark.parametrize("late", [5e-3, -5e-3])
def test_what_a_delay_leaves_of_a_vibration_is_bounded(frequency, late):
    """Between the ends and the middle of a window a vibration may turn round many times."""
    axis, way = np.array([0.9, 0.4, 0.17]), 0.02 / frequency**2 * np.array([1.0, 0.5, 0.3])
    axis /= np.linalg.norm(axis)
    phi = np.array([2.0, 0.05, -0.02, 0.1, 0.02, 0.001, 0.002, 0.03, -0.001, 0.02])
    source = NewtonEulerRows.of(
        WrenchUncertainty(force_bias=0.0, torque_bias=0.0, time_error=abs(late))
    )

    def motion(t, phase):
        """Return rotation, omega, alpha and acceleration of a sensor that shakes."""
        w = 2.0 * np.pi * frequency
        s, c = np.sin(w * t + phase)[:, None], np.cos(w * t + phase)[:, None]
        turn = 0.3 / frequency
        rotation = Rotation.from_rotvec(turn * s * axis).as_matrix()
        acceleration = np.einsum("tji,tj->ti", rotation, -(w**2) * s * way)
        return rotation, turn * w * c * axis, -turn * w**2 * s * axis, acceleration

    for phase in (0.0, 0.8, 1.6, 2.4):
        t = np.arange(101) * 1e-3
        R, omega, alpha, a = motion(t - late, phase)
        Y = newton_euler_regressor(a - np.array([0.0, 0.0, -9.81]) @ R, omega, alpha)
        seen = motion(t, phase)
        block = source.window(WrenchSamples(t, *seen, Y @ phi, (0.0, 0.0, -9.81)))
        left = block.A @ phi - block.b
        off = [np.abs(left + s * block.B[:, 0]) / block.bound(np.abs(phi)) for s in (-1.0, 1.0)]
        assert min(x.max() for x in off) <= 1.0
