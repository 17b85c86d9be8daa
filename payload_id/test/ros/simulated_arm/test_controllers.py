"""The controllers of the simulated arm, without ROS: what drives are told, and how goals end."""

from __future__ import annotations

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.motion.joint_trajectory import DesiredState, JointTrajectory, sample
from payload_id.ros.simulated_arm.controllers.controller import Cycle, Follow, Hold, Torque
from payload_id.ros.simulated_arm.controllers.forward_command import ForwardCommandController
from payload_id.ros.simulated_arm.controllers.joint_trajectory import (
    End,
    JointTrajectoryController,
)
from payload_id.ros.simulated_arm.controllers.manager import ControllerManager
from payload_id.ros.simulated_arm.controllers.sampled_trajectory import SampledTrajectory

JOINTS, PERIOD = ("shoulder", "elbow"), 0.01
HOME = np.array([0.2, -0.3])


def motion(goal=HOME + 0.1, duration=0.5) -> JointTrajectory:
    """Return a motion from home, at rest at both ends."""
    rest = np.zeros((2, 2))
    return JointTrajectory(np.array([0.0, duration]), np.array([HOME, goal]), rest, rest)


class Robot:
    """Drives that are exactly where they are told, or off by something."""

    def __init__(self, commands=("position",), endless=(False, False)) -> None:
        self.controller = JointTrajectoryController("jtc", JOINTS, np.array(endless), commands)
        self.forward = ForwardCommandController("torques", JOINTS, "effort")
        self.said: list[str] = []
        offered = [f"{joint}/{kind}" for joint in JOINTS for kind in ("position", "effort")]
        self.manager = ControllerManager(
            [self.controller, self.forward], offered, [], self.said.append
        )
        self.manager.switch(["jtc"], [])
        self.time, self.off, self.slower = 0.0, np.zeros(2), np.zeros(2)
        self.trajectory, self.start = JointTrajectory(np.zeros(1), HOME[np.newaxis]), 0.0
        self.torque = None

    def told(self) -> DesiredState:
        return sample(self.trajectory, self.time - self.start)

    def runs(self, seconds: float, until=lambda: False) -> list:
        """Let cycles pass; return all commands."""
        every = []
        for _ in range(round(seconds / PERIOD)):
            told = self.told()
            q, dq = told.q + self.off, told.dq - self.slower
            for command in self.manager.update(Cycle(self.time, PERIOD, q, dq, self.told)):
                every.append(command)
                if isinstance(command, Follow):
                    self.trajectory, self.start = command.trajectory, command.start
                elif isinstance(command, Torque):
                    self.torque = command.tau
                else:
                    q = told.q if command.q is None else command.q
                    self.trajectory, self.start = JointTrajectory(np.zeros(1), q[None]), self.time
            if until():
                break
            self.time += PERIOD
        return every

    def goal(self, trajectory=None, start=None, path=(), goal=(), time=0.0):
        tolerances = self.controller.tolerances_of(path, goal, time)
        return self.controller.begin(trajectory or motion(), start, tolerances)


def test_an_error_on_the_way_that_is_larger_than_the_tolerance_aborts_and_holds_where_it_is():
    robot = Robot()
    goal = robot.goal(path=[("elbow", 0.02, 0.0)])
    robot.runs(0.2)
    assert goal.end is None
    robot.off = np.array([0.03, 0.019])
    robot.runs(0.05)
    assert goal.end is None  # of the shoulder nothing was said
    robot.off = np.array([0.0, 0.021])
    commands = robot.runs(0.05)
    assert (goal.end, goal.code) == (End.ABORTED, -4)
    assert goal.text == "Aborted due to path tolerance violation"
    (hold,) = commands
    assert isinstance(hold, Hold) and hold.q[1] > HOME[1] + 0.021


def test_an_arm_that_does_not_arrive_is_given_up_after_the_time_that_the_goal_allows():
    robot = Robot()
    goal = robot.goal(goal=[("shoulder", 0.01, 0.0)], time=0.2)
    robot.off = np.array([0.02, 0.0])
    robot.runs(0.69)
    assert goal.end is None
    robot.runs(0.05)
    assert (goal.end, goal.code) == (End.ABORTED, -5)
    assert goal.text.startswith("Aborted due to goal_time_tolerance exceeding by 0.2")


def test_without_a_time_an_arm_that_does_not_arrive_is_waited_for():
    robot = Robot()
    goal = robot.goal(goal=[("shoulder", 0.01, 0.0)])
    robot.off = np.array([0.02, 0.0])
    robot.runs(3.0)
    assert goal.end is None
    robot.off = np.zeros(2)
    robot.runs(0.02)
    assert goal.end is End.SUCCEEDED


def test_a_cancelled_goal_holds_where_the_joints_are_and_not_where_they_should_be():
    robot = Robot()
    goal = robot.goal()
    robot.off = np.array([-0.004, 0.0])
    robot.runs(0.2)
    before = robot.told().q
    robot.controller.cancel(goal)
    (hold,) = robot.runs(0.02)
    assert goal.end is End.CANCELED and goal.code == 0 and not goal.text
    assert np.allclose(hold.q, before + robot.off, atol=2e-3)
    robot.controller.cancel(robot.goal())


def test_torques_count_until_others_come_and_none_are_left_when_the_controller_ends():
    robot = Robot()
    assert "currently" not in robot.manager.switch(["torques"], ["jtc"])[1]
    robot.runs(0.05)
    assert robot.torque is None  # no command yet
    robot.forward.command([1.0, -2.0])
    robot.runs(100 * PERIOD)
    assert robot.torque.tolist() == [1.0, -2.0]
    with pytest.raises(InputError, match="Non-finite"):
        robot.forward.command([np.nan, 0.0])
    robot.runs(PERIOD)
    assert robot.torque.tolist() == [1.0, -2.0]
    assert robot.manager.switch(["jtc"], ["torques"])[0]
    robot.runs(PERIOD)
    assert robot.torque.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("fields", ["q", "q dq", "q dq ddq"])
def test_the_fast_sampling_is_that_of_the_mathematics(fields):
    random = np.random.default_rng(1)
    time = np.cumsum(random.uniform(0.1, 0.3, 6))
    values = {name: random.normal(size=(6, 3)) for name in fields.split()}
    for name in ("dq", "ddq"):
        if name in values:
            values[name][-1] = 0.0
    trajectory = JointTrajectory(time, **values)
    fast = SampledTrajectory(trajectory)
    for t in [*np.linspace(time[0] - 0.1, time[-1] + 0.1, 50), *time]:
        wanted, found = sample(trajectory, t), fast.at(t)
        for name in ("q", "dq", "ddq"):
            assert np.allclose(getattr(found, name), getattr(wanted, name), atol=1e-10)
