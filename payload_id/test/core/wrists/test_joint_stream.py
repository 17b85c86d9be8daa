"""Readings to samples: derivatives, the same whatever the pieces, losses counted."""

import numpy as np
import pytest

from payload_id.core.mechanism.delta import Delta
from payload_id.core.mechanism.own_load import MechanismMasses, own_torque
from payload_id.core.mechanism.readings import JointReadings, Mechanism
from payload_id.core.wrists.joint_stream import JointStream

RATE = 100.0


@pytest.fixture
def readings():
    t = np.arange(0, 2, 1 / RATE)
    middle = Delta().inverse(np.array([0.0, 0.0, 0.36]))
    turn = np.sin(2 * np.outer(t, [1.0, 1.3, 0.7]))
    theta = middle + 0.1 * turn
    return JointReadings(t, theta + 0.01 * turn, theta, 0.15 * turn[:, ::-1], 3 + turn)


def part(readings, rows):
    return JointReadings(*(getattr(readings, x)[rows] for x in JointReadings.__annotations__))


@pytest.mark.parametrize("length", [1, 40])
def test_samples_do_not_depend_on_the_pieces(readings, length):
    whole = JointStream("a", Mechanism(), RATE).add(readings)
    stream = JointStream("a", Mechanism(), RATE)
    cuts = [slice(k, k + length) for k in range(0, len(readings), length)]
    parts = [x for x in (stream.add(part(readings, cut)) for cut in cuts) if x is not None]
    for name in ("time", "rotation", "position", "twist", "force"):
        found = np.concatenate([getattr(x, name) for x in parts])
        np.testing.assert_allclose(found, getattr(whole, name), rtol=1e-12, atol=1e-14)


def test_twist_is_the_derivative_of_the_pose(readings):
    samples = JointStream("a", Mechanism(), RATE, 0.03).add(readings)
    t, R = samples.time, samples.rotation
    v = np.gradient(samples.position, t, axis=0)
    expected = np.einsum("nji,nj->ni", R, v)
    np.testing.assert_allclose(samples.twist[2:-2, 3:], expected[2:-2], atol=1e-4)
    spin = np.einsum("nji,njk->nik", R, np.gradient(R, t, axis=0))
    np.testing.assert_allclose(samples.twist[2:-2, 2], spin[2:-2, 1, 0], atol=1e-4)


def test_force_is_in_the_grasp_frame_and_without_what_the_mechanism_weighs(readings):
    """At rest, torques that just hold the mechanism give no force."""
    still = part(readings, np.zeros(40, dtype=int))
    mechanism = Mechanism(masses=MechanismMasses(0.5, 0.2, 0.1))
    zero = np.zeros_like(still.theta)
    own = own_torque(mechanism.delta, mechanism.masses, still.theta, zero, zero,
                     np.array(mechanism.gravity))  # fmt: skip
    held = JointReadings(np.arange(40) / RATE, still.before, still.theta, still.gimbal, own)
    samples = JointStream("a", mechanism, RATE).add(held)
    np.testing.assert_allclose(samples.force, 0.0, atol=1e-9)


def test_what_gives_no_sample_is_counted(readings):
    stream = JointStream("a", Mechanism(), RATE)
    theta = readings.theta.copy()
    theta[50:60] = [3.0, -0.5, 1.0]  # loops that do not close
    theta[120, 0] = np.nan
    keep = np.r_[0:80, 110:200]
    broken = JointReadings(readings.stamp, readings.before, theta, readings.gimbal, readings.tau)
    samples = stream.add(part(broken, keep))
    assert stream.dropped["not_finite"] == 1
    assert stream.dropped["out of the mechanism's reach"] > 5
    assert stream.dropped["beside a gap, or unevenly stamped"] > 0
    assert stream.received == len(keep)
    assert np.isfinite(samples.force).all()
    stream.add(part(broken, slice(0, 10)))
    assert stream.dropped["out_of_order"] == 10
