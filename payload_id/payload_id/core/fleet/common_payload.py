"""One estimate and one interval from many runs of one payload, held in the same way.

Bounds are stated for a run: offsets, friction and gains are constant in one, and may be others in
the next. So every run keeps nuisance parameters of its own in the common program, and only links
and rotors of one arm are shared. Of many runs `GROUP` at a time have a program; an interval that
holds for some of them holds, so that the common one is what all groups share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from ..arrays import Array
from ..bounds import Bounds, Interval, Memory
from ..bounds.interval import UNBOUNDED
from ..errors import InputError
from ..identification.headline import PROOF, from_phi
from ..identification.point_estimate import point_estimate
from ..identification.settings import Settings
from ..identification.status import Status, verdict
from ..rows.row_block import RowBlock
from ..statistics.own_nuisance import in_one_channel, of_payload_and_arm
from ..statistics.posterior import Posterior
from ..statistics.statistics import Statistics
from ..threads import one_thread
from .run_evidence import RunEvidence

GROUP = 8  # runs of one program: its columns grow with them


@dataclass(frozen=True)
class CommonPayload:
    """What runs of one payload say together.

    Attributes:
        phi: Estimate, shape (10,); NaN where the runs contradict each other.
        interval: Bounds on phi; infinite where they do.
        status: Verdict.
        message: The same in words.
        runs: Number of runs taken together.
        apart: Numbers of runs whose own interval contradicts the others', fewest that do.
    """

    phi: Array
    interval: Interval
    status: Status
    message: str
    runs: int
    apart: tuple[int, ...] = ()


def common_payload(runs: Sequence[RunEvidence], settings: Settings) -> CommonPayload:
    """Return what runs of one payload say together.

    Args:
        runs: At least one; those of one arm under the same bounds share links and rotors.
        settings: How to identify.

    Raises:
        InputError: There are none.
    """
    if not runs:
        raise InputError("Runs are taken together; found none.")
    apart = contradicting([run.interval for run in runs])
    if apart:
        return _contradiction(len(runs), apart)
    known = reduce(Interval.intersect, (run.interval for run in runs))
    with one_thread():
        for group in groups(runs):
            bounds = _bounds(group, known, settings)
            if not bounds.consistent:
                return _contradiction(len(runs), ())
            known = known.intersect(bounds.interval)
        phi = _estimate(runs, known, settings)
    number = from_phi(PROOF, phi, known.lower, known.upper)
    status, message = verdict(known, number, runs[0].prior, settings.enough)
    return CommonPayload(phi, known, status, message, len(runs))


def contradicting(intervals: Sequence[Interval]) -> tuple[int, ...]:
    """Return the numbers of intervals without which all others share a point of each parameter.

    One at a time the interval goes that is apart from most others, of these the earliest.
    """
    lower = np.array([each.lower for each in intervals])
    upper = np.array([each.upper for each in intervals])
    left, gone = list(range(len(intervals))), []
    while (lower[left].max(axis=0) > upper[left].min(axis=0)).any():
        counts = [int((lower[k] > upper[left]).any(axis=1).sum()
                      + (upper[k] < lower[left]).any(axis=1).sum()) for k in left]  # fmt: skip
        gone.append(left.pop(int(np.argmax(counts))))
    return tuple(sorted(gone))


def groups(runs: Sequence[RunEvidence]) -> Iterator[Sequence[RunEvidence]]:
    """Yield the runs of one arm under the same bounds, at most `GROUP` at a time."""
    for arm in dict.fromkeys(run.arm for run in runs):
        same = [run for run in runs if run.arm == arm]
        yield from (same[first : first + GROUP] for first in range(0, len(same), GROUP))


def _bounds(group: Sequence[RunEvidence], known: Interval, settings: Settings) -> Bounds:
    """Return the bounds from some runs of one arm."""
    shared, own = int(group[0].lasting.sum()), int((~group[0].lasting).sum())
    width = shared + own * len(group)
    rows = RowBlock.stack([run.placed(shared + k * own, width) for k, run in enumerate(group)])
    return settings.method.bounds(rows, known, Memory(), group[0].shape)


def _estimate(runs: Sequence[RunEvidence], known: Interval, settings: Settings) -> Array:
    """Return the point estimate inside an interval, shape (10,).

    Runs of other arms, whose nuisance parameters are others, count with the payload alone.
    """
    parts = []
    for arm in dict.fromkeys(run.arm for run in runs):
        same = [run.statistics() for run in runs if run.arm == arm]
        parts.append(reduce(Statistics.joined, same))
    whole = parts[0] if len(parts) == 1 else reduce(Statistics.joined, map(_of_payload, parts))
    nothing = RowBlock.empty(0)
    return point_estimate(nothing, whole, _only(known), runs[0].prior, settings, runs[0].shape)


def _of_payload(statistics: Statistics) -> Statistics:
    """Return statistics of the payload alone, what is nuisance estimated along."""
    everything = np.ones(statistics.p, dtype=bool)
    alone = of_payload_and_arm(statistics, everything, Posterior.of(statistics))
    return in_one_channel(alone.weighted[statistics.p :, statistics.p :], alone.counts[0], 0)


def _only(interval: Interval) -> Bounds:
    """Return bounds that say no more than an interval."""
    return Bounds(interval, True, float("nan"), {}, np.zeros(0), Memory())


def _contradiction(runs: int, apart: tuple[int, ...]) -> CommonPayload:
    """Return what is said of runs that contradict each other."""
    who = (
        f"{len(apart)} of {runs} runs contradict the others"
        if apart
        else f"No payload explains all {runs} runs, each of which some payload explains"
    )
    message = (
        f"{who}: the payloads are not the same, or not held in the same way, or a stated bound "
        "does not hold. Look at each run's report."
    )
    return CommonPayload(np.full(10, np.nan), UNBOUNDED, Status.INCONSISTENT, message, runs, apart)
