"""Whatever goes wrong in motion, the arm comes to rest in time, where a certificate says, and why.

After a fault nothing is commanded until somebody has looked at it.
Every test has its motion begin on the robot that the one before has left, put right.
"""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from action_msgs.srv import CancelGoal
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTrajectoryControllerState
from controller_manager_msgs.srv import SwitchController
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from payload_id_msgs.action import Execute
from payload_id_msgs.msg import BridgeState, PayloadEstimate
from payload_id_msgs.srv import SetObstacles
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from .moving_robot import (
    ABORTED,
    ACTION,
    ARM,
    BRIDGE,
    CANCELED,
    CONTROLLER,
    KNUCKLE,
    LATE,
    OF_BRIDGE,
    PAYLOAD,
    PLANNER,
    SILENCE,
    STILL,
    SUCCEEDED,
    TRAJECTORY,
    Certificate,
    MovingRobot,
    aside,
    ball,
    fastest,
    moving_robot,
    name_of,
    seconds,
    shifted,
)

pytestmark = pytest.mark.slow  # nodes in real time

LONG, SHORT = 4.0, 0.8  # [s]: of the motions; no fault below comes later than 0.7 s into the first
TUBE = 0.02  # [rad], of the Gen3's robot file
BUSY = 1.0  # [s] that machine and network may take beside what is stated
HOLD = 0.02 + 0.1  # [s] until an arm that is held stands, from the message that says so
REACTION = OF_BRIDGE["reaction"]


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MovingRobot]:
    with moving_robot(tmp_path_factory.mktemp("faults")) as robot:
        for name, duration in (("long", LONG), ("short", SHORT)):
            robot.certificates[name] = Certificate.of(robot.planned(duration=duration))
        yield robot


def begin(robot: MovingRobot, name: str = "long") -> tuple[Any, Any]:
    """Have a motion begin; return handle and future once the arm has moved a little."""
    for _ in range(3):
        robot.put_right()
        robot.go_to(robot.home)
        robot.commands.clear()
        robot.name, robot.first, start = name, len(robot.driver.states), robot.q
        handle, future = robot.move(name)
        if moves_from(robot, start, future):
            return handle, future
    raise AssertionError(future.result().result.message)


def moves_from(robot: MovingRobot, start: np.ndarray, future: Any) -> bool:
    """Wait until the arm has moved a little; return whether it has, or the machine is too busy."""
    moves = lambda: robot.commands and np.abs(robot.q - start).max() > 0.01  # noqa: E731
    robot.observer.wait(lambda: future.done() or moves(), "motion")
    if not future.done():
        return True
    result = future.result().result
    busy = (
        "did not answer a goal within 0.5 s",
        "No joint states for",
        "No sensor_msgs/msg/JointState",
    )
    assert any(words in result.message for words in busy), result.message
    return False


def holds(robot: MovingRobot) -> list[Any]:
    return [x for x in robot.commands if not x.points]


def is_held(robot: MovingRobot) -> None:
    robot.observer.wait(lambda: holds(robot), "the hold")


@contextmanager
def takes(least: float) -> Iterator[None]:
    """Check that something takes a time [s], but for what may have passed before."""
    begin = time.monotonic()
    yield
    assert time.monotonic() - begin > least - 0.15


def rest_after(robot: MovingRobot, cause: float) -> float:
    """Return how long after a time the arm came to rest, by its own states [s]."""
    robot.observer.wait(robot.is_still, "an arm at rest")
    moving = [x for x in robot.driver.states[robot.first :] if fastest(x) >= STILL]
    return seconds(moving[-1].header.stamp) - cause if moving else 0.0


def begun_at(robot: MovingRobot) -> float:
    """Return when the motion was commanded to begin, by the arm's clock [s]."""
    return seconds(robot.commands[0].header.stamp)


