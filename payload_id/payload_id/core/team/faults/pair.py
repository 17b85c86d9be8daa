"""Whether two robots move as one body, as their samples are or as a hypothesis has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..blocks import SPACING, Blocks
from ..bounds import RobotBounds
from ..closed_form.pair_equations import FrameBounds
from ..closed_form.pairwise import kabsch_umeyama
from ..grasp_frames import FrameWeights, GraspFrames
from ..kinematic_bounds.clock_bounds import ClockBounds, narrowed
from ..kinematic_bounds.frame_bounds import frame_bounds
from ..refine import pose_misfit, refined
from ..samples import RobotSamples
from .evidence import Evidence

TRIED = np.arange(-1.0, 1.0, 5e-3)  # [s] offsets of clocks that are looked at
SMALL = 0.01  # [rad] beside errors of orientations, that attitudes on one body may miss by
Change = Callable[[RobotSamples], RobotSamples]


@dataclass(frozen=True)
class Pair:
    """Two robots' motions.

    Attributes:
        blocks: Of the two alone, both present.
        samples: Of each.
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

    @classmethod
    def of(cls, e: Evidence, one: int, two: int, changed: Change = lambda robot: robot) -> Pair:
        """Return the motions of two robots, the second one's samples being changed."""
        first, second = e.robots[one], e.robots[two]
        if second is not None:
            second = changed(second)
        (ahead, unsure), (late, more) = (_clock(e, i) for i in (one, two))
        shift, offsets = np.array([0.0, late - ahead]), ClockBounds.stated(unsure + more)
        offsets = replace(offsets, middle=offsets.middle + shift[1])
        blocks = Blocks.of([first, second], e.blocks.time, shift, e.step)
        bounds = e.rows.bounds[one], replace(e.rows.bounds[two], clock=max(np.abs(offsets.ends)))
        return cls(
            blocks.take(np.flatnonzero(blocks.present.all(axis=0))), (first, second), bounds,
            offsets, e.source.prior.com_max, e.step,
        )  # fmt: skip

    def between(self, begin: float, end: float) -> Pair:
        """Return the motions after a time and before another [s]."""
        time = self.blocks.time
        return replace(self, blocks=self.blocks.take((begin < time) & (time < end)))

    def frames(self) -> GraspFrames:
        """Return the frame of the second robot in that of the first."""
        weights = FrameWeights.of(self.bounds, self.reach)
        return refined(self.blocks, GraspFrames.unknown(2), self.bounds, weights)

    def frame(self) -> FrameBounds:
        """Return the bounds on that frame."""
        frames, samples = self.frames(), self.samples
        offsets = narrowed(
            self.offsets, samples, 1, self.blocks, frames, self.bounds, self.step, self.reach
        )
        return frame_bounds(self.blocks, 1, frames, *self.bounds, self.reach, offsets.ends)

    def is_one_body(self) -> bool:
        """Tell whether both may move as one body; without much data they may."""
        return self.frame().consistent

    def is_seen_as_one_body(self) -> bool:
        """Tell whether they do, and attitudes show it: bounds alone let much pass for it."""
        frames = self.frames()
        if not (frames.known[1] and self.is_one_body()):
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


def _clock(e: Evidence, i: int) -> tuple[float, float]:
    """Return the middle of what a robot's clock may be off, and the most it may be beside [s]."""
    frame = e.rows.frame_bounds[i]
    if frame.known and frame.consistent:
        return float(e.rows.frames.clock[i]), frame.clock
    return 0.0, e.rows.bounds[i].clock
