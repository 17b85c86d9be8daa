"""Two bodies on a hinge from a team's samples: the axis, and what forces and motion tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array, BoolArray
from ..blocks import SPACING, Blocks
from ..bounds import RobotBounds
from ..closed_form.hann_weights import Weights
from ..closed_form.hinge import Hinge, hinge
from ..grasp_frames import FrameWeights, GraspFrames
from ..hinged_payload import HingedPayload
from ..refine import begun, pose_misfit, refine
from ..samples import RobotSamples
from ..window_series import Series
from .fit import Sums, fitted_sums, physical_bodies, typical
from .geometry import HingeGeometry, hinge_geometry
from .momentum_rows import Held, hinged_rows

MARGIN = 0.2  # [s] at both ends of the samples that no block or window takes
EXACT = 1e-4  # [rad, m] that blocks of exact poses may leave
LEAST_WINDOWS = 12
ROUNDS = 5  # of clocks
MOVED = 1e-6  # [s] by which a clock's estimate moves before all is made anew
STRETCHES = 8  # of the run, each of which is left out once
TELLS = 0.2  # deviation over the typical size of its kind, up to which a sum is determined


@dataclass(frozen=True)
class Side:
    """The robots that hold one of the two bodies.

    Attributes:
        samples: Of each.
        bounds: What is assumed about each.
    """

    samples: Sequence[RobotSamples]
    bounds: Sequence[RobotBounds]


@dataclass(frozen=True)
class _Known:
    """What motions say: clocks (N,), frames of both sides, the hinge, the range of its angle.

    Attributes:
        holds: Whether two rigid bodies and one axis leave no more than poses may err by.
    """

    clock: Array
    frames: tuple[GraspFrames, GraspFrames]
    hinge: HingeGeometry
    angle: float
    holds: bool


def two_bodies(
    first: Side,
    second: Side,
    window: float,
    step: float,
    reach: float,
    touched: Sequence[tuple[float, float]] = (),
) -> HingedPayload | None:
    """Return the payload of two bodies; None where motions show no hinge, or data are too few.

    Too few are also those that show none without some stretch of the run.

    Deviations are those of the jackknife [Efron1981]: everything, the hinge and the frames too, is
    found again without one stretch of the run after the other. What constant errors of forces
    may add is added.

    Args:
        first: Robots on one body, the first one's clock being the team's.
        second: Those on the other.
        window: Length of windows [s].
        step: Of the grid on which samples are taken [s].
        reach: Largest distance between grasps [m].
        touched: Stretches of team time in which something else touched the payload [s].
    """
    problem = _Problem(first, second, step, reach)
    time, begin = problem.grids(window, touched)
    if len(begin) < LEAST_WINDOWS:
        return None
    whole = problem.known(time, np.zeros(len(problem.bounds)), None)
    if whole is None:
        return None
    weights = Weights.of(window, step)
    sums = problem.sums(whole, begin, weights)
    parts = []
    for a, b in _stretches(time):
        without = (time < a) | (time > b)
        known = problem.known(time[without], whole.clock, whole.hinge)
        if known is not None:
            kept = begin[(begin + window < a) | (begin > b)]
            parts.append(problem.sums(known, kept, weights).base)
    if len(parts) < STRETCHES:
        return None
    spread = np.var(parts, axis=0) * (STRETCHES - 1)
    deviation = np.sqrt(spread + sums.constant**2)
    names = tuple(r.name for r in first.samples), tuple(r.name for r in second.samples)
    axes = np.stack([whole.hinge.frame(side) for side in (0, 1)])
    return HingedPayload(
        names, whole.hinge.axis, whole.hinge.place, axes, whole.angle, sums.base, deviation,
        _determined(sums, deviation), physical_bodies(sums.base, deviation), sums.friction,
        len(begin),
    )  # fmt: skip


def _stretches(time: Array) -> list[tuple[float, float]]:
    """Return the stretches of a run that are left out."""
    ends = np.linspace(time[0], time[-1], STRETCHES + 1)
    return list(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))


def _determined(sums: Sums, deviation: Array) -> BoolArray:
    """Return which sums the data tell."""
    return np.asarray(deviation < TELLS * typical(sums.base))


class _Problem:
    """The samples of both sides, from which frames, hinge and sums are found."""

    def __init__(self, first: Side, second: Side, step: float, reach: float) -> None:
        self.first, self.second = first, second
        self.samples = [*first.samples, *second.samples]
        self.bounds = [*first.bounds, *second.bounds]
        self._step, self._reach = step, reach

    def grids(self, window: float, touched: Sequence[tuple[float, float]]) -> tuple[Array, Array]:
        """Return the middles of blocks and the beginnings of windows [s]."""
        both = list(zip(self.samples, self.bounds, strict=True))
        start = max(float(r.time[0]) + b.clock for r, b in both) + MARGIN
        end = min(float(r.time[-1]) - b.clock for r, b in both) - MARGIN
        begin = np.arange(start, end - window, window / 2)
        for a, b in touched:
            begin = begin[(begin + window < a) | (begin > b)]
        return np.arange(start, end, SPACING), begin

    def known(self, time: Array, clock: Array, like: HingeGeometry | None) -> _Known | None:
        """Return clocks, frames and hinge from blocks at some times; None where none shows.

        Args:
            time: Of the blocks [s].
            clock: First guess of the clocks' offsets, shape (N,) [s].
            like: Fit whose hinge frames are to be met as nearly as may be.
        """
        known = self._with_clocks(time, clock)
        for _ in range(ROUNDS - 1):
            if known is None or float(np.abs(known.clock - clock).max()) < MOVED:
                break
            clock = known.clock
            known = self._with_clocks(time, clock)
        if known is None or not known.holds:
            return None
        if like is None:
            return known
        return replace(known, hinge=known.hinge.aligned_to(like))

    def _with_clocks(self, time: Array, clock: Array) -> _Known | None:
        """Return frames and hinge from blocks made with some clocks, and better clocks."""
        b, bounds = len(self.first.samples), self.bounds
        blocks = Blocks.of(list(self.samples), time, clock, self._step)
        sides = blocks.of_robots([*range(b)]), blocks.of_robots([*range(b, len(bounds))])
        frames = (
            _frames(sides[0], self.first.bounds, self._reach),
            _frames(sides[1], self.second.bounds, self._reach),
        )
        pair = blocks.of_robots([0, b])
        seen = _seen(pair, bounds[0], bounds[b])
        if seen is None or not all(side.known.all() for side in frames):
            return None
        deviation = (bounds[0].clock + bounds[b].clock) / np.sqrt(3.0)
        tilt = bounds[0].tilt + bounds[b].tilt
        found = hinge_geometry(pair, seen, tilt, deviation, self._reach)
        if found is None:
            return None
        holds = _explains(found, pair, bounds[0], bounds[b])
        for blocks_of_side, own, side in zip(sides, frames, (self.first, self.second), strict=True):
            holds &= _rigid(blocks_of_side, own, side)
        other = clock[b] + found.clock
        newer = np.concatenate([frames[0].clock, other + frames[1].clock])
        return _Known(newer, frames, found, seen.angle, holds)

    def sums(self, known: _Known, begin: Array, weights: Weights) -> Sums:
        """Return what the forces of windows tell that begin at some times [s]."""
        b = len(self.first.samples)
        clocks = known.clock[:b], known.clock[b:]
        poses = (np.eye(3), np.zeros(3)), (known.hinge.rotation, known.hinge.position)
        held = []
        for side, clock, frames, (C, c) in zip(
            (self.first, self.second), clocks, known.frames, poses, strict=True
        ):
            series = [
                Series.of(robot, begin + late, weights)
                for robot, late in zip(side.samples, clock, strict=True)
            ]
            base = C @ frames.base_rotation, c + frames.base_position @ C.T
            held.append(Held(series, side.bounds, frames, *base))
        rows = hinged_rows(held[0], held[1], known.hinge, weights)
        return fitted_sums(rows.in_hinge_frames(known.hinge), self.bounds)


def _explains(found: HingeGeometry, pair: Blocks, one: RobotBounds, two: RobotBounds) -> bool:
    """Tell whether a hinge leaves no more of the poses than they may err by; two axes would not."""
    far = [float(np.linalg.norm(place)) for place in found.place]
    late = (one.jitter + two.jitter) * _pace(pair)
    turn = one.orientation + two.orientation
    move = one.position + two.position + far[0] * one.orientation + far[1] * two.orientation
    allowed = np.array([turn + late[0], move + late[1] + max(far) * late[0]]) + EXACT
    return bool((found.left <= allowed).all())


def _rigid(blocks: Blocks, frames: GraspFrames, side: Side) -> bool:
    """Tell whether the robots of a side move as one body, as far as poses may err."""
    for i in range(1, len(side.bounds)):
        pair = blocks.of_robots([0, i])
        here = np.flatnonzero(pair.present.all(axis=0))
        turned, moved = pose_misfit(blocks.take(here), frames, i)
        one, two = side.bounds[0], side.bounds[i]
        late = (one.jitter + two.jitter) * _pace(pair)
        turn = one.orientation + two.orientation + late[0] + EXACT
        far = float(np.linalg.norm(frames.position[i]))
        move = one.position + two.position + late[1] + far * turn + EXACT
        if np.sqrt((turned**2).mean()) > turn or np.sqrt((moved**2).mean()) > move:
            return False
    return True


def _pace(pair: Blocks) -> Array:
    """Return root mean squares of two robots' largest speeds of turning and moving, shape (2,)."""
    both = pair.twist[:, pair.present.all(axis=0)].reshape(2, -1, 2, 3)
    return np.asarray(np.sqrt((np.linalg.norm(both, axis=3) ** 2).mean(axis=1)).max(axis=0))


