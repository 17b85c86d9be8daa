"""Arguments of `payload-id live identify`; nothing here needs ROS."""

from __future__ import annotations

import argparse
import math
from typing import Any

from ...core.errors import InputError
from ..common.arguments import number, whole_number
from ..common.method_arguments import add_enough

TARES = ("as-is", "required", "only", "first")  # in the order of the goal's constants


def add_identify(parser: argparse.ArgumentParser) -> None:
    """Add how a payload is identified."""
    parser.add_argument(
        "--one-motion", action="store_true", help="plan one motion instead of a receding horizon"
    )
    parser.add_argument(
        "--most-pieces", type=whole_number, help="end a receding horizon after so many"
    )
    parser.add_argument(
        "--known-mass",
        type=number,
        nargs=2,
        metavar=("KG", "ERROR"),
        help="the payload's mass and its largest error [kg]",
    )
    add_enough(parser)
    parser.add_argument(
        "--target-mass", type=number, help="end when the mass is known to ± so much"
    )
    parser.add_argument(
        "--tare", choices=TARES, default="as-is", help="move WITHOUT payload to tare (only, first)"
    )
    parser.add_argument("--time-limit", type=number, help="for all of it [s]")
    parser.add_argument("--continue-run", action="store_true", help="take the run in progress, too")
    parser.add_argument("--unrecorded", action="store_true", help="go on without a recording")
    parser.add_argument("--yes", action="store_true", help="move without asking")


def goal_fields(arguments: argparse.Namespace, motion: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a goal that were given.

    Args:
        arguments: Of the command line.
        motion: Those that describe the motion.
    """
    fields = dict(motion)
    fields |= {
        name: getattr(arguments, name)
        for name in ("one_motion", "most_pieces", "known_mass", "enough", "time_limit",
                     "continue_run", "unrecorded")
        if getattr(arguments, name) is not None
    }  # fmt: skip
    fields["tare"] = TARES.index(arguments.tare)
    if (most := arguments.most_pieces) is not None and not 0 <= most < 2**32:
        raise InputError(f"--most-pieces must be from 0 to {2**32 - 1}; found {most}.")
    if arguments.target_mass is not None:
        fields["target_half_width"] = [arguments.target_mass, *[math.inf] * 9]
    return fields
