"""The team node's condition, as its diagnostics tell it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
from payload_id_msgs.msg import TeamMember

from ...core.team.estimate import TeamStatus
from ..common.diagnostics import Condition, Level
from ..common.topics import RUNNING, SILENT
from .robot_listener import RobotListener
from .team_control import TeamControl
from .team_report import FAILED, WAITING, TeamReport

LEVELS: Mapping[str, Level] = {
    TeamStatus.GOOD.value: Level.OK,
    TeamStatus.USABLE.value: Level.OK,
    TeamStatus.NOT_IDENTIFIABLE.value: Level.WARN,
    TeamStatus.NO_DATA.value: Level.WARN,
    TeamStatus.INCONSISTENT.value: Level.ERROR,
    WAITING: Level.OK,
    FAILED: Level.ERROR,
}


def condition_of(
    control: TeamControl, listeners: Sequence[RobotListener], patience: float
) -> Condition:
    """Judge a run.

    Args:
        control: Makes the estimates.
        listeners: Hear the robots.
        patience: Time after which a robot counts as silent [s].
    """
    report, patient = control.report, patience if control.running else np.inf
    level, sentence = LEVELS[report.status], report.message
    silences = [said for x in listeners if (said := x.silence(patient))]
    doubts = [x for x in (*remarks(listeners), *control.doubts()) if x not in sentence]
    lost = (
        f"{control.lost} messages were lost: this machine is too slow for the estimates asked for. "
        "Set a longer update_period or intervals:=none."
    )
    more = [*silences, *doubts, control.loss, lost if control.lost else ""]
    if len(silences) == len(listeners):
        level, sentence = Level.ERROR, " ".join([silences[0], *remarks(listeners)])
    elif any(more):
        level = Level.WARN if level is Level.OK else level
        sentence = " ".join(x for x in [*more, sentence] if x)
    figures = {**_figures(control, listeners), SILENT: " ".join(silences)}
    return Condition(level, sentence, figures)


def remarks(listeners: Sequence[RobotListener]) -> list[str]:
    """Return what is wrong with who publishes for the robots, and with what, a sentence each."""
    return list(chain.from_iterable(listener.remarks() for listener in listeners))


def _figures(control: TeamControl, listeners: Sequence[RobotListener]) -> dict[str, object]:
    """Return the figures of the diagnostics."""
    report = control.report
    figures: dict[str, object] = {
        "status": report.status,
        RUNNING: control.running,
        "solve time [s]": float(report.solve_seconds),
        "messages waiting": control.waiting_messages,
        "messages lost in this run": control.lost,
        "errors": control.failures,
    }
    for listener in listeners:
        name, member = listener.robot.name, report.members[listener.robot.name]
        figures[f"{name}: received"] = listener.received
        figures[f"{name}: samples"] = member.samples
        for cause, count in {**listener.dropped, **member.dropped}.items():
            figures[f"{name}: dropped: {cause}"] = count
        if member.refusal:
            figures[f"{name}: refused"] = member.refusal
    return figures


def members_of(
    report: TeamReport, listeners: Sequence[RobotListener], guided: bool
) -> list[TeamMember]:
    """Return how the robots are doing, as messages."""
    return [
        TeamMember(
            robot=listener.robot.name,
            holds=member.holds,
            guided=guided,
            received=listener.received,
            samples=member.samples,
            dropped=sum(listener.dropped.values()) + sum(member.dropped.values()),
            age=float(listener.age),
        )
        for listener in listeners
        for member in (report.members[listener.robot.name],)
    ]
