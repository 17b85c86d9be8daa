"""Rows of windows of several lengths, made of the same samples.

A window of the run is cut into shorter ones, and the newest windows of the run are joined to longer
ones, of which one ends with every window. Shorter and longer rows repeat the data of the window's
own: intervals gain by them where the bounds of their length say more, statistics must not count
them. The bounds of a length say more where the mean of the noise over it is stated (`torque_mean`),
and where velocities err: a row pays for them at its two ends, however long it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import InputError
from ...samples.joint_samples import Samples
from ..row_block import RowBlock
from ..row_source import RowSource
from ..windows import SHORTEST, STAMP_TOLERANCE, WindowCutter, alike_windows
from .kinematic_error import Probes, Sensitivity
from .momentum import MomentumRows, WindowTerms
from .window_sums import WindowSums, joined

OF_VELOCITIES = (0.5, 2.0)  # [s] looked at where velocities err: docs/bounds.md has the table


@dataclass(frozen=True)
class Numbers:
    """Numbers of the samples between two, with their stamps, in the place of samples."""

    stamp: Array
    first: int = 0

    def __len__(self) -> int:
        return len(self.stamp)

    def part(self, start: int, stop: int) -> Numbers:
        """Return numbers start to stop - 1 of these."""
        return Numbers(self.stamp[start:stop], self.first + start)

    def joined(self, newer: Numbers) -> Numbers:
        """Return both; each window of samples is cut by itself, so that there is nothing newer."""
        return Numbers(np.concatenate([self.stamp, newer.stamp]), self.first)


class WindowLengths:
    """Makes the rows of one window after the other of a run.

    Attributes:
        rows: Makes the rows of a window.
        shorter: Lengths of windows within a window [s].
        longer: Lengths of windows of several windows [s].
    """

    def __init__(self, rows: MomentumRows, window: float, lengths: Iterable[float] = ()) -> None:
        """Prepare for windows of a length, and for those of which bounds say more.

        Args:
            rows: Makes the rows of a window.
            window: Length of a window [s].
            lengths: Further lengths [s].

        Raises:
            InputError: A length is not one.
        """
        further = {*lengths, *rows.uncertainty.torque_mean_window}
        for length in further:
            if not (np.isfinite(length) and length >= SHORTEST):
                raise InputError(
                    f"scales must be lengths of time of at least {SHORTEST:g} s; found {length!r}."
                )
        longer = {x for x in further if x > window + STAMP_TOLERANCE}
        if np.any(rows.uncertainty.velocity_error):
            longer |= {x for x in OF_VELOCITIES if x > window + STAMP_TOLERANCE}
        self.rows, self.longer = rows, tuple(sorted(longer))
        self.shorter = tuple(sorted(x for x in further if x < window - STAMP_TOLERANCE))
        self._newest: deque[WindowSums] = deque()

    def blocks(self, windows: Sequence[Samples]) -> list[RowBlock]:
        """Return the rows of each of the newest windows: its own first, then of other lengths."""
        if not (self.shorter or self.longer):
            return self.rows.windows(windows)
        return [self._block(samples) for samples in windows]

    def _block(self, samples: Samples) -> RowBlock:
        """Return the rows of the newest window."""
        blocks = []
        for length, terms in self.terms(samples):
            block = self.rows.rows(terms)
            blocks.append(replace(block, scale=np.full(len(block), length)) if length else block)
        return RowBlock.stack(blocks)

    def terms(self, samples: Samples) -> list[tuple[float, WindowTerms]]:
        """Return the equations of the newest window, each with its `RowBlock.scale`."""
        if not (self.shorter or self.longer):
            return [(0.0, self.rows.terms(samples))]
        probes = self.rows.probes(samples)
        own = self.rows.sums([samples], probes.whole())
        found = [(0.0, own), *self._within(samples, probes), *self._joined(own)]
        return [(length, self.rows.terms_of(sums)) for length, sums in found]

    def _within(self, samples: Samples, probes: Probes) -> Iterator[tuple[float, WindowSums]]:
        """Give the sums of the shorter windows."""
        for length in self.shorter:
            for alike in alike_windows(WindowCutter(length).add(Numbers(samples.stamp))):
                ends = [(part.first, part.first + len(part)) for part in alike]
                sensitivity = Sensitivity.of_each([probes.part(a, b - 1) for a, b in ends])
                yield length, self.rows.sums([samples.part(a, b) for a, b in ends], sensitivity)

    def _joined(self, own: WindowSums) -> list[tuple[float, WindowSums]]:
        """Return the sums of the longer windows that end with the newest."""
        if not self.longer:
            return []
        newest = self._newest
        if newest and newest[-1].stamp[0, -1] != own.stamp[0, 0]:
            newest.clear()  # nothing is integrated over a gap
        newest.append(own)
        end, found, count = float(own.stamp[0, -1]), [], 0
        for length in self.longer:
            while count < len(newest) and not _covers(newest[-count], end, length, count):
                count += 1
            if not _covers(newest[-count], end, length, count):
                break
            found.append((length, joined([newest[k] for k in range(-count, 0)])))
        else:
            while len(newest) > count:
                newest.popleft()
        return found


def blocks_of(
    source: RowSource, window: float, lengths: Iterable[float] = ()
) -> Callable[[Sequence[Any]], list[RowBlock]]:
    """Return what makes the rows of one window after the other, of joint torques of all lengths.

    Args:
        source: Makes the rows of a window.
        window: Length of a window [s].
        lengths: Further lengths [s].
    """
    if isinstance(source, MomentumRows):
        return WindowLengths(source, window, lengths).blocks
    return lambda windows: [source.window(each) for each in windows]


def _covers(first: WindowSums, end: float, length: float, count: int) -> bool:
    """Tell whether windows from the first one, some of them, to an end [s] are so long [s]."""
    return count > 0 and bool(end - first.stamp[0, 0] >= length - STAMP_TOLERANCE)
