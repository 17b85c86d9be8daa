"""From a wrench to a payload: exact without noise, aligned in time, and faults called by name."""

import json
from dataclasses import replace

import numpy as np
import pytest

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.diagnosis.wrench.mounting import diagnose, signed_permutations
from payload_id.core.errors import RecordingError
from payload_id.core.identification.status import Status
from payload_id.core.identification.wrench.alignment import compensated, time_offset
from payload_id.core.identification.wrench.identify import identify_wrench
from payload_id.core.identification.wrench.static import identify_poses, identify_static, rests
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.core.samples.sensor_motion import Accelerometer, Poses, wrench_samples
from payload_id.core.samples.wrench_samples import WrenchSamples
from wrench_motion import GRAVITY, PAYLOAD, motion, pose, simulated, wrench_of

SMALL = PayloadPrior(mass_max=3.0, com_max=0.3)
BIAS = np.array([3, -2, 10, 0.1, -0.2, 0.3])
TIGHT = WrenchUncertainty(force_error=1e-4, torque_error=1e-5, prior=SMALL)
USUAL = WrenchUncertainty(force_error=0.1, torque_error=0.01, time_error=1e-3, prior=SMALL)


@pytest.mark.parametrize("estimator", ["lmi", "ols"])
def test_without_noise_the_payload_is_found(estimator):
    estimate = identify_wrench(simulated(bias=BIAS), TIGHT, estimator)
    if estimator == "lmi":  # the textbook's method knows of no bias
        np.testing.assert_allclose(estimate.phi, PAYLOAD, atol=1e-6)
    assert estimate.status is Status.GOOD
    assert estimate.contains(PAYLOAD).all()
    assert not estimate.compensated and estimate.contamination is None


def test_drifting_bias_is_a_nuisance():
    drift = np.array([0.05, -0.1, 0.02, 0.005, 0.002, -0.004])
    samples = simulated(bias=BIAS, drift=drift)
    assert identify_wrench(samples, TIGHT).status is Status.INCONSISTENT
    allowed = WrenchUncertainty(
        force_error=1e-4, torque_error=1e-5, force_drift=0.2, torque_drift=0.02, prior=SMALL
    )
    estimate = identify_wrench(samples, allowed)
    assert estimate.contains(PAYLOAD).all()
    np.testing.assert_allclose(estimate.phi, PAYLOAD, atol=1e-5)


@pytest.mark.parametrize("delay", [0.0, 0.0137, -0.04])
def test_delay_is_found(delay):
    found = time_offset(simulated(delay=delay, noise=0.1, bias=BIAS))
    assert found.seconds == pytest.approx(delay, abs=1e-3)
    assert abs(found.seconds - delay) <= 4 * found.deviation
    assert found.significant == (delay != 0.0)
    exact = time_offset(simulated(delay=delay, bias=BIAS))
    assert exact.seconds == pytest.approx(delay, abs=2e-5)


def with_holes(samples, holes, leap=0.0):
    """Return samples without those within some spans [s], the later half `leap` [s] later."""
    stamp = samples.stamp
    lost = np.any([(stamp > a) & (stamp < b) for a, b in holes], axis=0)
    kept = samples.where(~lost)
    columns = {name: getattr(kept, name) for name in ("rotation", "angular_velocity",
               "angular_acceleration", "linear_acceleration", "wrench")}  # fmt: skip
    late = kept.stamp + leap * (kept.stamp > 0.5 * stamp[-1])
    return WrenchSamples(stamp=late, **columns, gravity=kept.gravity)


@pytest.mark.parametrize("delay", [0.0, 0.0137, -0.04])
@pytest.mark.parametrize("leap", [0.0, 3600.0], ids=["", "stamps leap"])
def test_gaps_do_not_spoil_the_delay(delay, leap):
    holes = [(1.0, 1.02), (1.7, 1.9), (2.6, 3.4), (4.1, 4.2)]
    samples = with_holes(simulated(delay=delay, noise=0.02, bias=BIAS, seconds=8.0), holes, leap)
    found = time_offset(samples)
    assert abs(found.seconds - delay) <= max(4 * found.deviation, 2e-5) < 2e-3
    estimate = identify_wrench(samples, USUAL)
    assert estimate.status is Status.GOOD and estimate.contains(PAYLOAD).all(), estimate


@pytest.mark.parametrize("rate", [100.0, 1000.0])
@pytest.mark.parametrize("delay", [0.0, -0.0137])
def test_lost_samples_do_not_spoil_the_delay(rate, delay):
    samples = simulated(delay=delay, noise=0.02, bias=BIAS, seconds=8.0, rate=rate)
    kept = np.random.default_rng(3).random(len(samples)) > 0.25
    found = time_offset(samples.where(kept))
    assert abs(found.seconds - delay) <= 4 * found.deviation < 1e-3


