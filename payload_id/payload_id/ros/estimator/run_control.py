"""What the requests of a live run do: begin, end, forget, tare, estimate, save; it knows no ROS."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from ...core.errors import PayloadIdError, in_words, printable, shortened
from ...core.identification.estimate import Estimate
from ...core.identification.held_out import Validation
from ...core.identification.status import USABLE, Status
from ...core.knowledge.catalogue import KnownMass
from ...core.samples.ring_buffer import RingBuffer, SampleRows
from ...files.runs.run_file import RunFile
from ..common.conversions import Report
from .sources.live_run import LiveRun

READ_MOST = 2000  # samples taken out of the ring buffer at a time
VERDICTS = (*USABLE, Status.NOT_IDENTIFIABLE)  # with intervals that hold


@dataclass(frozen=True)
class Answer:
    """What a request led to.

    Attributes:
        success: Whether it was carried out.
        message: One sentence: what happened, or why not and what to do.
        report: The newest estimate.
        path: What was written, if anything.
        validation: How what was held out agrees, if that was asked for.
    """

    success: bool
    message: str
    report: Report
    path: Path | None = None
    validation: Validation | None = None


class RunControl:
    """Feeds runs from a ring buffer, and begins and ends them as asked.

    `write` and the attributes are for any one other thread; all else belongs to one thread, that of
    `RunWorker`.

    Attributes:
        running: Whether a run is in progress.
        report: The newest report.
        failures: Errors since the start.
    """

    def __init__(
        self, run: LiveRun, columns: int, capacity: int, publish: Callable[[Report], None]
    ) -> None:
        """Begin with no run in progress.

        Args:
            run: The identification.
            columns: Columns of each table of its rows.
            capacity: Samples that may wait while a solver runs.
            publish: Called with every new report.
        """
        self.running, self.failures = False, 0
        self.report = Report(run.waiting("No run is in progress: call the service ~/start."))
        self._run, self._publish = run, publish
        self._begun_by = ""  # who would end it
        self._buffer = RingBuffer(capacity, columns)
        self._lost: SimpleQueue[int] = SimpleQueue()

    @property
    def lost(self) -> int:
        """Number of samples of this run that never reached the identification."""
        return self._run.lost

    @property
    def waiting_samples(self) -> int:
        """Number of samples that wait in the ring buffer."""
        return len(self._buffer)

    def write(self, rows: SampleRows, missing: int = 0) -> None:
        """Hand over samples; returns at once. Without a run they are let go.

        Args:
            rows: The samples.
            missing: Number of samples that were lost before them on the way here.
        """
        if self.running:
            if missing:
                self._lost.put(missing)
            self._buffer.write(rows)

    @property
    def tared(self) -> bool:
        """Whether what a tare has taught about the arm counts."""
        return self._run.tared

    def was_left_by(self, begun_by: str) -> bool:
        """Whether the run in progress is one that a node began, and did not end, before another."""
        return self.running and begun_by != "" and begun_by == self._begun_by

    def start(
        self, mass: KnownMass | None = None, begun_by: str = "", enough: Sequence[float] = ()
    ) -> Answer:
        """Begin a run; a tare stays in force if the settings are the same.

        Args:
            mass: The payload's, for this run alone; None: not known.
            begun_by: Name of a node that ends what it begins; empty: of none.
            enough: How near mass and centre of mass must be known in this run, see `enough_of`;
                empty: as the parameter says.
        """
        if self.running:
            return self.answer(
                False,
                f"A run is in progress already ({self._run.progress()}). Call ~/stop to end it, "
                "or ~/reset to begin anew.",
            )
        try:
            tare_lost = self._run.begin(mass, enough)
        except PayloadIdError as error:
            return self.answer(False, f"No run has begun. {error}")
        self._buffer.clear()
        self.running, self._begun_by = True, begun_by
        self._set(self._run.waiting("The run has begun; no update is due yet."))
        known = " with what the tare has taught about the arm" if self._run.tared else ""
        if mass is not None:
            known += f" and a mass of {mass.mass:g} kg, stated to within {mass.tolerance:g} kg"
        note = " The settings have changed, so the tare was forgotten." if tare_lost else ""
        return self.answer(True, f"The run has begun{known}.{note}")

    def stop(self, reason: str = "") -> Answer:
        """End the run: solve for the rest of the data first.

        Args:
            reason: Why there may be no data, as the sampler says; empty: it says nothing.

        Returns:
            answer: A success if the run has led to intervals that hold.
        """
        if not self.running:
            return self.answer(
                False, "No run is in progress, so there is nothing to stop: ~/start begins one."
            )
        self.running = False
        self._buffer.clear()  # of what came after the call, which may have waited
        if self._run.is_new() or not self._run.updated:
            self._update()
        self._conclude()
        estimate = self.report.estimate
        verdict = f"{estimate.status.value}. {estimate.message}".strip()
        found = estimate.status in VERDICTS
        why = f" {reason}" if reason and not found else ""
        return self.answer(found, f"The run has ended ({self._run.progress()}): {verdict}{why}")

    def reset(self) -> Answer:
        """Forget everything, a tare too; a run in progress begins anew, but for a node's own."""
        if self.running and self._begun_by:
            return self.answer(
                False,
                "Nothing was forgotten: the run in progress was begun by "
                f"{printable(shortened(self._begun_by))}, which would not know. Cancel its goal "
                "there, or call ~/stop before.",
            )
        had = f"{self._run.progress()}, {'a tare' if self._run.tared else 'no tare'}"
        self._run.forget()
        what = "begins anew" if self.running else "is not in progress: call ~/start"
        self._set(self._run.waiting(f"Everything was forgotten; the run {what}."))
        return self.answer(True, f"Forgotten: {had}. The run {what}.")

    def tare(self) -> Answer:
        """Keep the run so far as knowledge of the arm without payload; begin anew."""
        windows = self._run.windows
        if windows == 0:
            return self.answer(
                False,
                "There are no data to tare with: call ~/start, move the arm WITHOUT the payload, "
                "then call ~/tare.",
            )
        try:
            self._run.tare()
        except PayloadIdError as error:
            return self.answer(False, str(error))
        self._set(self._run.waiting("The arm is tared; waiting for data with the payload."))
        then = "grasp the payload and move" if self.running else "grasp the payload, call ~/start"
        return self.answer(
            True, f"{windows} windows without payload are kept as knowledge of the arm; now {then}."
        )

    def estimate(self, reason: str = "") -> Answer:
        """Return the estimate from all samples so far; for `reason` see `stop`."""
        if self.running:
            self._update_if_new()
        estimate = self.report.estimate
        found = estimate.status in USABLE
        why = f" {reason}" if reason and not found and self.running else ""
        return self.answer(found, f"{estimate.message}{why}")

    def hold_out(self) -> Answer:
        """Hold out what comes from now on: it counts, and is judged by what went before."""
        if not self.running:
            return self.answer(False, "No run is in progress: nothing can be held out of it.")
        self._update_if_new()
        if not self._run.windows:
            return self.answer(False, "There are no data yet that could predict others.")
        if not self._run.hold_out():
            return self.answer(False, "There is no estimate yet that could predict other data.")
        return self.answer(True, f"Held out: what comes after {self._run.progress()}.")

    def validate(self) -> Answer:
        """Say how what was held out agrees with what went before."""
        self._update_if_new()
        found = self._run.validation()
        return Answer(found.seconds > 0.0, found.sentence, self.report, validation=found)

    def save(self, folder: Path, entries: Callable[[], RunFile], note: str) -> Answer:
        """Write all that is needed to repeat the run from its bag.

        Args:
            folder: Where to write; made if it does not exist.
            entries: Gives the entries that do not come from the run.
            note: What the caller has to say about the folder; appended to the sentence.
        """
        self._update_if_new()
        if not self._run.windows:
            return self.answer(
                False, "There is no estimate to save yet: call ~/start and move the arm."
            )
        self._conclude()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            return self.answer(False, f"The folder {folder} cannot be made: {in_words(error)}.")
        run = self._run.fill_in(entries())
        kept = run.earlier_run(folder)
        try:
            path = run.save(folder).parent.resolve()
        except PayloadIdError as error:
            return self.answer(False, f"Nothing was saved. {error}")
        earlier = "" if kept is None else f" The run that was saved there before is now in {kept}."
        return self.answer(True, f"Saved in {path}.{earlier}{note}", path)

    def advance(self) -> bool:
        """Take in what has arrived, and update if that is due; return whether it was."""
        if not (self.running and self.drain() and self._run.is_due()):
            return False
        self._update()
        return True

    def handed_over(self) -> int:
        """Return the number of samples handed over so far; any thread may call it."""
        return self._buffer.written

    def drain(self, until: int | None = None) -> bool:
        """Take samples out of the ring buffer; return whether there were any.

        Args:
            until: Value of `handed_over` beyond which they are left there; None: that of now.
        """
        found, until = False, self._buffer.written if until is None else until
        while not self._lost.empty():
            self._run.count_lost(self._lost.get())
        while self._buffer.taken < until:
            rows = self._buffer.read(READ_MOST, until)
            self._run.count_lost(rows.lost)
            if len(rows):
                self._run.add(rows)
                found = True
        return found

    def fail(self, sentence: str) -> None:
        """Make an error the newest report; later estimates of the run mention it."""
        self.failures += 1
        self._run.note_failure(sentence)
        self._set(self._run.waiting("").with_status(Status.SOLVER_FAILED, sentence))

    def refusal(self) -> Answer:
        """Return the answer to a request that ended in an error, which the newest report tells."""
        return self.answer(False, self.report.estimate.message)

    def answer(self, success: bool, message: str, path: Path | None = None) -> Answer:
        """Return an answer with the newest report."""
        return Answer(success, message, self.report, path)

    def _update_if_new(self) -> None:
        """Update unless the newest estimate knows all windows."""
        if self._run.is_new() or (not self._run.updated and self._run.samples):
            self._update()

    def _update(self) -> None:
        """Solve with all data so far, and publish; that they are inconsistent before why."""
        begin = time.perf_counter()
        estimate = self._run.update(self._set)
        self._set(estimate, time.perf_counter() - begin)

    def _conclude(self) -> None:
        """Say all that is said of a run at its end, of the data so far."""
        concluded = self._run.conclude()
        if concluded is not None:
            self._set(concluded, self.report.solve_seconds)

    def _set(self, estimate: Estimate, seconds: float = float("nan")) -> None:
        """Make an estimate the newest report, and publish it."""
        self.report = Report(estimate, self._run.newest_ns, seconds)
        self._publish(self.report)
