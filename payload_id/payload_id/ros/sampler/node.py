"""The sampler: joint states in, blocks of checked samples out, everything recorded as received."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from payload_id_msgs.msg import SampleBlock
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from ...core.errors import RecordingError
from ...core.samples.joint_state_sampler import ZERO_EFFORT_TIME, JointStateSampler
from ...files.bags.bag_table import JOINT_STATE
from ...files.bags.bag_writer import BagWriter
from ...files.robots.robot_file import RobotFile
from ..common.conversions import block_message, decoded, stamp_of
from ..common.diagnostics import Condition, Level, diagnostics_message
from ..common.main_loop import run
from ..common.parameters import read_parameters
from ..common.polled_subscription import PolledSubscription
from ..common.topic_report import publisher_names, silence_report
from ..common.topics import BLOCKS, LATCHED
from .parameters import SAMPLER_TABLE, SamplerParameters

DIAGNOSTICS_PERIOD = 1.0  # [s]
LOG_PERIOD = 5.0  # [s] between two log lines about the same thing
SLOW = 0.8  # part of the expected rate below which a warning is due


class SamplerNode(Node):
    """Subscribes to joint states; publishes `~/samples`, `~/bag` and /diagnostics.

    Attributes:
        robot: The robot file.
        sampler: What was received, accepted and dropped.
    """

    def __init__(self, **options: Any) -> None:
        """Read parameters and robot file, subscribe, and begin to record.

        Args:
            options: Arguments of rclpy's Node, such as parameter_overrides.

        Raises:
            PayloadIdError: A parameter or a file cannot be used, or the robot measures no torque.
        """
        super().__init__(
            "payload_sampler", automatically_declare_parameters_from_overrides=True, **options
        )
        self._settings = SamplerParameters(**read_parameters(self, SAMPLER_TABLE))
        self.robot = RobotFile.load(self._settings.robot_file)
        self.sampler = JointStateSampler(self.robot.joint_map(), self.robot.joint_states.rate)
        self._sequence = 0
        self._last_arrival = self._started = time.monotonic()
        self._log_times: dict[str, float] = {}
        self._last_counts, self._steady = (time.monotonic(), 0), False
        self._joint_states = self._subscribe()
        self._writer = self._open_bag()
        self._samples = self.create_publisher(SampleBlock, "~/samples", BLOCKS)
        self._bag = self.create_publisher(String, "~/bag", LATCHED)
        self._bag.publish(String(data=str(self._writer.path) if self._writer else ""))
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", 10)
        # Draining must go on, and silence must be noticed, also while simulated time stands still.
        wall = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(self._settings.block_period, self._on_block_due, clock=wall)
        self.create_timer(DIAGNOSTICS_PERIOD, self._on_diagnostics_due, clock=wall)

    @property
    def bag(self) -> Path | None:
        """Folder of the recording, if one is made."""
        return None if self._writer is None else self._writer.path

    def close(self) -> None:
        """Pass on what has arrived, and end the recording."""
        self._on_block_due()
        if self._writer is None:
            return
        writer, self._writer = self._writer, None
        try:
            self.get_logger().info(f"Joint states were recorded in {writer.close()}")
        except RecordingError as error:
            self.get_logger().error(str(error))

    def _subscribe(self) -> PolledSubscription:
        """Subscribe to the joint states."""
        source, settings = self.robot.joint_states, self._settings
        reliable = (settings.reliability or source.reliability) == "reliable"
        profile = QoSProfile(
            depth=settings.queue,
            reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        )
        topic = settings.joint_states_topic or source.topic
        subscription = PolledSubscription(self, JointState, topic, profile)
        self.get_logger().info(
            f"Waiting for joint states of '{self.robot.name}' on {subscription.topic}."
        )
        return subscription

    def _open_bag(self) -> BagWriter | None:
        """Begin to record, if asked to."""
        if not self._settings.bag:
            return None
        folder = Path(self._settings.bag).expanduser().resolve()
        folder.parent.mkdir(parents=True, exist_ok=True)
        writer = BagWriter(folder, self._settings.bag_storage)
        self.get_logger().info(f"Recording joint states in {writer.path}")
        return writer

    def _on_block_due(self) -> None:
        """Take what has arrived and pass on what can be used."""
        complaint = self.sampler.complaint
        for data, received_ns in self._joint_states.take_all(self._settings.queue):
            self._take(data, received_ns)
        if self.sampler.complaint is not complaint and self.sampler.complaint is not None:
            self._log(self.sampler.complaint.cause.value, self.sampler.complaint.sentence)
        rows = self.sampler.take()
        if not len(rows):
            return
        self._samples.publish(
            block_message(
                rows,
                self.robot.joints,
                self._sequence,
                self.sampler.received,
                self.sampler.dropped,
                self.sampler.pace.gaps,
            )
        )
        self._sequence += 1

    def _take(self, data: bytes, received_ns: int) -> None:
        """Record one message and make it a sample."""
        self._last_arrival = time.monotonic()
        if self._writer is not None:
            stamp_ns = received_ns or self.get_clock().now().nanoseconds
            self._writer.write(self._joint_states.topic, JOINT_STATE, stamp_ns, data)
        message = decoded(data, JointState)
        if message is None:
            self.sampler.unreadable()
            return
        self.sampler.offer(
            stamp_of(message.header.stamp),
            message.name,
            message.position,
            message.velocity,
            message.effort,
        )

    def _on_diagnostics_due(self) -> None:
        """Publish the condition, and log it while it is bad."""
        condition = self._condition()
        if condition.level is not Level.OK:
            self._log("condition", condition.sentence)
        self._diagnostics.publish(
            diagnostics_message(
                condition,
                f"{self.get_name()}: joint states",
                self.robot.name,
                self.get_clock().now().to_msg(),
            )
        )

    def _condition(self) -> Condition:
        """Judge what has been arriving."""
        now = time.monotonic()
        since, accepted = self._last_counts
        rate = (self.sampler.accepted - accepted) / max(now - since, 1e-9)
        self._last_counts = (now, self.sampler.accepted)
        level, sentence = self._verdict(now, rate)
        self._steady = rate > 0.0
        return Condition(level, sentence, self._figures(rate))

    def _verdict(self, now: float, rate: float) -> tuple[Level, str]:
        """Return how bad it is, and why."""
        sampler, topic = self.sampler, self._joint_states.topic
        silent = now - self._last_arrival
        expected = self.robot.joint_states.rate
        if silent > self._settings.silence:
            return Level.ERROR, silence_report(self, topic, JOINT_STATE, silent, expected)
        if rate == 0.0 and sampler.complaint is not None:
            return Level.ERROR, f"No message on {topic} can be used. {sampler.complaint.sentence}"
        if sampler.zero_effort_time >= ZERO_EFFORT_TIME:
            return Level.ERROR, (
                f"Every effort on {topic} has been exactly zero for {sampler.zero_effort_time:.1f} "
                "s; measured joint torques are expected. Switch on the driver's effort state "
                "interface, or subscribe to the topic that carries torques."
            )
        if sampler.velocity_missing:
            return Level.ERROR, (
                f"Every velocity on {topic} is exactly zero although the joints move; measured "
                "velocities are expected. Switch on the driver's velocity state interface, or "
                "record a bag and replay it: there, positions are differentiated."
            )
        if self._writer is not None and self._writer.lost:
            return Level.ERROR, (
                f"{self._writer.lost} messages are missing in {self._writer.path}: the disk is "
                "full or too slow."
            )
        if self._steady and rate < SLOW * expected:
            return Level.WARN, (
                f"Joint states arrive at {rate:.4g} Hz; the robot file expects {expected:g} Hz. "
                "Correct joint_states.rate there, or look for lost messages."
            )
        return Level.OK, f"Joint states arrive at {rate:.4g} Hz from {self._source_names()}."

    def _source_names(self) -> str:
        return ", ".join(publisher_names(self, self._joint_states.topic)) or "an unknown node"

    def _figures(self, rate: float) -> dict[str, object]:
        """Return the figures of the diagnostics."""
        sampler = self.sampler
        age = float("nan")
        if sampler.pace.newest_ns is not None:
            age = 1e-9 * (self.get_clock().now().nanoseconds - sampler.pace.newest_ns)
        return {
            "topic": self._joint_states.topic,
            "rate [Hz]": rate,
            "step [s]": sampler.pace.step,
            "jitter [s]": sampler.pace.jitter,
            "age [s]": age,
            "received": sampler.received,
            "accepted": sampler.accepted,
            "blocks": self._sequence,
            **{f"dropped: {cause}": count for cause, count in sampler.dropped.items()},
            "gaps": sampler.pace.gaps,
            "longest gap [s]": sampler.pace.longest_gap,
            "bag": str(self.bag or ""),
        }

    def _log(self, subject: str, sentence: str) -> None:
        """Log a sentence, each subject at most every `LOG_PERIOD`."""
        now = time.monotonic()
        if now - self._log_times.get(subject, -np.inf) >= LOG_PERIOD:
            self._log_times[subject] = now
            self.get_logger().warning(sentence)


def main(args: Sequence[str] | None = None) -> int:
    """Run the sampler until SIGINT or SIGTERM; returns the exit code."""
    return run([SamplerNode], args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
