"""The thread that watches for contact once a payload is known; it knows no ROS.

It has its own copy of the samples, so that an update that takes long delays no judgement. What it
cannot judge in time is lost to it, never late: its buffer holds `LATEST` seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...core.arrays import Array
from ...core.contact import ContactWatch, FeasibleSet, Judgement
from ...core.identification.estimate import Estimate
from ...core.identification.status import Status
from ...core.samples.joint_samples import Samples
from ...core.samples.ring_buffer import RingBuffer, SampleRows
from ...core.samples.stamps import NANOSECONDS, seconds_since
from ..common.error_sentence import error_sentence
from .looping_thread import LoopingThread
from .run_control import READ_MOST, USABLE
from .sources.live_run import Established

LATEST = 1.0  # [s] of samples that may wait, or three windows where that is more
PAUSE = 0.1  # [s] between two looks at whether to end


@dataclass(frozen=True, eq=False)
class _Lesson:
    """What is to be known from now on."""

    established: Established
    phi: Array


class ContactWorker:
    """Judges samples in a thread of its own; `write` and `learn` may be called by others.

    What it knows is the newest usable estimate of the run. After a contact it learns nothing more
    until another run begins: data that something else has touched say nothing of the payload.
    """

    def __init__(
        self,
        window: float,
        columns: int,
        rate: float,
        publish: Callable[[Judgement, int], None],
        fail: Callable[[str], None],
    ) -> None:
        """Start the thread.

        Args:
            window: Length of a window [s].
            columns: Number of joints.
            rate: Of the samples [Hz].
            publish: Called with each judgement and the stamp of its newest sample [ns].
            fail: Called with a sentence about an error.
        """
        self._window, self._publish, self._fail = window, publish, fail
        self._buffer = RingBuffer(max(1, int(max(LATEST, 3.0 * window) * rate)), columns)
        self._news: _Lesson | None = None
        self._knows, self._touched = False, False
        self._watch: ContactWatch | None = None
        self._source: object = None
        self._start_ns: int | None = None
        self._newest_ns = 0
        self._thread = LoopingThread("contact", PAUSE, self._step)
        self._thread.start()

    def write(self, rows: SampleRows) -> None:
        """Hand over samples; returns at once. Without a payload they are let go."""
        if self._knows:
            self._buffer.write(rows)
            self._thread.wake()

    def learn(self, estimate: Estimate, established: Callable[[], Established | None]) -> None:
        """Take up an estimate if it is usable; forget all when a run begins anew.

        Args:
            estimate: The newest.
            established: Gives what goes with it.
        """
        if estimate.status is Status.WAITING:
            self._knows, self._touched, self._news = False, False, None
        elif estimate.status in USABLE and not self._touched:
            found = established()
            if found is not None and len(found.rows):
                self._news, self._knows = _Lesson(found, estimate.phi), True

    def close(self) -> None:
        """End the thread once it has finished what it is doing."""
        self._thread.close()

    def _step(self) -> None:
        """Judge what has arrived."""
        try:
            self._take_in()
        except Exception as error:  # the thread must outlive any error
            self._buffer.clear()
            self._fail(error_sentence(error, "Please report it."))

    def _take_in(self) -> None:
        """Judge all that waits."""
        while len(self._buffer) and not self._thread.closing:
            self._take_up_news()
            rows = self._buffer.read(READ_MOST)
            if not len(rows) or self._watch is None or not self._knows:
                continue
            if rows.stamp_ns[0] <= self._newest_ns:  # the clock was set back: learn anew
                self._watch, self._newest_ns = None, 0
                continue
            rows = rows.newer_than(self._newest_ns)
            self._newest_ns = int(rows.stamp_ns[-1])
            start = self._start_ns = self._start_ns or int(rows.stamp_ns[0])
            samples = Samples(seconds_since(rows.stamp_ns, start), rows.q, rows.dq, rows.tau)
            for judgement in self._watch.add(samples):
                self._touched = self._touched or judgement.certain
                self._publish(judgement, start + round(judgement.end * NANOSECONDS))

    def _take_up_news(self) -> None:
        """Know what was learnt meanwhile; other bounds, or another arm, ask for another watch."""
        news, self._news = self._news, None
        if news is None:
            return
        found = news.established
        if self._watch is None or self._source is not found.source:
            self._watch, self._source = ContactWatch(found.source, self._window), found.source
            self._start_ns, self._newest_ns = None, 0
        self._watch.know(FeasibleSet.of(found.rows, found.interval), news.phi)
