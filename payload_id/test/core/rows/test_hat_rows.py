"""Rows that take positions in place of wrong velocities: no row misses, and they are narrower."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from test_joint_errors import arm_named

from arms import Motion, draw_payload, joint_torques, rows_of
from payload_id.core.identification.identify import identify
from payload_id.core.rows.joint_torque import hat_rows, momentum
from payload_id.core.rows.joint_torque.hat_rows import worth_it
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.quadrature import hat_remainder, hat_weights
from payload_id.core.samples.differentiation import velocities
from payload_id.core.samples.joint_samples import Samples

NAMES = ("elbow", "gantry", "ur10", "gen3")
ERROR = 1e-4  # of positions, half a step of the encoder
KINDS = ("rounded and differenced", "rounded and fitted", "constant", "late", "vertices", "rocking")


def run(name, seed, kind, rate=250.0, seconds=2.0, jitter=0.0):
    """Return model, samples, payload and the bounds that their errors keep."""
    model, rng = arm_named(name), np.random.default_rng([seed, 3])
    motion, phi = Motion.draw(model, rng, period=4.0), draw_payload(rng)
    t = np.arange(round(seconds * rate) + 1) / rate
    q, dq, ddq = motion.at(t)
    tau = joint_torques(model, model.link_phi, phi, q, dq, ddq)
    wrong_q, wrong_dq = errors(kind, rng, motion, t, q, dq)
    stated = Uncertainty(
        position_error=ERROR,
        velocity_error=tuple(np.abs(wrong_dq - dq).max(axis=0)),
        stamp_jitter=jitter,
    )
    seen = t + jitter * rng.choice([-1.0, 1.0], len(t))
    assert np.abs(wrong_q - q).max() <= ERROR * (1 + 1e-9)
    return model, Samples(seen, wrong_q, wrong_dq, tau), phi, stated


def errors(kind, rng, motion, t, q, dq):
    """Return positions and velocities with errors of a kind."""
    if kind.startswith("rounded"):
        shown = 2 * ERROR * np.round(q / (2 * ERROR))
        by_steps = np.gradient(shown, t, axis=0)
        return shown, by_steps if kind.endswith("differenced") else velocities(t, shown)
    wrong = q + ERROR * rng.choice([-1.0, 1.0], q.shape)
    size = 0.03 * rng.choice([-1.0, 1.0], q.shape[1])
    if kind == "constant":
        return wrong, dq + size
    if kind == "late":
        return wrong, motion.at(t - 0.01)[1]
    if kind == "vertices":
        return wrong, dq + np.abs(size) * rng.choice([-1.0, 1.0], q.shape)
    period = rng.uniform(0.02, 0.6)  # of one sign in a part of a window
    return wrong, dq + size * np.sign(np.sin(2 * np.pi * t[:, None] / period))


def used(model, samples, phi, stated, length):
    """Return how much of its bound each row needs, shape (m,)."""
    rows = rows_of(model, stated, samples, length)
    return np.abs(rows.A @ phi - rows.b) / rows.bound(np.abs(phi))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("length", [0.1, 0.5])
def test_no_row_needs_more_than_its_bound(name, kind, length):
    seed, rate = (0, 500.0) if length < 0.3 else (1, 100.0)
    assert used(*run(name, seed, kind, rate), length).max() <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize("rate", [50.0, 250.0])
@pytest.mark.parametrize("name", ["gantry", "gen3"])
def test_wrong_stamps_too(name, rate):
    for seed, kind in enumerate(("rounded and differenced", "constant")):
        case = run(name, seed, kind, rate, jitter=1e-3)
        assert used(*case, 0.5).max() <= 1.0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rate", [25.0, 100.0, 1000.0])
def test_exact_samples_are_within_what_the_integration_leaves(name, rate):
    for seed in range(2):
        model, samples, phi, _ = run(name, seed, "constant", rate, seconds=1.5)
        t, motion = samples.stamp, Motion.draw(arm_named(name), np.random.default_rng([seed, 3]), 4)
        q, dq, _ = motion.at(t)
        stated = Uncertainty(velocity_error=1e-9)
        assert worth_it(stated, t[: int(0.5 * rate) + 1], model.n)
        assert used(model, replace(samples, q=q, dq=dq), phi, stated, 0.5).max() <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "rate", "seconds", "error"),
    [("elbow", 100.0, 0.22, ERROR), ("gantry", 100.0, 0.22, ERROR), ("elbow", 25.0, 3.0, 1e-9)],
)
def test_the_worst_signs_of_velocities_for_each_row(name, rate, seconds, error):
    """Each sample's velocity errs with the sign that moves the row most."""
    model, samples, phi, stated = run(name, 1, "vertices", rate, seconds=seconds)
    stated = replace(stated, position_error=error)
    q, dq, _ = Motion.draw(model, np.random.default_rng([1, 3]), 4).at(samples.stamp)
    source = MomentumRows.of(model, stated)
    size = stated.per_joint("velocity_error", model.n)

    def left(v):
        rows = source.window(replace(samples, q=q, dq=v))
        return rows.A @ phi - rows.b, rows.bound(np.abs(phi))

    slope = np.zeros((*dq.shape, model.n))
    for place in np.ndindex(dq.shape):
        step = np.zeros_like(dq)
        step[place] = size[place[1]]
        slope[place] = left(dq + step)[0] - left(dq - step)[0]
    for joint in range(model.n):
        for sign in (-1.0, 1.0):
            value, bound = left(dq + sign * size * np.sign(slope[:, :, joint]))
            assert abs(value[joint]) <= bound[joint]


