"""`payload-id known-runs`: arguments; the session itself needs ROS and is imported when run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ...core.errors import ConfigurationError, InputError
from ...core.history import KnownLoad
from ...files.configuration.whole_file import check_place
from ...files.recordings.known_runs import LIST
from ..common.arguments import add_verb, number, seed, whole_number

BARE = "bare"


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    text = "have the planner move the arm with known weights, and record it for calibrate --history"
    parser = add_verb(verbs, "known-runs", text)
    parser.add_argument(
        "weights",
        nargs="+",
        metavar="WEIGHT",
        help="what the arm carries, in the order in which it is changed: 'bare', or a mass [kg] "
        "of all that is put on; a weight that comes again is put on again, best elsewhere",
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="where runs are kept; if it holds the first runs of the same session, the others are "
        "made",
    )
    parser.add_argument(
        "--runs",
        type=whole_number,
        default=20,
        help="number of runs, divided among weights (default: 20)",
    )
    parser.add_argument(
        "--duration",
        type=number,
        default=0.0,
        metavar="SECONDS",
        help="length of each motion at full speed (default: the planner's parameter duration)",
    )
    parser.add_argument(
        "--speed-scale",
        type=number,
        default=1.0,
        metavar="PART",
        help="part of the velocity limits that may be used (default: 1)",
    )
    parser.add_argument(
        "--tolerance",
        type=number,
        default=0.01,
        metavar="PART",
        help="by which part of a mass it may be wrong, for the certificates (default: 0.01)",
    )
    parser.add_argument(
        "--seed", type=seed, default=0, help="of the first motion; each has another (default: 0)"
    )
    parser.add_argument(
        "--planner",
        default="payload_planner",
        metavar="NODE",
        help="name of the planner's node (default: payload_planner)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Make the runs; return 0 once all are there."""
    masses = [mass_of(text) for text in arguments.weights]
    check_place(arguments.out / LIST, "list of runs")
    # Not at the top: every other command works where ROS is not installed.
    try:
        from .session import run as run_session
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"Moving the arm takes ROS 2, and {error.name} is not installed here. Run "
            "./payload-id known-runs in the repository, or source a ROS 2 workspace that holds it."
        ) from error

    return run_session(arguments, masses)


def mass_of(text: str) -> float:
    """Return the mass of a weight [kg]; 0 for the bare arm.

    Raises:
        InputError: It is none.
    """
    if text == BARE:
        return 0.0
    try:
        mass = number(text)
    except ValueError as error:
        raise InputError(f"A weight is '{BARE}' or a mass in kg; found '{text}'.") from error
    KnownLoad.of_mass(mass)
    return mass
