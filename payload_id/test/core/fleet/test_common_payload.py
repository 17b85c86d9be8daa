"""Many runs of one payload: sound together, no wider than alone, and contradictions are named."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arms import Joints, arm, draw_payload, perturbed_links, record
from payload_id import OnlineIdentifier, Settings, Uncertainty
from payload_id.core.bounds import Interval
from payload_id.core.errors import InputError
from payload_id.core.fleet import RunEvidence, common_payload
from payload_id.core.fleet.common_payload import GROUP, contradicting
from payload_id.core.identification.status import Status
from payload_id.files.fleet.kept_evidence import from_bytes, to_bytes

UNCERTAINTY = Uncertainty(
    torque_absolute=0.05, link_relative=0.03, torque_offset=0.3, friction_coulomb=0.2,
    torque_gain=0.01,
)  # fmt: skip
SETTINGS = Settings(UNCERTAINTY)


def evidence_of(samples, model, settings=SETTINGS):
    online = OnlineIdentifier(model, settings)
    online.add(samples)
    online.update()
    return RunEvidence.of(online), online


def runs_of(name, seed, count, phi=None, seconds=2.0):
    """Return runs of one arm and payload, each with offsets, friction and gains of its own."""
    rng, model = np.random.default_rng(seed), arm(name)
    phi = draw_payload(rng) if phi is None else phi
    links = perturbed_links(model, rng, UNCERTAINTY.link_relative)
    runs = []
    for k in range(count):
        joints = Joints.draw(rng, replace(UNCERTAINTY, rotor_inertia=0.0), model.n, extreme=True)
        made = record(model, 100 * seed + k, phi, seconds, links=links, joints=joints)
        run = made.measured(UNCERTAINTY, "uniform", seed=k)
        noisy = made.samples.tau + (run.samples.tau - made.true.tau)
        runs.append(replace(made.samples, tau=noisy))
    return model, phi, runs


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seed"), [("ur10", 1), ("panda", 2), ("gen3", 3)])
def test_runs_together_hold_the_truth_and_are_no_wider_than_any_alone(name, seed):
    model, phi, runs = runs_of(name, seed, 3)
    kept = [evidence_of(samples, model)[0] for samples in runs]
    found = common_payload(kept, SETTINGS)
    assert found.status is not Status.INCONSISTENT
    assert (found.interval.lower <= phi).all() and (phi <= found.interval.upper).all()
    for each in kept:
        assert (found.interval.lower >= each.interval.lower).all()
        assert (found.interval.upper <= each.interval.upper).all()
    assert (found.interval.lower <= found.phi).all() and (found.phi <= found.interval.upper).all()


@pytest.mark.slow
def test_rows_that_are_kept_prove_the_interval_of_their_run():
    model, _, runs = runs_of("ur10", 4, 1)
    kept, online = evidence_of(runs[0], model)
    every = online.present().rows
    assert len(kept.rows) < len(every)
    alone = replace(kept, interval=kept.prior)
    again = common_payload([alone], SETTINGS).interval
    width = kept.interval.half_width
    assert (again.lower >= kept.interval.lower - 0.02 * width).all()
    assert (again.upper <= kept.interval.upper + 0.02 * width).all()


@pytest.mark.slow
def test_what_a_run_keeps_survives_being_saved():
    model, _, runs = runs_of("ur10", 5, 1)
    kept, _ = evidence_of(runs[0], model)
    again = from_bytes(to_bytes(kept))
    assert np.array_equal(again.factor, kept.factor) and np.array_equal(again.rows.B, kept.rows.B)
    one, two = (common_payload([each], SETTINGS) for each in (kept, again))
    assert np.array_equal(one.phi, two.phi)
    assert np.array_equal(one.interval.lower, two.interval.lower)


@pytest.mark.slow
def test_another_payload_among_them_is_named():
    model, phi, runs = runs_of("ur10", 6, 3)
    _, _, other = runs_of("ur10", 6, 1, phi=3.0 * phi)
    kept = [evidence_of(samples, model)[0] for samples in [*runs, *other]]
    found = common_payload(kept, SETTINGS)
    assert found.status is Status.INCONSISTENT and found.apart == (3,)
    assert np.isnan(found.phi).all() and "1 of 4 runs contradict" in found.message


@pytest.mark.slow
def test_more_runs_than_a_program_holds():
    model, phi, runs = runs_of("ur10", 7, GROUP + 2, seconds=1.0)
    kept = [evidence_of(samples, model)[0] for samples in runs]
    found = common_payload(kept, SETTINGS)
    assert (found.interval.lower <= phi).all() and (phi <= found.interval.upper).all()


def test_no_runs_are_refused():
    with pytest.raises(InputError, match="found none"):
        common_payload([], SETTINGS)


@pytest.mark.slow
@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(0, 3)), min_size=1, max_size=12))
def test_without_those_that_contradict_all_intervals_share_a_point(ends):
    intervals = [Interval(np.array([low]), np.array([low + width])) for low, width in ends]
    gone = contradicting(intervals)
    left = [each for k, each in enumerate(intervals) if k not in gone]
    assert max(x.lower[0] for x in left) <= min(x.upper[0] for x in left)
    if max(x.lower[0] for x in intervals) <= min(x.upper[0] for x in intervals):
        assert gone == ()
