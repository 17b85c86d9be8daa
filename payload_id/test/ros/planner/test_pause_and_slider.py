"""Pausing and resuming, pendants that slow the arm down, and two planners for one arm."""

from __future__ import annotations

import time

import numpy as np
import pytest
from payload_id_msgs.action import Identify
from payload_id_msgs.msg import ExcitationGoal, PayloadEstimate, StopReason
from payload_id_msgs.srv import SetObstacles
from std_msgs.msg import Float64
from std_srvs.srv import Trigger

from payload_id.ros.common.joint_trajectory_message import trajectory_from_message
from planned_robot import (
    CONTINUED,
    PAYLOAD,
    PLANNER,
    ROBOT,
    SUCCEEDED,
    PlannedRobot,
    ball,
    set_obstacles,
    tip,
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


def spin(robot, seconds):
    """Let time pass."""
    end = time.monotonic() + seconds
    robot.observer.wait(lambda: time.monotonic() > end, "time")


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


@pytest.mark.slow
def test_a_pause_can_be_stopped_and_an_obstacle_on_the_way_keeps_it_from_going_on(robot):
    plan = robot.planned(duration=5.0)
    _, future, feedback = robot.execute_until(moved=0.02)
    paused(robot, future, feedback)
    replace = SetObstacles.Request.REPLACE
    assert set_obstacles(robot, replace, ball(tip(plan.goal_positions), 0.05)).success
    answer = robot.observer.call(Trigger, f"{PLANNER}/resume")
    assert not answer.success and "ball" in answer.message
    assert not future.done()
    assert set_obstacles(robot, replace).success
    assert robot.observer.call(Trigger, f"{PLANNER}/stop").success
    result, _ = robot.result(future)
    assert result.reason.code == StopReason.CANCELLED
    assert not robot.observer.call(Trigger, f"{PLANNER}/resume").success


@pytest.mark.slow
def test_an_arm_that_its_pendant_slows_down_is_followed(robot):
    slider = robot.observer.publisher(Float64, "/simulated_arm/speed_slider")
    robot.planned()
    robot.commands.clear()
    _, future, _ = robot.execute_until(moved=0.02)
    for percent in (30.0, 0.0, 60.0):
        slider.publish(Float64(data=percent))
        spin(robot, 0.8)
        assert not future.done(), future.result().result.message
    slider.publish(Float64(data=100.0))
    result, status = robot.result(future)
    assert status == SUCCEEDED and result.reason.code == StopReason.COMPLETED, result.message
    assert len(robot.commands) == 1 and result.largest_tube_use < 1.0


@pytest.mark.slow
def test_an_arm_that_its_pendant_slowed_down_is_stopped_without_a_step(robot):
    slider = robot.observer.publisher(Float64, "/simulated_arm/speed_slider")
    robot.planned()
    robot.commands.clear()
    _, future, _ = robot.execute_until(moved=0.02)
    slider.publish(Float64(data=40.0))
    spin(robot, 0.8)
    robot.joint_states.clear()
    assert robot.observer.call(Trigger, f"{PLANNER}/stop").success
    result, _ = robot.result(future)
    slider.publish(Float64(data=100.0))
    assert result.reason.code == StopReason.CANCELLED and result.at_rest, result.message
    assert all(command.points for command in robot.commands)  # no hold
    q = np.array([state.position for state in robot.joint_states])
    v = np.array([state.velocity for state in robot.joint_states])
    assert np.abs(np.diff(q, axis=0) - 0.01 * v[1:]).max() < 5e-3  # [rad] at 100 Hz
    stopped = trajectory_from_message(robot.commands[-1], ROBOT.joints)
    fastest = np.abs(v[0]).argmax()
    along = v[:, fastest] * np.sign(v[0, fastest])
    on_its_way = np.abs(q - stopped.q[-1])[:, fastest] > 0.02
    assert along[on_its_way].min() > 0.1 * along[0]  # neither held nor taken back before its end
    assert along.max() < np.abs(stopped.dq).max()  # nor is it thrown forward
    assert np.allclose(robot.q, stopped.q[-1], atol=0.02)
    spin(robot, 1.0)


@pytest.mark.slow
def test_a_receding_horizon_that_was_paused_goes_on_with_further_pieces(robot):
    truth, estimate = np.array(PAYLOAD), PayloadEstimate(status=PayloadEstimate.GOOD)
    estimate.lower, estimate.upper = truth - 0.02, truth + 0.02
    robot.estimates.running = True
    robot.estimates.publish(estimate)
    goal = ExcitationGoal(speed_scale=0.6, time_budget=0.6)
    _, future, feedback = robot.begin(Identify, "identify", **CONTINUED, most_pieces=2, goal=goal)
    moves = lambda: feedback and feedback[-1].phase == "moving"  # noqa: E731
    robot.observer.wait(lambda: future.done() or moves(), "motion")
    paused(robot, future, feedback)
    spin(robot, 1.0)
    assert np.abs(np.array(robot.joint_states[-1].velocity)).max() < 0.02 and not future.done()
    feedback.clear()
    answer = robot.observer.call(Trigger, f"{PLANNER}/resume")
    assert answer.success, answer.message
    robot.observer.wait(lambda: future.done() or moves(), "motion")
    result, status = robot.result(future)
    assert status == SUCCEEDED and result.reason.code == StopReason.PIECES_DONE, result.message
    assert result.pieces == 2 and result.at_rest
    robot.estimates.publish(PayloadEstimate(status=PayloadEstimate.WAITING))
