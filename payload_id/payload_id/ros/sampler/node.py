"""The sampler: measurements in, blocks of checked samples out, everything recorded as received."""

from __future__ import annotations

import itertools
import secrets
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from payload_id_msgs.msg import SamplerState
from rclpy.publisher import Publisher

from ...files.robots.robot_file import RobotFile
from ..common.diagnostics import Condition, Level
from ..common.main_loop import run
from ..common.parameters import read_parameters
from ..common.raw_recording import RawRecording
from ..common.steady_timer import steady_timer
from ..common.timeouts import LOG
from ..common.topics import BLOCKS, LATCHED
from ..lifecycle.managed_node import ManagedNode
from .parameters import SAMPLER_TABLE, SamplerParameters
from .sources import INTAKES, JointTorqueIntake, WrenchIntake


@dataclass(frozen=True)
class Parts:
    """What a configured sampler consists of; `numbers`: of its blocks, all with its `identity`."""

    settings: SamplerParameters
    intake: JointTorqueIntake | WrenchIntake
    recording: RawRecording
    samples: Publisher
    state: Publisher
    identity: int
    numbers: Iterator[int]


class SamplerNode(ManagedNode):
    """Publishes `~/samples`, `~/state` and /diagnostics of one source of measurements.

    Attributes:
        robot: The robot file.
    """

    def __init__(self, **options: Any) -> None:
        """Make the node; options are arguments of rclpy's Node, such as parameter_overrides."""
        super().__init__("payload_sampler", SAMPLER_TABLE, "samples", **options)

    def configure(self) -> None:
        """Read parameters and robot file, and subscribe.

        Raises:
            PayloadIdError: A parameter or a file cannot be used, or nothing is measured.
        """
        settings = SamplerParameters.of(read_parameters(self, SAMPLER_TABLE))
        self.robot = RobotFile.load(settings.robot_file)
        intake = INTAKES[settings.source](self, settings, self.robot)
        recording = RawRecording(self, settings.bag, intake.what)
        for entry in intake.recorded:
            recording.add_message_type(*entry)
        self._parts = Parts(
            settings,
            intake,
            recording,
            self.create_publisher(intake.block_type, "~/samples", BLOCKS),
            self.create_publisher(SamplerState, "~/state", LATCHED),
            secrets.randbits(63),
            itertools.count(),
        )
        steady_timer(self, settings.block_period, self._on_block_due)
        self._publish_rest()
        self.get_logger().info(f"Waiting for {intake.topics}.")

    def activate(self) -> None:
        """Begin to record what arrives from now on."""
        self._parts.intake.forget()
        self._parts.recording.begin()
        self._publish_state("", "")

    def deactivate(self) -> None:
        """Pass on what has arrived, and end the recording."""
        self._on_block_due()
        self._parts.recording.close()
        self._publish_rest()

    def _on_block_due(self) -> None:
        """Take what has arrived and pass on what can be used."""
        parts = self._parts
        parts.intake.take(parts.recording.write)
        block = parts.intake.block()
        if block is None:
            return
        block.sequence, block.sampler = next(parts.numbers), parts.identity
        if parts.recording.path:
            parts.intake.record_block(parts.samples.topic_name, block, parts.recording.write)
        parts.samples.publish(block)

    def _publish_rest(self) -> None:
        """Publish that no samples are made while the node is inactive."""
        name = self.get_fully_qualified_name()
        self._publish_state(
            "", f"The node {name} is inactive: `ros2 lifecycle set {name} activate`."
        )

    def _publish_state(self, silent: str, unusable: str) -> None:
        """Publish how it is."""
        parts = self._parts
        message = SamplerState(
            sampler=parts.identity,
            source=parts.settings.source,
            received=parts.intake.sampler.received,
            accepted=parts.intake.sampler.accepted,
            silent=silent,
            unusable=unusable,
            recording=parts.recording.path,
            unrecorded=parts.recording.loss(),
        )
        message.header.stamp = self.get_clock().now().to_msg()
        parts.state.publish(message)

    def condition(self) -> Condition:
        """Judge what has been arriving; log it while it is bad."""
        parts = self._parts
        found, loss = parts.intake.look(), parts.recording.loss()
        self._publish_state(found.silent, found.unusable)
        figures = {
            **found.figures,
            "received": parts.intake.sampler.received,
            "accepted": parts.intake.sampler.accepted,
            "bag": parts.recording.path,
        }
        bad = found.silent or found.unusable or loss
        remarks = (Level.ERROR, bad), (Level.WARN, found.doubt), (Level.OK, found.fine)
        condition = Condition.of(figures, *remarks)
        if condition.level is not Level.OK:
            self.get_logger().warning(condition.sentence, throttle_duration_sec=LOG)
        return condition


def main(args: Sequence[str] | None = None) -> int:
    """Run the sampler until SIGINT or SIGTERM; returns the exit code."""
    return run([SamplerNode], args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
