"""Rows of the momentum form: exact where nothing is uncertain, within their bound where it is."""

from dataclasses import fields, replace

import numpy as np
import pytest

from arms import (
    ARMS,
    Motion,
    arm,
    draw_payload,
    joint_torques,
    measured,
    perturbed_links,
    record,
    rows_of,
)
from payload_id.core.body.inertial import from_pseudo_inertia, pseudo_inertia
from payload_id.core.errors import InputError
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.nuisance import nuisance_of
from payload_id.core.rows.joint_torque.torque_bound import true_torque
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.quadrature import (
    end_correction,
    end_samples,
    sign_integral,
    trapezoid_weights,
)
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.rows.windows import WindowCutter
from payload_id.core.samples.joint_samples import Samples

EVERY_ARM = pytest.mark.parametrize("name", ARMS)
KNOWN = Uncertainty()


def residual(rows, phi, u=None):
    """Return what the truth leaves of the rows as a fraction of their bound."""
    left = rows.A @ phi - rows.b
    if u is not None:
        left = left + rows.B @ u
    return np.abs(left) / rows.bound(np.abs(phi))


@pytest.mark.slow
@EVERY_ARM
@pytest.mark.parametrize(
    ("rate", "jitter", "length", "epoch"),
    [
        (1000.0, 0.0, 0.1, 0.0),
        (1000.0, 0.3, 0.1, 1.7e9),  # stamps of this size are rounded to 2.4e-7 s
        (250.0, 0.45, 0.02, 0.0),
        (100.0, 0.3, 0.1, 0.0),
        (50.0, 0.0, 0.1, 0.0),
        (25.0, 0.3, 0.5, 0.0),
    ],
)
def test_truth_is_within_the_bound_without_any_error(name, rate, jitter, length, epoch):
    model, seed = arm(name), ARMS.index(name) % 2
    run = record(model, seed, rate=rate, jitter=jitter, seconds=min(3.0, 1200 / rate))
    samples = replace(run.true, stamp=run.true.stamp + epoch)
    assert residual(rows_of(model, KNOWN, samples, length), run.phi).max() < 1.0


@EVERY_ARM
def test_rows_are_the_same_to_the_last_bit_however_samples_come_in_pieces(name):
    model, rng = arm(name), np.random.default_rng(21)
    unsure = Uncertainty(
        torque_relative=0.02, link_relative=0.1, gravity_error=0.1, velocity_error=1e-3
    )
    samples = record(model, 21, rate=500.0, jitter=0.3, seconds=1.0).true
    expected = rows_of(model, unsure, samples)
    source, cutter = MomentumRows.of(model, unsure), WindowCutter(0.1)
    found, start = [], 0
    while start < len(samples):
        stop = start + int(rng.integers(1, 90))
        # Copies at other places in memory, too.
        piece = samples.part(start, stop)
        piece = replace(piece, tau=np.vstack([piece.tau, piece.tau])[: len(piece)])
        found += [source.window(window) for window in cutter.add(piece)]
        start = stop
    found = RowBlock.stack(found)
    for entry in fields(RowBlock):
        np.testing.assert_array_equal(getattr(found, entry.name), getattr(expected, entry.name))


@EVERY_ARM
def test_remainder_of_the_integration_is_of_third_order(name):
    # The corrected trapezoid rule would be of fourth order; second differences a step inside the
    # window make it third. The uncorrected rule is of second order.
    model = arm(name)
    motion = Motion.draw(model, np.random.default_rng(3))
    worst = {}
    for rate in (125.0, 250.0, 500.0):
        run = record(model, 3, rate=rate, seconds=1.6, motion=motion, phi=np.zeros(10))
        rows = rows_of(model, KNOWN, run.true)
        worst[rate] = np.linalg.norm(rows.b)
    assert worst[125.0] / worst[250.0] == pytest.approx(8.0, rel=0.15)
    assert worst[250.0] / worst[500.0] == pytest.approx(8.0, rel=0.15)


