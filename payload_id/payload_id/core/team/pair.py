"""Two robots: whether they move as one body, and what that proves of the second one's frame.

About one estimate, what is not linear in a clock's offset of tens of milliseconds is as large as
what a body that bends does. Within a stretch of a few it is not: the samples are taken anew at its
middle, and a stretch at either end with which no frame is left within the stated bounds is
excluded. An offset is constant in a run, so that what is excluded stays so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, IntArray
from .blocks import SPACING, Blocks
from .bounds import RobotBounds
from .closed_form.pair_equations import FrameBounds, Motion, Pairs
from .closed_form.pairwise import kabsch_umeyama
from .frame_bounds import extremes, is_empty, motion_of, narrowed
from .grasp_frames import FrameWeights, GraspFrames
from .refine import pose_misfit, refined
from .samples import RobotSamples

HALF = 2.5e-3  # [s] half a stretch of offsets
NEW = 4  # blocks since the last look for each stretch from an end: updates stay in time
LOOKED_AT = 90  # blocks, of all that there are
TRIED = np.arange(-1.0, 1.0, 5e-3)  # [s] offsets of clocks that are looked at
SMALL = 0.01  # [rad] beside errors of orientations, that attitudes on one body may miss by


@dataclass(frozen=True)
class ClockBounds:
    """Offsets of one robot's clock against the first robot's that are not excluded.

    Attributes:
        middle: Of each stretch that is left, shape (K,) [s]; without one the two do not hold one
            body.
        half: Of all of them [s].
        seen: Number of blocks that the last look was at.
    """

    middle: Array
    half: float
    seen: int = 1

    @classmethod
    def stated(cls, clock: float) -> ClockBounds:
        """Return all offsets up to a stated one [s]."""
        count = max(1, int(np.ceil(clock / HALF)))
        half = clock / count
        return cls(half * (2 * np.arange(count) + 1 - count), half)

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the largest offset that is left [s]; the least is above if none is."""
        if not len(self.middle):
            return np.inf, -np.inf
        return float(self.middle[0] - self.half), float(self.middle[-1] + self.half)


