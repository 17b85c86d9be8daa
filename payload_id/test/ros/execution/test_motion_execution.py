"""Certified motions under watch, with an arm made of numbers and no clock."""

from __future__ import annotations

import numpy as np
import pytest

from numeric_arm import HOME, START_NS, TICK, TIMING, TUBE, Arm, certified
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.joint_trajectory import sample, starting_from
from payload_id.core.motion.motion_sequence import MotionSequence
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.safety.certificate.certified_motion import CertifiedMotion
from payload_id.ros.execution.motion_execution import Phase
from payload_id.ros.execution.stop_reason import Reason


@pytest.fixture
def moving():
    arm = Arm()
    return arm, arm.begin(certified())


def test_a_motion_is_completed_at_its_goal(moving):
    arm, execution = moving
    arm.run(execution)
    assert execution.reason is Reason.COMPLETED and execution.at_rest
    assert len(arm.commands) == 1
    assert np.allclose(sample(arm.commands[0], np.array(9.0)).q, HOME + [0.5, -0.4])
    assert execution.watch.largest_use < 1e-3


def stopped_at(arm, execution, event, time):
    """Let something happen at a time; return the certified stop that was commanded."""
    arm.run(execution, lambda: arm.time >= time)
    event()
    arm.run(execution)
    assert len(arm.commands) == 2
    assert arm.commanded[1] < time + 0.25  # silence takes a while to be one
    stop = execution.motion.stop_after(arm.commanded[1] + TIMING.reaction)
    end = stop.motion.at(np.array([stop.motion.duration])).q[0]
    last = arm.commands[-1]
    assert last.duration == pytest.approx(stop.time + stop.motion.duration, abs=1e-8)
    assert np.allclose(last.q[-1], end)
    return stop


@pytest.mark.parametrize(
    "reason",
    [
        Reason.CANCELLED,
        Reason.OBSTACLES_CHANGED,
        Reason.ESTIMATE_INCONSISTENT,
        Reason.INTERVALS_LEFT,
        Reason.NOT_ENABLED,
    ],
)
def test_an_arm_that_follows_ends_in_the_next_certified_stop_with_its_reason(moving, reason):
    arm, execution = moving
    assert execution.left_ns is None
    stop = stopped_at(arm, execution, lambda: execution.stop(reason, "why", arm.now_ns), 0.7)
    assert execution.left_ns == execution.start_ns + round(1e9 * stop.time)
    assert execution.reason is reason and execution.detail == "why"
    assert execution.phase is Phase.DONE and not execution.held and arm.held is None


@pytest.mark.parametrize(
    ("happens", "reason"),
    [
        (lambda arm, _: setattr(arm, "silent", True), Reason.JOINT_STATES_LOST),
        (lambda arm, _: setattr(arm, "off", 0.03), Reason.TUBE_LEFT),
        (lambda arm, e: e.stop(Reason.CLOCK_FAULT, "behind", arm.now_ns), Reason.CLOCK_FAULT),
        (lambda arm, e: e.stop(Reason.FOREIGN_COMMAND, "two", arm.now_ns), Reason.FOREIGN_COMMAND),
    ],
    ids=["joint states stop", "tracking error", "clocks", "foreign command"],
)
def test_where_the_arm_may_be_elsewhere_it_is_held_and_no_motion_is_sent(moving, happens, reason):
    arm, execution = moving
    arm.run(execution, lambda: arm.time >= 0.7)
    happens(arm, execution)
    arm.run(execution)
    assert execution.reason is reason and execution.detail and execution.held
    assert len(arm.commands) == 1 and 0.7 <= arm.held[0] < 1.0
    assert execution.at_rest != (reason is Reason.JOINT_STATES_LOST)


def test_a_fault_during_a_stop_is_held_and_the_first_reason_stays(moving):
    arm, execution = moving
    arm.run(execution, lambda: arm.time >= 0.7)
    execution.stop(Reason.CANCELLED, "by hand", arm.now_ns)
    arm.off = 0.05
    arm.tick(execution)
    arm.run(execution)
    assert arm.held is not None and execution.reason is Reason.CANCELLED
    assert execution.fault[0] is Reason.TUBE_LEFT and "certificate allows" in execution.fault[1]


def test_a_stop_before_the_start_means_that_the_arm_does_not_move(moving):
    arm, execution = moving
    arm.run(execution, lambda: arm.time >= -0.15)
    execution.stop(Reason.CANCELLED, "by hand", arm.now_ns)
    arm.run(execution)
    assert execution.reason is Reason.CANCELLED and execution.at_rest and len(arm.commands) == 1
    assert np.allclose(arm.held[1], HOME)


def test_an_arm_that_moves_to_the_start_is_stopped_as_certified_and_not_held_on_its_way():
    arm = Arm()
    execution = arm.begin(certified(), moves_before=True)
    arm.run(execution, lambda: arm.time >= -0.15)
    execution.stop(Reason.CANCELLED, "by hand", arm.now_ns)
    arm.run(execution)
    assert execution.reason is Reason.CANCELLED and execution.at_rest and arm.held is None
    assert len(arm.commands) == 2 and not execution.held


def beginning(execution, end):
    """Return how far a motion gets until a time, and how fast [rad, rad/s]."""
    early = execution.motion.trajectory.at(np.linspace(0.0, max(end, 0.0), 50))
    return np.abs(early.q - HOME).max(), np.abs(early.dq).max()


