"""Certified motions under watch, with an arm made of numbers and no clock."""

from __future__ import annotations

import numpy as np
import pytest

from numeric_arm import HOME, TICK, TIMING, TUBE, Arm, certified
from payload_id.core.motion.joint_trajectory import sample, starting_from
from payload_id.ros.execution.motion_execution import Phase
from payload_id.ros.execution.stop_reason import Reason


@pytest.fixture
def moving():
    arm = Arm()
    return arm, arm.begin(certified())


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


@pytest.mark.parametrize("time", [-0.09, -0.04, -0.01])
def test_where_a_hold_would_come_too_late_a_certified_stop_is_sent(time):
    arm = Arm()
    execution = arm.begin(certified((4.0, -3.0)), reaction=0.3)
    arm.run(execution, lambda: arm.time >= time - 1e-9)
    far, fast = beginning(execution, arm.time + 0.3)
    assert far > TUBE.position[0] or fast > TUBE.velocity[0]
    execution.stop(Reason.CANCELLED, "by hand", arm.now_ns)
    assert arm.held is None and len(arm.commands) == 2
    before, after = arm.commands
    known = np.linspace(0.0, arm.time + 0.3, 20)
    assert np.allclose(sample(before, known).q, sample(after, known).q, atol=1e-9)
    arm.run(execution)
    assert execution.at_rest and arm.held is None and execution.reason is Reason.CANCELLED


def test_near_its_end_a_motion_is_its_own_stop(moving):
    arm, execution = moving
    arm.run(execution, lambda: arm.time > 1.95)
    execution.stop(Reason.CANCELLED, "late", arm.now_ns)
    arm.run(execution)
    assert execution.reason is Reason.CANCELLED and len(arm.commands) == 1 and execution.at_rest


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


def with_slider():
    """Return an arm that begins to move, its slider's reports on a topic, and the execution."""
    arm = SlowedArm()
    execution = arm.begin(certified())
    execution.watch.slider.topic = "/speed"
    return arm, execution


class Deaf(Arm):
    """An arm whose controller does not hold it, and follows whatever it is sent."""

    def command(self, points, start_ns):
        super().command(points, start_ns)
        now = np.array(self.time)  # it goes on from where it is
        before = sample(self.commands[-2 if self.commands[1:] else -1], now)
        self.commands[-1] = starting_from(self.commands[-1], before, at=self.time)

    def hold(self):
        pass


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
