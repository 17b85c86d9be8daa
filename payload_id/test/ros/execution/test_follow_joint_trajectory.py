"""The action of a trajectory controller: what it is asked for, and what its answers mean."""

from __future__ import annotations

import time

import numpy as np
import pytest
from action_msgs.msg import GoalStatus, GoalStatusArray
from control_msgs.action import FollowJointTrajectory as Action
from trajectory_msgs.msg import JointTrajectory

from fake_trajectory_action import FakeTrajectoryAction
from harness import LATCHED, START_NS, Observer
from payload_id.core.motion.trajectory import Motion
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.files.drivers.driver_facts import GoalTolerances
from payload_id.ros.execution.back_ends.follow_joint_trajectory import ANSWER, FollowJointTrajectory
from payload_id.ros.execution.stop_reason import Reason
from promises.nodes import next_domain

DOMAIN = next_domain()
JOINTS = ("shoulder", "elbow")
ACTION, TOPIC = "/arm/follow_joint_trajectory", "/arm/joint_trajectory"
Q = np.array([[0.0, 1.0], [0.5, 1.5]])
POINTS = Motion(np.array([0.25, 1.25]), Q, 0.1 * Q, 0.2 * Q)
TUBE = TrackingTube.position_controlled(np.array([0.02, 0.03]), np.full(2, 0.1), np.ones(2))
CODES = Action.Result


