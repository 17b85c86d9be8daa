"""Messages of an MCAP file (mcap.dev/spec), whole or cut off.

Where the checksum of the file's index (its summary) vouches for it, only the blocks (chunks) that
hold a topic are read. Everything else is read from beginning to end, as far as it goes: files that
their recorder did not finish, that have no index, one of some blocks, or one without a checksum.
Each block is compared with its own checksum, where its recorder wrote one.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple
from zlib import crc32

from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.reader import make_reader
from mcap.records import Channel, Chunk, ChunkIndex, DataEnd, Header, McapRecord, Message, Schema
from mcap.stream_reader import StreamReader, get_chunk_data_stream
from mcap.summary import Summary
from mcap.well_known import MessageEncoding, Profile
from mcap.writer import MCAP0_MAGIC
from zstandard import ZstdError

from ...core.errors import RecordingError

RECORD = struct.Struct("<BQ")  # what a record begins with: kind and length
MESSAGE = struct.Struct("<HIQQ")  # then of a message: channel, number, times of receipt and sending
FOOTER = struct.Struct("<BQQQI")  # the last record: place of the index, of offsets, checksum
# What is raised on damaged bytes, beside McapError: failed look-ups and unpacking, lz4
# (RuntimeError), impossible lengths (MemoryError, OverflowError).
DAMAGE = (
    McapError, ZstdError, struct.error, OSError, EOFError, ValueError, LookupError, RuntimeError,
    MemoryError, OverflowError,
)  # fmt: skip


class Topic(NamedTuple):
    """A topic of a recording.

    Attributes:
        name: Its name.
        kind: Type of its messages, such as "sensor_msgs/msg/JointState".
        format: Format of their definition: "ros2msg", "ros2idl" or "".
        definition: Text of it.
    """

    name: str
    kind: str
    format: str
    definition: str


@dataclass(frozen=True)
class McapFile:
    """An MCAP file.

    Attributes:
        path: Where it is.
        is_whole: Whether it has its end.
        topics: Its topics with messages of ROS 2.
    """

    path: Path
    is_whole: bool
    topics: tuple[Topic, ...]
    _channels: Mapping[int, str]
    _blocks: tuple[ChunkIndex, ...] | None

    def messages(self, topic: str) -> Iterator[tuple[int, bytes]]:
        """Yield when each message of a topic arrived [ns], and the message, in stored order.

        Raises:
            DAMAGE: Bytes are not those that were written.
        """
        wanted = {number for number, name in self._channels.items() if name == topic}
        with self.path.open("rb") as file:
            for record in self._records(file, wanted):
                if isinstance(record, Chunk):
                    data = _unpacked(record)
                    for kind, start, stop in _places(data):
                        if kind == Opcode.MESSAGE:
                            channel, _, received, _ = MESSAGE.unpack_from(data, start)
                            if channel in wanted:
                                yield received, data[start + MESSAGE.size : stop]
                elif isinstance(record, Message) and record.channel_id in wanted:
                    yield record.log_time, record.data

    def _records(self, file: BinaryIO, wanted: Collection[int]) -> Iterator[McapRecord]:
        """Yield what may hold messages of some channels, by the index if there is one."""
        if self._blocks is None:
            yield from _all_records(file, self.is_whole)
        for block in self._blocks or ():
            held = block.message_index_offsets
            if not held or not held.keys().isdisjoint(wanted):
                file.seek(block.chunk_start_offset + RECORD.size)
                yield Chunk.read(ReadDataStream(file))


def open_mcap(path: Path) -> McapFile:
    """Return an MCAP file.

    Raises:
        RecordingError: It is of something else than ROS 2.
        DAMAGE: It cannot be read.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - len(MCAP0_MAGIC)))
        if size == 0:  # begun when the disk was full
            return McapFile(path, False, (), {}, ())
        is_whole = size > 2 * len(MCAP0_MAGIC) and file.read() == MCAP0_MAGIC
        file.seek(0)
        if file.read(len(MCAP0_MAGIC)) != MCAP0_MAGIC:
            raise RecordingError(
                f"{path.name} does not begin as an MCAP file does ({size} bytes): it is cut "
                "off at the start or of another format."
            )
        summary = _index(file) if is_whole else None
        schemas = dict(summary.schemas) if summary else {}
        channels = dict(summary.channels) if summary else {}
        file.seek(0)
        for record in _all_records(file, is_whole):
            if isinstance(record, Header) and record.profile not in ("", Profile.ROS2):
                raise RecordingError(
                    f"{path.name} is a recording of '{record.profile}', not of ROS 2. Convert it, "
                    "with rosbags-convert, say."
                )
            if summary:
                break
            for found in _defined(_unpacked(record)) if isinstance(record, Chunk) else (record,):
                if isinstance(found, Schema):
                    schemas[found.id] = found
                elif isinstance(found, Channel):
                    channels[found.id] = found
    topics = [
        Topic(x.topic, y.name, y.encoding, y.data.decode("utf-8", "replace"))
        for x in channels.values()
        if x.message_encoding == MessageEncoding.CDR and (y := schemas.get(x.schema_id))
    ]
    names = {number: channel.topic for number, channel in channels.items()}
    blocks = tuple(summary.chunk_indexes) if summary else None
    return McapFile(path, is_whole, tuple(topics), names, blocks)


def _index(file: BinaryIO) -> Summary | None:
    """Return a whole file's index; None unless its checksum is right and it names every block."""
    end = file.seek(0, 2) - len(MCAP0_MAGIC)
    file.seek(end - FOOTER.size)
    _, _, begin, _, checksum = FOOTER.unpack(file.read(FOOTER.size))
    if not checksum or not 0 < begin < end:
        return None
    file.seek(begin)
    if crc32(file.read(end - 4 - begin)) != checksum:
        return None
    file.seek(0)
    summary = make_reader(file).get_summary()
    counted = summary.statistics.chunk_count if summary and summary.statistics else 0
    return summary if summary and 0 < counted == len(summary.chunk_indexes) else None


def _all_records(file: BinaryIO, is_whole: bool) -> Iterator[McapRecord]:
    """Yield the records of a file up to the end of its data, or to where it was cut off."""
    size = file.seek(0, 2)
    file.seek(0)
    try:
        for record in StreamReader(file, emit_chunks=True, validate_crcs=True).records:
            if isinstance(record, DataEnd):
                break
            yield record
    except DAMAGE:
        if is_whole or file.tell() < size:
            raise


def _unpacked(block: Chunk) -> bytes:
    """Return the records in a block, whose checksum is right."""
    stream, size = get_chunk_data_stream(block, validate_crc=True)
    return stream.read(size)


def _places(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield kind, start and end of the content of each record."""
    at = 0
    while at < len(data):
        kind, length = RECORD.unpack_from(data, at)
        start, at = at + RECORD.size, at + RECORD.size + length
        if at > len(data):
            raise EOFError("a record is longer than the block that it is in")
        yield kind, start, at


def _defined(data: bytes) -> Iterator[McapRecord]:
    """Yield the channels and schemas among records."""
    readers = {Opcode.SCHEMA: Schema.read, Opcode.CHANNEL: Channel.read}
    for kind, start, stop in _places(data):
        if kind in readers:
            yield readers[Opcode(kind)](ReadDataStream(BytesIO(data[start:stop])))
