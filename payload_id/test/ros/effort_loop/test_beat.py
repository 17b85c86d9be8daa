"""The torque loop keeps its beat, whatever a torque costs to compute; time is made up."""

from __future__ import annotations

import logging
import multiprocessing
import time
from types import SimpleNamespace

import numpy as np
import pytest

from payload_id.ros.effort_loop import loop, real_time
from payload_id.ros.effort_loop.loop import LEAD, LONGEST_LEAD, TorqueLoop
from payload_id.ros.effort_loop.messages import Follow
from payload_id.ros.effort_loop.order_reader import OrderReader

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
    one._settings, one._alone, one._ended = SimpleNamespace(period=period), "", False
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


def following(connection, asked):
    """Return a loop that follows a motion, whose bridge asked so long ago [s]."""
    one = TorqueLoop.__new__(TorqueLoop)
    one._connection, one._asked = connection, time.monotonic() - asked
    one._orders = OrderReader(connection)
    one._node = SimpleNamespace(get_logger=lambda: logging.getLogger("loop"))
    one._settings = SimpleNamespace(resting_controller="resting", joint_states="/joint_states")
    one._newest, one._zero_ns = (0, np.zeros(7), np.zeros(7)), 0
    one._follower, one._alone = SimpleNamespace(replace=lambda *what: None), ""
    one._gone = one._gives_away = False
    one._number, one._refusal = 0, ""
    one._state = lambda: one._alone
    return one


def take_until(one, done):
    """Have a loop take orders until something is true: they come in a thread."""
    end = time.monotonic() + 5.0
    while not done():
        assert time.monotonic() < end
        one._take_orders()


def answers(there):
    """Return what a loop said to a bridge since it was last heard."""
    return [there.recv() for _ in iter(there.poll, False)]


@pytest.mark.parametrize("why", ["told", "gives away"])
def test_what_cannot_be_taken_back_goes_on_alone_and_begins_nothing(why):
    here, there = multiprocessing.Pipe()
    one = following(here, 0.0 if why == "told" else 1.5)
    one._take_orders() if why == "gives away" else one.leave(15, None)
    one._gives_away = why == "gives away"
    alone = one._alone
    assert answers(there) == [alone] and alone
    there.send(Follow(None, 0, None, 8, True))
    take_until(one, lambda: one._number == 8)
    assert alone in one._refusal and one._alone == alone
    there.send(Follow(None, 0, None, 9, False))  # a stop
    take_until(one, lambda: one._number == 9)
    assert (alone in one._refusal) is (why == "gives away")
    there.close()
    take_until(one, lambda: one._gone)
    assert one._alone == "The bridge is gone"


def test_a_stop_or_a_part_that_takes_over_is_followed_though_no_joint_state_comes_for_a_while():
    one, replaced = TorqueLoop.__new__(TorqueLoop), []
    one._settings = SimpleNamespace(joint_states="/joint_states")
    one._newest, one._zero_ns = (0, np.zeros(7), np.zeros(7)), 0
    one._heard = time.monotonic() - 0.2
    one._follower = SimpleNamespace(replace=lambda *what: replaced.append(what))
    one._alone = ""
    one._follow(Follow(None, 0, None, 7, False))
    assert len(replaced) == 1 and (one._number, one._refusal) == (7, "")
    one._follow(Follow(None, 0, None, 8, True))  # none begins without one
    assert one._number == 8 and "No joint states come" in one._refusal
