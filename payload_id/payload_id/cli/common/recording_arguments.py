"""Arguments that say which recording is meant, and how it is read."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from ...core.errors import InputError
from ...files.recordings.any_recording import read_any
from ...files.recordings.recording import Recording
from ...files.recordings.wrench_recording import WrenchRecording
from ...files.robots.robot_file import RobotFile
from .arguments import number

OF_WHOLE = "numbers of samples left out are of the whole recording, not only of --from to --to"
Recorded = TypeVar("Recorded", Recording, WrenchRecording)


def add_recording_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the recording of a payload, further ones, and how they are read."""
    parser.add_argument(
        "recording", type=Path, help="rosbag2 folder, .mcap, .db3 or .bag file, or a table"
    )
    parser.add_argument(
        "--also",
        type=Path,
        action="append",
        default=[],
        metavar="RECORDING",
        help="further recording of the same arm and payload, whose rows count as well; may be "
        "repeated (joint torques only, with --robot)",
    )
    parser.add_argument(
        "--tare",
        type=Path,
        action="append",
        default=[],
        metavar="RECORDING",
        help="recording of the same arm WITHOUT payload, read in the same way, that tells of "
        "links, friction and sensors; may be repeated (joint torques only)",
    )
    parser.add_argument(
        "--robot",
        metavar="FILE",
        help="robot file (YAML), or the name of a shipped one such as kinova_gen3; not needed for "
        "a recording that a live run made",
    )
    add_source_arguments(parser)
    add_static_argument(parser)
    parser.add_argument(
        "--payload-frame", metavar="FRAME", help="frame of the payload (default: the robot file's)"
    )
    add_stretch_arguments(parser)


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """Add where in a table or a bag the joint states are."""
    parser.add_argument(
        "--columns", type=Path, metavar="FILE", help="YAML that says what a table's columns hold"
    )
    parser.add_argument(
        "--topic",
        help="topic of the joint states (default: the robot file's); several separated by commas, "
        "or TOPIC:FIELD for efforts in a field of any message, are merged",
    )


def add_static_argument(parser: argparse.ArgumentParser) -> None:
    """Add that a recording is of rests."""
    parser.add_argument(
        "--static",
        action="store_true",
        help="each row of a table without time, or with rows far apart, is one pose at rest; of a "
        "force-torque sensor's motion use only the stretches in which it rests",
    )


def add_stretch_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stretch of time that is used."""
    parser.add_argument("--from", dest="start", type=number, metavar="SECONDS", help="first second")
    parser.add_argument("--to", dest="end", type=number, metavar="SECONDS", help="last second")


def read_recording(path: Path, arguments: argparse.Namespace, file: RobotFile) -> Recording:
    """Read a bag, or a table with a description of its columns.

    Raises:
        InputError: A table comes without a description.
    """
    static = vars(arguments).get("static", False)
    return read_any(path, file, arguments.topic or "", arguments.columns, static)


def check_different(paths: Iterable[Path]) -> None:
    """Raise if one recording is named twice: it would count as two.

    Raises:
        InputError: One is.
    """
    seen: set[Path] = set()
    for path in paths:
        try:
            place = path.resolve()
        except (OSError, ValueError, RuntimeError):  # which its reader names
            continue
        if place in seen:
            raise InputError(f"The recording {path} is named twice; it would count as two.")
        seen.add(place)


def columns_of(path: Path, arguments: argparse.Namespace, example: str) -> Path:
    """Return the description of a table's columns.

    Raises:
        InputError: There is none; names the shipped example.
    """
    if arguments.columns is None:
        raise InputError(
            f"A table needs --columns FILE that says what the columns of {path.name} hold; "
            f"config/recordings/{example} is one."
        )
    columns: Path = arguments.columns
    return columns


def stretch_of(recording: Recorded, arguments: argparse.Namespace) -> Recorded:
    """Return the stretch of a recording that is asked for.

    Raises:
        InputError: It ends before it begins, or holds no samples.
    """
    if arguments.start is None and arguments.end is None:
        return recording
    start = 0.0 if arguments.start is None else arguments.start
    end = math.inf if arguments.end is None else arguments.end
    if not start <= end:
        raise InputError(f"--from must not be after --to; found {start:g} and {end:g} s.")
    stretch: Recorded = recording.between(start, end)
    if not len(stretch):
        last = f"{recording.stamp[-1]:.3f}" if len(recording) else "0"
        raise InputError(
            f"The recording runs from 0 to {last} s; it has no samples from --from {start:g} to "
            f"--to {end:g} s."
        )
    # Of what was left out only the number is known, which may lie anywhere in the recording.
    notes = (*stretch.notes, OF_WHOLE) if recording.dropped else stretch.notes
    return replace(stretch, dropped=recording.dropped, notes=notes)


def remarks(recording: Recording | WrenchRecording) -> Sequence[str]:
    """Return what the user should know about the data."""
    lost = ", ".join(f"{count} {cause}" for cause, count in recording.dropped.items())
    return [*recording.notes, *([f"samples left out: {lost}"] if lost else [])]
