"""What can be said with ROS: whether a message comes back, and what a driver publishes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import rclpy
from rclpy.context import Context
from rclpy.exceptions import NameValidationException
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.validate_topic_name import validate_topic_name
from sensor_msgs.msg import JointState

from ...core.errors import InputError, PayloadIdError
from ...core.recording_checks.check_result import CheckResult, Verdict
from ...files.recordings.recording import Recording
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ...ros.client.run_recorder import recorded
from ...ros.common.error_sentence import CannotGoOnError
from ...ros.common.main_loop import start_ros
from ...ros.common.topic_report import publisher_names, silence_report
from ..common.checked import judged
from .recording import looked_at

ECHO = "payload_check/echo"
PATIENCE = 10.0  # [s] that a message may take to come back, discovery included
LATE = 0.5  # [s] between a stamp and its arrival, beyond which clocks differ
EXPECTED = "a message that comes back"
TYPE = "sensor_msgs/msg/JointState"


def network(robot: RobotFile | None, topic: str, seconds: float) -> list[CheckResult]:
    """Return what was found of DDS, and of the joint states of a robot.

    Args:
        robot: Whose driver is listened to; None: nobody's.
        topic: Of the joint states; empty: the robot file's.
        seconds: How long to listen [s].

    Raises:
        InputError: No topic can have that name.
    """
    try:
        with _node("payload_check") as node:
            lines = [_echo(node)]
            if robot is None:
                return lines
            with TemporaryDirectory(prefix="payload_check_") as folder:
                return lines + _driver(node, robot, topic, seconds, Path(folder))
    except NameValidationException as error:
        what, name, *_ = str(error).splitlines()
        raise InputError(f"No topic can have that name: {what} {name.strip()}.") from error
    except CannotGoOnError as error:
        do = "Correct the environment, then look again: nothing can be heard before."
        return [judged("DDS", str(error), EXPECTED, do)]


@contextmanager
def _node(name: str) -> Iterator[Node]:
    """Make a node in a participant of its own, served by a thread of its own."""
    context = Context()
    start_ros(context=context)
    node = rclpy.create_node(name, context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    thread = threading.Thread(target=_serve, args=(executor,), daemon=True)
    thread.start()
    try:
        yield node
    finally:
        rclpy.try_shutdown(context=context)
        thread.join(PATIENCE)
        node.destroy_node()


def _serve(executor: SingleThreadedExecutor) -> None:
    """Serve a node until its context ends."""
    try:
        executor.spin()
    except ExternalShutdownException:
        return


def _echo(node: Node) -> CheckResult:
    """Send messages from another participant until one arrives."""
    arrived, began = threading.Event(), time.monotonic()
    heard = node.create_subscription(JointState, ECHO, lambda message: arrived.set(), 1)
    with _node("payload_check_sender") as sender:
        publisher = sender.create_publisher(JointState, ECHO, 1)
        while not arrived.wait(0.05) and time.monotonic() < began + PATIENCE:
            publisher.publish(JointState())
    node.destroy_subscription(heard)
    if arrived.is_set():
        return judged("DDS", f"one came back after {time.monotonic() - began:.1f} s", EXPECTED)
    do = (
        "See that the loopback interface is up with multicast, that no firewall drops UDP from "
        "port 7400 on, and that /dev/shm has room."
    )
    return judged("DDS", f"none came back in {PATIENCE:g} s", EXPECTED, do)


def _driver(
    node: Node, robot: RobotFile, topic: str, seconds: float, folder: Path
) -> list[CheckResult]:
    """Listen to a driver, and judge what it publishes as `check` judges a recording."""
    asked = topic or robot.joint_states.topic
    validate_topic_name(asked)
    full = node.resolve_topic_name(asked)
    with recorded(node, robot, full, folder / "heard") as (bag, received):
        time.sleep(seconds)
    subject = "joint states"
    if not received:
        rate = robot.joint_states.rate
        found = silence_report(node, full, TYPE, seconds, rate, "--topic ")
        do = "Start the driver, or name its topic: --topic, joint_states.topic in the robot file."
        return [judged(subject, found, f"{full} at {rate:g} Hz", do)]
    do = "Correct the driver, or what the robot file says of it."
    try:
        recording = Recording.of_robot(bag, robot, full)
        arm, do = RobotModel.from_robot_file(robot), "Listen longer: --seconds 10."
        lines = looked_at(recording, arm, robot, table=False)
    except PayloadIdError as error:
        return [judged(subject, str(error), "some seconds of joints with efforts", do)]
    names, now = publisher_names(node, full), node.get_clock().now().nanoseconds
    do = "Stop all but the robot's own driver: samples of several are mixed."
    by = f"{full} by {', '.join(names) or 'nobody any more'}"
    alone = judged("publishers", by, "one publisher", do if len(names) > 1 else "")
    return [alone, _clock(recording, now), *lines]


def _clock(recording: Recording, now_ns: int) -> CheckResult:
    """Judge whether stamps are of this machine's time."""
    newest = recording.start_ns + round(1e9 * float(np.max(recording.stamp)))
    age, do = (now_ns - newest) / 1e9, ""
    if not -0.01 <= age <= LATE + 0.1:
        do = (
            "Synchronise the clocks of robot and machine (chrony, PTP). Identification itself uses "
            "the stamps alone; certified motions are refused on such a clock."
        )
    found = f"the newest stamp is {age:.3g} s old"
    return judged("clock", found, f"0 to {LATE:g} s", do, Verdict.LOOK)