def test_no_wrench_is_made_up_in_a_gap():
    samples = with_holes(simulated(delay=0.03, bias=BIAS, seconds=6.0), [(2.0, 3.0)])
    moved = compensated(samples, 0.03)
    whole = compensated(simulated(delay=0.03, bias=BIAS, seconds=6.0), 0.03)
    assert not ((moved.stamp > 1.98) & (moved.stamp < 3.0)).any()
    same = np.isin(whole.stamp, moved.stamp)
    np.testing.assert_allclose(moved.wrench, whole.wrench[same], atol=1e-4)


def test_delay_is_taken_out_and_reported():
    samples = simulated(delay=0.03, noise=0.02, bias=BIAS)
    estimate = identify_wrench(samples, USUAL)
    assert estimate.compensated and estimate.contains(PAYLOAD).all()
    assert "30.0" in estimate.message and "late" in estimate.message
    assert estimate.to_dict()["time_offset"] == pytest.approx(0.03, abs=1e-3)
    untouched = identify_wrench(samples, USUAL, largest_offset=0.0)
    assert untouched.status is Status.INCONSISTENT and untouched.time_offset is None


def test_delay_of_a_still_sensor_is_unknown():
    still = simulated(speed=0.0, noise=0.05)
    found = time_offset(still)
    assert not found.significant and np.isinf(found.deviation)
    assert compensated(still, 0.0) is still


def gravity_wrench(samples):
    """Return the part of the wrench that holds the payload's weight."""
    g = samples.gravity_in_sensor
    return -np.concatenate([PAYLOAD[0] * g, np.cross(PAYLOAD[1:4], g)], axis=1)


