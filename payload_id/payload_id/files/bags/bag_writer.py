"""Raw messages to disk while a run goes on: nothing is solved before its data are saved."""

from __future__ import annotations

import itertools
import queue
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml
from mcap.well_known import MessageEncoding, Profile, SchemaEncoding
from mcap.writer import CompressionType, Writer
from rosbags.interfaces import Qos
from rosbags.rosbag2.metadata import dump_qos_v9
from rosbags.typesys import Stores, TypesysError, get_types_from_msg, get_typestore

from ...core.errors import InputError, RecordingError, UnknownNameError
from ..configuration.atomic_write import atomic_write, sync_all
from .bag_reader import METADATA

FLUSH_INTERVAL = 0.5  # [s]
# Messages that may wait for a slow disk: 100 s at 1 kHz, some 30 MB of joint states.
QUEUE_SIZE = 100_000
VERSION: Final = 9  # of metadata.yaml: that of ROS 2 Jazzy
POLL = 0.1  # longest wait of the writing thread before it looks whether to flush or end [s]


class _Message(NamedTuple):
    topic: str
    type_name: str
    stamp_ns: int
    data: bytes


class BagWriter:
    """Writes serialized messages of any number of topics into a rosbag2 folder.

    `write` only puts the message into a queue; a thread of the writer's own puts it on disk, at
    most `flush_interval` later. A killed process leaves every block of messages up to the last
    flush behind. The file lacks its end and the folder its metadata.yaml; `Recording.from_bag`
    reads such a folder as it is, other tools after `mcap recover`. Checksums are written of each
    block, of all data and of the index.

    A flush hands the data to the operating system: they outlive the process, not a power failure,
    which only a bag that was closed outlives.
    Messages are stored in the order of `write`, with receive times that never decrease, so that a
    reader gets them back in that order.

    Attributes:
        path: The bag's folder. An existing one is never touched: run, run_2, run_3, ...

    """

    def __init__(self, folder: Path | str, flush_interval: float = FLUSH_INTERVAL) -> None:
        """Create the folder and start the writing thread.

        Args:
            folder: The bag's folder; if it exists, the next free name is taken.
            flush_interval: Longest time that a message stays in memory [s].

        Raises:
            RecordingError: The folder cannot be created.
        """
        self._store = get_typestore(Stores.ROS2_JAZZY)
        self._interval = flush_interval
        self._queue: queue.Queue[_Message] = queue.Queue(QUEUE_SIZE)
        self._lost = 0
        self._qos: dict[str, tuple[Qos, ...]] = {}
        self._failure: Exception | None = None
        self._closing = threading.Event()
        try:
            self.path = _made(Path(folder))
            self._file = _File(self.path)
        except OSError as error:
            raise self._could_not(Path(folder), error) from error
        self._thread = threading.Thread(target=self._run, name="bag_writer", daemon=True)
        self._thread.start()

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
        if self._failure is not None:
            raise self._could_not(self.path, self._failure) from self._failure
        return self.path

    def __enter__(self) -> BagWriter:
        """Return the writer."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the bag."""
        self.close()

    def _could_not(self, path: Path, error: Exception) -> RecordingError:
        """Return the error for a bag of which messages are missing, or all."""
        return RecordingError(
            f"The bag {path} could not be written: {error}. {self._lost + self._queue.qsize()} "
            "messages are not in it. Check free space and permissions of the disk."
        )

    def _run(self) -> None:
        """Write the queue's messages until the writer is closed: the writing thread."""
        flushed = time.monotonic()
        try:
            while not (self._closing.is_set() and self._queue.empty()):
                with suppress(queue.Empty):
                    message = self._queue.get(timeout=min(POLL, self._interval))
                    self._file.write(message, self._store, self._qos.get(message.topic, ()))
                if time.monotonic() - flushed >= self._interval:
                    self._file.flush()
                    flushed = time.monotonic()
            self._file.close()
        except Exception as error:  # whatever it is, it must be known that no more is saved
            self._lost += self._file.lost()
            self._failure = error


