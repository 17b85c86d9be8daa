"""Bridge and planner before the real controllers of ros2_control, where there are any."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from payload_id_msgs.action import Identify
from payload_id_msgs.msg import ExcitationGoal, PayloadEstimate, StopReason

from planned_robot import (
    CANCELED,
    CONTINUED,
    PAYLOAD,
    ROBOT,
    SUCCEEDED,
    PlannedRobot,
)  # fmt: skip
from promises.nodes import next_domain
from promises.real_controllers import ABSENT, RealControllers, installation

PREFIX, RATE = installation(), 250
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


def test_a_motion_is_cancelled_by_its_certified_stop(robot):
    robot.planned()
    handle, future, _ = robot.execute_until()
    handle.cancel_goal_async()
    result, status = robot.result(future)
    assert (status, result.reason.code) == (CANCELED, StopReason.CANCELLED), result.message
    assert result.at_rest and result.largest_tube_use < 0.5
    robot.planned()  # no fault


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
    assert max(x.tube_use for x in feedback) < 0.5
    robot.estimates.publish(PayloadEstimate(status=PayloadEstimate.WAITING))
