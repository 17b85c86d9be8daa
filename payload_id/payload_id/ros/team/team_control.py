"""What the requests of a team's run do: begin, end, forget, let go, estimate, save; without ROS."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import PayloadIdError, UnknownNameError, in_words
from ...core.team.estimate import TeamEstimate
from ...core.team.online import TeamSettings
from ...files.teams.team_file import TeamFile
from ...files.teams.team_log import Left, TeamLog, Touched, Updated
from ...files.teams.team_run import FILE_NAME, TeamRun
from .member import Member
from .robot_messages import RobotMessages
from .team_report import FAILED, USABLE, WAITING, TeamAnswer, TeamReport

NOT_RUNNING = "No run is in progress: call the service ~/start."


class TeamControl:
    """Feeds a team's runs, and begins and ends them as asked.

    `write` and the attributes are for any other thread; all else belongs to one, that of its
    worker.

    Attributes:
        running: Whether a run is in progress.
        report: The newest report.
        lost: Messages of this run that could not wait any longer.
        failures: Errors since the start.
    """

    def __init__(
        self,
        team: TeamFile,
        settings: Callable[[], TeamSettings],
        publish: Callable[[TeamReport], None],
        *,
        period: float,
        capacity: int,
        log_most: int,
    ) -> None:
        """Begin with no run in progress.

        Args:
            team: The team.
            settings: Returns how to identify in the next run.
            publish: Called with every new report.
            period: Shortest time between two updates [s].
            capacity: Messages that may wait.
            log_most: Largest size of a run on disk before it is saved [bytes].
        """
        self.running, self.lost, self.failures = False, 0, 0
        self._team, self._settings, self._publish = team, settings, publish
        self._period, self._capacity, self._log_most = period, capacity, log_most
        self._waiting: deque[RobotMessages] = deque()
        self._count, self._lock = 0, threading.Lock()
        self._taken = 0  # number of those that waited and do no more
        # Team time and the robots' clocks differ by their bounds; smoothing blurs the ends.
        self._margin = max(robot.bounds.clock + robot.smoothing for robot in team.robots)
        self._log: TeamLog | None = None
        self._clear()
        self.report = self._report(WAITING, NOT_RUNNING)

    @property
    def waiting_messages(self) -> int:
        """Number of messages that wait to be taken in."""
        return self._count

    @property
    def loss(self) -> str:
        """Why the run cannot be saved; empty: it can."""
        return "" if self._log is None else self._log.loss

    def write(self, heard: RobotMessages) -> None:
        """Hand over messages; returns at once. Without a run they are let go."""
        if not self.running:
            return
        with self._lock:
            self._waiting.append(heard)
            self._count += heard.count
            while self._count > self._capacity:
                self.lost += self._taken_out().count

    def start(self) -> TeamAnswer:
        """Begin a run."""
        if self.running:
            return self.answer(
                False,
                "A run is in progress already. Call ~/stop to end it, or ~/reset to begin anew.",
            )
        try:
            self._let_go()
            self._clear()
            self._log = TeamLog(self._log_most)
        except (PayloadIdError, OSError) as error:
            return self.answer(False, f"No run has begun. {in_words(error)}")
        self.running = True
        self._set(self._report(WAITING, "The run has begun; no update is due yet."))
        return self.answer(True, f"The run of {len(self._team.robots)} robots has begun.")

    def stop(self) -> TeamAnswer:
        """End the run, with an estimate from all of its data; a success if that is usable."""
        if not self.running:
            return self.answer(False, f"There is nothing to stop. {NOT_RUNNING}")
        self.running = False
        self._let_go()  # of what came after the call, which may have waited
        self._update_if_new()
        said = f"{self.report.status}. {self._told()}".strip()
        return self.answer(self.report.status in USABLE, f"The run has ended: {said}")

    def doubts(self) -> list[str]:
        """Return what is wrong with what the robots send, a sentence each."""
        return [doubt for member in self._members.values() for doubt in member.doubts]

    def _told(self) -> str:
        """Return the newest report's sentence, and what else the robots' messages say."""
        said = [self.report.message]
        unheard = [name for name, member in self._members.items() if not member.heard]
        if unheard and self._log is not None:  # there is, or was, a run
            said.append(
                f"Nothing was heard of {', '.join(unheard)} in this run: see the topics of the "
                "team file."
            )
        return " ".join([*said, *(x for x in self.doubts() if x not in said[0])])

    def reset(self) -> TeamAnswer:
        """Forget everything; a run in progress begins anew."""
        self._clear()  # but for what came after the call, and waits
        if self.running:
            self._log = TeamLog(self._log_most)
        what = "begins anew" if self.running else "is not in progress: call ~/start"
        self._set(self._report(WAITING, f"Everything was forgotten; the run {what}."))
        return self.answer(True, self.report.message)

    def let_go(self, name: str) -> TeamAnswer:
        """Note that a robot holds the payload no more."""
        try:
            member = self._members[self._team.robot(name).name]
        except UnknownNameError as error:
            return self.answer(False, str(error))
        if not self.running:
            return self.answer(False, NOT_RUNNING)
        if not member.holds or member.newest is None:
            return self.answer(False, f"{name} is not known to hold the payload in this run.")
        event = Left(name, float(member.newest.time[-1]))
        self._estimator.leave(event.name, event.time)
        self._keep(event)
        member.holds, self._new = False, True
        others = any(each.holds for each in self._members.values())
        rest = "the others go on without it" if others else "no robot holds the payload any more"
        return self.answer(True, f"{name} has let go; {rest}.")

    def estimate(self) -> TeamAnswer:
        """Return the estimate from all data so far."""
        self._update_if_new()
        return self.answer(self.report.status in USABLE, self._told())

    def save(self, folder: Path) -> TeamAnswer:
        """Write all that is needed to repeat the run."""
        self._update_if_new()
        if self.report.estimate is None or self._log is None:
            return self.answer(False, "There is no estimate to save yet: call ~/start and move.")
        earlier = ", in place of the run that was there" if (folder / FILE_NAME).exists() else ""
        try:
            path = self._run.save(folder, self._log, self.report.estimate).parent.resolve()
        except PayloadIdError as error:
            return self.answer(False, f"Nothing was saved. {error}")
        return self.answer(True, f"Saved in {path}{earlier}.", path)

    def advance(self) -> bool:
        """Take in what has arrived, and update if that is due; return whether it was."""
        self.drain()
        if not self.running or not self._new or time.monotonic() < self._due:
            return False
        self._update()
        return True

    def handed_over(self) -> int:
        """Return how often messages were handed over so far; any thread may call it."""
        with self._lock:
            return self._taken + len(self._waiting)

    def drain(self, until: int | None = None) -> bool:
        """Take in messages that wait; return whether there were any.

        Args:
            until: Value of `handed_over` beyond which they go on waiting; None: that of now.
        """
        found, until = False, self.handed_over() if until is None else until
        while True:
            with self._lock:
                if not self._waiting or self._taken >= until:
                    return found
                heard = self._taken_out()
            found = True
            self._take(heard)

    def _taken_out(self) -> RobotMessages:
        """Return the messages that have waited for longest, and wait no more."""
        oldest = self._waiting.popleft()
        self._count, self._taken = self._count - oldest.count, self._taken + 1
        return oldest

    def fail(self, sentence: str) -> None:
        """Make an error the newest report."""
        self.failures += 1
        self._due = time.monotonic() + self._period
        self._set(self._report(FAILED, sentence))

    def refusal(self) -> TeamAnswer:
        """Return the answer to a request that ended in an error, which the newest report tells."""
        return self.answer(False, self.report.message)

    def answer(self, success: bool, message: str, path: Path | None = None) -> TeamAnswer:
        """Return an answer with the newest report."""
        return TeamAnswer(success, message, self.report, path)

    def close(self) -> None:
        """Let the run's log go."""
        if self._log is not None:
            self._log.close()

    def _let_go(self) -> None:
        """Take nothing in of what waits."""
        with self._lock:
            while self._waiting:
                self._taken_out()

    def _clear(self) -> None:
        """Begin without data, but for what waits."""
        self.lost = 0
        if self._log is not None:
            self._log.close()
        self._log = None
        team = self._team
        self._run = TeamRun(team.names, team.bounds, team.prior, self._settings())
        self._estimator = self._run.estimator()
        self._members = {robot.name: Member(robot) for robot in team.robots}
        self._start_ns: int | None = None
        self._new, self._due = False, 0.0
        self._guided = np.inf, -np.inf  # stretch since the last update [s]
        self._estimate: TeamEstimate | None = None

    def _take(self, heard: RobotMessages) -> None:
        """Make messages samples, and give them to the estimator."""
        if self._start_ns is None:
            self._start_ns = int(min(stamps[0] for stamps in heard.stamps.values()))
            self._run = TeamRun(
                self._run.names, self._run.bounds, self._run.prior, self._run.settings,
                self._start_ns,
            )  # fmt: skip
        member = self._members[heard.robot]
        for samples in member.take(heard, self._start_ns):
            if not member.holds:
                continue
            if heard.guided:
                start, end = self._guided
                self._guided = min(start, samples.time[0]), max(end, samples.time[-1])
            try:
                self._estimator.add(samples)
            except PayloadIdError as error:
                member.refused += len(samples)
                member.refusal = str(error)
                continue
            self._keep(samples)
            self._new = True

    def _keep(self, event: Any) -> None:
        """Write an event to the run's log."""
        if self._log is not None:
            self._log.write(event)

    def _update_if_new(self) -> None:
        """Update unless the newest estimate knows all data."""
        if self._new:
            self._update()

    def _update(self) -> None:
        """Estimate from all data so far, and publish."""
        begin = time.perf_counter()
        self._new = False
        (start, end), self._guided = self._guided, (np.inf, -np.inf)
        if start <= end:
            event = Touched(float(start) - self._margin, float(end) + self._margin)
            self._keep(event)
            self._estimator.touched(event.start, event.end)
        self._keep(Updated())
        self._estimate = estimate = self._estimator.update()
        seconds = time.perf_counter() - begin
        self._due = time.monotonic() + max(self._period - seconds, 0.2 * self._period)
        message = " ".join([estimate.message, *self.doubts()]).strip()
        self._set(self._report(estimate.status.value, message, seconds))

    def _report(self, status: str, message: str, seconds: float = float("nan")) -> TeamReport:
        """Return a report of how things are."""
        newest = self._members[self._team.names[0]].newest_ns
        return TeamReport(status, message, self._estimate, newest, seconds, dict(self._members))

    def _set(self, report: TeamReport) -> None:
        """Make a report the newest one, and publish it."""
        self.report = report
        self._publish(report)