def followed(robot: MovingRobot, command: Any, leaves: float, ramp: float) -> np.ndarray:
    """Check that points are those of the certified motion, or its stop; return the last place."""
    offset = seconds(command.header.stamp) - begun_at(robot)
    time = np.array([offset + seconds(x.time_from_start) for x in command.points])
    expected = robot.certificates[robot.name].stopped(leaves, ramp, time)
    for kind, values in zip(("positions", "velocities", "accelerations"), expected, strict=True):
        given = np.array([getattr(x, kind) for x in command.points])
        assert np.abs(given - values).max() < 1e-6, kind
    assert abs(time[-1] - min(leaves + ramp, robot.certificates[robot.name].duration)) < 1e-6
    assert np.diff(time).max() < 0.0101  # [s]: what point_rate says
    return expected[0][-1]


def only_the_motion(robot: MovingRobot) -> None:
    """Check that what was commanded first is the whole certified motion, up to rest."""
    assert [list(x.joint_names) for x in robot.commands if x.points][0] == robot.joints
    followed(robot, robot.commands[0], np.inf, 1.0)


def off_path(robot: MovingRobot) -> float:
    """Return how far the arm is from its path, as a part of the tube."""
    certificate = robot.certificates[robot.name]
    path = certificate.at(np.linspace(0.0, certificate.duration, 400))[0]
    return float((np.abs(path - robot.q) / certificate.tube).max(axis=1).min())


def ended(robot: MovingRobot, future: Any, reason: str, *words: str, status: int = ABORTED) -> Any:
    """Return how a motion ended: for a reason, which is said."""
    result, found = robot.observer.result(future)
    said = f"{name_of(result.reason)}: {result.message}"
    assert said.startswith(f"{reason}: ") and found == status, said
    for word in words:
        assert word in result.message and word in result.reason.sentence, said
    assert not result.success
    return result


def nothing_until_acknowledged(robot: MovingRobot, reason: str) -> None:
    count = len(robot.commands)
    robot.observer.wait(lambda: robot.state.fault.startswith(f"{reason}: "), f"the fault {reason}")
    assert robot.state.state == BridgeState.FAULT
    for how in (lambda: True, lambda: not robot.acknowledge(" ").success):
        assert how()
        refused, status = robot.observer.result(robot.move("short")[1])
        assert status == ABORTED and name_of(refused.reason) == "REFUSED" and not refused.begun
        assert "~/acknowledge" in refused.message and reason in refused.message
    assert len(robot.commands) == count and robot.is_still()
    robot.driver.mend()
    answer = robot.acknowledge()
    assert answer.success and reason in answer.message
    robot.observer.wait(lambda: robot.state.state == BridgeState.IDLE, "an arm that may move")
    assert not robot.state.fault


def held(
    robot: MovingRobot, future: Any, reason: str, *words: str, cause: float, within: float = 0.0,
) -> Any:  # fmt: skip
    """Check all that follows from a fault.

    Args:
        robot: The robot.
        future: Of the motion's result.
        reason: That it must have.
        words: That its sentence must have.
        cause: When it could be known first, by the arm's clock [s].
        within: Time after that until which it may be unknown [s].
    """
    result = ended(robot, future, reason, *words)
    assert rest_after(robot, cause) < within + HOLD + BUSY
    only_the_motion(robot)
    assert not any(x.points for x in robot.commands[1:])  # not even a stop
    assert holds(robot) and off_path(robot) < 1.0
    nothing_until_acknowledged(robot, reason)
    return result


