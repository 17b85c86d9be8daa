"""`payload-id doctor`: look at machine, ROS, network and driver before anything is started."""

from __future__ import annotations

import argparse
import importlib.util
from typing import Any

from ...core.errors import InputError, PayloadIdError
from ...core.recording_checks.check_result import CheckResult, Verdict
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ..common.arguments import add_verb
from ..common.lines import any_wrong, lines_json, lines_table
from ..common.presentation import console
from ..common.progress import progress
from .environment import environment

LONGEST = 600.0  # [s] that joint states are listened to


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    text = "look at this machine: environment, network, robot file, what the driver publishes"
    parser = add_verb(verbs, "doctor", text)
    parser.add_argument(
        "--robot", metavar="FILE", help="robot file (YAML), or a shipped name: listen to its driver"
    )
    parser.add_argument("--topic", default="", help="of the joint states (default: the file's)")
    parser.add_argument(
        "--seconds", type=float, default=3.0, help="how long to listen (default: 3)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and no more")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Look, say what was found; return 2 if something is wrong."""
    if not 0.5 <= arguments.seconds <= LONGEST:
        raise InputError(f"--seconds must be from 0.5 to {LONGEST:g}; found {arguments.seconds:g}.")
    if arguments.topic and arguments.robot is None:
        raise InputError("--topic is listened to with a robot file alone. Add --robot FILE.")
    lines = environment()
    robot, about = _robot(arguments.robot)
    lines += about
    if importlib.util.find_spec("rclpy") and importlib.util.find_spec("payload_id_msgs"):
        # Not at the top: everything else works where ROS is not installed.
        from .network import network

        with progress("listening"):
            lines += network(robot, arguments.topic, arguments.seconds)
    if arguments.json:
        print(lines_json(lines))
    else:
        console().print(lines_table(lines))
    return 2 if any_wrong(lines) else 0


def _robot(name: str | None) -> tuple[RobotFile | None, list[CheckResult]]:
    """Return the robot file if it can be used, and what was found of it."""
    if name is None:
        do = "Name one to have its driver listened to: --robot FILE."
        return None, [CheckResult("robot file", Verdict.LOOK, "none named", "one", do)]
    expected = "a description with the joints and the payload frame"
    try:
        file = RobotFile.load(name)
        arm = RobotModel.from_robot_file(file)
    except PayloadIdError as error:
        do = "Correct it, or draft one: ./payload-id new-robot URDF."
        return None, [CheckResult("robot file", Verdict.WRONG, str(error), expected, do)]
    found = f"{file.name}: {arm.n} joints, payload at {file.payload_frame}"
    return file, [CheckResult("robot file", Verdict.GOOD, found, expected)]
