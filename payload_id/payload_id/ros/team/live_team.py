"""One run of a team after another, fed live: the mathematics plus a run's book-keeping.

It knows neither threads nor ROS; `RunControl` feeds it: see `Run` there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import InputError, PayloadIdError
from ...core.identification.status import USABLE, Status
from ...core.team.estimate import TeamEstimate
from ...core.team.online import TeamEstimator, TeamSettings
from ...files.teams.team_file import TeamFile
from ...files.teams.team_log import Event, Left, TeamLog, Touched, Updated
from ...files.teams.team_run import FILE_NAME, TeamRun
from ..runs.run_control import NOT_RUNNING
from .member import Member
from .robot_messages import RobotMessages


@dataclass(frozen=True)
class TeamReport:
    """What is known, and when it was.

    Attributes:
        status: Verdict.
        message: Cause and remedy.
        estimate: The newest estimate of the run; None: none yet.
        stamp_ns: Stamp of the newest sample of the reference robot [ns]; 0: none.
        members: The robots of the run, by name.
        solve_seconds: Computing time [s].
    """

    status: Status
    message: str
    estimate: TeamEstimate | None
    stamp_ns: int
    members: Mapping[str, Member]
    solve_seconds: float = float("nan")

    @property
    def usable(self) -> bool:
        """Whether it holds numbers to go on with."""
        return self.status in USABLE

    conclusive = usable


@dataclass
class _TeamRecord:
    """What is noted of one run; without a log it is not saved: none was begun."""

    run: TeamRun
    estimator: TeamEstimator
    members: Mapping[str, Member]
    log: TeamLog | None
    is_new: bool = False
    due: float = 0.0  # by `time.monotonic` [s]
    lost: int = 0
    touched: tuple[float, float] = (np.inf, -np.inf)  # stretch since the last update [s]
    estimate: TeamEstimate | None = field(default=None, repr=False)

    def keep(self, event: Event) -> None:
        """Write an event to the run's log."""
        if self.log is not None:
            self.log.write(event)


