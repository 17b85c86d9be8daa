"""Something else than the payload acts for some time: a touch, a pull, a sensor at its limit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement

import numpy as np
from scipy import sparse

from ...arrays import Array, IntArray
from ...bounds.conic_cuts import cones_of
from ...bounds.cutting_planes import CuttingPlanes
from ...bounds.scaled_rows import ScaledRows
from ...errors import SolverError
from ..evidence import Evidence, Relaxation
from ..hypothesis import Hypothesis, Relaxed, said

ROUNDS = 4  # of weights, after which they hardly change
STRETCHES = 8  # of the time, pairs of which are taken for undisturbed to begin with
CLEAR = 0.25  # of a bound, by which a window exceeds it that counts


class Contact(Hypothesis):
    """Rows of few windows are left out: of those that must exceed their bounds.

    They are those of the smallest sum over the windows of v s with |A phi + B u - b| <= d (1 + s),
    s >= 0 of a window. A sum of magnitudes is least with few large ones; solved again with
    v = 1 / (s + 1) it approaches the smallest number of windows (Candes, Wakin, Boyd 2008). Of two
    beginnings, v = 1 and what a fit to two stretches of time leaves, the fewer windows count.
    """

    name = "contact"

    def __init__(self, longest_part: float) -> None:
        """Take what lasts longer than a part of the run for something else."""
        self._longest_part = longest_part

    def relaxations(self, evidence: Evidence) -> Iterator[Relaxed]:
        """See the base class."""
        once = evidence.of_own_data()  # others would blur the spans
        starts, window = np.unique(once.rows.start, return_inverse=True)
        ends = np.zeros(len(starts))
        ends[window] = once.rows.end
        own = np.isin(starts, once.rows.start[once.own])
        excess = np.where(own, _excess(once, window, len(starts)), 0.0)
        spans = _spans(np.flatnonzero(excess > 0.0), starts, ends)
        seconds = sum(end - start for start, end in spans)
        if not 0.0 < seconds <= self._longest_part * (ends[own] - starts[own]).sum():
            return
        rows, keep = evidence.rows, np.ones(len(evidence.rows), dtype=bool)
        length = float(np.median(ends - starts))
        for start, end in spans:  # and the windows beside them, which it may reach into
            keep &= (rows.end <= start - length / 2) | (rows.start >= end + length / 2)
        times = ", ".join(f"{start:.2f} s to {end:.2f} s" for start, end in spans)
        sentence = (
            f"Only {times} contradict the rest: something touched the arm or the payload then (or "
            "a cable pulled, or a sensor saturated). Leave that time out."
        )
        relaxation = Relaxation(keep=keep | ~evidence.own)
        yield Relaxed(relaxation, said(sentence), 2 * len(spans), None, tuple(spans))


def _excess(evidence: Evidence, window: IntArray, count: int) -> Array:
    """Return by how much each of some windows must exceed its bounds, in parts of them."""
    scaled = ScaledRows.of(evidence.rows, evidence.known, evidence.rows.d, narrow=False)
    none = np.zeros(count)
    share = sparse.eye_array(count, format="csr")[window]
    program = CuttingPlanes(scaled, cones_of(evidence.shape), share=share)
    found = []
    try:
        for excess in (none, _beginning(scaled, window, count)):
            for _ in range(ROUNDS):
                cost = np.append(0.0 * scaled.lower, 1.0 / (1.0 + excess))
                solution = program.minimise(cost)
                if solution is None:
                    return none
                excess = solution.x[-count:]
            found.append(np.where(excess > CLEAR, excess, 0.0))
    except SolverError:
        return none
    return min(found, key=np.count_nonzero)


def _beginning(scaled: ScaledRows, window: IntArray, count: int) -> Array:
    """Return what a fit to two stretches of time leaves of each window, where that is least."""
    stretch, pull = window * STRETCHES // count, np.eye(scaled.G.shape[1])
    found = []
    for pair in combinations_with_replacement(range(STRETCHES), 2):
        chosen = np.isin(stretch, pair)
        left = np.vstack([scaled.G[chosen], pull])
        x = np.linalg.lstsq(left, np.append(scaled.r[chosen], 0.0 * pull[0]), rcond=None)[0]
        worst = np.zeros(count)
        np.maximum.at(worst, window, np.abs(scaled.G @ x - scaled.r) - 1.0)
        found.append(np.where(worst > CLEAR, worst, 0.0))
    return min(found, key=np.count_nonzero)


def _spans(windows: IntArray, starts: Array, ends: Array) -> list[tuple[float, float]]:
    """Return begin and end of windows that follow each other, with a quiet one between, too."""
    groups = np.split(windows, np.flatnonzero(np.diff(windows) > 2) + 1)
    return [(float(starts[x[0]]), float(ends[x[-1]])) for x in groups if len(x)]
