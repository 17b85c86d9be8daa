"""Wrenches and poses of a rosbag2 recording."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...core.arrays import Array
from ...core.errors import RecordingError
from ...core.samples.stamp_faults import BAD_NANOSECONDS, stamp_faults
from ..tables.wrench_csv import rotations_of
from .bag_reader import open_bag
from .stamped_rows import UNDECODABLE, StampedRows, stamped_rows

WRENCH = "geometry_msgs/msg/WrenchStamped"
POSE = "geometry_msgs/msg/PoseStamped"
OTHER_FRAME = "other_frame"  # cause for which a message is left out


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
    return rows, rotations_of(rows.values[:, 3:], rows.where)


def _read(
    path: Path | str, topic: str | None, kind: str, row_of: Any, frame: str | None
) -> StampedRows:
    """Return the messages of a topic of one type, of one frame and one time."""
    with open_bag(path) as bag:
        name = bag.topic(topic, kind)
        seen = Counter(str(x.header.frame_id) for _, x in bag.decoded(name) if x is not None)
        named = [x for x, _ in seen.most_common() if x]
        frame = frame if frame in named else next(iter(named), "")

        def of_frame(message: Any) -> Any:
            return row_of(message) if message.header.frame_id in ("", frame) else OTHER_FRAME

        rows = stamped_rows(bag, name, "the messages", of_frame)
    others = {x: count for x, count in seen.items() if x not in ("", frame)}
    told = ", ".join(f"{count} of the frame '{x}'" for x, count in others.items())
    several = f"{rows.where} has messages of several frames: those of '{frame}' are read, {told} " \
              "are left out."  # fmt: skip
    if len(rows.values) < 2:
        undecodable = rows.dropped.get(UNDECODABLE, 0)
        lost = f" ({undecodable} could not be decoded)" if undecodable else ""
        remedy = "" if undecodable else " Check that its driver was running while it was recorded."
        raise RecordingError(
            f"{rows.where} holds {len(rows.values)} readable messages{lost}; two or more are "
            f"needed.{remedy}"
        )
    values = np.array(rows.values)
    faults = stamp_faults(rows.stamp_ns, values, rows.dropped.get(BAD_NANOSECONDS, 0))
    if not np.ptp(rows.stamp_ns):
        raise RecordingError(" ".join((f"{rows.where}:", *faults)))
    notes = (*([several] if others else []), *rows.notes, *faults)
    return replace(rows, values=values, notes=notes, frame=frame)


def _wrench_row(message: Any) -> list[float]:
    force, torque = message.wrench.force, message.wrench.torque
    return [force.x, force.y, force.z, torque.x, torque.y, torque.z]


def _pose_row(message: Any) -> list[float]:
    p, o = message.pose.position, message.pose.orientation
    return [p.x, p.y, p.z, o.x, o.y, o.z, o.w]