@pytest.mark.parametrize("time", [-0.09, -0.04, -0.01])
def test_a_hold_that_comes_at_once_after_the_start_leaves_the_arm_in_the_tube(moving, time):
    arm, execution = moving
    arm.run(execution, lambda: arm.time >= time - 1e-9)
    far, fast = beginning(execution, arm.time + TIMING.reaction)
    assert far < TUBE.position[0] and fast < TUBE.velocity[0]
    execution.stop(Reason.CANCELLED, "by hand", arm.now_ns)
    assert arm.held is not None and len(arm.commands) == 1


@pytest.mark.parametrize("pauses", [False, True])
@pytest.mark.parametrize("time", [-0.09, -0.04, -0.01])
def test_where_a_hold_would_come_too_late_a_certified_stop_is_sent(time, pauses):
    arm = Arm()
    execution = arm.begin(certified((4.0, -3.0)), reaction=0.3)
    arm.run(execution, lambda: arm.time >= time - 1e-9)
    far, fast = beginning(execution, arm.time + 0.3)
    assert far > TUBE.position[0] or fast > TUBE.velocity[0]
    if pauses:
        assert execution.pause(arm.now_ns)
    else:
        execution.stop(Reason.CANCELLED, "by hand", arm.now_ns)
    assert arm.held is None and len(arm.commands) == 2
    before, after = arm.commands
    known = np.linspace(0.0, arm.time + 0.3, 20)
    assert np.allclose(sample(before, known).q, sample(after, known).q, atol=1e-9)
    arm.run(execution)
    assert execution.at_rest and arm.held is None
    assert execution.reason is (Reason.PAUSED if pauses else Reason.CANCELLED)


@pytest.mark.parametrize("stops", [False, True])
def test_an_arm_whose_states_are_lost_at_the_end_is_held_and_that_is_a_fault(moving, stops):
    arm, execution = moving
    if stops:
        arm.run(execution, lambda: arm.time >= 0.7)
        execution.stop(Reason.CANCELLED, "by hand", arm.now_ns)
    end = execution.commanded.duration
    arm.run(execution, lambda: arm.time >= end - 0.1)
    arm.silent = True
    arm.run(execution)
    assert execution.held and arm.held is not None and not execution.at_rest
    assert execution.fault[0] is Reason.JOINT_STATES_LOST
    assert execution.reason is (Reason.CANCELLED if stops else Reason.JOINT_STATES_LOST)


def test_an_arm_that_rests_elsewhere_than_at_its_end_has_left_the_tube(moving):
    arm, execution = moving
    arm.run(execution, lambda: execution.phase is Phase.SETTLING)
    arm.off = 0.5
    arm.run(execution)
    assert execution.fault[0] is execution.reason is Reason.TUBE_LEFT
    assert execution.held and "0.5" in execution.detail


@pytest.mark.parametrize("stops", [False, True])
def test_an_arm_that_is_pushed_from_its_end_is_held_at_once(moving, stops):
    arm, execution = moving
    if stops:
        arm.run(execution, lambda: arm.time >= 0.7)
        execution.stop(Reason.CANCELLED, "by hand", arm.now_ns)
    arm.run(execution, lambda: execution.phase is Phase.SETTLING)
    begin, arm.off = arm.time, 0.0
    while arm.held is None:  # it moves on and on
        arm.off += 0.002
        arm.tick(execution)
        assert arm.off < 0.03
    assert arm.time - begin < 0.5 and execution.held
    assert execution.fault[0] is Reason.TUBE_LEFT
    assert execution.reason is (Reason.CANCELLED if stops else Reason.TUBE_LEFT)


def test_without_velocities_positions_tell_whether_the_arm_rests(moving):
    class Blind(Arm):
        def tick(self, execution):
            self.time += TICK
            at = sample(self.commands[-1], np.array([self.time]))
            q = self.held[1] if self.held is not None and self.time > 1.2 else at.q
            stamps = np.array([self.now_ns], dtype=np.int64)
            execution.advance(self.now_ns, self.time, 0.0, stamps, q, np.full_like(q, np.nan))

    arm = Blind()
    execution = arm.begin(certified())
    arm.run(execution)
    assert execution.reason is Reason.COMPLETED and execution.at_rest
    arm = Blind()
    execution = arm.begin(certified())
    arm.run(execution, lambda: arm.time >= 0.7)
    execution.stop(Reason.CLOCK_FAULT, "why", arm.now_ns)  # a hold that comes late
    arm.run(execution, lambda: arm.time >= 1.15)
    assert not execution.at_rest and not execution.done
    arm.run(execution)
    assert execution.at_rest


def test_the_stop_continues_what_the_arm_is_doing(moving):
    arm, execution = moving
    event = lambda: execution.stop(Reason.CANCELLED, "", arm.now_ns)  # noqa: E731
    stop = stopped_at(arm, execution, event, 0.7)
    before, after = arm.commands
    time = np.linspace(0.7, stop.time, 40)
    assert np.allclose(sample(before, time).q, sample(after, time).q, atol=1e-9)
    assert np.allclose(sample(before, time).dq, sample(after, time).dq, atol=1e-7)


def test_the_first_reason_counts(moving):
    arm, execution = moving
    arm.run(execution, lambda: arm.time > 0.5)
    execution.stop(Reason.CANCELLED, "first", arm.now_ns)
    execution.stop(Reason.OBSTACLES_CHANGED, "second", arm.now_ns)
    arm.run(execution)
    assert execution.reason is Reason.CANCELLED and len(arm.commands) == 2


def test_near_its_end_a_motion_is_its_own_stop(moving):
    arm, execution = moving
    arm.run(execution, lambda: arm.time > 1.95)
    execution.stop(Reason.CANCELLED, "late", arm.now_ns)
    arm.run(execution)
    assert execution.reason is Reason.CANCELLED and len(arm.commands) == 1 and execution.at_rest


