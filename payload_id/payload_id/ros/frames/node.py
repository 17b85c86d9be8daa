"""The frames of an arm for RViz: by robot_state_publisher where it is installed, else by this node.

Where the driver publishes them already, nothing is published twice.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from geometry_msgs.msg import Quaternion, Transform, TransformStamped, Vector3
from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from ...files.robots.arm_frames import ArmFrames, LinkFrame
from ...files.robots.robot_file import RobotFile
from ..common.conversions import decoded, time_message
from ..common.joint_state_reader import JointStateReader
from ..common.main_loop import run
from ..common.parameters import Parameter, read_parameters
from ..common.polled_subscription import PolledSubscription, joint_state_subscription
from ..common.shared_parameters import RELIABILITY, ROBOT_FILE
from ..common.steady_timer import steady_timer
from ..common.topics import EVERY, LATCHED

OTHER = "robot_state_publisher"
DESCRIPTION = "robot_description"

FRAMES_TABLE = (
    ROBOT_FILE,
    RELIABILITY,
    Parameter("rate", 30.0, "Rate at which frames are published.", "Hz", 1.0, 1000.0),
    Parameter(
        "wait",
        2.0,
        "Time in which frames and description are looked for that others publish.",
        "s",
        0.0,
        60.0,
    ),
    Parameter(
        "publisher",
        "auto",
        "Who publishes: robot_state_publisher where it is installed (auto), or this node (own).",
        choices=("auto", "own"),
    ),
)


class FramesNode(Node):
    """Publishes what is missing of /tf, /tf_static and `robot_description`.

    Attributes:
        robot: The robot file.
        handed_over: Command that takes this process's place; empty as long as none is to.
    """

    def __init__(self, **options: Any) -> None:
        """Read parameters and robot file, and look for others.

        Args:
            options: Arguments of rclpy's Node, such as parameter_overrides.

        Raises:
            PayloadIdError: A parameter or a file cannot be used.
        """
        super().__init__(
            "payload_frames", automatically_declare_parameters_from_overrides=True, **options
        )
        values = read_parameters(self, FRAMES_TABLE)
        self.robot = RobotFile.load(values["robot_file"])
        self.handed_over: list[str] = []
        self._frames = ArmFrames(self.robot.urdf)
        self._joint_states = joint_state_subscription(self, self.robot, 1, values["reliability"])
        self._heard = (
            PolledSubscription(self, TFMessage, "/tf", QoSProfile(depth=100)),
            PolledSubscription(self, TFMessage, "/tf_static", EVERY),
        )
        self._other = "" if values["publisher"] == "own" else installed(OTHER)
        self._period = 1.0 / values["rate"]
        self._positions, self._reader = dict[str, float](), JointStateReader()
        self._began, self._wait = time.monotonic(), values["wait"]
        self._looking = steady_timer(self, 0.1, self._on_look_due)

    def close(self) -> None:
        """Do nothing: there is no thread and no file."""

    def _on_look_due(self) -> None:
        """Stand back as soon as others are heard; begin once nobody was heard for long enough."""
        for topic in self._heard:
            for data, _ in topic.take_all(100):
                message = decoded(data, TFMessage)
                theirs = (
                    set() if message is None else {x.child_frame_id for x in message.transforms}
                )
                if theirs & set(self._frames.links):
                    self._looking.cancel()
                    self.get_logger().info(
                        f"Frames of '{self.robot.name}' are on {topic.topic} already, such as "
                        f"{min(theirs & set(self._frames.links))}; nothing is published here."
                    )
                    return
        if time.monotonic() - self._began >= self._wait:
            self._looking.cancel()
            self._begin()

    def _begin(self) -> None:
        """Publish what is missing, or have robot_state_publisher do so."""
        topic = self._joint_states.topic
        if self._other:
            self.get_logger().info(f"{OTHER} publishes the frames, from {topic}.")
            self.handed_over = other_command(self._other, self.robot.urdf, topic)
            signal.raise_signal(signal.SIGTERM)  # ends this node in order; see `main`
            return
        if not self.count_publishers(DESCRIPTION):
            self._description = self.create_publisher(String, DESCRIPTION, LATCHED)
            self._description.publish(String(data=self.robot.urdf))
        self._static = self.create_publisher(TFMessage, "/tf_static", EVERY)
        now = self.get_clock().now().nanoseconds
        self._static.publish(message_of(self._frames.fixed(), now))
        self._moving = self.create_publisher(TFMessage, "/tf", QoSProfile(depth=100))
        steady_timer(self, self._period, self._on_frames_due)
        self.get_logger().info(
            f"Publishing the frames of '{self.robot.name}' on {self._frames.base}, from {topic}."
        )

    def _on_frames_due(self) -> None:
        """Publish frames of the newest joint states, if there are new ones."""
        newest = None
        for data, _ in self._joint_states.take_all(1):
            newest = self._reader.read(data)
        if newest is None or len(newest.names) != len(newest.position):
            return
        self._positions.update(zip(newest.names, newest.position, strict=True))
        frames = self._frames.moving(self._positions)
        self._moving.publish(message_of(frames, newest.stamp_ns))


def message_of(frames: Sequence[LinkFrame], stamp_ns: int) -> TFMessage:
    """Return frames as a message."""
    message = TFMessage()
    for frame in frames:
        stamped = TransformStamped(child_frame_id=frame.child)
        stamped.header.frame_id = frame.parent
        stamped.header.stamp = time_message(stamp_ns)
        x, y, z, w = map(float, frame.quaternion)
        stamped.transform = Transform(
            translation=Vector3(**dict(zip("xyz", map(float, frame.translation), strict=True))),
            rotation=Quaternion(x=x, y=y, z=z, w=w),
        )
        message.transforms.append(stamped)
    return message


def installed(package: str) -> str:
    """Return the program of a package that has one of its own name; empty where it is not."""
    try:
        program = Path(get_package_prefix(package), "lib", package, package)
    except (PackageNotFoundError, ValueError):
        return ""
    return str(program) if os.access(program, os.X_OK) else ""


def other_command(program: str, urdf: str, topic: str) -> list[str]:
    """Return the command of robot_state_publisher; its parameters are in a file of their own."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
        yaml.safe_dump({"/**": {"ros__parameters": {DESCRIPTION: urdf}}}, file)
    ros = ["--ros-args", "--params-file", file.name, "-r", f"joint_states:={topic}"]
    return [program, *sys.argv[1:], *ros]


def main(args: Sequence[str] | None = None) -> int:
    """Publish frames until SIGINT or SIGTERM; returns the exit code."""
    nodes: list[FramesNode] = []

    def make() -> FramesNode:
        nodes.append(FramesNode())
        return nodes[-1]

    code = run([make], args)
    if nodes and nodes[-1].handed_over:
        command = nodes[-1].handed_over
        os.execv(command[0], command)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
