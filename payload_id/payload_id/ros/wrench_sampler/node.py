"""The wrench sampler: wrenches and joint states in, blocks of samples with their motion out."""

from __future__ import annotations

import secrets
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import WrenchStamped
from payload_id_msgs.msg import WrenchBlock
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from ...core.errors import ConfigurationError
from ...core.samples.arm_sensor_motion import model_at
from ...core.samples.joint_map import JointMap
from ...core.samples.wrench_sampler import WrenchSampler
from ...files.bags.joint_states_bag import JOINT_STATE
from ...files.bags.wrench_bag import WRENCH
from ...files.recordings.wrench_blocks import BLOCK, DEFINITION
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ..common.conversions import decoded, stamp_of
from ..common.diagnostics import Condition, Level
from ..common.main_loop import run
from ..common.parameters import read_parameters
from ..common.polled_subscription import PolledSubscription, joint_state_subscription
from ..common.raw_recording import RawRecording
from ..common.steady_timer import steady_timer
from ..common.throttled_log import ThrottledLog
from ..common.topic_report import silence_report
from ..common.topics import BLOCKS, SILENT, UNRECORDED, UNUSABLE
from ..common.wrench_blocks import wrench_block
from ..lifecycle.managed_node import ManagedNode
from .parameters import WRENCH_SAMPLER_TABLE, WrenchSamplerParameters