def test_correction_is_exact_for_parabolas_and_bounds_the_rest():
    t = np.cumsum(np.random.default_rng(4).uniform(0.6, 1.4, 40)) * 1e-2
    w = trapezoid_weights(t)
    for value, rate in (
        (lambda x: 3 * x**2 - x, lambda x: 6 * x - 1),
        (lambda x: x**3, lambda x: 3 * x**2),
        (lambda x: np.sin(5 * x), lambda x: 5 * np.cos(5 * x)),
    ):
        correction, remainder = end_correction(t, value(t)[end_samples(len(t))])
        error = abs(w @ rate(t) - (value(t[-1]) - value(t[0])) - correction)
        assert error <= remainder + 1e-14
    correction, _ = end_correction(t, (3 * t**2 - t)[end_samples(len(t))])
    assert w @ (6 * t - 1) == pytest.approx((3 * t**2 - t)[-1] - (3 * t**2 - t)[0] + correction)


@EVERY_ARM
def test_uncertain_links_are_explained_by_the_nuisance_parameters(name):
    model, uncertainty = arm(name), Uncertainty(link_relative=0.1)
    rng = np.random.default_rng(5)
    links = perturbed_links(model, rng, 0.1)
    run = record(model, 5, links=links)
    nuisance = nuisance_of(model, uncertainty)
    chosen = nuisance.uncertain[: links.size]
    u = (links - model.link_phi).ravel()[chosen] / nuisance.half_width[: links.size][chosen]
    np.testing.assert_allclose(nuisance.values(u), links.ravel()[chosen], rtol=1e-12)
    assert np.abs(u).max() <= 1.0 + 1e-12
    rows = rows_of(model, uncertainty, run.true)
    assert residual(rows, run.phi, u).max() < 1.0
    # Without them the rows are broken by far: the test has something to see.
    assert residual(rows, run.phi).max() > 20.0


@pytest.mark.parametrize("relative", [0.0, 0.1])
def test_bodies_that_are_shifted_as_a_whole_lie_in_their_boxes(relative):
    rng = np.random.default_rng(8)
    model, shift = arm("gen3"), 0.02
    nuisance = nuisance_of(model, Uncertainty(link_relative=relative, link_shift=shift))
    links = slice(10 * model.n)
    lower = (nuisance.centre - nuisance.half_width)[links].reshape(-1, 10)
    upper = (nuisance.centre + nuisance.half_width)[links].reshape(-1, 10)
    reached = np.zeros(10)
    for _ in range(200):
        described = perturbed_links(model, rng, relative)
        s = shift * rng.choice([-1.0, 1.0, 0.3], 3)
        move = np.eye(4)
        move[:3, 3] = s
        moved = np.array([from_pseudo_inertia(move @ pseudo_inertia(phi) @ move.T)
                          for phi in described])  # fmt: skip
        assert (lower - 1e-12 <= moved).all()
        assert (moved <= upper + 1e-12).all()
        half = np.maximum((upper - lower) / 2, 1e-9)
        reached = np.maximum(reached, (np.abs(moved - model.link_phi) / half).max(axis=0))
    if not relative:  # no box could be smaller: each is reached, masses do not move
        assert (reached[1:4] > 0.999).all()
        assert (reached[4:] > 0.6).all()


def friction_torques(rng, uncertainty, n, dq, ddq):
    """Draw friction within its bounds; return the torque that overcomes it, and u."""
    part = {name: rng.uniform(0, 1, n) for name in ("coulomb", "viscous", "rotor")}
    coulomb = part["coulomb"] * uncertainty.per_joint("friction_coulomb", n)
    viscous = part["viscous"] * uncertainty.per_joint("friction_viscous", n)
    rotor = part["rotor"] * uncertainty.per_joint("rotor_inertia", n)
    torque = coulomb * np.sign(dq) + viscous * dq + rotor * ddq
    return torque, np.concatenate([2 * part[name] - 1 for name in part])


