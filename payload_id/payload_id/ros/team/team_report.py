"""What a team's run has found, and what requests led to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...core.team.estimate import TeamEstimate, TeamStatus
from .member import Member

WAITING, FAILED = "WAITING", "SOLVER_FAILED"  # beside the values of `TeamStatus`
USABLE = (TeamStatus.GOOD.value, TeamStatus.USABLE.value)


@dataclass(frozen=True)
class TeamReport:
    """What is known, and when it was.

    Attributes:
        status: A value of `TeamStatus`, "WAITING" or "SOLVER_FAILED".
        message: Cause and remedy.
        estimate: The newest estimate of the run; None: none yet.
        stamp_ns: Stamp of the newest sample of the reference robot [ns]; 0: none.
        solve_seconds: Computing time [s].
        members: The robots of the run, by name.
    """

    status: str
    message: str
    estimate: TeamEstimate | None
    stamp_ns: int
    solve_seconds: float
    members: Mapping[str, Member]


@dataclass(frozen=True)
class TeamAnswer:
    """What a request led to.

    Attributes:
        success: Whether it was carried out.
        message: What happened, or why not and what to do.
        report: The newest report.
        path: What was written, if anything.
    """

    success: bool
    message: str
    report: TeamReport
    path: Path | None = None
