"""The team node's condition, as its diagnostics tell it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from payload_id_msgs.msg import TeamMember

from ..common.diagnostics import Condition, Level
from ..common.topics import RUNNING, SILENT
from ..estimator.condition import LEVELS
from ..runs.run_control import RunControl
from .live_team import LiveTeam, TeamReport
from .robot_listener import RobotListener


def condition_of(
    control: RunControl[LiveTeam], listeners: Sequence[RobotListener], patience: float
) -> Condition:
    """Judge a run.

    Args:
        control: Makes the estimates.
        listeners: Hear the robots.
        patience: Time after which a robot counts as silent [s].
    """
    report, patient = control.report, patience if control.running else np.inf
    run = control.run
    level, sentence = LEVELS[report.status], report.message
    silences = [said for x in listeners if (said := x.silence(patient))]
    doubts = [x for x in (*rivalries(listeners), *run.doubts()) if x not in sentence]
    lost = (
        f"{run.lost} messages were lost: this machine is too slow for the estimates asked for. "
        "Set a longer update_period or intervals:=none."
    )
    more = [*silences, *doubts, run.loss, lost if run.lost else ""]
    if len(silences) == len(listeners):
        level, sentence = Level.ERROR, " ".join([silences[0], *rivalries(listeners)])
    elif any(more):
        level = Level.WARN if level is Level.OK else level
        sentence = " ".join(x for x in [*more, sentence] if x)
    figures = {**_figures(control, listeners), SILENT: " ".join(silences)}
    return Condition(level, sentence, figures)


def rivalries(listeners: Sequence[RobotListener]) -> list[str]:
    """Return which topics of the robots several nodes publish, a sentence each."""
    return [said for listener in listeners if (said := listener.rivalry())]


def _figures(
    control: RunControl[LiveTeam], listeners: Sequence[RobotListener]
) -> dict[str, object]:
    """Return the figures of the diagnostics."""
    report = control.report
    figures: dict[str, object] = {
        "status": report.status.value,
        RUNNING: control.running,
        "solve time [s]": float(report.solve_seconds),
        "messages waiting": control.queue.size,
        "messages lost in this run": control.run.lost,
        "errors": control.doing.failures,
    }
    for listener in listeners:
        name, member = listener.robot.name, report.members[listener.robot.name]
        figures[f"{name}: received"] = listener.received
        figures[f"{name}: samples"] = member.samples
        for cause, count in member.dropped.items():
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
            dropped=sum(member.dropped.values()),
            age=float(listener.age),
        )
        for listener in listeners
        for member in (report.members[listener.robot.name],)
    ]
