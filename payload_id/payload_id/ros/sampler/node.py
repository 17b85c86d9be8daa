"""The sampler: joint states in, blocks of checked samples out, everything recorded as received."""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Sequence
from typing import Any

from payload_id_msgs.msg import SampleBlock
from sensor_msgs.msg import JointState

from ...core.samples.joint_state_sampler import ZERO_EFFORT_TIME, JointStateSampler
from ...core.samples.sample_checks import Drop
from ...files.bags.joint_states_bag import JOINT_STATE
from ...files.robots.robot_file import RobotFile
from ..common.conversions import block_message, decoded, stamp_of
from ..common.diagnostics import Condition, Level
from ..common.main_loop import run
from ..common.parameters import read_parameters
from ..common.polled_subscription import joint_state_subscription
from ..common.raw_recording import RawRecording
from ..common.steady_timer import steady_timer
from ..common.throttled_log import ThrottledLog
from ..common.topic_report import publisher_names, silence_report
from ..common.topics import BLOCKS, SILENT, UNRECORDED, UNUSABLE
from ..lifecycle.managed_node import ManagedNode
from .parameters import SAMPLER_TABLE, SamplerParameters

FASTEST = 100.0  # times as fast as this machine's clock, that simulated time passes
SLOW = 0.8  # part of the expected rate below which a warning is due


