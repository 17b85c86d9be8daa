"""Joint states of a rosbag2 recording as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...core.arm.per_joint import PerJoint
from ...core.arrays import Array
from ...core.errors import RecordingError, UnknownNameError
from ...core.samples.joint_map import JointMap
from ...core.samples.sample_checks import Drop
from ...core.samples.stamp_faults import BAD_NANOSECONDS, WHOLE
from ..tables.clock_times import ClockTimes
from ..tables.joint_table import JointTable
from .bag_reader import Bag, open_bag
from .merged_states import JOINT_STATE, KINDS, Merged, merged, without_effort
from .message_types import DYNAMIC_STATE, types_of

_STORE = types_of()


class JointStateMessage(NamedTuple):
    """Fields of a sensor_msgs/msg/JointState; an array is empty where nothing was measured.

    The stamp is None where its nanoseconds are none beside seconds.
    """

    stamp_ns: int | None
    names: Sequence[str]
    position: Array
    velocity: Array
    effort: Array


def _fields(message: Any) -> JointStateMessage:
    """Return the fields of a decoded message."""
    stamp = stamp_of(message.header.stamp)
    return JointStateMessage(
        stamp, message.name, message.position, message.velocity, message.effort
    )


def stamp_of(time: Any) -> int | None:
    """Return a builtin_interfaces/msg/Time [ns]; None for nanoseconds that are none."""
    return time.sec * WHOLE + time.nanosec if time.nanosec < WHOLE else None


def write_joint_state(message: JointStateMessage, frame_id: str = "") -> bytes:
    """Serialize (CDR) a sensor_msgs/msg/JointState, from which `Bag.decoded` reads it bit-equal."""
    types = _STORE.types
    seconds, nanoseconds = divmod(message.stamp_ns or 0, WHOLE)
    stamp = types["builtin_interfaces/msg/Time"](sec=seconds, nanosec=nanoseconds)
    content = types[JOINT_STATE](
        header=types["std_msgs/msg/Header"](stamp=stamp, frame_id=frame_id),
        name=list(message.names),
        position=np.asarray(message.position, dtype=np.float64),
        velocity=np.asarray(message.velocity, dtype=np.float64),
        effort=np.asarray(message.effort, dtype=np.float64),
    )
    return bytes(_STORE.serialize_cdr(content, JOINT_STATE))


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
        rows = _Rows()
        joint_map: JointMap | None = None
        for message in _messages(bag, topic, rows):
            if joint_map is None:
                wanted = tuple(message.names if joints is None else joints)
                joint_map = JointMap(wanted, effort_sign, effort_offset)
            rows.add(message, joint_map)
        if joint_map is not None and not rows.complete:
            several = merged(bag, sources, joint_map.joints)
            if several is not None and (several.has_effort or not rows.arrays):
                return _table(bag, topic, several, joint_map), joint_map
    where = f"Topic '{topic}' of {path}"
    if joint_map is None:
        if lost := sum(rows.dropped.values()):
            raise RecordingError(
                f"{where}: not one of {lost} messages could be decoded. They are damaged, or not "
                "serialized as ROS 2 does by default (XCDR1)."
            )
        raise RecordingError(
            f"{where} holds no joint states. Check that the robot's driver was running while it "
            "was recorded."
        )
    rows.require_some(where, joint_map.joints)
    return rows.table(where, bag.notes, start_ns, end_ns), joint_map


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
    found = merged(bag, sources, joint_map.joints)
    if found is None:
        known = ", ".join((*bag.topics(JOINT_STATE), *bag.topics(DYNAMIC_STATE))) or "none"
        raise RecordingError(
            f"{topic} of {bag.path}: the position of one of {', '.join(joints)} is not told. "
            f"Topics of joint states: {known}."
        )
    if not found.has_effort and bag.types.get(topic) == DYNAMIC_STATE:
        raise RecordingError(without_effort(bag, topic))
    return _table(bag, topic, found, joint_map), joint_map


def _table(bag: Bag, topic: str, found: Merged, joint_map: JointMap) -> JointTable:
    """Return joint states of several messages as a table."""
    q, dq, effort = (found.values[kind] for kind in KINDS)
    where, tau = f"Topic '{topic}' of {bag.path}", joint_map.torque(effort)
    return JointTable(where, found.stamp_ns, q, dq, tau, found.dropped, found.notes)


@dataclass
class _Rows:
    """Converted messages, gathered one by one."""

    times: ClockTimes = field(default_factory=ClockTimes)
    arrays: list[tuple[Array, Array, Array]] = field(default_factory=list)
    groups: dict[tuple[str, ...], None] = field(default_factory=dict)

    @property
    def dropped(self) -> Counter[str]:
        """Number of messages that were left out, by cause."""
        return self.times.dropped

    @property
    def complete(self) -> bool:
        """Whether some message holds position and effort of all joints."""
        return any(np.isfinite(q).all() and np.isfinite(tau).all() for q, _, tau in self.arrays)

    def add(self, message: JointStateMessage, joint_map: JointMap) -> None:
        """Convert one message, or count why it cannot be."""
        row = joint_map.convert(message.names, message.position, message.velocity, message.effort)
        if isinstance(row, Drop):
            self.dropped[row.value] += 1
            self.groups.setdefault(tuple(message.names))
            return
        if message.stamp_ns is None:
            self.dropped[BAD_NANOSECONDS] += 1
        elif self.times.takes(message.stamp_ns):
            self.arrays.append(row)

    def require_some(self, where: str, wanted: tuple[str, ...]) -> None:
        """Raise if no message could be converted, naming the cause."""
        if self.arrays:
            return
        known = list(dict.fromkeys(name for group in self.groups for name in group))
        for joint in wanted:
            if joint not in known:
                raise UnknownNameError("joint", joint, known, where)
        causes = ", ".join(f"{count} {cause}" for cause, count in self.dropped.items())
        groups = "; ".join(", ".join(group) for group in list(self.groups)[:4])
        raise RecordingError(
            f"{where}: no message could be used (left out: {causes}). Messages must hold position "
            f"and effort of {', '.join(wanted)}, each joint once; they name: {groups}."
        )

    def table(
        self, where: str, notes: tuple[str, ...], start_ns: int | None, end_ns: int | None
    ) -> JointTable:
        """Return the rows of one time as arrays."""
        stamp_ns, part, said = self.times.one_time("the joint states", where, start_ns, end_ns)
        stacked: Array = np.array(self.arrays)[part]
        q, dq, tau = (np.ascontiguousarray(stacked[:, k]) for k in range(3))
        return JointTable(where, stamp_ns, q, dq, tau, dict(self.dropped), (*notes, *said))


def _messages(bag: Bag, topic: str, rows: _Rows) -> Iterator[JointStateMessage]:
    """Yield the decoded messages of a topic; one that cannot be decoded has the wrong length."""
    for _, message in bag.decoded(topic):
        if message is None:
            rows.dropped[Drop.WRONG_LENGTH.value] += 1
        else:
            yield _fields(message)


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
