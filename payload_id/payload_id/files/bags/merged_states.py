"""Joint states that come in several messages or on several topics, brought to common instants.

What each message tells of position, velocity and effort of each joint is a series of its own. All
are taken at the stamps of the slowest, between neighbouring values of the others along a straight
line, nowhere across a gap. Where two topics tell the same of a joint, the one named later counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Array
from ...core.errors import RecordingError, UnknownNameError
from ...core.samples.joint_map import JointMap
from ...core.samples.stamps import covered, seconds_since
from ..tables.joint_table import JointTable
from .bag_reader import Bag
from .message_types import DYNAMIC_STATE
from .stamped_rows import header_stamp, stamped_rows

JOINT_STATE = "sensor_msgs/msg/JointState"
KINDS = ("position", "velocity", "effort")
Told = Mapping[tuple[str, str], float]  # by kind and joint


class JointSeries(NamedTuple):
    """Values of one joint at increasing instants [ns]."""

    stamp_ns: NDArray[np.int64]
    value: Array


def merged(bag: Bag, sources: Sequence[str], joint_map: JointMap) -> JointTable | None:
    """Return the states of joints; None where the position of one is told nowhere.

    Velocities or torques that are not known of all joints are NaN.

    Args:
        bag: The recording.
        sources: Topics, or `TOPIC:FIELD` for efforts in a field of any message, of all joints in
            their order; fields within others behind a point. Of a DynamicJointState the field is
            the interface that holds efforts.
        joint_map: The joints, and how their efforts become torques.

    Raises:
        UnknownNameError: A topic or field does not exist.
        RecordingError: What is told shares no time.
    """
    joints = joint_map.joints
    every, dropped, notes = dict[tuple[str, str], JointSeries](), dict[str, int](), list[str]()
    for source in sources:
        topic = source.partition(":")[0]
        if topic not in bag.types:
            raise UnknownNameError("topic", topic, list(bag.types), str(bag.path))
        received, row_of = list[int](), partial(_told, bag, source, joints)
        read = stamped_rows(bag, topic, f"'{topic}'", row_of, partial(_stamp, received))
        dropped = Counter(dropped) + Counter(read.dropped)
        notes += read.notes[len(bag.notes) :]
        if received:
            notes.append(f"'{topic}' has no stamps of its own: the times of receipt are taken.")
        every |= _series(read.stamp_ns, read.values, joints)
    known = [kind for kind in KINDS if all((kind, joint) in every for joint in joints)]
    if "position" not in known:
        return None
    wanted = {key: x for key, x in every.items() if key[0] in known}
    slowest = min(wanted, key=lambda key: (len(wanted[key].stamp_ns), key[0] != "effort"))
    base = wanted[slowest].stamp_ns
    start = int(base[0])
    at = seconds_since(base, start)
    inside = np.ones(len(base), dtype=bool)
    values = {kind: np.full((len(base), len(joints)), np.nan) for kind in KINDS}
    for (kind, joint), series in wanted.items():
        stamp = seconds_since(series.stamp_ns, start)
        inside &= covered(stamp, at) if len(stamp) > 1 else np.isin(at, stamp)
        values[kind][:, joints.index(joint)] = np.interp(at, stamp, series.value)
    if not inside.any():
        raise RecordingError(
            f"What {bag.path} holds of positions and efforts on {', '.join(sources)} shares no "
            "time. Check that the stamps are of one clock."
        )
    exact = all(np.isin(base[inside], x.stamp_ns).all() for x in wanted.values())
    how = "of the same stamp" if exact else "between their stamps along straight lines"
    notes.append(
        f"Joint states of several messages ({', '.join(sources)}) are merged, {how}, at the "
        f"{int(inside.sum())} of {len(base)} instants of the slowest."
    )
    q, dq, effort = (values[kind][inside] for kind in KINDS)
    where, said = f"Topic '{', '.join(sources)}' of {bag.path}", (*bag.notes, *notes)
    return JointTable(where, base[inside], q, dq, joint_map.torque(effort), dropped, said)


def _stamp(unstamped: list[int], message: Any, received: int) -> int | None:
    """Return a message's stamp [ns]; of one without, which is counted, the time of receipt."""
    header = getattr(message, "header", None)
    if header is not None and (header.stamp.sec or header.stamp.nanosec):
        return header_stamp(message)
    unstamped.append(received)
    return received