class Arm:
    """A back end, the controller that it talks to, and whoever waits for both."""

    def __init__(self) -> None:
        self.observer = Observer(DOMAIN)
        self.back_end = FollowJointTrajectory(self.observer.node, ACTION, TOPIC, JOINTS, 2.0)
        self.controller = FakeTrajectoryAction(DOMAIN, ACTION)
        self.states = self.observer.listen(GoalStatusArray, f"{ACTION}/_action/status", LATCHED)

    def take(self) -> None:
        self.observer.wait(lambda: not self.back_end.absence(), "the controller")
        self.back_end.take()
        self.observer.wait(lambda: self.back_end.is_taken, "the connection")

    def send(self) -> None:
        """Send points that the controller receives."""
        number = len(self.controller.goals)
        self.back_end.send(POINTS, START_NS, TUBE)
        self.observer.wait(lambda: len(self.controller.goals) > number, "the goal")

    def follows(self) -> None:
        """Wait until everybody knows that the controller follows its newest goal."""
        going = (GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING)

        def is_so() -> bool:
            found = [x.status for x in self.states[-1].status_list] if self.states else []
            under_way = sum(status in going for status in found)
            return len(found) >= self.controller.accepted and under_way == 1

        self.observer.wait(is_so, "a goal under way")

    def fault(self, patience: float = 5.0):
        return self.observer.wait(lambda: self.said.fault, "what the controller says", patience)

    @property
    def said(self):
        return self.back_end.look()

    def passes(self, seconds: float) -> None:
        """Let time pass, in which nothing is wrong."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.observer.executor.spin_once(timeout_sec=0.02)
            assert self.said.fault is None

    def close(self) -> None:
        self.controller.close()
        self.observer.close()


@pytest.fixture(scope="module")
def only_arm():
    arm = Arm()
    yield arm
    ended = GoalStatus.STATUS_SUCCEEDED  # or later
    arm.observer.wait(
        lambda: all(x.status >= ended for x in arm.states[-1].status_list), "the end of all goals"
    )
    arm.close()


@pytest.fixture
def arm(only_arm):
    only_arm.take()
    only_arm.controller.accepts = True
    only_arm.controller.goals.clear()
    yield only_arm
    only_arm.back_end.release()
    only_arm.controller.end("succeed")
    only_arm.observer.wait(lambda: not only_arm.said.others, "the end of all", 5.0)


def test_a_goal_has_points_stamp_and_the_tube_as_tolerances_of_every_joint(arm):
    arm.send()
    (goal,) = arm.controller.goals
    sent = goal.trajectory
    assert tuple(sent.joint_names) == JOINTS and sent.header.stamp.sec == START_NS // 10**9
    assert [list(point.positions) for point in sent.points] == POINTS.q.tolist()
    assert [list(point.velocities) for point in sent.points] == POINTS.dq.tolist()
    assert [list(point.accelerations) for point in sent.points] == POINTS.ddq.tolist()
    for tolerance in (goal.path_tolerance, goal.goal_tolerance):
        assert [x.name for x in tolerance] == list(JOINTS)
        assert [x.position for x in tolerance] == TUBE.position.tolist()
    assert [x.velocity for x in goal.goal_tolerance] == TUBE.velocity.tolist()
    allowed = goal.goal_time_tolerance
    assert 0.0 < allowed.sec + 1e-9 * allowed.nanosec < 2.0  # heard before the settling is over


def test_tolerances_of_the_robot_file_hold_where_they_are_tighter_for_every_joint(arm):
    stated = GoalTolerances(path=(0.05, 0.01), end=(0.005, 0.05), time=0.25)
    node = arm.observer.node
    tighter = FollowJointTrajectory(node, ACTION, TOPIC, JOINTS, 2.0, stated)
    tighter.take()
    arm.observer.wait(lambda: tighter.is_taken, "the connection")
    tighter.send(POINTS, START_NS, TUBE)
    (goal,) = arm.observer.wait(lambda: arm.controller.goals, "the goal")
    assert [x.position for x in goal.path_tolerance] == [0.02, 0.01]
    assert [x.position for x in goal.goal_tolerance] == [0.005, 0.03]
    assert goal.goal_time_tolerance.nanosec == 250_000_000


def test_a_hold_cancels_what_is_under_way_and_what_is_not_answered_yet(arm):
    arm.send()
    arm.follows()
    before = arm.controller.cancelled
    arm.back_end.hold()
    arm.observer.wait(lambda: arm.controller.cancelled == before + 1, "the cancelling")
    arm.passes(0.2)
    arm.back_end.send(POINTS, START_NS, TUBE)
    arm.back_end.hold()
    arm.observer.wait(lambda: arm.controller.cancelled > before + 1, "the cancelling of the second")
    arm.passes(0.2)
    assert not arm.said.others


def test_a_rejected_goal_has_not_started_but_one_that_was_to_take_over_is_a_fault(arm):
    arm.controller.accepts = False
    arm.send()
    trouble, words = arm.fault()
    assert trouble is Reason.NOT_STARTED and ACTION in words and "rejected" in words
    arm.controller.accepts = True
    arm.send()
    arm.follows()
    arm.passes(0.1)
    arm.controller.accepts = False
    arm.send()
    trouble, words = arm.fault()
    assert trouble is Reason.CONTROLLER_FAULT and "rejected" in words


ENDS = {
    "path": (CODES.PATH_TOLERANCE_VIOLATED, "Aborted due to path tolerance violation",
             Reason.TUBE_LEFT),
    "goal": (CODES.GOAL_TOLERANCE_VIOLATED, "Aborted due to goal_time_tolerance",
             Reason.TUBE_LEFT),
    "preempted": (CODES.INVALID_GOAL, "Current goal preempted by new incoming action.",
                  Reason.FOREIGN_COMMAND),
    "deactivated": (CODES.INVALID_GOAL, "Current goal cancelled during deactivate transition.",
                    Reason.CONTROLLER_INACTIVE),
    "invalid": (CODES.INVALID_GOAL, "it cannot", Reason.CONTROLLER_FAULT),
    "joints": (CODES.INVALID_JOINTS, "which joints?", Reason.CONTROLLER_FAULT),
    "old": (CODES.OLD_HEADER_TIMESTAMP, "too old", Reason.CONTROLLER_FAULT),
    "unknown": (-77, "", Reason.CONTROLLER_FAULT),
}  # fmt: skip


@pytest.mark.parametrize("case", ENDS)
def test_a_goal_that_is_given_up_is_a_fault_in_the_controllers_own_words(arm, case):
    code, text, expected = ENDS[case]
    arm.send()
    arm.follows()
    arm.controller.end("abort", code, text)
    trouble, words = arm.fault()
    assert trouble is expected and text.rstrip(".") in words and ACTION in words


@pytest.mark.parametrize("what", ["goal", "cancelling"])
def test_no_answer_in_time_is_a_fault(arm, what):
    if what == "cancelling":
        arm.send()
        arm.follows()
    with arm.controller.hanging():
        begun = time.monotonic()
        if what == "cancelling":
            arm.back_end.hold()
        else:
            arm.back_end.send(POINTS, START_NS, TUBE)
        arm.passes(0.8 * ANSWER)
        trouble, words = arm.fault()
    assert time.monotonic() - begun < ANSWER + 1.0
    assert trouble is Reason.CONTROLLER_FAULT and f"within {ANSWER:g} s" in words
    arm.observer.wait(lambda: arm.said.fault is None, "an answer, however late")


def test_a_trajectory_of_somebody_else_is_noticed_and_who_may_send_one(arm):
    assert not arm.said.others and not arm.said.foreign
    other = arm.observer.publisher(JointTrajectory, TOPIC)
    arm.observer.wait(lambda: "only one node may" in arm.said.others, "the other publisher")
    other.publish(JointTrajectory(joint_names=list(JOINTS)))
    found = arm.observer.wait(lambda: arm.said.foreign, "its trajectory", 5.0)
    assert TOPIC in found and not arm.said.foreign  # told once
    arm.observer.node.destroy_publisher(other)