def stopped(
    robot: MovingRobot, future: Any, reason: str, *words: str, cause: float, within: float = 0.0,
    status: int = ABORTED, kept: bool = False,
) -> Any:  # fmt: skip
    """Check all that follows from what ends a motion on its path; see `held`."""
    result = ended(robot, future, reason, *words, status=status)
    assert result.begun and result.at_rest and 0.0 < result.largest_tube_use < 1.0
    certificate = robot.certificates[robot.name]
    assert rest_after(robot, cause) < within + certificate.longest_stop + BUSY
    only_the_motion(robot)
    assert len(robot.commands) == 2, "one command: the certified stop"
    stop, known = robot.commands[1], cause - begun_at(robot)
    last = seconds(stop.header.stamp) - begun_at(robot) + seconds(stop.points[-1].time_from_start)
    near = [x for x in certificate.timings() if abs(sum(x) - last) < 1e-6]
    assert near, f"no certified stop ends {last:.3f} s after the beginning"
    leaves, ramp = near[0]
    assert leaves > known + REACTION - 0.05, "the controller takes it up before it leaves"
    others = [t for t, _ in certificate.timings() if known + within + REACTION + BUSY < t < leaves]
    assert not others, "a stop was left out"
    place = followed(robot, stop, leaves, ramp)
    assert (np.abs(robot.q - place) < certificate.tube).all()
    if kept:
        nothing_until_acknowledged(robot, reason)
    else:
        assert not robot.state.fault
    return result


def test_a_motion_without_a_fault_ends_where_its_certificate_says(robot):
    _, future = begin(robot, "short")
    other, _ = robot.observer.result(robot.move("long")[1])  # one motion at a time
    assert not other.begun and "in use" in other.message
    # It begins elsewhere than where that one is then.
    refused, _ = robot.observer.result(robot.move("long", continues="short", after=0.75)[1])
    assert not refused.success and not refused.begun
    result, status = robot.observer.result(future)
    assert status == SUCCEEDED and result.success and result.at_rest and result.begun
    assert name_of(result.reason) == "COMPLETED" and 0.0 < result.largest_tube_use < 1.0
    only_the_motion(robot)
    end = robot.certificates["short"].at(np.array([SHORT]))[0][0]
    assert len(robot.commands) == 1 and np.allclose(result.state.holding, end)
    assert (np.abs(robot.q - end) < robot.certificates["short"].tube).all()
    assert rest_after(robot, begun_at(robot)) < SHORT + BUSY


# What leads to a certified stop.


def test_a_goal_that_is_cancelled(robot):
    handle, future = begin(robot)
    cause = robot.now
    handle.cancel_goal_async()
    stopped(robot, future, "CANCELLED", cause=cause, status=CANCELED)


def test_the_service_that_ends_a_motion(robot):
    _, future = begin(robot)
    cause = robot.now
    assert robot.observer.call(Trigger, f"{BRIDGE}/stop").success
    stopped(robot, future, "CANCELLED", "~/stop", cause=cause)
    assert not robot.observer.call(Trigger, f"{BRIDGE}/stop").success  # nothing moves


def test_a_stop_before_the_start_moves_nothing(robot):
    robot.go_to(robot.home)
    robot.commands.clear()
    handle, future = robot.move("long")
    handle.cancel_goal_async()
    result, status = robot.observer.result(future)
    assert name_of(result.reason) == "CANCELLED" and status == CANCELED, result.message
    assert result.at_rest and np.abs(robot.q - robot.home).max() < 0.02
    assert not any(x.points for x in robot.commands[1:]) and not robot.state.fault


def say(robot, status, lower, upper, message=""):
    found = PayloadEstimate(status=status, message=message)
    found.lower, found.upper = np.array(PAYLOAD) + lower, np.array(PAYLOAD) + upper
    robot.say(found)


def test_an_estimate_that_no_payload_explains(robot):
    _, future = begin(robot)
    cause = robot.now
    robot.say(PayloadEstimate(status=PayloadEstimate.INCONSISTENT, message="joint_2 slips"))
    stopped(robot, future, "ESTIMATE_INCONSISTENT", "joint_2 slips", cause=cause)
    refused, _ = robot.observer.result(robot.move("long")[1])
    assert not refused.begun and "joint_2 slips" in refused.message


