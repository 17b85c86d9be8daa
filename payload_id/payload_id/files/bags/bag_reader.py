"""Messages of a rosbag2 recording (MCAP or sqlite3), whole or cut off, or of a bag of ROS 1."""

from __future__ import annotations

import re
import sqlite3
import struct
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

import apsw
import yaml
from rosbags.interfaces import MessageDefinitionFormat
from rosbags.rosbag1 import Reader as Ros1Reader
from rosbags.rosbag1 import ReaderError as Ros1ReaderError
from rosbags.rosbag2 import Reader, ReaderError
from rosbags.serde import SerdeError
from zstandard import ZstdDecompressor, ZstdError

from ...core.errors import RecordingError, UnknownNameError
from ..configuration.file_kind import ROS1, instead, kind_of
from . import mcap_file
from .mcap_file import McapFile, Topic, open_mcap
from .message_types import types_of

STORAGE_SUFFIXES = (".mcap", ".db3")
PACKED = ".zstd"  # behind these, of files that are compressed as a whole
METADATA = "metadata.yaml"
ZSTD_FRAME = b"\x28\xb5\x2f\xfd"  # with which compressed data begin
LARGEST_MESSAGE = 2**28  # bytes that a compressed message may grow to
LOCK_TIMEOUT = 2.0  # wait for a recorder that holds the database [s]
# What the readers of storage formats raise on damaged bytes.
DAMAGE = (
    *mcap_file.DAMAGE, ReaderError, Ros1ReaderError, apsw.Error, sqlite3.Error, TypeError,
    AttributeError, AssertionError,
)  # fmt: skip
FORMATS = {MessageDefinitionFormat.MSG: "ros2msg", MessageDefinitionFormat.IDL: "ros2idl"}


@dataclass(frozen=True)
class RosbagsFile:
    """A file, or folder, that rosbags reads."""

    reader: Reader | Ros1Reader

    @property
    def topics(self) -> tuple[Topic, ...]:
        """Its topics."""
        return tuple(
            Topic(x.topic, x.msgtype, FORMATS.get(x.msgdef.format, ""), x.msgdef.data)
            for x in self.reader.connections
        )

    def messages(self, topic: str) -> Iterator[tuple[int, bytes]]:
        """Yield when each message of a topic arrived [ns], and the message as it is stored."""
        wanted: Any = [x for x in self.reader.connections if x.topic == topic]
        for _, received, data in self.reader.messages(wanted) if wanted else ():
            # Nothing where a cell of a database holds something else.
            is_bytes = isinstance(data, bytes | bytearray | memoryview)
            yield received, bytes(data) if is_bytes else b""


@dataclass(frozen=True)
class Bag:
    """An open recording.

    Attributes:
        path: What was opened.
        types: Message type of each topic, such as "sensor_msgs/msg/JointState".
        notes: What the caller should know about how it is read.
    """

    path: Path
    types: dict[str, str]
    notes: tuple[str, ...]
    _files: tuple[McapFile | RosbagsFile, ...] = field(repr=False)

    def topics(self, kind: str) -> list[str]:
        """Return the topics that hold a type of message."""
        return [topic for topic, found in self.types.items() if found == kind]

    def topic(self, name: str | None, kind: str, also: Sequence[str] = ()) -> str:
        """Return a topic that holds a type of message.

        Args:
            name: Which; None: the only one of that type.
            kind: The type.
            also: Other topics that could be named.

        Raises:
            UnknownNameError: There is no such topic.
            RecordingError: It holds another type; or none was named, and there is not exactly one.
        """
        known = self.topics(kind)
        if name is None:
            if len(known) == 1:
                return known[0]
            others = f"; its topics are {', '.join(self.types) or 'none'}."
            more = f": {', '.join(known)}. Name one." if known else others
            raise RecordingError(f"{self.path} has {len(known)} topics of type {kind}{more}")
        if name not in self.types:
            raise UnknownNameError(f"topic of type {kind}", name, [*known, *also], str(self.path))
        if self.types[name] != kind:
            raise RecordingError(
                f"Topic '{name}' of {self.path} holds {self.types[name]}, not {kind}. Topics of "
                f"that type: {', '.join(known) or 'none'}."
            )
        return name

    @property
    def is_ros1(self) -> bool:
        """Whether it is a bag of ROS 1."""
        first = self._files[0] if self._files else None
        return isinstance(first, RosbagsFile) and isinstance(first.reader, Ros1Reader)

    @cached_property
    def store(self) -> Any:
        """The types of its messages."""
        return types_of((x for file in self._files for x in file.topics), self.is_ros1)

    def decoded(self, topic: str) -> Iterator[tuple[int, Any]]:
        """Yield when each message of a topic arrived [ns], and its fields; None: not decodable.

        Raises:
            RecordingError: The file is damaged, or says nothing of the type of its messages.
        """
        kind = self.types[topic]
        if kind not in self.store.fielddefs:
            raise RecordingError(
                f"{self.path} does not say what {kind} of topic '{topic}' consists of. Record it "
                "as MCAP, which holds the definitions of its messages."
            )
        read = self.store.deserialize_ros1 if self.is_ros1 else self.store.deserialize_cdr
        for received, data in self._received(topic):
            try:
                yield received, read(data, kind)
            except SerdeError:
                yield received, None

    def _received(self, topic: str) -> Iterator[tuple[int, bytes]]:
        """Yield when each message of a topic arrived [ns], and the message."""
        for file in self._files:
            stored = file.messages(topic)
            while True:
                try:
                    entry = next(stored, None)
                except DAMAGE as error:
                    raise damaged(self.path, error) from error
                if entry is None:
                    break
                yield entry[0], self._unpacked(entry[1])

    def _unpacked(self, data: bytes) -> bytes:
        """Return a message as it was before it was compressed by itself, if it was.

        Without its metadata.yaml a recording does not say so; serialized messages begin otherwise.
        """
        if not data.startswith(ZSTD_FRAME):
            return data
        try:
            return ZstdDecompressor().decompress(data, LARGEST_MESSAGE)
        except ZstdError as error:
            raise damaged(self.path, error) from error