@dataclass(frozen=True)
class Pair:
    """Two robots' motions.

    Attributes:
        blocks: Of the two.
        samples: That are kept of each, None for none.
        bounds: What is assumed of them.
        offsets: Of the second clock against the first that are not excluded.
        reach: Largest distance of grasps [m].
        step: Of the grid on which samples are taken [s].
    """

    blocks: Blocks
    samples: tuple[RobotSamples | None, RobotSamples | None]
    bounds: tuple[RobotBounds, RobotBounds]
    offsets: ClockBounds
    reach: float
    step: float

    def between(self, begin: float, end: float) -> Pair:
        """Return the motions after a time and before another [s]."""
        time = self.blocks.time
        return replace(self, blocks=self.blocks.take((begin < time) & (time < end)))

    def narrowed(self, p: Array) -> Pair:
        """Return the pair without offsets that are excluded, from either end inwards.

        They are looked at whenever there are a quarter more blocks.

        Args:
            p: Estimate of the second frame's place in the first, shape (3,) [m].
        """
        known, own = self.offsets, self.samples[1]
        if len(known.middle) < 2 or own is None or not len(own):
            return self
        there = self.blocks.time > own.time[0] + np.abs(known.ends).max()
        seen = np.flatnonzero(self.blocks.present.all(axis=0) & there)
        if 4 * len(seen) < 5 * known.seen:
            return self
        some, left = self.blocks.take(_spread(seen)[::2]), known.middle.tolist()
        for end in (0, -1):  # only where they lie counts
            for _ in range(1 + (len(seen) - known.seen) // NEW):
                if not left or not self._is_excluded(left[end], some, p):
                    break
                left.pop(end)
            else:  # the next update goes on
                return replace(self, offsets=replace(known, middle=np.array(left)))
        return replace(self, offsets=ClockBounds(np.array(left), known.half, len(seen)))

    def _is_excluded(self, middle: float, blocks: Blocks, p: Array) -> bool:
        """Tell whether no frame goes with an offset within half a stretch of its middle [s]."""
        shifted = Blocks.of([self.samples[1]], blocks.time, np.array([middle]), self.step)
        present = np.flatnonzero(shifted.present[0])
        if len(present) < 3:
            return False
        one = motion_of(blocks, 0, present, self.bounds[0])
        two = motion_of(shifted, 0, present, self.bounds[1])
        X, _ = kabsch_umeyama(*(np.vstack([m.V[:, :3], m.R[:, 2]]) for m in (one, two)))
        pairs = self._equations(one, two, 0.0)
        box = narrowed(pairs, X, p, self._before(p, self.offsets.half))
        return box is None or (box.known and is_empty(pairs.rows(X, p, box), box))

    def frame(self, frames: GraspFrames, i: int = 1) -> FrameBounds:
        """Return the bounds on the second robot's frame about its estimate, that of robot i."""
        X, p, clock = frames.rotation[i], frames.position[i], float(frames.clock[i])
        least, most = (end - clock for end in self.offsets.ends)
        if least > most:
            return FrameBounds.contradicted(self.bounds[1].clock + abs(clock))
        late = max(most, -least)
        common = np.flatnonzero(self.blocks.present.all(axis=0))
        if len(common) < 3:
            return FrameBounds.unknown(late)
        chosen = _spread(common)
        one, two = (motion_of(self.blocks, k, chosen, self.bounds[k]) for k in (0, 1))
        shifted = float(np.abs(self.blocks.shift[1][chosen] - clock).max())
        if not frames.known[i]:
            alike = _turn_alike(one, two, late + shifted)
            return FrameBounds.unknown(late) if alike else FrameBounds.contradicted(late)
        pairs = self._equations(one, two, shifted)
        box = narrowed(pairs, X, p, self._before(p, late))
        if box is not None and box.known:
            box = extremes(pairs.rows(X, p, box), box, (least, most))
        return FrameBounds.contradicted(late) if box is None else box

    def _equations(self, one: Motion, two: Motion, shifted: float) -> Pairs:
        """Return the equations of both motions; for `shifted` see `Pairs`."""
        return Pairs(one, two, shifted, sum(bound.tilt for bound in self.bounds))

    def _before(self, p: Array, late: float) -> FrameBounds:
        """Return the bounds of position and clock before any data."""
        return FrameBounds(np.zeros(3), np.full(3, self.reach) + np.abs(p), late)

    def frames(self) -> GraspFrames:
        """Return the frame of the second robot in that of the first, from these motions alone."""
        weights = FrameWeights.of(self.bounds, self.reach)
        return refined(self.blocks, GraspFrames.unknown(2), self.bounds, weights)

    def is_one_body(self, frames: GraspFrames | None = None) -> bool:
        """Tell whether both may move as one body; without much data they may."""
        frames = self.frames() if frames is None else frames
        p = np.where(frames.known[1], frames.position[1], 0.0)
        return self.narrowed(p).frame(frames).consistent

    def is_seen_as_one_body(self) -> bool:
        """Tell whether they do, and attitudes show it: bounds alone let much pass for it."""
        frames = self.frames()
        if not (frames.known[1] and self.is_one_body(frames)):
            return False
        turned, _ = pose_misfit(self.blocks, frames, 1)
        most = SMALL + sum(bound.orientation for bound in self.bounds)
        return float(np.sqrt((turned**2).mean())) <= most

    def parts_at(self) -> float:
        """Return up to when they move as one body, team time [s]; all of the time if they do.

        What is not one body up to some time is none up to every later one.
        """
        time = np.append(self.blocks.time, np.inf)
        low, high = 0, len(time)
        while high - low > 1:
            middle = (low + high) // 2
            before = self.between(-np.inf, float(time[middle]))
            low, high = (middle, high) if before.is_one_body() else (low, middle)
        return float(time[low])

    def offset(self) -> float:
        """Return by how much the second clock is late for angular velocities to agree best [s]."""
        time, (one, two) = self.blocks.time, self.blocks.twist[..., :3]
        if len(time) < len(TRIED) * 5e-3 / SPACING:
            return 0.0
        left = []
        for late in TRIED:
            here = (time + late >= time[0]) & (time + late <= time[-1])
            there = [np.interp(time[here] + late, time, part) for part in two.T]
            left.append(kabsch_umeyama(one[here], np.stack(there, axis=1))[1])
        return float(TRIED[int(np.argmin(left))])


def _spread(numbers: IntArray) -> IntArray:
    """Return at most `LOOKED_AT` of some numbers, spread evenly."""
    return numbers[np.unique(np.linspace(0, len(numbers) - 1, LOOKED_AT).astype(int))]


def _turn_alike(one: Motion, two: Motion, late: float) -> bool:
    """Tell whether both may turn as fast as each other, whatever their frames."""
    speed, other = (np.linalg.norm(motion.V[:, :3], axis=1) for motion in (one, two))
    off = one.unsure[:, 0] + two.unsure[:, 0]
    off += late * (two.steepest[:, 0] + late * two.bend[:, 0])
    return bool((np.abs(speed - other) <= off).all())