FAULTS = {
    "sign": (lambda w, s: -w, "The force has the wrong sign"),
    "swapped": (lambda w, s: w[:, [1, 0, 2, 4, 3, 5]], "with channels (y, x, z)"),
    "reversed": (lambda w, s: w * [1, 1, -1, 1, 1, -1], "with channels (x, y, -z)"),
    "turned": (lambda w, s: w[:, [2, 0, 1, 5, 3, 4]], "with channels (y, z, x)"),
    "torque order": (lambda w, s: w[:, [0, 1, 2, 4, 3, 5]], "axes of the torque are swapped"),
    "torque sign": (lambda w, s: w * [1, 1, 1, -1, -1, -1], "The torque has the wrong sign"),
    "compensated": (lambda w, s: w - gravity_wrench(s), "already compensates gravity"),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_named(fault):
    change, words = FAULTS[fault]
    samples = simulated(bias=BIAS, noise=0.02)
    estimate = identify_wrench(samples.with_wrench(change(samples.wrench, samples)), USUAL)
    assert estimate.status is Status.INCONSISTENT
    assert words in estimate.message and words in estimate.diagnosis
    assert estimate.cause == "read otherwise" and not estimate.blame
    json.dumps(estimate.to_dict())


def test_slow_sensor_that_compensates_is_noticed():
    samples = simulated(seconds=30, rate=100, speed=0.1, noise=0.02)
    estimate = identify_wrench(samples.with_wrench(samples.wrench - gravity_wrench(samples)), USUAL)
    assert estimate.status is Status.SMALL_LOAD
    assert "does not follow the sensor's orientation" in estimate.diagnosis


def test_nothing_is_wrong_with_good_data():
    for speed in (0.2, 1.0):
        assert diagnose(simulated(speed=speed, noise=0.05, bias=BIAS)) is None
    assert diagnose(simulated(seconds=0.02)) is None
    assert len({tuple(m.ravel()) for m in signed_permutations()}) == 48


@pytest.mark.slow
@pytest.mark.parametrize("span", [(2.0, 3.0), (1.0, 4.4)])
def test_contact_is_found_where_it_is(span):
    samples = simulated(bias=BIAS, noise=0.02, seconds=7.0)
    inside = (samples.stamp > span[0]) & (samples.stamp < span[1])
    wrench = samples.wrench.copy()
    push = 3.0 + 2.0 * np.sin(9.0 * samples.stamp[inside]) + 0.7 * samples.stamp[inside]
    wrench[inside, 1] += push
    wrench[inside, 5] += 0.06 * push
    estimate = identify_wrench(samples.with_wrench(wrench), USUAL, largest_offset=0.0)
    assert estimate.status is Status.INCONSISTENT
    (found,) = estimate.contamination.spans
    assert found.start == pytest.approx(span[0], abs=0.15)
    assert found.end == pytest.approx(span[1], abs=0.15)
    assert "fy" in found.channels and found.factor > 5
    assert estimate.cause == "contact"
    assert f"{found.start:.2f}-{found.end:.2f} s" in estimate.message


def held(count, noise=0.01, ringing=0.5, seed=0):
    """Return a recording that stops at poses, vibrating for a while at each."""
    rng = np.random.default_rng(seed)
    rate, seconds = 200, 1.5
    parts = []
    for k in range(count):
        t = k * 2.0 + np.arange(int(seconds * rate)) / rate
        rotation = pose(np.array([1.7 * k]))[0].as_matrix()[0]
        g = GRAVITY @ rotation
        clean = -np.concatenate([PAYLOAD[0] * g, np.cross(PAYLOAD[1:4], g)])
        swing = ringing * np.exp(-(t - t[0]) / 0.1) * np.sin(60 * (t - t[0]))
        wrench = clean + BIAS + swing[:, None] * [1, 1, 1, 0.1, 0.1, 0.1]
        wrench += noise * rng.normal(size=wrench.shape) * [1, 1, 1, 0.1, 0.1, 0.1]
        none = np.zeros((len(t), 3))
        parts.append(
            WrenchSamples(t, np.repeat(rotation[None], len(t), 0), none, none, none, wrench)
        )
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.joined(part)
    return whole


def test_poses_at_rest_give_mass_and_centre_but_no_inertia():
    recording = held(8)
    segments = rests(recording)
    assert len(segments) == 8
    for k, segment in enumerate(segments):  # 0.5 N has to die away to 0.01 N: 0.3 s or more
        assert 0.15 < recording.stamp[segment.start] - 2.0 * k < 0.9
    estimate = identify_static(
        recording, WrenchUncertainty(force_error=0.05, torque_error=0.005, prior=SMALL)
    )
    assert estimate.status is Status.USABLE
    assert estimate.identifiable.tolist() == [True] * 4 + [False] * 6
    assert "Ixx" in estimate.message and estimate.contains(PAYLOAD).all()
    np.testing.assert_allclose(estimate.phi[:4], PAYLOAD[:4], atol=5e-3)
    with pytest.raises(RecordingError, match="holds 2 rests"):
        identify_static(held(2))


def test_rest_without_vibration_is_used_from_its_beginning():
    recording = held(4, ringing=0.0)
    assert [s.start for s in rests(recording)][0] < 20
    assert not rests(simulated())


def test_a_slide_that_passes_for_a_rest_is_covered():
    """A hundredth of gravity is one part in a hundred of the mass."""
    recording = held(6, noise=0.0, ringing=0.0)
    slide = np.zeros((len(recording), 3))
    slide[recording.stamp < 2.0] = (0.0, 0.1, 0.0)
    force = PAYLOAD[0] * slide
    wrench = recording.wrench + np.hstack([force, np.cross(PAYLOAD[1:4], slide)])
    sliding = replace(recording, linear_acceleration=slide, wrench=wrench)
    assert len(rests(sliding)) == 6
    for samples in (recording, sliding):
        estimate = identify_static(samples, TIGHT)
        assert estimate.status is Status.USABLE and estimate.contains(PAYLOAD).all()


def test_one_reading_for_each_pose_is_enough():
    rotation = pose(np.linspace(0, 20, 12))[0].as_matrix()
    g = GRAVITY @ rotation
    wrench = BIAS - np.concatenate([PAYLOAD[0] * g, np.cross(PAYLOAD[1:4], g)], axis=1)
    estimate = identify_poses(rotation, wrench, TIGHT)
    np.testing.assert_allclose(estimate.phi[:4], PAYLOAD[:4], atol=1e-5)
    assert not estimate.identifiable[4:].any() and estimate.samples == 12
    assert "wrong sign" in identify_poses(np.tile(rotation, (2, 1, 1)), np.tile(-wrench, (2, 1)),
                                          TIGHT).message  # fmt: skip
    with pytest.raises(RecordingError, match="4 poses"):
        identify_poses(rotation[:2], wrench[:2])


def test_motion_from_poses_and_from_an_accelerometer_agree():
    t = np.arange(0, 5, 0.004)
    rotation, omega, alpha, acceleration = motion(t)
    arm = np.array([0.03, -0.02, 0.05])
    lever = np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
    proper = acceleration - rotation.inv().apply(GRAVITY) + lever
    at = t[200:-200:3] + 1e-3
    wrench = wrench_of(PAYLOAD, *motion(at))
    gravity = (0.0, 0.0, -9.81)
    origin = pose(t)[1]
    by_pose = wrench_samples(at, wrench, Poses(t, rotation.as_matrix(), origin), gravity)
    by_sensor = wrench_samples(
        at, wrench, Poses(t, rotation.as_matrix()), gravity, Accelerometer(t, proper, tuple(arm))
    )
    wanted = motion(at)[3]
    np.testing.assert_allclose(by_sensor.linear_acceleration, wanted, atol=1e-3)
    np.testing.assert_allclose(by_pose.linear_acceleration, wanted, atol=0.02)
    with pytest.raises(RecordingError, match="share no time"):
        wrench_samples(at + 100, wrench, Poses(t, rotation.as_matrix()), gravity)


@pytest.mark.parametrize("seed", range(4))
def test_compensated_sensor_of_a_small_load_is_named(seed):
    small = 0.1 * PAYLOAD
    samples = simulated(10.0, 100.0, phi=small, noise=0.1, speed=1.5, seed=seed)
    weight = samples.wrench.copy()
    weight[:, :3] += small[0] * samples.gravity_in_sensor
    weight[:, 3:] += np.cross(small[1:4], samples.gravity_in_sensor)
    assert diagnose(samples) is None
    assert "already compensates gravity: its force" in diagnose(samples.with_wrench(weight))
    swapped = samples.wrench[:, [1, 0, 2, 3, 4, 5]]
    assert "axes of the force" in diagnose(samples.with_wrench(swapped))
