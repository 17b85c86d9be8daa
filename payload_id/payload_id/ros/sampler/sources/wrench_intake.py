"""A force-torque sensor: wrenches and joint states in, payload_id_msgs/WrenchBlock out."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import numpy as np
from geometry_msgs.msg import WrenchStamped
from payload_id_msgs.msg import WrenchBlock
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.serialization import serialize_message

from ....core.errors import ConfigurationError
from ....core.samples.arm_sensor_motion import model_at
from ....core.samples.joint_map import JointMap
from ....core.samples.wrench_sampler import WrenchSampler
from ....files.bags.joint_states_bag import JOINT_STATE
from ....files.bags.wrench_bag import WRENCH
from ....files.recordings.wrench_blocks import BLOCK, DEFINITION
from ....files.robots.robot_file import RobotFile
from ....files.robots.robot_model import RobotModel
from ...common.conversions import decoded, stamp_of
from ...common.joint_state_reader import JointStateReader
from ...common.polled_subscription import PolledSubscription
from ...common.wrench_blocks import wrench_block
from ...lifecycle.managed_node import ManagedNode
from ..parameters import SamplerParameters
from .intake import Finding, Intake, Record

TOPIC = "wrench"  # remapped to the sensor's


class WrenchIntake(Intake):
    """Knows what was received, accepted and dropped, and of which frames."""

    block_type, recorded, what = WrenchBlock, ((BLOCK, DEFINITION),), "wrench and joint states"

    def __init__(self, node: ManagedNode, settings: SamplerParameters, robot: RobotFile) -> None:
        """Subscribe."""
        if abs(settings.wrench_sign) != 1.0:
            raise ConfigurationError(
                f"The parameter wrench_sign is 1 or -1; found {settings.wrench_sign:g}."
            )
        super().__init__(node, settings, robot, "best_effort")
        self._reader = JointStateReader()
        self._frame = settings.sensor_frame or robot.payload_frame
        self.sampler = WrenchSampler(
            model_at(RobotModel.from_robot_file(robot), self._frame),
            JointMap(robot.joints),
            robot.joint_states.rate,
            settings.bandwidth,
            settings.wrench_sign,
        )
        profile = QoSProfile(depth=settings.queue, reliability=ReliabilityPolicy.BEST_EFFORT)
        self._wrenches = PolledSubscription(node, WrenchStamped, TOPIC, profile)
        self.topics = (
            f"wrenches of frame '{self._frame}' on {self._wrenches.topic} and joint states of "
            f"'{robot.name}' on {self._states.topic}"
        )
        self._frames: Counter[str] = Counter()  # of the wrenches since the last look
        self._before: Counter[str] = Counter()  # as of the last look
        self._others = 0  # wrenches of another frame

    def forget(self) -> None:
        """Let go what has arrived so far."""
        super().forget()
        self._wrenches.forget()

    def take(self, record: Record) -> None:
        """Take in what has arrived."""
        for data, received_ns in self._states.take_all(self._settings.queue):
            record(self._states.topic, JOINT_STATE, received_ns, data)
            if (state := self._reader.read(data)) is not None:
                self.sampler.offer_joints(*state[:4])
        for data, received_ns in self._wrenches.take_all(self._settings.queue):
            record(self._wrenches.topic, WRENCH, received_ns, data)
            if (message := decoded(data, WrenchStamped)) is not None:
                self._take(message)

    def _take(self, message: WrenchStamped) -> None:
        """Make a wrench of the right frame a sample."""
        self._arrived = time.monotonic()
        frame = message.header.frame_id or self._frame
        self._frames[frame] += 1
        if frame != self._frame:
            self._others += 1
            return
        force, torque = message.wrench.force, message.wrench.torque
        values = np.array([force.x, force.y, force.z, torque.x, torque.y, torque.z])
        self.sampler.offer_wrench(stamp_of(message.header.stamp), values)

    def block(self) -> WrenchBlock | None:
        """Return the samples since the last call."""
        first = self.sampler.accepted
        taken = self.sampler.take()
        return None if taken is None else wrench_block(*taken, self._frame, first, self.sampler)

    def record_block(self, topic: str, block: Any, record: Record) -> None:
        """Record a block: a replay takes these samples, bit for bit."""
        record(topic, BLOCK, 0, serialize_message(block))

    def look(self) -> Finding:
        """Judge what has been arriving."""
        sampler = self.sampler
        counts = Counter(sampler.dropped)
        counts.update(received=sampler.received, accepted=sampler.accepted)
        news, self._before = counts - self._before, counts
        frames, self._frames = self._frames, Counter()
        received, accepted = news.pop("received", 0), news.pop("accepted", 0)
        return Finding(
            self._silence(self._wrenches.topic, WRENCH, f"--ros-args -r {TOPIC}:=", "force sensor"),
            self._uselessness(received, accepted, news, frames),
            self._doubt(received, accepted, frames),
            f"{sampler.accepted} samples passed on.",
            self._figures(),
        )

    def _uselessness(
        self, received: int, accepted: int, dropped: Counter[str], frames: Counter[str]
    ) -> str:
        """Say that nothing of what arrives can be used, or is of another sensor; else empty."""
        topic = self._wrenches.topic
        if received and not accepted and dropped:
            causes = ", ".join(f"{count} {cause}" for cause, count in dropped.items())
            return (
                f"None of the newest {received} wrenches on {topic} can be used: {causes}. See "
                "what the sensor's driver publishes, and its clock."
            )
        if not frames or self._frame in frames:
            return ""
        return (
            f"Wrenches on {topic} are of frame '{next(iter(frames))}', and this node was told "
            f"'{self._frame}'. Set sensor_frame to the frame of the messages; it must be in the "
            "robot's description."
        )

    def _doubt(self, received: int, accepted: int, frames: Counter[str]) -> str:
        """Say what else somebody should look at; empty: nothing."""
        topic = self._wrenches.topic
        if other := next((x for x in frames if x != self._frame), ""):
            return (
                f"Wrenches of frame '{other}' arrive on {topic} as well, and are left out. Give "
                "each sensor a topic of its own."
            )
        if received and not accepted:
            return (
                f"Wrenches arrive on {topic}, but no joint states around them on "
                f"{self._states.topic}. Check that both drivers use one clock."
            )
        return ""

    def _figures(self) -> dict[str, object]:
        """Return the figures of the diagnostics."""
        sampler = self.sampler
        return {
            "topic": self._wrenches.topic,
            "sensor frame": self._frame,
            "delay [joint states]": sampler.delay,
            "of another frame": self._others,
            **{f"dropped: {cause}": count for cause, count in sampler.dropped.items()},
            **{
                f"joint states dropped: {cause}": count
                for cause, count in sampler.dropped_joint_states.items()
            },
        }
