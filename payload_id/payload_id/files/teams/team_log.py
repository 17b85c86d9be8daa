"""All that a team's estimate depends on, in order, on disk: samples, events, when it was made.

One NumPy array after the other: the text of an event as JSON, and behind it the arrays it names.
Nothing of it is kept in memory. A log that is cut off is read up to there.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ...core.arrays import Array
from ...core.codec import built, joined, parted, plain
from ...core.errors import RecordingError, in_words
from ...core.team.samples import RobotSamples

# What reading a damaged log raises.
CUT_OFF = (ValueError, EOFError, OSError, KeyError, TypeError, AttributeError, RecursionError)


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
EVENTS: dict[str, type[Event]] = {x.__name__: x for x in (RobotSamples, Left, Touched, Updated)}


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
                yield _event(file)
    except CUT_OFF as error:
        raise RecordingError(
            f"{path} is no readable log of a team's run: it is cut off, or was changed."
        ) from error


def _arrays(event: Event) -> Iterator[Array]:
    """Yield the arrays of an event: its text, and what that names."""
    tree, arrays = parted(plain(event))
    text = json.dumps({"event": type(event).__name__, "is": tree, "arrays": list(arrays)})
    yield np.frombuffer(text.encode(), dtype=np.uint8)
    yield from map(np.ascontiguousarray, arrays.values())


def _array(file: BinaryIO) -> Array:
    return np.asarray(np.lib.format.read_array(file, allow_pickle=False))


def _event(file: BinaryIO) -> Event:
    """Return the event that is next in a log."""
    text = json.loads(_array(file).tobytes())
    arrays = {name: _array(file) for name in text["arrays"]}
    return built(EVENTS[text["event"]], joined(text["is"], arrays))