def test_the_same_motion_goes_on_when_a_sample_is_off_within_the_tube(moving):
    arm, execution = moving
    arm.off = 0.015
    arm.run(execution)
    assert execution.reason is Reason.COMPLETED and execution.watch.largest_use == pytest.approx(
        0.75
    )


@pytest.mark.parametrize("time", [0.42, 0.92, 1.22])
def test_a_pause_rests_on_the_path_and_says_where(moving, time):
    arm, execution = moving
    stop = None

    def pause():
        nonlocal stop
        stop = execution.motion.stop_after(arm.time + TIMING.reaction)
        assert execution.pause(arm.now_ns) and not execution.pause(arm.now_ns)

    arm.run(execution, lambda: arm.time >= time)
    pause()
    arm.run(execution)
    assert execution.reason is Reason.PAUSED and execution.at_rest
    assert execution.resting_place == pytest.approx(stop.motion.end)
    place = execution.motion.trajectory.at(np.array([execution.resting_place])).q[0]
    assert np.allclose(arm.commands[-1].q[-1], place, atol=1e-9)


def test_a_pause_before_the_start_rests_at_the_beginning(moving):
    arm, execution = moving
    arm.run(execution, lambda: arm.time >= -0.15)
    assert execution.pause(arm.now_ns)
    arm.run(execution)
    assert execution.reason is Reason.PAUSED and execution.resting_place == 0.0
    assert np.allclose(arm.held[1], HOME)


def test_a_motion_that_is_nearly_over_is_not_paused(moving):
    arm, execution = moving
    arm.run(execution, lambda: arm.time > 1.9)
    assert not execution.pause(arm.now_ns)
    arm.run(execution)
    assert execution.reason is Reason.COMPLETED
    assert not execution.pause(arm.now_ns)


def test_what_happens_during_the_stop_of_a_pause_is_why_it_ends(moving):
    arm, execution = moving
    arm.run(execution, lambda: arm.time >= 0.7)
    assert execution.pause(arm.now_ns)
    execution.stop(Reason.CANCELLED, "no longer wanted", arm.now_ns)
    arm.run(execution)
    assert execution.reason is Reason.CANCELLED and len(arm.commands) == 2
    assert execution.detail == "no longer wanted" and execution.at_rest


@pytest.mark.parametrize("time", [-0.15, 0.7])
def test_a_stop_while_the_arm_settles_into_a_pause_ends_it(moving, time):
    arm, execution = moving
    arm.run(execution, lambda: arm.time >= time)
    assert execution.pause(arm.now_ns)
    arm.run(execution, lambda: execution.phase is Phase.SETTLING)
    commands = len(arm.commands)
    execution.stop(Reason.CANCELLED, "no longer wanted", arm.now_ns)
    arm.run(execution)
    assert execution.reason is Reason.CANCELLED and execution.detail == "no longer wanted"
    assert len(arm.commands) == commands


def test_a_fault_during_the_stop_of_a_pause_is_held(moving):
    arm, execution = moving
    arm.run(execution, lambda: arm.time >= 0.7)
    assert execution.pause(arm.now_ns)
    arm.off = 0.05
    arm.run(execution)
    assert execution.reason is Reason.TUBE_LEFT and execution.held


class SlowedArm(Arm):
    """Runs through its trajectory as slowly as a slider says, as scaling controllers do."""

    speed, place = 1.0, -0.3

    def command(self, points, start_ns):
        super().command(points, start_ns)
        # A trajectory begins by the clock, and is slowed from then on; where its first point is
        # ahead, the way there begins with what was desired.
        new = self.commands[-1]
        self.ahead = new.time[0] - self.time
        if len(self.commands) > 1:
            desired = sample(self.commands[-2], np.array(self.place))
            self.commands[-1] = starting_from(new, desired, at=self.time)
        self.place = self.time

    def tick(self, execution):
        self.time += TICK
        self.place += self.speed * TICK
        at = sample(self.commands[-1], np.array([self.place]))
        stamps = np.array([self.now_ns], dtype=np.int64)
        execution.advance(self.now_ns, self.time, 0.0, stamps, at.q + self.off, self.speed * at.dq)

    def slide(self, execution, percent):
        self.speed = percent / 100.0
        execution.watch.slider.hear(percent, 1e-9 * self.now_ns)


def with_slider(k=(0.5, -0.4)):
    """Return an arm that begins to move, its slider's reports on a topic, and the execution."""
    arm = SlowedArm()
    execution = arm.begin(certified(k))
    execution.watch.slider.topic = "/speed"
    return arm, execution


def test_an_arm_that_its_slider_slows_down_is_followed_to_the_end():
    arm, execution = with_slider()
    for time, percent in ((0.5, 40.0), (1.0, 0.0), (2.0, 100.0), (2.3, 70.0)):
        arm.run(execution, lambda time=time: arm.time >= time)
        arm.slide(execution, percent)
    arm.run(execution)
    assert execution.reason is Reason.COMPLETED and len(arm.commands) == 1
    assert arm.time > 3.4 and execution.watch.largest_use < 0.3


def test_a_stop_of_a_slowed_arm_continues_what_it_is_doing():
    arm, execution = with_slider()
    arm.run(execution, lambda: arm.time >= 0.5)
    arm.slide(execution, 40.0)
    arm.run(execution, lambda: arm.time >= 1.4)
    before = sample(arm.commands[-1], np.array([arm.place]))
    execution.stop(Reason.CANCELLED, "why", arm.now_ns)
    after = sample(arm.commands[-1], np.array([arm.place]))
    assert len(arm.commands) == 2 and 0.05 < arm.ahead <= TIMING.reaction + 1e-6
    assert np.allclose(before.q, after.q, atol=1e-12)  # goes there smoothly from what it desires
    arm.run(execution)
    assert execution.reason is Reason.CANCELLED and execution.at_rest