def test_an_estimate_whose_intervals_leave_the_certified_ones(robot):
    _, future = begin(robot)
    say(robot, PayloadEstimate.GOOD, -1e-3, 1e-3)  # within them
    cause = robot.now
    say(robot, PayloadEstimate.TOO_WIDE, 0.0, 1.0 * (np.arange(10) == 0))  # 1.8 kg, 1.5 certified
    stopped(robot, future, "INTERVALS_LEFT", cause=cause)


def test_a_motion_is_not_continued_by_one_for_another_payload(robot):
    box = json.loads(robot.certificates["long"].motion)["box"]
    lower, upper = [0.7, *box["payload_lower"][1:]], [0.9, *box["payload_upper"][1:]]
    narrow = robot.planned(duration=1.0, intervals=2, phi_lower=lower, phi_upper=upper)
    robot.certificates["narrow"] = Certificate.of(narrow)
    handle, future = begin(robot)
    say(robot, PayloadEstimate.GOOD, 0.0, 0.2 * (np.arange(10) == 0))  # up to 1 kg

    def refused() -> bool:
        assert not future.done()
        _, continued = robot.move("narrow", continues="long", after=3.5)
        return "another payload" in robot.observer.result(continued)[0].message

    robot.observer.wait(refused, "a refusal for the payload")
    assert len(robot.commands) == 1
    handle.cancel_goal_async()
    robot.observer.result(future)


def test_an_obstacle_that_the_certificate_does_not_know(robot):
    _, future = begin(robot)
    assert robot.set_obstacles(SetObstacles.Request.REPLACE).success  # no change
    cause = robot.now
    assert robot.set_obstacles(SetObstacles.Request.ADD, ball()).ids == ["ball"]
    stopped(robot, future, "OBSTACLES_CHANGED", cause=cause)
    refused, _ = robot.observer.result(robot.move("long")[1])
    assert not refused.begun and "obstacles" in refused.message


@pytest.mark.parametrize("radius", [0.1, float("nan")], ids=["seen", "unusable"])
def test_what_perception_says_in_motion(robot, radius):
    _, future = begin(robot)
    robot.driver.obstacles, cause = [ball(radius=radius)], robot.now
    words = "changed" if radius > 0.0 else "cannot be used"
    stopped(robot, future, "OBSTACLES_CHANGED", words, cause=cause, within=0.1)


def test_perception_that_falls_silent(robot):
    _, future = begin(robot)
    robot.driver.obstacles, cause = None, robot.now
    with takes(LATE):
        robot.observer.wait(lambda: len(robot.commands) > 1, "a stop")
    stopped(robot, future, "OBSTACLES_CHANGED", " s old", cause=cause, within=LATE)


def test_an_enabling_device_that_is_let_go_for_a_moment(robot):
    with robot.publisher(Bool, "/enable") as say_once:
        _, future = begin(robot)
        cause = robot.now
        say_once(Bool(data=False))
        say_once(Bool(data=True))  # before the next look at it, mostly
        stopped(robot, future, "NOT_ENABLED", "/enable", cause=cause)


def test_an_enabling_device_that_is_not_heard(robot):
    _, future = begin(robot)
    robot.driver.enabled, cause = None, robot.now
    with takes(LATE):
        robot.observer.wait(lambda: len(robot.commands) > 1, "a stop")
    stopped(robot, future, "NOT_ENABLED", "/enable", cause=cause, within=LATE)


def test_motion_that_is_switched_off(robot):
    _, future = begin(robot)
    cause = robot.now
    robot.set(BRIDGE, allow_motion=False)
    stopped(robot, future, "NOT_ENABLED", "allow_motion", cause=cause)


def test_a_torque_at_which_the_arm_itself_would_stop_is_kept(robot):
    def spoil(message):
        message.effort[1] = -45.5  # the driver counts against the joints
        return message

    _, future = begin(robot)
    robot.driver.spoil, cause = spoil, robot.now
    stopped(robot, future, "EFFORT_HIGH", "joint_2", "45.5", cause=cause, kept=True)


# What has the arm held.