class SamplerNode(ManagedNode):
    """Subscribes to joint states; publishes `~/samples`, `~/bag` and /diagnostics.

    Attributes:
        robot: The robot file.
        sampler: What was received, accepted and dropped.
    """

    def __init__(self, **options: Any) -> None:
        """Make the node; options are arguments of rclpy's Node, such as parameter_overrides."""
        super().__init__("payload_sampler", SAMPLER_TABLE, "joint states", **options)

    def configure(self) -> None:
        """Read parameters and robot file, and subscribe.

        Raises:
            PayloadIdError: A parameter or a file cannot be used, or the robot measures no torque.
        """
        settings = SamplerParameters(**read_parameters(self, SAMPLER_TABLE))
        self._settings = settings
        self.robot = RobotFile.load(settings.robot_file)
        self.sampler = JointStateSampler(self.robot.joint_map(), self.robot.joint_states.rate)
        self._sequence, self._identity = 0, secrets.randbits(63)
        self._last_arrival = time.monotonic()
        self._last_counts, self._steady = (time.monotonic(), 0, 0), False
        self._last_clock = self.get_clock().now()
        self._heard = 0  # messages between the last two looks
        self._out_of_turn = 0  # messages whose stamp was not the next one, as of the last look
        self._log = ThrottledLog(self)
        self._joint_states = joint_state_subscription(
            self, self.robot, settings.joint_states_topic, settings.reliability, settings.queue
        )
        self._recording = RawRecording(self, settings.bag, settings.bag_storage, "joint states")
        self._samples = self.create_publisher(SampleBlock, "~/samples", BLOCKS)
        steady_timer(self, settings.block_period, self._on_block_due)
        self.get_logger().info(
            f"Waiting for joint states of '{self.robot.name}' on {self._joint_states.topic}."
        )

    def activate(self) -> None:
        """Begin to record what arrives from now on."""
        self._joint_states.forget()
        self._last_arrival = time.monotonic()
        self._recording.begin()

    def deactivate(self) -> None:
        """Pass on what has arrived, and end the recording."""
        self._on_block_due()
        self._recording.close()

    def _on_block_due(self) -> None:
        """Take what has arrived and pass on what can be used."""
        complaint = self.sampler.complaint
        for data, received_ns in self._joint_states.take_all(self._settings.queue):
            self._take(data, received_ns)
        if self.sampler.complaint is not complaint and self.sampler.complaint is not None:
            self._log.warn(self.sampler.complaint.cause.value, self.sampler.complaint.sentence)
        rows = self.sampler.take()
        if not len(rows):
            return
        block = block_message(
            rows,
            self.robot.joints,
            self._sequence,
            self.sampler.received,
            self.sampler.dropped,
            self.sampler.pace.gaps,
        )
        block.sampler = self._identity
        self._samples.publish(block)
        self._sequence += 1

    def _take(self, data: bytes, received_ns: int) -> None:
        """Record one message and make it a sample."""
        self._last_arrival = time.monotonic()
        self._recording.write(self._joint_states.topic, JOINT_STATE, received_ns, data)
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

    def condition(self) -> Condition:
        """Judge what has been arriving; log it while it is bad."""
        now = time.monotonic()
        since, accepted, received = self._last_counts
        rate = (self.sampler.accepted - accepted) / max(self._passed(now - since), 1e-9)
        self._heard = self.sampler.received - received
        self._last_counts = (now, self.sampler.accepted, self.sampler.received)
        level, sentence = self._verdict(now, rate)
        self._steady = rate > 0.0
        if level is not Level.OK:
            self._log.warn("condition", sentence)
        return Condition(level, sentence, self._figures(rate))

    def _passed(self, seconds: float) -> float:
        """Return how much time has passed by the clock of the stamps since this was asked last [s].

        Args:
            seconds: How much has passed here [s].
        """
        before, self._last_clock = self._last_clock, self.get_clock().now()
        simulated = (self._last_clock - before).nanoseconds * 1e-9
        goes_on = 0.0 < simulated <= FASTEST * seconds  # and was not set
        return simulated if self.get_parameter("use_sim_time").value and goes_on else seconds

    def _verdict(self, now: float, rate: float) -> tuple[Level, str]:
        """Return how bad it is, and why."""
        expected = self.robot.joint_states.rate
        if why := self._silence(now) or self._uselessness(rate):
            return Level.ERROR, why
        if loss := self._recording.loss():
            return Level.ERROR, loss
        if mixed := self._mixed_publishers():
            return Level.WARN, mixed
        if self._steady and rate < SLOW * expected:
            return Level.WARN, (
                f"Joint states arrive at {rate:.4g} Hz; the robot file expects {expected:g} Hz. "
                "Correct joint_states.rate there, or look for lost messages."
            )
        return Level.OK, f"Joint states arrive at {rate:.4g} Hz from {self._source_names()}."

    def _silence(self, now: float) -> str:
        """Say that no joint states arrive; empty while they do."""
        silent = now - self._last_arrival
        if silent <= self._settings.silence:
            return ""
        topic, expected = self._joint_states.topic, self.robot.joint_states.rate
        return silence_report(self, topic, JOINT_STATE, silent, expected)

    def _uselessness(self, rate: float) -> str:
        """Say that no payload can be identified of what arrives; empty if one can."""
        sampler, topic = self.sampler, self._joint_states.topic
        if rate == 0.0 and self._heard and sampler.complaint is not None:
            return f"No message on {topic} can be used. {sampler.complaint.sentence}"
        if sampler.zero_effort_time >= ZERO_EFFORT_TIME:
            return (
                f"Every effort on {topic} has been exactly zero for {sampler.zero_effort_time:.1f} "
                "s; measured joint torques are expected. Switch on the driver's effort state "
                "interface, or subscribe to the topic that carries torques."
            )
        if sampler.velocity_missing:
            return (
                f"Every velocity on {topic} is exactly zero although the joints move; measured "
                "velocities are expected. Switch on the driver's velocity state interface, or "
                "record a bag and replay it: there, positions are differentiated."
            )
        return ""

    def _mixed_publishers(self) -> str:
        """Say that several publishers get in each other's way; empty if they do not.

        One for the arm and another for its gripper do not: they name other joints.
        """
        causes = (Drop.DUPLICATE, Drop.OUT_OF_ORDER, Drop.STAMP_LEAP)
        count = sum(self.sampler.dropped.get(cause.value, 0) for cause in causes)
        news, self._out_of_turn = count - self._out_of_turn, count
        topic = self._joint_states.topic
        publishers = self.count_publishers(topic)
        if publishers < 2 or not news:
            return ""
        return (
            f"{publishers} publishers of {topic} get in each other's way: {self._source_names()}. "
            f"{news} messages since the last look had no newer stamp than those before. End all "
            "but the arm's driver."
        )

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
            SILENT: self._silence(time.monotonic()),
            UNUSABLE: self._uselessness(rate),
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
            "bag": self._recording.path,
            UNRECORDED: self._recording.loss(),
        }


def main(args: Sequence[str] | None = None) -> int:
    """Run the sampler until SIGINT or SIGTERM; returns the exit code."""
    return run([SamplerNode], args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
