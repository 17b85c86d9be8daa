"""A team's estimate as data arrive: samples of any robot in, an estimate out.

What the result depends on is the samples and the moments of the updates, never any clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import one_number
from ..body.payload_prior import PayloadPrior
from ..bounds import METHODS, Interval, Memory
from ..errors import InputError, RecordingError, UnknownNameError, require_type
from ..estimators import estimator_named
from ..threads import one_thread
from .blocks import SPACING, Blocks
from .bounds import RobotBounds, TeamBounds
from .estimate import TeamEstimate
from .frame_bounds import FrameBounds, frame_bounds
from .grasp_frames import FrameWeights, GraspFrames
from .refine import begun, refine
from .samples import RobotSamples
from .solve import Known, Solved, nothing, solved
from .windows import Windows, windows_of

KEPT = 60.0  # [s] of samples that are kept as they came
MOST_BLOCKS = 1200  # times robots: beyond it every second one goes, and the next lie further apart
MOST_WINDOWS = 600
MOST_STEPS = 2000  # of blocks or windows at once, beyond which only those with samples are made
MOVED = 1e-4  # [s] by which a clock's estimate moves before blocks are made anew
REMAKES = 3
UNTURNED = 4.0  # [s] after which forces count although no frame is known: they give the mass
NONE = "none"
LEAP = 10.0  # [s] by which samples that all come later than others' are on another clock
LEAST_STEP = 2e-4  # [s] of the grid on which samples are taken


@dataclass(frozen=True)
class TeamSettings:
    """How to identify.

    Attributes:
        estimator: Name of the point estimator, of `core.estimators`.
        intervals: Name of the interval method, of `core.bounds`; "none" for none.
        window: Length of the windows over which momentum is balanced [s].
        patience: Time a robot may lag behind the newest data before the others go on without
            it [s].
        step: Of the grid on which samples are taken [s]; 0: the first robot's median step.
    """

    estimator: str = "lmi"
    intervals: str = "hull"
    window: float = 1.0
    patience: float = 0.5
    step: float = 0.0

    def __post_init__(self) -> None:
        estimator_named(self.estimator)
        if self.intervals not in (*METHODS, NONE):
            raise UnknownNameError("interval method", self.intervals, (*METHODS, NONE))
        for name, least, most in (
            ("window", 0.1, 20.0),
            ("patience", 0.0, 1e6),
            ("step", 0.0, 1.0),
        ):
            value = one_number(getattr(self, name), f"Team setting '{name}'")
            if not least <= value <= most:
                raise InputError(
                    f"Team setting '{name}' must lie between {least:g} and {most:g} s; found "
                    f"{value!r}."
                )


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
        if isinstance(names, str) or len(set(names)) != len(names):
            raise InputError(f"names must be different names of robots; found {names!r}.")
        self._names = list(names)
        self.reset()

    def reset(self) -> None:
        """Forget frames, clocks and payload: the team has taken up another one."""
        N = len(self._names)
        self._raw: dict[str, list[RobotSamples]] = {name: [] for name in self._names}
        self._left: dict[str, float] = {}
        self._began: dict[str, float] = {}
        self._cut: dict[str, float] = {}  # stamp of the first sample kept, where earlier ones went
        self._turned_by_imu: set[str] = set()
        self._touched: list[tuple[float, float]] = []
        self._frames = GraspFrames.unknown(max(N, 1))
        self._blocks = Blocks.empty(N)
        self._windows = Windows.empty(N)
        self._next_block = self._next_window = -np.inf
        self._spacing = SPACING
        self._step = self.settings.step
        self._known = Known(Interval(*self.prior.box()), Memory())
        self._newest: dict[str, float] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the robots, the reference first."""
        return tuple(self._names)

    def add(self, samples: RobotSamples) -> None:
        """Take in samples of one robot, newer than all it gave before; cheap, no estimate.

        Robots may come in any order, in pieces of any length. A robot that has not been named
        joins: it is taken to hold the payload from its first sample on. Samples that are not newer
        than those before are left out.

        Raises:
            RecordingError: The samples do not fit those before.
        """
        require_type(samples, RobotSamples, "samples", "RobotSamples(...)")
        if samples.name in self._left and len(samples):
            samples = samples.where(samples.time <= self._left[samples.name])
        if samples.name not in self._raw:
            self._names.append(samples.name)
            self._raw[samples.name] = []
            if len(self._names) > 1 and len(samples):
                self._began[samples.name] = float(samples.time[0])
        samples = self._with_gyroscope(samples)
        parts = self._raw[samples.name]
        if parts and len(samples):
            newest = float(parts[-1].time[-1])
            if samples.time[0] <= newest:
                samples = samples.where(samples.time > newest)
            for name in ("moment", "imu_angular_velocity", "imu_specific_force"):
                if (getattr(parts[-1], name) is None) != (getattr(samples, name) is None):
                    raise RecordingError(
                        f"Robot {samples.name} gave '{name}' in some samples and not in others. "
                        "Give it always or never, or reset the estimator."
                    )
        if len(samples):
            parts.append(samples)

    def _with_gyroscope(self, samples: RobotSamples) -> RobotSamples:
        """Return samples whose twist turns as the gyroscope says, if that is stated as better."""
        bounds = self.bounds.of(samples.name)
        gyro = samples.imu_angular_velocity
        if gyro is None or bounds.imu_angular_velocity >= bounds.angular_velocity:
            return samples
        self._turned_by_imu.add(samples.name)
        return replace(samples, twist=np.hstack([gyro, samples.twist[:, 3:]]))

    def leave(self, name: str, time: float) -> None:
        """Note that a robot has let go of the payload, at a time on its own clock [s].

        A robot that merely falls silent is taken to hold on, with forces that nobody knows. Said
        late, it takes back what was known from later samples, as `touched` does.
        """
        if name not in self._raw:
            raise UnknownNameError("robot", name, self._names)
        self._left[name] = one_number(time, "time")
        self._blocks = self._blocks.take(np.flatnonzero(self._blocks.time <= self._left[name]))
        self._take_back(self._left[name], np.inf)

    def touched(self, start: float, end: float) -> None:
        """Note that something else, such as a human, touched the payload in a stretch of time.

        Motion in it counts for grasp frames, forces do not. Said after an update that has used its
        forces, it takes back what was known from them: intervals may be wider than before.

        Args:
            start: Team time [s].
            end: Team time [s].
        """
        stretch = one_number(start, "start"), one_number(end, "end")
        self._touched = _merged(self._touched, *stretch)
        self._take_back(*stretch)

    def _take_back(self, begin: float, end: float) -> None:
        """Forget the windows of a stretch of time, and what they have shown."""
        windows = self._windows
        false = (windows.start + self.settings.window >= begin) & (windows.start <= end)
        if false.any():
            self._windows = windows.take(np.flatnonzero(~false))
            self._known = Known(Interval(*self.prior.box()), Memory())

    def update(self) -> TeamEstimate:
        """Return the estimate from all data so far."""
        with one_thread():
            return self._update().estimate

    def _update(self) -> Solved:
        """Do what `update` does."""
        if not self._names:
            return nothing(self._known, self.prior)
        robots = [self._joined(name) for name in self._names]
        front, silent, ahead = self._front(robots)
        if np.isfinite(front):
            self._begin(robots)
            self._take_blocks(robots, front)
            self._find_frames(robots, front)
            self._take_windows(robots, front)
        every = [self._of(name) for name in self._names]
        answer = solved(
            self._names, every, self.prior, self.settings.estimator, self.settings.intervals,
            self._frames, self._blocks, self._frame_bounds(every), self._windows, self._known,
            silent, ahead, front,
        )  # fmt: skip
        self._known = answer.known
        self._forget()
        return answer

    def _of(self, name: str) -> RobotBounds:
        """Return a robot's bounds as they count; the first one's clock is the team's."""
        bounds = self.bounds.of(name)
        if name in self._turned_by_imu:
            bounds = replace(bounds, angular_velocity=bounds.imu_angular_velocity)
        return replace(bounds, clock=0.0) if name == self._names[0] else bounds

    def _joined(self, name: str) -> RobotSamples | None:
        """Return a robot's samples that are kept, in one piece."""
        parts = self._raw[name]
        if len(parts) > 1:
            parts[:] = [RobotSamples.joined(parts)]
        if parts and name in self._left:
            parts[0] = parts[0].where(parts[0].time <= self._left[name])
        return parts[0] if parts and len(parts[0]) else None

    def _front(
        self, robots: list[RobotSamples | None]
    ) -> tuple[float, dict[str, float], dict[str, float]]:
        """Return how far all who speak have spoken, who is silent since, and whose clock leapt."""
        newest = {
            name: float(robot.time[-1]) - self._late(i)
            for i, (name, robot) in enumerate(zip(self._names, robots, strict=True))
            if robot is not None
        }
        if not newest:
            return float("nan"), {}, {}
        holding = [n for n in sorted(newest, key=newest.__getitem__) if n not in self._left]
        first = max(newest.values())
        silent = {n: newest[n] for n in holding if newest[n] < first - self.settings.patience}
        began = min(float(robot.time[0]) for robot in robots if robot is not None)
        if first > began + self.settings.patience:
            silent |= {n: began for n in self._names if n not in newest and n not in self._left}
        # One robot alone far ahead says nothing of a body that others hold, too: it does not lead.
        second = newest[holding[-2]] if len(holding) > 1 else first
        if second >= first - self.settings.patience:
            speaking = [newest[n] for n in holding if n not in silent]
            ahead: dict[str, float] = {}
        else:
            speaking = [t for t in newest.values() if t >= second - self.settings.patience]
            ahead = self._leapt(robots, holding[-1], newest)
            if ahead:
                silent = {n: t for n, t in silent.items() if t < second - self.settings.patience}
        starts = [float(r.time[0]) if r is not None else np.inf for r in robots]
        for i, name in enumerate(self._names):
            others = min(starts[:i] + starts[i + 1 :], default=0.0)
            if name in silent and newest.get(name, np.inf) < others - LEAP:
                ahead[name] = silent.pop(name) - first
        self._newest = newest
        return min(speaking, default=first), silent, ahead

    def _leapt(
        self, robots: list[RobotSamples | None], name: str, newest: dict[str, float]
    ) -> dict[str, float]:
        """Return how far a robot's clock is ahead, if it is, and not the others silent [s].

        They go on, or all that it gave is later than theirs.
        """
        others = [n for n in newest if n != name and n not in self._left]
        latest = max(newest[n] for n in others)
        own = robots[self._names.index(name)]
        going_on = any(newest[n] > self._newest.get(n, np.inf) for n in others)
        later = own is not None and float(own.time[0]) > latest + LEAP
        return {name: newest[name] - latest} if going_on or later else {}

    def _late(self, i: int) -> float:
        """Return the present estimate of a clock's offset [s]."""
        return float(self._frames.clock[i]) if i < len(self._frames.clock) else 0.0

    def _begin(self, robots: list[RobotSamples | None]) -> None:
        """Set the grid of team time, once there are samples; make room for robots that joined."""
        first = [r for r in robots if r is not None]
        if not self._step and len(first[0]) > 1:
            self._step = max(first[0].step, LEAST_STEP)
        if not np.isfinite(self._next_block):
            start = min(float(r.time[0]) for r in first)
            self._next_block, self._next_window = start + SPACING, start
        N = len(self._names)
        self._frames = self._frames.with_robots(N)
        self._blocks = self._blocks.joined(Blocks.empty(N))
        self._windows = self._windows.joined(Windows.empty(N))

    def _clocks(self) -> np.ndarray:
        """Return the clocks' offsets, shape (N,) [s]."""
        return np.asarray(self._frames.clock)

    def _grid(
        self, robots: list[RobotSamples | None], begin: float, step: float, count: int
    ) -> np.ndarray:
        """Return those of `count` steps of team time near which a robot has samples [s]."""
        if count <= MOST_STEPS:
            return begin + step * np.arange(count)
        near = [
            np.floor((robot.time - self._late(i) - begin) / step)
            for i, robot in enumerate(robots)
            if robot is not None
        ]
        steps = np.unique(np.concatenate([part + k for part in near for k in (-1.0, 0.0, 1.0)]))
        return np.asarray(begin + step * steps[(steps >= 0) & (steps < count)])

    def _take_blocks(self, robots: list[RobotSamples | None], front: float) -> None:
        """Make the blocks that are complete."""
        count = int((front - SPACING - 0.06 - self._next_block) / self._spacing) + 1
        if count <= 0 or not self._step:
            return
        time = self._grid(robots, self._next_block, self._spacing, count)
        self._next_block += self._spacing * count
        made = Blocks.of(robots, time, self._clocks(), self._step)
        self._blocks = self._blocks.joined(made.take(made.present.sum(axis=0) > 1))
        while len(self._blocks) * len(self._names) > MOST_BLOCKS:
            self._blocks = self._blocks.take(slice(None, None, 2))
            self._spacing *= 2.0

    def _find_frames(self, robots: list[RobotSamples | None], front: float) -> None:
        """Find or refine the grasp frames; make blocks anew where a clock's estimate moved."""
        weights = self._weights()
        for _ in range(REMAKES):
            for i, name in enumerate(self._names):
                if not self._frames.known[i]:
                    clock = self._of(name).clock
                    level = self._of(name).tilt + self._of(self._names[0]).tilt < 0.05
                    self._frames, _ = begun(self._blocks, self._frames, i, clock, level)
            self._frames = refine(self._blocks, self._frames, weights).without_poor(
                self.prior.com_max
            )
            moved = np.abs(self._blocks.shift - self._clocks()[:, None])
            if not (moved[:, -1:] > MOVED).any():
                break
            self._remake(robots)

    def _remake(self, robots: list[RobotSamples | None]) -> None:
        """Make the blocks anew whose samples are still there."""
        began = [self._cut.get(name, -np.inf) for name in self._names]
        there = self._blocks.time + self._clocks()[:, None] > np.array(began)[:, None] + 0.3
        made = Blocks.of(robots, self._blocks.time, self._clocks(), self._step)
        self._blocks = self._blocks.renewed(made, there)
        keep = self._windows.start <= max(began) + 0.2
        if not keep.all():
            self._next_window = float(self._windows.start[~keep].min())
            self._windows = self._windows.take(keep)

    def _weights(self) -> FrameWeights:
        """Return how the robots' equations count: by their bounds, against each other."""
        every = [self._of(name) for name in self._names]
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
        count = int((front - 0.06 - T - self._next_window) / stride) + 1
        if count <= 0 or not self._step:
            return
        if not self._frames.known[1:].any() and count * stride < UNTURNED:
            return  # clocks are likely to become known
        start = self._grid(robots, self._next_window, stride, count)
        self._next_window += stride * count
        count = len(start)
        N = len(self._names)
        holding = np.ones((N, count), bool)
        for i, name in enumerate(self._names):
            if name in self._left:
                holding[i] &= start < self._left[name] - self._late(i)
            if name in self._began:
                holding[i] &= start + T > self._began[name] - self._late(i)
        every = [self._of(name) for name in self._names]
        made = windows_of(robots, every, start, T, self._clocks(), self._step, holding)
        counts = (made.present | ~made.holding).all(axis=0) & made.present.any(axis=0)
        for begin, end in self._touched:
            counts &= (made.start + T < begin) | (made.start > end)
        self._windows = self._windows.joined(made.take(np.flatnonzero(counts)))
        while len(self._windows) > MOST_WINDOWS:
            self._windows = self._windows.take(slice(None, None, 2))

    def _frame_bounds(self, every: list[RobotBounds]) -> list[FrameBounds]:
        """Return the bounds of every robot's frame."""
        exact = FrameBounds(np.zeros(3), np.zeros(3), 0.0)
        reach = self.prior.com_max
        return [exact] + [
            frame_bounds(self._blocks, i, self._frames, every[0], every[i], reach)
            if self._frames.known[i] and self.settings.intervals != NONE
            else FrameBounds.unknown(every[i].clock + abs(float(self._frames.clock[i])))
            for i in range(1, len(every))
        ]

    def _forget(self) -> None:
        """Drop samples that are not needed any more."""
        for name, parts in self._raw.items():
            if parts and parts[0].time[0] < parts[-1].time[-1] - 1.2 * KEPT:
                whole = RobotSamples.joined(parts) if len(parts) > 1 else parts[0]
                parts[:] = [whole.where(whole.time >= whole.time[-1] - KEPT)]
                self._cut[name] = float(parts[0].time[0])


def _merged(
    stretches: list[tuple[float, float]], start: float, end: float
) -> list[tuple[float, float]]:
    """Return stretches of time with another one, those that meet in one piece."""
    apart = [stretch for stretch in stretches if stretch[1] < start or stretch[0] > end]
    meeting = [stretch for stretch in stretches if stretch not in apart]
    ends = [(start, end), *meeting]
    return sorted([*apart, (min(a for a, _ in ends), max(b for _, b in ends))])