def test_a_command_to_a_late_arm_at_full_speed_begins_a_little_ahead():
    arm, execution = with_slider()
    for time, percent in ((0.4, 40.0), (0.7, 100.0), (0.9, 100.0)):
        arm.run(execution, lambda time=time: arm.time >= time)
        arm.slide(execution, percent)
    execution.stop(Reason.CANCELLED, "why", arm.now_ns)
    assert 0.05 < arm.ahead <= TIMING.reaction + 1e-6
    arm.run(execution)
    assert execution.reason is Reason.CANCELLED and execution.at_rest and not execution.held


def test_a_contact_on_the_path_of_a_slowed_arm_is_a_fault():
    arm, execution = with_slider()
    arm.run(execution, lambda: arm.time >= 0.3)
    arm.slide(execution, 60.0)
    arm.run(execution, lambda: arm.time >= 0.6)
    arm.speed = 0.0  # though the slider still says 60 %
    arm.hold = lambda: None
    arm.run(execution, lambda: execution.held or arm.time > 5.0)
    assert execution.reason is Reason.BEHIND and arm.time < 1.6


def slowed_to_a_standstill():
    arm, execution = with_slider()
    arm.run(execution, lambda: arm.time >= 0.6)
    arm.slide(execution, 0.0)
    arm.run(execution, lambda: arm.time >= 1.0)
    return arm, execution


@pytest.mark.parametrize("pauses", [False, True])
def test_an_arm_that_its_slider_keeps_standing_is_held_there(pauses):
    arm, execution = slowed_to_a_standstill()
    if pauses:
        assert execution.pause(arm.now_ns)
    else:
        execution.stop(Reason.CANCELLED, "why", arm.now_ns)
    assert arm.held is not None and len(arm.commands) == 1  # no points that would make it go again
    arm.run(execution)
    assert execution.at_rest and execution.fault is None
    assert execution.reason is (Reason.PAUSED if pauses else Reason.CANCELLED)
    place = execution.motion.trajectory.at(np.array([execution.resting_place])).q[0]
    if pauses:
        assert np.allclose(place, sample(arm.commands[0], np.array([arm.place])).q, atol=0.01)


@pytest.mark.parametrize("pauses", [False, True])
def test_a_stop_that_its_slider_brings_to_a_standstill_ends_there(pauses):
    arm, execution = with_slider((2.0, -1.6))
    arm.run(execution, lambda: arm.time >= 0.5)
    if pauses:
        assert execution.pause(arm.now_ns)
    else:
        execution.stop(Reason.CANCELLED, "why", arm.now_ns)
    arm.run(execution, lambda: arm.time >= arm.commanded[1] + 0.15)
    arm.slide(execution, 0.0)
    arm.run(execution, lambda: arm.time >= 1.2)
    if pauses:
        assert arm.held is None and execution.reason is Reason.PAUSED
        execution.stop(Reason.CANCELLED, "no longer wanted", arm.now_ns)
    assert arm.held is not None and len(arm.commands) == 2
    arm.run(execution)
    assert execution.reason is Reason.CANCELLED and execution.fault is None


def test_what_happens_while_a_slowed_arm_settles_is_held():
    arm, execution = with_slider()
    arm.run(execution, lambda: arm.time >= 0.5)
    arm.slide(execution, 50.0)
    arm.run(execution, lambda: execution.phase is Phase.SETTLING)
    arm.off = 0.1
    arm.run(execution, lambda: arm.time > 20.0)
    assert execution.done and execution.held and execution.fault[0] is Reason.TUBE_LEFT


@pytest.mark.parametrize("early", [0.0, 0.02])
def test_an_arm_that_its_slider_keeps_from_its_end_is_waited_for_as_long_as_it_does(early):
    arm, execution = with_slider()
    arm.run(execution, lambda: arm.time >= 0.5)
    arm.slide(execution, 20.0)
    end = execution.commanded.duration - early
    arm.run(execution, lambda: execution.phase is Phase.SETTLING or arm.place > end)
    arm.slide(execution, 0.0)
    arm.run(execution, lambda: arm.time > 100.0)
    if not execution.done:
        arm.slide(execution, 100.0)
        arm.run(execution)
    assert execution.reason is Reason.COMPLETED and execution.at_rest


@pytest.mark.parametrize("speed", [1.0, 0.2], ids=["on time", "an arm whose own time is slow"])
def test_what_came_while_this_process_stood_still_is_read_before_the_arm_is_judged(moving, speed):
    arm, execution = moving
    arm.run(execution, lambda: arm.time >= 0.7)
    stood_still, read, awake = 5.0, 0.2, 1.0  # [s]; what has come is read piece by piece
    woke, reached = arm.time + stood_still, arm.time + stood_still * speed
    for since in np.arange(0.0, 10.0, TICK):
        arm.time += TICK * (stood_still / read if arm.time < reached else 1.0) * speed
        at = sample(arm.commands[-1], np.array([arm.time]))
        now_ns = START_NS + round(1e9 * (woke + since)) if since < awake else arm.now_ns
        steady = arm.steady + stood_still + since
        execution.advance(now_ns, steady, 0.0, np.array([arm.now_ns]), at.q, at.dq)
    assert execution.done and execution.at_rest and not execution.held
    assert execution.reason is Reason.COMPLETED and execution.resting_place == 0.0


