"""The newest part of a run, held out: it tests what came before, and changes no result."""

import numpy as np
import pytest

from arms import arm, draw_payload, record
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.samples.joint_samples import Samples

USUAL = Uncertainty(torque_relative=0.025, link_relative=0.05)
SETTINGS = Settings(USUAL)
PHI = draw_payload(np.random.default_rng(1), "cloud")


def samples(phi, first=0.0, seed=1):
    """Return 3 s of an arm with a payload, from some time on [s]."""
    run = record(arm("gen3"), seed, phi=phi, seconds=3.0).measured(USUAL, "uniform").samples
    return Samples(run.stamp + first, run.q, run.dq, run.tau)


def held(*parts, hold=True):
    """Return a run of parts, all but the first held out, and its newest estimate."""
    online = OnlineIdentifier(arm("gen3"), SETTINGS)
    online.add(parts[0])
    estimate = online.update()
    if hold:
        online.hold_out(estimate)
    for part in parts[1:]:
        online.add(part)
    return online, online.update()


def test_what_the_same_payload_does_next_is_predicted():
    whole = samples(PHI)
    parts = [whole.part(0, 2 * len(whole) // 3), whole.part(2 * len(whole) // 3, len(whole))]
    online, estimate = held(*parts)
    found = online.validation(estimate)
    assert found.agrees and 0.0 < found.largest_use <= 1.0, found.sentence
    assert 0.8 <= found.seconds <= 1.1 and found.rms < 5 * found.first_rms
    plain, same = held(*parts, hold=False)
    assert repr(same) == repr(estimate)  # all data count, held out or not
    assert not plain.validation(same).agrees and plain.validation(same).seconds == 0.0


def test_rows_of_another_payload_lie_outside_what_the_first_part_allows_for():
    online, estimate = held(samples(PHI))
    held_out = online._held
    for number, window in enumerate(OnlineIdentifier(arm("gen3"), SETTINGS).cut(samples(3 * PHI))):
        held_out = held_out.with_window(held_out.since + number, online.rows.window(window))
    found = held_out.validation(estimate, "")
    assert not found.agrees and found.largest_use > 1.0, found.sentence
    assert found.rms > 3 * found.first_rms and found.sentence.startswith("Contradicted: a row")


@pytest.mark.parametrize("why", ["The payload changed at about 3.1 s.", ""])
def test_a_changed_payload_or_inconsistent_data_contradict_the_first_part(why):
    whole = samples(PHI)
    online, estimate = held(
        whole.part(0, 2 * len(whole) // 3), whole.part(2 * len(whole) // 3, len(whole))
    )
    newest = estimate if why else estimate.with_status(Status.INCONSISTENT, "")
    found = online._held.validation(newest, why)
    assert not found.agrees and (why.rstrip(".") or "no payload explains") in found.sentence


def test_a_first_part_without_an_estimate_predicts_nothing():
    whole = samples(PHI)
    online, estimate = held(whole.part(0, 5), whole.part(5, len(whole)))
    found = online.validation(estimate)
    assert not found.agrees and "NO_DATA: no prediction" in found.sentence
