"""Something touches the arm or the payload for a short time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...arrays import Array
from ...bounds.cutting_planes import ConsistencyCuts, first_rows, minimise
from ...bounds.linear_program import LinearProgram
from ...bounds.scaled_rows import ScaledRows
from ...errors import SolverError
from .cause import Finding
from .evidence import Evidence

LONGEST = 1.0  # [s]
LONGEST_PART = 0.3  # of the time of the run
PARTS = (0.9, 0.97, 0.999)  # of what the windows ask for that lie in the span, tried in turn
MORE_ROWS = 25


class Contact:
    """A short span of time whose rows are left out.

    Which: |row| <= (1 + s) d with one s for each window; the least sum of all s is larger than
    zero in few windows where few are the cause.
    """

    name = "contact"

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        """See the protocol."""
        once = evidence.of_own_data()  # others would blur the span
        starts, window = np.unique(once.rows.start, return_inverse=True)
        ends = np.zeros(len(starts))
        ends[window] = once.rows.end
        asked = _asked(once, window, len(starts))
        asked[np.isin(np.arange(len(starts)), window[~once.own])] = 0.0
        if not asked.any():
            return
        longest = min(LONGEST, LONGEST_PART * (ends.max() - starts[window[once.own]].min()))
        spans = {_shortest_span(asked, starts, ends, part) for part in PARTS}
        for first, last in sorted(spans):
            if ends[last] - starts[first] <= longest:
                yield _finding(evidence, first, last, starts, ends)


def _finding(evidence: Evidence, first: int, last: int, starts: Array, ends: Array) -> Finding:
    """Leave out windows from the first to the last, and one more on either side."""
    rows = evidence.rows
    begin, end = starts[max(first - 1, 0)], ends[min(last + 1, len(ends) - 1)]
    keep = ~evidence.own | (rows.end <= begin) | (rows.start >= end)
    sentence = (
        f"Only {starts[first]:.2f} s to {ends[last]:.2f} s contradict the rest: something "
        "touched the arm or the payload then (or a cable pulled, or a sensor saturated). Leave "
        "that time out."
    )
    factor = evidence.relaxed(keep=keep).factor
    start, end = float(starts[first]), float(ends[last])
    return Finding(Contact.name, factor, 2, sentence, start=start, end=end)


def _shortest_span(asked: Array, starts: Array, ends: Array, part: float) -> tuple[int, int]:
    """Return first and last window of the shortest span with a part of all that is asked."""
    total = np.concatenate([[0.0], np.cumsum(asked)])
    best = (0, len(asked) - 1)
    for first in np.flatnonzero(asked):
        inside = np.flatnonzero(total[first + 1 :] - total[first] >= part * total[-1])
        if not len(inside):
            break
        last = int(first + inside[0])
        if ends[last] - starts[first] < ends[best[1]] - starts[best[0]]:
            best = (int(first), last)
    return best


def _asked(evidence: Evidence, window: Array, windows: int) -> Array:
    """Return by how many times its bounds each window asks for more, in the least sum."""
    rows = evidence.rows
    scaled = ScaledRows.of(rows, evidence.known, rows.d, narrow=False)
    free, more = np.zeros(windows), np.full(windows, np.inf)
    program = LinearProgram(np.append(scaled.lower, free), np.append(scaled.upper, more))
    elastic = _ElasticWindows(program, scaled, window, windows)
    cuts = ConsistencyCuts(program, scaled, np.zeros((0, 4)), evidence.shape, columns=windows)
    cost = np.append(np.zeros(len(scaled.lower)), np.ones(windows))
    try:
        solution = minimise(program, (elastic, cuts), cost)
    except SolverError:
        return free
    return free if solution is None else np.maximum(solution.x[len(scaled.lower) :], 0.0)


class _ElasticWindows:
    """|G x - r| <= 1 + s of the row's window, s the last columns of the program."""

    def __init__(
        self, program: LinearProgram, scaled: ScaledRows, window: Array, windows: int
    ) -> None:
        self._program, self._scaled = program, scaled
        self._window, self._windows = window, windows
        self.numbers: list[int] = []
        self._outside = np.ones(len(scaled.r), dtype=bool)
        self._enter(first_rows(scaled))

    def separate(self, x: Array) -> int:
        """Let in the rows that x breaks most."""
        slack = x[-self._windows :][self._window]
        left = np.abs(self._scaled.G @ x[: -self._windows] - self._scaled.r)
        over = np.where(self._outside, left - 1.0 - slack, 0.0) / (1.0 + slack)
        worst = np.argsort(over)[-MORE_ROWS:]
        worst = worst[over[worst] > 1e-6]
        self._enter(worst)
        return len(worst)

    def _enter(self, rows: Array) -> None:
        G, r = self._scaled.G[rows], self._scaled.r[rows]
        own = np.zeros((len(rows), self._windows))
        own[np.arange(len(rows)), self._window[rows]] = 1.0
        far = np.full(len(rows), np.inf)
        self.numbers += self._program.add_rows(np.hstack([G, own]), r - 1.0, far)
        self.numbers += self._program.add_rows(np.hstack([G, -own]), -far, r + 1.0)
        self._outside[rows] = False
