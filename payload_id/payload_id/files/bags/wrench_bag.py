"""Wrenches and poses of a rosbag2 recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from ...core.arrays import Array
from ...core.errors import RecordingError
from ...core.samples.sample_checks import Drop
from ...core.samples.stamp_faults import BAD_NANOSECONDS, stamp_faults
from ..tables.clock_times import ClockTimes
from .bag_reader import open_bag
from .joint_states_bag import stamp_of

WRENCH = "geometry_msgs/msg/WrenchStamped"
POSE = "geometry_msgs/msg/PoseStamped"
OTHER_FRAME = "other_frame"  # cause for which a message is left out


@dataclass(frozen=True)
class StampedRows:
    """Messages of one topic as rows.

    Attributes:
        stamp_ns: Header stamps in the order of arrival, shape (N,) [ns].
        values: One row for each message.
        frame: frame_id of the messages; empty if none has one.
        dropped: Number of messages that were left out, by cause.
        notes: What the user should know about how the bag was read.
    """

    stamp_ns: NDArray[np.int64]
    values: Array
    frame: str
    dropped: Mapping[str, int]
    notes: tuple[str, ...]


def read_wrenches(path: Path | str, topic: str | None, frame: str | None = None) -> StampedRows:
    """Return force and torque of WrenchStamped messages, shape (N, 6).

    Args:
        path: The bag.
        topic: Its topic; None: the only one of that type.
        frame: That of the messages to be read, where they are of several; None: of most.
    """
    return _read(path, topic, WRENCH, _wrench_row, frame)


def read_poses(path: Path | str, topic: str) -> tuple[StampedRows, Array]:
    """Return positions of PoseStamped messages, and their rotations (N, 3, 3)."""
    rows = _read(path, topic, POSE, _pose_row, None)
    size = np.linalg.norm(rows.values[:, 3:], axis=1)
    if not (np.abs(size - 1.0) < 0.01).all():
        raise RecordingError(
            f"Topic '{topic}' of {path} holds orientations that are no unit quaternions (lengths "
            f"{size.min():.3g} to {size.max():.3g}). Look for poses that were never set."
        )
    return rows, np.asarray(
        scipy.spatial.transform.Rotation.from_quat(rows.values[:, 3:]).as_matrix()
    )


def _read(
    path: Path | str, topic: str | None, kind: str, row_of: Any, frame: str | None
) -> StampedRows:
    """Return the messages of a topic of one type, of one frame and one time."""
    with open_bag(path) as bag:
        name, notes = bag.topic(topic, kind), bag.notes
        decoded = [message for _, message in bag.decoded(name)]
    messages = [message for message in decoded if message is not None]
    undecodable = len(decoded) - len(messages)
    where = f"Topic '{name}' of {path}"
    seen = Counter(str(message.header.frame_id) for message in messages)
    named = [x for x, _ in seen.most_common() if x]
    frame = frame if frame in named else next(iter(named), "")
    others = {x: count for x, count in seen.items() if x not in ("", frame)}
    if others:
        told = ", ".join(f"{count} of the frame '{x}'" for x, count in others.items())
        notes = (*notes, f"{where} has messages of several frames: those of '{frame}' are read, "
                         f"{told} are left out.")  # fmt: skip
    times, rows = ClockTimes(), []
    for message in messages:
        stamp, at = stamp_of(message.header.stamp), message.header.frame_id
        if at not in ("", frame):
            continue
        if stamp is None:
            times.dropped[BAD_NANOSECONDS] += 1
        elif times.takes(stamp):
            rows.append(row_of(message))
    stamp_ns, part, said = times.one_time("the messages", where)
    rows = rows[part]
    if len(rows) < 2:
        lost = f" ({undecodable} could not be decoded)" if undecodable else ""
        remedy = "" if undecodable else " Check that its driver was running while it was recorded."
        raise RecordingError(
            f"{where} holds {len(rows)} readable messages{lost}; two or more are needed.{remedy}"
        )
    causes = {Drop.WRONG_LENGTH.value: undecodable, OTHER_FRAME: sum(others.values())}
    dropped = {**times.dropped, **{cause: count for cause, count in causes.items() if count}}
    values = np.array(rows)
    faults = stamp_faults(stamp_ns, values, times.dropped[BAD_NANOSECONDS])
    if not np.ptp(stamp_ns):
        raise RecordingError(" ".join((f"{where}:", *faults)))
    return StampedRows(stamp_ns, values, frame, dropped, (*notes, *said, *faults))


def _wrench_row(message: Any) -> list[float]:
    force, torque = message.wrench.force, message.wrench.torque
    return [force.x, force.y, force.z, torque.x, torque.y, torque.z]


def _pose_row(message: Any) -> list[float]:
    p, o = message.pose.position, message.pose.orientation
    return [p.x, p.y, p.z, o.x, o.y, o.z, o.w]
