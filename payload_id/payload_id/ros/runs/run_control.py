"""What the requests of a run do: begin, end, forget, estimate, save; it knows no ROS."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from ...core.errors import PayloadIdError, in_words, printable, shortened
from .part_queue import PartQueue

NOT_RUNNING = "No run is in progress: call the service ~/start."


class Run(Protocol):
    """What a control feeds: the mathematics of a run, and its book-keeping.

    Its reports are frozen dataclasses with `status` in a word, `message`, whether they are `usable`
    and, at the end of a run, `conclusive` (with intervals that hold), and `solve_seconds`.
    """

    @property
    def begin(self) -> Callable[..., str]:
        """Begins anew, with what is asked of this run alone; returns a sentence.

        It raises PayloadIdError or OSError where it cannot.
        """

    @property
    def lost(self) -> int:
        """How much of what was measured never reached it."""

    def forget(self, running: bool) -> None:
        """Forget everything; `running`: whether a run is in progress, which begins anew."""

    def take(self, parts: list[Any], lost: int) -> None:
        """Take in what was measured, of which so much was lost."""

    def is_due(self, rested: bool) -> bool:
        """Return whether an update is due; `rested`: whether they took no more than their share."""

    def is_new(self, at_end: bool = False) -> bool:
        """Return whether there are data that no update has seen; at the end, or no update yet."""

    def update(self, callback: Callable[[Any], object]) -> Any:
        """Solve with all data so far; `callback` learns at once where they are inconsistent."""

    def conclude(self) -> Any:
        """Return the newest report with all that is said at a run's end; None: nothing more."""

    def told(self, sentence: str, failed: bool = False) -> Any:
        """Return the report that says why there is no estimate."""

    def progress(self) -> str:
        """Return in words how much data there are."""

    def remarks(self, message: str) -> str:
        """Return what else is to be said beside the newest report's message; empty: nothing."""


SomeRun = TypeVar("SomeRun", bound=Run)


@dataclass(frozen=True)
class Answer:
    """What a request led to.

    Attributes:
        success: Whether it was carried out.
        message: One sentence: what happened, or why not and what to do.
        report: The newest report.
        path: What was written, if anything.
        found: What else was asked for.
    """

    success: bool
    message: str
    report: Any
    path: Path | None = None
    found: Any = None


@dataclass(frozen=True)
class Doing:
    """What a control is doing.

    Attributes:
        running: Whether a run is in progress.
        begun_by: Name of the node that ends it; empty: of none.
        failures: Errors since the start.
        report: The newest.
    """

    report: Any
    running: bool = False
    begun_by: str = ""
    failures: int = 0


