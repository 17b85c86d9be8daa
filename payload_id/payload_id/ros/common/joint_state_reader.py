"""Joint states from their bytes, at a fraction of what making messages costs.

The messages of a publisher have one layout: the same names in the same order, the same fields. It
is learnt from a message that rclpy has decoded; of others in that layout only numbers are read.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sensor_msgs.msg import JointState

from ...core.arrays import Array
from .conversions import decoded, stamp_of

BEGIN, HEAD = 4, 12  # bytes before the content, and before what follows the stamp (XCDR1)


class JointStateValues(NamedTuple):
    """A sensor_msgs/JointState; an array is empty where nothing was measured.

    Attributes:
        stamp_ns: Its stamp [ns].
        names: Names of m joints.
        position: Shape (m,) [rad or m].
        velocity: Shape (m,) [rad/s or m/s].
        effort: Shape (m,), as the driver reports it.
    """

    stamp_ns: int
    names: tuple[str, ...]
    position: Array
    velocity: Array
    effort: Array


@dataclass(frozen=True)
class Layout:
    """Where the numbers of some messages are.

    Attributes:
        names: Names of the joints.
        same: What all of these messages have in common: slices of bytes, and the bytes.
        fields: Offset and number of positions, velocities and efforts.
        length: Bytes of a message; some middlewares leave a few more at its end.
    """

    names: tuple[str, ...]
    same: tuple[tuple[slice, bytes], ...]
    fields: tuple[tuple[int, int], ...]
    length: int

    @classmethod
    def of(cls, data: bytes, message: JointState) -> Layout:
        """Return the layout of a message that was decoded from bytes."""
        at = _after_texts(HEAD, [message.header.frame_id])
        at = _after_texts(_aligned(at, 4) + 4, message.name)
        begin, same, fields = HEAD, [(slice(0, BEGIN), data[:BEGIN])], []
        for values in (message.position, message.velocity, message.effort):
            at = _aligned(at, 4) + 4
            same.append((slice(begin, at), data[begin:at]))
            at = _aligned(at, 8) if len(values) else at
            fields.append((at, len(values)))
            begin = at = at + 8 * len(values)
        return cls(tuple(message.name), tuple(same), tuple(fields), len(data))

    def read(self, data: bytes) -> JointStateValues | None:
        """Return the numbers of a message in this layout; None: it has another one."""
        if len(data) != self.length or any(data[part] != wanted for part, wanted in self.same):
            return None
        seconds, nanoseconds = struct.unpack_from("<iI", data, BEGIN)
        values = [np.frombuffer(data, "<f8", count, offset) for offset, count in self.fields]
        return JointStateValues(seconds * 10**9 + nanoseconds, self.names, *values)


class JointStateReader:
    """Reads the joint states of a topic; a gripper's may come between the arm's."""

    def __init__(self) -> None:
        """Know no layout yet."""
        self._layouts: tuple[Layout, ...] = ()  # of the two newest kinds of message

    def read(self, data: bytes) -> JointStateValues | None:
        """Return what a message says; None if the bytes are no joint state."""
        for layout in self._layouts:
            if (found := layout.read(data)) is not None:
                return found
        message = decoded(data, JointState)
        if message is None:
            return None
        said = JointStateValues(
            stamp_of(message.header.stamp),
            tuple(message.name),
            np.asarray(message.position),
            np.asarray(message.velocity),
            np.asarray(message.effort),
        )
        if data[1] == 1:  # little-endian
            layout = Layout.of(data, message)
            if _equal(layout.read(data), said):
                self._layouts = (layout, *self._layouts[:1])
        return said


def _equal(found: JointStateValues | None, wanted: JointStateValues) -> bool:
    """Tell whether two readings of one message are the same."""
    return (
        found is not None
        and found[:2] == wanted[:2]
        and all(
            np.array_equal(a, b, equal_nan=True) for a, b in zip(found[2:], wanted[2:], strict=True)
        )
    )


def _aligned(offset: int, size: int) -> int:
    """Return the next offset at which a value of some size begins."""
    return offset + (BEGIN - offset) % size


def _after_texts(offset: int, texts: list[str]) -> int:
    """Return the offset behind texts, each with its length before it and a zero after it."""
    for text in texts:
        offset = _aligned(offset, 4) + 4 + len(text.encode()) + 1
    return offset