@contextmanager
def open_bag(path: Path | str) -> Iterator[Bag]:
    """Open a bag: its folder, a single .mcap or .db3 file, or a bag of ROS 1.

    A folder without a usable metadata.yaml is read from its storage files directly, and an MCAP
    file without an end as far as it goes; the bag's `notes` then say so.

    Raises:
        RecordingError: There is no such bag, or nothing of it can be read.

    """
    path = Path(path)
    if not (path.is_dir() or path.is_file()):  # pipes neither
        raise RecordingError(f"There is no recording at {path}. Check the path.")
    _check_no_pipes(path)
    with ExitStack() as stack:
        notes: list[str] = []
        try:
            files = tuple(_files(path, stack, notes))
        except RecordingError:
            raise
        except DAMAGE as error:
            raise damaged(path, error) from error
        types = {x.name: x.kind for file in files for x in file.topics}
        yield Bag(path, types, tuple(notes), files)


def _files(path: Path, stack: ExitStack, notes: list[str]) -> Iterator[McapFile | RosbagsFile]:
    """Open the files of a recording, in the order in which they were recorded."""
    if kind_of(path) == ROS1:
        try:
            yield RosbagsFile(stack.enter_context(Ros1Reader(path)))
        except DAMAGE as error:
            raise RecordingError(
                f"The bag {path} of ROS 1 is damaged or has no index: {_reason(error)}. "
                "'rosbag reindex' may mend it."
            ) from error
        return
    for file in _storage_files(path, notes):
        if file.suffix == ".mcap":
            opened = open_mcap(file)
            if not opened.is_whole:
                notes.append(f"{file.name} was cut off; every complete block of messages was read.")
            yield opened
        elif file.suffix == ".db3":
            yield RosbagsFile(stack.enter_context(Reader(_database(file, stack, notes))))
        else:  # compressed as a whole
            yield RosbagsFile(stack.enter_context(Reader(path)))
            return


def damaged(path: Path, error: BaseException) -> RecordingError:
    """Return the error for a file that cannot be read."""
    if isinstance(error, UnicodeEncodeError):
        return RecordingError(
            f"The recording {path} cannot be opened: its name is not UTF-8. Rename its folder."
        )
    return RecordingError(
        f"The recording {path} is damaged or cut off: {_reason(error)}. If its recorder was "
        "killed, 'ros2 bag reindex' (folder) or 'mcap recover' (MCAP file) may save part of it."
    )


def _check_no_pipes(path: Path) -> None:
    """Raise if a folder holds what is no file: reading that would wait for ever."""
    for entry in path.iterdir() if path.is_dir() else ():
        if entry.is_fifo() or entry.is_char_device() or entry.is_socket():
            raise RecordingError(
                f"{entry} is no file but a pipe, socket or device. Give a folder that holds the "
                "recording's files alone."
            )