class LiveTeam:
    """Takes in robots' messages and gives estimates."""

    def __init__(
        self, team: TeamFile, settings: Callable[[], TeamSettings], period: float, log_most: int
    ) -> None:
        """Begin without data.

        Args:
            team: The team.
            settings: Returns how to identify in the next run.
            period: Shortest time between two updates [s].
            log_most: Largest size of a run on disk before it is saved [bytes].
        """
        self._team, self._settings = team, settings
        self._period, self._log_most = period, log_most
        # Team time and the robots' clocks differ by their bounds; smoothing blurs the ends.
        self._margin = max(robot.bounds.clock + robot.smoothing for robot in team.robots)
        self._record = self._new_record(None)

    @property
    def lost(self) -> int:
        """Number of messages of this run that could not wait any longer."""
        return self._record.lost

    @property
    def loss(self) -> str:
        """Why the run cannot be saved; empty: it can."""
        return "" if self._record.log is None else self._record.log.loss

    def doubts(self) -> list[str]:
        """Return what is wrong with what the robots send, a sentence each."""
        return [doubt for member in self._record.members.values() for doubt in member.doubts]

    def begin(self) -> str:
        """Begin a new run.

        Raises:
            OSError: There is no room for its log.
        """
        self.forget(True)
        return f"The run of {len(self._team.robots)} robots has begun."

    def forget(self, running: bool) -> None:
        """Begin without data; `running`: whether what comes is kept, to be saved."""
        record = self._new_record(TeamLog(self._log_most) if running else None)
        self.close()
        self._record = record

    def close(self) -> None:
        """Let the run's log go."""
        if self._record.log is not None:
            self._record.log.close()

    def _new_record(self, log: TeamLog | None) -> _TeamRecord:
        """Return the record of a run without data."""
        team = self._team
        run = TeamRun(team.names, team.bounds, team.prior, self._settings())
        members = {robot.name: Member(robot) for robot in team.robots}
        return _TeamRecord(run, run.estimator(), members, log)

    def take(self, parts: Sequence[RobotMessages], lost: int) -> None:
        """Take in messages, of which some were lost."""
        self._record.lost += lost
        for heard in parts:
            self._take(heard)

    def _take(self, heard: RobotMessages) -> None:
        """Make messages samples, and give them to the estimator."""
        record = self._record
        if heard.stamps and not record.run.start_ns:
            start_ns = int(min(stamps[0] for stamps in heard.stamps.values()))
            record.run = replace(record.run, start_ns=start_ns)
        member = record.members[heard.robot]
        for samples in member.take(heard, record.run.start_ns):
            if not member.holds:
                continue
            if heard.guided:
                start, end = record.touched
                record.touched = min(start, samples.time[0]), max(end, samples.time[-1])
            try:
                record.estimator.add(samples)
            except PayloadIdError as error:
                member.refuse(len(samples), str(error))
                continue
            record.keep(samples)
            record.is_new = True

    def let_go(self, name: str, running: bool) -> tuple[str, None]:
        """Note that a robot holds the payload no more; return a sentence.

        Raises:
            InputError: There is no such robot, no run, or it does not hold the payload.
        """
        record = self._record
        member = record.members[self._team.robot(name).name]
        if not running:
            raise InputError(NOT_RUNNING)
        if not member.holds or member.newest is None:
            raise InputError(f"{name} is not known to hold the payload in this run.")
        event = Left(name, float(member.newest.time[-1]))
        record.estimator.leave(event.name, event.time)
        record.keep(event)
        member.holds, record.is_new = False, True
        others = any(each.holds for each in record.members.values())
        rest = "the others go on without it" if others else "no robot holds the payload any more"
        return f"{name} has let go; {rest}.", None

    def is_new(self, at_end: bool = False) -> bool:
        """Return whether there are data that no update has seen."""
        return self._record.is_new

    def is_due(self, rested: bool) -> bool:
        """Return whether an update is due."""
        return rested and self._record.is_new and time.monotonic() >= self._record.due

    def update(self, callback: Callable[[Any], object]) -> TeamReport:
        """Estimate from all data so far."""
        record, begin = self._record, time.monotonic()
        record.is_new, record.due = False, begin + self._period
        (start, end), record.touched = record.touched, (np.inf, -np.inf)
        if start <= end:
            event = Touched(float(start) - self._margin, float(end) + self._margin)
            record.keep(event)
            record.estimator.touched(event.start, event.end)
        record.keep(Updated())
        record.estimate = estimate = record.estimator.update()
        # After a slow one, what has come meanwhile is taken in before the next.
        record.due = max(record.due, time.monotonic() + 0.2 * self._period)
        message = " ".join([estimate.message, *self.doubts()]).strip()
        return self._report(estimate.status, message)

    def conclude(self) -> None:
        """Return nothing: every estimate says all."""

    def told(self, sentence: str, failed: bool = False) -> TeamReport:
        """Return the report that says why there is no newer estimate."""
        return self._report(Status.SOLVER_FAILED if failed else Status.WAITING, sentence)

    def _report(self, status: Status, message: str) -> TeamReport:
        """Return a report of how things are."""
        record = self._record
        newest = record.members[self._team.names[0]].newest_ns
        return TeamReport(status, message, record.estimate, newest, dict(record.members))

    def progress(self) -> str:
        """Return in words how much data there are."""
        samples = sum(member.samples for member in self._record.members.values())
        return f"{samples} samples of {len(self._team.robots)} robots"

    def remarks(self, message: str) -> str:
        """Return what else the robots' messages say, or that there are none."""
        record, said = self._record, []
        unheard = [name for name, member in record.members.items() if not member.heard]
        if unheard and record.log is not None:  # there is, or was, a run
            said.append(
                f"Nothing was heard of {', '.join(unheard)} in this run: see the topics of the "
                "team file."
            )
        return " ".join([*said, *(x for x in self.doubts() if x not in message)])

    def save(self, folder: Path) -> tuple[Path, str]:
        """Write all that is needed to repeat the run; return its folder, and what it replaces.

        Raises:
            PayloadIdError: There is nothing to save, or it cannot be written.
        """
        record = self._record
        if record.estimate is None or record.log is None:
            raise InputError("There is no estimate to save yet: call ~/start and move.")
        earlier = " It replaces the run that was there." if (folder / FILE_NAME).exists() else ""
        return record.run.save(folder, record.log, record.estimate).parent.resolve(), earlier
