"""`payload-id replay`: identify from a recording, without ROS."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

from ..common.arguments import add_verb
from ..common.figure_argument import add_figure_argument, figure_place
from ..common.method_arguments import add_method_arguments
from ..common.progress import progress
from ..common.recording_arguments import add_recording_arguments
from ..common.shape_arguments import add_knowledge_argument, add_shape_arguments
from . import replay_team, replay_torque, replay_wrench
from .outcome import present


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    parser = add_verb(verbs, "replay", "identify the payload from a recording, without ROS")
    add_recording_arguments(parser)
    add_method_arguments(parser)
    add_shape_arguments(parser)
    add_knowledge_argument(parser)
    replay_wrench.add_wrench_arguments(parser)
    add_figure_argument(parser, "draw intervals over time")
    parser.add_argument("--json", action="store_true", help="print one JSON object and no more")
    parser.set_defaults(run=partial(run, parser.get_default))


def run(default: Callable[[str], Any], arguments: argparse.Namespace) -> int:
    """Identify and show the result; return the exit code.

    Args:
        default: Returns the default of an argument.
        arguments: What was given.
    """
    if replay_team.is_team(arguments.recording):
        replay_team.refuse_options(arguments, default)
        return replay_team.replay(arguments)
    figure = figure_place(arguments)
    with progress("identifying") as tell:
        if replay_wrench.is_wrench(arguments):
            outcome = replay_wrench.identify(arguments)
        else:
            outcome = replay_torque.identify(arguments, tell)
    return present(outcome, arguments, figure)
