"""Recordings as options say how they are read."""

from __future__ import annotations

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
from .options import Source

OF_WHOLE = "numbers of samples left out are of the whole recording, not only of --from to --to"
Recorded = TypeVar("Recorded", Recording, WrenchRecording)


def robot_file(source: Source, made: str = "the recording") -> RobotFile:
    """Return the robot file that is named.

    Raises:
        InputError: None is.
    """
    if source.robot is None:
        raise InputError(
            f"Which robot made {made}? Give --robot FILE, or a shipped name such as kinova_gen3."
        )
    return RobotFile.load(source.robot)


def read_recording(path: Path, source: Source, file: RobotFile, static: bool = False) -> Recording:
    """Read a bag, or a table with a description of its columns."""
    return read_any(path, file, source.topic, source.columns, static)


def read_stretch(path: Path, source: Source, file: RobotFile, static: bool = False) -> Recording:
    """Read the stretch of a recording that is asked for."""
    return stretch_of(read_recording(path, source, file, static), source)


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


def stretch_of(recording: Recorded, source: Source) -> Recorded:
    """Return the stretch of a recording that is asked for.

    Raises:
        InputError: It ends before it begins, or holds no samples.
    """
    if source.start is None and source.end is None:
        return recording
    start = 0.0 if source.start is None else source.start
    end = math.inf if source.end is None else source.end
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
