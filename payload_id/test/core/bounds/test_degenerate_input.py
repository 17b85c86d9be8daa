"""Input that can tell little or nothing: each does what docs/intervals.md says."""

from dataclasses import replace

import numpy as np
import pytest

from arms import Joints, Motion, arm, draw_payload, perturbed_links, record
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.bounds import METHODS
from payload_id.core.errors import InputError, RecordingError
from payload_id.core.identification.identify import identify
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.samples.joint_samples import Samples

USUAL = Uncertainty(torque_relative=0.01, torque_absolute=0.05, link_relative=0.02)
EVERY_METHOD = pytest.mark.parametrize("method", ["hull", "hull_lp", "least_squares_image"])


def usual(seconds=1.0, **options):
    """Return a run whose sensors keep their bounds."""
    links = perturbed_links(arm("ur10"), np.random.default_rng(1), USUAL.link_relative)
    run = record(arm("ur10"), 1, links=links, seconds=seconds, **options)
    return run.measured(USUAL, "vertices", 1)


def assert_same(one, other):
    """Raise unless two estimates are equal in every number."""
    for name in ("phi", "lower", "upper"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@EVERY_METHOD
def test_without_motion_inertia_is_not_known_and_not_zero(method):
    still = Motion(np.full(6, 0.4), np.zeros((1, 6)), np.zeros((1, 6)), 1.0)
    run = usual(motion=still)
    found = identify(run.samples, run.model, USUAL, intervals=method)
    assert found.contains(run.phi).all()
    assert not found.identifiable[4:].any()
    assert (found.half_width[4:] > 0.05).all()
    assert found.status in (Status.TOO_WIDE, Status.NOT_IDENTIFIABLE)


def test_less_than_a_window_is_no_data_and_leaves_the_prior():
    for count, step, why in (
        (0, 1e-3, "0"),
        (1, 1e-3, "1"),
        (50, 1e-3, "0.1 s"),
        (50, 0.04, "gap"),
    ):
        run = record(arm("ur10"), 1, seconds=50 * step, rate=1.0 / step)
        found = identify(run.samples.part(0, count), run.model, USUAL)
        assert found.status is Status.NO_DATA and why in found.message
        assert np.isnan(found.phi).all() and not found.identifiable.any()
        np.testing.assert_array_equal((found.lower, found.upper), USUAL.prior.box())


def test_repeated_and_false_numbers_are_dropped_and_counted():
    s, model = usual().samples, arm("ur10")
    twice, keep = np.repeat(np.arange(len(s)), 2), np.arange(len(s)) % 10 != 0
    doubled = Samples(s.stamp[twice], s.q[twice], s.dq[twice], s.tau[twice])
    assert doubled.dropped == {"duplicate": len(s)}
    assert_same(identify(doubled, model, USUAL), identify(s, model, USUAL))
    clean = identify(Samples(s.stamp[keep], s.q[keep], s.dq[keep], s.tau[keep]), model, USUAL)
    for value in (np.nan, np.inf):
        bad = Samples(s.stamp, s.q, s.dq, np.where(keep[:, None], s.tau, value))
        assert bad.dropped == {"not_finite": int((~keep).sum())}
        assert_same(identify(bad, model, USUAL), clean)


@pytest.mark.slow
@EVERY_METHOD
def test_prior_without_the_truth_is_inconsistent(method):
    far = np.array([2.0, 0.2, 0.0, 0.3, 0.2, 0.0, -0.03, 0.2, 0.0, 0.2])
    run, prior = usual(0.5, phi=far), PayloadPrior(mass_max=0.4)
    found = identify(run.samples, run.model, replace(USUAL, prior=prior), intervals=method)
    assert found.status is Status.INCONSISTENT
    if method == "hull":
        assert found.noise_factor > 1.0 and found.cause == "prior"
        assert "prior.mass_max" in found.message


def test_infinite_prior_and_torques_of_zero_are_refused():
    for which in ("mass_max", "com_max"):
        with pytest.raises(InputError, match=rf"prior\.{which}"):
            PayloadPrior(**{which: np.inf})
    samples = usual(0.5).samples
    with pytest.raises(RecordingError, match="torques"):
        identify(replace(samples, tau=0.0 * samples.tau), arm("ur10"), USUAL)


@pytest.mark.parametrize("method", list(METHODS))
def test_nothing_uncertain_beside_the_payload(method):
    noisy = Uncertainty(torque_absolute=0.1)
    run = record(arm("gen3"), 3, seconds=1.0).measured(noisy, "uniform", 3)
    assert MomentumRows.of(run.model, noisy).p == 0
    found = identify(run.samples, run.model, noisy, intervals=method)
    assert found.contains(run.phi).all()
    assert np.isfinite(found.half_width).all()


@pytest.mark.parametrize("name", ["pendulum", "gantry"])
def test_arms_that_cannot_tell_everything(name):
    model, rng = arm(name), np.random.default_rng(5)
    joints = Joints.draw(rng, USUAL, model.n, extreme=True)
    run = record(model, 5, draw_payload(rng), joints=joints).measured(USUAL, "vertices", 5)
    for method in ("hull", "least_squares_image"):
        found = identify(run.samples, model, USUAL, intervals=method)
        assert found.contains(run.phi).all()
        assert found.status in (Status.TOO_WIDE, Status.NOT_IDENTIFIABLE)
        # One axis tells the first moments across it; slides tell the mass.
        assert found.identifiable[0] == (name == "gantry")
        assert not found.identifiable.all()
