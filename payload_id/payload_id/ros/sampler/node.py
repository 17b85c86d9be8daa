"""The sampler: measurements in, blocks of checked samples out, everything recorded as received."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from typing import Any

from payload_id_msgs.msg import SamplerState

from ...files.robots.robot_file import RobotFile
from ..common.diagnostics import Condition, Level
from ..common.main_loop import run
from ..common.parameters import read_parameters
from ..common.raw_recording import RawRecording
from ..common.steady_timer import steady_timer
from ..common.throttled_log import ThrottledLog
from ..common.topics import BLOCKS, LATCHED
from ..lifecycle.managed_node import ManagedNode
from .parameters import SAMPLER_TABLE, SamplerParameters
from .sources import INTAKES


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
        self._settings = SamplerParameters.of(read_parameters(self, SAMPLER_TABLE))
        self.robot = RobotFile.load(self._settings.robot_file)
        self._intake = INTAKES[self._settings.source](self, self._settings, self.robot)
        self._recording = RawRecording(
            self, self._settings.bag, self._settings.bag_storage, self._intake.what
        )
        for entry in self._intake.recorded:
            self._recording.add_message_type(*entry)
        self._sequence, self._identity = 0, secrets.randbits(63)
        self._log = ThrottledLog(self)
        self._samples = self.create_publisher(self._intake.block_type, "~/samples", BLOCKS)
        self._state = self.create_publisher(SamplerState, "~/state", LATCHED)
        steady_timer(self, self._settings.block_period, self._on_block_due)
        self._publish_rest()
        self.get_logger().info(f"Waiting for {self._intake.topics}.")

    def activate(self) -> None:
        """Begin to record what arrives from now on."""
        self._intake.forget()
        self._recording.begin()
        self._publish_state("", "")

    def deactivate(self) -> None:
        """Pass on what has arrived, and end the recording."""
        self._on_block_due()
        self._recording.close()
        self._publish_rest()

    def _on_block_due(self) -> None:
        """Take what has arrived and pass on what can be used."""
        self._intake.take(self._recording.write)
        block = self._intake.block()
        if block is None:
            return
        block.sequence, block.sampler = self._sequence, self._identity
        if self._recording.path:
            topic = self._samples.topic_name
            self._intake.record_block(topic, block, self._recording.write)
        self._samples.publish(block)
        self._sequence += 1

    def _publish_rest(self) -> None:
        """Publish that no samples are made while the node is inactive."""
        name = self.get_fully_qualified_name()
        self._publish_state(
            "", f"The node {name} is inactive: `ros2 lifecycle set {name} activate`."
        )

    def _publish_state(self, silent: str, unusable: str) -> None:
        """Publish how it is."""
        message = SamplerState(
            sampler=self._identity,
            source=self._settings.source,
            received=self._intake.sampler.received,
            accepted=self._intake.sampler.accepted,
            silent=silent,
            unusable=unusable,
            recording=self._recording.path,
            unrecorded=self._recording.loss(),
        )
        message.header.stamp = self.get_clock().now().to_msg()
        self._state.publish(message)

    def condition(self) -> Condition:
        """Judge what has been arriving; log it while it is bad."""
        found, loss = self._intake.look(), self._recording.loss()
        self._publish_state(found.silent, found.unusable)
        level, sentence = Level.OK, found.fine
        if bad := found.silent or found.unusable or loss:
            level, sentence = Level.ERROR, bad
        elif found.doubt:
            level, sentence = Level.WARN, found.doubt
        if level is not Level.OK:
            self._log.warn("condition", sentence)
        figures = {
            **found.figures,
            "received": self._intake.sampler.received,
            "accepted": self._intake.sampler.accepted,
            "blocks": self._sequence,
            "bag": self._recording.path,
        }
        return Condition(level, sentence, figures)


def main(args: Sequence[str] | None = None) -> int:
    """Run the sampler until SIGINT or SIGTERM; returns the exit code."""
    return run([SamplerNode], args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
