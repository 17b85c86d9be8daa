"""The newest part of a run, held out: it tests what came before, and changes no result."""

from dataclasses import replace

import numpy as np
import pytest

from arms import arm, draw_payload, record
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty

USUAL = Uncertainty(torque_relative=0.025, link_relative=0.05)
PHI = draw_payload(np.random.default_rng(1), "cloud")


def samples(phi, first=0.0):
    """Return 1.5 s of an arm with a payload, from some time on [s]."""
    run = record(arm("gen3"), 1, phi=phi, seconds=1.5).measured(USUAL, "uniform").samples
    return replace(run, stamp=run.stamp + first)


def held(*parts, hold=True):
    """Return a run of parts, all but the first held out, and its newest estimate."""
    online = OnlineIdentifier(arm("gen3"), Settings(USUAL))
    online.add(parts[0])
    estimate = online.update()
    if hold:
        online.hold_out(estimate)
    for part in parts[1:]:
        online.add(part)
    return online, online.update()


@pytest.fixture(scope="module")
def same_payload():
    """Return the parts of a run of one payload, it and its estimate."""
    whole = samples(PHI)
    parts = whole.part(0, 250), whole.part(250, len(whole))
    return parts, *held(*parts)


def test_what_the_same_payload_does_next_is_predicted(same_payload):
    parts, online, estimate = same_payload
    found = online.validation(estimate)
    assert found.agrees and 0.0 < found.largest_use <= 1.0, found.sentence
    assert 0.3 <= found.seconds < 0.7 and found.rms < 5 * found.first_rms
    plain, same = held(*parts, hold=False)
    assert repr(same) == repr(estimate)  # all data count, held out or not
    assert not plain.validation(same).agrees and plain.validation(same).seconds == 0.0


def test_another_payload_or_inconsistent_data_contradict_the_first_part(same_payload):
    online, first = held(samples(PHI))
    online.add(samples(3 * PHI, first=2.0))
    found = online.validation(first)
    assert not found.agrees and found.largest_use > 1.0, found.sentence
    assert found.rms > 3 * found.first_rms
    _, online, estimate = same_payload
    assert not online.validation(estimate.with_status(Status.INCONSISTENT, "")).agrees


def test_a_first_part_without_an_estimate_predicts_nothing(same_payload):
    (first, second), *_ = same_payload
    online, estimate = held(first.part(0, 5), second)
    found = online.validation(estimate)
    assert not found.agrees and "NO_DATA" in found.sentence
