"""Recordings in the MCAP format whose writer was killed: keep every complete record.

An MCAP file is `magic, record, record, ..., footer, magic`; a record is one byte of kind, its
length as uint64, and its content (MCAP specification, mcap.dev/spec). A writer that was killed
leaves a part of a record and no footer. Cutting behind the last complete record and adding an end
without an index gives a file that any reader can scan; rosbags reads none without a footer.
"""

from __future__ import annotations

import shutil
import struct
from pathlib import Path
from typing import BinaryIO

from ...core.errors import RecordingError

MAGIC = b"\x89MCAP0\r\n"
HEADER, DATA_END, LAST_KIND = 0x01, 0x0F, 0x0F
RECORD_START = struct.Struct("<BQ")
# Data end (without checksum) and footer (without summary, offsets and checksum), then the magic.
ENDING = RECORD_START.pack(DATA_END, 4) + bytes(4) + RECORD_START.pack(0x02, 20) + bytes(20) + MAGIC


def is_complete(path: Path) -> bool:
    """Return whether an MCAP file has its end."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - len(MAGIC)))
        return size > 2 * len(MAGIC) and file.read() == MAGIC


def write_mended(path: Path, mended: Path) -> None:
    """Copy the complete records of `path` to `mended` and end the file properly.

    Raises:
        RecordingError: Not even the file's head is there.
        OSError: A file cannot be read or written.

    """
    with path.open("rb") as source, mended.open("wb") as target:
        end = _end_of_complete_records(source)
        source.seek(0)
        _copy(source, target, end)
        target.write(ENDING)


def _end_of_complete_records(file: BinaryIO) -> int:
    """Return the offset behind the last complete record of the data section."""
    size = file.seek(0, 2)
    file.seek(0)
    if file.read(len(MAGIC)) != MAGIC:
        raise RecordingError(
            f"{file.name} does not begin as an MCAP file does ({size} bytes): "
            "it is empty, cut off at the start or of another format."
        )
    end = len(MAGIC)
    while len(start := file.read(RECORD_START.size)) == RECORD_START.size:
        kind, length = RECORD_START.unpack(start)
        behind = end + RECORD_START.size + length
        if kind == DATA_END or not HEADER <= kind <= LAST_KIND or behind > size:
            break
        end = file.seek(behind)
    if end == len(MAGIC):
        raise RecordingError(f"{file.name} was cut inside its head: it holds no messages.")
    return end


def _copy(source: BinaryIO, target: BinaryIO, length: int) -> None:
    """Copy the first `length` bytes."""
    shutil.copyfileobj(source, target)
    target.truncate(length)
    target.seek(length)
