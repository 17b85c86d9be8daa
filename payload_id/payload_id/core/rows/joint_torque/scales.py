"""Rows of windows of several lengths, made of the same samples.

A window of the run is cut into shorter ones, and the newest windows of the run are joined to longer
ones, of which one ends with every window. Shorter and longer rows repeat the data of the window's
own: intervals gain by them where the bounds of their length say more, statistics must not count
them. The window's own rows may have a hat as their weight (`hat_rows`): then its box rows are
further rows. Beside them only rows for which the mean of the noise with that weight is stated have
one (`torque_hat`); hats do not add up, so that these are made of the newest samples, `HOPS` of them
in the time that they cover.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array
from ...errors import InputError
from ...samples.joint_samples import Samples
from ..row_block import RowBlock
from ..windows import SHORTEST, STAMP_TOLERANCE, WindowCutter, alike_windows
from .hat_rows import LEAST_STEPS
from .kinematic_error import Probes, Sensitivity
from .momentum import MomentumRows, WindowTerms
from .window_sums import WindowSums, joined

HAT = "torque_hat"
HOPS = 8  # rows with a hat that begin in the time which one of them covers


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


class Scales:
    """Makes the rows of one window after the other of a run.

    Attributes:
        rows: Makes the rows of a window.
        window: Length of a window [s].
        several: Whether any further length is asked for.
        shorter: Lengths of windows within a window [s].
        longer: Lengths of windows of several windows [s].
        hats: Lengths of windows with a hat as their weight [s], each with the bound on the mean of
            the noise, shape (n,) [N m].
    """

    def __init__(
        self,
        rows: MomentumRows,
        window: float,
        scales: Iterable[float] = (),
        hats: Iterable[float] = (),
    ) -> None:
        """Prepare for windows of a length, and for those for which a mean of the noise is stated.

        Args:
            rows: Makes the rows of a window.
            window: Length of a window [s].
            scales: Further lengths [s].
            hats: Further lengths of windows with a hat as their weight [s].

        Raises:
            InputError: A length is not one.
        """
        lengths = {*scales, *rows.uncertainty.torque_mean_window}
        unknown = np.full(rows.model.n, np.inf)
        means = dict.fromkeys(hats, unknown) | dict(rows.uncertainty.means(unknown.size, HAT))
        for length in lengths | {*means}:
            if not (np.isfinite(length) and length >= SHORTEST):
                raise InputError(
                    f"scales must be lengths of time of at least {SHORTEST:g} s; found {length!r}."
                )
        self.rows, self.window, self.several = rows, window, bool(lengths or means)
        self.hats = tuple(sorted(means.items(), key=lambda x: x[0]))
        self.shorter = tuple(sorted(x for x in lengths if x < window - STAMP_TOLERANCE))
        self.longer = tuple(sorted(x for x in lengths if x > window + STAMP_TOLERANCE))
        self._newest: deque[WindowSums] = deque()
        self._samples: Samples | None = None
        self._next = [-np.inf for _ in self.hats]  # when each length is to end again

    def blocks(self, windows: Sequence[Samples]) -> list[RowBlock]:
        """Return the rows of each of the newest windows: its own first, then of other lengths."""
        if not self.several:
            return self.rows.windows(windows)
        return [self._block(samples) for samples in windows]

    def _block(self, samples: Samples) -> RowBlock:
        """Return the rows of the newest window."""
        blocks = []
        for scale, terms in self.terms(samples):
            block = self.rows.rows(terms)
            blocks.append(replace(block, scale=np.full(len(block), scale)) if scale else block)
        return RowBlock.stack(blocks)

    def terms(self, samples: Samples) -> list[tuple[float, WindowTerms]]:
        """Return the equations of the newest window, each with its `RowBlock.scale`."""
        if not self.several:
            return [(0.0, self.rows.terms(samples))]
        probes = self.rows.probes(samples)
        own = self.rows.sums([samples], probes.whole())
        found = [*self._within(samples, probes), *self._joined(own)]
        box = self.rows.box_terms
        others = [(scale, box(sums)) for scale, sums in found]
        others += self._with_hats(samples)
        if self.rows.takes_hat(samples):
            return [(0.0, self.rows.hat_terms(samples)), (self.window, box(own)), *others]
        return [(0.0, box(own)), *others]

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

    def _with_hats(self, newer: Samples) -> list[tuple[float, WindowTerms]]:
        """Return the equations of windows with a hat that end in the newest window."""
        if not self.hats:
            return []
        kept = self._samples
        gap = kept is None or kept.stamp[-1] != newer.stamp[0]
        kept = newer if gap or kept is None else kept.joined(newer.part(1, len(newer)))
        stamp, found = kept.stamp, []
        for k, (length, mean) in enumerate(self.hats):
            due = stamp[0] if gap else self._next[k]
            due = max(due, stamp[0] + length) - STAMP_TOLERANCE
            while due <= stamp[-1]:
                last = int(np.searchsorted(stamp, due))
                start = stamp[last] - length + STAMP_TOLERANCE
                first = int(np.searchsorted(stamp, start, "right")) - 1
                if last - first > 2 * LEAST_STEPS:
                    terms = self.rows.hat_terms(kept.part(first, last + 1), mean)
                    found.append((length, terms))
                due = stamp[last] + length / HOPS - STAMP_TOLERANCE
            self._next[k] = due
        longest = self.hats[-1][0]
        first = int(np.searchsorted(stamp, stamp[-1] - longest - STAMP_TOLERANCE, "right")) - 1
        self._samples = kept.part(max(first, 0), len(kept))
        return found


def _covers(first: WindowSums, end: float, length: float, count: int) -> bool:
    """Tell whether windows from the first one, some of them, to an end [s] are so long [s]."""
    return count > 0 and bool(end - first.stamp[0, 0] >= length - STAMP_TOLERANCE)
