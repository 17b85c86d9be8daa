"""The estimator's subscription to blocks of samples: decoded, counted, handed on as rows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node
from rclpy.task import Future as RosFuture

from ...core.errors import InputError
from ...core.samples.ring_buffer import SampleRows
from ..common.conversions import decoded
from ..common.throttled_log import ThrottledLog
from ..common.topic_report import publisher_names
from ..common.topics import BLOCKS, LATCHED, SILENT, UNRECORDED, UNUSABLE
from .block_watch import PARTING, BlockWatch
from .sources.sample_source import SampleSource

SILENCE = 1.0  # [s] without samples during a run, after which that is reported
ABSENT = 4.0  # [s] without its condition, which it tells each second
MEETING = 2.0  # [s] within which a sampler that runs is found
QUIET = 1.0  # [s] without a block, after which none is on its way any more
LONGEST = 3.0  # [s] for blocks on their way, at most


@dataclass
class _Wait:
    """Somebody who waits for the blocks that were published before a moment [ns]."""

    moment: int
    done: RosFuture
    quiet_until: float
    until: float


class BlockSubscription:
    """Hands samples on.

    Attributes:
        topic: Full name of the topic.
        watch: What is known of the blocks received.
    """

    def __init__(
        self,
        node: Node,
        source: SampleSource,
        topic: str,
        write: Callable[[SampleRows, int], None],
        log: ThrottledLog,
    ) -> None:
        """Subscribe.

        Args:
            node: The node.
            source: Whose blocks they are.
            topic: The topic; empty: that of the source's sampler.
            write: Called with the rows of each block, and the samples that are missing before it.
            log: For blocks that cannot be used.
        """
        self.watch = BlockWatch()
        self._node, self._source, self._write, self._log = node, source, write, log
        self._newest = time.monotonic()
        self._waits: list[_Wait] = []
        self._seekers: list[tuple[float, RosFuture]] = []  # until when they look for a sampler
        self._condition = DiagnosticStatus()  # the sampler's
        self._condition_at: float | None = None  # when it was heard; None: never
        self._subscription = node.create_subscription(
            source.block_type,
            topic or f"{source.sampler}/samples",
            self._on_block,
            BLOCKS,
            raw=True,
        )
        self.topic = str(self._subscription.topic_name)
        self.sampler = self.topic.rpartition("/")[0]
        node.create_subscription(
            DiagnosticStatus, f"{self.sampler}/condition", self._on_condition, LATCHED
        )

    def _on_condition(self, message: DiagnosticStatus) -> None:
        """Remember how the sampler is."""
        self._condition, self._condition_at = message, time.monotonic()

    def reason(self) -> str:
        """Return why the sampler makes no samples, as it says itself; empty if it says nothing."""
        if not self._node.count_publishers(self.topic):
            return f"Nobody publishes {self.topic}: start the sampler, or correct samples_topic."
        if gone := self._absence():
            return gone
        said = self._said(UNUSABLE) or self._said(SILENT)
        return f"The sampler says: {said}" if said else ""

    def _absence(self) -> str:
        """Say that a sampler that told how it is has ceased to; empty: it has not.

        Of one that was killed the middleware says for a while that it is there.
        """
        at = max(self._newest, self._condition_at or np.inf)
        if not time.monotonic() - at > ABSENT:
            return ""
        return (
            f"Nothing has been heard of the sampler that publishes {self.topic} for "
            f"{time.monotonic() - at:.1f} s: it may have ended. Start it again."
        )

    def unrecorded(self) -> str:
        """Return what the sampler's recording lacks, as it says; empty if it says nothing."""
        return self._said(UNRECORDED)

    def remarks(self, running: bool) -> str:
        """Return what an answer should say of the samples beside what was found in them."""
        several = self.several_samplers() if self.watch.others else ""
        return " ".join(x for x in (self.silence() if running else "", several) if x)

    def _said(self, figure: str) -> str:
        """Return a figure of the sampler's condition; empty if it has none of that name."""
        return next((x.value for x in self._condition.values if x.key == figure), "")

    async def obstacle(self) -> str:
        """Return why a run that begins now would get no samples; empty if nothing speaks for it.

        A driver that is silent is none: it, or a recording, may be started next.
        """
        if not self._node.count_publishers(self.topic):
            found = RosFuture()
            self._seekers.append((time.monotonic() + MEETING, found))
            await found
        met = self._node.count_publishers(self.topic)
        gone = self._absence()
        return self.reason() if gone or self._said(UNUSABLE) or not met else ""

    def _on_block(self, data: bytes, about: dict[str, Any]) -> None:
        """Hand a block on, and note when it was published."""
        self._newest = time.monotonic()
        for wait in self._waits:
            wait.quiet_until = self._newest + QUIET
            if about["source_timestamp"] > wait.moment:
                wait.until = self._newest
        block = decoded(data, self._source.block_type)
        if block is None:
            self._log.warn(
                "undecodable",
                f"A message on {self.topic} could not be decoded. Build sampler and estimator from "
                "the same message definitions.",
            )
            return
        if not self.watch.admit(block.sampler, self._newest):
            self._log.warn("samplers", self.several_samplers())
            return
        missing = self.watch.see(block.sequence, block.first_index, len(block.stamp_ns))
        if missing:
            self._log.warn("lost", f"{missing} samples were lost between sampler and estimator.")
        try:
            self._write(self._source.rows(block), missing)
        except InputError as error:
            self._log.warn("block", str(error))

    def take_waiting(self) -> None:
        """Hand on the blocks that have arrived and wait in the middleware's queue."""
        with self._subscription.handle:
            while taken := self._subscription.handle.take_message(self._source.block_type, True):
                self._on_block(*taken)

    async def caught_up(self) -> None:
        """Wait until the blocks that have been published so far are handed on.

        The middleware keeps no order between topics: a request may overtake blocks. That all have
        come is told by one that was published later, or by silence; without a publisher none comes.
        """
        now = time.monotonic()
        quiet = QUIET if self._node.count_publishers(self.topic) else 0.0
        wait = _Wait(time.time_ns(), RosFuture(), now + quiet, now + LONGEST)
        self._waits.append(wait)
        await wait.done

    def look(self) -> None:
        """Wake those whose blocks have come; a timer of the node calls this."""
        now = time.monotonic()
        met = bool(self._seekers) and self._node.count_publishers(self.topic) > 0
        for seeker in [x for x in self._seekers if met or now > x[0]]:
            self._seekers.remove(seeker)
            seeker[1].set_result(None)
        if not self._waits:
            return
        self.take_waiting()
        now = time.monotonic()
        for wait in list(self._waits):
            if now >= min(wait.quiet_until, wait.until):
                self._waits.remove(wait)
                wait.done.set_result(None)

    def several_samplers(self) -> str:
        """Say that several nodes publish blocks on the topic; empty while only one does."""
        count = self._node.count_publishers(self.topic)
        if count < 2:
            return ""
        return (
            f"{count} samplers publish {self.topic}: "
            f"{', '.join(publisher_names(self._node, self.topic))}. The blocks of the one that "
            f"came first are used, of another once it is silent for {PARTING:g} s. End the others, "
            "or set samples_topic to the one that is meant."
        )

    def silence(self) -> str:
        """Say that no samples arrive; empty while they do."""
        seconds = time.monotonic() - self._newest
        if seconds <= SILENCE:
            return ""
        publishers = ", ".join(publisher_names(self._node, self.topic))
        who = (
            f"It is published by {publishers}: read that node's diagnostics"
            if publishers
            else "Nobody publishes it: start the sampler, or correct samples_topic"
        )
        return f"No samples have come on {self.topic} for {seconds:.1f} s. {who}."
