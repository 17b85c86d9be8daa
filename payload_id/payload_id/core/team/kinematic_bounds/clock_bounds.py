"""Which offsets of a robot's clock its motion excludes, one small stretch of offsets at a time.

About one estimate, what is not linear in an offset of tens of milliseconds is as large as what a
body that bends does. Within a stretch of a few it is not: the samples are taken anew at its middle,
and a stretch at either end of which no frame is left within the stated bounds is excluded. An
offset is constant in a run, so that what is excluded stays so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array
from ...errors import SolverError
from ..blocks import Blocks
from ..bounds import RobotBounds
from ..closed_form.pair_equations import FrameBounds, Pairs
from ..closed_form.pairwise import kabsch_umeyama
from ..grasp_frames import GraspFrames
from ..samples import RobotSamples
from .frame_bounds import image, motion_of, program_of

HALF = 2.5e-3  # [s] half a stretch
FEW = 3  # stretches, below which nothing is to be gained
BLOCKS = 40  # looked at
NEW = 4  # blocks since last time for each look at a stretch from an end: updates stay in time
MORE = 1.25  # times as many blocks as last time, before stretches are looked at again
LEAST_BLOCKS = 20
PASSES = 3  # of narrowing what is left out


@dataclass(frozen=True)
class ClockBounds:
    """Offsets of one robot's clock against the first robot's that are not excluded.

    Attributes:
        middle: Of each stretch that is left, shape (K,) [s].
        half: Of all of them [s].
        seen: Number of blocks that the last look was at.
    """

    middle: Array
    half: float
    seen: int = 0

    @classmethod
    def stated(cls, clock: float) -> ClockBounds:
        """Return all offsets up to a stated one [s]."""
        count = max(1, int(np.ceil(clock / HALF)))
        half = clock / count
        return cls(half * (2 * np.arange(count) + 1 - count), half)

    @property
    def left(self) -> bool:
        """Whether any offset is left; without one, both robots do not hold one body."""
        return bool(len(self.middle))

    def none_left(self) -> ClockBounds:
        """Return that every offset is excluded."""
        return replace(self, middle=np.zeros(0))

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the largest offset that is left [s]; the least is above if none is."""
        if not self.left:
            return np.inf, -np.inf
        return float(self.middle[0] - self.half), float(self.middle[-1] + self.half)


def narrowed(
    known: ClockBounds,
    robots: Sequence[RobotSamples | None],
    i: int,
    blocks: Blocks,
    frames: GraspFrames,
    bounds: Sequence[RobotBounds],
    step: float,
    reach: float,
) -> ClockBounds:
    """Return which offsets are left of those that were.

    Args:
        known: Those that were.
        robots: Samples that are kept of each, None for none.
        i: Number of the robot.
        blocks: Means of pose and twist.
        frames: Estimates.
        bounds: What is assumed of each robot.
        step: Of the grid on which samples are taken [s].
        reach: Largest distance between the grasps [m].
    """
    own = robots[i]
    if len(known.middle) < FEW or own is None or not len(own):
        return known
    there = blocks.present[0] & blocks.present[i]
    there &= blocks.time > float(own.time[0]) + np.abs(known.ends).max() + 0.3
    seen = np.flatnonzero(there)
    if len(seen) < max(LEAST_BLOCKS, MORE * known.seen):
        return known
    chosen = seen[np.unique(np.linspace(0, len(seen) - 1, BLOCKS).astype(int))]
    some, left = blocks.take(chosen), list(known.middle)
    for end in (0, -1):  # inwards from either end: only where they lie counts
        for _ in range(1 + (len(seen) - known.seen) // NEW):
            if not left:
                break
            middle = float(left[end])
            if not _excluded(middle, known.half, own, i, some, frames, bounds, step, reach):
                break
            left.pop(end)
        else:
            return replace(known, middle=np.array(left))  # the next update goes on
    return ClockBounds(np.array(left), known.half, len(seen))


def _excluded(
    middle: float, half: float, own: RobotSamples, i: int, blocks: Blocks, frames: GraspFrames,
    bounds: Sequence[RobotBounds], step: float, reach: float,
) -> bool:  # fmt: skip
    """Tell whether no frame goes with an offset within half a stretch of its middle [s]."""
    shifted = Blocks.of([None] * i + [own], blocks.time, np.full(i + 1, middle), step)
    present = np.flatnonzero(shifted.present[i])
    if len(present) < LEAST_BLOCKS:
        return False
    first = motion_of(blocks, 0, present, bounds[0])
    second = motion_of(shifted, i, present, bounds[i])
    pairs = Pairs(first, second, 0.0, bounds[0].tilt + bounds[i].tilt)
    vectors = [np.vstack([m.V[:, :3], m.R[:, 2]]) for m in (first, second)]
    X, _ = kabsch_umeyama(*vectors)
    p = frames.position[i] if frames.known[i] else np.zeros(3)
    a = pairs.first_bound(X, half)
    if a is None:
        return False
    box = FrameBounds(a, np.full(3, reach) + np.abs(p), half)
    for _ in range(PASSES):
        rows = pairs.rows(X, p, box)
        smaller = image(*rows, box)
        if smaller is None:
            return True
        box = smaller
    return not _possible(*pairs.rows(X, p, box), box)


def _possible(G: Array, r: Array, d: Array, box: FrameBounds) -> bool:
    """Tell whether some z in a box has |G z - r| <= d."""
    program, _ = program_of(G, r, d, np.concatenate([box.a, box.position, [box.clock]]))
    try:
        return program.minimise(np.zeros(7)) is not None
    except SolverError:
        return True
