"""From a wrench to a payload: aligned in time, faults called by name, motion from two sources."""

from dataclasses import replace

import numpy as np
import pytest

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import RecordingError
from payload_id.core.identification.status import Status
from payload_id.core.identification.wrench.alignment import time_offset
from payload_id.core.identification.wrench.identify import identify_wrench
from payload_id.core.identification.wrench.static import identify_static, rests
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.core.samples.delay_line import DelayLine
from payload_id.core.samples.sensor_motion import Accelerometer, Poses, wrench_samples
from payload_id.core.samples.wrench_samples import WrenchSamples
from wrench_motion import GRAVITY, PAYLOAD, motion, pose, simulated, wrench_of

SMALL = PayloadPrior(mass_max=3.0, com_max=0.3)
BIAS = np.array([3, -2, 10, 0.1, -0.2, 0.3])
USUAL = WrenchUncertainty(force_error=0.1, torque_error=0.01, time_error=1e-3, prior=SMALL)


# Time


def with_holes(samples, holes, leap=0.0):
    """Return samples without those within some spans [s], the later half `leap` [s] later."""
    stamp = samples.stamp
    lost = np.any([(stamp > a) & (stamp < b) for a, b in holes], axis=0)
    kept = samples.where(~lost)
    return replace(kept, stamp=kept.stamp + leap * (kept.stamp > 0.5 * stamp[-1]))


@pytest.mark.parametrize("delay", [0.0, 0.0137, -0.04])
def test_delay_is_found_whatever_is_lost(delay):
    found = time_offset(simulated(delay=delay, noise=0.1, bias=BIAS))
    assert abs(found.seconds - delay) <= min(4 * found.deviation, 1e-3)
    assert found.significant == (delay != 0.0)
    exact = time_offset(simulated(delay=delay, bias=BIAS))
    assert exact.seconds == pytest.approx(delay, abs=2e-5)
    fine = simulated(delay=delay, noise=0.02, bias=BIAS, rate=1000.0)
    thinned = time_offset(fine.where(np.random.default_rng(3).random(len(fine)) > 0.25))
    assert abs(thinned.seconds - delay) <= 4 * thinned.deviation < 1e-3


@pytest.mark.parametrize("delay", [0.0, 0.0137, -0.04])
def test_gaps_and_leaps_of_the_stamps_do_not_spoil_the_delay(delay):
    holes = [(1.0, 1.02), (1.7, 1.9), (2.6, 3.4), (4.1, 4.2)]
    whole = simulated(delay=delay, noise=0.02, bias=BIAS, seconds=8.0)
    for leap in (0.0, 3600.0):
        samples = with_holes(whole, holes, leap)
        found = time_offset(samples)
        assert abs(found.seconds - delay) <= max(4 * found.deviation, 2e-5) < 2e-3
    estimate = identify_wrench(samples, USUAL)
    assert estimate.status is Status.GOOD and estimate.contains(PAYLOAD).all(), estimate


def test_no_wrench_is_made_up_in_a_gap_or_of_a_still_sensor():
    samples = simulated(delay=0.03, bias=BIAS, seconds=6.0)
    moved = DelayLine(0.03, 0.03).push(with_holes(samples, [(2.0, 3.0)]))
    whole = DelayLine(0.03, 0.03).push(samples)
    assert not ((moved.stamp > 1.98) & (moved.stamp < 3.0)).any()
    same = np.isin(whole.stamp, moved.stamp)
    np.testing.assert_allclose(moved.wrench, whole.wrench[same], atol=1e-4)
    still = simulated(speed=0.0, noise=0.05)
    found = time_offset(still)
    assert not found.significant and np.isinf(found.deviation)


# Faults


def without_weight(samples, phi):
    """Return samples of a sensor that compensates a payload's weight."""
    g = samples.gravity_in_sensor
    weight = -np.concatenate([phi[0] * g, np.cross(phi[1:4], g)], axis=1)
    return samples.with_wrench(samples.wrench - weight)


def test_a_compensated_sensor_is_named_and_a_slow_one_is_not_taken_for_a_load():
    slow = simulated(20.0, 100.0, speed=0.1, noise=0.02)
    estimate = identify_wrench(without_weight(slow, PAYLOAD), USUAL)
    assert estimate.status is Status.SMALL_LOAD and "taken out" in estimate.message
    fast = simulated(4.0, 100.0, noise=0.02, speed=1.5)
    estimate = identify_wrench(without_weight(fast, PAYLOAD), USUAL)
    assert estimate.cause == "gravity direction" and "compensated" in estimate.diagnosis


def held(count, noise=0.01, ringing=0.5):
    """Return a recording that stops at poses, vibrating for a while at each."""
    rng, rate, seconds, parts = np.random.default_rng(0), 200, 1.5, []
    scale = np.array([1, 1, 1, 0.1, 0.1, 0.1])
    for k in range(count):
        t = k * 2.0 + np.arange(int(seconds * rate)) / rate
        rotation = pose(np.array([1.7 * k]))[0].as_matrix()[0]
        g = GRAVITY @ rotation
        clean = BIAS - np.concatenate([PAYLOAD[0] * g, np.cross(PAYLOAD[1:4], g)])
        swing = ringing * np.exp(-(t - t[0]) / 0.1) * np.sin(60 * (t - t[0]))
        wrench = clean + scale * (swing[:, None] + noise * rng.normal(size=(len(t), 6)))
        turned, none = np.repeat(rotation[None], len(t), 0), np.zeros((len(t), 3))
        parts.append(WrenchSamples(t, turned, none, none, none, wrench))
    return WrenchSamples.stacked(parts)


def test_a_rest_counts_from_when_the_sensor_has_stopped_shaking():
    recording = held(8)
    segments = rests(recording)
    assert len(segments) == 8
    for k, segment in enumerate(segments):  # 0.5 N has to die away to 0.01 N: 0.3 s or more
        assert 0.15 < recording.stamp[segment.start] - 2.0 * k < 0.9
    stated = WrenchUncertainty(force_error=0.05, torque_error=0.005, prior=SMALL)
    assert identify_static(recording, stated).contains(PAYLOAD).all()
    assert rests(held(4, ringing=0.0))[0].start < 20  # used from its beginning
    assert not rests(simulated())


def test_motion_from_poses_and_from_an_accelerometer_agree():
    t = np.arange(0, 5, 0.004)
    rotation, omega, alpha, acceleration = motion(t)
    arm = np.array([0.03, -0.02, 0.05])
    lever = np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
    proper = acceleration - rotation.inv().apply(GRAVITY) + lever
    at, turned, gravity = t[200:-200:3] + 1e-3, rotation.as_matrix(), (0.0, 0.0, -9.81)
    wrench, wanted = wrench_of(PAYLOAD, *motion(at)), motion(at)[3]
    by_pose = wrench_samples(at, wrench, Poses(t, turned, pose(t)[1]), gravity)
    sensor = Accelerometer(t, proper, tuple(arm))
    by_sensor = wrench_samples(at, wrench, Poses(t, turned), gravity, sensor)
    np.testing.assert_allclose(by_sensor.linear_acceleration, wanted, atol=1e-3)
    np.testing.assert_allclose(by_pose.linear_acceleration, wanted, atol=0.02)
    with pytest.raises(RecordingError, match="share no time"):
        wrench_samples(at + 100, wrench, Poses(t, turned), gravity)
