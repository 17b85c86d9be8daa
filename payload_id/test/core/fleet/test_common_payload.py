"""Many runs of one payload: sound together, no wider than alone, and contradictions are named."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arms import Joints, arm, draw_payload, perturbed_links, record
from payload_id import OnlineIdentifier, Settings, Uncertainty
from payload_id.core.bounds import Interval
from payload_id.core.errors import InputError
from payload_id.core.fleet import RunEvidence, common_payload
from payload_id.core.fleet.common_payload import GROUP, contradicting
from payload_id.core.identification.status import Status
from payload_id.files.fleet.payloads import EVIDENCE

UNCERTAINTY = Uncertainty(
    torque_absolute=0.05, link_relative=0.03, torque_offset=0.3, friction_coulomb=0.2,
    torque_gain=0.01,
)  # fmt: skip
SETTINGS = Settings(UNCERTAINTY)


def runs_of(name, seed, count, phi, seconds=1.0):
    """Return runs of one arm and payload, each with offsets, friction and gains of its own."""
    rng, model = np.random.default_rng(seed), arm(name)
    links = perturbed_links(model, rng, UNCERTAINTY.link_relative)
    for k in range(count):
        joints = Joints.draw(rng, UNCERTAINTY, model.n, extreme=True)
        made = record(model, 100 * seed + k, phi, seconds, rate=125.0, links=links, joints=joints)
        noise = made.measured(UNCERTAINTY, "uniform", seed=k).samples.tau - made.true.tau
        online = OnlineIdentifier(model, SETTINGS)
        online.add(replace(made.samples, tau=made.samples.tau + noise))
        online.update()
        yield online


def assert_between(lower, phi, upper):
    """Raise unless lower <= phi <= upper everywhere."""
    assert (lower <= phi).all() and (phi <= upper).all()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seed"), [("panda", 2), ("gen3", 3)])
def test_runs_together_hold_the_truth_and_are_no_wider_than_any_alone(name, seed):
    phi = draw_payload(np.random.default_rng(seed))
    kept = [RunEvidence.of(online) for online in runs_of(name, seed, 3, phi)]
    found = common_payload(kept, SETTINGS)
    assert found.status is not Status.INCONSISTENT
    assert_between(found.interval.lower, phi, found.interval.upper)
    assert_between(found.interval.lower, found.phi, found.interval.upper)
    for each in kept:
        assert (found.interval.lower >= each.interval.lower).all()
        assert (found.interval.upper <= each.interval.upper).all()


def test_rows_that_are_kept_prove_the_interval_of_their_run_and_survive_being_saved():
    (online,) = runs_of("ur10", 4, 1, draw_payload(np.random.default_rng(4)), 2.0)
    kept = RunEvidence.of(online)
    assert len(kept.rows) < len(online.present().rows)
    alone = replace(kept, interval=kept.prior)
    found, width = common_payload([alone], SETTINGS).interval, kept.interval.half_width
    assert (found.lower >= kept.interval.lower - 0.02 * width).all()
    assert (found.upper <= kept.interval.upper + 0.02 * width).all()
    again = EVIDENCE.from_bytes(EVIDENCE.to_bytes(kept), "x")
    assert np.array_equal(again.factor, kept.factor) and np.array_equal(again.rows.B, kept.rows.B)
    one, two = (common_payload([each], SETTINGS) for each in (kept, again))
    assert np.array_equal(one.phi, two.phi)
    assert np.array_equal(one.interval.lower, two.interval.lower)


@pytest.mark.slow
def test_another_payload_among_more_runs_than_a_program_holds_is_named():
    phi = draw_payload(np.random.default_rng(7))
    kept = [RunEvidence.of(online) for online in runs_of("ur10", 7, GROUP + 2, phi, 0.6)]
    found = common_payload(kept, SETTINGS)
    assert_between(found.interval.lower, phi, found.interval.upper)
    (other,) = runs_of("ur10", 7, 1, 3.0 * phi)
    (same,) = runs_of("ur10", 7, 1, phi)
    found = common_payload([*kept[:2], *map(RunEvidence.of, (same, other))], SETTINGS)
    assert found.status is Status.INCONSISTENT and found.apart == (3,)
    assert np.isnan(found.phi).all() and "1 of 4 runs" in found.message
    with pytest.raises(InputError, match="none"):
        common_payload([], SETTINGS)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(0, 3)), min_size=1, max_size=12))
def test_without_those_that_contradict_all_intervals_share_a_point(ends):
    intervals = [Interval(np.array([low]), np.array([low + width])) for low, width in ends]
    gone = contradicting(intervals)
    left = [each for k, each in enumerate(intervals) if k not in gone]
    assert max(x.lower[0] for x in left) <= min(x.upper[0] for x in left)
    if max(x.lower[0] for x in intervals) <= min(x.upper[0] for x in intervals):
        assert gone == ()
