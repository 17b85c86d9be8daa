"""Measured joint torques: sensor_msgs/JointState in, payload_id_msgs/SampleBlock out."""

from __future__ import annotations

import time

from payload_id_msgs.msg import SampleBlock

from ....core.samples.joint_state_sampler import ZERO_EFFORT_TIME, JointStateSampler
from ....core.samples.sample_checks import Drop
from ....files.bags.joint_states_bag import JOINT_STATE
from ....files.robots.robot_file import RobotFile
from ...common.conversions import block_message
from ...common.joint_state_reader import JointStateReader
from ...common.timeouts import TELL
from ...common.topic_report import publisher_names
from ...lifecycle.managed_node import ManagedNode
from ..parameters import SamplerParameters
from .intake import Finding, Intake, Record

SLOW = 0.8  # part of the expected rate below which a warning is due


class JointTorqueIntake(Intake):
    """Knows what was received, accepted and dropped, and at which rate."""

    block_type, recorded, what = SampleBlock, (), "joint states"

    def __init__(self, node: ManagedNode, settings: SamplerParameters, robot: RobotFile) -> None:
        """Subscribe."""
        super().__init__(node, settings, robot, settings.reliability)
        self.sampler = JointStateSampler(robot.joint_map(), robot.joint_states.rate)
        self.topics = f"joint states of '{robot.name}' on {self._states.topic}"
        self._before: tuple[int | None, int, int, int] = None, 0, 0, 0  # as of the last look
        self._reader = JointStateReader()
        self._told = set[Drop]()  # causes that were logged; all are counted

    def take(self, record: Record) -> None:
        """Take in what has arrived."""
        messages = []
        for data, received_ns in self._states.take_all(self._settings.queue):
            self._arrived = time.monotonic()
            record(self._states.topic, JOINT_STATE, received_ns, data)
            if (message := self._reader.read(data)) is not None:
                messages.append(message)
                continue
            self.sampler.offer_all(messages)
            messages.clear()
            self.sampler.unreadable()
        self.sampler.offer_all(messages)
        news = self.sampler.complaint
        if news is not None and news.cause not in self._told:
            self._told.add(news.cause)
            self._node.get_logger().warning(news.sentence)

    def block(self) -> SampleBlock | None:
        """Return the samples since the last call."""
        rows, sampler = self.sampler.take(), self.sampler
        if not len(rows):
            return None
        return block_message(
            rows, self._robot.joints, sampler.received, sampler.dropped, sampler.pace.gaps
        )

    def look(self) -> Finding:
        """Judge what has been arriving."""
        sampler, newest = self.sampler, self.sampler.pace.newest_ns
        before, received, accepted, old = self._before
        out_of_turn = sum(
            sampler.dropped.get(cause.value, 0)
            for cause in (Drop.DUPLICATE, Drop.OUT_OF_ORDER, Drop.STAMP_LEAP)
        )
        self._before = newest, sampler.received, sampler.accepted, out_of_turn
        # Time as the stamps tell it, be it simulated.
        passed = TELL if newest is None or before is None else 1e-9 * (newest - before)
        rate = (sampler.accepted - accepted) / passed if passed > 0.0 else 0.0
        return Finding(
            self._silence(self._states.topic, JOINT_STATE),
            self._uselessness(rate, sampler.received - received),
            self._mixed_publishers(out_of_turn - old) or (self._slowness(rate) if before else ""),
            f"Joint states arrive at {rate:.4g} Hz from {self._source_names()}.",
            self._figures(rate),
        )

    def _uselessness(self, rate: float, heard: int) -> str:
        """Say that no payload can be identified of what arrives; empty if one can."""
        sampler, topic = self.sampler, self._states.topic
        if rate == 0.0 and heard and sampler.complaint is not None:
            return f"No message on {topic} can be used. {sampler.complaint.sentence}"
        if sampler.zero_effort_time >= ZERO_EFFORT_TIME:
            return (
                f"Every effort on {topic} has been exactly zero for {sampler.zero_effort_time:.1f} "
                "s; measured joint torques are expected. Switch on the driver's effort state "
                "interface, or remap joint_states to the topic that carries torques."
            )
        return ""

    def _mixed_publishers(self, news: int) -> str:
        """Say that several publishers get in each other's way; empty if they do not.

        One for the arm and another for its gripper do not: they name other joints.

        Args:
            news: Messages since the last look whose stamp was not the next one.
        """
        topic = self._states.topic
        publishers = self._node.count_publishers(topic)
        if publishers < 2 or not news:
            return ""
        return (
            f"{publishers} publishers of {topic} get in each other's way: {self._source_names()}. "
            f"{news} messages since the last look had no newer stamp than those before. End all "
            "but the arm's driver."
        )

    def _slowness(self, rate: float) -> str:
        """Say that joint states arrive more slowly than they should; empty if they do not."""
        expected = self._robot.joint_states.rate
        if rate >= SLOW * expected:
            return ""
        return (
            f"Joint states arrive at {rate:.4g} Hz; the robot file expects {expected:g} Hz. "
            "Correct joint_states.rate there, or look for lost messages."
        )

    def _source_names(self) -> str:
        return ", ".join(publisher_names(self._node, self._states.topic)) or "an unknown node"

    def _figures(self, rate: float) -> dict[str, object]:
        """Return the figures of the diagnostics."""
        sampler, pace = self.sampler, self.sampler.pace
        age = float("nan")
        if pace.newest_ns is not None:
            age = 1e-9 * (self._node.get_clock().now().nanoseconds - pace.newest_ns)
        return {
            "topic": self._states.topic,
            "rate [Hz]": rate,
            "step [s]": pace.step,
            "jitter [s]": pace.jitter,
            "age [s]": age,
            **{f"dropped: {cause}": count for cause, count in sampler.dropped.items()},
            "gaps": pace.gaps,
            "longest gap [s]": pace.longest_gap,
        }
