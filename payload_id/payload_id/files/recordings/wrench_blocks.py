"""Samples of a force-torque sensor as the wrench sampler recorded them, bit for bit."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import RecordingError
from ...core.samples.stamps import seconds_since
from ...core.samples.wrench_samples import WrenchSamples
from ..bags.bag_reader import open_bag
from ..bags.bag_writer import BagWriter
from ..bags.message_types import BLOCK, DEFINITION, types_of
from ..tables.clock_times import wanted_time
from .wrench_recording import WrenchRecording

SAMPLES = 500  # of a block that is written here
ROWS = {
    "rotation": (3, 3),
    "angular_velocity": (3,),
    "angular_acceleration": (3,),
    "linear_acceleration": (3,),
    "wrench": (6,),
}


def write_blocks(
    path: Path | str, samples: WrenchSamples, frame: str, start_ns: int, topic: str
) -> None:
    """Write samples as the wrench sampler does.

    Args:
        path: The bag's folder.
        samples: What to write; stamps are rounded to nanoseconds.
        frame: Name of the sensor frame.
        start_ns: Absolute time of stamp 0 [ns].
        topic: Topic of the blocks.

    Raises:
        RecordingError: The disk failed.
    """
    store = types_of()
    types, stamp_ns = store.types, start_ns + np.round(samples.stamp * 1e9).astype(np.int64)
    gravity = types["geometry_msgs/msg/Vector3"](*map(float, samples.gravity))
    with BagWriter(path) as writer:
        writer.add_message_type(BLOCK, DEFINITION)
        for first in range(0, len(stamp_ns), SAMPLES):
            part = slice(first, first + SAMPLES)
            seconds, rest = divmod(int(stamp_ns[part][-1]), 10**9)
            time = types["builtin_interfaces/msg/Time"](seconds, rest)
            rows = {name: np.ravel(getattr(samples, name)[part]) for name in ROWS}
            message = types[BLOCK](
                types["std_msgs/msg/Header"](time, frame), first // SAMPLES, 1, first, gravity,
                stamp_ns[part], **rows, received=0, dropped=0, dropped_joint_states=0,
            )  # fmt: skip
            data = bytes(store.serialize_cdr(message, BLOCK))
            writer.write(topic, BLOCK, int(stamp_ns[part][-1]), data)


def read_blocks(
    path: Path | str, topic: str, start_ns: int | None = None, end_ns: int | None = None
) -> WrenchRecording:
    """Return the samples of a wrench sampler's blocks; stamp 0 is that of the first one kept.

    Args:
        path: The bag.
        topic: Topic of the blocks.
        start_ns: Header stamp of the first sample to keep [ns]; None: the first there is.
        end_ns: Of the last one [ns]; None: the last there is.

    Raises:
        UnknownNameError: The bag has no such topic.
        RecordingError: Nothing can be read, or the topic is of another type.
    """
    blocks, notes = _blocks(path, topic)
    stamp_ns = np.concatenate([b.stamp_ns for b in blocks] or [np.zeros(0, dtype=np.int64)])
    # Where the clock was set back, samples of another run may lie between these stamps, too.
    cuts = (np.flatnonzero(np.diff(stamp_ns) <= 0) + 1).tolist()
    parts = [slice(*ends) for ends in pairwise([0, *cuts, len(stamp_ns)])]
    keep = np.zeros(len(stamp_ns), dtype=bool)
    keep[wanted_time(stamp_ns, parts, start_ns, end_ns)] = True
    keep &= stamp_ns >= start_ns if start_ns is not None else True
    keep &= stamp_ns <= end_ns if end_ns is not None else True
    if not keep.any():
        raise RecordingError(f"Topic '{topic}' of {path} holds no samples of the run.")
    kept = stamp_ns[keep]  # those newer than all before, as in the live run
    keep[np.flatnonzero(keep)[1:]] = kept[1:] > np.maximum.accumulate(kept)[:-1]
    columns: dict[str, Any] = {
        name: np.concatenate([np.reshape(getattr(b, name), (-1, *shape)) for b in blocks])[keep]
        for name, shape in ROWS.items()
    }
    g, origin = blocks[0].gravity, int(stamp_ns[keep][0])
    samples = WrenchSamples(
        seconds_since(stamp_ns[keep], origin), **columns, gravity=(g.x, g.y, g.z)
    )
    return WrenchRecording.of(
        samples, frame=blocks[0].header.frame_id, start_ns=origin, source=str(path), notes=notes
    )


def _blocks(path: Path | str, topic: str) -> tuple[list[Any], tuple[str, ...]]:
    """Return the messages of a topic, and what the user should know about them."""
    with open_bag(path) as bag:
        bag.topic(topic, BLOCK)
        decoded, notes = [message for _, message in bag.decoded(topic)], bag.notes
    blocks = [message for message in decoded if message is not None]
    undecodable = len(decoded) - len(blocks)
    foreign = sum(block.sampler != blocks[0].sampler for block in blocks)
    if foreign:
        blocks = [block for block in blocks if block.sampler == blocks[0].sampler]
        notes = (*notes, f"{foreign} blocks are of another sampler and were not used.")
    if undecodable:
        notes = (*notes, f"{undecodable} blocks could not be decoded.")
    return blocks, notes