class RunControl(Generic[SomeRun]):
    """Feeds runs from a queue, and begins and ends them as asked.

    `write` and the attributes are for any one other thread; all else belongs to one thread, that of
    `RunWorker`.

    Attributes:
        run: What it feeds.
        queue: What waits to be taken in.
        doing: What it is doing.
    """

    def __init__(
        self,
        run: SomeRun,
        capacity: int,
        publish: Callable[[Any], object],
        share: float = 1.0,
    ) -> None:
        """Begin with no run in progress.

        Args:
            run: The mathematics.
            capacity: How much may wait while a solver runs.
            publish: Called with every new report.
            share: Of a core that updates take at most; those that are asked for are made at once.
        """
        self.run, self.queue = run, PartQueue[Any](capacity)
        self._publish, self._share, self._rest_until = publish, share, -math.inf
        self.doing = Doing(run.told(NOT_RUNNING))

    @property
    def report(self) -> Any:
        """The newest report."""
        return self.doing.report

    @property
    def running(self) -> bool:
        """Whether a run is in progress."""
        return self.doing.running

    def write(self, part: Any, missing: int = 0) -> None:
        """Hand over what was measured; returns at once. Without a run it is let go.

        Args:
            part: What was measured.
            missing: How much was lost before it on the way here.
        """
        if self.running:
            self.queue.put(part, missing)

    def start(self, begun_by: str = "", **asked: Any) -> Answer:
        """Begin a run.

        Args:
            begun_by: Name of a node that ends what it begins; empty: of none.
            asked: Of this run alone, see `Run.begin`.
        """
        if self.running:
            return self.answer(
                False,
                f"A run is in progress already ({self.run.progress()}). Call ~/stop to end it, or "
                "~/reset to begin anew.",
            )
        try:
            said = self.run.begin(**asked)
        except (PayloadIdError, OSError) as error:
            return self.answer(False, f"No run has begun. {in_words(error)}")
        self.queue.take()
        self._change(running=True, begun_by=begun_by)
        self._set(self.run.told("The run has begun; no update is due yet."))
        return self.answer(True, said)

    def stop(self) -> Answer:
        """End the run: solve for the rest of the data first.

        Returns:
            answer: A success if the run has led to intervals that hold.
        """
        if not self.running:
            return self.answer(False, f"There is nothing to stop. {NOT_RUNNING}")
        self._change(running=False)
        self.queue.take()  # what came after the call, which may have waited
        if self.run.is_new(at_end=True):
            self._update()
        self._conclude()
        report = self.report
        return self.answer(
            report.conclusive,
            f"The run has ended ({self.run.progress()}): {report.status.value}. "
            f"{self._said()}".strip(),
        )

    def reset(self) -> Answer:
        """Forget everything; a run in progress begins anew, but for a node's own."""
        if self.running and (begun_by := self.doing.begun_by):
            return self.answer(
                False,
                "Nothing was forgotten: the run in progress was begun by "
                f"{printable(shortened(begun_by))}, which would not know. Cancel its goal there, "
                "or call ~/stop before.",
            )
        had = self.run.progress()
        self.run.forget(self.running)
        what = "begins anew" if self.running else "is not in progress: call ~/start"
        self._set(self.run.told(f"Everything was forgotten; the run {what}."))
        return self.answer(True, f"Forgotten: {had}. The run {what}.")

    def estimate(self) -> Answer:
        """Return the estimate from all data so far."""
        self._update_if_new()
        return self.answer(self.report.usable, self._said())

    def save(self, write: Callable[[], tuple[Path, str]], note: str = "") -> Answer:
        """Write all that is needed to repeat the run.

        Args:
            write: Writes it; returns where, and what else is to be said.
            note: What the caller has to say about the folder; appended to the sentence.
        """
        self._update_if_new()
        self._conclude()
        try:
            path, said = write()
        except PayloadIdError as error:
            return self.answer(False, f"Nothing was saved. {error}")
        return replace(self.answer(True, f"Saved in {path}.{said}{note}"), path=path)

    def carry_out(
        self, action: Callable[[], tuple[str, Any]], *, after: bool = False, then: str = ""
    ) -> Answer:
        """Return the answer to what is done to a run, or asked of it.

        Args:
            action: Returns a sentence, and what else was asked for; raises PayloadIdError.
            after: Whether it rests on an estimate of all data so far.
            then: What is reported from then on until there is another estimate; empty: nothing.
        """
        if after:
            self._update_if_new()
        try:
            message, found = action()
        except PayloadIdError as error:
            return self.answer(False, str(error))
        if then:
            self._set(self.run.told(then))
        return replace(self.answer(True, message), found=found)

    def advance(self) -> bool:
        """Take in what has arrived, and update if that is due; return whether it was."""
        self.drain()
        rested = time.monotonic() >= self._rest_until
        if not (self.running and self.run.is_due(rested)):
            return False
        begin = time.thread_time()
        self._update()
        used = time.thread_time() - begin
        rest = used * (1.0 / self._share - 1.0)
        self._rest_until = max(time.monotonic(), self._rest_until) + rest
        return True

    def drain(self, until: int | None = None) -> bool:
        """Take in what waits; return whether there was any; for `until` see `PartQueue.take`."""
        parts, lost = self.queue.take(until)
        if parts:
            self.run.take(parts, lost)
        return bool(parts)

    def fail(self, sentence: str) -> None:
        """Make an error the newest report."""
        self._change(failures=self.doing.failures + 1)
        self._set(self.run.told(sentence, failed=True))

    def answer(self, success: bool, message: str) -> Answer:
        """Return an answer with the newest report."""
        return Answer(success, message, self.report)

    def _said(self) -> str:
        """Return the newest report's message, and what else is to be said."""
        message = self.report.message
        return " ".join(x for x in (message, self.run.remarks(message)) if x)

    def _update_if_new(self) -> None:
        """Update unless the newest estimate knows all data."""
        if self.run.is_new():
            self._update()

    def _update(self) -> None:
        """Solve with all data so far, and publish; that they are inconsistent before why."""
        begin = time.perf_counter()
        report = self.run.update(self._set)
        self._set(replace(report, solve_seconds=time.perf_counter() - begin))

    def _conclude(self) -> None:
        """Say all that is said of a run at its end, of the data so far."""
        if (report := self.run.conclude()) is not None:
            self._set(replace(report, solve_seconds=self.report.solve_seconds))

    def _set(self, report: Any) -> None:
        """Make a report the newest, and publish it."""
        self._change(report=report)
        self._publish(report)

    def _change(self, **news: Any) -> None:
        """Do something else from now on."""
        self.doing = replace(self.doing, **news)
