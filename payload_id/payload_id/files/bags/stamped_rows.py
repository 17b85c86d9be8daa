"""Messages of one topic as rows with stamps that are of one time: how every topic is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.samples.sample_checks import Drop
from ...core.samples.stamp_faults import BAD_NANOSECONDS, WHOLE
from ..tables.clock_times import ClockTimes
from .bag_reader import Bag

UNDECODABLE = Drop.WRONG_LENGTH.value


@dataclass(frozen=True)
class StampedRows:
    """Messages of one topic as rows.

    Attributes:
        where: Topic and recording, for messages.
        stamp_ns: Stamps in the order of arrival, shape (N,) [ns].
        values: One row for each message.
        dropped: Number of messages that were left out, by cause.
        notes: What the user should know about how the bag was read.
        frame: frame_id of the messages; empty if none has one.
    """

    where: str
    stamp_ns: NDArray[np.int64]
    values: Any
    dropped: Mapping[str, int]
    notes: tuple[str, ...]
    frame: str = ""


def header_stamp(message: Any, received: int = 0) -> int | None:
    """Return the stamp in a message's header [ns]; None for nanoseconds that are none."""
    stamp = message.header.stamp
    return stamp.sec * WHOLE + stamp.nanosec if stamp.nanosec < WHOLE else None


def stamped_rows(
    bag: Bag,
    topic: str,
    what: str,
    row_of: Callable[[Any], Any],
    stamp_of: Callable[[Any, int], int | None] = header_stamp,
    start_ns: int | None = None,
    end_ns: int | None = None,
) -> StampedRows:
    """Return the messages of a topic, of the one time with most of them between two stamps.

    Args:
        bag: The recording.
        topic: Its topic.
        what: Of what messages, for the note on other times.
        row_of: Makes a row of a message, or the name of the cause for which it is left out.
        stamp_of: Makes a stamp [ns] of a message and the time of its receipt [ns]; None: it has
            none.
        start_ns: Stamp of the first message that is wanted [ns]; None: any.
        end_ns: Stamp of the last one [ns]; None: any.
    """
    times, rows = ClockTimes(), []
    for received, message in bag.decoded(topic):
        row = UNDECODABLE if message is None else row_of(message)
        if isinstance(row, str):
            times.dropped[row] += 1
        elif (stamp := stamp_of(message, received)) is None:
            times.dropped[BAD_NANOSECONDS] += 1
        elif times.takes(stamp):
            rows.append(row)
    where = f"Topic '{topic}' of {bag.path}"
    stamp_ns, part, said = times.one_time(what, where, start_ns, end_ns)
    return StampedRows(where, stamp_ns, rows[part], dict(times.dropped), (*bag.notes, *said))
