"""The thread that watches for contact once a payload is known; it knows no ROS.

It has its own copy of the samples, so that an update that takes long delays no judgement. What it
cannot judge in time is lost to it, never late: its buffer holds `LATEST` seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ...core.arrays import Array
from ...core.contact import ContactWatch, FeasibleSet, Judgement
from ...core.identification.estimate import Estimate
from ...core.identification.status import USABLE, Status
from ...core.rows.joint_torque.momentum import MomentumRows
from ...core.samples.joint_samples import Samples
from ...core.samples.sample_rows import SampleRows
from ...core.samples.stamps import NANOSECONDS, seconds_since
from ..common.error_sentence import error_sentence
from ..runs.looping_thread import LoopingThread
from ..runs.part_queue import PartQueue
from .sources.live_run import Established

LATEST = 1.0  # [s] of samples that may wait, or three windows where that is more


@dataclass(frozen=True, eq=False)
class _Lesson:
    """What is to be known from now on."""

    established: Established
    phi: Array


@dataclass(frozen=True, eq=False)
class _Watching:
    """A watch for contact: of which arm, since when, and what it has taken in [ns]."""

    watch: ContactWatch
    source: MomentumRows
    start_ns: int
    newest_ns: int = 0
    lesson: _Lesson | None = None


class ContactWorker:
    """Judges samples in a thread of its own; `write` and `learn` may be called by others.

    What it knows is the newest usable estimate of the run. After a contact it learns nothing more
    until another run begins: data that something else has touched say nothing of the payload.
    """

    def __init__(
        self,
        window: float,
        rate: float,
        publish: Callable[[Judgement, int], None],
        fail: Callable[[str], None],
    ) -> None:
        """Start the thread.

        Args:
            window: Length of a window [s].
            rate: Of the samples [Hz].
            publish: Called with each judgement and the stamp of its newest sample [ns].
            fail: Called with a sentence about an error.
        """
        self._window, self._publish, self._fail = window, publish, fail
        self._queue = PartQueue[SampleRows](max(1, int(max(LATEST, 3.0 * window) * rate)))
        self._lesson: _Lesson | None = None
        self._touched, self._since = False, 0.0
        self._watching: _Watching | None = None
        self._thread = LoopingThread("contact", self._step)

    def write(self, rows: SampleRows) -> None:
        """Hand over samples; returns at once. Without a payload they are let go."""
        if self._lesson is not None:
            self._queue.put(rows)
            self._thread.wake()

    def learn(self, estimate: Estimate, established: Callable[[], Established | None]) -> None:
        """Take up an estimate if it is usable; forget all when a run or a payload begins anew.

        Args:
            estimate: The newest.
            established: Gives what goes with it.
        """
        if estimate.status is Status.WAITING or estimate.since > self._since:
            self._lesson, self._touched = None, False
            self._since = estimate.since if estimate.since > 0.0 else 0.0
        if estimate.status in USABLE and not self._touched:
            found = established()
            if found is not None and len(found.rows):
                self._lesson = _Lesson(found, estimate.phi)

    def close(self) -> None:
        """End the thread once it has finished what it is doing."""
        self._thread.close()

    def _step(self) -> None:
        """Judge what has arrived."""
        try:
            parts, _ = self._queue.take()
            if parts and (lesson := self._lesson) is not None:
                self._judge(SampleRows.joined(parts), lesson)
        except Exception as error:  # the thread must outlive any error
            self._fail(error_sentence(error, "Please report it."))

    def _judge(self, rows: SampleRows, lesson: _Lesson) -> None:
        """Judge samples by what is known."""
        found, before = lesson.established, self._watching
        # Other bounds, another arm, or a clock that was set back ask for another watch.
        if before is None or before.source is not found.source or (
            rows.stamp_ns[0] <= before.newest_ns
        ):  # fmt: skip
            watch = ContactWatch(found.source, self._window)
            before = _Watching(watch, found.source, int(rows.stamp_ns[0]))
        if before.lesson is not lesson:
            before.watch.know(FeasibleSet.of(found.rows, found.interval), lesson.phi)
        rows, start = rows.newer_than(before.newest_ns), before.start_ns
        self._watching = replace(before, lesson=lesson, newest_ns=int(rows.stamp_ns[-1]))
        samples = Samples(seconds_since(rows.stamp_ns, start), rows.q, rows.dq, rows.tau)
        for judgement in before.watch.add(samples):
            self._touched = self._touched or judgement.certain
            self._publish(judgement, start + round(judgement.end * NANOSECONDS))
