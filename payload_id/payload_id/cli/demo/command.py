"""`payload-id demo`: arguments; the demonstration itself needs ROS and is imported when run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ...core.errors import ConfigurationError
from ..common.arguments import add_verb, seed


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    text = "a simulated arm grasps an unknown payload and real ROS 2 nodes identify it"
    parser = add_verb(verbs, "demo", text)
    parser.add_argument("--seed", type=seed, help="of payload, links, noise and motion")
    parser.add_argument(
        "--team", action="store_true", help="three mocobots that hold one payload, instead"
    )
    parser.add_argument("--robot", default="kinova_gen3", metavar="FILE", help="robot file or name")
    parser.add_argument(
        "--out", type=Path, default=Path("runs"), metavar="FOLDER", help="where runs are written"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the demonstration; return 0 if every interval contains the truth."""
    # Not at the top: every other command works where ROS is not installed.
    try:
        from .demonstration import run as run_demonstration
        from .team_demonstration import run as run_team
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"The demonstration runs ROS 2 nodes, and {error.name} is not installed here. Run "
            "./payload-id demo in the repository, or source a ROS 2 workspace that holds it."
        ) from error

    if arguments.team:
        return run_team(arguments.seed, arguments.out)
    return run_demonstration(arguments.robot, arguments.seed, arguments.out)
