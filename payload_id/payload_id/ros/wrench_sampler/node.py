"""The wrench sampler: wrenches and joint states in, blocks of samples with their motion out."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from payload_id_msgs.msg import WrenchBlock
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from ...core.errors import RecordingError
from ...core.samples.arm_sensor_motion import model_at
from ...core.samples.joint_map import JointMap
from ...core.samples.wrench_sampler import WrenchSampler
from ...files.bags.bag_writer import BagWriter
from ...files.bags.joint_states_bag import JOINT_STATE
from ...files.bags.wrench_bag import WRENCH
from ...files.recordings.wrench_blocks import BLOCK, DEFINITION
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ..common.conversions import decoded, stamp_of
from ..common.diagnostics import Condition, Level, diagnostics_message
from ..common.main_loop import run
from ..common.parameters import Parameter, read_parameters
from ..common.polled_subscription import PolledSubscription
from ..common.topic_report import silence_report
from ..common.topics import BLOCKS, LATCHED
from ..common.wrench_blocks import wrench_block

DIAGNOSTICS_PERIOD = 1.0  # [s]
WRENCH_SAMPLER_TABLE = (
    Parameter("robot_file", "kinova_gen3", "Robot file: its path, or the name of a shipped one."),
    Parameter("wrench_topic", "wrench", "Topic of geometry_msgs/WrenchStamped."),
    Parameter(
        "joint_states_topic",
        "",
        "Topic of sensor_msgs/JointState; empty: joint_states.topic of the robot file.",
    ),
    Parameter(
        "sensor_frame",
        "",
        "Frame of the sensor in the robot's description; empty: the robot file's payload frame.",
    ),
    Parameter(
        "wrench_sign",
        1.0,
        "1 where the wrench is what the sensor exerts on the payload, -1 where it is the opposite.",
        "",
        -1.0,
        1.0,
    ),
    Parameter(
        "bandwidth",
        4.0,
        "Highest frequency of the motion: accelerations are smoothed above it.",
        "Hz",
        0.1,
        100.0,
    ),
    Parameter("queue", 4000, "Messages that may wait to be taken.", lower=10, upper=100_000),
    Parameter("block_period", 0.05, "Time between two blocks of samples.", "s", 0.001, 1.0),
    Parameter(
        "bag",
        "",
        "Folder of the recording: joint states and wrenches as received, and the samples made of "
        "them; if it exists, the next free name is taken. Empty: none is made.",
    ),
    Parameter("bag_storage", "mcap", "File format of the recording.", choices=("mcap", "sqlite3")),
    Parameter(
        "silence", 1.0, "Time without wrenches after which that is reported.", "s", 0.05, 60.0
    ),
)


@dataclass(frozen=True)
class WrenchSamplerParameters:
    """Values of `WRENCH_SAMPLER_TABLE`, which explains them."""

    robot_file: str
    wrench_topic: str
    joint_states_topic: str
    sensor_frame: str
    wrench_sign: float
    bandwidth: float
    queue: int
    block_period: float
    bag: str
    bag_storage: str
    silence: float


class WrenchSamplerNode(Node):
    """Subscribes to a wrench and to joint states; publishes `~/samples` and /diagnostics.

    Attributes:
        robot: The robot file.
        sampler: What was received, accepted and dropped.
    """

    def __init__(self, **options: Any) -> None:
        """Read parameters and robot file, and subscribe.

        Args:
            options: Arguments of rclpy's Node, such as parameter_overrides.

        Raises:
            PayloadIdError: A parameter or a file cannot be used, or there is no such frame.
        """
        super().__init__(
            "wrench_sampler", automatically_declare_parameters_from_overrides=True, **options
        )
        settings = WrenchSamplerParameters(**read_parameters(self, WRENCH_SAMPLER_TABLE))
        self._settings = settings
        self.robot = RobotFile.load(settings.robot_file)
        model = RobotModel.from_robot_file(self.robot)
        self._frame = settings.sensor_frame or self.robot.payload_frame
        self.sampler = WrenchSampler(
            model_at(model, self._frame),
            JointMap(self.robot.joints),
            self.robot.joint_states.rate,
            settings.bandwidth,
            -1.0 if settings.wrench_sign < 0 else 1.0,
        )
        profile = QoSProfile(depth=settings.queue, reliability=ReliabilityPolicy.BEST_EFFORT)
        topic = settings.joint_states_topic or self.robot.joint_states.topic
        self._joint_states = PolledSubscription(self, JointState, topic, profile)
        self._wrenches = PolledSubscription(self, WrenchStamped, settings.wrench_topic, profile)
        self._samples = self.create_publisher(WrenchBlock, "~/samples", BLOCKS)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self._writer = self._open_bag()
        self._bag = self.create_publisher(String, "~/bag", LATCHED)
        self._bag.publish(String(data=str(self._writer.path) if self._writer else ""))
        self._sequence = 0
        self._last_arrival = time.monotonic()
        self._foreign = ""
        wall = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(settings.block_period, self._on_block_due, clock=wall)
        self.create_timer(DIAGNOSTICS_PERIOD, self._on_diagnostics_due, clock=wall)
        self.get_logger().info(
            f"Waiting for wrenches of frame '{self._frame}' on {self._wrenches.topic} and joint "
            f"states of '{self.robot.name}' on {self._joint_states.topic}."
        )

    def close(self) -> None:
        """Pass on what has arrived, and end the recording."""
        self._on_block_due()
        if self._writer is None:
            return
        writer, self._writer = self._writer, None
        try:
            self.get_logger().info(f"The wrench was recorded in {writer.close()}")
        except RecordingError as error:
            self.get_logger().error(str(error))

    def _open_bag(self) -> BagWriter | None:
        """Begin to record, if asked to."""
        if not self._settings.bag:
            return None
        folder = Path(self._settings.bag).expanduser().resolve()
        folder.parent.mkdir(parents=True, exist_ok=True)
        writer = BagWriter(folder, self._settings.bag_storage)
        writer.add_message_type(BLOCK, DEFINITION)
        self.get_logger().info(f"Recording wrench and joint states in {writer.path}")
        return writer

    def _record(self, topic: str, kind: str, received_ns: int, data: bytes) -> None:
        """Record one message, if there is a recording."""
        if self._writer is not None:
            stamp_ns = received_ns or self.get_clock().now().nanoseconds
            self._writer.write(topic, kind, stamp_ns, data)

    def _on_block_due(self) -> None:
        """Take what has arrived and pass on what can be used."""
        for data, received_ns in self._joint_states.take_all(self._settings.queue):
            self._record(self._joint_states.topic, JOINT_STATE, received_ns, data)
            state = decoded(data, JointState)
            if state is not None:
                at = stamp_of(state.header.stamp)
                self.sampler.offer_joints(at, state.name, state.position, state.velocity)
        for data, received_ns in self._wrenches.take_all(self._settings.queue):
            self._record(self._wrenches.topic, WRENCH, received_ns, data)
            message = decoded(data, WrenchStamped)
            if message is not None:
                self._take(message)
        first = self.sampler.accepted
        taken = self.sampler.take()
        if taken is None:
            return
        stamp_ns, samples = taken
        block = wrench_block(stamp_ns, samples, self._frame, self._sequence, first, self.sampler)
        if self._writer is not None:
            self._record(self._samples.topic_name, BLOCK, 0, serialize_message(block))
        self._samples.publish(block)
        self._sequence += 1

    def _take(self, message: Any) -> None:
        """Make a wrench of the right frame a sample."""
        self._last_arrival = time.monotonic()
        frame = message.header.frame_id
        if frame and frame != self._frame:
            self._foreign = frame
            return
        force, torque = message.wrench.force, message.wrench.torque
        values = np.array([force.x, force.y, force.z, torque.x, torque.y, torque.z])
        self.sampler.offer_wrench(stamp_of(message.header.stamp), values)

    def _on_diagnostics_due(self) -> None:
        """Publish the condition, and log it while it is bad."""
        level, sentence = self._verdict()
        if level is not Level.OK:
            self.get_logger().warning(sentence, throttle_duration_sec=5.0)
        condition = Condition(level, sentence, self._figures())
        stamp = self.get_clock().now().to_msg()
        name = f"{self.get_name()}: wrench"
        self._diagnostics.publish(diagnostics_message(condition, name, self.robot.name, stamp))

    def _verdict(self) -> tuple[Level, str]:
        """Return how bad it is, and why."""
        silent = time.monotonic() - self._last_arrival
        if self._foreign:
            return Level.ERROR, (
                f"Wrenches on {self._wrenches.topic} are of frame '{self._foreign}', and this node "
                f"was told '{self._frame}'. Set sensor_frame to the frame of the messages; it must "
                "be in the robot's description."
            )
        if self._writer is not None and self._writer.lost:
            return Level.ERROR, (
                f"{self._writer.lost} messages are missing in {self._writer.path}: the disk is "
                "full or too slow."
            )
        if silent > self._settings.silence:
            rate = self.robot.joint_states.rate
            return Level.ERROR, silence_report(self, self._wrenches.topic, WRENCH, silent, rate)
        if self.sampler.received and not self.sampler.accepted:
            return Level.WARN, (
                f"Wrenches arrive on {self._wrenches.topic}, but no joint states around them on "
                f"{self._joint_states.topic}. Check that both drivers use one clock."
            )
        return Level.OK, f"{self.sampler.accepted} samples passed on."

    def _figures(self) -> dict[str, object]:
        """Return the figures of the diagnostics."""
        sampler = self.sampler
        return {
            "topic": self._wrenches.topic,
            "sensor frame": self._frame,
            "received": sampler.received,
            "accepted": sampler.accepted,
            "blocks": self._sequence,
            "delay [joint states]": sampler.delay,
            "bag": str(self._writer.path) if self._writer else "",
            **{f"dropped: {cause}": count for cause, count in sampler.dropped.items()},
            **{
                f"joint states dropped: {cause}": count
                for cause, count in sampler.dropped_joint_states.items()
            },
        }


def main(args: Sequence[str] | None = None) -> int:
    """Run the wrench sampler until SIGINT or SIGTERM; returns the exit code."""
    return run([WrenchSamplerNode], args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