@EVERY_ARM
@pytest.mark.parametrize("rate", [100.0, 500.0])
def test_friction_and_sensor_errors_are_explained_by_the_nuisance_parameters(name, rate):
    model = arm(name)
    rng = np.random.default_rng(6)
    uncertainty = Uncertainty(
        torque_gain=0.08,
        torque_offset=1.5,
        friction_coulomb=4.0,
        friction_viscous=3.0,
        rotor_inertia=0.9,
        stiction_velocity=0.02,
    )
    motion = Motion.draw(model, rng)
    t = np.arange(int(2.0 * rate) + 1) / rate
    q, dq, ddq = motion.at(t)
    phi = draw_payload(rng)
    friction, u = friction_torques(rng, uncertainty, model.n, dq, ddq)
    true = joint_torques(model, model.link_phi, phi, q, dq, ddq) + friction
    gain, offset = rng.choice([-0.08, 0.08], model.n), rng.choice([-1.5, 1.5], model.n)
    samples = Samples(t, q, dq, (1 + gain) * true + offset)
    rows = rows_of(model, uncertainty, samples)
    nuisance = nuisance_of(model, uncertainty)
    box = nuisance.half_width[nuisance.uncertain].reshape(5, model.n)
    u = np.concatenate([u, offset / (1 + gain) / box[3], (1 / (1 + gain) - 1) / box[4]])
    assert np.abs(u).max() <= 1.0 + 1e-12
    assert residual(rows, phi, u).max() < 1.0


def test_names_and_boxes_of_nuisance_parameters():
    model = arm("branched")
    uncertainty = Uncertainty(link_relative=0.1, friction_viscous=(0.0, 2.0, 0.0, 0.0, 1.0))
    nuisance = nuisance_of(model, uncertainty)
    assert nuisance.p == len(nuisance.names) == np.count_nonzero(model.link_phi) + 2
    viscous = [name for name in nuisance.names if name.endswith("viscous")]
    assert viscous == [f"{model.joints[k]}.friction_viscous" for k in (1, 4)]
    np.testing.assert_allclose(nuisance.values(-np.ones(nuisance.p))[-2:], 0.0)
    np.testing.assert_allclose(nuisance.values(np.ones(nuisance.p))[-2:], [2.0, 1.0])
    assert nuisance_of(model, KNOWN).p == 0


@pytest.mark.parametrize("of_true", [True, False])
def test_torque_interval_holds_the_truth_at_the_extremes(of_true):
    rng = np.random.default_rng(7)
    true = np.concatenate([rng.normal(size=(400, 3)) * [0.1, 3.0, 80.0], np.zeros((4, 3))])
    relative, absolute = np.array([0.0, 0.3, 0.7]), np.array([0.2, 1.0, 0.0])
    for u in (-1.0, -0.4, 0.0, 1.0):
        tau = measured(true, np.full(true.shape, u), relative, absolute, of_true)
        middle, half_width = true_torque(tau, relative, absolute)
        assert (half_width >= 0.0).all()
        assert (np.abs(true - middle) <= half_width + 1e-12 * np.abs(true) + 1e-12).all()


def test_torque_interval_is_no_wider_than_both_readings_need():
    tau = np.array([[-7.0, -0.1, 0.0, 0.1, 7.0]])
    relative, absolute = np.full(5, 0.2), np.full(5, 0.5)
    middle, half_width = true_torque(tau, relative, absolute)
    candidate = np.linspace(-12, 12, 240001)[:, None]
    error = np.abs(tau - candidate)
    allowed = (error <= relative * np.abs(candidate) + absolute) | (
        error <= relative * np.abs(tau) + absolute
    )
    for k in range(5):
        inside = candidate[allowed[:, k], 0]
        assert middle[0, k] + half_width[0, k] == pytest.approx(inside.max(), abs=2e-4)
        # The two readings' intervals may not overlap at their lower ends; the hull is taken.
        assert middle[0, k] - half_width[0, k] == pytest.approx(inside.min(), abs=2e-4)


@EVERY_ARM
@pytest.mark.parametrize("of_true", [True, False])
def test_torque_noise_at_its_extremes_stays_within_the_bound(name, of_true):
    model = arm(name)
    run = record(model, 8, seconds=1.5)
    uncertainty = Uncertainty(torque_relative=0.1, torque_absolute=0.3)
    for kind in ("vertices", "correlated"):
        noisy = run.measured(uncertainty, kind, of_true=of_true)
        assert residual(rows_of(model, uncertainty, noisy.samples), run.phi).max() < 1.0
    together = run.measured(uncertainty, np.ones(run.true.tau.shape), of_true=of_true)
    ratio = residual(rows_of(model, uncertainty, together.samples), run.phi)
    # The bound is not much larger than what can happen.
    assert 0.8 < ratio.max() < 1.0


