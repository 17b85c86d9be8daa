"""The torque loop keeps its beat, whatever a torque costs to compute; time is made up."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from payload_id.ros.effort_loop import loop, real_time
from payload_id.ros.effort_loop.loop import LEAD, LONGEST_LEAD, TorqueLoop

STEPS = 200


class Clock:
    """Time that passes only where somebody sleeps or computes."""

    def __init__(self):
        self.now = 10.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


def beats(monkeypatch, period, cost):
    """Return when torques were sent and states taken, in a loop whose steps cost so much [s]."""
    clock = Clock()
    monkeypatch.setattr(loop, "time", clock)
    monkeypatch.setattr(real_time, "time", clock)
    one = TorqueLoop.__new__(TorqueLoop)
    one._settings, one._alone, one._ended = SimpleNamespace(period=period), False, False
    one._follower, sent, taken = object(), [], []
    rng = np.random.default_rng(0)

    def listen():
        taken.append(clock.now)
        return rng.random() < 0.5  # half of the steps have a new state

    def prepare(follower, fresh):
        clock.now += cost * fresh

    def send():
        sent.append(clock.now)
        one._ended = len(sent) == STEPS

    monkeypatch.setattr(one, "_listen", listen)
    monkeypatch.setattr(one, "_prepare", prepare)
    monkeypatch.setattr(one, "_send", send)
    monkeypatch.setattr(one, "_take_orders", lambda: None)
    one.run()
    return np.array(sent)[1:], np.array(taken)[1:]


@pytest.mark.parametrize("period", [5e-4, 1e-3, 5e-3])
def test_torques_are_sent_on_the_beat_whether_or_not_there_is_a_new_state(monkeypatch, period):
    lead = min(LEAD * period, LONGEST_LEAD)
    sent, taken = beats(monkeypatch, period, 0.9 * lead)
    assert np.allclose(np.diff(sent), period, rtol=0.0, atol=1e-9)
    assert np.allclose(sent - taken, lead, rtol=0.0, atol=1e-9)  # and states are no older


def test_steps_that_are_missed_are_not_made_up_for(monkeypatch):
    """Never more torques than there are beats: after a late one the beat goes on as it was."""
    sent, _ = beats(monkeypatch, 1e-3, 2.5e-3)
    beat = np.ceil((sent - sent[0]) / 1e-3 - 1e-6)
    assert (np.diff(beat) >= 1.0).all()
    assert np.diff(sent).max() > 2e-3  # some were missed
