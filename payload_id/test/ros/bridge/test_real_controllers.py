"""Bridge and planner before the real controllers of ros2_control, where there are any."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from controller_manager_msgs.srv import ListControllers, SwitchController
from payload_id_msgs.action import Identify
from payload_id_msgs.msg import ExcitationGoal, PayloadEstimate, StopReason

from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.trajectory_points import points_of
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.ros.execution.back_ends.back_end import Trouble
from payload_id.ros.execution.back_ends.follow_joint_trajectory import FollowJointTrajectory
from planned_robot import (
    CANCELED,
    CONTINUED,
    PAYLOAD,
    ROBOT,
    SUCCEEDED,
    PlannedRobot,
)  # fmt: skip
from promises.nodes import next_domain
from promises.real_controllers import ABSENT, CONTROLLER, RealControllers, installation

PREFIX, RATE = installation(), 250
ACTION = f"/{CONTROLLER}/follow_joint_trajectory"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PREFIX is None, reason=ABSENT),
]


@pytest.fixture(scope="module")
def robot(tmp_path_factory) -> Iterator[PlannedRobot]:
    folder, domain = tmp_path_factory.mktemp("real"), next_domain()
    arm = RealControllers(PREFIX, folder, domain, ROBOT, RATE)
    robot = PlannedRobot(folder, domain, arm)
    yield robot
    assert robot.close() == [0, 0, 0], robot.printed


def switched(robot: PlannedRobot, active: bool) -> None:
    """Activate the arm's controller, or deactivate it."""
    which = {"activate_controllers" if active else "deactivate_controllers": [CONTROLLER]}
    answer = robot.observer.call(
        SwitchController, "/controller_manager/switch_controller",
        strictness=SwitchController.Request.STRICT, **which,
    )  # fmt: skip
    assert answer.ok
    wanted = "active" if active else "inactive"

    def is_so() -> bool:
        found = robot.observer.call(ListControllers, "/controller_manager/list_controllers")
        return {x.name: x.state for x in found.controller}[CONTROLLER] == wanted

    robot.observer.wait(is_so, f"a controller that is {wanted}")


def ended(robot: PlannedRobot, future, reason: str, status: int):
    """Return how a motion ended, which was for that reason."""
    result, found = robot.result(future)
    assert found == status, result.message
    assert result.reason.code == getattr(StopReason, reason), result.message
    print(f"{reason}: tube use {result.largest_tube_use:.2f}; {result.message}")
    return result


def test_a_motion_reaches_its_end(robot):
    robot.planned()
    result = ended(robot, robot.begin()[1], "COMPLETED", SUCCEEDED)
    assert result.at_rest and 0.0 < result.largest_tube_use < 0.5


def test_a_motion_is_cancelled_by_its_certified_stop(robot):
    robot.planned()
    handle, future, _ = robot.execute_until()
    handle.cancel_goal_async()
    result = ended(robot, future, "CANCELLED", CANCELED)
    assert result.at_rest and result.largest_tube_use < 0.5
    robot.planned()  # no fault


def is_still(robot: PlannedRobot) -> bool:
    """Whether the arm has stood for half a second."""
    return all(np.abs(x.velocity).max() < 1e-6 for x in robot.joint_states[-RATE // 2 :])


def test_goals_replace_each_other_in_motion_in_a_receding_horizon(robot):
    truth, estimate = np.array(PAYLOAD), PayloadEstimate(status=PayloadEstimate.GOOD)
    estimate.lower, estimate.upper = truth - 0.02, truth + 0.02
    robot.estimates.running = True
    robot.estimates.publish(estimate)
    goal = ExcitationGoal(speed_scale=0.6, time_budget=1.5)
    _, future, feedback = robot.begin(Identify, "identify", **CONTINUED, most_pieces=3, goal=goal)
    result, status = robot.result(future)
    assert status == SUCCEEDED and result.pieces == 3 and result.at_rest, result.message
    assert result.reason.code == StopReason.PIECES_DONE, result.message
    use = max(x.tube_use for x in feedback)
    print(f"{result.pieces} pieces, {result.seconds:.1f} s, tube use {use:.2f}; {result.message}")
    assert use < 0.5
    robot.estimates.publish(PayloadEstimate(status=PayloadEstimate.WAITING))


def test_the_controller_itself_gives_up_where_the_arm_leaves_the_tube(robot):
    joints, n = ROBOT.joints, ROBOT.n
    back_end = FollowJointTrajectory(
        robot.observer.node, ACTION, ROBOT.command.trajectory_topic, joints, 2.0
    )
    robot.observer.wait(lambda: not back_end.absence(), "the controller")
    back_end.take()
    robot.observer.wait(lambda: back_end.is_taken, "the connection")
    path = BezierPiece(MotionState.at_rest(robot.q), np.full(n, 0.1), 2.0)
    points, narrow = points_of(path, 100.0, 0.0), np.full(n, 1e-9)  # no cycle is so punctual
    tube = TrackingTube.position_controlled(narrow, narrow, narrow)
    back_end.send(points, robot.observer.node.get_clock().now().nanoseconds + 300_000_000, tube)
    trouble, words = robot.observer.wait(back_end.fault, "what the controller says", 5.0)
    print(words)
    assert trouble is Trouble.TUBE_LEFT and "PATH_TOLERANCE_VIOLATED" in words
    robot.observer.wait(lambda: is_still(robot), "the controller's own hold", 5.0)
    switched(robot, False)
    back_end.send(points, 0, tube)
    trouble, words = robot.observer.wait(back_end.fault, "what the controller says", 5.0)
    print(words)
    assert "rejected" in words
    switched(robot, True)
