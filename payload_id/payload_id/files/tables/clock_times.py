"""Messages of a recording during which a clock was set: those of one time are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...core.samples.sample_checks import LEAP, ClockGate
from ...core.samples.stamps import NANOSECONDS

LEAP_NS = round(LEAP * NANOSECONDS)


@dataclass
class ClockTimes:
    """Stamps in the order of arrival; those that leap are left out, as live.

    Attributes:
        stamp_ns: What was taken [ns].
        dropped: Number of stamps that were not, by cause.
    """

    stamp_ns: list[int] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    _clock: ClockGate = ClockGate()
    _begins: list[int] = field(default_factory=lambda: [0])  # of each time, by number of the stamp

    def takes(self, stamp_ns: int) -> bool:
        """Judge the next stamp [ns]; tell whether its message is to be kept."""
        times = self._clock.times
        self._clock, leap = self._clock.offer(stamp_ns)
        if leap is not None:
            self.dropped[leap.value] += 1
            return False
        if self._clock.times != times:
            self._begins.append(len(self.stamp_ns))
        self.stamp_ns.append(stamp_ns)
        return True

    def one_time(
        self, what: str, where: str, start_ns: int | None = None, end_ns: int | None = None
    ) -> tuple[NDArray[np.int64], slice, tuple[str, ...]]:
        """Return the stamps of one time, which messages these are, and what to say of the others.

        Args:
            what: Of what messages, for the note.
            where: In which recording.
            start_ns: Stamp of the first message that is wanted [ns]; None: any.
            end_ns: Stamp of the last one [ns]; None: any.
        """
        stamp_ns = np.array(self.stamp_ns, dtype=np.int64)
        parts = [slice(*ends) for ends in pairwise([*self._begins, len(stamp_ns)])]
        if len(parts) == 1:
            return stamp_ns, parts[0], ()
        part = wanted_time(stamp_ns, parts, start_ns, end_ns)
        left_out = len(stamp_ns) - (part.stop - part.start)
        note = (
            f"The clock of {what} was set back {len(parts) - 1} times while {where} was recorded; "
            f"of the times before and after, one is read, and {left_out} samples of the others "
            "are not."
        )
        return stamp_ns[part], part, (note,)


def in_one_time(
    stamp_ns: NDArray[np.int64], what: str, where: str
) -> tuple[NDArray[np.intp], dict[str, int], tuple[str, ...]]:
    """Return which stamps of a whole table are of one time, in their order.

    Args:
        stamp_ns: Of its rows, shape (N,) [ns].
        what: Of what rows, for the note.
        where: In which table.

    Returns:
        rows: Numbers of the rows to read.
        dropped: How many others leap, by cause.
        notes: What to say of rows of other times.
    """
    every = np.arange(len(stamp_ns))
    newest = np.maximum.accumulate(stamp_ns)
    steps = np.abs(np.diff(stamp_ns))
    away = np.abs(stamp_ns[1:] - newest[:-1])
    if (away <= LEAP_NS).all() or 2 * np.median(steps) > LEAP_NS:  # a wrong unit is told elsewhere
        return every, {}, ()
    times = ClockTimes()
    taken = np.array([k for k, stamp in enumerate(stamp_ns.tolist()) if times.takes(stamp)])
    _, part, notes = times.one_time(what, where)
    return taken[part], dict(times.dropped), notes


def wanted_time(
    stamp_ns: NDArray[np.int64], parts: Sequence[slice], start_ns: int | None, end_ns: int | None
) -> slice:
    """Return of several times the one that a first and a last stamp are of.

    A stamp may lie within several times, but hardly be that of a message of two: the time that has
    messages with these very stamps is chosen; of several, the one with most messages between them.
    A run that goes on after the clock was set back and forward again ends in a later time than it
    began in: then all times from the one to the other are returned, in which stamps go back.

    Args:
        stamp_ns: Of all messages, in the order of arrival, shape (N,) [ns].
        parts: Of each time, one or more.
        start_ns: The first stamp that is wanted [ns]; None: any.
        end_ns: The last one [ns]; None: any.
    """
    wanted = np.ones(len(stamp_ns), dtype=bool)
    if start_ns is not None:
        wanted &= stamp_ns >= start_ns
    if end_ns is not None:
        wanted &= stamp_ns <= end_ns

    def has(part: slice, stamp: int | None) -> bool:
        return stamp is not None and bool((stamp_ns[part] == stamp).any())

    def merit(part: slice) -> tuple[int, bool, int]:
        ends = has(part, start_ns), has(part, end_ns)
        return sum(ends), ends[0], int(wanted[part].sum())

    best = max(parts, key=merit)
    if not has(best, start_ns) or has(best, end_ns):
        return best
    last = next((part for part in parts if part.start > best.start and has(part, end_ns)), best)
    return slice(best.start, last.stop)
