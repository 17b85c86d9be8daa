"""Input that can tell little or nothing: each does what docs/intervals.md says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arms import Joints, Motion, arm, draw_payload, perturbed_links, record
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.bounds import METHODS
from payload_id.core.errors import InputError
from payload_id.core.identification.identify import identify
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.samples.joint_samples import Samples

USUAL = Uncertainty(torque_relative=0.01, torque_absolute=0.05, link_relative=0.02)
EVERY_METHOD = pytest.mark.parametrize("method", ["hull", "hull_lp", "least_squares_image"])


def usual(name="ur10", seed=1, **options):
    """Return a run whose sensors keep their bounds."""
    model = arm(name)
    links = perturbed_links(model, np.random.default_rng(seed), USUAL.link_relative)
    return record(model, seed, links=links, **options).measured(USUAL, "vertices", seed)


def same(one, other):
    """Tell whether two estimates are equal in every number."""
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("phi", "lower", "upper")
    )


@EVERY_METHOD
def test_without_motion_inertia_is_not_known_and_not_zero(method):
    model = arm("ur10")
    still = Motion(np.full(6, 0.4), np.zeros((1, 6)), np.zeros((1, 6)), 1.0)
    run = usual(motion=still)
    found = identify(run.samples, model, USUAL, intervals=method)
    assert found.contains(run.phi).all()
    assert not found.identifiable[4:].any()
    assert (found.half_width[4:] > 0.05).all()
    assert found.status in (Status.USABLE, Status.NOT_IDENTIFIABLE)
    assert "Izz" in found.message or not found.identifiable.any()


@pytest.mark.parametrize("count", [0, 1])
def test_one_sample_is_no_data(count):
    run = usual()
    found = identify(run.samples.part(0, count), run.model, USUAL)
    assert found.status is Status.NO_DATA
    assert f"Only {count} samples" in found.message
    assert np.isnan(found.phi).all()
    lower, upper = USUAL.prior.box()
    np.testing.assert_array_equal((found.lower, found.upper), (lower, upper))


def test_duplicate_stamps_are_dropped_and_counted():
    run = usual(seconds=1.0)
    s = run.samples
    twice = np.repeat(np.arange(len(s)), 2)
    doubled = Samples(s.stamp[twice], s.q[twice], s.dq[twice], s.tau[twice])
    assert doubled.dropped == {"duplicate": len(s)}
    assert same(identify(doubled, run.model, USUAL), identify(s, run.model, USUAL))


@pytest.mark.slow
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_dropped_and_counted(value):
    run = usual(seconds=1.0)
    s = run.samples
    tau = s.tau.copy()
    tau[::10, 2] = value
    bad = Samples(s.stamp, s.q, s.dq, tau)
    keep = np.arange(len(s)) % 10 != 0
    assert bad.dropped == {"not_finite": int((~keep).sum())}
    clean = Samples(s.stamp[keep], s.q[keep], s.dq[keep], s.tau[keep])
    found = identify(bad, run.model, USUAL)
    assert same(found, identify(clean, run.model, USUAL))
    assert found.contains(run.phi).all()


@pytest.mark.slow
@EVERY_METHOD
@pytest.mark.parametrize("prior", [PayloadPrior(mass_max=0.4), PayloadPrior(com_max=0.05)])
def test_prior_without_the_truth_is_inconsistent(method, prior):
    far = np.array([2.0, 0.2, 0.0, 0.3, 0.2, 0.0, -0.03, 0.2, 0.0, 0.2])
    run = usual(phi=far, seconds=1.0)
    found = identify(run.samples, run.model, replace(USUAL, prior=prior), intervals=method)
    assert found.status is Status.INCONSISTENT
    if method == "hull":
        assert found.noise_factor > 1.0
        assert found.cause == "prior"
        assert "State a larger prior.mass_max" in found.message


@pytest.mark.parametrize("which", ["mass_max", "com_max"])
def test_infinite_prior_is_refused_with_the_reason(which):
    with pytest.raises(InputError, match=rf"prior\.{which}.*without any bound"):
        PayloadPrior(**{which: np.inf})


@pytest.mark.parametrize("method", list(METHODS))
def test_nothing_uncertain_beside_the_payload(method):
    noisy = Uncertainty(torque_absolute=0.1)
    model = arm("gen3")
    run = record(model, 3, seconds=1.0).measured(noisy, "uniform", 3)
    assert MomentumRows.of(model, noisy).p == 0
    found = identify(run.samples, model, noisy, intervals=method)
    assert found.contains(run.phi).all()
    assert np.isfinite(found.half_width).all()


@pytest.mark.slow
@EVERY_METHOD
@pytest.mark.parametrize("name", ["pendulum", "gantry"])
def test_arms_that_cannot_tell_everything(name, method):
    model, rng = arm(name), np.random.default_rng(5)
    joints = Joints.draw(rng, USUAL, model.n, extreme=True)
    run = record(model, 5, draw_payload(rng), joints=joints).measured(USUAL, "vertices", 5)
    online = OnlineIdentifier(model, Settings(USUAL, intervals=method))
    online.add(run.samples)
    found = online.update()
    assert found.contains(run.phi).all()
    assert found.status in (Status.USABLE, Status.NOT_IDENTIFIABLE)
    # One axis tells the first moments across it; slides tell the mass.
    assert found.identifiable[0] == (name == "gantry")
    assert not found.identifiable.all()
