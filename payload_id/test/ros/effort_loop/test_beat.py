"""The torque loop keeps its beat, whatever a torque costs to compute; time is made up."""

from __future__ import annotations

import logging
import multiprocessing
import os
import pickle
import struct
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from payload_id.core.samples.joint_map import JointMap
from payload_id.ros.effort_loop import loop, real_time
from payload_id.ros.effort_loop.loop import LEAD, LONGEST_LEAD, STOOD_STILL, TorqueLoop, in_messages
from payload_id.ros.effort_loop.messages import Ask, Follow
from payload_id.ros.effort_loop.order_reader import OrderReader
from payload_id.ros.effort_loop.pose_watch import PoseWatch, Seen
from payload_id.ros.effort_loop.publisher_numbers import Publishers
from payload_id.ros.effort_loop.stamp_watch import SILENT, StampWatch

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


JOINTS = tuple(f"joint_{k}" for k in range(1, 8))


def state(names, time, value=0.0, speed=0.0):
    """Return the bytes of a joint state."""
    message = JointState(name=list(names), position=[value] * len(names))
    message.velocity = [speed] * len(names)
    message.header.stamp.sec, message.header.stamp.nanosec = int(time), round(time % 1 * 1e9)
    return serialize_message(message)


def heard(*kinds, numbers=None, step=1):
    """Return how many of 100 looks find a new state where so many kinds of messages wait.

    Each is another publisher's, the first message of which has the number that is given for it.
    """
    numbers = [None] * len(kinds) if numbers is None else numbers
    one, waiting = TorqueLoop.__new__(TorqueLoop), []
    one._states = SimpleNamespace(take_numbered=lambda count: [(*x, 0) for x in waiting])
    one._map, one._newest, one._follower = JointMap(JOINTS), None, object()
    one._named = in_messages(JOINTS[0])
    one._leapt_ns, one._gap, one._heard = 0, 0.0, time.monotonic()
    one._stamps = StampWatch(100 * 10**9, one._heard)
    one._publishers = Publishers()
    one._poses, one._unmeasured = PoseWatch(np.full(7, 10.0), [False] * 6 + [True]), 0
    one._poses.take(Seen(100 * 10**9, np.zeros(7), one._heard))
    looks = []
    for k in range(100):
        counts = [None if number is None else number + step * k for number in numbers]
        waiting[:] = [(kind(100.0001 + 1e-4 * k), n) for kind, n in zip(kinds, counts, strict=True)]
        looks.append(one._listen())
        assert not looks[-1] or one._newest[0].q.tolist() == one._newest[1].tolist() == [0.0] * 7
    return sum(looks)


def test_what_others_say_on_the_topic_does_not_make_the_loop_deaf():
    arm = lambda t: state(JOINTS, t)  # noqa: E731
    gripper = lambda t: state(["finger"], t)  # noqa: E731
    false = lambda t: state(JOINTS, t, np.nan)  # noqa: E731
    huge = lambda t: state(JOINTS, t, 1e300)  # noqa: E731
    for kinds in ((arm,), (arm, gripper), (gripper, arm), (arm, false), (arm, huge, gripper)):
        assert heard(*kinds) == 100
    assert heard(gripper) == heard(false) == 0


@pytest.mark.parametrize("ahead", [-1, 0, 1, 2, 20])
def test_a_gripper_whose_messages_have_the_arms_numbers_changes_nothing(ahead):
    arm = lambda t: state(JOINTS, t)  # noqa: E731
    for name in ("finger", f"gripper_{JOINTS[0]}"):
        gripper = lambda t, name=name: state([name], t)  # noqa: E731
        assert heard(arm, gripper, numbers=(1000, 1000 + ahead)) == 100
        assert heard(gripper, arm, numbers=(1000 + ahead, 1000)) == 100


def test_one_publisher_may_send_the_states_of_arm_and_gripper_in_turn():
    arm = lambda t: state(JOINTS, t)  # noqa: E731
    gripper = lambda t: state(["finger"], t)  # noqa: E731
    assert heard(arm, gripper, numbers=(1000, 1001), step=2) == 100
    assert heard(gripper, gripper, arm, gripper, numbers=(1000, 1001, 1002, 1003), step=4) == 100


