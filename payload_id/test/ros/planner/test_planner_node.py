"""The planner as a black box over real DDS, with the simulated arm: motion and faults."""

from __future__ import annotations

import signal

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped, Vector3
from payload_id_msgs.msg import (
    StopReason,
)
from payload_id_msgs.srv import SetObstacles
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from harness import LATCHED
from payload_id.ros.common.joint_trajectory_message import trajectory_from_message
from planned_robot import (
    BRIDGE,
    ROBOT,
    PlannedRobot,
    ball,
    set_obstacles,
)  # fmt: skip
from promises.nodes import next_domain

pytestmark = pytest.mark.slow  # nodes in real time

DOMAIN = next_domain()


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    robot = PlannedRobot(tmp_path_factory.mktemp("planner"), DOMAIN)
    yield robot
    robot.arm.process.send_signal(signal.SIGCONT)
    assert robot.close() == [0, 0, 0], robot.printed
    assert "Traceback" not in robot.printed


@pytest.fixture(autouse=True)
def free(robot):
    """Let no fault that an earlier test has left keep the arm from moving."""
    robot.acknowledge()


def transform(frame, parent, place, stamp=None):
    message = TransformStamped(child_frame_id=frame)
    message.header.frame_id, message.header.stamp = parent, stamp or Time()
    message.transform.translation = Vector3(**dict(zip("xyz", place, strict=True)))
    return TFMessage(transforms=[message])


def test_obstacles_in_frames_of_tf_are_where_these_are_or_refused(robot):
    node, seen = robot.observer.node, Time(sec=1_700_000_000)
    shown = robot.observer.listen(MarkerArray, f"{BRIDGE}/obstacle_markers", LATCHED)
    still = node.create_publisher(TFMessage, "/tf_static", LATCHED)
    still.publish(transform("cell", "base_link", (2.0, 0.0, 1.0)))
    robot.observer.publisher(TFMessage, "/tf").publish(
        transform("camera", "cell", (0.0, 0.5, 0.0), seen)
    )

    def placed(frame, stamp=None):
        message = ball((0.0, 0.0, 0.25))
        message.header.frame_id, message.header.stamp = frame, stamp or Time()
        shown.clear()
        return set_obstacles(robot, SetObstacles.Request.REPLACE, message)

    for frame, stamp, place in (("cell", None, (2, 0, 1.25)), ("camera", seen, (2, 0.5, 1.25))):
        robot.observer.wait(lambda f=frame, s=stamp: placed(f, s).success, f"the frame {frame}")
        added = lambda: [m for a in shown[-1:] for m in a.markers if m.action == Marker.ADD]  # noqa: E731
        (marker, *_) = robot.observer.wait(added, "the obstacle's marker")
        corners = np.array([(p.x, p.y, p.z) for p in marker.points])
        assert np.allclose(0.5 * (corners.min(axis=0) + corners.max(axis=0)), place, atol=0.01)
    late = placed("camera", Time(sec=1_700_000_001))
    assert not late.success and "1 s away" in late.message and late.ids == ["ball"]
    assert "there is no stamp" in placed("camera").message
    assert "Did you mean 'camera'" in placed("camrea", seen).message
    assert set_obstacles(robot, SetObstacles.Request.REPLACE).success


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"family": "spline"}, "spline"),
        ({"limits": "none"}, "none"),
        ({"duration": -1.0}, "duration"),
        ({"duration": 1e308}, "at most 60 s"),
        ({"duration": float("inf")}, "at most 60 s"),
        ({"speed_scale": float("nan")}, "speed_scale"),
        ({"intervals": 2, "phi_lower": [1.0] * 10, "phi_upper": [0.0] * 10}, "inverted"),
        ({"duration": 0.001, "family": "fourier"}, ""),
    ],
)
def test_a_goal_that_cannot_be_planned_is_refused_in_a_sentence(robot, changes, words):
    answer = robot.plan(**changes)
    assert not answer.success and words in answer.message and "Unexpected" not in answer.message


def test_a_plan_is_executed_along_the_same_path_at_a_fraction_of_its_speed(robot):
    description = robot.planned()
    robot.commands.clear()
    _, future, _ = robot.begin(
        plan_id=description.plan_id, token=description.token, speed_scale=0.4, requested_by="Ada"
    )
    result, _ = robot.result(future)
    assert result.reason.code == StopReason.COMPLETED, result.message
    points = trajectory_from_message(robot.commands[0], ROBOT.joints)
    assert points.duration == pytest.approx(description.duration / 0.4, abs=1e-6)
    assert np.allclose(points.q[-1], description.goal_positions)
    assert "asked for by Ada" in robot.printed
