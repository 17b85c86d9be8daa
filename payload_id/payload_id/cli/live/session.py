"""What `payload-id live` does with running nodes: one function for each task."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from payload_id_msgs.msg import PlanDescription
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from ...core.errors import PayloadIdError, printable
from ...core.safety.clearance.convex_body import ConvexBody
from ...ros.client.payload_client import PayloadClient, estimate_from
from ...ros.client.waiting import (
    FOUND,
    GONE,
    GoneError,
    NotAnsweredError,
    impossible_names_told,
)
from ...ros.common.diagnostics import LIFECYCLE
from ...ros.common.main_loop import start_ros
from ..common.live_view import LiveView
from ..common.presentation import console, estimate_table, plain_table, verdict
from ..common.signals import raise_interrupts
from ..report.command import written
from .identification import identify

NODES = ("estimator", "planner", "bridge")  # that an argument may name
HEARD = 2.5  # [s] in which every node tells how it is
LONGEST = 600.0  # [s] that planning or a motion may take
LEVELS = {b"\x00": "ok", b"\x01": "warning", b"\x02": "error", b"\x03": "stale"}
HINT = (
    " Is the node running, with the same ROS_DOMAIN_ID and ROS_AUTOMATIC_DISCOVERY_RANGE as here?"
)


def run(arguments: argparse.Namespace, bodies: Sequence[ConvexBody]) -> int:
    """Do the task; return the exit code."""
    # Each reaches this thread, which has a motion cancelled before ROS ends.
    raise_interrupts()
    start_ros()
    terminal = console()
    try:
        with (
            impossible_names_told(),
            PayloadClient(**{x: getattr(arguments, x) for x in NODES if x in arguments}) as client,
        ):
            if arguments.task in PLANNER_TASKS:
                return PLANNER_TASKS[arguments.task](terminal, client, arguments, bodies)
            return TASKS[arguments.task](terminal, client, arguments)
    except NotAnsweredError as error:
        missing = "Waited" in str(error)
        raise NotAnsweredError(f"{error}{HINT if missing else ''}") from error
    finally:
        rclpy.try_shutdown()


def _say(terminal: Console, sentence: str, style: str = "") -> None:
    """Print a node's sentence as it is."""
    terminal.print(printable(sentence), style=style, markup=False, soft_wrap=True)


def _asked(terminal: Console, client: PayloadClient, arguments: argparse.Namespace) -> int:
    """Call the service of the task's name, and show its sentence."""
    with terminal.status(f"{arguments.task} ..."):
        said = getattr(client, arguments.task)()
    _say(terminal, said)
    return 0


def _stop(terminal: Console, client: PayloadClient, arguments: argparse.Namespace) -> int:
    """End the run, and show the estimate, whose sentence the service's answer repeats."""
    with terminal.status("The final estimate ..."):
        client.stop()
    return _estimate(terminal, client)


def _save(terminal: Console, client: PayloadClient, arguments: argparse.Namespace) -> int:
    """Save the run, and write its report if one is asked for; the node goes on meanwhile."""
    folder = client.save(arguments.folder)
    _say(terminal, f"saved: {folder}")
    if not arguments.report:
        return 0
    path, code = written(Path(folder))
    _say(terminal, f"report: {path}")
    return code


def _estimate(terminal: Console, client: PayloadClient) -> int:
    """Show the newest estimate."""
    found = client.estimate()
    terminal.print(verdict(found))
    if math.isfinite(found.half_width[0]):
        terminal.print(estimate_table(found))
    return 0


def _status(terminal: Console, client: PayloadClient, arguments: argparse.Namespace) -> int:
    """Show how the nodes are, and the newest estimate."""
    heard: dict[str, DiagnosticStatus] = {}

    def note(message: DiagnosticArray) -> None:
        heard.update({status.name: status for status in message.status})

    client.node.create_subscription(DiagnosticArray, "/diagnostics", note, 10)
    with terminal.status("Listening ..."):
        time.sleep(HEARD)
    for name, status in sorted(heard.items()):
        level = LEVELS.get(bytes(status.level), "?")
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


def _watch(terminal: Console, client: PayloadClient, arguments: argparse.Namespace) -> int:
    """Show the intervals until interrupted."""
    name = f"{arguments.estimator}/payload"
    client.wait_for(lambda: client.node.count_publishers(name) > 0, FOUND, f"the topic {name}")
    begin = seen = time.monotonic()
    with suppress(KeyboardInterrupt), LiveView(terminal) as view:
        while True:
            seen = time.monotonic() if client.node.count_publishers(name) else seen
            if time.monotonic() - seen > GONE:
                raise GoneError(f"Nobody publishes {name} any more.")
            latest = estimate_from(client.messages[-1]) if client.messages else None
            elapsed = time.monotonic() - begin
            view.show(elapsed, latest, elapsed)
            time.sleep(0.1)
    return _estimate(terminal, client)


