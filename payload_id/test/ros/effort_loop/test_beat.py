"""The torque loop's beat, and who has the arm; time and controller manager are made up."""

from __future__ import annotations

import logging
import multiprocessing
import time
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

from payload_id.ros.effort_loop import handover, loop, real_time
from payload_id.ros.effort_loop.loop import LEAD, LONGEST_LEAD, TorqueLoop
from payload_id.ros.effort_loop.messages import Follow, Hold, Rest
from payload_id.ros.effort_loop.order_reader import OrderReader
from payload_id.ros.effort_loop.state_check import StampedState

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
    for name in ("_take_orders", "_hand_over"):
        monkeypatch.setattr(one, name, lambda *what: None)
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


class Client:
    """A controller manager that answers when it is told to."""

    def __init__(self, *given):
        self.asked, self.answers = [], []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def send_request(self, request):
        strict = request.strictness == request.STRICT
        self.asked.append((*request.activate_controllers, strict))
        return len(self.asked)

    def take_response(self, kind):
        return self.answers.pop(0) if self.answers else (None, None)

    def says(self, ok, number=None):
        header = SimpleNamespace(sequence_number=number or len(self.asked))
        header = SimpleNamespace(request_id=header)
        self.answers.append((header, SimpleNamespace(ok=ok, message="" if ok else "busy")))


@pytest.fixture
def arm(monkeypatch):
    """Return a handover, and the manager that it asks."""
    monkeypatch.setattr(handover.rclpy_implementation, "Client", Client)
    node = SimpleNamespace(resolve_service_name=lambda name: f"/{name}", handle=nullcontext())
    one = handover.Handover(node, "cm", "torques", "resting")
    return one, one._client


def test_torques_are_given_up_only_where_the_other_takes_the_arm_unless_that_is_refused(arm):
    one, manager = arm
    one.give_back(0.0)
    assert not manager.asked  # it has the arm
    one.take(0.0)
    one.take(0.1)
    assert manager.asked == [("torques", True)] and one.may_have and not one.has
    manager.says(True)
    one.look(0.2)
    assert one.has
    for now in (1.0, 1.1, 1.2, 1.3, 2.0):
        one.give_back(now)
        one.look(now)
        manager.says(False)
        one.look(now)
        assert one.may_have and "busy" in one.refusal
    assert manager.asked[1:] == [("resting", True), ("resting", False), ("resting", False)]
    one.give_back(9.0)
    manager.says(True)
    one.look(9.0)
    assert not one.may_have and not one.has and not one.refusal


def test_a_takeover_that_is_not_answered_may_be_carried_out_late(arm):
    one, manager = arm
    one.take(0.0)
    one.look(3.0)
    assert "no answer" in one.refusal and one.may_have
    one.give_back(3.0)
    manager.says(True, 1)
    one.look(3.1)
    assert one.may_have  # that was of the takeover
    manager.says(True)
    one.look(3.2)
    assert not one.may_have
    assert manager.asked == [("torques", True), ("resting", False)]


def seen(ago=0.0):
    """Return a joint state that came so long ago [s]."""
    return StampedState(10**9, np.zeros(7), np.zeros(7), time.monotonic() - ago)


def following(connection=None, **has):
    """Return a loop that follows a motion, and how its arm is handed over."""
    one = TorqueLoop.__new__(TorqueLoop)
    one._connection, one._asked = connection, time.monotonic()
    one._orders = None if connection is None else OrderReader(connection)
    one._node = SimpleNamespace(get_logger=lambda: logging.getLogger("loop"))
    one._settings = SimpleNamespace(
        resting_controller="resting", torque_controller="torques", joint_states="/js", silence=0.3
    )
    one._newest, one._zero_ns = seen(), 0
    one._follower = SimpleNamespace(
        replace=lambda *what: None, hold=lambda now: None,
        has_left_tube=lambda now: has.get("left"), is_over=lambda time: has.get("over"),
    )  # fmt: skip
    one._alone, one._ended, one._order = "", False, loop._Order(7)
    done = []
    one._handover = SimpleNamespace(
        may_have=True, has=True, refusal="", look=lambda now: None, take=lambda now: done.append(1),
        give_back=lambda now: done.append(-1),
    )  # fmt: skip
    return one, done


def take_until(one, done):
    """Have a loop take orders until something is true: they come in a thread."""
    end = time.monotonic() + 5.0
    while not done():
        assert time.monotonic() < end
        one._take_orders()


def test_a_loop_without_its_bridge_goes_on_to_the_end_and_begins_nothing():
    here, there = multiprocessing.Pipe()
    one, done = following(here)
    one.leave(15, None)
    one._hand_over(one._follower)
    assert done == [1] and not one._ended  # the motion goes on
    there.send(Follow(None, 0, None, 8, False))  # a stop
    take_until(one, lambda: one._order.number == 8)
    assert not one._order.trouble
    there.send(Follow(None, 0, None, 9, True))
    take_until(one, lambda: one._order.number == 9)
    assert "begins nothing" in one._order.trouble
    there.close()
    take_until(one, lambda: one._alone == "The bridge is gone")
    one._order, one._follower.is_over = loop._Order(7), lambda time: True
    one._hand_over(one._follower)
    assert done[-1] == -1 and not one._ended
    one._handover.may_have = False
    one._hand_over(one._follower)
    assert one._ended and one._follower is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"_newest": seen(1.0)}, "No joint state"),
        ({"left": True}, "outside its tube"),
        ({"over": True, "_asked": -np.inf}, "motion is over"),
        ({"has": False}, "had not taken the arm over"),
        ({"refusal": "busy"}, "busy"),
    ],
)
def test_the_loop_gives_the_arm_back_itself_where_nobody_tells_it_to(change, words):
    one, done = following(**change)
    for name, value in change.items():
        setattr(one._handover if name in ("has", "refusal") else one, name, value)
    one._hand_over(one._follower)
    assert done == [-1] and words in one._order.trouble
    assert one._order.started is one._handover.has


@pytest.mark.parametrize("order", [Hold(), Rest()])
def test_told_to_the_loop_gives_the_arm_back_and_only_then_torques_end(order):
    one, done = following()
    one._carry_out(order)
    one._hand_over(one._follower)
    assert done == [-1] and one._follower is not None and not one._order.trouble
    one._handover.may_have = False
    one._hand_over(one._follower)
    assert one._follower is None and not one._ended


def test_a_stop_or_a_part_that_takes_over_is_followed_though_no_joint_state_comes_for_a_while():
    (one, _), replaced = following(), []
    one._newest = seen(0.2)
    one._follower.replace = lambda *what: replaced.append(what)
    one._follow(Follow(None, 0, None, 8, False))
    assert len(replaced) == 1 and not one._order.trouble
    one._handover.may_have = False
    one._follow(Follow(None, 0, None, 9, True))  # none begins without one
    assert "No joint states come" in one._order.trouble
