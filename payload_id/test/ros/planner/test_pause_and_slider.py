"""Pausing and resuming, pendants that slow the arm down, and two planners for one arm."""

from __future__ import annotations

import numpy as np
import pytest
from payload_id_msgs.msg import StopReason
from std_srvs.srv import Trigger

from payload_id.ros.common.joint_trajectory_message import trajectory_from_message
from planned_robot import (
    PLANNER,
    ROBOT,
    SUCCEEDED,
    PlannedRobot,
)  # fmt: skip
from ros_domain import next_domain

DOMAIN = next_domain()


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    # An arm that is stopped while it is slow is judged step by step.
    robot = PlannedRobot(tmp_path_factory.mktemp("planner"), DOMAIN, physics_step=5e-4)
    yield robot
    assert robot.close() == [0, 0, 0], robot.printed()
    assert "Traceback" not in robot.printed()


def paused(robot, future, feedback):
    """Pause, and wait until the arm rests in it."""
    answer = robot.observer.call(Trigger, f"{PLANNER}/pause")
    assert answer.success, answer.message
    is_paused = lambda: feedback and feedback[-1].phase == "paused"  # noqa: E731
    robot.observer.wait(lambda: future.done() or is_paused(), "the pause")
    assert not future.done(), future.result().result.message


@pytest.mark.slow
def test_a_paused_motion_goes_on_along_its_path_to_its_goal(robot):
    refused = robot.observer.call(Trigger, f"{PLANNER}/resume")
    assert not refused.success and "Nothing rests" in refused.message
    assert not robot.observer.call(Trigger, f"{PLANNER}/pause").success
    plan = robot.planned(duration=5.0)
    robot.commands.clear()
    _, future, feedback = robot.execute_until(moved=0.02)
    path = trajectory_from_message(robot.commands[0], ROBOT.joints)
    for _ in range(2):
        paused(robot, future, feedback)
        distance = np.abs(path.q - robot.q).max(axis=1)
        assert (
            distance.min() < 0.02 and np.argmin(distance) < len(path.q) - 5
        )  # on it, not at its end
        assert not robot.plan().success  # the arm is in use
        answer = robot.observer.call(Trigger, f"{PLANNER}/resume")
        assert answer.success, answer.message
        feedback.clear()
        moves = lambda: feedback and feedback[-1].phase == "moving"  # noqa: E731
        robot.observer.wait(moves, "motion")
    result, status = robot.result(future)
    assert status == SUCCEEDED and result.reason.code == StopReason.COMPLETED, result.message
    assert np.allclose(robot.q, plan.goal_positions, atol=0.02)
    certificates = [str(path) for path in (robot.folder / "certificates").rglob("motion.json")]
    assert sum("resumed" in path for path in certificates) == 2
