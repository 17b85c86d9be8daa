"""`payload-id check`: whether a recording goes with a robot file, and what to do if not."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...core.arrays import Array
from ...core.recording_checks.check_result import CheckResult, Verdict
from ...core.recording_checks.kinematics import kinematics, looks_like_degrees
from ...core.recording_checks.timing import timing
from ...core.recording_checks.torques import torques
from ...files.recordings.any_recording import is_table
from ...files.recordings.recording import Recording
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ..common.arguments import add_verb
from ..common.lines import any_wrong, lines_json, lines_table
from ..common.presentation import console
from ..common.progress import progress
from ..common.recording_arguments import (
    add_source_arguments,
    add_static_argument,
    add_stretch_arguments,
    read_recording,
    stretch_of,
)


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    text = "look at a recording before anything is identified: names, units, signs, gaps, gravity"
    parser = add_verb(verbs, "check", text)
    parser.add_argument(
        "recording", type=Path, help="rosbag2 folder, .mcap, .db3 or .bag file, or a table"
    )
    parser.add_argument(
        "--robot", metavar="FILE", required=True, help="robot file (YAML), or a shipped name"
    )
    add_source_arguments(parser)
    add_static_argument(parser)
    add_stretch_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object and no more")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Look, say what was found; return 2 if something is wrong."""
    file = RobotFile.load(arguments.robot)
    arm = RobotModel.from_robot_file(file)
    recording = stretch_of(read_recording(arguments.recording, arguments, file), arguments)
    with progress("looking"):
        of_table = is_table(arguments.recording)
        lines = looked_at(recording, arm, file, of_table, arguments.static)
    wrong = any_wrong(lines)
    if arguments.json:
        print(lines_json(lines))
    else:
        show(lines, recording.notes, next_command(arguments, wrong))
    return 2 if wrong else 0


def looked_at(
    recording: Recording, arm: RobotModel, file: RobotFile, table: bool, static: bool = False
) -> list[CheckResult]:
    """Return everything else; of poses at rest their stamps tell nothing."""
    lower, upper, speed, effort = limits_of(file)
    revolute = arm.revolute
    endless = np.array(file.continuous)
    lower, upper = np.where(endless, -np.inf, lower), np.where(endless, np.inf, upper)
    # Columns are taken by name, and names that are not there are refused when reading.
    names = CheckResult(
        "joint names", Verdict.GOOD, ", ".join(arm.joints), "those of the robot file"
    )
    times = [] if static else timing(recording, None if table else file.joint_states.rate)
    lines, degrees = [names, *times], False
    if not any_wrong(times):  # else each derivative would seem to be in another unit, too
        lines += kinematics(recording, arm.joints, revolute, lower, upper, speed)
        degrees = looks_like_degrees(recording.q, revolute, lower, upper)
    if not any_wrong(times) and not degrees:
        return [*lines, *torques(recording, arm, file.uncertainty, effort)]
    do = "Mend that first, then check again."
    return [*lines, CheckResult("everything else", Verdict.LOOK, "not looked at", "", do)]


def limits_of(file: RobotFile) -> tuple[Array, Array, Array, Array]:
    """Return position, speed and torque limits, infinite where the file states none."""
    if not file.limit_sets:
        none = np.full(file.n, np.inf)
        return -none, none, none, none
    limits = file.limits
    return limits.position_lower, limits.position_upper, limits.velocity, limits.effort


def next_command(arguments: argparse.Namespace, wrong: bool) -> str:
    """Return the command that comes next."""
    if wrong:
        return "mend what is marked, then check again."
    robot, recording = shlex.quote(str(arguments.robot)), shlex.quote(str(arguments.recording))
    more = f" --columns {shlex.quote(str(arguments.columns))}" if arguments.columns else ""
    more += f" --topic {shlex.quote(arguments.topic)}" if arguments.topic else ""
    more += " --static" if arguments.static else ""
    return f"./payload-id replay {recording} --robot {robot}{more}"


def show(lines: Sequence[CheckResult], notes: Sequence[str], following: str) -> None:
    """Print the lines as a table."""
    terminal = console()
    for note in notes:
        terminal.print(note, style="yellow")
    terminal.print(lines_table(lines))
    terminal.print(f"next: {following}", soft_wrap=True)
