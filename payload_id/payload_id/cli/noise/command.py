"""`payload-id noise`: the least bounds on the torques' noise that recordings need."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...core import codec
from ...core.arrays import Array
from ...core.body.inertial import as_phi
from ...core.calibration.noise_needed import NoiseNeeded, noise_needed
from ...core.errors import InputError
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ..common.arguments import add_verb, number, numbers_of, with_changes
from ..common.presentation import console, plain_table
from ..common.progress import progress
from ..common.recording_arguments import (
    add_source_arguments,
    add_stretch_arguments,
    check_different,
    read_recording,
    remarks,
    stretch_of,
)

BARE, UNKNOWN = "none", "unknown"
CAVEAT = (
    "What these recordings need, not what holds: noise that looks like a payload, a link or an "
    "offset is not seen, and another motion may have more. Multiply by a margin, at the least by "
    "the largest of the last column, before you state it as torque_mean."
)
NOTHING_NEEDED = (
    "The other stated bounds, of offsets, gains, friction and links, explain these recordings "
    "without any noise of the torques: nothing is said of it. State them as small as they are for "
    "sure (--uncertainty NAME=VALUE, or the robot file), and measure again."
)


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    text = "measure which bounds on the torques' noise recordings need, by length of time"
    parser = add_verb(verbs, "noise", text)
    parser.add_argument(
        "recording",
        type=Path,
        nargs="+",
        help="rosbag2 folders, .mcap or .db3 files, or tables (.csv), of one payload, at rest or "
        "in motion",
    )
    parser.add_argument(
        "--robot", metavar="FILE", required=True, help="robot file (YAML), or a shipped name"
    )
    parser.add_argument(
        "--payload-frame", metavar="FRAME", help="frame of the payload (default: the robot file's)"
    )
    add_source_arguments(parser)
    add_stretch_arguments(parser)
    parser.add_argument(
        "--payload",
        default=BARE,
        metavar="m,hx,...,Izz",
        help=f"the payload: ten numbers in SI units about the payload frame's origin, '{BARE}' "
        f"(default), or '{UNKNOWN}'",
    )
    parser.add_argument(
        "--lengths",
        type=number,
        nargs="+",
        metavar="SECONDS",
        default=[0.1, 0.2, 0.5, 1.0],
        help="lengths of windows (default: 0.1 0.2 0.5 1.0)",
    )
    parser.add_argument(
        "--uncertainty",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="replace one bound of the robot file; torque_absolute only says in which proportions "
        "the joints' noise is looked for; may be repeated",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and no more")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Measure and show; return the exit code."""
    file = RobotFile.load(arguments.robot)
    robot = RobotModel.described(file, arguments.payload_frame)
    robot = replace(robot, effort=file.effort.scales).with_calibration(file.calibration)
    uncertainty = with_changes(file.uncertainty, arguments.uncertainty)

    check_different(arguments.recording)
    recordings = [
        stretch_of(read_recording(path, arguments, file), arguments) for path in arguments.recording
    ]
    payload = _payload(arguments.payload)
    with progress("measuring"):
        found = noise_needed(recordings, robot, uncertainty, arguments.lengths, payload)
    if arguments.json:
        print(json.dumps(as_json(found, robot.joints)))
    else:
        show(found, robot.joints, [note for each in recordings for note in remarks(each)])
    return 0


def _payload(text: str) -> Array | None:
    """Return the payload's parameters; None if they are not known.

    Raises:
        InputError: They cannot be read.
    """
    if text == UNKNOWN:
        return None
    if text == BARE:
        return np.zeros(10)
    wanted = f"'{BARE}', '{UNKNOWN}' or ten numbers"
    phi = numbers_of(text, "--payload", wanted)
    if len(phi) != 10:
        raise InputError(f"--payload takes {wanted}; found {len(phi)} numbers.")
    return as_phi(phi)


def as_json(found: Sequence[NoiseNeeded], joints: Sequence[str]) -> dict[str, Any]:
    """Return the result in plain numbers; null where there is no number."""
    rows = [codec.plain(each) | {"margin": each.margin} for each in found]
    plain: dict[str, Any] = codec.as_json({"joints": joints, "lengths": rows})
    return plain


def show(found: Sequence[NoiseNeeded], joints: Sequence[str], notes: Sequence[str]) -> None:
    """Print the result for a person."""
    terminal = console()
    for note in notes:
        terminal.print(note, style="yellow")
    table = plain_table()
    for title in ("length [s]", "factor", "each alone", *joints, "all over without one"):
        table.add_column(title, justify="right")
    for each in found:
        table.add_row(
            f"{each.length:g}",
            f"{each.factor:.3g}",
            " ".join(f"{x:.3g}" for x in each.alone),
            *(f"{x:.3g}" for x in each.absolute),
            f"{each.margin:.2g}" if math.isfinite(each.margin) else "–",
        )
    terminal.print(table)
    if all(each.factor == 0.0 for each in found):
        terminal.print(NOTHING_NEEDED)
        return
    terminal.print(
        "factor: of torque_absolute, in its proportions. Joints: bounds of the least sum [N m or "
        f"N]. {CAVEAT}"
    )