def test_an_arm_that_is_seen_outside_its_tube(robot):
    _, future = begin(robot)
    robot.driver.spoil = aside(3, 0.5 * TUBE)  # within it
    robot.observer.wait(lambda now=robot.now: robot.now > now + 0.1, "joint states")
    assert not future.done() and len(robot.commands) == 1
    robot.driver.spoil, cause = (
        aside(3, 0.9 * TUBE),
        robot.now,
    )  # beyond it with its encoder's error
    result = held(robot, future, "TUBE_LEFT", "joint_4", cause=cause)
    assert result.begun and 1.0 < result.largest_tube_use < 2.5


def test_an_arm_that_is_seen_outside_its_tube_once(robot):
    def once(message):
        robot.driver.spoil = lambda message: message
        return aside(5, -0.1)(message)

    _, future = begin(robot)
    robot.driver.spoil, cause = once, robot.now
    held(robot, future, "TUBE_LEFT", "joint_6", cause=cause)


def test_an_arm_that_is_pushed(robot):
    _, future = begin(robot)
    robot.set(ARM, push=[60.0])
    robot.observer.wait(lambda: holds(robot) or future.done(), "the hold")
    robot.set(ARM, push=[0.0])
    ended(robot, future, "TUBE_LEFT")
    robot.observer.wait(robot.is_still, "an arm that has swung back")
    only_the_motion(robot)
    assert not any(x.points for x in robot.commands[1:])
    nothing_until_acknowledged(robot, "TUBE_LEFT")


def test_a_controller_that_finds_itself_outside_the_tube(robot):
    topic = f"/{CONTROLLER}/controller_state"
    with robot.publisher(JointTrajectoryControllerState, topic) as say:
        _, future = begin(robot)
        message = JointTrajectoryControllerState(joint_names=robot.joints)
        message.header.stamp.sec = robot.driver.states[-1].header.stamp.sec + 1  # of the motion
        message.error.positions = [0.0, 0.0, 0.0, 0.0, 0.5 * TUBE, 0.0, 0.0]
        say(message)
        message.error.positions = [0.0, 0.0, 0.0, 0.0, 1.5 * TUBE, 0.0, 2 * np.pi]
        cause = robot.now
        often = robot.observer.node.create_timer(0.01, lambda: say(message))  # as the true one does
        is_held(robot)
        robot.observer.node.destroy_timer(often)
        held(robot, future, "TUBE_LEFT", "joint_5", "controller", cause=cause)


def test_an_arm_that_is_late_on_its_path(robot):
    late = 15  # joint states

    def spoil(message):
        then = robot.driver.states[-1 - late]
        message.position, message.velocity = np.array(then.position), np.array(then.velocity)
        return message

    _, future = begin(robot)
    robot.observer.wait(lambda: robot.now > begun_at(robot) + 1.0, "speed")
    robot.driver.spoil, cause = spoil, robot.now
    is_held(robot)
    robot.driver.mend()
    held(robot, future, "BEHIND", "s late", cause=cause, within=0.15)


def test_an_arm_that_rests_elsewhere_than_at_its_end(robot):
    _, future = begin(robot, "short")
    robot.observer.wait(lambda: robot.now > begun_at(robot) + SHORT, "the end")
    robot.driver.spoil = aside(1, 0.05)
    result = ended(robot, future, "TUBE_LEFT", "joint_2")
    assert result.at_rest or holds(robot)
    only_the_motion(robot)
    nothing_until_acknowledged(robot, "TUBE_LEFT")


def test_an_arm_that_nobody_sees_rest(robot):
    _, future = begin(robot, "short")
    robot.observer.wait(lambda: robot.now > begun_at(robot) + SHORT, "the end")
    robot.driver.spoil = lambda message: None
    result = ended(robot, future, "JOINT_STATES_LOST", "until the arm rests")
    assert not result.at_rest
    robot.driver.mend()
    nothing_until_acknowledged(robot, "JOINT_STATES_LOST")


