"""The planner as a black box over real DDS, with the simulated arm: motion and faults."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from controller_manager_msgs.srv import SwitchController
from geometry_msgs.msg import TransformStamped, Vector3
from payload_id_msgs.action import Identify
from payload_id_msgs.action import Plan as PlanAction
from payload_id_msgs.msg import (
    BridgeState,
    ExcitationGoal,
    Obstacle,
    ObstacleArray,
    PayloadEstimate,
    StopReason,
)
from payload_id_msgs.srv import Describe, SetObstacles
from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from visualization_msgs.msg import Marker, MarkerArray

from harness import LATCHED
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.ros.common.joint_trajectory_message import trajectory_from_message
from planned_robot import (
    ABORTED,
    BRIDGE,
    CANCELED,
    CLOCK_TOLERANCE,
    CONTINUED,
    GOAL,
    PAYLOAD,
    PLANNER,
    ROBOT,
    SUCCEEDED,
    TRAJECTORY,
    PlannedRobot,
    assert_latched,
    ball,
    report_aside,
    set_obstacles,
    tip,
)  # fmt: skip
from ros_domain import next_domain

pytestmark = pytest.mark.slow  # nodes in real time

FORWARD = "forward_position_controller"
DOMAIN = next_domain()


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    robot = PlannedRobot(tmp_path_factory.mktemp("planner"), DOMAIN)
    yield robot
    robot.arm.process.send_signal(signal.SIGCONT)
    assert robot.close() == [0, 0, 0], robot.printed()
    assert "Traceback" not in robot.printed()


@pytest.fixture(autouse=True)
def free(robot):
    """Let no fault that an earlier test has left keep the arm from moving."""
    robot.acknowledge()


def test_plan_describe_execute_moves_the_arm_to_its_goal_at_rest(robot):
    description = robot.planned()
    described = robot.observer.call(Describe, f"{PLANNER}/describe")
    assert described.success and described.description == description
    assert len(described.swept_volume.markers) > 5
    for name in ("position", "velocity", "acceleration", "torque"):
        assert 0.0 < max(getattr(description, f"peak_{name}_percent")) <= 100.0
    assert max(description.peak_velocity_percent) <= 61.0  # the speed scale was 0.6
    assert description.least_clearance >= 0.02 and 0 < description.clearance_percent <= 100.0
    assert (description.half_width_expected <= description.half_width_now).all()
    assert description.longest_stop < description.duration + 0.6
    certificate = json.loads(Path(description.certificate_path).read_text())
    assert certificate["certificate"]["digests"]["trajectory"] == description.certificate_digest
    _, future, feedback = robot.begin()
    result, status = robot.result(future)
    assert status == SUCCEEDED and result.success and result.at_rest, result.message
    assert result.reason.code == StopReason.COMPLETED and 0 < result.largest_tube_use < 1
    moved = np.abs(np.array(description.goal_positions) - description.start_positions).max()
    assert moved > 0.1
    assert np.abs(robot.q - description.goal_positions).max() < description.tube_position[0]
    assert {"moving"} <= {entry.phase for entry in feedback}


def test_a_state_of_the_bridge_that_cannot_be_read_is_left_out(robot):
    node = robot.observer.node
    publisher = node.create_publisher(BridgeState, f"{BRIDGE}/state", LATCHED)
    for bodies in ("", "x", "[1", "7", '["x"]', '[{"name": "x"}]', "[" * 3000):
        publisher.publish(BridgeState(bodies=bodies))
    robot.observer.wait(lambda: "its obstacles cannot be read" in robot.planner.printed(), "a word")
    node.destroy_publisher(publisher)
    assert robot.planned().plan_id
    assert "Unexpected" not in robot.planner.printed()


def test_what_is_commanded_is_the_certified_motion(robot):
    description = robot.planned()
    Path(description.certificate_path).write_text("{}")  # no certificate is read
    robot.commands.clear()
    _, future, _ = robot.begin()
    robot.result(future)
    assert len(robot.commands) == 1
    points = trajectory_from_message(robot.commands[0], ROBOT.joints)
    assert np.allclose(points.q[0], description.start_positions)
    assert np.allclose(points.q[-1], description.goal_positions)
    assert points.duration == pytest.approx(description.duration, abs=1e-6)
    assert points.ddq is not None and np.abs(points.dq[-1]).max() < 1e-9


def test_an_obstacle_in_the_way_leads_to_refusal_or_another_motion(robot):
    free = robot.planned(criterion="log_det")
    place = tip(free.goal_positions)
    answer = set_obstacles(robot, SetObstacles.Request.ADD, ball(place))
    assert answer.success and answer.ids == ["ball"]
    _, future, _ = robot.begin()
    result, status = robot.result(future)
    assert status == ABORTED and "obstacles have changed" in result.message
    answer = robot.plan(criterion="log_det")
    if answer.success:
        away = np.linalg.norm(tip(answer.description.goal_positions) - place)
        assert away > 0.08  # the ball's radius
    else:
        assert "ball" in answer.message
    answer = set_obstacles(robot, SetObstacles.Request.REPLACE, ball(tip(robot.q), 0.05, "cube"))
    refused = robot.plan()
    assert not refused.success and "cube" in refused.message
    answer = set_obstacles(robot, SetObstacles.Request.ADD, ball((0, 0, 2.0), float("nan")))
    assert not answer.success and "'ball'" in answer.message and answer.ids == ["cube"]
    assert set_obstacles(robot, SetObstacles.Request.REMOVE, Obstacle(id="cube")).success


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
        at = marker.pose.position
        assert np.allclose((at.x, at.y, at.z), place)
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
        ({"dry_run_scale": 0.2}, "at most 0.1"),
        ({"speed_scale": float("nan")}, "speed_scale"),
        ({"intervals": 2, "phi_lower": [1.0] * 10, "phi_upper": [0.0] * 10}, "inverted"),
        ({"duration": 0.001, "family": "fourier"}, ""),
    ],
)
def test_a_goal_that_cannot_be_planned_is_refused_in_a_sentence(robot, changes, words):
    answer = robot.plan(**changes)
    assert not answer.success and words in answer.message and "Unexpected" not in answer.message


def test_cancelling_ends_in_a_certified_stop(robot):
    description = robot.planned()
    robot.commands.clear()
    handle, future, _ = robot.execute_until()
    handle.cancel_goal_async()
    result, status = robot.result(future)
    assert status == CANCELED and result.reason.code == StopReason.CANCELLED and result.at_rest
    assert len(robot.commands) == 2  # the motion, and the motion with its stop
    stopped = trajectory_from_message(robot.commands[1], ROBOT.joints)
    assert stopped.duration < description.duration
    assert np.abs(robot.q - stopped.q[-1]).max() < description.tube_position[0]


def test_obstacles_on_the_topic_stop_a_motion_that_does_not_know_them(robot):
    robot.planned(duration=4.0)
    publisher = robot.observer.publisher(ObstacleArray, f"{BRIDGE}/obstacles")
    _, future, _ = robot.execute_until()
    publisher.publish(ObstacleArray(obstacles=[ball((2.0, 0.0, 1.0))]))
    result, status = robot.result(future)
    assert status == ABORTED and result.reason.code == StopReason.OBSTACLES_CHANGED
    assert result.at_rest
    publisher.publish(ObstacleArray())
    robot.observer.node.destroy_publisher(publisher)


def test_an_inconsistent_estimate_stops_the_arm(robot):
    robot.planned()
    _, future, _ = robot.execute_until()
    robot.estimates.publish(
        PayloadEstimate(status=PayloadEstimate.INCONSISTENT, message="the payload slips")
    )
    result, _ = robot.result(future)
    assert result.reason.code == StopReason.ESTIMATE_INCONSISTENT
    assert "the payload slips" in result.message and result.at_rest
    robot.observer.diagnosis("ESTIMATE_INCONSISTENT")
    robot.estimates.publish(PayloadEstimate(status=PayloadEstimate.WAITING))


def test_receding_horizon_answers_to_the_estimator_and_ends_at_rest(robot):
    truth, estimate = np.array(PAYLOAD), PayloadEstimate(status=PayloadEstimate.GOOD)
    estimate.lower, estimate.upper = truth - 0.02, truth + 0.02
    robot.estimates.running = True
    robot.estimates.publish(estimate)
    goal = ExcitationGoal(speed_scale=0.6, time_budget=0.6)
    for progress in (-0.1, 0.95, float("nan")):
        _, future, _ = robot.begin(
            Identify, "identify", **CONTINUED, goal=goal, least_progress=progress
        )
        assert "least_progress must be" in robot.result(future)[0].message
    _, future, feedback = robot.begin(Identify, "identify", **CONTINUED, most_pieces=2, goal=goal)
    moving = lambda: any(x.phase == "moving" for x in feedback)  # noqa: E731
    robot.observer.wait(lambda: future.done() or moving(), "motion")
    assert moving(), future.result().result.message
    estimate.lower, estimate.upper = truth - 0.01, truth + 0.01
    robot.estimates.publish(estimate)
    result, status = robot.result(future)
    # Planned too late on a busy machine, the second piece begins from where the first one rests.
    assert result.reason.code == StopReason.PIECES_DONE, result.message
    assert result.success and status == SUCCEEDED and result.pieces == 2 and result.at_rest
    assert np.allclose(result.first_half_width, 0.02) and np.allclose(result.last_half_width, 0.01)
    assert len(result.condition_numbers) == 2 and np.isfinite(result.condition_numbers).all()
    assert len(list(Path(result.certificates).glob("piece_*.json"))) >= result.pieces
    estimate.lower, estimate.upper = truth + 1.0, truth + 2.0
    robot.planned()
    robot.estimates.publish(estimate)
    _, future, _ = robot.begin()
    assert "another payload" in robot.result(future)[0].message
    robot.estimates.publish(PayloadEstimate(status=PayloadEstimate.WAITING))


def test_only_a_plan_that_was_described_is_executed(robot):
    description = robot.planned()
    for fields, words in (
        ({"plan_id": "", "token": ""}, "Name the plan"),
        ({"plan_id": description.plan_id, "token": "guess"}, "read its description"),
        ({"plan_id": description.plan_id, "token": description.token, "speed_scale": 1.5}, "speed"),
    ):
        _, future, _ = robot.begin(**fields)
        result, status = robot.result(future)
        assert status == ABORTED and words in result.message, result.message
        assert result.reason.code == StopReason.REFUSED


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
    assert "asked for by Ada" in robot.printed()


@pytest.mark.parametrize("how", ["cancel", "stop"])
def test_what_is_called_off_while_it_is_prepared_does_not_begin(robot, how):
    robot.planned()
    robot.commands.clear()
    plan = {"plan_id": robot.newest.plan_id, "token": robot.newest.token}
    handle, future, _ = robot.begin(**plan, speed_scale=0.3)  # whose certificates take a while
    if how == "cancel":
        handle.cancel_goal_async()
    else:
        assert robot.observer.call(Trigger, f"{PLANNER}/stop").success
    result, status = robot.result(future)
    assert status == (CANCELED if how == "cancel" else ABORTED)
    assert result.reason.code == StopReason.CANCELLED, result.message
    assert "before" in result.message and not robot.commands


def test_a_stop_before_the_start_means_that_nothing_moves(robot):
    robot.planned()
    start = robot.q
    robot.commands.clear()
    handle, future, _ = robot.begin()
    handle.cancel_goal_async()
    result, status = robot.result(future)
    assert status == CANCELED and result.reason.code == StopReason.CANCELLED
    if robot.commands and robot.commands[-1].points:
        pytest.skip("the cancelling came after the start on this busy machine")
    assert np.abs(robot.q - start).max() < 1e-3


def test_an_arm_that_leaves_the_tube_is_held_until_somebody_acknowledges(robot):
    robot.planned(duration=4.0)
    other = robot.observer.publisher(JointState, "/joint_states", listeners=3)  # both, observer
    _, future, _ = robot.execute_until()
    robot.commands.clear()
    try:
        report_aside(robot, other, future.done)
        result = assert_latched(robot, "TUBE_LEFT", future)
    finally:
        robot.observer.node.destroy_publisher(other)
    assert result.largest_tube_use > 1.0 and "certificate allows" in result.message


def test_a_foreign_trajectory_is_told_apart_from_a_bad_controller(robot):
    robot.planned(duration=6.0)  # in which the other publisher is discovered
    _, future, _ = robot.execute_until(moved=0.01)
    other = robot.observer.publisher(JointTrajectory, TRAJECTORY, listeners=2)  # arm, bridge
    time.sleep(0.5)  # until they have discovered it, too
    aside = JointTrajectoryPoint(positions=robot.q + 0.01)
    aside.time_from_start.nanosec = 400_000_000
    robot.commands.clear()
    other.publish(JointTrajectory(joint_names=list(ROBOT.joints), points=[aside]))
    heard = lambda: {bool(c.points) for c in robot.commands}  # noqa: E731  # in either order
    robot.observer.wait(lambda: heard() == {True, False}, "the foreign trajectory and the hold")
    robot.commands[:] = [c for c in robot.commands if not c.points]
    assert_latched(robot, "FOREIGN_COMMAND", future)
    robot.planned()
    _, future, _ = robot.begin()  # who has commanded once may do so again
    assert "only one node may" in robot.result(future)[0].message
    robot.observer.node.destroy_publisher(other)


def test_intervals_that_leave_the_certified_ones_stop_the_motion(robot):
    robot.planned()
    _, future, _ = robot.execute_until()
    estimate = PayloadEstimate(status=PayloadEstimate.GOOD)
    estimate.lower, estimate.upper = np.array(PAYLOAD) + 1.0, np.array(PAYLOAD) + 2.0
    robot.estimates.publish(estimate)
    result, status = robot.result(future)
    robot.estimates.publish(PayloadEstimate(status=PayloadEstimate.WAITING))
    assert status == ABORTED and result.reason.code == StopReason.INTERVALS_LEFT
    assert result.at_rest


def test_motion_that_is_switched_off_stops_and_does_not_begin(robot):
    def allow(value):
        value = ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=value)
        parameter = ParameterMessage(name="allow_motion", value=value)
        service = f"{BRIDGE}/set_parameters"
        answer = robot.observer.call(SetParameters, service, parameters=[parameter])
        assert answer.results[0].successful, answer.results[0].reason

    robot.planned()
    _, future, _ = robot.execute_until()
    allow(False)
    result, status = robot.result(future)
    assert status == ABORTED and result.reason.code == StopReason.NOT_ENABLED and result.at_rest
    robot.planned()  # planning moves nothing
    _, future, _ = robot.begin()
    assert "allow_motion" in robot.result(future)[0].message
    allow(True)


def test_an_enabling_device_that_is_let_go_stops_the_arm(robot):
    robot.planned()
    _, future, _ = robot.execute_until()
    robot.enabled = False
    result, status = robot.result(future)
    assert status == ABORTED and result.reason.code == StopReason.NOT_ENABLED and result.at_rest
    robot.planned()
    _, future, _ = robot.begin()
    assert "/enable" in robot.result(future)[0].message
    robot.enabled = True


def test_an_inactive_controller_is_refused_at_once_and_one_that_is_deactivated_is_a_fault(robot):
    name = TRAJECTORY.split("/")[-2]

    def switch(off=(), on=()):
        answer = robot.observer.call(
            SwitchController, "/controller_manager/switch_controller",
            deactivate_controllers=off, activate_controllers=on,
            strictness=SwitchController.Request.STRICT,
        )  # fmt: skip
        assert answer.ok, answer.message

    def known(words):
        """Wait until the planner reports that of the controller."""
        box = robot.observer.mailbox["/diagnostics"]
        box.clear()
        statuses = lambda: [status for array in box for status in array.status]  # noqa: E731
        seen = lambda: any(x.value == words for status in statuses() for x in status.values)  # noqa: E731
        robot.observer.wait(seen, words)

    robot.planned()
    switch([name], [FORWARD])
    known(f"{name}: inactive")
    begun, at = time.monotonic(), robot.q
    result, status = robot.result(robot.begin()[1])
    assert status == ABORTED and result.reason.code == StopReason.REFUSED
    wanted = f"ros2 control switch_controllers --deactivate {FORWARD} --activate {name}"
    assert wanted in result.message
    assert time.monotonic() - begun < 5.0 and np.allclose(robot.q, at, atol=1e-3)
    switch([FORWARD], [name])
    known(f"{name}: active")
    _, future, _ = robot.execute_until()
    robot.commands.clear()
    switch([name])
    result = assert_latched(robot, "CONTROLLER_INACTIVE", future, holds=(0, 1))  # a race
    assert f"'{name}' is inactive" in result.message or "deactivate transition" in result.message
    switch(on=[name])
    known(f"{name}: active")
    robot.planned()
    assert robot.result(robot.begin()[1])[0].success


def test_unusable_obstacles_block_motion_until_usable_ones_arrive(robot):
    robot.planned()
    publisher = robot.observer.publisher(ObstacleArray, f"{BRIDGE}/obstacles")
    publisher.publish(ObstacleArray(obstacles=[ball((2.0, 0.0, 1.0), float("nan"))]))
    robot.observer.wait(lambda: "cannot be used" in robot.plan().message, "the refusal")
    _, future, _ = robot.begin()
    assert "cannot be used" in robot.result(future)[0].message
    publisher.publish(ObstacleArray())
    robot.observer.wait(lambda: robot.plan().success, "a plan")
    robot.observer.node.destroy_publisher(publisher)


def test_planning_that_nobody_wants_any_more_is_not_waited_for(robot):
    slow = ExcitationGoal(family="bezier", duration=5.0, speed_scale=0.6, time_budget=5.0, seed=3)
    handle, future, feedback = robot.begin(PlanAction, "plan", goal=slow)
    robot.observer.wait(lambda: feedback, "planning")
    begin = time.monotonic()
    handle.cancel_goal_async()
    result, status = robot.result(future)
    assert time.monotonic() - begin < 2.0
    assert status == CANCELED and not result.success
    assert robot.plan().success  # once the one before is made


ONE = {"one_motion": True, "goal": GOAL, "requested_by": "Ada"}
NARROW = [0.05, *[float("inf")] * 9]


def known(half_width, status=PayloadEstimate.GOOD):
    """Return an estimate around the truth, within what motions are certified for."""
    truth, (least, most) = np.array(PAYLOAD), PayloadPrior(1.5, 0.15).box()
    lower, upper = np.maximum(truth - half_width, least), np.minimum(truth + half_width, most)
    return PayloadEstimate(status=status, phi=truth, message="It is so.", lower=lower, upper=upper)


def identifying(robot, **fields):
    """Have a payload identified; return once the arm moves."""
    robot.estimates.asked.clear()
    start = robot.q
    handle, future, feedback = robot.begin(Identify, "identify", **ONE | fields)
    moved = lambda: np.abs(robot.q - start).max() > 0.02  # noqa: E731
    robot.observer.wait(lambda: future.done() or moved(), "motion or refusal")
    assert not future.done(), future.result().result.message
    return handle, future, feedback


def test_identify_goes_from_the_check_to_the_saved_run_and_rejects_others_meanwhile(robot):
    rejected = robot.observer.listen(String, f"{PLANNER}/refusal", LATCHED)
    _, future, feedback = identifying(robot, known_mass=[0.8, 0.05])
    robot.estimates.publish(known(0.01))
    other, _, _ = robot.begin(Identify, "identify", requested_by="Bob")
    assert not other.accepted
    robot.observer.wait(lambda: rejected, "why it was rejected")
    assert "Bob" in rejected[-1].data and "for Ada" in rejected[-1].data
    assert not robot.plan().success  # nor does anybody else get the arm
    result, status = robot.result(future)
    assert status == SUCCEEDED and result.error_code == Identify.Result.NONE, result.message
    assert result.success and result.at_rest and result.validated and result.saved
    assert result.reason.code == StopReason.COMPLETED and result.estimate == known(0.01)
    assert robot.estimates.asked == ["begin", "hold_out", "stop", "validate", "save"]
    assert robot.estimates.known_mass == [0.8, 0.05] and not robot.estimates.running
    progress = [told.progress for told in feedback]
    assert progress == sorted(progress) and progress[-1] > 0.5
    states = [told.state for told in feedback]
    assert states == sorted(states) and Identify.Feedback.EXCITING in states
    assert all(0.0 < told.worst_margin < 1.0 and told.worst for told in feedback if told.tube_use)


def test_identify_that_is_cancelled_rests_and_solves_what_there_is(robot):
    handle, future, _ = identifying(robot)
    robot.estimates.publish(known(0.1))
    handle.cancel_goal_async()
    result, status = robot.result(future)
    assert status == CANCELED and result.error_code == Identify.Result.CANCELLED and result.at_rest
    assert result.estimate == known(0.1) and "0.8" in result.message and result.saved
    assert "stop" in robot.estimates.asked


def test_identify_stops_the_arm_where_the_estimator_has_begun_anew(robot):
    _, future, _ = identifying(robot, goal=slow_goal())
    robot.estimates.running = False
    robot.estimates.tell()
    result, status = robot.result(future)
    assert status == ABORTED and result.error_code == Identify.Result.ESTIMATOR_LOST
    assert result.at_rest and "started anew" in result.message, result.message


def test_identify_begins_no_motion_where_the_estimator_was_killed_while_it_was_planned(robot):
    """Its services seem to be there for as long as the middleware waits for it."""
    start = robot.q
    _, future, feedback = robot.begin(Identify, "identify", **ONE)
    planning = Identify.Feedback.PLANNING
    robot.observer.wait(lambda: any(told.state == planning for told in feedback), "planning")
    robot.estimates.killed = True
    try:
        result, status = robot.result(future)
    finally:
        robot.estimates.killed = False
        again = time.monotonic() + 1.0  # it says how it is every 0.5 s
        robot.observer.wait(lambda: time.monotonic() > again, "the estimator")
    assert status == ABORTED and result.error_code == Identify.Result.ESTIMATOR_LOST
    assert "Nothing was heard of the estimator" in result.message, result.message
    assert np.abs(robot.q - start).max() < 1e-3


def slow_goal():
    """Return a goal whose motion takes long enough to be ended."""
    return ExcitationGoal(family="bezier", duration=5.0, speed_scale=0.6, time_budget=0.6, seed=3)


def test_intervals_of_an_estimator_that_is_gone_are_not_planned_with_or_followed(robot):
    waiting = PayloadEstimate(status=PayloadEstimate.WAITING)
    robot.observer.wait(robot.is_at_rest, "an arm at rest")  # an estimate grows old meanwhile
    robot.estimates.publish(known(0.05))
    robot.planned()
    robot.estimates.publish(known(0.05))  # planning may have taken long
    robot.estimates.vanish()
    time.sleep(0.5)  # until the planner has heard of it
    try:
        _, future, _ = robot.begin()
        result, status = robot.result(future)
        assert status == ABORTED and "is gone" in result.message
        assert "is gone" in robot.plan().message
        assert robot.plan(intervals=ExcitationGoal.INTERVALS_PRIOR).success
    finally:
        robot.estimates.return_to(waiting)


@pytest.mark.parametrize(
    ("fields", "code", "words"),
    [
        ({"known_mass": [2.0, 0.1]}, "INVALID_GOAL", "prior allows 1.5 kg"),
        ({"goal": ExcitationGoal(family="spline")}, "INVALID_GOAL", "spline"),
        ({"goal": ExcitationGoal(limits="no such")}, "INVALID_GOAL", "limit set 'no such'"),
        ({"tare": Identify.Goal.TARE_REQUIRED}, "NOT_TARED", "TARE_ONLY"),
        (
            {"start_positions": [0.0, 0.4, 0.0, 100.0, 0.0, 1.0, 0.0]},
            "INVALID_GOAL",
            "has 100 for joint_4",
        ),
    ],
)
def test_identify_refuses_what_cannot_be_before_anything_moves(robot, fields, code, words):
    robot.commands.clear()
    _, future, _ = robot.begin(Identify, "identify", **ONE | fields)
    result, status = robot.result(future)
    assert status == ABORTED and result.error_code == getattr(Identify.Result, code)
    assert words in result.message and not robot.commands and not robot.estimates.running
    assert result.at_rest


def test_identify_wants_a_recording_unless_it_is_told_otherwise(robot):
    robot.estimates.begun.recording = ""
    _, future, _ = robot.begin(Identify, "identify", **ONE)
    result, _ = robot.result(future)
    robot.estimates.begun.recording = "/a/recording"
    assert result.error_code == Identify.Result.NOT_RECORDED and "parameter bag" in result.message


# The last one: the arm stays behind the clock.
def test_an_arm_that_falls_silent_is_held_and_does_not_begin_while_its_clock_is_behind(robot):
    answer = robot.observer.call(Trigger, f"{PLANNER}/stop")
    assert not answer.success and "Nothing moves" in answer.message
    # Longer than the middleware takes to repeat a request that a stopped process did not hear.
    robot.planned(duration=8.0)
    _, future, _ = robot.execute_until()
    robot.commands.clear()
    robot.arm.process.send_signal(signal.SIGSTOP)
    stopped = time.monotonic()
    try:
        result, status = robot.result(future)
    finally:
        time.sleep(max(0.0, stopped + CLOCK_TOLERANCE + 3.0 - time.monotonic()))
        robot.arm.process.send_signal(signal.SIGCONT)
    assert status == ABORTED and result.reason.code == StopReason.JOINT_STATES_LOST
    assert not result.at_rest  # nobody has seen it rest
    robot.observer.wait(lambda: robot.commands, "the hold")  # taken once the arm goes on
    assert len(robot.commands) == 1 and not robot.commands[0].points
    robot.observer.diagnosis("JOINT_STATES_LOST")
    assert "~/acknowledge" in robot.plan().message
    assert robot.acknowledge().success
    robot.observer.wait(  # the simulated arm's clock has stood still meanwhile; first it seems late
        lambda: "behind the clock" in robot.plan().message, "a clock that is behind"
    )