def at_rest(seed, seconds, rate):
    """Return a model, samples at rest and the payload."""
    model, rng = arm_named("elbow"), np.random.default_rng(seed)
    t, phi = np.arange(round(seconds * rate) + 1) / rate, draw_payload(rng)
    q = np.tile(rng.uniform(-1.0, 1.0, model.n), (len(t), 1))
    still = np.zeros_like(q)
    tau = joint_torques(model, model.link_phi, phi, q, still, still)
    return model, Samples(t, q, still, tau), phi


@pytest.mark.parametrize("signs", [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0)])
def test_squares_of_large_errors_of_velocities(signs):
    for seed in range(5):
        model, samples, phi = at_rest(seed, 0.5, 1000.0)
        stated = Uncertainty(velocity_error=2.0)
        wrong = replace(samples, dq=samples.dq + 2.0 * np.array(signs))
        rows = MomentumRows.of(model, stated).window(wrong)
        assert (np.abs(rows.A @ phi - rows.b) <= rows.bound(np.abs(phi))).all()


@pytest.mark.parametrize("signs", [(1.0, 1.0), (1.0, -1.0)])
def test_errors_of_positions_in_gravity(signs):
    for seed in range(3):
        model, samples, phi = at_rest(seed, 4.0, 100.0)
        stated = Uncertainty(velocity_error=0.1, position_error=0.01)
        wrong = replace(samples, q=samples.q + 0.01 * np.array(signs))
        assert worth_it(stated, samples.stamp, model.n)
        rows = MomentumRows.of(model, stated).window(wrong)
        assert (np.abs(rows.A @ phi - rows.b) <= rows.bound(np.abs(phi))).all()


@pytest.mark.parametrize("rate", [25.0, 50.0, 250.0])
def test_exact_velocities_exceed_exact_positions_by_no_more_than_is_said(rate):
    for seed in range(4):
        model, rng = arm_named("gen3"), np.random.default_rng(seed)
        t = np.arange(round(0.5 * rate) + 1) / rate
        q, dq, _ = Motion.draw(model, rng).at(t)
        weights = hat_weights(t, hat_rows.LEAST_STEPS)
        row = hat_rows.HatRow(model, Uncertainty(), Samples(t, q, dq, 0 * q), weights)
        excess, even, uneven = row._excess(np.arange(len(t)))
        summed = np.vstack([np.zeros(model.n), np.cumsum(excess, axis=0)])
        most = np.ptp(summed, axis=0)  # over any time
        assert (most <= 2.0 * even + uneven).all()
        assert (2.0 * even + uneven < 10.0 * most).any()


def test_the_worst_signs_of_positions_use_the_bound():
    model, samples, phi, stated = run("elbow", 1, "constant", 100.0, seconds=0.5)
    q, dq, _ = Motion.draw(model, np.random.default_rng([1, 3]), 4).at(samples.stamp)
    source = MomentumRows.of(model, stated)

    def left(q):
        rows = source.window(replace(samples, q=q, dq=dq))
        return rows.A @ phi - rows.b, rows.bound(np.abs(phi))

    slope = np.zeros((*q.shape, model.n))
    for place in np.ndindex(q.shape):
        step = np.zeros_like(q)
        step[place] = ERROR
        slope[place] = left(q + step)[0] - left(q - step)[0]
    ratios = []
    for joint in range(model.n):
        value, bound = left(q + ERROR * np.sign(slope[:, :, joint]))
        ratios.append(abs(value[joint]) / bound[joint])
    assert 0.1 < max(ratios) <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gen3", "ur10"])
