"""`payload-id apply`: arguments; what it does needs ROS and is imported when run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ...core.errors import ConfigurationError
from ...files.export.exported import ARMS
from ..common.arguments import add_verb, number


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    text = "tell the arm's own controller of an identified load; without --confirm nothing is sent"
    parser = add_verb(verbs, "apply", text)
    parser.add_argument(
        "result", type=Path, help="folder of a run, or a file that 'replay --json' wrote"
    )
    parser.add_argument("--to", dest="target", choices=tuple(ARMS), required=True, help="the arm")
    parser.add_argument(
        "--confirm", action="store_true", help="send it (default: show what would be sent)"
    )
    parser.add_argument(
        "--undo", action="store_true", help="send what the arm had before, as it was recorded"
    )
    parser.add_argument(
        "--robot",
        metavar="FILE",
        help="robot file (YAML), or a shipped name (default: the one that the run names)",
    )
    parser.add_argument(
        "--namespace",
        default="",
        metavar="NAME",
        help="of the arm's driver, where several arms have one each, such as left",
    )
    parser.add_argument(
        "--rated-mass",
        type=number,
        metavar="KG",
        help="largest mass of the payload (default: driver.payload.rated_mass of the robot file)",
    )
    parser.add_argument(
        "--no-inertia",
        action="store_true",
        help="leave the inertia out, for a driver of Universal Robots without these fields",
    )
    parser.add_argument(
        "--before",
        type=Path,
        metavar="FILE",
        help="fields of the load that the arm has now (YAML), for --undo, where the arm does not "
        "say it",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Show or send a load; return the exit code."""
    # Not at the top: every other command works where ROS is not installed.
    try:
        from .session import run as run_session
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"Drivers are reached through ROS 2, and {error.name} is not installed here. Run "
            "./payload-id apply in the repository, or source a ROS 2 workspace that holds it."
        ) from error

    return run_session(arguments)