def _seen(pair: Blocks, one: RobotBounds, two: RobotBounds) -> Hinge | None:
    """Return the hinge that the angular velocities of two robots show."""
    both = pair.take(np.flatnonzero(pair.present.all(axis=0)))
    noise = (one.angular_velocity + two.angular_velocity) / 6.0
    omega, rate, clock = both.twist[:, :, :3], both.rate[1][:, :3], one.clock + two.clock
    return hinge(both.time, omega, rate, both.rotation[:, :, 2], noise, clock)


def _frames(blocks: Blocks, bounds: Sequence[RobotBounds], reach: float) -> GraspFrames:
    """Return grasp frames and clocks of robots on one body against the first one's."""
    blocks = replace(blocks, shift=blocks.shift - blocks.shift[:1])
    frames = GraspFrames.unknown(len(bounds))
    for i in range(1, len(bounds)):
        level = bounds[0].tilt + bounds[i].tilt < 0.05
        frames, _ = begun(blocks, frames, i, bounds[i].clock + bounds[0].clock, level)
    clocks = np.array([0.0, *[b.clock + bounds[0].clock for b in bounds[1:]]])
    weights = FrameWeights(
        np.ones((4, len(bounds))), np.array([b.tilt for b in bounds]), clocks / np.sqrt(3.0), reach
    )
    return refine(blocks, frames, weights).without_poor(reach, clocks)
