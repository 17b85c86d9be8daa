"""Checksums of recordings: written with them, and checked before anything of them is read.

MCAP has places for them (MCAP specification, mcap.dev/spec): of each chunk, of the data section
with all that is before it, and of the summary. A sqlite3 file has none; its CRC-32 is in
`custom_data` of metadata.yaml. Where a recorder wrote none (zero, or no entry), none is checked.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

from rosbags.rosbag2 import ReaderError, StoragePlugin, Writer
from rosbags.rosbag2.enums import CompressionMode
from rosbags.rosbag2.storage_mcap import McapWriter

CHUNK, DATA_END, FOOTER = 0x06, 0x0F, 0x02
RECORD_HEAD = 9  # kind and length [bytes]
CHUNK_CRC = slice(24, 28)  # in a chunk's content, behind two times and a length
SUMMARY_CRC = slice(16, 20)  # in the footer's content, behind two offsets
END = RECORD_HEAD + 20 + 8  # footer and magic [bytes]
PIECE = 1 << 20  # read at a time [bytes]
KEY, PLACE = "crc32", "not known yet"  # in custom_data
ENTRY = rb"\n +crc32: '?(\d+)"


class _CheckedFile:
    """A file that fills in the checksums of MCAP records that are written to it as zero.

    rosbags writes each record in three pieces: its kind, its length, its content.
    """

    def __init__(self, file: BinaryIO, before: bytes, writer: McapWriter) -> None:
        """Go on behind `before`, with the records of a writer."""
        self._file, self._writer = file, writer
        self._crc = self._data_crc = crc32(before)
        self._pieces: list[bytes] = []

    def write(self, piece: bytes) -> int:
        """Write a piece, with its checksum if it has one."""
        content = bytearray(piece)
        if len(self._pieces) == 2:
            kind = self._pieces[0][0]
            if kind == CHUNK:
                content[CHUNK_CRC] = struct.pack("<I", crc32(self._writer.chunk.bio.getbuffer()))
            elif kind == DATA_END:
                content[:4] = struct.pack("<I", self._data_crc)
            elif kind == FOOTER:
                crc = crc32(content[: SUMMARY_CRC.start], self._crc)
                content[SUMMARY_CRC] = struct.pack("<I", crc)
            self._pieces = []
            self._crc = 0 if kind == DATA_END else crc32(content, self._crc)
        else:
            if not self._pieces:
                self._data_crc = self._crc  # of all records before this one
            self._pieces.append(bytes(piece))
            self._crc = crc32(piece, self._crc)
        return self._file.write(content)

    def tell(self) -> int:
        """Return the position."""
        return self._file.tell()

    def flush(self) -> None:
        """Hand everything to the operating system."""
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class _CheckedMcapWriter(McapWriter):
    """Writes MCAP with all checksums that the format has."""

    def __init__(self, path: Path, compression: CompressionMode) -> None:
        """Begin a file."""
        super().__init__(path, compression)
        self.bio.flush()
        self.bio = _CheckedFile(self.bio, self.path.read_bytes(), self)  # type: ignore[assignment]


class CheckedWriter(Writer):
    """Writes rosbag2 folders whose files have checksums."""

    STORAGE_PLUGINS = {**Writer.STORAGE_PLUGINS, StoragePlugin.MCAP: _CheckedMcapWriter}

    def close(self) -> None:
        """Close the bag; a sqlite3 file is summed up once it is whole."""
        path = None if self.storage is None else self.storage.path
        if self.storage_plugin is StoragePlugin.SQLITE3:
            self.set_custom_data(KEY, PLACE)
        super().close()
        if self.storage_plugin is StoragePlugin.SQLITE3 and path is not None:
            text = self.metapath.read_text("utf8").replace(PLACE, str(file_crc(path)))
            mended = self.metapath.with_suffix(".yaml.tmp")
            mended.write_text(text, "utf8")
            mended.replace(self.metapath)


def file_crc(path: Path, start: int = 0, stop: int | None = None) -> int:
    """Return the CRC-32 of bytes start to stop - 1 of a file; None: of the rest."""
    crc, left = 0, path.stat().st_size - start if stop is None else stop - start
    with path.open("rb") as file:
        file.seek(start)
        while left > 0 and (piece := file.read(min(PIECE, left))):
            crc = crc32(piece, crc)
            left -= len(piece)
    return crc


def check_mcap(path: Path) -> None:
    """Raise unless the bytes of a complete MCAP file are those that were written.

    Raises:
        ReaderError: They are not.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - END))
        footer = file.read(END)
        begin, _, summary_crc = struct.unpack_from("<QQI", footer, RECORD_HEAD)
        end = begin or size - END  # of the data section's last record, which says its checksum
        if not RECORD_HEAD + 4 <= end <= size - END:
            raise ReaderError(f"the end of {path.name} names a place that is not in it")
        file.seek(end - RECORD_HEAD - 4)
        kind, length, data_crc = struct.unpack("<BQI", file.read(RECORD_HEAD + 4))
    sections = []
    if summary_crc:
        sections.append(("summary", end, size - END + RECORD_HEAD + SUMMARY_CRC.start, summary_crc))
    if (kind, length) == (DATA_END, 4):
        if data_crc:
            sections.append(("data", 0, end - RECORD_HEAD - 4, data_crc))
    elif summary_crc:
        raise ReaderError(f"{path.name} has no end of its data where its end says")
    for name, start, stop, written in sections:
        _compare(path, name, written, file_crc(path, start, stop))


def check_written(path: Path) -> None:
    """Raise unless a file's CRC-32 is the one in the metadata.yaml beside it, if there is one.

    Raises:
        ReaderError: It is not.
    """
    metadata = path.with_name("metadata.yaml")
    text = metadata.read_bytes() if metadata.is_file() else b""
    # Looked for as text: what is damaged elsewhere in that file says nothing of this one.
    if found := re.search(ENTRY, text):
        _compare(path, "file", int(found[1]), file_crc(path))


def _compare(path: Path, what: str, written: int, found: int) -> None:
    if written != found:
        raise ReaderError(
            f"the checksum of {path.name} ({what}) is {found:08x}, and {written:08x} was written: "
            "bytes have changed since it was recorded"
        )
