"""The bridge as a black box: what it follows, what it refuses, whoever asks."""

from __future__ import annotations

import signal
from pathlib import Path

import numpy as np
import pytest
from payload_id_msgs.action import Move
from payload_id_msgs.msg import BridgeState, PayloadEstimate, StopReason
from payload_id_msgs.srv import ExtendMotion, PrepareMotion
from rclpy.action import ActionClient

from harness import LATCHED, NodeProcess
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.ros.bridge.parameters import BRIDGE_TABLE
from payload_id.ros.common.joint_trajectory_message import trajectory_from_message
from planned_robot import (
    ABORTED,
    BRIDGE,
    PARAMETERS,
    ROBOT,
    PlannedRobot,
    parameters_of,
)
from ros_domain import next_domain

pytestmark = pytest.mark.slow  # nodes in real time

TOLERANCE = 60.0  # [s]: clocks are no matter here, and the arm falls behind on a busy machine
DOMAIN = next_domain()


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    robot = PlannedRobot(tmp_path_factory.mktemp("bridge"), DOMAIN, clock_tolerance=TOLERANCE)
    robot.state = robot.observer.listen(BridgeState, f"{BRIDGE}/state", LATCHED)
    yield robot
    assert robot.close() == [-signal.SIGKILL, 0, 0], robot.printed()  # the last test's planner
    assert "Traceback" not in robot.printed()


@pytest.fixture
def planned(robot):
    """Return the certificates of a plan from where the arm stands."""
    answer = robot.observer.wait(
        lambda: (found := robot.plan()).success and found, "an arm at rest"
    )
    robot.newest = answer.description
    return documents_of(robot.newest)


def documents_of(plan):
    """Return the certificates of a plan: of the motion, and of its stops."""
    folder = Path(plan.certificate_path).parent
    motion = (folder / "motion.json").read_text()
    return motion, [path.read_text() for path in sorted(folder.glob("stop_*.json"))]


def prepare(robot, motion, stops=(), name="a motion", bridge=BRIDGE):
    return robot.observer.call(
        PrepareMotion, f"{bridge}/prepare", motion_id=name, certificate=motion, stops=list(stops)
    )


def send(robot, name="a motion", bridge=BRIDGE):
    client = ActionClient(robot.observer.node, Move, f"{bridge}/move")
    robot.observer.wait(client.server_is_ready, "move")
    sent = client.send_goal_async(Move.Goal(motion_id=name, requested_by="a test"))
    handle = robot.observer.wait(lambda: sent.done() and sent.result(), "the goal's handle")
    return handle, handle.get_result_async()


def move(robot, name="a motion", bridge=BRIDGE):
    return robot.result(send(robot, name, bridge)[1])


def refusal(robot, name="a motion"):
    """Return why a motion is not followed; nothing is commanded."""
    robot.commands.clear()
    result, status = move(robot, name)
    assert status == ABORTED and result.reason.code == StopReason.REFUSED, result.message
    assert not result.begun and not robot.commands
    return result.message


def test_a_motion_is_not_continued_by_one_that_jumps(robot, planned):
    assert prepare(robot, *planned).success
    start = robot.q
    _, future = send(robot)
    robot.observer.wait(lambda: np.abs(robot.q - start).max() > 0.02 or future.done(), "motion")
    answer = robot.observer.call(
        ExtendMotion, f"{BRIDGE}/extend", motion_id="a motion", follows="a motion", after=1.4
    )
    assert not answer.success, answer.message
    assert robot.result(future)[0].success


def test_no_motion_is_continued_by_one_for_another_payload(robot):
    lower, upper = (end.copy() for end in PayloadPrior(1.5, 0.15).box())
    lower[0], upper[0] = 0.7, 0.9
    narrow = robot.planned(intervals=2, phi_lower=lower, phi_upper=upper)
    assert prepare(robot, *documents_of(narrow), name="for another").success
    assert prepare(robot, *documents_of(robot.planned(duration=5.0))).success
    start = robot.q
    _, future = send(robot)
    robot.observer.wait(lambda: np.abs(robot.q - start).max() > 0.01 or future.done(), "motion")
    lower[0], upper[0] = 0.9, 1.1  # as the prior allows
    robot.estimates.publish(PayloadEstimate(status=PayloadEstimate.GOOD, lower=lower, upper=upper))

    def answer():
        assert not future.done(), robot.result(future)[0].message
        return robot.observer.call(
            ExtendMotion, f"{BRIDGE}/extend", motion_id="for another", follows="a motion", after=4.0
        ).message

    robot.observer.wait(lambda: "another payload" in answer(), "a refusal for the payload")
    robot.estimates.publish(PayloadEstimate(status=PayloadEstimate.WAITING))
    assert robot.result(future)[0].success


def test_of_two_bridges_one_at_a_time_commands_the_arm(robot, planned, tmp_path_factory):
    other = NodeProcess(
        "bridge", DOMAIN, tmp_path_factory.mktemp("other") / "log", "-r", "__node:=other",
        **parameters_of(BRIDGE_TABLE, PARAMETERS | {"clock_tolerance": TOLERANCE}),
    )  # fmt: skip
    try:
        assert (
            prepare(robot, *planned).success and prepare(robot, *planned, bridge="/other").success
        )
        start = robot.q
        _, future = send(robot)
        robot.observer.wait(lambda: np.abs(robot.q - start).max() > 0.02 or future.done(), "motion")
        refused, _ = move(robot, bridge="/other")
        assert refused.reason.code == StopReason.REFUSED, refused.message
        assert robot.result(future)[0].success
        assert prepare(robot, *documents_of(robot.planned(duration=3.0)), bridge="/other").success
        robot.commands.clear()
        start = robot.q
        _, future = send(robot, bridge="/other")  # the arm was given back
        robot.observer.wait(lambda: np.abs(robot.q - start).max() > 0.03 or future.done(), "motion")
        assert other.stop(signal.SIGTERM) == 0
        robot.observer.wait(lambda: len(robot.commands) > 1, "the certified stop of who ends")
        stop = trajectory_from_message(robot.commands[-1], ROBOT.joints)
        whole = trajectory_from_message(robot.commands[0], ROBOT.joints)
        assert len(robot.commands) == 2 and 0.0 < stop.duration < whole.duration
        robot.observer.wait(lambda: np.allclose(robot.q, stop.q[-1], atol=0.02), "its end")
    finally:
        assert other.stop() == 0