class _File:
    """The file of a bag, and what metadata.yaml says of it."""

    def __init__(self, folder: Path) -> None:
        """Begin the file in a folder."""
        self._path = folder / f"{folder.name}_0.mcap"
        self._stream = self._path.open("xb")
        self._inode = self._path.stat().st_ino
        self._writer = Writer(self._stream, compression=CompressionType.NONE, enable_data_crcs=True)
        self._writer.start(Profile.ROS2)
        self._topics: dict[tuple[str, str], dict[str, Any]] = {}  # as metadata.yaml has them
        self._channels: dict[tuple[str, str], int] = {}
        self._written, self._first, self._newest = 0, 0, 0

    def write(self, message: _Message, store: Any, profiles: Sequence[Qos]) -> None:
        """Write a message, its topic and type first if they are new."""
        key = (message.topic, message.type_name)
        if key not in self._channels:
            self._add(key, store, profiles)
        self._newest = max(self._newest, message.stamp_ns)
        self._first = self._first if self._written else self._newest
        self._writer.add_message(
            self._channels[key], self._newest, message.data, self._newest, self._written
        )
        self._written += 1
        self._topics[key]["message_count"] += 1

    def _add(self, key: tuple[str, str], store: Any, profiles: Sequence[Qos]) -> None:
        """Add a topic of a type."""
        topic, kind = key
        offered = dump_qos_v9(list(profiles))
        text, _ = store.generate_msgdef(kind, ros_version=2)
        schema = self._writer.register_schema(kind, SchemaEncoding.ROS2, text.encode())
        self._channels[key] = self._writer.register_channel(
            topic, MessageEncoding.CDR, schema,
            {"offered_qos_profiles": yaml.safe_dump(offered) if offered else ""},
        )  # fmt: skip
        metadata = {
            "name": topic,
            "type": kind,
            "serialization_format": MessageEncoding.CDR,
            "offered_qos_profiles": offered,
            "type_description_hash": store.hash_rihs01(kind),
        }
        self._topics[key] = {"topic_metadata": metadata, "message_count": 0}

    def _span(self) -> dict[str, Any]:
        """Return how many messages there are, and from when to when, as metadata.yaml has it."""
        return {
            "duration": {"nanoseconds": self._newest - self._first},
            "starting_time": {"nanoseconds_since_epoch": self._first},
            "message_count": self._written,
        }

    def flush(self) -> None:
        """Hand everything written so far to the operating system.

        Raises:
            OSError: It cannot be written, or the file is not where it was, with all that was in it.
        """
        self._writer.flush()
        if not self._is_there():
            raise OSError(f"{self._path} was removed while it was written to")

    def _is_there(self) -> bool:
        """Tell whether the file is where it was begun."""
        try:
            return self._path.stat().st_ino == self._inode
        except OSError:
            return False

    def lost(self) -> int:
        """Return how many messages are lost with the file, and let it go."""
        with suppress(OSError):  # what waits finds no room either
            self._stream.close()
        return 0 if self._is_there() else self._written

    def close(self) -> None:
        """End the file, and write metadata.yaml.

        Raises:
            OSError: As in `flush`.
        """
        self.flush()
        self._writer.finish()
        self._stream.close()
        metadata = {
            "version": VERSION,
            "storage_identifier": "mcap",
            **self._span(),
            "topics_with_message_count": [*self._topics.values()],
            "compression_format": "",
            "compression_mode": "",
            "relative_file_paths": [self._path.name],
            "files": [{"path": self._path.name, **self._span()}],
            "custom_data": None,
            "ros_distro": "jazzy",
        }
        folder = self._path.parent
        with atomic_write(folder / METADATA) as file:
            text = yaml.safe_dump({"rosbag2_bagfile_information": metadata}, sort_keys=False)
            file.write(text.encode())
        sync_all(folder)


def _made(path: Path) -> Path:
    """Make a bag's folder under the first free name: run, run_2, run_3, ..."""
    if not path.name:
        raise OSError("that is no name of a folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    for number in itertools.count(1):
        free = path if number == 1 else path.with_name(f"{path.name}_{number}")
        with suppress(FileExistsError):
            free.mkdir()
            break
    return free
