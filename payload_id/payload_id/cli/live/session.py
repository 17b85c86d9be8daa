"""What `payload-id live` does with running nodes: one function for each task."""

from __future__ import annotations

import math
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from payload_id_msgs.msg import PlanDescription
from rich.console import Console
from rich.text import Text

from ...core.errors import PayloadIdError, printable
from ...core.safety.clearance.convex_body import ConvexBody
from ...ros.client.payload_client import PayloadClient, estimate_from
from ...ros.client.waiting import (
    FOUND,
    GoneError,
    NotAnsweredError,
    impossible_names_told,
)
from ...ros.common.diagnostics import LIFECYCLE, WORDS
from ...ros.common.main_loop import ros_running
from ...ros.common.timeouts import SILENT
from ..common.live_view import LiveView
from ..common.presentation import console, estimate_table, table_of, verdict
from ..common.progress import progress
from ..common.signals import raise_interrupts
from ..report.command import written
from .identification import identify

HEARD = 2.5  # [s] in which every node tells how it is
LONGEST = 600.0  # [s] that planning or a motion may take
# What comes after a service.
AFTER = {
    "start": "move the arm; ./payload-id live watch, then ./payload-id live stop",
    "stop": "./payload-id live save --report",
    "tare": "take the payload, then ./payload-id live start",
}
HINT = (
    " Is the node running, with the same ROS_DOMAIN_ID and ROS_AUTOMATIC_DISCOVERY_RANGE as here?"
)


def run(task: str, nodes: Mapping[str, str], given: Mapping[str, Any]) -> int:
    """Do a task; return the exit code.

    Args:
        task: One of `TASKS`.
        nodes: Names of the nodes that it needs.
        given: What else its function takes.
    """
    # Each reaches this thread, which has a motion cancelled before ROS ends.
    raise_interrupts()
    terminal = console()
    try:
        with ros_running(), impossible_names_told(), PayloadClient(**nodes) as client:
            return TASKS[task](terminal, client, **given)
    except NotAnsweredError as error:
        missing = "Waited" in str(error)
        raise NotAnsweredError(f"{error}{HINT if missing else ''}") from error


def _say(terminal: Console, sentence: str, style: str = "") -> None:
    """Print a node's sentence as it is."""
    terminal.print(printable(sentence), style=style, markup=False, soft_wrap=True)


def _ask(service: str, terminal: Console, client: PayloadClient) -> int:
    """Call a service of the estimator, and show its sentence."""
    with terminal.status(f"{service} ..."):
        said = getattr(client, service)()
    _say(terminal, said)
    if service in AFTER:
        _say(terminal, f"next: {AFTER[service]}")
    return 0


def _stop(terminal: Console, client: PayloadClient) -> int:
    """End the run, and show the estimate, whose sentence the service's answer repeats."""
    with terminal.status("The final estimate ..."):
        client.stop()
    _estimate(terminal, client)
    _say(terminal, f"next: {AFTER['stop']}")
    return 0


def _save(terminal: Console, client: PayloadClient, folder: str, report: bool) -> int:
    """Save the run, and write its report if one is asked for; the node goes on meanwhile."""
    saved = client.save(folder)
    _say(terminal, f"saved: {saved}")
    if not report:
        _say(terminal, f"next: ./payload-id report {shlex.quote(saved)}")
        return 0
    path, code = written(Path(saved))
    _say(terminal, f"report: {path}")
    return code


def _estimate(terminal: Console, client: PayloadClient) -> int:
    """Show the newest estimate."""
    found = client.estimate()
    terminal.print(verdict(found))
    if math.isfinite(found.half_width[0]):
        terminal.print(estimate_table(found, None, terminal.width))
    return 0


def _status(terminal: Console, client: PayloadClient) -> int:
    """Show how the nodes are, and the newest estimate."""
    heard: dict[str, DiagnosticStatus] = {}

    def note(message: DiagnosticArray) -> None:
        heard.update({status.name: status for status in message.status})

    client.node.create_subscription(DiagnosticArray, "/diagnostics", note, 10)
    with terminal.status("Listening ..."):
        time.sleep(HEARD)
    for name, status in sorted(heard.items()):
        level = WORDS.get(bytes(status.level), "?")
        style = "" if level == "ok" else "yellow"
        state = next((x.value for x in status.values if x.key == LIFECYCLE), "")
        shown = f" ({state})" if state else ""
        _say(terminal, f"{name}{shown}: {level}: {status.message}", style)
    if not heard:
        terminal.print("Nobody publishes /diagnostics.", style="yellow")
    try:
        return _estimate(terminal, client)
    except NotAnsweredError as error:
        if not heard:
            raise
        _say(terminal, str(error))
        return 0


