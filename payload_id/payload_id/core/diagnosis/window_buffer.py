"""Windows of samples that are kept, so that rows can be made again as a reading would have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array

BLOCK = 10  # windows in a row that are kept or dropped together: a delay looks past a window's end
MOST_BLOCKS = 20  # kept at the most; beyond it every second one is dropped, and half as many enter
NO_TIMES = np.zeros(0)


class Kept(NamedTuple):
    """A window that is kept, and its number in the run."""

    number: int
    samples: Any


@dataclass(frozen=True)
class WindowBuffer:
    """Some windows of a run, in blocks evenly spread over it; bounded, however long it is.

    Attributes:
        blocks: Blocks of neighbouring windows, none of them empty.
        seen: Number of windows so far.
        stride: Of so many blocks one is kept.
    """

    blocks: tuple[tuple[Kept, ...], ...] = ()
    seen: int = 0
    stride: int = 1

    @classmethod
    def of(cls, windows: Iterable[Any]) -> WindowBuffer:
        """Return the buffer after some windows."""
        return reduce(cls.with_window, windows, cls())

    def with_window(self, window: Any) -> WindowBuffer:
        """Return the buffer after one more window."""
        block, place = divmod(self.seen, BLOCK)
        after, kept = replace(self, seen=self.seen + 1), Kept(self.seen, window)
        if block % self.stride:
            return after
        if place:
            return replace(after, blocks=(*self.blocks[:-1], (*self.blocks[-1], kept)))
        if len(self.blocks) < MOST_BLOCKS:
            return replace(after, blocks=(*self.blocks, (kept,)))
        half = replace(self, blocks=self.blocks[::2], stride=2 * self.stride)
        return half.with_window(window)

    def since(self, first: int) -> WindowBuffer:
        """Return what is kept of windows from a number on."""
        blocks = (tuple(kept for kept in block if kept.number >= first) for block in self.blocks)
        return replace(self, blocks=tuple(block for block in blocks if block))

    @property
    def windows(self) -> tuple[Any, ...]:
        """All windows that are kept."""
        return tuple(kept.samples for block in self.blocks for kept in block)

    def stretches(self, most: int = MOST_BLOCKS, asked: Array = NO_TIMES) -> tuple[Any, ...]:
        """Return the samples of some blocks, neighbouring ones joined.

        Args:
            most: Number of blocks, at the most.
            asked: Times that should be among them, the most important first, shape (k,) [s].
        """
        chosen: list[int] = []
        begins = np.array([block[0].samples.stamp[0] for block in self.blocks])
        wanted = np.searchsorted(begins, asked, side="right") - 1
        evenly = np.linspace(0, len(self.blocks) - 1, most).astype(int)
        for number in (*wanted[: most // 2], *evenly):
            if 0 <= number < len(self.blocks) and number not in chosen and len(chosen) < most:
                chosen.append(int(number))
        return _joined([kept.samples for number in sorted(chosen) for kept in self.blocks[number]])


def _joined(windows: Sequence[Any]) -> tuple[Any, ...]:
    """Return windows with those put together that share a sample."""
    groups: list[list[Any]] = []
    for window in windows:
        if groups and groups[-1][-1].stamp[-1] == window.stamp[0]:
            groups[-1].append(window)
        else:
            groups.append([window])
    return tuple(type(group[0]).stacked(group) for group in groups)