def _plan(terminal: Console, client: PayloadClient, arguments: argparse.Namespace, _: Any) -> int:
    """Plan a motion, and describe it."""
    with _progress(terminal, "planning", None) as update:
        description = client.plan(
            LONGEST, tell=lambda told: update(None, told.phase), **arguments.goal
        )
    show_plan(terminal, description)
    _say(terminal, f"next: ./payload-id live execute {description.plan_id}")
    return 0


def _describe(
    terminal: Console, client: PayloadClient, arguments: argparse.Namespace, _: Any
) -> int:
    """Describe a plan."""
    show_plan(terminal, client.described(arguments.plan))
    return 0


def _execute(
    terminal: Console, client: PayloadClient, arguments: argparse.Namespace, _: Any
) -> int:
    """Describe a plan, have it confirmed, and move the arm; Ctrl-C has the certified stop sent."""
    description = client.described(arguments.plan)
    show_plan(terminal, description)
    if not arguments.yes and not _confirmed():
        terminal.print("Nothing moves.")
        return 2
    duration = float(description.duration) / arguments.speed_scale
    try:
        with _progress(terminal, "moving", duration) as update:
            result = client.execute(
                description, LONGEST + duration, arguments.speed_scale, "payload-id live",
                tell=lambda told: update(
                    told.time, f"{told.phase}, tracking error {told.tube_use:.0%} of the tube"
                ),
            )  # fmt: skip
    except KeyboardInterrupt:  # the client has had the motion cancelled, and waited for its end
        _say(terminal, "The motion was cancelled, and has ended.")
        raise
    style = "green" if result.success else "bold red"
    _say(terminal, result.message, style)
    return 0 if result.success else 2


def _identify(
    terminal: Console, client: PayloadClient, arguments: argparse.Namespace, _: Any
) -> int:
    """Have it confirmed, and identify the payload."""
    if not arguments.yes and not _confirmed():
        terminal.print("Nothing moves.")
        return 2
    try:
        return identify(terminal, client, arguments, partial(_say, terminal))
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
    arguments: argparse.Namespace,
    bodies: Sequence[ConvexBody],
) -> int:
    """Change obstacles, and list those in force."""
    if arguments.clear:
        _say(terminal, client.set_obstacles([]))
    if arguments.remove:
        _say(terminal, client.remove_obstacles(arguments.remove).message)
    answer = client.add_obstacles(bodies)
    if bodies:
        _say(terminal, answer.message)
    _say(terminal, f"in force: {', '.join(answer.ids) or 'none'}")
    return 0


@contextmanager
def _progress(terminal: Console, what: str, total: float | None) -> Any:
    """Show a bar; gives a function that takes how far it is (None: not known) and a text."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=terminal, transient=True) as progress:
        task = progress.add_task(what, total=total)

        def update(done: float | None, text: str) -> None:
            progress.update(task, completed=done, description=f"{what}: {text}")

        yield update


def show_plan(terminal: Console, plan: PlanDescription) -> None:
    """Print a plan for a person."""
    _say(terminal, f"{plan.plan_id}: {plan.summary}")
    table = plain_table()
    for title in ("joint", "from", "to", "position %", "velocity %", "acceleration %", "torque %"):
        table.add_column(title, justify="left" if title == "joint" else "right")
    peaks = (
        plan.peak_position_percent,
        plan.peak_velocity_percent,
        plan.peak_acceleration_percent,
        plan.peak_torque_percent,
    )
    rows = zip(plan.joint_names, plan.start_positions, plan.goal_positions, *peaks, strict=True)
    for name, start, goal, *parts in rows:
        table.add_row(Text(name), f"{start:.3f}", f"{goal:.3f}", *(f"{part:.0f}" for part in parts))
    terminal.print(table)
    for sentence in plan.assumptions:
        _say(terminal, f"  rests on: {sentence}", "dim")
    _say(terminal, f"certificate: {plan.certificate_path}")


Task = Callable[[Console, PayloadClient, argparse.Namespace], int]
PlannerTask = Callable[[Console, PayloadClient, argparse.Namespace, Sequence[ConvexBody]], int]
TASKS: dict[str, Task] = {
    "start": _asked,
    "reset": _asked,
    "tare": _asked,
    "stop": _stop,
    "save": _save,
    "status": _status,
    "watch": _watch,
}
PLANNER_TASKS: dict[str, PlannerTask] = {
    "plan": _plan,
    "describe": _describe,
    "execute": _execute,
    "identify": _identify,
    "obstacles": _obstacles,
}