def test_intervals_are_narrower_and_contain_the_truth(name, monkeypatch):
    seed = ("gen3", "ur10").index(name)
    model, samples, phi, stated = run(name, seed, "rounded and differenced", seconds=4.0)
    stated = replace(stated, torque_absolute=0.1)
    found = identify(samples, model, stated, window=0.5)
    monkeypatch.setattr(momentum, "worth_it", lambda *_: False)
    without = identify(samples, model, stated, window=0.5)
    monkeypatch.undo()
    for each in (found, without):
        assert each.contains(phi).all()
    assert found.half_width[0] < 0.2 * without.half_width[0]


def test_hats_are_taken_where_they_help():
    t = np.linspace(0.0, 0.5, 126)
    for speed, position, much in ((0.0, 0.0, False), (0.01, 0.0, True), (0.01, 1e-3, False)):
        stated = Uncertainty(velocity_error=speed, position_error=position)
        assert worth_it(stated, t, 3) is much
    assert not worth_it(Uncertainty(velocity_error=0.01), t[:8], 3)


@pytest.mark.parametrize("frequency", [4.0, 10.0, 16.0 * np.pi, 32.0 * np.pi])
def test_the_trapezoid_rule_with_a_hat_errs_by_no_more_than_its_remainder(frequency):
    for seed in range(20):
        phase = np.random.default_rng(seed).uniform(0.0, 6.0)
        t = np.linspace(0.0, 0.5, 26)
        weights = hat_weights(t)
        p = np.sin(frequency * t + phase)
        rate = frequency * np.cos(frequency * t + phase)
        error = abs(weights.force @ rate - weights.momentum @ p)
        bound = hat_remainder(t, weights.peak, p[:, None])[0]
        assert error <= bound


def worst(left, value, groups, size):
    """Return how much of its bound a row needs with the worst sign of each group's error."""
    slope = []
    for group in groups:
        step = np.zeros_like(value)
        step[group] = size
        slope.append(left(value + step)[0] - left(value - step)[0])
    ratios = []
    for joint in range(slope[0].size):
        u = np.zeros_like(value)
        for group, change in zip(groups, slope, strict=True):
            u[group] = size * np.sign(change[joint])
        found, bound = left(value + u)
        ratios.append(abs(found[joint]) / bound[joint])
    return max(ratios)


def fast(rate, seconds, period):
    """Return a fast motion without payload, in one window."""
    model = arm_named("elbow")
    motion = Motion.draw(model, np.random.default_rng(2), period=period)
    t = np.arange(round(seconds * rate) + 1) / rate
    q, dq, ddq = motion.at(t)
    tau = joint_torques(model, model.link_phi, np.zeros(10), q, dq, ddq)
    return model, Samples(t, q, dq, tau)


def test_the_worst_signs_of_stamps():
    model, samples = fast(100.0, 0.5, 1.0)
    stated = Uncertainty(velocity_error=1e-9, stamp_jitter=1e-3)
    source = MomentumRows.of(model, stated)

    def left(stamp):
        rows = source.window(replace(samples, stamp=stamp))
        return -rows.b, rows.d

    assert worth_it(stated, samples.stamp, model.n)
    assert worst(left, samples.stamp, list(range(len(samples))), 1e-3) <= 1.0


@pytest.mark.slow
def test_the_worst_signs_of_velocities_in_a_long_window():
    model, samples = fast(125.0, 3.0, 2.0)
    source = MomentumRows.of(model, Uncertainty(velocity_error=0.01))

    def left(dq):
        rows = source.window(replace(samples, dq=dq))
        return -rows.b, rows.d

    groups = [(slice(k, k + 10), j) for k in range(0, len(samples), 10) for j in range(2)]
    assert worst(left, samples.dq, groups, 0.01) <= 1.0


def test_weights_of_a_hat():
    t = np.sort(np.random.default_rng(0).uniform(0.0, 1.0, 40))
    weights = hat_weights(t)
    assert weights.force.sum() == pytest.approx((t[-1] - t[0]) / 2)
    assert weights.momentum.sum() == pytest.approx(0.0, abs=1e-12)
    assert (weights.force >= 0.0).all()
    # int w dt = -int w' t dt, for the line the trapezoid rule is exact
    assert weights.momentum @ t == pytest.approx(weights.force.sum())


def test_a_turn_of_an_endless_joint_is_no_jump():
    model, samples, phi, stated = run("gen3", 0, "constant")
    plain = used(model, samples, phi, stated, 0.5)
    endless = np.array(model.continuous)
    q = samples.q.copy()
    q[:, endless] = np.mod(q[:, endless] - q[60, endless], 2 * np.pi) + q[60, endless]
    assert (np.abs(np.diff(q[:, endless], axis=0)) > 6.0).any()
    wrapped = used(model, replace(samples, q=q), phi, stated, 0.5)
    np.testing.assert_allclose(wrapped, plain, atol=1e-6)