def no_numbers(message):
    message.position = np.full(len(message.position), np.nan)
    return message


@pytest.mark.parametrize("spoil", [lambda message: None, no_numbers], ids=["none", "unusable"])
def test_joint_states_that_fail_to_come(robot, spoil):
    _, future = begin(robot)
    robot.driver.spoil, cause = spoil, robot.now
    with takes(SILENCE):
        is_held(robot)
    robot.driver.mend()
    held(robot, future, "JOINT_STATES_LOST", "No joint states", cause=cause, within=SILENCE)


def clocks(robot: MovingRobot, kind: str) -> Callable[[Any], Any]:
    frozen = robot.driver.states[-1].header.stamp

    def spoil(message):
        if kind == "frozen":
            message.header.stamp = frozen
        else:
            shifted(message.header.stamp, {"ahead": 3600.0, "behind": -3600.0}[kind])
        return message

    return spoil


@pytest.mark.parametrize("kind", ["ahead", "behind", "frozen"])
def test_stamps_that_do_not_go_with_the_clock(robot, kind):
    _, future = begin(robot)
    robot.driver.spoil, cause = clocks(robot, kind), robot.now
    is_held(robot)
    robot.driver.mend()
    held(robot, future, "CLOCK_FAULT", "stamp", cause=cause, within=0.25)
    robot.observer.wait(lambda now=robot.now: robot.now > now + 0.5, "stamps as they should be")


def test_a_trajectory_of_somebody_else(robot):
    _, future = begin(robot)
    with robot.publisher(JointTrajectory, TRAJECTORY, listeners=2) as command:
        there = JointTrajectoryPoint(positions=robot.q + 0.01)
        shifted(there.time_from_start, 0.4)
        cause = robot.now
        command(JointTrajectory(joint_names=robot.joints, points=[there]))
        ended(robot, future, "FOREIGN_COMMAND")
        assert rest_after(robot, cause) < HOLD + BUSY and holds(robot)
        only_the_motion(robot)
        assert sum(bool(x.points) for x in robot.commands) <= 2  # the arm hears as best effort
        nothing_until_acknowledged(robot, "FOREIGN_COMMAND")
        refused, _ = robot.observer.result(robot.move("short")[1])
        assert not refused.begun and TRAJECTORY in refused.message  # he may do so again
    robot.observer.wait(lambda: not robot.observer.node.count_publishers(TRAJECTORY), "nobody")


def test_a_goal_of_somebody_else(robot):
    _, future = begin(robot)
    there = JointTrajectoryPoint(positions=robot.q)
    shifted(there.time_from_start, 3.0)
    path = JointTrajectory(joint_names=robot.joints, points=[there])
    cause = robot.now
    handle, other, _ = robot.observer.goal(FollowJointTrajectory, ACTION, trajectory=path)
    assert handle.accepted
    ended(robot, future, "FOREIGN_COMMAND")
    assert rest_after(robot, cause) < HOLD + BUSY
    assert robot.observer.result(other)[1] == CANCELED  # it is held, whoever commands
    nothing_until_acknowledged(robot, "FOREIGN_COMMAND")


def test_a_goal_that_somebody_else_cancels(robot):
    _, future = begin(robot)
    cause = robot.now
    robot.observer.call(CancelGoal, f"{ACTION}/_action/cancel_goal")  # every goal
    held(robot, future, "FOREIGN_COMMAND", cause=cause)


def switch(robot: MovingRobot, off: str = "", on: str = "") -> None:
    answer = robot.observer.call(
        SwitchController, "/controller_manager/switch_controller",
        strictness=SwitchController.Request.STRICT,
        deactivate_controllers=off.split(), activate_controllers=on.split(),
    )  # fmt: skip
    assert answer.ok, answer.message