@pytest.mark.parametrize("of_true", [True, False])
def test_noise_together_with_gain_and_offset_stays_within_the_bound(of_true):
    model = arm("gen3")
    run = record(model, 9, seconds=1.0)
    uncertainty = Uncertainty(torque_relative=0.1, torque_gain=0.2, torque_offset=3.0)
    nuisance = nuisance_of(model, uncertainty)
    box = nuisance.half_width[nuisance.uncertain].reshape(2, model.n)
    n = model.n
    for gain in (-0.2, 0.2):
        for offset in (-3.0, 3.0):
            for u in (-1.0, 1.0):
                relative, none = np.full(n, 0.1), np.zeros(n)
                size = np.full(run.true.tau.shape, u)
                noise = measured(run.true.tau, size, relative, none, True) - run.true.tau
                shown = (1 + gain) * run.true.tau + offset
                tau = shown + noise if of_true else measured(shown, size, relative, none, False)
                rows = rows_of(model, uncertainty, replace(run.true, tau=tau))
                psi = np.concatenate([offset / (1 + gain) / box[0], (1 / (1 + gain) - 1) / box[1]])
                assert residual(rows, run.phi, psi).max() < 1.0


def test_errors_as_large_as_the_torque_are_refused():
    with pytest.raises(InputError, match="torque_gain"):
        MomentumRows.of(arm("gen3"), Uncertainty(torque_relative=0.6, torque_gain=0.5))


@pytest.mark.slow
@EVERY_ARM
@pytest.mark.parametrize("rate", [100.0, 500.0])
@pytest.mark.parametrize("jitter", [0.0, 0.4])
def test_errors_of_position_and_velocity_stay_within_the_bound(name, rate, jitter):
    model = arm(name)
    rng = np.random.default_rng(10)
    uncertainty = Uncertainty(
        position_error=2e-3,
        velocity_error=0.02,
        friction_viscous=2.0,
        rotor_inertia=0.5,
        friction_coulomb=1.0,
    )
    motion = Motion.draw(model, rng)
    t = np.arange(int(1.0 * rate) + 1) / rate
    t = t + jitter / rate * rng.uniform(-1, 1, len(t))
    q, dq, ddq = motion.at(t)
    phi = draw_payload(rng)
    friction, u = friction_torques(rng, uncertainty, model.n, dq, ddq)
    tau = joint_torques(model, model.link_phi, phi, q, dq, ddq) + friction
    for sign_of_samples in (lambda s: rng.choice([-1, 1], s), lambda s: rng.choice([-1, 1], s[1])):
        wrong_q = q + 2e-3 * sign_of_samples(q.shape)
        wrong_dq = dq + 0.02 * sign_of_samples(q.shape)
        rows = rows_of(model, uncertainty, Samples(t, wrong_q, wrong_dq, tau))
        assert residual(rows, phi, u).max() < 1.0


@pytest.mark.slow
@pytest.mark.parametrize("jitter", [0.0, 0.4])
def test_worst_errors_of_position_and_velocity_stay_within_the_bound(jitter):
    model = arm("branched")
    uncertainty = Uncertainty(position_error=2e-3, velocity_error=0.02)
    row_source = MomentumRows.of(model, uncertainty)
    run = record(model, 15, seconds=0.1, rate=100.0, jitter=jitter)
    true, size = run.true, np.array([2e-3, 0.02])

    def left(error):
        moved = replace(true, q=true.q + error[0], dq=true.dq + error[1])
        rows = row_source.window(moved)
        return rows.A @ run.phi - rows.b, rows.bound(np.abs(run.phi))

    shape = (2, *true.q.shape)
    slope = np.zeros((*shape, model.n))
    for place in np.ndindex(shape):
        error = np.zeros(shape)
        error[place] = size[place[0]]
        slope[place] = left(error)[0] - left(-error)[0]
    ratios = []
    for joint in range(model.n):
        for sign in (-1.0, 1.0):
            worst = sign * np.sign(slope[..., joint]) * size[:, None, None]
            value, bound = left(worst)
            ratios.append(abs(value[joint]) / bound[joint])
    assert max(ratios) < 1.0
    assert max(ratios) > 0.15  # and the bound is no more than a few times too large


