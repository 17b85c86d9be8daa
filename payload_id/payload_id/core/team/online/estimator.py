"""A team's estimate as data arrive: samples of any robot in, an estimate out.

What the result depends on is the samples and the moments of the updates, never any clock.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import one_number
from ...body.payload_prior import PayloadPrior
from ...bounds import Interval
from ...errors import InputError, UnknownNameError, require_type
from ...threads import one_thread
from ..arrival import GivenSamples, grid_near
from ..blocks import SPACING, Blocks
from ..bounds import RobotBounds, TeamBounds
from ..closed_form.pair_equations import FrameBounds
from ..estimate import TeamEstimate
from ..grasp_frames import FrameWeights, GraspFrames
from ..kinematic_bounds.clock_bounds import ClockBounds, narrowed
from ..kinematic_bounds.frame_bounds import frame_bounds
from ..refine import begun, refine
from ..rows import TeamRows
from ..samples import RobotSamples
from ..source import TeamSource
from ..windows import Windows, windows_of
from .interval_rows import Known
from .settings import LEAST_STEP, NONE, TeamSettings
from .solve import nothing, solved

MOST_BLOCKS = 1200  # times robots: beyond it every second one goes, and the next lie further apart
MOST_WINDOWS = 600
MOVED = 1e-4  # [s] by which a clock's estimate moves before blocks are made anew
REMAKES = 3
UNTURNED = 4.0  # [s] after which forces count although no frame is known: they give the mass
MARGIN = 0.06  # [s] of samples beyond a block or window that interpolation may take


class TeamEstimator:
    """Takes samples of every robot as they come and estimates frames, clocks and payload."""

    def __init__(
        self,
        names: Sequence[str] = (),
        bounds: TeamBounds | None = None,
        prior: PayloadPrior | None = None,
        settings: TeamSettings | None = None,
    ) -> None:
        """Prepare.

        Args:
            names: Of the robots that hold the payload from the beginning, the first one's grasp
                frame and clock being the reference. Others join with their first samples.
            bounds: What is assumed about them.
            prior: Box that holds the payload, about the first robot's grasp frame; grasps lie
                within its `com_max`, too.
            settings: How to identify.
        """
        self.bounds = TeamBounds() if bounds is None else bounds
        require_type(self.bounds, TeamBounds, "bounds", "TeamBounds(...)")
        self.prior = PayloadPrior() if prior is None else prior
        require_type(self.prior, PayloadPrior, "prior", "a PayloadPrior")
        self.settings = TeamSettings() if settings is None else settings
        require_type(self.settings, TeamSettings, "settings", "TeamSettings(...)")
        several = isinstance(names, Sequence) and not isinstance(names, str)
        texts = several and all(isinstance(name, str) and name for name in names)
        if not texts or len(set(names)) != len(names):
            raise InputError(f"names must be different names of robots; found {names!r}.")
        self._names = list(names)
        self.reset()

    def reset(self) -> None:
        """Forget frames, clocks and payload: the team has taken up another one."""
        N = len(self._names)
        self._given = GivenSamples(self._names, self.bounds)
        self._touched: list[tuple[float, float]] = []
        self._frames = GraspFrames.unknown(max(N, 1))
        self._blocks = Blocks.empty(N)
        self._windows = Windows.empty(N)
        self._next_block = self._next_window = -np.inf
        self._spacing = SPACING
        self._step = self.settings.step
        self._known = Known(Interval(*self.prior.box()))
        self._offsets: dict[str, ClockBounds] = {}  # of clocks, that are not excluded

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the robots, the reference first."""
        return tuple(self._given.names)

    def add(self, samples: RobotSamples) -> None:
        """Take in samples of one robot, newer than all it gave before; cheap, no estimate.

        Robots may come in any order, in pieces of any length. A robot that has not been named
        joins: it is taken to hold the payload from its first sample on. Samples that are not newer
        than those before are left out.

        Raises:
            RecordingError: The samples do not fit those before.
        """
        require_type(samples, RobotSamples, "samples", "RobotSamples(...)")
        self._given.add(samples)

    def leave(self, name: str, time: float) -> None:
        """Note that a robot has let go of the payload, at a time on its own clock [s].

        A robot that merely falls silent is taken to hold on, with forces that nobody knows. Said
        late, it takes back what was known from later samples, as `touched` does.
        """
        if name not in self._given.names:
            raise UnknownNameError("robot", name, self._given.names)
        left = self._given.let_go(name, _finite(time, "time"))
        self._offsets = {}  # from later samples, perhaps
        number = self._given.names.index(name)
        clock = self._clocks()[number] if number < len(self._frames.clock) else 0.0
        left -= clock + self._given.bounds_of(name).clock  # in team time, or earlier
        until = self._blocks.time + SPACING + MARGIN
        self._blocks = self._blocks.take(np.flatnonzero(until <= left))
        self._take_back(left, np.inf)
        self._go_back(self._given.kept_since(left))

    def touched(self, start: float, end: float) -> None:
        """Note that something else, such as a human, touched the payload in a stretch of time.

        Motion in it counts for grasp frames, forces do not. Said after an update that has used its
        forces, it takes back what was known from them: intervals may be wider than before.

        Args:
            start: Team time [s].
            end: Team time [s].
        """
        stretch = _finite(start, "start"), _finite(end, "end")
        if stretch[0] > stretch[1]:
            raise InputError(f"start must not be after end; found {start:g} and {end:g} s.")
        self._touched = _merged(self._touched, *stretch)
        self._take_back(*stretch)

    def _take_back(self, begin: float, end: float) -> None:
        """Forget the windows of a stretch of time, and what they have shown.

        Of a long run not every window is there any more that has contradicted others.
        """
        windows, told = self._windows, self._known.contradiction
        false = (windows.start + self.settings.window >= begin) & (windows.start <= end)
        first = min(np.concatenate([windows.start[:1], self._blocks.time[:1], [np.inf]]))
        if false.any() or (told is not None and begin <= told.time and end >= first):
            self._windows = windows.take(np.flatnonzero(~false))
            self._known = Known(Interval(*self.prior.box()))

    def update(self) -> TeamEstimate:
        """Return the estimate from all data so far."""
        with one_thread():
            return self._update()

    def _update(self) -> TeamEstimate:
        """Do what `update` does."""
        if not self._given.names:
            return nothing(self.prior)
        robots = self._given.every()
        arrival = self._given.arrival(robots, self._frames.clock, self.settings.patience)
        front = arrival.front
        if np.isfinite(front):
            self._begin(robots)
            self._go_back(self._given.came_late(robots, self._clocks(), front))
            self._take_blocks(robots, front)
            self._find_frames(robots, front)
            self._take_windows(robots, front)
        every = [self._given.bounds_of(name) for name in self._given.names]
        answer = solved(
            TeamSource(
                TeamRows(self._frames, every, self._frame_bounds(robots, every)), self.names,
                self.prior,
            ),
            self.settings, self._blocks, self._windows, self._known, arrival,
        )  # fmt: skip
        self._known = answer.known
        for name in answer.apart:  # what is once contradicted stays so
            clock = self._given.bounds_of(name).clock
            self._offsets[name] = ClockBounds.stated(clock).none_left()
        self._given.forget()
        return answer.estimate

    def _begin(self, robots: list[RobotSamples | None]) -> None:
        """Set the grid of team time, once there are samples; make room for robots that joined."""
        first = [r for r in robots if r is not None]
        if not self._step and len(first[0]) > 1:
            self._step = max(first[0].step, LEAST_STEP)
        if not np.isfinite(self._next_block):
            start = min(float(r.time[0]) for r in first)
            self._next_block, self._next_window = start + SPACING, start
        N = len(self._given.names)
        for name in self._given.names[len(self._frames.known) :]:
            if name in self._given.began:  # windows after it left out a force
                clock = self._given.bounds_of(name).clock
                self._take_back(self._given.began[name] - clock, np.inf)
        self._frames = self._frames.with_robots(N)
        self._blocks = self._blocks.joined(Blocks.empty(N))
        self._windows = self._windows.joined(Windows.empty(N))

    def _go_back(self, begin: float) -> None:
        """Make blocks and windows anew from when a robot was missing whose samples came late.

        Args:
            begin: Team time [s]; infinity: none came late.
        """
        if not np.isfinite(begin):
            return
        stride = self.settings.window / 2
        self._next_window -= _steps(self._next_window + 2 * stride + MARGIN - begin, stride)
        keep = self._windows.start < self._next_window - stride / 2
        self._windows = self._windows.take(np.flatnonzero(keep))
        self._next_block -= _steps(self._next_block + SPACING + MARGIN - begin, self._spacing)
        keep = self._blocks.time < self._next_block - self._spacing / 2
        self._blocks = self._blocks.take(np.flatnonzero(keep))

    def _clocks(self) -> np.ndarray:
        """Return the clocks' offsets, shape (N,) [s]."""
        return np.asarray(self._frames.clock)

    def _take_blocks(self, robots: list[RobotSamples | None], front: float) -> None:
        """Make the blocks that are complete."""
        count = int((front - SPACING - MARGIN - self._next_block) / self._spacing) + 1
        if count <= 0 or not self._step:
            return
        time = grid_near(robots, self._clocks(), self._next_block, self._spacing, count)
        self._next_block += self._spacing * count
        made = Blocks.of(robots, time, self._clocks(), self._step)
        self._blocks = self._blocks.joined(made.take(made.present.sum(axis=0) > 1))
        while len(self._blocks) * len(self._given.names) > MOST_BLOCKS:
            self._blocks = self._blocks.take(slice(None, None, 2))
            self._spacing *= 2.0

    def _find_frames(self, robots: list[RobotSamples | None], front: float) -> None:
        """Find or refine the grasp frames; make blocks anew where a clock's estimate moved."""
        weights = self._weights()
        stated = np.array([self._given.bounds_of(name).clock for name in self._given.names])
        for _ in range(REMAKES):
            for i, name in enumerate(self._given.names):
                if not self._frames.known[i]:
                    first, own = map(self._given.bounds_of, (self._given.names[0], name))
                    level = own.tilt + first.tilt < 0.05
                    self._frames, _ = begun(self._blocks, self._frames, i, own.clock, level)
            self._frames = refine(self._blocks, self._frames, weights).without_poor(
                self.prior.com_max, stated
            )
            moved = np.abs(self._blocks.shift - self._clocks()[:, None])
            if not (moved[:, -1:] > MOVED).any():
                break
            self._remake(robots)

    def _remake(self, robots: list[RobotSamples | None]) -> None:
        """Make the blocks anew whose samples are still there."""
        began = [self._given.cut.get(name, -np.inf) for name in self._given.names]
        there = self._blocks.time + self._clocks()[:, None] > np.array(began)[:, None] + 0.3
        made = Blocks.of(robots, self._blocks.time, self._clocks(), self._step)
        self._blocks = self._blocks.renewed(made, there)
        keep = self._windows.start <= max(began) + 0.2
        if not keep.all():
            self._next_window = float(self._windows.start[~keep].min())
            self._windows = self._windows.take(keep)

    def _weights(self) -> FrameWeights:
        """Return how the robots' equations count: by their bounds, against each other."""
        every = [self._given.bounds_of(name) for name in self._given.names]
        sizes = np.array(
            [[b.orientation, b.position, b.angular_velocity, b.linear_velocity] for b in every]
        ).T
        middle = np.array([np.median(row[row > 0]) if (row > 0).any() else 1.0 for row in sizes])
        relative = np.where(sizes > 0, sizes / middle[:, None], 1.0)
        return FrameWeights(
            np.clip(relative, 0.05, 20.0),
            np.array([b.tilt for b in every]),
            np.array([b.clock for b in every]) / np.sqrt(3.0),
            self.prior.com_max,
        )

    def _take_windows(self, robots: list[RobotSamples | None], front: float) -> None:
        """Make the windows that are complete."""
        T = self.settings.window
        stride = T / 2
        count = int((front - MARGIN - T - self._next_window) / stride) + 1
        if count <= 0 or not self._step:
            return
        if not self._frames.known[1:].any() and count * stride < UNTURNED:
            return  # clocks are likely to become known
        start = grid_near(robots, self._clocks(), self._next_window, stride, count)
        self._next_window += stride * count
        count = len(start)
        N = len(self._given.names)
        holding = np.ones((N, count), bool)
        for i, name in enumerate(self._given.names):
            if name in self._given.left:
                holding[i] &= start < self._given.left[name] - float(self._frames.clock[i])
            if name in self._given.began:
                holding[i] &= start + T > self._given.began[name] - float(self._frames.clock[i])
        every = [self._given.bounds_of(name) for name in self._given.names]
        made = windows_of(robots, every, start, T, self._clocks(), self._step, holding)
        counts = (made.present | ~made.holding).all(axis=0) & made.present.any(axis=0)
        for begin, end in self._touched:
            counts &= (made.start + T < begin) | (made.start > end)
        self._windows = self._windows.joined(made.take(np.flatnonzero(counts)))
        while len(self._windows) > MOST_WINDOWS:
            self._windows = self._windows.take(slice(None, None, 2))

    def _frame_bounds(
        self, robots: list[RobotSamples | None], every: list[RobotBounds]
    ) -> list[FrameBounds]:
        """Return the bounds of every robot's frame."""
        exact = FrameBounds(np.zeros(3), np.zeros(3), 0.0)
        return [exact] + [self._bounds_of_frame(robots, every, i) for i in range(1, len(every))]

    def _bounds_of_frame(
        self, robots: list[RobotSamples | None], every: list[RobotBounds], i: int
    ) -> FrameBounds:
        """Return the bounds of one robot's frame; what is once contradicted stays so."""
        name, frames, reach = self._given.names[i], self._frames, self.prior.com_max
        offsets = self._offsets.get(name) or ClockBounds.stated(every[i].clock)
        searched = frames.known[i] and self.settings.intervals != NONE
        if not searched and offsets.left:
            return FrameBounds.unknown(every[i].clock + abs(float(frames.clock[i])))
        if searched:
            offsets = narrowed(offsets, robots, i, self._blocks, frames, every, self._step, reach)
        found = frame_bounds(self._blocks, i, frames, every[0], every[i], reach, offsets.ends)
        self._offsets[name] = offsets if found.consistent else offsets.none_left()
        return found


def _finite(value: object, name: str) -> float:
    """Return a finite number."""
    number = one_number(value, name)
    if not np.isfinite(number):
        raise InputError(f"{name} must be a finite number [s]; found {number}.")
    return number


def _steps(time: float, step: float) -> float:
    """Return the least multiple of a step that reaches back a time, 0 for none [s]."""
    return step * max(0.0, float(np.ceil(time / step)))


def _merged(
    stretches: list[tuple[float, float]], start: float, end: float
) -> list[tuple[float, float]]:
    """Return stretches of time with another one, those that meet in one piece."""
    apart = [stretch for stretch in stretches if stretch[1] < start or stretch[0] > end]
    meeting = [stretch for stretch in stretches if stretch not in apart]
    ends = [(start, end), *meeting]
    return sorted([*apart, (min(a for a, _ in ends), max(b for _, b in ends))])