def test_a_leap_of_stamps_at_the_end_is_no_place_where_the_arm_rests(moving):
    arm, execution = moving
    arm.run(execution, lambda: execution.phase is Phase.SETTLING)
    arm.time += 4.0
    arm.run(execution)
    assert execution.reason is Reason.COMPLETED and execution.resting_place == 0.0


@pytest.mark.parametrize("leap", [0, 10**10], ids=["a pause", "a leap"])
def test_an_arm_that_was_held_before_it_began_has_not_begun_whatever_comes_at_once_then(leap):
    arm = Arm()
    execution = arm.begin(certified())
    execution.start_ns += 2_000_000_000
    arm.run(execution, lambda: arm.time >= -0.2)
    execution.stop(Reason.CANCELLED, "by hand", arm.now_ns)
    begins = arm.steady - execution.time(arm.now_ns)
    stamps = arm.now_ns - leap + 10_000_000 * np.arange(1, 130)  # read at once
    q, dq = np.tile(HOME, (129, 1)), np.zeros((129, 2))
    arm.time += 1.3 - 1e-9 * leap
    arm.steady += 1.3
    execution.advance(arm.now_ns, arm.steady, 0.0, stamps, q, dq)
    arm.run(execution, lambda: arm.steady > begins - 0.1)
    assert not execution.done  # who does not hold it may set it off yet
    arm.run(execution)
    assert execution.reason is Reason.CANCELLED and execution.at_rest
    assert not execution.begun and execution.resting_place == 0.0


@pytest.mark.parametrize(("duration", "time"), [(40.0, -0.2), (40.0, 0.3), (8.0, 0.1), (2.0, -0.2)])
def test_a_hold_that_nobody_answers_is_believed_once_the_motion_would_show(duration, time):
    for arm in (Unheeding(), Deaf(), Arm()):
        execution = unanswered(arm, time, Reason.TUBE_LEFT, duration)
        assert execution.at_rest is not isinstance(arm, Unheeding)
        assert execution.fault[0] is Reason.TUBE_LEFT


@pytest.mark.parametrize("reason", [Reason.CANCELLED, Reason.CLOCK_FAULT])
def test_an_arm_that_does_not_heed_a_hold_before_the_start_stays_where_it_is(reason):
    arm = Deaf()
    execution = unanswered(arm, -0.2, reason)
    assert execution.at_rest and not execution.begun
    assert sample(arm.commands[-1], np.array(arm.time)).q == pytest.approx(HOME, abs=1e-9)


def test_an_arm_that_does_not_heed_a_pause_just_after_its_command_stays_where_it_is():
    arm = Deaf()
    execution = arm.begin(certified(), answers_holds=False)
    arm.tick(execution)
    assert execution.pause(arm.now_ns)
    arm.run(execution)
    assert execution.at_rest and not execution.begun
    assert sample(arm.commands[-1], np.array(arm.time + 5.0)).q == pytest.approx(HOME, abs=1e-9)


@pytest.mark.parametrize("reason", [Reason.TUBE_LEFT, Reason.DRIVER_FAULT])
def test_an_arm_that_does_not_heed_a_hold_in_motion_ends_by_the_next_certified_stop(reason):
    arm = Deaf()
    execution = unanswered(arm, 0.6, reason)
    stop = execution.motion.stop_after(0.6 + TIMING.reaction)
    assert execution.at_rest and execution.held and len(arm.commands) == 2
    assert arm.commands[-1].duration == pytest.approx(stop.time + stop.motion.duration, abs=1e-6)


@pytest.mark.parametrize(
    "reason", [Reason.FOREIGN_COMMAND, Reason.CLOCK_FAULT, Reason.JOINT_STATES_LOST, Reason.BEHIND]
)
def test_who_does_not_heed_a_hold_and_may_be_elsewhere_does_not_leap_onto_a_stop(reason):
    arm = Deaf()
    execution = unanswered(arm, 0.6, reason)
    assert len(arm.commands) == 1
    assert not execution.at_rest or arm.time > execution.motion.trajectory.duration


@pytest.mark.parametrize("leap", [0.3, 0.95, 5.0, 3600.0, -0.95, -5.0])
@pytest.mark.parametrize("controller", [0, 1], ids=["heeds", "heeds nothing"])
def test_a_clock_that_leaps_before_the_start_lets_nobody_set_off_who_is_at_rest(leap, controller):
    arm = (Deaf, Unheeding)[controller]()
    execution = arm.begin(certified(), answers_holds=False)
    arm.run(execution, lambda: arm.time >= -0.2)
    leapt = np.array([arm.now_ns + round(1e9 * leap)])
    at = sample(arm.commands[-1], np.array([arm.time]))
    clocks = Reason.CLOCK_FAULT, "by hand"
    execution.advance(int(leapt[0]), arm.steady, 0.0, leapt, at.q, at.dq, clocks)
    while not execution.done and arm.time < 20.0:
        arm.time, arm.steady = arm.time + TICK, arm.steady + TICK
        at = sample(arm.commands[-1], np.array([arm.time]))
        now = arm.now_ns + round(1e9 * leap)
        execution.advance(now, arm.steady, 0.0, np.array([now]), at.q, at.dq)
    later = sample(arm.commands[-1], arm.time + np.linspace(0.0, 5.0, 200)).q
    assert execution.done and (not execution.at_rest or np.ptp(later, axis=0).max() < 0.01)
    assert not controller or not execution.at_rest or arm.time > 2.0
    assert controller or arm.commands[-1].q[-1] == pytest.approx(HOME)
    assert execution.fault[0] is Reason.CLOCK_FAULT


