"""All that a team's estimate depends on, in order, on disk: samples, events, when it was made.

One NumPy array after the other: the text of an event as JSON, and for samples a table behind it.
Nothing of it is kept in memory. A log that is cut off is read up to there.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ...core.arrays import Array
from ...core.errors import RecordingError, in_words
from ...core.team.samples import OPTIONAL, SHAPES, RobotSamples

# What reading a damaged log raises.
CUT_OFF = (ValueError, EOFError, OSError, KeyError, TypeError, AttributeError, RecursionError)
TABLE, LEAVE, TOUCH, UPDATE = "samples", "leave", "touch", "update"


@dataclass(frozen=True)
class Left:
    """A robot has let go.

    Attributes:
        name: Of the robot.
        time: On its own clock [s].
    """

    name: str
    time: float


@dataclass(frozen=True)
class Touched:
    """Something else than the robots, such as a human, touched the payload.

    Attributes:
        start: Team time [s].
        end: Team time [s].
    """

    start: float
    end: float


@dataclass(frozen=True)
class Updated:
    """An estimate was made."""


Event = RobotSamples | Left | Touched | Updated


class TeamLog:
    """A log that is being written.

    Attributes:
        size: Bytes so far.
        loss: Why it is not whole, as a sentence; empty while it is.
    """

    def __init__(self, most: int, folder: Path | None = None) -> None:
        """Begin an empty log.

        Args:
            most: Largest size [bytes].
            folder: Where it lies until it is saved; None: where temporary files do.
        """
        self._most, self.size, self.loss = most, 0, ""
        self._file: Any = tempfile.TemporaryFile(prefix="payload_id_team_", dir=folder)

    def write(self, event: Event) -> None:
        """Add an event; on a full disk, or beyond the largest size, `loss` says so instead."""
        if self.loss:
            return
        try:
            for array in _arrays(event):
                np.lib.format.write_array(self._file, array, allow_pickle=False)
            self.size = self._file.tell()
        except OSError as error:
            self.loss = (
                f"The run is not kept any more: {in_words(error)}. Make room, then begin a new run."
            )
        if self.size > self._most:
            self.loss = (
                f"The run is not kept any more: it takes more than {self._most / 1e6:g} MB. Begin "
                "a new run, or start the node with a larger recording_most."
            )

    def copy_to(self, file: BinaryIO) -> None:
        """Write what there is to another file.

        Raises:
            RecordingError: The log is not whole.
        """
        if self.loss:
            raise RecordingError(self.loss)
        self._file.flush()
        self._file.seek(0)
        while block := self._file.read(1 << 20):
            file.write(block)
        self._file.seek(0, os.SEEK_END)

    def close(self) -> None:
        """Let the log go."""
        self._file.close()


def read_log(path: Path) -> Iterator[Event]:
    """Yield the events of a log.

    Raises:
        RecordingError: The file cannot be read, or is cut off.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            while file.tell() < size:
                text = json.loads(_array(file).tobytes())
                yield _event(text, _array(file) if text["event"] == TABLE else np.empty((0, 0)))
    except CUT_OFF as error:
        raise RecordingError(
            f"{path} is no readable log of a team's run: it is cut off, or was changed."
        ) from error


def _arrays(event: Event) -> Iterator[Array]:
    """Yield the arrays of an event."""
    text: dict[str, Any] = {"event": UPDATE}
    table = None
    if isinstance(event, Left):
        text = {"event": LEAVE, "name": event.name, "time": event.time}
    elif isinstance(event, Touched):
        text = {"event": TOUCH, "start": event.start, "end": event.end}
    elif isinstance(event, RobotSamples):
        given = [name for name in SHAPES if getattr(event, name) is not None]
        text = {"event": TABLE, "name": event.name, "columns": given}
        k = len(event)
        table = np.hstack([np.reshape(getattr(event, name), (k, -1)) for name in given])
    yield np.frombuffer(json.dumps(text).encode(), dtype=np.uint8)
    if table is not None:
        yield np.ascontiguousarray(table)


def _finite(value: Any) -> float:
    """Return a time."""
    time = float(value)
    if not math.isfinite(time):
        raise ValueError(f"the time {time}")
    return time


def _array(file: BinaryIO) -> Array:
    return np.asarray(np.lib.format.read_array(file, allow_pickle=False))


def _event(text: dict[str, Any], table: Array) -> Event:
    """Return the event of a text and its table."""
    if text["event"] == LEAVE:
        return Left(str(text["name"]), _finite(text["time"]))
    if text["event"] == TOUCH:
        start, end = _finite(text["start"]), _finite(text["end"])
        if start > end:
            raise ValueError(f"a touch from {start:g} to {end:g} s")
        return Touched(start, end)
    if text["event"] == UPDATE:
        return Updated()
    names = [name for name in SHAPES if name in text["columns"]]
    widths = [int(np.prod(SHAPES[name], dtype=int)) for name in names]
    if table.ndim != 2 or table.shape[1] != sum(widths):
        raise ValueError(f"a table of {table.shape} numbers")
    parts = np.split(table, np.cumsum(widths)[:-1], axis=1)
    arrays: dict[str, Any] = {name: None for name in OPTIONAL}
    for name, part in zip(names, parts, strict=True):
        arrays[name] = part.reshape(len(table), *SHAPES[name]).copy()
    return RobotSamples(str(text["name"]), **arrays)