@pytest.mark.parametrize("late", [0.0, 0.03, 0.1, 0.19, 3600.0])
def test_old_states_and_those_of_others_at_the_same_time_do_not_count(late):
    """A relay repeats the arm's states, or another node makes up some with their stamps."""
    arm = lambda t: state(JOINTS, t)  # noqa: E731
    other = lambda t: state(JOINTS, t - late, 1.0)  # noqa: E731
    fast = lambda t: state(JOINTS, t + 5e-5, 0.0, 9e8)  # noqa: E731
    assert heard(arm, other) == 100
    assert heard(arm, fast) == 100
    if late:
        assert heard(other, arm) == 100


def test_in_a_motion_another_arm_does_not_count_however_new_its_stamps_are():
    arm = lambda t: state(JOINTS, t)  # noqa: E731
    other = lambda t: state(JOINTS, t + 4e-5, 1.0)  # noqa: E731
    assert heard(arm, other) == 100


@pytest.mark.parametrize("ahead", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("value", [0.02, 0.5])
def test_in_a_motion_another_arm_whose_clock_is_ahead_does_not_hide_the_own_one(ahead, value):
    arm = lambda t: state(JOINTS, t)  # noqa: E731
    other = lambda t: state(JOINTS, t + ahead, value)  # noqa: E731
    assert heard(arm, other) == heard(other, arm) == 100


@pytest.mark.parametrize(
    ("step", "passed", "late", "one_arm"),
    [
        (0.04, 1e-3, 0.0, True),  # less than encoders and late states may do
        (0.30, 1e-3, 0.0, False),
        (2.0 * np.pi, 1e-3, 0.0, True),  # a turn of a joint without limits
        (0.30, 0.1, 0.0, True),  # a silence in which it can have gone there
        (0.14, 1e-3, 0.1, True),  # states that were held up come at once
        (0.30, 1e-3, 0.1, False),
        (0.30, 1e-3, 30.0, False),  # stamps of a clock that is ahead
    ],
)
def test_positions_count_that_the_arm_can_have_come_to(step, passed, late, one_arm):
    watch = PoseWatch(np.full(2, 3.0), [False, True])
    assert watch.admits(Seen(10**9, np.array([9.0, 9.0]), 0.0))  # nothing is known yet
    watch.take(Seen(10**9, np.zeros(2), 0.0))
    stamp = 10**9 + round(1e9 * (passed + late))
    found = watch.admits(Seen(stamp, np.array([0.0, step]), passed))
    assert found is one_arm and watch.strange == (not one_arm)


def test_an_arm_that_is_faster_than_was_thought_is_believed_before_long():
    """One that falls, or whose encoder has jumped."""
    watch, believed = PoseWatch(np.full(1, 0.5), [False]), []
    watch.take(Seen(0, np.zeros(1), 0.0))
    for k in range(1, 400):
        now, q = 1e-3 * k, np.array([0.3 + 2e-3 * k])
        believed.append(watch.admits(seen := Seen(round(1e9 * now), q, now)))
        if believed[-1]:
            watch.take(seen)
    assert not any(believed[:240]) and all(believed[260:])


@pytest.mark.parametrize("speed", [0.35, 10.0])
def test_another_arm_is_not_believed_though_the_own_one_is_silent_for_a_moment(speed):
    """Where the middleware does not tell numbers: not even if it could have gone there."""
    watch = PoseWatch(np.full(1, speed), [False])
    for k in range(1000):
        for q, silent in ((0.0, k % 100 >= 40), (0.6, False)):
            seen = Seen(k * 10**6, np.array([q]), 1e-3 * k)
            if not silent and watch.admits(seen):
                assert q == 0.0
                watch.take(seen)


def admitted(watch, seen, admits):
    """Return which of some stamps, by the times at which they come [s], a watch takes in."""
    used = []
    for stamp, now in seen:
        if admits(round(1e9 * stamp), now):
            watch.leap(round(1e9 * stamp), now)
            used.append((stamp, now))
    return used


def line(begin, end, period, off=0.0):
    """Return stamps, so far off, and when they come."""
    times = np.arange(begin, end - 1e-9, period)
    return [(float(t + off), float(t)) for t in times]


def in_time(*lines):
    """Return several lines as they come."""
    return sorted((seen for line in lines for seen in line), key=lambda seen: seen[1])


@pytest.mark.parametrize("off", [-0.06, -0.15, 0.3, -5.0, 3600.0])
@pytest.mark.parametrize("period", [4.0, 1.0, 0.25, 0.05])
def test_while_stamps_go_on_those_of_another_do_not_count_however_many_they_are(off, period):
    """A relay as slow as the arm, or twenty times faster, or in bursts."""
    watch = StampWatch(0, 0.0)
    arm = line(4e-3, 2.0, 4e-3)
    other = line(1.01, 2.0, 4e-3 * period, off)
    burst = [(1.0 + 0.01 * k, 1.36 + 1e-4 * k) for k in range(30)]
    assert admitted(watch, in_time(arm, other, burst), watch.admits) == arm
    assert watch.passed_over > 0


@pytest.mark.parametrize("off", [-0.15, 0.3, -5.0])
def test_stamps_that_leap_for_good_count_once_none_go_on(off):
    watch = StampWatch(0, 0.0)
    leapt = line(1.0, 2.0, 4e-3, off)
    used = admitted(watch, [*line(4e-3, 1.0, 4e-3), *leapt], watch.admits)
    begin = next(now for stamp, now in used if abs(stamp - now) > 0.05)
    assert SILENT <= begin - 0.996 <= SILENT + 0.008
    assert [x for x in used if x[1] >= begin] == [x for x in leapt if x[1] >= begin]


def test_a_relay_that_was_followed_through_a_gap_is_left_as_soon_as_the_arm_is_heard():
    watch = StampWatch(0, 0.0)
    before, after = line(4e-3, 1.0, 4e-3), line(1.2, 2.0, 4e-3)
    used = admitted(watch, in_time(before, after, line(0.5, 2.0, 3e-3, -0.1)), watch.admits)
    assert [x for x in used if x[1] > 1.2 + 1e-9] == after[1:]


@pytest.mark.parametrize("period", [4.0, 1.0, 0.25])
@pytest.mark.parametrize("first", [0.0, 0.2])
def test_before_a_motion_the_newer_of_two_lines_counts_and_the_other_is_told(period, first):
    """Whichever came first: of what repeats the arm's states, stamps are behind."""
    watch = StampWatch(round(-1e8), 0.0)
    relay, arm = line(4e-3, 2.0, 4e-3 * period, -0.1), line(first, 2.0, 4e-3)
    used = admitted(watch, in_time(relay, arm), watch.admits_at_rest)
    assert [x for x in used if x[1] > 0.3] == [x for x in arm if x[1] > 0.3]
    assert watch.passed_over > 1
    admitted(watch, line(2.0, 4.0, 4e-3), watch.admits_at_rest)
    assert watch.passed_over == 0  # it is gone


def test_one_false_stamp_of_the_future_does_not_make_the_loop_deaf_before_a_motion():
    watch = StampWatch(0, 0.0)
    arm = line(4e-3, 2.0, 4e-3)
    used = admitted(watch, in_time(arm, [(1e6, 1.0)]), watch.admits_at_rest)
    assert used[-1] == arm[-1]
    assert [x for x in used if x[1] > 1.1] == [x for x in arm if x[1] > 1.1]


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


def test_a_bridge_that_stood_still_and_orders_again_has_the_motion_back():
    here, there = multiprocessing.Pipe()
    one = following(here, 1.5)
    one._take_orders()
    assert answers(there) == [STOOD_STILL] and one._alone == STOOD_STILL
    one._take_orders()  # nothing was ordered
    assert not answers(there) and one._alone
    there.send(Ask())
    there.send(Follow(None, 0, None, 7, False))
    take_until(one, lambda: one._number == 7)
    assert answers(there) == [""] and (one._alone, one._number, one._refusal) == ("", 7, "")


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


def test_half_an_order_does_not_hold_the_loop_up():
    """A long one is sent in pieces, and a bridge may be stopped between two of them."""
    here, there = multiprocessing.Pipe()
    one = following(here, 0.0)
    order = pickle.dumps(Follow(np.zeros(10_000), 0, None, 7, False))
    os.write(there.fileno(), struct.pack("!i", len(order)))
    os.write(there.fileno(), order[:20_000])
    for _ in range(10):
        began = time.monotonic()
        one._take_orders()
        assert time.monotonic() - began < 0.1 and one._refusal == one._alone == ""
        time.sleep(0.01)
    threading.Thread(target=os.write, args=(there.fileno(), order[20_000:])).start()
    take_until(one, lambda: one._number == 7)


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