def test_a_standing_arm_that_does_not_heed_a_hold_is_told_to_stay_where_it_stands():
    arm = Deaf()
    execution = arm.begin(certified(duration=40.0), answers_holds=False)
    arm.run(execution, lambda: arm.time >= 20.0)
    blocked = sample(arm.commands[-1], np.array([arm.time])).q, np.zeros((1, 2))
    for _ in range(10):
        arm.time, arm.steady = arm.time + TICK, arm.steady + TICK
        execution.advance(arm.now_ns, arm.steady, 0.0, np.array([arm.now_ns]), *blocked)
    execution.stop(Reason.DRIVER_FAULT, "by hand", arm.now_ns)
    assert len(arm.commands) == 2
    assert arm.commands[-1].q[-1] == pytest.approx(blocked[0][0])
    assert arm.commands[-1].duration < arm.time + 2 * TIMING.reaction


def unanswered(arm, time, reason, duration=2.0):
    """Return what became of a motion that is stopped at a time, where nobody answers a hold."""
    execution = arm.begin(certified(duration=duration), answers_holds=False)
    arm.run(execution, lambda: arm.time >= time)
    execution.stop(reason, "by hand", arm.now_ns)
    arm.run(execution)
    return execution


def test_joint_states_that_were_lost_while_this_process_stood_still_are_no_leap(moving):
    arm, execution = moving
    arm.run(execution, lambda: arm.time >= 0.7)
    arm.steady += 1.5
    arm.tick(execution)  # what had come before
    arm.time += 1.5  # the next that comes
    arm.run(execution)
    assert execution.reason is Reason.COMPLETED and execution._coming.arm.leaps == 0


@pytest.mark.parametrize("hold", [False, True])
def test_an_arm_that_rested_while_this_process_stood_still_is_at_rest(moving, hold):
    arm, execution = moving
    arm.run(execution, lambda: arm.time >= 1.2)
    if hold:
        execution.stop(Reason.CLOCK_FAULT, "by hand", arm.now_ns)
    times = arm.time + TICK * np.arange(1, 500)  # all that has come meanwhile is read at once
    at = sample(arm.commands[-1], times)
    q, dq = (np.tile(arm.held[1], (499, 1)), 0.0 * at.dq) if hold else (at.q, at.dq)
    arm.time, arm.steady = times[-1], arm.steady + 5.0
    stamps = START_NS + np.rint(1e9 * times).astype(np.int64)
    execution.advance(arm.now_ns, arm.steady, 0.0, stamps, q, dq)
    arm.run(execution)
    assert execution.at_rest and arm.time < times[-1] + 0.5
    assert execution.reason is (Reason.CLOCK_FAULT if hold else Reason.COMPLETED)


def test_an_arm_that_rests_is_seen_to_where_most_joint_states_of_a_sleep_were_lost(moving):
    arm, execution = moving
    arm.run(execution, lambda: arm.time >= 1.9)
    old, now = arm.time + TICK, arm.time + 6.0
    arm.time, arm.steady = now, arm.steady + 6.0
    for time in (old, now):
        at = sample(arm.commands[-1], np.array([time]))
        stamp = np.array([START_NS + round(1e9 * time)])
        execution.advance(arm.now_ns, arm.steady, 0.0, stamp, at.q, at.dq)
        arm.time, arm.steady = arm.time + TICK, arm.steady + TICK
    arm.run(execution)
    assert execution.at_rest and execution.reason is Reason.COMPLETED


@pytest.mark.parametrize("parts", [2, 5])
def test_what_is_read_in_few_pieces_shows_an_arm_at_rest_as_well(moving, parts):
    arm, execution = moving
    arm.run(execution, lambda: arm.time >= 1.2)
    times = arm.time + 0.1 * np.arange(1, 100)  # joint states at 10 Hz
    at = sample(arm.commands[-1], times)
    arm.time, arm.steady = times[-1], arm.steady + 10.0
    stamps = START_NS + np.rint(1e9 * times).astype(np.int64)
    for part in np.array_split(np.arange(99), parts):
        arm.steady += TICK
        execution.advance(arm.now_ns, arm.steady, 0.0, stamps[part], at.q[part], at.dq[part])
        if execution.done:
            break
    arm.run(execution)
    assert execution.at_rest and execution.reason is Reason.COMPLETED


def test_where_an_arm_turns_back_on_its_way_is_not_where_it_rests():
    there = BezierPiece(MotionState.at_rest(HOME), np.array([0.2, -0.1]), 4.0)
    back = BezierPiece(
        MotionState.at_rest(there.at(np.array([4.0])).q[0]), np.array([-0.2, 0.1]), 4.0
    )
    arm = Arm()
    execution = arm.begin(CertifiedMotion(MotionSequence((there, back), (4.0, 4.0)), (), TUBE))
    arm.run(execution, lambda: arm.time >= 1.0)
    times = arm.time + TICK * np.arange(1, 1000)  # it slept, and reads piece by piece
    at = sample(arm.commands[-1], times)
    arm.time, arm.steady = times[-1], arm.steady + 10.0
    stamps = START_NS + np.rint(1e9 * times).astype(np.int64)
    for part in np.array_split(np.arange(999), 100):
        execution.advance(arm.now_ns, arm.steady, 0.0, stamps[part], at.q[part], at.dq[part])
    arm.run(execution)
    assert execution.at_rest and execution.reason is Reason.COMPLETED


