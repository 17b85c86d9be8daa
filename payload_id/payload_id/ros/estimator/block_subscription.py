"""What the estimator hears of its sampler: blocks of samples, and how it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from payload_id_msgs.msg import SamplerState
from rclpy.node import Node

from ...core.errors import InputError
from ...core.samples.sample_rows import SampleRows
from ..common.awaited_answers import until
from ..common.conversions import decoded
from ..common.timeouts import LOG, SILENT, TELL
from ..common.topic_report import publisher_names
from ..common.topics import BLOCKS, LATCHED
from .block_watch import PARTING, BlockWatch
from .sources.live_run import LiveRun

SAMPLES, STATE = "payload_sampler/samples", "payload_sampler/state"  # remapped to other samplers'
MEETING = 2.0  # [s] within which a sampler that runs is found


class BlockSubscription:
    """Hands samples on.

    Attributes:
        topic: Full name of the topic.
        watch: What is known of the blocks received.
        state: What the sampler told last, of several of them the one whose blocks are used.
        heard: When blocks or state came last, by `time.monotonic` [s].
        newest: When a block came last, likewise [s].
    """

    def __init__(
        self,
        node: Node,
        run: LiveRun,
        write: Callable[[SampleRows, int, int], None],
        note: Callable[[SamplerState], None],
    ) -> None:
        """Subscribe.

        Args:
            node: The node.
            run: Reads the blocks.
            write: Called with the rows of each block, the samples that are missing before it, and
                when it was published [ns].
            note: Called with each state of the sampler.
        """
        self.watch, self.state = BlockWatch(), SamplerState()
        self._node, self._run, self._write = node, run, write
        self._log, self._note = node.get_logger(), note
        self.heard = time.monotonic()
        self.newest = self.heard
        self.topic = str(
            node.create_subscription(
                run.block_type, SAMPLES, self._on_block, BLOCKS, raw=True
            ).topic_name
        )
        self.sampler = self.topic.rpartition("/")[0]
        node.create_subscription(SamplerState, STATE, self._on_state, LATCHED)

    def _on_state(self, message: SamplerState) -> None:
        """Remember how the sampler is."""
        self.heard = time.monotonic()
        if self.watch.admits(message.sampler, self.heard):
            self.state = message
            self._note(message)

    def _fault(self) -> str:
        """Return why the sampler makes no samples, be the driver silent or not; empty: it may."""
        if not self._node.count_publishers(self.topic):
            return f"Nobody publishes {self.topic}: start the sampler, or remap {SAMPLES}."
        if self.state.unusable:
            return f"The sampler says: {self.state.unusable}"
        silent = time.monotonic() - self.heard
        if self.state.sampler and silent > SILENT:  # of one that was killed DDS says it is there
            return (
                f"Nothing has been heard of the sampler that publishes {self.topic} for "
                f"{silent:.1f} s: it may have ended. Start it again."
            )
        return ""

    async def obstacle(self) -> str:
        """Return why a run that begins now would get no samples; empty if nothing speaks for it.

        A driver that is silent is none: it, or a recording, may be started next.
        """
        await until(self._node, lambda: self._node.count_publishers(self.topic) > 0, MEETING)
        return self._fault()

    def _on_block(self, data: bytes, about: dict[str, Any]) -> None:
        """Hand a block on."""
        self.newest = time.monotonic()
        block = decoded(data, self._run.block_type)
        if block is None:
            self._log.warning(
                f"A message on {self.topic} could not be decoded. Build sampler and estimator from "
                "the same message definitions.",
                throttle_duration_sec=LOG,
            )
            return
        if not self.watch.admits(block.sampler, self.newest):
            self._log.warning(self.rivalry(), throttle_duration_sec=LOG)
            return
        self.heard = self.newest
        self.watch, missing = self.watch.seen(
            block.sampler, block.first_index, len(block.stamp_ns), self.newest
        )
        if missing:
            self._log.warning(
                f"{missing} samples were lost between sampler and estimator.",
                throttle_duration_sec=LOG,
            )
        try:
            self._write(self._run.rows(block), missing, about["source_timestamp"])
        except InputError as error:
            self._log.warning(str(error), throttle_duration_sec=LOG)

    def rivalry(self) -> str:
        """Say that several nodes publish blocks; empty: one does."""
        count = self._node.count_publishers(self.topic)
        if count < 2:
            return ""
        return (
            f"{count} samplers publish {self.topic}: "
            f"{', '.join(publisher_names(self._node, self.topic))}. The blocks of the one that "
            f"came first are used, of another once it is silent for {PARTING:g} s. End the others, "
            f"or remap {SAMPLES}."
        )

    def silence(self) -> str:
        """Say, and log, that no samples arrive; empty while they do."""
        seconds = time.monotonic() - self.newest
        if seconds <= TELL:
            return ""
        why = self._fault() or f"The sampler says: {self.state.silent or 'nothing'}"
        said = f"No samples have come on {self.topic} for {seconds:.1f} s. {why}"
        self._log.warning(said, throttle_duration_sec=LOG)
        return said
