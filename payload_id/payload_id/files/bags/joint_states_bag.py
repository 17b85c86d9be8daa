"""Joint states of a rosbag2 recording as a table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...core.arm.per_joint import PerJoint
from ...core.arrays import Array
from ...core.errors import PayloadIdError, RecordingError, UnknownNameError
from ...core.samples.joint_map import JointMap
from ...core.samples.sample_checks import Drop
from ...core.samples.stamp_faults import WHOLE
from ..tables.joint_table import JointTable
from .bag_reader import Bag, open_bag
from .merged_states import JOINT_STATE, merged, without_effort
from .message_types import DYNAMIC_STATE, types_of
from .stamped_rows import StampedRows, stamped_rows

_store = cache(types_of)  # at first use: it takes 0.2 s


class JointStateMessage(NamedTuple):
    """Fields of a sensor_msgs/msg/JointState; an array is empty where nothing was measured."""

    stamp_ns: int
    names: Sequence[str]
    position: Array
    velocity: Array
    effort: Array


def write_joint_state(message: JointStateMessage, frame_id: str = "") -> bytes:
    """Serialize (CDR) a sensor_msgs/msg/JointState, from which `Bag.decoded` reads it bit-equal."""
    types = _store().types
    seconds, nanoseconds = divmod(message.stamp_ns, WHOLE)
    stamp = types["builtin_interfaces/msg/Time"](sec=seconds, nanosec=nanoseconds)
    content = types[JOINT_STATE](
        header=types["std_msgs/msg/Header"](stamp=stamp, frame_id=frame_id),
        name=list(message.names),
        position=np.asarray(message.position, dtype=np.float64),
        velocity=np.asarray(message.velocity, dtype=np.float64),
        effort=np.asarray(message.effort, dtype=np.float64),
    )
    return bytes(_store().serialize_cdr(content, JOINT_STATE))


def read_bag(
    path: Path | str,
    topic: str,
    joints: Sequence[str] | None,
    effort_sign: PerJoint,
    effort_offset: PerJoint,
    start_ns: int | None = None,
    end_ns: int | None = None,
) -> tuple[JointTable, JointMap]:
    """Read the joint states of a bag.

    Where the clock was set back in between, the messages are of several times, of which the one
    with most messages from `start_ns` to `end_ns` (None: all) is read.

    Returns:
        table: One row for each message that holds the wanted joints.
        joint_map: The conversion that was applied, with the names of the joints.

    Raises:
        RecordingError: Nothing can be read, or the topic is absent or empty.
        UnknownNameError: No message names a wanted joint.

    """
    with open_bag(path) as bag:
        sources = [source.strip() for source in topic.split(",")]
        if len(sources) > 1 or ":" in topic or bag.types.get(topic) == DYNAMIC_STATE:
            return _of_several(bag, sources, joints, effort_sign, effort_offset)
        _require_topic(bag, topic)
        maps, unlike = list[JointMap](), dict[tuple[str, ...], None]()

        def row_of(message: Any) -> Any:
            if not maps:
                wanted = tuple(message.name if joints is None else joints)
                maps.append(JointMap(wanted, effort_sign, effort_offset))
            names = message.name
            row = maps[0].convert(names, message.position, message.velocity, message.effort)
            if isinstance(row, Drop):
                unlike.setdefault(tuple(names))
                return row.value
            return row

        rows = stamped_rows(
            bag, topic, "the joint states", row_of, start_ns=start_ns, end_ns=end_ns
        )
        if not maps:
            raise RecordingError(f"{rows.where}{_why_none(rows)}")
        joint_map = maps[0]
        if not any(np.isfinite(q).all() and np.isfinite(tau).all() for q, _, tau in rows.values):
            several = merged(bag, sources, joint_map)
            if several is not None and (np.isfinite(several.tau).any() or not rows.values):
                return several, joint_map
    if not rows.values:
        raise _none_usable(rows, joint_map.joints, list(unlike))
    q, dq, tau = (np.ascontiguousarray(x) for x in np.array(rows.values).transpose(1, 0, 2))
    return JointTable(rows.where, rows.stamp_ns, q, dq, tau, rows.dropped, rows.notes), joint_map


def _why_none(rows: StampedRows) -> str:
    """Say why no message of a topic could be read."""
    if lost := sum(rows.dropped.values()):
        return (
            f": not one of {lost} messages could be decoded. They are damaged, or not serialized "
            "as ROS 2 does by default (XCDR1)."
        )
    return (
        " holds no joint states. Check that the robot's driver was running while it was recorded."
    )


def _none_usable(
    rows: StampedRows, wanted: Sequence[str], unlike: Sequence[tuple[str, ...]]
) -> PayloadIdError:
    """Return the error for a topic of which no message could be used, naming the cause."""
    known = list(dict.fromkeys(name for group in unlike for name in group))
    for joint in wanted:
        if joint not in known:
            return UnknownNameError("joint", joint, known, rows.where)
    causes = ", ".join(f"{count} {cause}" for cause, count in rows.dropped.items())
    groups = "; ".join(", ".join(group) for group in unlike[:4])
    return RecordingError(
        f"{rows.where}: no message could be used (left out: {causes}). Messages must hold position "
        f"and effort of {', '.join(wanted)}, each joint once; they name: {groups}."
    )


def _of_several(
    bag: Bag,
    sources: Sequence[str],
    joints: Sequence[str] | None,
    effort_sign: PerJoint,
    effort_offset: PerJoint,
) -> tuple[JointTable, JointMap]:
    """Return the joint states of several topics, or of messages that are no JointState."""
    topic = ", ".join(sources)
    if joints is None:
        raise RecordingError(f"Which joints are wanted of {topic}? Name them: joints=[...].")
    joint_map = JointMap(tuple(joints), effort_sign, effort_offset)
    found = merged(bag, sources, joint_map)
    if found is None:
        known = ", ".join((*bag.topics(JOINT_STATE), *bag.topics(DYNAMIC_STATE))) or "none"
        raise RecordingError(
            f"{topic} of {bag.path}: the position of one of {', '.join(joints)} is not told. "
            f"Topics of joint states: {known}."
        )
    if np.isnan(found.tau).all() and bag.types.get(topic) == DYNAMIC_STATE:
        raise RecordingError(without_effort(bag, topic))
    return found, joint_map


def _require_topic(bag: Bag, topic: str) -> None:
    """Raise unless the bag holds joint states on the topic."""
    if not bag.types:
        notes = " ".join(("", *bag.notes))
        raise RecordingError(f"{bag.path} holds no joint states, nor any other messages.{notes}")
    dynamic = bag.topics(DYNAMIC_STATE)
    try:
        bag.topic(topic, JOINT_STATE, dynamic)
    except UnknownNameError as unknown:
        known = bag.topics(JOINT_STATE) or dynamic
        others = "" if known else f" Topics of other types: {', '.join(bag.types)}."
        advice = " ".join(("Give the topic of the joint states.", *bag.notes))
        raise RecordingError(f"{unknown}{others} {advice}") from unknown
