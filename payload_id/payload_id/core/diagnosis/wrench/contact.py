"""When something other than the payload acts on the sensor: contact, a pull, a slipping grasp."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from ...arrays import Array, IntArray
from ...bounds import Interval
from ...bounds.scaled_rows import ScaledRows
from ...rows.row_block import RowBlock
from ...samples.wrench_samples import AXES
from ..excess import least_excess, worst_of

MOST_ROWS = 1800  # that the program takes; longer recordings are thinned to every k-th window
CLEAR = 0.25  # excess over the bound, in parts of it, that counts
BRIDGED = 2.5  # windows of quiet inside a span that do not end it
ROUNDS = 5  # of solving with weights from the solution before
STRETCHES = 8  # of time, pairs of which are taken for undisturbed to begin with
STARTS = 3  # of those pairs that are followed up
MOSTLY = 0.6  # part of the time, above which it is rather the reading that is wrong
SOFTENING = 0.3  # excess below which a window's weight does not grow any further


@dataclass(frozen=True)
class Span:
    """A stretch of time in which rows need larger bounds than stated.

    Attributes:
        start: Its beginning [s].
        end: Its end [s].
        channels: Axes that ask for it, the one that asks for most first.
        factor: How many times its bound the worst row needs.
    """

    start: float
    end: float
    channels: tuple[str, ...]
    factor: float

    @property
    def sentence(self) -> str:
        """The span in words."""
        return (
            f"{self.start:.2f}-{self.end:.2f} s ({', '.join(self.channels)}; "
            f"{self.factor:.3g} times the bound)"
        )


@dataclass(frozen=True)
class Contamination:
    """What must be set aside for the rest to be explained by one payload.

    Attributes:
        spans: Stretches of time, in their order.
        share: Part of the windows that they hold.
        far: How far from the sensor the centre of mass is that fits best, where that is further
            than the prior allows [m]; 0 if it is not.
    """

    spans: tuple[Span, ...]
    share: float
    far: float = 0.0

    @property
    def of_reading(self) -> bool:
        """Whether so much is left out that it is rather the reading that is wrong."""
        return self.share > MOSTLY

    @property
    def sentence(self) -> str:
        """What a person should know of it."""
        if not self.spans:
            return ""
        if self.of_reading:
            return self._of_reading
        worst = sorted(self.spans, key=lambda span: -span.factor)[:3]
        spans = "; ".join(span.sentence for span in sorted(worst, key=lambda span: span.start))
        rest = len(self.spans) - len(worst)
        more = f"; and {rest} more" if rest else ""
        return (
            f"Something other than the payload acts on the sensor in {100 * self.share:.0f} % of "
            f"the time: {spans}{more}. Look for contact, cables and a slipping payload, and leave "
            "those stretches out."
        )

    @property
    def _of_reading(self) -> str:
        """The same where hardly anything is left undisturbed."""
        far = (
            f" The centre of mass that fits best is {self.far:.3g} m away: torques may be in "
            "another unit than forces."
            if self.far
            else ""
        )
        return (
            f"In {100 * self.share:.0f} % of the time no payload that explains the rest explains "
            "the wrench. That is seldom a contact; rather something is read otherwise than it was "
            f"written.{far} Look at the units (N, N m, m), at the order of the quaternion (x, y, "
            "z, w), at whether wrench and orientation are of the same instants, at filters, at "
            "gravity, at a bias beyond the stated one (a tare with the payload on), and at whether "
            "the sensor reached its limits."
        )


def contamination(rows: RowBlock, lower: Array, upper: Array) -> Contamination:
    """Return where rows must exceed their bounds for one payload to explain all others.

    The smallest weighted sum of excesses, each in units of its row's bound: minimise sum v s
    subject to |A phi + B u - b| <= d (1 + s), s >= 0 of a window. A sum of magnitudes is least with
    few large ones; solved again with weights v = 1 / (a window's largest s + softening) it
    approaches the smallest number of windows (Candes, Wakin, Boyd 2008). Of the answers from
    several starts the one with the fewest disturbed windows is taken.

    Args:
        rows: Six for each window, in the order of time.
        lower: Bounds of phi before any data, shape (10,).
        upper: Likewise from above.
    """
    rows = _thinned(rows)
    if not len(rows):
        return Contamination((), 0.0)
    excess = _least_excess(rows, lower, upper).reshape(-1, len(AXES))
    start = rows.start.reshape(excess.shape)[:, 0]
    end = rows.end.reshape(excess.shape)[:, 0]
    bad = np.flatnonzero(excess.max(axis=1) > CLEAR)
    spans = [_span(excess, start, end, part) for part in _groups(bad)]
    return Contamination(tuple(spans), len(bad) / len(excess), _too_far(rows, lower, upper))


def _least_excess(rows: RowBlock, lower: Array, upper: Array) -> Array:
    """Return the excess of each row with the fewest disturbed windows that is found, shape (m,)."""
    d = rows.bound(_typical(rows, lower, upper))
    scaled = ScaledRows.of(rows, Interval(lower, upper), d, narrow=False)
    window = np.arange(len(rows)) // len(AXES)
    best, fewest = np.zeros(len(rows)), np.inf
    for cost in (np.ones(window[-1] + 1), *_starts(scaled, window)):
        for _ in range(ROUNDS):
            excess = least_excess(scaled, window, cost)
            worst = worst_of(excess, window, len(cost))
            cost = 1.0 / (worst + SOFTENING)
        count = int((worst > CLEAR).sum())
        if count < fewest:
            best, fewest = excess, count
    return best


def _starts(scaled: ScaledRows, window: IntArray) -> list[Array]:
    """Return costs to begin with: those of fits to two stretches of time that explain the most.

    The recording is cut into `STRETCHES`; every pair of them is taken for undisturbed in turn.
    """
    G, r, windows = scaled.G, scaled.r, int(window[-1]) + 1
    stretch, pull = window * STRETCHES // windows, np.eye(G.shape[1])
    found = []
    for pair in combinations_with_replacement(range(STRETCHES), 2):
        chosen = np.isin(stretch, pair)
        left, right = np.vstack([G[chosen], pull]), np.concatenate([r[chosen], pull[0] * 0.0])
        x = np.linalg.lstsq(left, right, rcond=None)[0]
        worst = worst_of(np.maximum(np.abs(G @ x - r) - 1.0, 0.0), window, windows)
        found.append((int((worst > CLEAR).sum()), 1.0 / (worst + SOFTENING)))
    found.sort(key=lambda entry: entry[0])
    return [cost for _, cost in found[:STARTS]]


def _too_far(rows: RowBlock, lower: Array, upper: Array) -> float:
    """Return how far the centre of mass of a least-squares fit is [m]; 0 if the prior allows it."""
    phi = _fit(rows)
    furthest = float(np.linalg.norm(np.maximum(np.abs(lower), np.abs(upper))[1:4])) / upper[0]
    distance = float(np.linalg.norm(phi[1:4])) / max(phi[0], 1e-9)
    return distance if phi[0] > 0.0 and distance > furthest else 0.0


def _typical(rows: RowBlock, lower: Array, upper: Array) -> Array:
    """Return the size of phi that the error of A acts on: that of a least-squares fit."""
    return np.minimum(np.abs(_fit(rows)), np.maximum(np.abs(lower), np.abs(upper)))


def _fit(rows: RowBlock) -> Array:
    """Return phi of a least-squares fit, shape (10,)."""
    columns = np.hstack([rows.A, rows.B]) / rows.d[:, None]
    size = np.linalg.norm(columns, axis=0)
    size[size == 0.0] = 1.0
    return np.asarray((np.linalg.lstsq(columns / size, rows.b / rows.d, rcond=1e-8)[0] / size)[:10])


def _thinned(rows: RowBlock) -> RowBlock:
    """Return every k-th window, so that the program stays small."""
    windows = len(rows) // len(AXES)
    every = -(-len(rows) // MOST_ROWS) if len(rows) else 1
    chosen = np.arange(0, windows, every)
    return rows.take((chosen[:, None] * len(AXES) + np.arange(len(AXES))).ravel())


def _groups(bad: Array) -> list[Array]:
    """Split numbers of windows where there is more than a short quiet between them."""
    if not len(bad):
        return []
    return np.split(bad, np.flatnonzero(np.diff(bad) > BRIDGED) + 1)


def _span(excess: Array, start: Array, end: Array, part: Array) -> Span:
    """Return the span of some windows."""
    inside = excess[part]
    sums = inside.sum(axis=0)
    order = [k for k in np.argsort(-sums) if sums[k] > 0.1 * sums.max()]
    channels = tuple(AXES[k] for k in order)
    return Span(float(start[part[0]]), float(end[part[-1]]), channels, 1.0 + float(inside.max()))