def _storage_files(path: Path, notes: list[str]) -> list[Path]:
    """Return the files with messages: those that metadata.yaml names, or all that there are."""
    if path.is_file():
        return [path] if path.suffix in STORAGE_SUFFIXES else _no_recording(path)
    files = [x for x in path.glob("*") if x.suffix in STORAGE_SUFFIXES and x.is_file()]
    try:
        text = (path / METADATA).read_text("utf-8")
        named = yaml.safe_load(text)["rosbag2_bagfile_information"]["relative_file_paths"]
        listed = [path / Path(name).name for name in named]
        if listed and all(x.is_file() for x in listed):
            if {x.suffix for x in listed} <= {*STORAGE_SUFFIXES, PACKED}:
                return listed
        cause = f"its {METADATA} names files that are not there"
    except FileNotFoundError:
        cause = f"its {METADATA} is missing"
    except (*DAMAGE, yaml.YAMLError):
        cause = f"its {METADATA} is not that of rosbag2"
    if not files:
        _no_recording(path, cause)
    notes.append(f"{path} is not complete ({cause}); read from its storage files.")
    return sorted(files, key=_numbered)


def _no_recording(path: Path, cause: str = "of another kind") -> NoReturn:
    """Raise the error for a path that holds no messages."""
    kind = kind_of(path) if path.is_dir() else ""
    if kind == "run of a team":
        raise RecordingError(
            f"{path} is the run of a team, which replay and report repeat from its log; for this "
            "command the recording of one arm is needed."
        )
    if kind == "run of one arm":
        raise RecordingError(
            f"{path} holds what a run has found, but no recording: the sampler made none, so that "
            "the run cannot be repeated. Start the sampler with its parameter bag."
        )
    raise RecordingError(
        f"{path} is not a rosbag2 recording: {cause}. Give the folder that holds {METADATA}, or a "
        f".mcap or .db3 file.{instead(path, 'recording')}"
    )


def _numbered(path: Path) -> list[str | int]:
    """Return a file name as text and numbers, so that bag_10 sorts behind bag_9."""
    return [int(x) if x.isdigit() else x for x in re.split(r"(\d+)", path.name)]


def _database(path: Path, stack: ExitStack, notes: list[str]) -> Path:
    """Return a sqlite3 file that is all there; of one that was not closed what is committed."""
    if _journal(path):
        folder = stack.enter_context(TemporaryDirectory(prefix="payload_id_"))
        copy = Path(folder) / path.name
        _write_committed(path, copy)
        notes.append(f"{path.name} was not closed; what its recorder had committed was read.")
        path = copy
    _check_database(path)
    return path


def _journal(path: Path) -> Path | None:
    """Return the journal of a database that was not closed; None if there is none."""
    for suffix in ("-journal", "-wal"):
        journal = path.with_name(path.name + suffix)
        if journal.exists() and journal.stat().st_size:
            return journal
    return None


def _write_committed(path: Path, copy: Path) -> None:
    """Copy what is committed in a database, by SQLite's own means; undoes an unfinished commit."""
    uri = path.resolve().as_uri() + "?mode=rw"
    with (
        closing(sqlite3.connect(uri, uri=True, timeout=LOCK_TIMEOUT)) as source,
        closing(sqlite3.connect(copy)) as target,
    ):
        # backup() would wait for a locked database for ever: take the shared lock first, or fail.
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()
        source.backup(target)


def _check_database(path: Path) -> None:
    """Raise unless a sqlite3 file is all there: read as it is, it would give wrong numbers.

    A reader fills missing bytes of the last page with zeros.
    The page size and number of pages are big-endian at bytes 16 and 28 (sqlite.org/fileformat2).
    """
    with path.open("rb") as file:
        head = file.read(32)
        size = file.seek(0, 2)
    if len(head) < 32:
        raise ReaderError(f"{path.name} has only {size} bytes")
    page, pages = struct.unpack(">16xH10xI", head)
    whole = pages * (65536 if page == 1 else page)
    if size < whole:
        raise ReaderError(f"{path.name} has {size} of {whole} bytes")


def _reason(error: BaseException) -> str:
    """Return an error's text on one line, without the final stop."""
    text = " ".join(str(error).split()).rstrip(".")
    return text or type(error).__name__
