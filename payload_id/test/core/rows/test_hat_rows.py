"""Rows that take positions in place of wrong velocities: no row misses, and they are narrower."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from erring_arm import erring_run
from payload_id.core.rows.joint_torque.hat_rows import worth_it
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.quadrature import hat_remainder, hat_weights
from payload_id.core.samples.differentiation import velocities
from payload_id.core.samples.joint_samples import Samples

ERROR = 1e-4  # of positions, half a step of the encoder
POSITIONS = Uncertainty(position_error=ERROR)


def late(t, q, dq, rng):
    """Return velocities that are late."""
    return np.stack([np.interp(t - 0.01, t, v) for v in dq.T], axis=1)


def rocking(t, q, dq, rng):
    """Return velocities whose errors are of one sign in a part of a window."""
    sign = np.sign(np.sin(2 * np.pi * t[:, None] / rng.uniform(0.02, 0.6)))
    return dq + 0.03 * rng.choice([-1.0, 1.0], dq.shape[1]) * sign


VELOCITIES = {
    "differenced": lambda t, q, dq, rng: np.gradient(q, t, axis=0),
    "fitted": lambda t, q, dq, rng: velocities(t, q),
    "constant": lambda t, q, dq, rng: dq + 0.03 * rng.choice([-1.0, 1.0], dq.shape[1]),
    "late": late,
    "rocking": rocking,
}


def encoders(name, seed, kind, rate, seconds=2.0, jitter=0.0):
    """Return a run of encoders with steps, and with the bounds that its velocities keep."""
    run = erring_run(name, POSITIONS, seed, rate=rate, seconds=seconds, period=4.0)
    true, rng = run.true, np.random.default_rng(seed)
    q = 2 * ERROR * np.round(true.q / (2 * ERROR))
    dq = VELOCITIES[kind](true.stamp, q, true.dq, rng)
    largest = tuple(np.abs(dq - true.dq).max(axis=0))
    stated = replace(POSITIONS, velocity_error=largest, stamp_jitter=jitter)
    stamp = true.stamp + jitter * rng.choice([-1.0, 1.0], len(true))
    return replace(run, stated=stated, samples=Samples(stamp, q, dq, true.tau))


@pytest.mark.parametrize("name", ["elbow", "gantry", "ur10", "gen3"])
def test_no_row_needs_more_than_its_bound_wherever_velocities_come_from(name):
    for seed, kind in enumerate(VELOCITIES):
        for length, rate, jitter in ((0.1, 500.0, 0.0), (0.5, 100.0, 0.0), (0.5, 250.0, 1e-3)):
            run = encoders(name, seed, kind, rate, 1.0, jitter)
            assert run.used(run.rows(length)) <= 1.0, kind


@pytest.mark.parametrize("name", ["elbow", "gantry", "ur10", "gen3"])
def test_exact_samples_are_within_what_the_integration_leaves(name):
    for rate in (25.0, 100.0, 1000.0):
        run = erring_run(name, Uncertainty(velocity_error=1e-9), 0, rate=rate, period=4.0)
        assert worth_it(run.stated, run.true.stamp[: int(0.5 * rate) + 1], run.model.n)
        run = replace(run, samples=run.true)
        assert run.used(run.rows(0.5)) <= 1.0


def test_hats_are_taken_where_they_help():
    t = np.linspace(0.0, 0.5, 126)
    for speed, position, much in ((0.0, 0.0, False), (0.01, 0.0, True), (0.01, 1e-3, False)):
        stated = Uncertainty(velocity_error=speed, position_error=position)
        assert worth_it(stated, t, 3) is much
    assert not worth_it(Uncertainty(velocity_error=0.01), t[:8], 3)


@pytest.mark.parametrize("frequency", [4.0, 10.0, 16.0 * np.pi, 32.0 * np.pi])
def test_the_trapezoid_rule_with_a_hat_errs_by_no_more_than_its_remainder(frequency):
    t = np.linspace(0.0, 0.5, 26)
    weights = hat_weights(t)
    for phase in np.linspace(0.0, 6.0, 20):
        p, rate = np.sin(frequency * t + phase), frequency * np.cos(frequency * t + phase)
        error = abs(weights.force @ rate - weights.momentum @ p)
        assert error <= hat_remainder(t, weights.peak, p[:, None])[0]


def test_a_turn_of_an_endless_joint_is_no_jump():
    run = encoders("gen3", 0, "constant", 250.0)
    endless, q = np.array(run.model.continuous), run.samples.q.copy()
    q[:, endless] = np.mod(q[:, endless] - q[60, endless], 2 * np.pi) + q[60, endless]
    assert (np.abs(np.diff(q[:, endless], axis=0)) > 6.0).any()
    wrapped = replace(run, samples=replace(run.samples, q=q))
    one, other = (each.left(each.rows(0.5)) for each in (run, wrapped))
    np.testing.assert_allclose(one, other, atol=1e-9)
