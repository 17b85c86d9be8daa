"""The thread that identifies: feeds the run, solves, carries out requests; it knows no ROS.

While it solves, samples gather in the ring buffer; whatever happens in it becomes a report, never a
dead thread.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from ..common.error_sentence import error_sentence
from .looping_thread import LoopingThread

PAUSE = 0.1  # [s] between two looks into the ring buffer; a request ends it at once
REPORT = "Please report it together with the recording."


class Control(Protocol):
    """What a worker feeds, and asks to carry out requests."""

    def advance(self) -> bool:
        """Take in what has arrived, and update if that is due; return whether it was."""
        ...

    def handed_over(self) -> int:
        """Return how much has arrived so far; any thread may call it."""
        ...

    def drain(self, until: int | None = None) -> bool:
        """Take in what has arrived, by a value of `handed_over`; return whether there was any."""
        ...

    def fail(self, sentence: str) -> None:
        """Make an error the newest report."""
        ...

    def refusal(self) -> Any:
        """Return the answer to a request that ended in an error."""
        ...


class RunWorker:
    """Carries out runs in a thread of its own; `request` may be called by any other."""

    def __init__(self, control: Control) -> None:
        """Start the thread; from now on only it may call methods of `control`, but for `write`."""
        self._control = control
        self._requests: SimpleQueue[tuple[Callable[[], Any], int, Future[Any]]] = SimpleQueue()
        self._thread = LoopingThread("identification", PAUSE, self._step)
        self._thread.start()

    def request(self, action: Callable[[], Any]) -> Future[Any]:
        """Have a method of the control called in the thread, after the samples handed over by now.

        What comes while the thread is busy is of the time after the call: the arm may carry another
        payload by then.

        Args:
            action: `start`, `stop`, `reset`, `tare`, `estimate`, or a call of `save`.
        """
        future: Future[Any] = Future()
        self._requests.put((action, self._control.handed_over(), future))
        self._thread.wake()
        return future

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
                future.set_result(self._control.refusal() if answer is None else answer)
            except Exception as error:  # not even the report of an error came through
                future.set_exception(error)

    def _guard(self, action: Callable[[], object]) -> object:
        """Return what a call returns; make an error a report, and return None."""
        try:
            return action()
        except Exception as error:  # the thread must outlive any error
            self._control.fail(error_sentence(error, REPORT))
            return None