def _watch(terminal: Console, client: PayloadClient, estimator: str) -> int:
    """Show the intervals until interrupted."""
    name = f"{estimator}/payload"
    client.wait_for(lambda: client.node.count_publishers(name) > 0, FOUND, f"the topic {name}")
    begin = seen = time.monotonic()
    with suppress(KeyboardInterrupt), LiveView(terminal) as view:
        while True:
            seen = time.monotonic() if client.node.count_publishers(name) else seen
            if time.monotonic() - seen > SILENT:
                raise GoneError(f"Nobody publishes {name} any more.")
            latest = estimate_from(client.messages[-1]) if client.messages else None
            view.show(time.monotonic() - begin, latest)
            time.sleep(0.1)
    return _estimate(terminal, client)


def _plan(terminal: Console, client: PayloadClient, goal: Mapping[str, Any]) -> int:
    """Plan a motion, and describe it."""
    with progress("planning", terminal) as show:
        description = client.plan(LONGEST, on_feedback=lambda told: show(None, told.phase), **goal)
    show_plan(terminal, description)
    _say(terminal, f"next: ./payload-id live execute {description.plan_id}")
    return 0


def _describe(terminal: Console, client: PayloadClient, plan: str) -> int:
    """Describe a plan."""
    description = client.described(plan)
    show_plan(terminal, description)
    _say(terminal, f"next: ./payload-id live execute {description.plan_id}")
    return 0


def _execute(
    terminal: Console, client: PayloadClient, plan: str, speed_scale: float, yes: bool
) -> int:
    """Describe a plan, have it confirmed, and move the arm; Ctrl-C has the certified stop sent."""
    description = client.described(plan)
    show_plan(terminal, description)
    if not yes and not _confirmed():
        terminal.print("Nothing moves.")
        return 2
    duration = float(description.duration) / speed_scale
    try:
        with progress("moving", terminal) as show:
            result = client.execute(
                description,
                LONGEST + duration,
                speed_scale,
                "payload-id live",
                on_feedback=lambda told: show(
                    told.time / duration,
                    f"{told.phase}, tracking error {told.tube_use:.0%} of the tube",
                ),
            )
    except KeyboardInterrupt:  # the client has had the motion cancelled, and waited for its end
        _say(terminal, "The motion was cancelled, and has ended.")
        raise
    style = "green" if result.success else "bold red"
    _say(terminal, result.message, style)
    return 0 if result.success else 2


def _identify(terminal: Console, client: PayloadClient, goal: Mapping[str, Any], yes: bool) -> int:
    """Have it confirmed, and identify the payload."""
    if not yes and not _confirmed():
        terminal.print("Nothing moves.")
        return 2
    try:
        return identify(terminal, client, goal, partial(_say, terminal))
    except KeyboardInterrupt:  # the client has had it cancelled, and waited for its end
        _say(
            terminal, "It was cancelled; the arm rests, and what was recorded is solved and saved."
        )
        raise


def _confirmed() -> bool:
    """Ask whether the arm may move."""
    if not sys.stdin.isatty():
        raise PayloadIdError("Moving the arm must be confirmed at a terminal, or with --yes.")
    try:
        return input("Type 'move' to MOVE THE ARM (Ctrl-C stops it): ").strip() == "move"
    except EOFError:
        return False


def _obstacles(
    terminal: Console,
    client: PayloadClient,
    bodies: Sequence[ConvexBody],
    remove: Sequence[str],
    clear: bool,
) -> int:
    """Change obstacles, and list those in force."""
    if clear:
        _say(terminal, client.set_obstacles([]))
    if remove:
        _say(terminal, client.remove_obstacles(remove).message)
    answer = client.add_obstacles(bodies)
    if bodies:
        _say(terminal, answer.message)
    _say(terminal, f"in force: {', '.join(answer.ids) or 'none'}")
    return 0


def show_plan(terminal: Console, plan: PlanDescription) -> None:
    """Print a plan for a person."""
    _say(terminal, f"{plan.plan_id}: {plan.summary}")
    parts = ("position", "velocity", "acceleration", "torque")
    columns: dict[str, Any] = {
        "joint": [Text(name) for name in plan.joint_names],
        "from [rad, m]": [f"{x:.3f}" for x in plan.start_positions],
        "to [rad, m]": [f"{x:.3f}" for x in plan.goal_positions],
        **{f"{x} [%]": [f"{y:.0f}" for y in getattr(plan, f"peak_{x}_percent")] for x in parts},
    }
    terminal.print(table_of(columns))
    for sentence in plan.assumptions:
        _say(terminal, f"  rests on: {sentence}", "dim")
    _say(terminal, f"certificate: {plan.certificate_path}")


TASKS: dict[str, Callable[..., int]] = {
    **{name: partial(_ask, name) for name in ("start", "reset", "tare")},
    "stop": _stop,
    "save": _save,
    "status": _status,
    "watch": _watch,
    "plan": _plan,
    "describe": _describe,
    "execute": _execute,
    "identify": _identify,
    "obstacles": _obstacles,
}
