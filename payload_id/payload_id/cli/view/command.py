"""`payload-id view`: arguments; the view itself needs ROS and is imported when run."""

from __future__ import annotations

import argparse
from typing import Any

from ...core.errors import ConfigurationError
from ...ros.view.arguments import add_arguments
from ..common.arguments import add_verb


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    parser = add_verb(verbs, "view", "show running nodes in the browser, and have them identify")
    add_arguments(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve the view until interrupted; return the exit code."""
    # Not at the top: every other command works where ROS is not installed.
    try:
        from ...ros.view.node import serve
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"Nodes are reached through ROS 2, and {error.name} is not installed here. Run "
            "./payload-id view in the repository, or source a ROS 2 workspace that holds it."
        ) from error
    return serve(arguments)
