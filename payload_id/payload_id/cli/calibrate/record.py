"""The person at the terminal who changes the weights, and the session that waits for her."""

from __future__ import annotations

import shlex
import sys
import termios
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ...ros.client import PayloadClient
from ...ros.client.known_runs import KnownRuns
from ...ros.client.planner_setup import PlannerSetup
from ...ros.client.waiting import impossible_names_told
from ...ros.client.wanted_runs import Wanted
from ...ros.common.main_loop import ros_running
from ..common.signals import raise_interrupts
from .command import Session

STOP = "stop"


def run(session: Session, weights: Sequence[float]) -> int:
    """Make the runs that are missing, and say what to do with them; return the exit code."""
    wanted = Wanted.in_groups(
        weights, session.runs,
        duration=session.duration, speed_scale=session.speed_scale,
        tolerance=session.tolerance, seed=session.seed,
    )  # fmt: skip
    # Each reaches this thread, which has the planner stop the arm before ROS ends.
    raise_interrupts()
    say = partial(print, flush=True)
    with ros_running(), impossible_names_told(), PayloadClient(planner=session.planner) as client:
        made = KnownRuns(client, session.out, wanted, _put_on, say)
        try:
            made.make()
        except KeyboardInterrupt:
            say(f"\n{made.kept()}")
            raise
        say(f"{made.kept()}\nnext:\n  {calibration(made.setup, made.path)}")
    return 0


def calibration(setup: PlannerSetup, path: Path) -> str:
    """Return the command that learns an arm's history from runs, with the planner's bounds."""
    words = ["./payload-id", "calibrate", "history", "--runs", str(path)]
    words += ["--robot", str(setup.robot.path), "--out", str(path.with_name("known_arm.yaml"))]
    words += ["--topic", setup.topic] if setup.topic != setup.robot.joint_states.topic else []
    for name, value in setup.changed.items():
        numbers = value if isinstance(value, list) else [value]
        words += ["--uncertainty", f"{name}={','.join(f'{x:.17g}' for x in numbers)}"]
    return shlex.join(words)


def _put_on(mass: float) -> bool:
    """Ask for a weight until it is said to be on, or that nothing more shall move."""
    answer = f"{mass:g}" if mass else "bare"
    weight = f"Put {mass:g} kg on" if mass else "Take all weights off: the bare arm"
    print(
        f"{weight}. The arm waits at rest. It moves once you have stepped back and typed ", end=""
    )
    while True:
        if sys.stdin.isatty():  # what was typed before is no answer
            termios.tcflush(sys.stdin, termios.TCIFLUSH)
        try:
            given = input(f"'{answer}' ('{STOP}' ends): ").strip()
        except EOFError:
            return False
        if given in (answer, STOP):
            return given == answer
        print(f"  That was '{given}'. Type ", end="")