def test_a_controller_that_is_switched_away(robot):
    _, future = begin(robot)
    cause = robot.now
    switch(robot, off=CONTROLLER)
    ended(robot, future, "CONTROLLER_INACTIVE")
    assert rest_after(robot, cause) < HOLD + BUSY and off_path(robot) < 1.0
    only_the_motion(robot)
    nothing_until_acknowledged(robot, "CONTROLLER_INACTIVE")
    refused, _ = robot.observer.result(robot.move("short")[1])
    assert not refused.begun and f"--activate {CONTROLLER}" in refused.message
    switch(robot, on=CONTROLLER)


def test_another_controller_that_claims_the_joints(robot):
    other = "forward_effort_controller"
    _, future = begin(robot)
    cause = robot.now
    switch(robot, on=other)
    try:
        ended(robot, future, "FOREIGN_COMMAND", other)
        assert rest_after(robot, cause) < 1.0 + HOLD + BUSY and off_path(robot) < 1.0
        robot.acknowledge()
        refused, _ = robot.observer.result(robot.move("short")[1])
        assert not refused.begun and f"--deactivate {other}" in refused.message
    finally:
        switch(robot, off=other)
    robot.observer.wait(lambda: robot.is_still(), "an arm at rest")


def test_a_driver_in_fault(robot):
    _, future = begin(robot)
    cause = robot.now
    robot.set(ARM, fault=True)
    ended(robot, future, "DRIVER_FAULT", "/driver/fault", "/driver/reset_fault")
    assert rest_after(robot, cause) < HOLD + BUSY and off_path(robot) < 1.0
    only_the_motion(robot)
    assert not any(x.points for x in robot.commands[1:])
    robot.observer.wait(lambda: robot.state.fault, "the fault")
    assert robot.acknowledge().success
    refused, _ = robot.observer.result(robot.move("short")[1])  # it is in fault still
    assert not refused.begun and "/driver/reset_fault" in refused.message


def test_a_driver_that_is_in_fault_for_a_moment(robot):
    with robot.publisher(Bool, "/driver/fault") as say:
        _, future = begin(robot)
        cause = robot.now
        say(Bool(data=True))
        say(Bool(data=False))
        held(robot, future, "DRIVER_FAULT", "/driver/fault", cause=cause)


@pytest.mark.parametrize("place", [KNUCKLE + 0.03, None], ids=["off", "lost"])
def test_a_finger_that_leaves_its_place_or_is_not_heard(robot, place):
    _, future = begin(robot)
    robot.driver.finger, cause = place, robot.now
    within = LATE if place is None else 0.0
    with takes(within):
        is_held(robot)
    held(robot, future, "PASSIVE_JOINT_OFF", "knuckle", cause=cause, within=within)


def test_a_fault_during_a_stop(robot):
    handle, future = begin(robot)
    beside, speeds = aside(3, 0.1), [fastest(robot.driver.states[-1])]

    def once_it_slows(message: JointState) -> JointState:
        speeds.append(fastest(message))
        return beside(message) if speeds[-1] < 0.9 * max(speeds) else message

    robot.driver.spoil = once_it_slows
    handle.cancel_goal_async()
    result, status = robot.observer.result(future)
    assert name_of(result.reason) == "CANCELLED" and status == CANCELED
    assert "TUBE_LEFT" in result.message and "joint_4" in result.message
    robot.observer.wait(robot.is_still, "an arm at rest")
    commanded = lambda: [bool(x.points) for x in robot.commands]  # noqa: E731
    robot.observer.wait(lambda: commanded() == [True, True, False], "the hold")
    nothing_until_acknowledged(robot, "TUBE_LEFT")


# Who dies.


def transition(robot: MovingRobot, label: str) -> Any:
    service, wanted = f"{BRIDGE}/change_state", Transition(label=label)
    return robot.observer.call(ChangeState, service, transition=wanted)


