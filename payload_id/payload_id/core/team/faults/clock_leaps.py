"""Whether the clock of one robot leapt against that of another one, as their turning tells it.

On one body omega_j(t) = R omega_i(t + d), with one offset d of the clocks before the leap, another
one after it, and one rotation R all along. What slips has another R after it.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ..closed_form.pairwise import kabsch_umeyama
from ..estimate import Fault, Finding
from .evidence import Evidence

LARGEST = 0.5  # [s] of the offsets that are tried
STEP = 0.005  # [s] from one to the next
ENDS = 0.35  # part of the blocks at either end, that a rotation is found from
LEAST_BLOCKS = 30  # before a leap, and after it: in less time a slip can look like one
EXPLAINED = 0.15  # of the angular velocity, that two offsets may leave where its errors are smaller
BETTER = 0.7  # of what one offset leaves, and of what a slip at that time does, that two may leave
AS_GOOD = 1.15  # times what other rotations before and after leave, that one may leave
SLACK = 2e-3  # [s] beyond what clocks may wander


def leapt(e: Evidence, i: int, j: int) -> Finding | None:
    """Return that the clock of one of two robots leapt; None: neither did.

    Against a third one only its own clock leaps; where that does not tell, it may be either's.
    """
    leap = clock_leap(e, i, j)
    if leap is None:
        return None
    since, size = leap
    others = [k for k in range(len(e.names)) if k not in (i, j)]
    whose = [r for r in (i, j) if any(clock_leap(e, r, k) is not None for k in others)]
    robots = tuple(e.names[r] for r in sorted(whose if len(whose) == 1 else (i, j)))
    return Finding(
        Fault.CLOCK, robots,
        f"The clock of {' or '.join(robots)} leapt at {since:.1f} s of team time: against "
        f"{e.names[j]}, the stamps of {e.names[i]} are {1e3 * size:+.0f} ms off since then. Let "
        "clocks be slewed, not stepped, while a team is measured, and begin anew.",
        since,
    )  # fmt: skip


def clock_leap(e: Evidence, i: int, j: int) -> tuple[float, float] | None:
    """Return when robot i's clock leapt against robot j's, and by how much; None: it did not.

    Returns:
        leap: Team time, and the leap of robot i's stamps [s].
    """
    both = np.flatnonzero(e.blocks.present[[i, j]].all(axis=0))
    if len(both) < 2 * LEAST_BLOCKS:
        return None
    blocks = e.blocks.take(both)
    offsets = np.arange(-LARGEST, LARGEST + STEP / 2, STEP)
    # robot j at its own stamps t + d, robot i at its own t: shape (offsets, B, 3)
    own, other = blocks.time + blocks.shift[i], blocks.time + blocks.shift[j]
    one = np.stack([_at(other, blocks.twist[j][:, :3], own + d) for d in offsets])
    two = blocks.twist[i][:, :3]
    inside = np.isfinite(one).all(axis=(0, 2))
    one, two, time = one[:, inside], two[inside], blocks.time[inside]
    if len(two) < 2 * LEAST_BLOCKS:
        return None
    whole = min(kabsch_umeyama(a, two).residual for a in one)
    count = max(LEAST_BLOCKS, int(ENDS * len(two)))
    found = min(_split(one, two, part) for part in (slice(0, count), slice(-count, None)))
    left, before, after, k = found
    leap = float(offsets[before] - offsets[after])
    wander = e.rows.bounds[i].jitter + e.rows.bounds[j].jitter + SLACK
    size = float(np.sqrt((two**2).sum(axis=1).mean()))
    noise = np.sqrt(3.0) * sum(e.rows.bounds[r].angular_velocity for r in (i, j))
    if left > max(EXPLAINED * size, noise):
        return None
    if left > BETTER * whole or abs(leap) <= max(wander, STEP):
        return None
    slip, free = (_turned(one, two, k, before, d) for d in (before, after))
    if left > BETTER * slip or left > AS_GOOD * free:
        return None
    return float(time[k]), leap


def _split(one: Array, two: Array, part: slice) -> tuple[float, int, int, int]:
    """Return what two offsets leave [rad/s], which these are, and the first block of the second.

    Args:
        one: Angular velocities of the one robot at all offsets, shape (D, B, 3).
        two: Those of the other one, shape (B, 3).
        part: Blocks before the leap, or after it, that the rotation is found from.
    """
    fits = [kabsch_umeyama(a[part], two[part]) for a in one]
    d = int(np.argmin([fit.residual for fit in fits]))
    square = ((one - two @ fits[d].rotation.T) ** 2).sum(axis=2)
    before = np.cumsum(square, axis=1)
    after = before[:, -1:] - before  # of the blocks after the k-th
    middle = slice(LEAST_BLOCKS - 1, len(two) - LEAST_BLOCKS)
    first, last = before[:, middle], after[:, middle]
    total = first.min(axis=0) + last.min(axis=0)
    k = int(np.argmin(total))
    left = float(np.sqrt(total[k] / len(two)))
    return left, int(np.argmin(first[:, k])), int(np.argmin(last[:, k])), k + LEAST_BLOCKS


def _turned(one: Array, two: Array, k: int, before: int, after: int) -> float:
    """Return what two offsets leave, with one rotation before block k and another after [rad/s]."""
    parts = (before, slice(0, k)), (after, slice(k, None))
    square = [kabsch_umeyama(one[d, x], two[x]).residual ** 2 * len(two[x]) for d, x in parts]
    return float(np.sqrt(sum(square) / len(two)))


def _at(time: Array, values: Array, wanted: Array) -> Array:
    """Return values in between, NaN beyond the ends and in gaps, shape (n, 3)."""
    order = np.argsort(time, kind="stable")
    time, values = time[order], values[order]
    after = np.clip(np.searchsorted(time, wanted), 1, len(time) - 1)
    step = time[after] - time[after - 1]
    usual = float(np.median(np.diff(time)))
    good = (wanted >= time[0]) & (wanted <= time[-1]) & (step > 0.0) & (step <= 2.0 * usual)
    part = np.where(good, (wanted - time[after - 1]) / np.where(step > 0.0, step, 1.0), np.nan)
    return np.asarray(values[after - 1] + part[:, None] * (values[after] - values[after - 1]))
