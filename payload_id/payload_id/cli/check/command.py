"""`payload-id check`: whether a recording, or this machine, is as it must be."""

from __future__ import annotations

import importlib.util
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ...core.errors import InputError, PayloadIdError
from ...core.recording_checks.check_result import CheckResult, Verdict
from ..common.options import Json, Source, Static, argument, seconds

if TYPE_CHECKING:
    from ...files.robots.robot_file import RobotFile

LONGEST = 600.0  # [s] that joint states are listened to


def check(
    source: Source,
    recording: Annotated[
        Path | None,
        argument(
            parser=Path,
            metavar="RECORDING",
            help="rosbag2 folder, .mcap, .db3 or .bag file, or a table (default: look at this "
            "machine, with --robot also at what its driver publishes)",
        ),
    ] = None,
    static: Static = False,
    listen: Annotated[
        float | None, seconds("how long to listen to a driver (default: 3)", "--seconds")
    ] = None,
    json: Json = False,
) -> int:
    """Look before anything is identified: at a recording, or at this machine and a driver."""
    from ..common.checked import any_wrong, lines_json, lines_table
    from ..common.presentation import console
    from .recording import check as check_recording

    notes: tuple[str, ...] = ()
    if recording is not None and listen is not None:
        raise InputError(
            "--seconds is for a driver that is listened to: leave it or RECORDING out."
        )
    if recording is None:
        lines = _machine(source, static, 3.0 if listen is None else listen)
    else:
        lines, notes = check_recording(recording, source, static)
    wrong = any_wrong(lines)
    if json:
        print(lines_json(lines))
        return 2 if wrong else 0
    terminal = console()
    for note in notes:
        terminal.print(note, style="yellow")
    terminal.print(lines_table(lines))
    following = _next(source, recording, static, wrong)
    terminal.print(f"next: {following}", soft_wrap=True, markup=False)
    return 2 if wrong else 0


def _next(source: Source, recording: Path | None, static: bool, wrong: bool) -> str:
    """Return the command that comes next."""
    if wrong:
        return "mend what is marked, then check again."
    if recording is None:
        return "./payload-id demo, or ./payload-id check RECORDING --robot FILE"
    words = ["./payload-id", "identify", str(recording), "--robot", str(source.robot)]
    words += ["--columns", str(source.columns)] if source.columns else []
    words += ["--topic", source.topic] if source.topic else []
    words += ["--static"] if static else []
    return shlex.join(words)


def _machine(source: Source, static: bool, listen: float) -> list[CheckResult]:
    """Return what was found of this machine, its network and a robot's driver."""
    from ..common.progress import progress
    from .environment import environment

    of_recording = (source.columns, source.start, source.end, static or None)
    if any(x is not None for x in of_recording):
        raise InputError("--columns, --from, --to and --static are of a recording: name one.")
    if not 0.5 <= listen <= LONGEST:
        raise InputError(f"--seconds must be from 0.5 to {LONGEST:g}; found {listen:g}.")
    if source.topic and source.robot is None:
        raise InputError("--topic is listened to with a robot file alone. Add --robot FILE.")
    lines = environment()
    robot, about = _robot(source.robot)
    lines += about
    if importlib.util.find_spec("rclpy") and importlib.util.find_spec("payload_id_msgs"):
        from .network import network  # everything else works where ROS is not installed

        with progress("listening"):
            lines += network(robot, source.topic, listen)
    return lines


def _robot(name: str | None) -> tuple[RobotFile | None, list[CheckResult]]:
    """Return the robot file if it can be used, and what was found of it."""
    from ...files.robots.robot_file import RobotFile
    from ...files.robots.robot_model import RobotModel
    from ..common.checked import judged

    file, found, verdict, do = None, "none named", Verdict.LOOK, ""
    if name is None:
        do = "Name one to have its driver listened to: --robot FILE."
    else:
        try:
            file = RobotFile.load(name)
            arm = RobotModel.from_robot_file(file)
            found = f"{file.name}: {arm.n} joints, payload at {file.payload_frame}"
        except PayloadIdError as error:
            file, found, verdict = None, str(error), Verdict.WRONG
            do = "Correct it, or draft one: ./payload-id new-robot URDF."
    expected = "a description with the joints and the payload frame"
    return file, [judged("robot file", found, expected, do, verdict)]