class WrenchSamplerNode(ManagedNode):
    """Subscribes to a wrench and to joint states; publishes `~/samples` and /diagnostics.

    Attributes:
        robot: The robot file.
        sampler: What was received, accepted and dropped.
    """

    def __init__(self, **options: Any) -> None:
        """Make the node; options are arguments of rclpy's Node, such as parameter_overrides."""
        super().__init__("wrench_sampler", WRENCH_SAMPLER_TABLE, "wrench", **options)

    def configure(self) -> None:
        """Read parameters and robot file, and subscribe.

        Raises:
            PayloadIdError: A parameter or a file cannot be used, or there is no such frame.
        """
        settings = WrenchSamplerParameters(**read_parameters(self, WRENCH_SAMPLER_TABLE))
        if abs(settings.wrench_sign) != 1.0:
            raise ConfigurationError(
                f"The parameter wrench_sign is 1 or -1; found {settings.wrench_sign:g}."
            )
        self._settings = settings
        self.robot = RobotFile.load(settings.robot_file)
        self._frame = settings.sensor_frame or self.robot.payload_frame
        self.sampler = WrenchSampler(
            model_at(RobotModel.from_robot_file(self.robot), self._frame),
            JointMap(self.robot.joints),
            self.robot.joint_states.rate,
            settings.bandwidth,
            -1.0 if settings.wrench_sign < 0 else 1.0,
        )
        self._joint_states = joint_state_subscription(
            self, self.robot, settings.joint_states_topic, "best_effort", settings.queue
        )
        profile = QoSProfile(depth=settings.queue, reliability=ReliabilityPolicy.BEST_EFFORT)
        self._wrenches = PolledSubscription(self, WrenchStamped, settings.wrench_topic, profile)
        self._samples = self.create_publisher(WrenchBlock, "~/samples", BLOCKS)
        self._recording = RawRecording(
            self, settings.bag, settings.bag_storage, "wrench and joint states"
        )
        self._recording.add_message_type(BLOCK, DEFINITION)
        self._sequence, self._identity = 0, secrets.randbits(63)
        self._last_arrival = time.monotonic()
        self._foreign = ""  # frame of the newest wrench of another one since the last look
        self._fitting = False  # whether one of the right frame has come since then
        self._foreign_count = 0
        self._counts: Counter[str] = Counter()  # as of the last look
        self._received = self._accepted = 0
        self._dropped: Counter[str] = Counter()
        self._log = ThrottledLog(self)
        steady_timer(self, settings.block_period, self._on_block_due)
        self.get_logger().info(
            f"Waiting for wrenches of frame '{self._frame}' on {self._wrenches.topic} and joint "
            f"states of '{self.robot.name}' on {self._joint_states.topic}."
        )

    def activate(self) -> None:
        """Begin to record what arrives from now on."""
        self._joint_states.forget()
        self._wrenches.forget()
        self._last_arrival = time.monotonic()
        self._recording.begin()

    def deactivate(self) -> None:
        """Pass on what has arrived, and end the recording."""
        self._on_block_due()
        self._recording.close()

    def _on_block_due(self) -> None:
        """Take what has arrived and pass on what can be used."""
        for data, received_ns in self._joint_states.take_all(self._settings.queue):
            self._recording.write(self._joint_states.topic, JOINT_STATE, received_ns, data)
            state = decoded(data, JointState)
            if state is not None:
                at = stamp_of(state.header.stamp)
                self.sampler.offer_joints(at, state.name, state.position, state.velocity)
        for data, received_ns in self._wrenches.take_all(self._settings.queue):
            self._recording.write(self._wrenches.topic, WRENCH, received_ns, data)
            message = decoded(data, WrenchStamped)
            if message is not None:
                self._take(message)
        first = self.sampler.accepted
        taken = self.sampler.take()
        if taken is None:
            return
        stamp_ns, samples = taken
        block = wrench_block(stamp_ns, samples, self._frame, self._sequence, first, self.sampler)
        block.sampler = self._identity
        if self._recording.path:
            self._recording.write(self._samples.topic_name, BLOCK, 0, serialize_message(block))
        self._samples.publish(block)
        self._sequence += 1

    def _take(self, message: Any) -> None:
        """Make a wrench of the right frame a sample."""
        self._last_arrival = time.monotonic()
        frame = message.header.frame_id
        if frame and frame != self._frame:
            self._foreign = frame
            self._foreign_count += 1
            return
        self._fitting = True
        force, torque = message.wrench.force, message.wrench.torque
        values = np.array([force.x, force.y, force.z, torque.x, torque.y, torque.z])
        self.sampler.offer_wrench(stamp_of(message.header.stamp), values)

    def condition(self) -> Condition:
        """Judge what has been arriving; log it while it is bad."""
        self._count()
        level, sentence = self._verdict()
        if level is not Level.OK:
            self._log.warn("condition", sentence)
        condition = Condition(level, sentence, self._figures())
        self._foreign, self._fitting = "", False
        return condition

    def _count(self) -> None:
        """Note what has come of the wrenches since this was asked last."""
        counts = Counter(self.sampler.dropped)
        counts.update(received=self.sampler.received, accepted=self.sampler.accepted)
        news, self._counts = counts - self._counts, counts
        self._received, self._accepted = news.pop("received", 0), news.pop("accepted", 0)
        self._dropped = news

    def _verdict(self) -> tuple[Level, str]:
        """Return how bad it is, and why."""
        if useless := self._uselessness():
            return Level.ERROR, useless
        if loss := self._recording.loss():
            return Level.ERROR, loss
        if silence := self._silence():
            return Level.ERROR, silence
        if self._foreign:
            return Level.WARN, (
                f"Wrenches of frame '{self._foreign}' arrive on {self._wrenches.topic} as well, "
                "and are left out. Give each sensor a topic of its own."
            )
        if self._received and not self._accepted:
            return Level.WARN, (
                f"Wrenches arrive on {self._wrenches.topic}, but no joint states around them on "
                f"{self._joint_states.topic}. Check that both drivers use one clock."
            )
        return Level.OK, f"{self.sampler.accepted} samples passed on."

    def _silence(self) -> str:
        """Say that no wrenches arrive; empty while they do."""
        silent = time.monotonic() - self._last_arrival
        if silent <= self._settings.silence:
            return ""
        rate = self.robot.joint_states.rate
        topic = self._wrenches.topic
        return silence_report(self, topic, WRENCH, silent, rate, "wrench_topic", "force sensor")

    def _uselessness(self) -> str:
        """Say that nothing of what arrives can be used, or is of another sensor; else empty."""
        if self._received and not self._accepted and self._dropped:
            causes = ", ".join(f"{count} {cause}" for cause, count in self._dropped.items())
            return (
                f"None of the newest {self._received} wrenches on {self._wrenches.topic} can be "
                f"used: {causes}. See what the sensor's driver publishes, and its clock."
            )
        if self._fitting or not self._foreign:
            return ""
        return (
            f"Wrenches on {self._wrenches.topic} are of frame '{self._foreign}', and this node "
            f"was told '{self._frame}'. Set sensor_frame to the frame of the messages; it must "
            "be in the robot's description."
        )

    def _figures(self) -> dict[str, object]:
        """Return the figures of the diagnostics."""
        sampler = self.sampler
        return {
            "topic": self._wrenches.topic,
            SILENT: self._silence(),
            UNUSABLE: self._uselessness(),
            "sensor frame": self._frame,
            "received": sampler.received,
            "accepted": sampler.accepted,
            "blocks": self._sequence,
            "delay [joint states]": sampler.delay,
            "of another frame": self._foreign_count,
            "bag": self._recording.path,
            UNRECORDED: self._recording.loss(),
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
