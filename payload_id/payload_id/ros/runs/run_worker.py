"""The thread that identifies: feeds the run, solves, carries out requests; it knows no ROS.

While it solves, what was measured waits; whatever happens in it becomes a report, never a
dead thread.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from ..common.error_sentence import error_sentence
from ..common.timeouts import TELL
from .looping_thread import LoopingThread
from .run_control import RunControl

LONGEST = 3.0  # [s] for samples on their way, at most
REPORT = "Please report it together with the recording."


@dataclass(frozen=True)
class Turn:
    """A request that takes effect at a moment: what was published before counts before it.

    Attributes:
        action: What is asked of the control.
        stamp_ns: The moment, by the clock that stamps publications [ns].
        asked: When it came, by `time.monotonic` [s].
        future: Of its answer.
    """

    action: Callable[[], Any]
    stamp_ns: int
    asked: float
    future: Future[Any]


class RunWorker:
    """Carries out runs in a thread of its own; one other thread writes and asks.

    The middleware keeps no order between topics: a request may overtake samples. So one that
    divides samples takes effect at its stamp: that all before it have come is told by samples that
    were published later, or by silence.
    """

    def __init__(self, control: RunControl[Any]) -> None:
        """Start the thread; from now on only it may call methods of `control`, but for `write`."""
        self._control = control
        self._turns: list[Turn] = []
        self._requests: SimpleQueue[tuple[Callable[[], Any], int, Future[Any]]] = SimpleQueue()
        self._thread = LoopingThread("identification", self._step)

    def request(self, action: Callable[[], Any]) -> Future[Any]:
        """Have a method of the control called in the thread, after the samples handed over by now.

        What comes while the thread is busy is of the time after the call: the arm may carry another
        payload by then.

        Args:
            action: `estimate`, a call of `save`, or whatever divides no samples.
        """
        future: Future[Any] = Future()
        self._put(action, future)
        return future

    def divide(self, action: Callable[[], Any], stamp_ns: int) -> Future[Any]:
        """Have a method called that divides the samples: see `Turn`.

        Args:
            action: `start`, `stop`, `reset`, `tare` or `hold_out`.
            stamp_ns: When it takes effect, by the clock that stamps publications [ns].
        """
        turn = Turn(action, stamp_ns, time.monotonic(), Future())
        self._turns.append(turn)
        return turn.future

    @property
    def waits(self) -> bool:
        """Whether requests wait for what was published before them."""
        return bool(self._turns)

    def let_in(self, published_ns: int) -> None:
        """Have requests take effect before samples that are too late for them are written.

        Args:
            published_ns: When they were published [ns].
        """
        self._take_turns(lambda turn: published_ns > turn.stamp_ns)

    def look(self, heard: float) -> None:
        """Have requests take effect for which no more samples come.

        Args:
            heard: When samples came last, by `time.monotonic` [s]; -inf: nobody sends any.
        """
        now = time.monotonic()
        self._take_turns(
            lambda turn: (
                now - turn.asked > LONGEST
                or heard == -math.inf
                or now - max(turn.asked, heard) > TELL
            )
        )

    def _take_turns(self, is_due: Callable[[Turn], bool]) -> None:
        """Put the first requests to the thread, as long as they are due."""
        while self._turns and is_due(self._turns[0]):
            turn = self._turns.pop(0)
            self._put(turn.action, turn.future)

    def _put(self, action: Callable[[], Any], future: Future[Any]) -> None:
        """Put a request to the thread, behind the samples handed over by now."""
        self._requests.put((action, self._control.queue.written, future))
        self._thread.wake()

    def close(self) -> None:
        """End the thread once it has finished what it is doing."""
        self._thread.close()

    def _step(self) -> None:
        """Carry out requests, take in samples, update when due."""
        self._carry_out_requests()  # first: what was asked is of what had come by then
        if self._guard(self._control.advance):
            self._thread.wake()  # look again at once: samples may have gathered meanwhile

    def _carry_out_requests(self) -> None:
        """Carry out what was asked for meanwhile."""
        while True:
            try:
                action, until, future = self._requests.get_nowait()
            except Empty:
                return
            try:
                self._guard(lambda: self._control.drain(until))  # noqa: B023 - called at once
                answer = self._guard(action)
                failed = self._control.answer(False, self._control.report.message)
                future.set_result(failed if answer is None else answer)
            except Exception as error:  # not even the report of an error came through
                future.set_exception(error)

    def _guard(self, action: Callable[[], object]) -> object:
        """Return what a call returns; make an error a report, and return None."""
        try:
            return action()
        except Exception as error:  # the thread must outlive any error
            self._control.fail(error_sentence(error, REPORT))
            return None
