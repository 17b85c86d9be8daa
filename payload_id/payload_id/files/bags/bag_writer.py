"""Raw messages to disk while a run goes on: nothing is solved before its data are saved."""

from __future__ import annotations

import itertools
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from rosbags.interfaces import Connection, Qos
from rosbags.rosbag2 import StoragePlugin, Writer, WriterError
from rosbags.rosbag2.storage_mcap import McapWriter
from rosbags.rosbag2.storage_sqlite3 import Sqlite3Writer
from rosbags.typesys import Stores, TypesysError, get_types_from_msg, get_typestore

from ...core.errors import InputError, RecordingError, UnknownNameError
from ..configuration.atomic_write import sync_all
from .checksums import CheckedWriter

STORAGES = {"mcap": StoragePlugin.MCAP, "sqlite3": StoragePlugin.SQLITE3}
FLUSH_INTERVAL = 0.5  # [s]
# Messages that may wait for a slow disk: 100 s at 1 kHz, some 30 MB of joint states.
QUEUE_SIZE = 100_000
VERSION: Final = 9  # of metadata.yaml: that of ROS 2 Jazzy
SUFFIXES = (".mcap", ".db3")  # of files that hold messages
POLL = 0.1  # longest wait of the writing thread before it looks whether to flush or end [s]


class _Message(NamedTuple):
    topic: str
    type_name: str
    stamp_ns: int
    data: bytes