def test_a_bridge_that_is_deactivated(robot):
    _, future = begin(robot)
    cause = robot.now
    assert transition(robot, "deactivate").success
    stopped(robot, future, "SHUT_DOWN", cause=cause)
    refused, _ = robot.observer.result(robot.move("short")[1])
    assert not refused.begun and "activate" in refused.message
    assert transition(robot, "activate").success
    robot.observer.wait(lambda: not robot.state.detail.startswith("The node"), "an active bridge")


def ends(robot: MovingRobot, number: int) -> int:
    """Send the bridge a signal; return its exit code once it has ended."""
    robot.bridge.process.send_signal(number)
    robot.observer.wait(lambda: not robot.bridge.alive, "the bridge's end")
    return int(robot.bridge.process.returncode)


def anew(robot: MovingRobot) -> None:
    robot.bridge_states.clear()
    robot.bridge = robot.start_bridge()
    robot.observer.wait(lambda: robot.bridge_states, "a bridge")


def test_a_driver_that_is_killed(robot):
    _, future = begin(robot)
    robot.arm.process.kill()
    robot.arm.process.wait()
    count = len(robot.driver.states)
    robot.arm = robot.start_arm()
    result, status = robot.observer.result(future)
    reason = name_of(result.reason)
    assert reason in ("JOINT_STATES_LOST", "CONTROLLER_FAULT"), result.message
    assert status == ABORTED and not any(x.points for x in robot.commands[1:])
    robot.observer.wait(lambda: len(robot.driver.states) > count + 50, "a driver")
    nothing_until_acknowledged(robot, reason)


def executed(robot: MovingRobot) -> Any:
    """Have the planner plan and execute a motion; return the future once the arm moves."""
    robot.go_to(robot.home)
    plan = robot.planned(duration=1.5)
    robot.certificates["planned"] = Certificate.of(plan)
    robot.commands.clear()
    robot.name, robot.first, start = "planned", len(robot.driver.states), robot.q
    asked: list[Any] = []

    def goes() -> bool:
        named = {"plan_id": plan.plan_id, "token": plan.token}
        asked.append(robot.observer.goal(Execute, f"{PLANNER}/execute", **named)[1])
        return moves_from(robot, start, asked[-1])

    robot.observer.wait(goes, "an arm that moves", 20.0)
    return asked[-1]


def ends_where_it_should(robot: MovingRobot) -> None:
    assert rest_after(robot, begun_at(robot)) < 1.5 + BUSY
    only_the_motion(robot)
    certificate = robot.certificates["planned"]
    end = certificate.at(np.array([1.5]))[0][0]
    assert len(robot.commands) == 1 and (np.abs(robot.q - end) < certificate.tube).all()


def test_a_bridge_that_is_killed(robot):
    future = executed(robot)
    assert ends(robot, signal.SIGKILL) != 0
    ends_where_it_should(robot)
    result, status = robot.observer.result(future)
    assert name_of(result.reason) == "BRIDGE_LOST" and status == ABORTED, result.message
    anew(robot)
    assert robot.state.state == BridgeState.FAULT
    assert "ended while the arm moved" in robot.state.fault
    assert list((robot.folder / "ros_home" / "payload_id").glob("fault_*.json"))
    assert not robot.acknowledge(" ").success and robot.acknowledge().success
    robot.observer.wait(lambda: not robot.state.fault, "no fault")


def test_a_planner_that_is_killed(robot):
    executed(robot)
    robot.planner.process.kill()
    ends_where_it_should(robot)
    robot.observer.wait(lambda: robot.state.state == BridgeState.IDLE, "the end of the motion")
    end = robot.certificates["planned"].at(np.array([1.5]))[0][0]
    assert not robot.state.fault and np.allclose(robot.state.holding, end)


def test_a_bridge_that_a_signal_ends(robot):
    _, future = begin(robot)
    cause = robot.now
    assert ends(robot, signal.SIGTERM) == 0
    stopped(robot, future, "SHUT_DOWN", cause=cause)
    remembered = (robot.folder / "ros_home" / "payload_id").glob("fault_*.json")
    assert not list(remembered)  # nobody needs to look at it