def test_an_arm_that_nobody_has_heard_of_since_this_process_stood_still_is_lost(moving):
    arm, execution = moving
    arm.run(execution, lambda: arm.time >= 0.7)
    nothing = np.zeros(0, dtype=np.int64), np.zeros((0, 2)), np.zeros((0, 2))
    arm.time = 6.0
    for age in np.arange(0.0, 0.4, TICK):
        execution.advance(arm.now_ns, arm.steady + 5.3 + age, age, *nothing)
    assert execution.done and not execution.at_rest
    assert execution.reason is Reason.JOINT_STATES_LOST


def test_stamps_that_leap_again_and_again_do_not_keep_a_goal_from_its_end(moving):
    arm, execution = moving
    arm.run(execution, lambda: arm.time >= 0.7)
    execution.stop(Reason.CLOCK_FAULT, "Two clocks", arm.now_ns)
    begin = arm.time
    while not execution.done and arm.time < begin + 20.0:
        arm.time += TICK
        old = 6_000_000_000 * (round(arm.time / TICK) % 2)  # a recording is played on the topic
        at = arm.held[1], np.zeros((1, 2))
        steady = arm.steady + arm.time - begin
        execution.advance(arm.now_ns - old, steady, 0.0, np.array([arm.now_ns - old]), *at)
    assert execution.done and not execution.at_rest and execution.reason is Reason.CLOCK_FAULT
    assert arm.time - begin < 2.5 * TIMING.settling and "not seen to rest" in execution.detail


def held_before_an_answer():
    """Return an arm that was held as late, while its controller has not answered its goal."""
    arm = Arm(waiting="It has not answered a goal")
    execution = arm.begin(certified())
    arm.run(execution, lambda: arm.time >= 0.1)
    execution.stop(Reason.BEHIND, "late", arm.now_ns)
    arm.run(execution, lambda: arm.time >= 0.1 + TIMING.reaction + 0.3)
    return arm, execution


def test_a_standing_arm_does_not_count_as_at_rest_while_a_goal_may_set_it_off(moving):
    arm, execution = held_before_an_answer()
    assert not execution.done
    execution.fail(Reason.CONTROLLER_FAULT, "No answer in time", arm.now_ns)
    arm.waiting = ""
    arm.run(execution)
    assert execution.at_rest and execution.fault[0] is Reason.CONTROLLER_FAULT
    assert execution.detail.startswith("No answer in time. Before that: late")


def test_a_goal_that_is_never_answered_is_waited_for_as_long_as_an_arm_that_does_not_rest(moving):
    arm, execution = held_before_an_answer()
    arm.run(execution)
    assert not execution.at_rest and execution.fault[0] is Reason.BEHIND
    assert 0.0 < arm.time - 0.1 - TIMING.settling < 0.1


class Deaf(Arm):
    """An arm whose controller does not hold it, and follows whatever it is sent."""

    def command(self, points, start_ns):
        super().command(points, start_ns)
        now = np.array(self.time)  # it goes on from where it is
        before = sample(self.commands[-2 if self.commands[1:] else -1], now)
        self.commands[-1] = starting_from(self.commands[-1], before, at=self.time)

    def hold(self):
        pass


class Unheeding(Deaf):
    """An arm whose controller takes one command, and nothing after it."""

    def command(self, points, start_ns):
        if not self.commands:
            Arm.command(self, points, start_ns)


def test_a_hold_before_the_start_is_believed_once_the_controller_had_time_for_it(moving):
    arm = Deaf()
    execution = arm.begin(certified())
    arm.run(execution, lambda: arm.time >= -0.15)
    execution.stop(Reason.CANCELLED, "by hand", arm.now_ns)
    arm.run(execution, lambda: arm.time >= TIMING.reaction - 0.02)
    assert not execution.done
    arm.run(execution)
    assert execution.fault[0] is Reason.CONTROLLER_FAULT and not execution.at_rest
    assert "asked to hold" in execution.fault[1]


def test_an_arm_whose_controller_refuses_to_hold_takes_the_next_certified_stop(moving):
    arm = Deaf()
    execution = arm.begin(certified())
    arm.run(execution, lambda: arm.time >= -0.15)
    execution.stop(Reason.CANCELLED, "by hand", arm.now_ns)
    arm.run(execution, lambda: arm.time >= 0.05)
    execution.go_on("It rejected a cancelling", arm.now_ns)
    assert execution.phase is Phase.STOPPING and not execution.held
    arm.run(execution)
    assert execution.at_rest and execution.reason is Reason.CANCELLED
    assert execution.fault[0] is Reason.CONTROLLER_FAULT  # nothing moves after it
    assert execution.commanded.duration < certified().trajectory.duration


def test_after_a_fault_an_arm_that_is_not_held_is_waited_for_until_its_motion_is_over(moving):
    arm = Deaf()
    execution = arm.begin(certified())
    arm.run(execution, lambda: arm.time >= 0.3)
    execution.stop(Reason.FOREIGN_COMMAND, "why", arm.now_ns)
    execution.go_on("It rejected a cancelling", arm.now_ns)
    arm.run(execution)
    assert execution.at_rest and execution.reason is Reason.FOREIGN_COMMAND
    assert arm.time >= certified().trajectory.duration
    assert "rejected a cancelling" in execution.detail


