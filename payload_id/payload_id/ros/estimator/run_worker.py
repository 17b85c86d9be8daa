"""The thread that identifies: takes samples out of the ring buffer, solves, carries out requests.

It knows no ROS. While it solves, samples gather in the ring buffer; whatever happens in it becomes
a report, never a dead thread.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue

from ...core.arrays import Array
from ...core.errors import PayloadIdError
from ...core.identification.estimate import Estimate
from ...core.identification.status import Status
from ...core.samples.ring_buffer import RingBuffer, SampleRows
from ...files.runs.run_file import RunFile
from ..common.conversions import Report
from .live_run import LiveRun

READ_MOST = 2000  # samples taken out of the ring buffer at a time
PAUSE = 0.1  # [s] between two looks into the ring buffer; a request ends it at once
USABLE = (Status.GOOD, Status.USABLE, Status.SMALL_LOAD)


@dataclass(frozen=True)
class Answer:
    """What a request led to.

    Attributes:
        success: Whether it was carried out.
        message: One sentence: what happened, or why not and what to do.
        report: The newest estimate.
        path: What was written, if anything.
    """

    success: bool
    message: str
    report: Report
    path: Path | None = None


class RunWorker:
    """Carries out runs in a thread of its own.

    `write` may be called by one other thread, `request` by any.

    Attributes:
        failures: Errors since the start.
    """

    def __init__(
        self, run: LiveRun, n: int, capacity: int, publish: Callable[[Report], None]
    ) -> None:
        """Start the thread, with no run in progress.

        Args:
            run: The identification; from now on only the thread may touch it.
            n: Number of joints.
            capacity: Samples that may wait while a solver runs.
            publish: Called in the thread with every new report.
        """
        self.failures = 0
        self._run, self._publish = run, publish
        self._buffer = RingBuffer(capacity, n)
        self._requests: SimpleQueue[tuple[Callable[[], Answer], Future[Answer]]] = SimpleQueue()
        self._lost: SimpleQueue[int] = SimpleQueue()
        self._wake, self._closing = threading.Event(), threading.Event()
        self._running = False
        self._report = Report(run.waiting("No run is in progress: call the service ~/start."))
        self._thread = threading.Thread(target=self._loop, name="identification", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether a run is in progress."""
        return self._running

    @property
    def lost(self) -> int:
        """Number of samples of this run that never reached the identification."""
        return self._run.lost

    @property
    def waiting_samples(self) -> int:
        """Number of samples that wait in the ring buffer."""
        return len(self._buffer)

    @property
    def report(self) -> Report:
        """The newest report."""
        return self._report

    @property
    def newest_q(self) -> Array | None:
        """Joint positions of the newest sample of the run, shape (n,) [rad or m]."""
        return self._run.newest_q

    def write(self, rows: SampleRows, missing: int = 0) -> None:
        """Hand over samples; returns at once. Without a run they are let go.

        Args:
            rows: The samples.
            missing: Number of samples that were lost before them on the way here.
        """
        if self._running:
            if missing:
                self._lost.put(missing)
            self._buffer.write(rows)

    def request(self, action: Callable[[], Answer]) -> Future[Answer]:
        """Have one of the methods below called in the thread, after the samples handed over.

        Args:
            action: `start`, `stop`, `reset`, `tare`, `estimate`, or a call of `save`.
        """
        future: Future[Answer] = Future()
        self._requests.put((action, future))
        self._wake.set()
        return future

    def close(self) -> None:
        """End the thread once it has finished what it is doing."""
        self._closing.set()
        self._wake.set()
        self._thread.join()

    # Requests: carried out in the thread only.

    def start(self) -> Answer:
        """Begin a run; a tare stays in force if the settings are the same."""
        if self._running:
            return self._answer(
                False,
                f"A run is in progress already ({self._run.progress()}). Call ~/stop to end it, "
                "or ~/reset to begin anew.",
            )
        self._buffer.clear()
        tare_lost = self._run.begin()
        self._running = True
        self._set(self._run.waiting("The run has begun; no update is due yet."))
        known = " with what the tare has taught about the arm" if self._run.tared else ""
        note = " The settings have changed, so the tare was forgotten." if tare_lost else ""
        return self._answer(True, f"The run has begun{known}.{note}")

    def stop(self) -> Answer:
        """End the run: solve for the rest of the data first."""
        if not self._running:
            return self._answer(
                False, "No run is in progress, so there is nothing to stop: ~/start begins one."
            )
        self._running = False
        self._drain()
        if self._run.is_new() or not self._run.updated:
            self._update()
        estimate = self._report.estimate
        verdict = f"{estimate.status.value}. {estimate.message}".strip()
        return self._answer(True, f"The run has ended ({self._run.progress()}): {verdict}")

    def reset(self) -> Answer:
        """Forget everything, a tare too; a run in progress begins anew."""
        had = f"{self._run.progress()}, {'a tare' if self._run.tared else 'no tare'}"
        self._run.forget()
        what = "begins anew" if self._running else "is not in progress: call ~/start"
        self._set(self._run.waiting(f"Everything was forgotten; the run {what}."))
        return self._answer(True, f"Forgotten: {had}. The run {what}.")

    def tare(self) -> Answer:
        """Keep the run so far as knowledge of the arm without payload; begin anew."""
        windows = self._run.windows
        if windows == 0:
            return self._answer(
                False,
                "There are no data to tare with: call ~/start, move the arm WITHOUT the payload, "
                "then call ~/tare.",
            )
        self._run.tare()
        self._set(self._run.waiting("The arm is tared; waiting for data with the payload."))
        then = "grasp the payload and move" if self._running else "grasp the payload, call ~/start"
        return self._answer(
            True, f"{windows} windows without payload are kept as knowledge of the arm; now {then}."
        )

    def estimate(self) -> Answer:
        """Return the estimate from all samples so far."""
        if self._running:
            self._update_if_new()
        estimate = self._report.estimate
        return self._answer(estimate.status in USABLE, estimate.message)

    def save(self, folder: Path, entries: Callable[[], RunFile], note: str) -> Answer:
        """Write all that is needed to repeat the run from its bag.

        Args:
            folder: Where to write; made if it does not exist.
            entries: Gives the entries that do not come from the run.
            note: What the caller has to say about the folder; appended to the sentence.
        """
        self._update_if_new()
        if not self._run.windows:
            return self._answer(
                False, "There is no estimate to save yet: call ~/start and move the arm."
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            return self._answer(False, f"The folder {folder} cannot be made: {error}.")
        path = self._run.fill_in(entries()).save(folder).parent.resolve()
        return self._answer(True, f"Saved in {path}.{note}", path)

    # The thread.

    def _loop(self) -> None:
        """Take in samples, update when due, carry out requests."""
        while not self._closing.is_set():
            self._wake.wait(PAUSE)
            self._wake.clear()
            self._guard(self._advance)
            self._carry_out_requests()

    def _advance(self) -> None:
        """Take in what has arrived, and update if that is due."""
        if self._running and self._drain() and self._run.is_due():
            self._update()
            self._wake.set()  # look again at once: samples may have gathered meanwhile

    def _carry_out_requests(self) -> None:
        """Carry out what was asked for meanwhile."""
        while True:
            try:
                action, future = self._requests.get_nowait()
            except Empty:
                return
            self._guard(self._drain)
            answer = self._guard(action)
            if not isinstance(answer, Answer):
                answer = self._answer(False, self._report.estimate.message)
            future.set_result(answer)

    def _guard(self, action: Callable[[], object]) -> object:
        """Return what a call returns; make an error a report, and return None."""
        try:
            return action()
        except Exception as error:  # the thread must outlive any error
            self.failures += 1
            sentence = _sentence(error)
            self._run.note_failure(sentence)
            self._set(self._run.waiting("").with_status(Status.SOLVER_FAILED, sentence))
            return None

    def _drain(self) -> bool:
        """Take everything out of the ring buffer; return whether there was anything."""
        found = False
        while not self._lost.empty():
            self._run.count_lost(self._lost.get())
        while len(self._buffer):
            rows = self._buffer.read(READ_MOST)
            self._run.count_lost(rows.lost)
            if len(rows):
                self._run.add(rows)
                found = True
        return found

    def _update_if_new(self) -> None:
        """Update unless the newest estimate knows all windows."""
        if self._run.is_new() or (not self._run.updated and self._run.samples):
            self._update()

    def _update(self) -> None:
        """Solve with all data so far, and publish."""
        begin = time.perf_counter()
        estimate = self._run.update()
        self._set(estimate, time.perf_counter() - begin)

    def _set(self, estimate: Estimate, seconds: float = float("nan")) -> None:
        """Make an estimate the newest report, and publish it."""
        self._report = Report(estimate, self._run.newest_ns, seconds)
        self._publish(self._report)

    def _answer(self, success: bool, message: str, path: Path | None = None) -> Answer:
        return Answer(success, message, self._report, path)


def _sentence(error: Exception) -> str:
    """Return an error as one sentence; an unexpected one with the place where it arose."""
    if isinstance(error, PayloadIdError):
        return str(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}:{frame.lineno}"
    return (
        f"Unexpected {type(error).__name__} in {place}: {error}. Please report it together with "
        "the recording."
    )