def test_errors_of_velocity_at_rest_stay_within_the_bound():
    model = arm("panda")
    rng = np.random.default_rng(11)
    q = np.tile(rng.uniform(-1, 1, model.n), (51, 1))
    still = np.zeros_like(q)
    phi = draw_payload(rng)
    tau = joint_torques(model, model.link_phi, phi, q, still, still)
    uncertainty = Uncertainty(velocity_error=0.05)
    t = np.arange(51) * 2e-3
    row_source = MomentumRows.of(model, uncertainty)
    for _ in range(30):
        dq = 0.05 * rng.choice([-1, 1], q.shape)
        assert residual(row_source.window(Samples(t, q, dq, tau)), phi).max() < 1.0
        constant = np.tile(dq[0], (51, 1))
        assert residual(row_source.window(Samples(t, q, constant, tau)), phi).max() < 1.0


def test_sign_of_a_velocity_that_may_be_wrong_is_not_used():
    model = arm("branched")
    uncertainty = Uncertainty(friction_coulomb=5.0, velocity_error=0.1, stiction_velocity=0.01)
    q = np.zeros((41, model.n))
    true_dq, shown = np.full_like(q, -0.02), np.full_like(q, 0.07)
    t = np.arange(41) * 2.5e-3
    q = q + true_dq * t[:, None]
    tau = joint_torques(model, model.link_phi, np.zeros(10), q, true_dq, 0 * q) - 5.0
    rows = MomentumRows.of(model, uncertainty).window(Samples(t, q, shown, tau))
    assert residual(rows, np.zeros(10), np.ones(model.n)).max() < 1.0


def test_integral_of_the_sign():
    t = np.array([0.0, 0.1, 0.3, 0.6, 1.0, 1.5])
    dq = np.array([0.5, 0.2, -0.3, -0.005, -0.2, -0.4])[:, None]
    integral, unknown = sign_integral(np.diff(t), dq, 0.01)
    np.testing.assert_allclose(integral, [0.1 - 0.5])
    np.testing.assert_allclose(unknown, [1.5 - 0.6])
    forth, back = sign_integral(np.diff(t), dq, 0.01), sign_integral(np.diff(t), -dq, 0.01)
    np.testing.assert_allclose(forth[0], -back[0])
    both = sign_integral(np.diff(t), np.hstack([dq, dq]), np.array([0.01, 10.0]))
    np.testing.assert_allclose(both, [[-0.4, 0.0], [0.9, 1.5]])


def test_trapezoid_weights_integrate_lines_exactly():
    t = np.sort(np.random.default_rng(12).uniform(0, 1, 30))
    w = trapezoid_weights(t)
    assert w.sum() == pytest.approx(t[-1] - t[0])
    assert w @ t == pytest.approx((t[-1] ** 2 - t[0] ** 2) / 2)


def test_rows_say_whose_and_when_they_are():
    model = arm("ur10")
    run = record(model, 13, seconds=0.5)
    rows = rows_of(model, KNOWN, run.true)
    np.testing.assert_array_equal(rows.joint[: model.n], np.arange(model.n))
    np.testing.assert_allclose(rows.start[:: model.n], np.arange(5) * 0.1, atol=5e-3)
    assert (rows.end - rows.start > 0.09).all()
    assert (rows.d > 0).all()
    assert (rows.A_error >= 0).all()


def test_rows_with_no_payload_keep_only_the_nuisance():
    model, uncertainty = arm("ur10"), Uncertainty(link_relative=0.05)
    rows = rows_of(model, uncertainty, record(model, 14, seconds=0.5).true)
    bare = rows.without_payload()
    assert not bare.A.any()
    np.testing.assert_array_equal(bare.bound(np.full(10, 9.0)), rows.d)
    np.testing.assert_array_equal(bare.B, rows.B)
    assert len(RowBlock.stack([rows, bare])) == 2 * len(rows)
    assert len(RowBlock.empty(7)) == 0
    np.testing.assert_array_equal(rows.take(np.array([3, 1])).b, rows.b[[3, 1]])