class BagWriter:
    """Writes serialized messages of any number of topics into a rosbag2 folder.

    `write` only puts the message into a queue; a thread of the writer's own puts it on disk, at
    most `flush_interval` later. What a killed process leaves behind:

    - MCAP: every block of messages up to the last flush. The file lacks its end and the folder its
      metadata.yaml; `Recording.from_bag` reads such a folder as it is, other tools after
      `mcap recover`.
    - sqlite3: every message up to the last commit, at the same interval. The folder lacks
      metadata.yaml; `Recording.from_bag` reads it as it is, other tools after `ros2 bag reindex`.

    A flush hands the data to the operating system: they outlive the process, not a power failure,
    which only a bag that was closed outlives.
    Messages are stored in the order of `write`, with receive times that never decrease, so that a
    reader gets them back in that order.

    Attributes:
        path: The bag's folder. An existing one is never touched: run, run_2, run_3, ...

    """

    def __init__(
        self, folder: Path | str, storage: str = "mcap", flush_interval: float = FLUSH_INTERVAL
    ) -> None:
        """Create the folder and start the writing thread.

        Args:
            folder: The bag's folder; if it exists, the next free name is taken.
            storage: "mcap" or "sqlite3".
            flush_interval: Longest time that a message stays in memory [s].

        Raises:
            UnknownNameError: The storage does not exist.
            RecordingError: The folder cannot be created.

        """
        if storage not in STORAGES:
            raise UnknownNameError("bag storage", storage, STORAGES)
        self._store = get_typestore(Stores.ROS2_JAZZY)
        self._interval = flush_interval
        self._queue: queue.Queue[_Message] = queue.Queue(QUEUE_SIZE)
        self._lost = self._written = 0
        self._qos: dict[str, tuple[Qos, ...]] = {}
        self._newest_ns = 0
        self._files: dict[Path, int] = {}  # with their inodes
        self._failure: Exception | None = None
        self._opened, self._closing = threading.Event(), threading.Event()
        self.path = Path(folder)
        # SQLite connections belong to one thread, so that thread opens the bag as well.
        self._thread = threading.Thread(
            target=self._run, args=(STORAGES[storage],), name="bag_writer", daemon=True
        )
        self._thread.start()
        self._opened.wait()
        self._raise_failure()

    @property
    def lost(self) -> int:
        """Messages that were not saved because the disk failed or was too slow."""
        return self._lost

    @property
    def failed(self) -> bool:
        """Whether the disk has failed: nothing more is saved."""
        return self._failure is not None

    def add_message_type(self, name: str, definition: str) -> None:
        """Make a type known, so that its messages can be written.

        Args:
            name: Of the type, such as "payload_id_msgs/msg/WrenchBlock".
            definition: Text of its .msg file.

        Raises:
            InputError: It is no message definition.

        """
        try:
            self._store.register(get_types_from_msg(definition, name))
        except TypesysError as error:
            raise InputError(f"{name} has no usable message definition: {error}") from error

    def state_qos(self, topic: str, profiles: Sequence[Qos]) -> None:
        """Have the bag tell the quality of service that a topic's publishers offer.

        Args:
            topic: The topic; nothing of it has been written yet.
            profiles: One for each publisher.
        """
        self._qos[topic] = tuple(profiles)

    def write(self, topic: str, type_name: str, stamp_ns: int, data: bytes) -> None:
        """Save one message; returns at once.

        Args:
            topic: Its topic; a new one is added.
            type_name: Its type, such as "sensor_msgs/msg/JointState".
            stamp_ns: When it was received [ns].
            data: The message as serialized by the middleware (CDR).

        Raises:
            UnknownNameError: The type is not known; see `add_message_type`.
            RecordingError: The writer is closed.

        """
        if type_name not in self._store.fielddefs:
            raise UnknownNameError("message type", type_name, self._store.fielddefs)
        if self._closing.is_set():
            raise RecordingError(f"The bag {self.path} is closed; nothing can be added to it.")
        if self._failure is not None:
            self._lost += 1
            return
        try:
            self._queue.put_nowait(_Message(topic, type_name, stamp_ns, bytes(data)))
        except queue.Full:
            self._lost += 1

    def close(self) -> Path:
        """Write what is left and end the bag; further calls change nothing.

        Returns:
            path: The bag's folder.

        Raises:
            RecordingError: The disk failed; says how many messages are not in the bag.

        """
        self._closing.set()
        self._thread.join()
        self._raise_failure()
        return self.path

    def __enter__(self) -> BagWriter:
        """Return the writer."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the bag."""
        self.close()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise RecordingError(
                f"The bag {self.path} could not be written: {self._failure}. "
                f"{self._lost + self._queue.qsize()} messages are not in it. Check free space and "
                "permissions of the disk."
            ) from self._failure

    def _run(self, storage: StoragePlugin) -> None:
        """Open, write until closed, end the bag: the writing thread."""
        writer: Writer | None = None
        try:
            writer = self._open(storage)
            self._opened.set()
            self._write_all(writer)
            writer.close()
            sync_all(self.path)
        except Exception as error:  # whatever it is, it must be known that no more is saved
            self._failure = error
            if not isinstance(error, WriterError):
                self._look_for_cause()
            if writer is not None:
                with suppress(Exception):  # what waits finds no room either
                    writer.abort()
        finally:
            self._opened.set()

    def _look_for_cause(self) -> None:
        """Note that the bag was removed, if that is why it cannot be written to."""
        try:
            self._check_there()
        except WriterError as error:
            self._failure = error

    def _open(self, storage: StoragePlugin) -> Writer:
        """Open the bag under the first free name."""
        if not self.path.name:
            raise WriterError("that is no name of a folder")
        for path in _names(self.path):
            try:
                writer = CheckedWriter(path, version=VERSION, storage_plugin=storage)
                writer.open()
            except WriterError:
                if not path.exists():
                    raise
            else:
                self.path = path
                break
        return writer

    def _write_all(self, writer: Writer) -> None:
        """Write the queue's messages until the writer is closed and the queue empty."""
        connections: dict[str, Connection] = {}
        flushed = time.monotonic()
        self._files = {x: x.stat().st_ino for x in self.path.iterdir() if x.suffix in SUFFIXES}
        while not (self._closing.is_set() and self._queue.empty()):
            try:
                message = self._queue.get(timeout=min(POLL, self._interval))
            except queue.Empty:
                pass
            else:
                self._write_one(writer, connections, message)
            if time.monotonic() - flushed >= self._interval:
                self._check_there()
                _flush(writer)
                flushed = time.monotonic()

    def _check_there(self) -> None:
        """Raise where the bag's files are not where they were any more, with all that was in them.

        Raises:
            WriterError: One is not.
        """
        for file, inode in self._files.items():
            try:
                there = file.stat().st_ino == inode
            except OSError:
                there = False
            if not there:
                self._lost += self._written
                raise WriterError(f"{file} was removed while it was written to")

    def _write_one(
        self, writer: Writer, connections: dict[str, Connection], message: _Message
    ) -> None:
        """Write one message, adding its topic first if it is new."""
        key = f"{message.topic} {message.type_name}"
        if key not in connections:
            connections[key] = writer.add_connection(
                message.topic,
                message.type_name,
                typestore=self._store,
                offered_qos_profiles=self._qos.get(message.topic, ()),
            )
        self._newest_ns = max(self._newest_ns, message.stamp_ns)
        writer.write(connections[key], self._newest_ns, message.data)
        self._written += 1


def _names(path: Path) -> Iterator[Path]:
    """Yield run, run_2, run_3, ..."""
    yield path
    for number in itertools.count(2):
        yield path.with_name(f"{path.name}_{number}")


def _flush(writer: Writer) -> None:
    """Hand everything written so far to the operating system.

    Left alone, rosbags keeps up to 1 MiB of MCAP messages in memory, and commits a sqlite3 bag
    only when it is closed.
    """
    storage = writer.storage
    if isinstance(storage, McapWriter):
        if storage.chunk.msgs:
            storage.close_chunk()
        storage.bio.flush()
    elif isinstance(storage, Sqlite3Writer):
        storage.conn.commit()
