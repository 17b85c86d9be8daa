"""Recordings in the MCAP format that rosbags reads in part or not: keep every complete record.

An MCAP file is `magic, record, record, ..., footer, magic`; a record is one byte of kind, its
length as uint64, and its content (MCAP specification, mcap.dev/spec). A writer that was killed
leaves a part of a record and no footer. Cutting behind the last complete record and adding an end
without an index gives a file that any reader can scan; rosbags reads none without a footer.

A complete file may have an index of some chunks or of none, of which rosbags would read no more
than it names, and a head that says nothing of ROS: they are read in the same way.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

from ...core.errors import RecordingError

PIECE = 1 << 20  # copied at a time [bytes]
MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, CHUNK_INDEX, STATISTICS, DATA_END, LAST_KIND = 0x01, 0x02, 0x08, 0x0B, 0x0F, 0x0F
PROFILE = "ros2"  # in a header that rosbags reads
CHUNKS_COUNTED = struct.Struct("<QHIIII")  # what statistics count, chunks last
BEFORE_OFFSETS = 32  # bytes of a chunk's index before its list of offsets: times, place and length
RECORD_START = struct.Struct("<BQ")
# Data end (without checksum) and footer (without summary, offsets and checksum), then the magic.
ENDING = (
    RECORD_START.pack(DATA_END, 4) + bytes(4) + RECORD_START.pack(FOOTER, 20) + bytes(20) + MAGIC
)


def is_complete(path: Path) -> bool:
    """Return whether an MCAP file has its end."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - len(MAGIC)))
        return size > 2 * len(MAGIC) and file.read() == MAGIC


def is_read_whole(path: Path) -> bool:
    """Return whether rosbags reads all of a complete MCAP file: its index names every chunk.

    Raises:
        RecordingError: It is a recording of something else than ROS 2.
    """
    with path.open("rb") as file:
        profile, _ = _head(file)
        if profile not in ("", PROFILE):
            raise RecordingError(
                f"{path.name} is a recording of '{profile}', not of ROS 2. Convert it, with "
                "rosbags-convert, say."
            )
        size = file.seek(0, 2)
        at = size - len(ENDING) + RECORD_START.size + 4  # of the footer
        file.seek(at + RECORD_START.size)
        (begin,) = struct.unpack("<Q", file.read(8))
        indexed, chunks = 0, None
        place = begin or at
        while place < at:
            file.seek(place)
            kind, length = RECORD_START.unpack(file.read(RECORD_START.size))
            if kind == STATISTICS:
                chunks = CHUNKS_COUNTED.unpack(file.read(CHUNKS_COUNTED.size))[-1]
            elif kind == CHUNK_INDEX:
                file.seek(BEFORE_OFFSETS, 1)
                indexed += any(file.read(4))
            place += RECORD_START.size + length
    return profile == PROFILE and (not begin or indexed == chunks)


def _head(file: BinaryIO) -> tuple[str, int]:
    """Return the profile that an MCAP file's header states, and where that header ends."""
    file.seek(len(MAGIC))
    kind, length = RECORD_START.unpack(file.read(RECORD_START.size))
    (size,) = struct.unpack("<I", file.read(4))
    profile = file.read(min(size, length)).decode("utf-8", "replace")
    return profile if kind == HEADER else "", len(MAGIC) + RECORD_START.size + length


def write_mended(path: Path, mended: Path) -> None:
    """Copy the complete records of `path` to `mended`, with a head and end that rosbags takes.

    Raises:
        RecordingError: Not even the file's head is there.
        OSError: A file cannot be read or written.

    """
    with path.open("rb") as source, mended.open("wb") as target:
        end = _end_of_complete_records(source)
        _, start = _head(source)
        texts = b"".join(struct.pack("<I", len(x)) + x for x in (PROFILE.encode(), b""))
        target.write(MAGIC + RECORD_START.pack(HEADER, len(texts)) + texts)
        source.seek(start)
        while start < end and (piece := source.read(min(PIECE, end - start))):
            target.write(piece)
            start += len(piece)
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