def _told(bag: Bag, source: str, joints: Sequence[str], message: Any) -> Told:
    """Return what a message of a source tells of joints.

    Raises:
        RecordingError: It names one twice, or is of another kind.
        UnknownNameError: It has no such field or interface.
    """
    topic, _, path = source.partition(":")
    kind = bag.types[topic]
    if path:
        of_interface = kind == DYNAMIC_STATE
        return (_interface if of_interface else _efforts)(message, path, joints, source)
    if kind not in (JOINT_STATE, DYNAMIC_STATE):
        raise RecordingError(
            f"Topic '{topic}' of {bag.path} holds {kind}, no joint states. Of another message name "
            f"the field that holds the efforts of all joints: '{topic}:FIELD' (fields: "
            f"{', '.join(name for name, _ in bag.store.fielddefs[kind][1])})."
        )
    names = [str(x) for x in (message.name if kind == JOINT_STATE else message.joint_names)]
    twice = [joint for joint in joints if names.count(joint) > 1]
    if twice:
        raise RecordingError(
            f"Topic '{topic}' of {bag.path} names {twice[0]} {names.count(twice[0])} times in one "
            "message, and which of its values counts is not known: have one node publish each "
            "joint once."
        )
    if kind == DYNAMIC_STATE:
        return {key: value for key, value in _interfaces(message) if key[0] in KINDS}
    return {
        (kind, name): float(value)
        for kind in KINDS
        if len(array := getattr(message, kind)) == len(names)
        for name, value in zip(names, array, strict=True)
    }


def _interfaces(message: Any) -> Iterator[tuple[tuple[str, str], float]]:
    """Yield what a DynamicJointState holds: interface and joint, and the value."""
    for joint, each in zip(message.joint_names, message.interface_values, strict=False):
        for kind, value in zip(each.interface_names, each.values, strict=False):
            yield (str(kind), str(joint)), float(value)


def _interface(message: Any, wanted: str, joints: Sequence[str], source: str) -> Told:
    """Return an interface of a DynamicJointState as efforts.

    Raises:
        UnknownNameError: No joint has it.
    """
    found = dict(_interfaces(message))
    known = list(dict.fromkeys(kind for kind, _ in found))
    if wanted not in known:
        raise UnknownNameError("interface", wanted, known, f"'{source}'")
    return {("effort", joint): value for (kind, joint), value in found.items() if kind == wanted}


def without_effort(bag: Bag, topic: str) -> str:
    """Say which interfaces a topic of DynamicJointState has, and how one is taken for efforts."""
    _, message = next(iter(bag.decoded(topic)))
    kinds = dict.fromkeys(kind for (kind, _), _ in _interfaces(message)) if message else {}
    return (
        f"Topic '{topic}' of {bag.path} has no interface 'effort'; it has {', '.join(kinds)}. Name "
        f"the one that holds measured torques, or currents: --topic {topic},{topic}:INTERFACE."
    )


def _efforts(message: Any, path: str, joints: Sequence[str], source: str) -> Told:
    """Return the efforts in a field of a message.

    Raises:
        UnknownNameError: There is no such field.
        RecordingError: It does not hold one number for each joint.
    """
    values = [float(x) for x in _numbers(message, path.split("."), source)]
    if len(values) != len(joints):
        raise RecordingError(
            f"'{source}' holds {len(values)} numbers; wanted is the effort of each of "
            f"{', '.join(joints)}, in this order."
        )
    return {("effort", joint): value for joint, value in zip(joints, values, strict=True)}


def _numbers(thing: Any, path: Sequence[str], source: str) -> Iterator[Any]:
    """Yield what a field holds, of each of several messages in their order."""
    if isinstance(thing, list | tuple | np.ndarray):
        for each in thing:
            yield from _numbers(each, path, source)
    elif not path and isinstance(thing, int | float | np.number):
        yield thing
    else:
        known = [name for name in getattr(thing, "__dataclass_fields__", {}) if name[0] != "_"]
        wanted = path[0] if path else ""
        if wanted not in known:
            raise UnknownNameError("field", wanted, known, f"'{source}'")
        yield from _numbers(getattr(thing, wanted), path[1:], source)


def _series(
    stamp_ns: NDArray[np.int64], rows: Sequence[Told], joints: Sequence[str]
) -> dict[tuple[str, str], JointSeries]:
    """Return a series for all that messages tell of joints, of stamps that increase."""
    found: dict[tuple[str, str], tuple[list[int], list[float]]] = {}
    for stamp, row in zip(stamp_ns.tolist(), rows, strict=True):
        for key, value in row.items():
            if key[1] in joints and np.isfinite(value):
                stamps, values = found.setdefault(key, ([], []))
                if not stamps or stamp > stamps[-1]:
                    stamps.append(stamp)
                    values.append(value)
    return {
        key: JointSeries(np.array(x, dtype=np.int64), np.array(y)) for key, (x, y) in found.items()
    }
