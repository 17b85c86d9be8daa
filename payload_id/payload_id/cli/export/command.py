"""`payload-id export`: write an identified load as a controller, a filter or a model takes it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ...files.configuration.whole_file import check_place, saved_file
from ...files.export.exported import TARGETS, exported, the_robot
from ...files.export.loads.result_file import read_result
from ..common.arguments import add_verb, number


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    text = "write an identified load as a controller, filter or model takes it; nothing is sent"
    parser = add_verb(verbs, "export", text)
    parser.add_argument(
        "result", type=Path, help="folder of a run, or a file that 'replay --json' wrote"
    )
    parser.add_argument(
        "--as",
        dest="target",
        choices=tuple(TARGETS),
        required=True,
        help="; ".join(f"{name}: {target.text}" for name, target in TARGETS.items()),
    )
    parser.add_argument(
        "--robot",
        metavar="FILE",
        help="robot file (YAML), or a shipped name (default: the one that the run names)",
    )
    parser.add_argument(
        "--frame",
        metavar="LINK",
        default="",
        help="link whose frame the load is stated in (default: driver.payload.frame of the robot "
        "file for an arm; else the payload's)",
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
        "--out", type=Path, metavar="FILE", help="write to a file (default: standard output)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write what the target reads; return the exit code."""
    place = None if arguments.out is None else check_place(arguments.out, "export")
    result = read_result(arguments.result)
    text = exported(
        result,
        arguments.target,
        the_robot(result, arguments.robot),
        arguments.frame,
        arguments.rated_mass,
        not arguments.no_inertia,
    )
    if place is None:
        print(text, end="")
        return 0
    with saved_file(place, "export") as file:
        file.write(text.encode())
    print(f"written: {place}")
    return 0