def test_an_arm_that_takes_neither_stop_nor_hold_is_waited_for_until_its_motion_is_over(moving):
    arm = Deaf()
    execution = arm.begin(certified())
    arm.run(execution, lambda: arm.time >= 0.3)
    execution.command = lambda points, start_ns: None
    execution.stop(Reason.CANCELLED, "by hand", arm.now_ns)
    assert execution.phase is Phase.STOPPING
    execution.fail(Reason.CONTROLLER_FAULT, "It rejected a goal", arm.now_ns)
    execution.go_on("It rejected a cancelling", arm.now_ns)
    arm.run(execution)
    assert execution.at_rest and execution.reason is Reason.CANCELLED
    assert arm.time >= certified().trajectory.duration
    assert "rejected a goal" in execution.fault[1] and "rejected a cancelling" in execution.detail


def test_that_an_arm_goes_on_though_it_was_asked_to_hold_is_said_with_the_fault():
    arm = Deaf()
    execution = arm.begin(certified())
    arm.run(execution, lambda: arm.time >= 0.3)
    execution.stop(Reason.FOREIGN_COMMAND, "why", arm.now_ns)
    arm.run(execution)
    assert not execution.at_rest and execution.reason is Reason.FOREIGN_COMMAND
    assert execution.fault == (execution.reason, execution.detail)
    assert execution.detail.startswith("why. Then: The arm did not come to rest")
    assert "asked to hold" in execution.detail


def test_an_arm_that_stands_at_its_end_has_arrived_whatever_the_slider_says():
    arm, execution = with_slider()
    arm.run(execution, lambda: arm.time >= 0.6)
    execution.watch.slider.hear(0.0, 1e-9 * arm.now_ns)  # though it goes on at full speed
    execution.stop(Reason.CANCELLED, "why", arm.now_ns)
    arm.run(execution, lambda: arm.time > 8.0)
    assert execution.done and execution.at_rest and execution.reason is Reason.CANCELLED


def test_what_is_held_does_not_get_later():
    arm, execution = slowed_to_a_standstill()
    slider = execution.watch.slider
    execution.stop(Reason.FOREIGN_COMMAND, "why", arm.now_ns)
    before = slider.unexplained
    arm.run(execution)
    assert slider.unexplained == before
    slider.unexplained = 7.0
    slider.begin()
    assert slider.unexplained == 0.0 and slider.expected(1e-9 * arm.now_ns) == 0.0


class LeapingArm(Arm):
    """Its clock may be set."""

    leap = 0.0  # [s]

    @property
    def now_ns(self):
        return super().now_ns + round(self.leap * 1e9)


@pytest.mark.parametrize("leap", [3600.0, -3600.0])
@pytest.mark.parametrize("ticks", [1, 3, 100_000], ids=["one", "three", "for good"])
@pytest.mark.parametrize("when", [0.7, 1.9], ids=["moving", "settling"])
def test_a_clock_that_leaps_does_not_keep_a_motion_from_its_end(leap, ticks, when):
    """In stamps that were an hour ahead the arm would come to rest in an hour."""
    arm = LeapingArm()
    execution = arm.begin(certified())
    arm.run(execution, lambda: arm.time >= when)
    moves = execution.phase is not Phase.SETTLING
    for k in range(round(6.0 / TICK)):
        arm.leap = leap if k < ticks else 0.0
        if k == 0 and moves:  # as the watch of clocks does at the first such stamp
            execution.stop(Reason.CLOCK_FAULT, "an hour", arm.now_ns)
        if not execution.done:
            arm.tick(execution)
    assert execution.done and execution.at_rest
    assert execution.reason is (Reason.CLOCK_FAULT if moves else Reason.COMPLETED)


@pytest.mark.parametrize("delay", [0, 1, 5])
def test_a_tube_that_was_left_for_a_driver_in_fault_is_the_drivers_fault(moving, delay):
    """The arm brakes before the driver's own message is heard."""
    arm, execution = moving
    arm.run(execution, lambda: arm.time >= 0.7)
    arm.off = 0.05
    for _ in range(delay):
        arm.tick(execution)
    assert delay == 0 or execution.reason is Reason.TUBE_LEFT
    at = sample(arm.commands[-1], np.array([arm.time + TICK]))
    rows = (np.array([arm.now_ns]), at.q + arm.off, at.dq)
    execution.advance(arm.now_ns, arm.time, 0.0, *rows, (Reason.DRIVER_FAULT, "fault is 1"))
    arm.run(execution)
    assert execution.reason is Reason.DRIVER_FAULT and execution.fault[0] is Reason.DRIVER_FAULT
    assert execution.detail.startswith("fault is 1")
    assert delay == 0 or "Before that" in execution.detail


def test_a_controller_that_gives_up_after_a_silence_at_the_end_has_lost_the_states(moving):
    arm, execution = moving
    arm.run(execution, lambda: execution.phase is Phase.SETTLING)
    arm.silent = True
    for _ in range(round(0.5 / TICK)):
        arm.tick(execution)
    arm.silent = False
    execution.fail(Reason.TUBE_LEFT, "PATH_TOLERANCE_VIOLATED", arm.now_ns)
    arm.run(execution)
    assert execution.reason is Reason.JOINT_STATES_LOST
    assert "0.5" in execution.detail and "PATH_TOLERANCE_VIOLATED" in execution.detail


def test_another_arm_that_is_heard_after_a_silence_at_the_end_is_none_that_left_the_tube(moving):
    """A driver that was killed, and started anew elsewhere."""
    arm, execution = moving
    arm.run(execution, lambda: arm.time >= execution.commanded.duration - 0.1)
    arm.silent = True
    arm.run(execution, lambda: arm.time >= execution.commanded.duration + 0.5)
    arm.silent, arm.off = False, 0.5
    arm.run(execution)
    assert execution.reason is Reason.JOINT_STATES_LOST and "Then: " in execution.detail
