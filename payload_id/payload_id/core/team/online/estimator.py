"""A team's estimate as data arrive: samples of any robot in, an estimate out.

Two stages: frames and clocks from poses and twists; then, with these, the windows of forces are a
row source that is identified as every other one. What the result depends on is the samples and the
moments of the updates, never any clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...arrays import BoolArray, IntArray, one_number
from ...body.payload_prior import PayloadPrior
from ...errors import InputError, UnknownNameError, require_type
from ...identification.online import OnlineIdentifier
from ...threads import one_thread
from ..blocks import GAP, SPACING, Blocks
from ..bounds import RobotBounds, TeamBounds
from ..closed_form.pair_equations import FrameBounds
from ..estimate import TeamEstimate
from ..faults.evidence import Evidence
from ..grasp_frames import FrameWeights, GraspFrames
from ..pair import ClockBounds, Pair
from ..received import Arrival, Received
from ..refine import refined
from ..samples import RobotSamples
from ..source import TeamSource
from ..windows import Windows, windows_of
from .answer import Contradiction, answer, identified, nothing
from .settings import LEAST_STEP, NONE, TeamSettings

MOST_BLOCKS = 1200  # times robots: beyond it every second one goes
MOST_WINDOWS = 600
MOVED = 1e-4  # [s] by which a clock's estimate moves before all is made anew
REMAKES = 3


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
        self._received = Received(self._names, self.bounds)
        self._touched: list[tuple[float, float]] = []
        self._frames = GraspFrames.unknown(max(N, 1))
        self._blocks = Blocks.empty(max(N, 1))
        self._windows = Windows.empty(max(N, 1))
        self._begin, self._until = np.inf, -np.inf  # team time of the first sample; all is made to
        self._step = self.settings.step
        self._identifier = OnlineIdentifier(self._source([], []), self.settings.of_payload)
        self._contradiction: Contradiction | None = None
        self._offsets: dict[str, ClockBounds] = {}  # of clocks, that are not excluded

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the robots, the reference first."""
        return tuple(self._received.names)

    def add(self, samples: RobotSamples) -> None:
        """Take in samples of one robot, newer than all it gave before; cheap, no estimate.

        Robots may come in any order, in pieces of any length. A robot that has not been named
        joins: it is taken to hold the payload from its first sample on. Samples that are not newer
        than those before are left out.

        Raises:
            RecordingError: The samples do not fit those before.
        """
        require_type(samples, RobotSamples, "samples", "RobotSamples(...)")
        self._received.add(samples)

    def leave(self, name: str, time: float) -> None:
        """Note that a robot has let go of the payload, at a time on its own clock [s].

        A robot that merely falls silent is taken to hold on, with forces that nobody knows. Said
        late, it takes back what was known from later samples, as `touched` does.
        """
        if name not in self.names:
            raise UnknownNameError("robot", name, self.names)
        self._received.let_go(name, _finite(time, "time"))
        self._offsets = {}  # from later samples, perhaps
        begin = self._earliest(name, time)
        self._remake_from(begin)
        self._take_back(begin, np.inf)

    def touched(self, start: float, end: float) -> None:
        """Note that something else, such as a human, touched the payload in a stretch of time.

        Motion in it counts for grasp frames, forces do not. Said after an update that has used its
        forces, it takes back what was known from them: intervals may be wider than before.

        Args:
            start: Team time [s].
            end: Team time [s].
        """
        start, end = _finite(start, "start"), _finite(end, "end")
        if start > end:
            raise InputError(f"start must not be after end; found {start:g} and {end:g} s.")
        self._touched.append((start, end))
        self._take_back(start, end)

    def update(self) -> TeamEstimate:
        """Return the estimate from all data so far."""
        with one_thread():
            return self._update()

    def _update(self) -> TeamEstimate:
        """Do what `update` does."""
        received = self._received
        if not received.names:
            return nothing(self.prior)
        robots = received.every()
        arrival = received.arrival(self._frames.clock, self.settings.patience)
        if np.isfinite(arrival.front):
            self._make_room(robots)
            late = min((self._earliest(*each) for each in received.fresh.items()), default=np.inf)
            self._remake_from(max(late - GAP, self._kept()))
            self._find_frames(robots, arrival.front)
            self._take_windows(robots, arrival.front)
            self._until = arrival.front
        received.forget()
        return self._answer(robots, arrival)

    def _answer(self, robots: list[RobotSamples | None], arrival: Arrival) -> TeamEstimate:
        """Return the estimate with the frames as they are known; note what it proves."""
        every = [self._received.bounds_of(name) for name in self.names]
        bounded = [self._bounds_of_frame(robots, every, i) for i in range(len(every))]
        source, windows = self._source(every, bounded), self._windows.take(self._counted())
        found, phi, width = identified(self._identifier, source, windows, self.settings)
        evidence = Evidence(source, robots, self._blocks, windows, found, arrival, self._step)
        _, known = self._identifier.established()
        estimate, proved, self._contradiction = answer(
            evidence, phi, width, known, self._contradiction
        )
        if self._identifier.settings.method.guaranteed:
            self._identifier.narrow(proved)
        return estimate

    def _source(self, bounds: list[RobotBounds], frame_bounds: list[FrameBounds]) -> TeamSource:
        """Return what makes rows of windows with the frames as they are known."""
        return TeamSource(self._frames, bounds, frame_bounds, self.names, self.prior)

    def _earliest(self, name: str, time: float) -> float:
        """Return the earliest team time that a stamp of a robot may mean [s]."""
        number, most = self.names.index(name), self._received.bounds_of(name).clock
        known = self._frames.clock[number] if number < len(self._frames.clock) else 0.0
        return float(time - max(most, known))

    def _take_back(self, begin: float, end: float) -> None:
        """Forget what forces have shown if some were of a stretch of time."""
        if begin <= self._until and end >= self._begin:
            self._identifier.reset()
            self._contradiction = None

    def _kept(self) -> float:
        """Return from when on blocks and windows can be made anew, team time [s]."""
        return self._received.whole_since + self.settings.window + GAP

    def _complete(self, time: float, stride: float) -> int:
        """Return how many stretches of two strides, one each stride, are complete at a time."""
        return int(max(0.0, (time - GAP - 2.0 * stride - self._begin) // stride + 1.0))

    def _remake_from(self, time: float) -> None:
        """Forget blocks and windows that are not complete at a team time [s]: they are made anew.

        Of those before the samples that are kept nothing is made anew.
        """
        self._until = min(self._until, time)
        blocks = self._begin + SPACING * (self._complete(self._until, SPACING) + 0.5)
        stride = self.settings.window / 2
        windows = self._begin + stride * (self._complete(self._until, stride) - 0.5)
        self._blocks = self._blocks.take(self._blocks.time < blocks)
        self._windows = self._windows.take(self._windows.start < windows)

    def _make_room(self, robots: list[RobotSamples | None]) -> None:
        """Begin with the first samples; make room for robots that joined."""
        first = [r for r in robots if r is not None]
        if not self._step and len(first[0]) > 1:
            self._step = max(first[0].step, LEAST_STEP)
        if np.isinf(self._begin):
            self._begin = min(float(r.time[0]) for r in first)
        for name in self.names[len(self._frames.known) :]:
            if name in self._received.began:  # windows after it left out a force
                begin = self._earliest(name, self._received.began[name])
                self._take_back(begin, np.inf)
                self._remake_from(begin)
        N = len(self.names)
        self._frames = self._frames.with_robots(N)
        self._blocks = self._blocks.joined(Blocks.empty(N))
        self._windows = self._windows.joined(Windows.empty(N))

    def _new(self, robots: list[RobotSamples | None], front: float, stride: float) -> IntArray:
        """Return the numbers of the stretches that are to be made, and near which are samples."""
        near = [
            np.floor((robot.time - clock - self._begin) / stride)
            for robot, clock in zip(robots, self._frames.clock, strict=True)
            if robot is not None
        ]
        number = np.unique(np.concatenate([part + k for part in near for k in (-1, 0)]))
        there, count = (self._complete(time, stride) for time in (self._until, front))
        return np.asarray(number[(number >= there) & (number < count)], dtype=np.int64)

    def _take_blocks(self, robots: list[RobotSamples | None], front: float) -> None:
        """Make the blocks that are complete."""
        number = self._new(robots, front, SPACING)
        if not len(number) or not self._step:
            return
        time = self._begin + SPACING * (number + 1)
        made = Blocks.of(robots, time, self._frames.clock, self._step)
        self._blocks = self._blocks.joined(made.take(made.present.sum(axis=0) > 1))
        while len(self._blocks) * len(self.names) > MOST_BLOCKS:
            self._blocks = self._blocks.take(slice(None, None, 2))

    def _find_frames(self, robots: list[RobotSamples | None], front: float) -> None:
        """Make blocks, find or refine the grasp frames; all anew where a clock's estimate moved."""
        every = [self._received.bounds_of(name) for name in self.names]
        weights = FrameWeights.of(every, self.prior.com_max)
        for _ in range(REMAKES):
            self._take_blocks(robots, front)
            self._frames = refined(self._blocks, self._frames, every, weights)
            moved = np.abs(self._blocks.shift - self._frames.clock[:, None])
            if not (moved[:, -1:] > MOVED).any():
                return
            self._remake_from(self._kept())
        self._take_blocks(robots, front)

    def _take_windows(self, robots: list[RobotSamples | None], front: float) -> None:
        """Make the windows that are complete."""
        T = self.settings.window
        stride = T / 2
        number = self._new(robots, front, stride)
        if not len(number) or not self._step:
            return
        start = self._begin + stride * number
        N = len(self.names)
        holding = np.ones((N, len(start)), bool)
        for i, name in enumerate(self.names):
            clock = float(self._frames.clock[i])
            holding[i] = start < self._received.left.get(name, np.inf) - clock
            holding[i] &= start + T > self._received.began.get(name, -np.inf) - clock
        every = [self._received.bounds_of(name) for name in self.names]
        made = windows_of(robots, every, start, T, self._frames.clock, self._step, holding)
        known = (made.present | ~made.holding).all(axis=0) & made.present.any(axis=0)
        self._windows = self._windows.joined(made.take(np.flatnonzero(known)))
        while len(self._windows) > MOST_WINDOWS:
            self._windows = self._windows.take(slice(None, None, 2))

    def _counted(self) -> BoolArray:
        """Return in which windows nothing but the robots touched the payload, shape (W,)."""
        counted = np.ones(len(self._windows), bool)
        for begin, end in self._touched:
            counted &= (self._windows.end < begin) | (self._windows.start > end)
        return counted

    def _bounds_of_frame(
        self, robots: list[RobotSamples | None], every: list[RobotBounds], i: int
    ) -> FrameBounds:
        """Return the bounds of one robot's frame; what is once contradicted stays so."""
        if not i:
            return FrameBounds(np.zeros(3), np.zeros(3), 0.0)
        name, frames = self.names[i], self._frames
        if self.settings.intervals == NONE:
            return FrameBounds.unknown(every[i].clock + abs(float(frames.clock[i])))
        offsets = self._offsets.get(name) or ClockBounds.stated(every[i].clock)
        pair = Pair(
            self._blocks.of_robots([0, i]), (robots[0], robots[i]), (every[0], every[i]), offsets,
            self.prior.com_max, self._step,
        )  # fmt: skip
        if frames.known[i]:
            pair = pair.narrowed(frames.position[i])
        found, offsets = pair.frame(frames, i), pair.offsets
        self._offsets[name] = offsets if found.consistent else replace(offsets, middle=np.zeros(0))
        return found


def _finite(value: object, name: str) -> float:
    """Return a finite number."""
    number = one_number(value, name)
    if not np.isfinite(number):
        raise InputError(f"{name} must be a finite number [s]; found {number}.")
    return number
