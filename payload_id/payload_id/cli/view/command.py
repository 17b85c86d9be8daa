"""`payload-id view`: arguments; the view itself needs ROS and is imported when run."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ...core.errors import ConfigurationError, InputError
from ...files.robots.robot_file import RobotFile
from ...files.runs.run_file import RunFile
from ...ros.view.arguments import add_arguments
from ..common.arguments import add_verb
from ..common.progress import progress
from ..common.recording_arguments import remarks
from ..replay import replay_torque, replay_wrench

# Options of `replay` that serve a recording's reading, and what they take.
PASSED_ON = {
    "topic": ("NAME", "topic of the joint states (default: the robot file's)"),
    "columns": ("FILE", "what the columns of a table hold"),
    "payload-frame": ("LINK", "link that carries the payload (default: the robot file's)"),
}


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    parser = add_verb(verbs, "view", "show running nodes, or a recording, in the browser")
    parser.add_argument(
        "recording", nargs="?", type=Path,
        help="bag or table to be replayed and shown with a slider of time (default: running nodes)",
    )  # fmt: skip
    for name in PASSED_ON:
        meant, text = PASSED_ON[name]
        parser.add_argument(f"--{name}", metavar=meant, help=f"{text}; of a recording")
    add_arguments(parser)
    parser.set_defaults(run=partial(run, verbs.choices["replay"].parse_args))


def run(
    as_replayed: Callable[[list[str]], argparse.Namespace], arguments: argparse.Namespace
) -> int:
    """Serve the view until interrupted; return the exit code.

    Args:
        as_replayed: Reads a command line as `replay` does.
        arguments: What was given.
    """
    # Not at the top: every other command works where ROS is not installed.
    try:
        from ...ros.view.node import serve
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"The view is served with ROS 2, and {error.name} is not installed here. Run "
            "./payload-id view in the repository, or source a ROS 2 workspace that holds it."
        ) from error
    if arguments.recording is None:
        return serve(arguments)
    words = [str(arguments.recording)]
    for name in ("robot", *PASSED_ON):
        given = getattr(arguments, name.replace("-", "_"))
        words += [f"--{name}", given] if given else []
    return _show_recording(as_replayed(words), arguments)


def _show_recording(replayed: argparse.Namespace, arguments: argparse.Namespace) -> int:
    """Identify from a recording, and serve it."""
    from ...files.robots.arm_frames import ArmFrames
    from ...ros.view.recorded import Film, serve_film

    if replay_wrench.is_wrench(replayed):
        raise InputError(
            "A recording of a force-torque sensor has no arm to be shown; see it with "
            f"./payload-id replay {arguments.recording} --figure intervals.png."
        )
    job = replay_torque.load(replayed)
    with progress("identifying") as tell:
        outcome = replay_torque.identify(replayed, tell)
    if arguments.robot:
        file = RobotFile.load(arguments.robot)
        urdf, folder = file.urdf, file.urdf_path.parent
    else:
        urdf, folder = RunFile.load(arguments.recording).urdf, arguments.recording
    recording, frames = job.recording, ArmFrames(urdf)
    notes = remarks(recording)
    film = Film(recording.stamp, recording.q, job.robot, frames, outcome.history, notes)
    return serve_film(film, urdf, folder, arguments.host, arguments.port)
