"""What the robots of a team have given, as far as it is still needed; who let go, who is silent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays import Array
from ..errors import RecordingError
from .blocks import GAP, LEAST_SAMPLES
from .bounds import RobotBounds, TeamBounds
from .samples import RobotSamples

KEPT = 60.0  # [s] of samples that are kept as they came
LEAP = 10.0  # [s] by which samples that all come later than others' are on another clock
MOST_STEPS = 2000  # of blocks or windows at once, beyond which only those with samples are made


@dataclass(frozen=True)
class Arrival:
    """How far samples have come.

    Attributes:
        front: Team time up to which all who speak have spoken [s]; NaN before any sample.
        silent: Since when robots are silent, by name.
        ahead: How far clocks that leapt are ahead, or behind (negative), by name [s].
        sparse: Usual step of robots whose samples lie too far apart to be used, by name [s].
    """

    front: float = float("nan")
    silent: Mapping[str, float] = field(default_factory=dict)
    ahead: Mapping[str, float] = field(default_factory=dict)
    sparse: Mapping[str, float] = field(default_factory=dict)


class GivenSamples:
    """Samples of every robot, by name, in the order in which the robots joined.

    Attributes:
        names: Of the robots.
        left: When robots let go, on their own clocks [s].
        began: When robots that were not there from the beginning began to hold [s].
        cut: Stamp of the first sample kept, of robots whose earlier ones went [s].
    """

    def __init__(self, names: Sequence[str], bounds: TeamBounds) -> None:
        """Begin without samples."""
        self.names, self._bounds = list(names), bounds
        self._raw: dict[str, list[RobotSamples]] = {name: [] for name in names}
        self.left: dict[str, float] = {}
        self.began: dict[str, float] = {}
        self.cut: dict[str, float] = {}
        self._newest: dict[str, float] = {}
        self._ahead: dict[str, float] = {}  # of the last front
        self._taken: dict[str, float] = {}  # newest stamps at the last call of `came_late`
        self._passed = -np.inf  # team time up to which the estimate had gone then
        self._turned_by_imu: dict[str, bool] = {}  # whether all twists are the gyroscope's

    def add(self, samples: RobotSamples) -> None:
        """Take in samples of one robot; those not newer than its others are left out.

        Raises:
            RecordingError: They hold moments and those before do not, or the other way round.
        """
        if samples.name in self.left and len(samples):
            samples = samples.where(samples.time <= self.left[samples.name])
        if samples.name not in self._raw:
            self.names.append(samples.name)
            self._raw[samples.name] = []
            if len(self.names) > 1 and len(samples):
                self.began[samples.name] = float(samples.time[0])
        parts = self._raw[samples.name]
        if parts and len(samples):
            newest = float(parts[-1].time[-1])
            if samples.time[0] <= newest:
                samples = samples.where(samples.time > newest)
            if (parts[-1].moment is None) != (samples.moment is None):
                raise RecordingError(
                    f"Robot {samples.name} gave 'moment' in some samples and not in others. "
                    "Give it always or never, or reset the estimator."
                )
        if len(samples):
            parts.append(self._with_gyroscope(samples))

    def _with_gyroscope(self, samples: RobotSamples) -> RobotSamples:
        """Return samples whose twist turns as the gyroscope says, if that is stated as better."""
        bounds, gyro = self._bounds.of(samples.name), samples.imu_angular_velocity
        by_imu = gyro is not None and bounds.imu_angular_velocity < bounds.angular_velocity
        self._turned_by_imu[samples.name] = by_imu and self._turned_by_imu.get(samples.name, True)
        if gyro is None or not by_imu:
            return samples
        return replace(samples, twist=np.hstack([gyro, samples.twist[:, 3:]]))

    def bounds_of(self, name: str) -> RobotBounds:
        """Return a robot's bounds as they count; the first one's clock is the team's."""
        bounds = self._bounds.of(name)
        if self._turned_by_imu.get(name, False):
            bounds = replace(bounds, angular_velocity=bounds.imu_angular_velocity)
        if parts := self._raw.get(name):  # stamps that count from 1970 are rounded to 0.24 us
            rounded = float(np.spacing(np.abs(parts[-1].time[-1])))
            bounds = replace(bounds, jitter=bounds.jitter + rounded)
        return replace(bounds, clock=0.0) if name == self.names[0] else bounds

    def every(self) -> list[RobotSamples | None]:
        """Return the samples of each robot that are kept, in one piece; None for none."""
        return [self._joined(name) for name in self.names]

    def _joined(self, name: str) -> RobotSamples | None:
        """Return a robot's samples that are kept, in one piece."""
        parts = self._raw[name]
        if len(parts) > 1:
            parts[:] = [RobotSamples.stacked(parts)]
        if parts and name in self.left:
            parts[0] = parts[0].where(parts[0].time <= self.left[name])
        return parts[0] if parts and len(parts[0]) else None

    def arrival(
        self, robots: Sequence[RobotSamples | None], clock: Array, patience: float
    ) -> Arrival:
        """Return how far all who speak have spoken, who is silent, and whose clock leapt.

        Args:
            robots: What `every` returned.
            clock: Estimates of the clocks' offsets, of as many robots as have one [s].
            patience: Time a robot may lag before it counts as silent [s].
        """
        late = np.zeros(len(robots))
        late[: min(len(clock), len(late))] = clock[: len(late)]
        last = {
            name: (float(robot.time[-1]), float(late[i]))
            for i, (name, robot) in enumerate(zip(self.names, robots, strict=True))
            if robot is not None
        }
        newest = {name: end - offset for name, (end, offset) in last.items()}
        # What an estimate is beyond the stated bound is no silence.
        most = {name: self.bounds_of(name).clock for name in last}
        heard = {n: end - np.clip(late, -most[n], most[n]) for n, (end, late) in last.items()}
        if not newest:
            return Arrival()
        holding = [n for n in sorted(newest, key=newest.__getitem__) if n not in self.left]
        counted = holding or list(newest)  # who let go leads nobody
        first = max(newest[n] for n in counted)
        spoken = max(heard[n] for n in counted)
        silent = {n: newest[n] for n in holding if heard[n] < spoken - patience}
        began = min(float(robot.time[0]) for robot in robots if robot is not None)
        if first > began + patience:
            silent |= {n: began for n in self.names if n not in newest and n not in self.left}
        # One robot alone far ahead says nothing of a body that others hold, too: it does not lead.
        second = newest[holding[-2]] if len(holding) > 1 else first
        if second >= first - patience:
            speaking = [newest[n] for n in holding if n not in silent]
            ahead: dict[str, float] = {}
        else:
            speaking = [newest[n] for n in counted if newest[n] >= second - patience]
            ahead = self._leapt(robots, holding[-1], newest, patience)
            if ahead:
                silent = {n: t for n, t in silent.items() if t < second - patience}
        starts = [float(r.time[0]) if r is not None else np.inf for r in robots]
        for i, name in enumerate(self.names):
            others = min(starts[:i] + starts[i + 1 :], default=0.0)
            if name in silent and newest.get(name, np.inf) < others - LEAP:
                ahead[name] = silent.pop(name) - first
        self._newest, self._ahead = newest, ahead
        sparse = {
            robot.name: robot.step
            for robot in robots
            if robot is not None and len(robot) >= LEAST_SAMPLES and robot.step > GAP
        }
        return Arrival(min(speaking, default=first), silent, ahead, sparse)

    def _leapt(
        self,
        robots: Sequence[RobotSamples | None],
        name: str,
        newest: dict[str, float],
        patience: float,
    ) -> dict[str, float]:
        """Return how far a robot's clock is ahead, if it is, and not the others silent or late [s].

        They go on, and its stamps have leapt or began later; or all that it gave is later.
        """
        others = [n for n in newest if n != name and n not in self.left]
        latest = max(newest[n] for n in others)
        own = robots[self.names.index(name)]
        if own is None:
            return {}
        begins = (robots[self.names.index(n)] for n in others)
        first = min(float(robot.time[0]) for robot in begins if robot is not None)
        ahead = newest[name] - latest
        gap = np.diff(own.time, prepend=first).max()
        leapt = gap > patience and abs(gap - ahead) <= patience  # no gap of its own, others' lag
        going_on = any(newest[n] > self._newest.get(n, np.inf) for n in others)
        later = float(own.time[0]) > latest + LEAP
        if not (going_on and leapt) and not later:
            return {}
        if len(others) == 1 and name == self.names[0]:  # of two the other one is named
            return {others[0]: latest - newest[name]}
        return {name: ahead}

    def let_go(self, name: str, time: float) -> float:
        """Note when a robot let go, on its own clock [s]; return when that was.

        Of one whose clock has leapt ahead that is when the others were as far; what it gave after
        the leap does not count.
        """
        others = [t for n, t in self._newest.items() if n != name and n not in self.left]
        if self._ahead.get(name, 0.0) > 0.0 and others:
            time = min(time, max(others))
        self.left[name] = time
        return time

    def came_late(self, robots: Sequence[RobotSamples | None], clock: Array, front: float) -> float:
        """Return from when on samples came of a time that the others had left behind.

        Args:
            robots: What `every` returned.
            clock: Estimates of the clocks' offsets, shape (N,) [s].
            front: Team time up to which the estimate goes now [s].

        Returns:
            Team time [s]; infinity: none came late since the last call.
        """
        begin = np.inf
        for i, (name, robot) in enumerate(zip(self.names, robots, strict=True)):
            if robot is None:
                continue
            newest = float(robot.time[-1])
            since = self._taken.get(name, float(robot.time[0])) - float(clock[i])
            if since < self._passed and newest - clock[i] > max(since, self._passed - KEPT):
                begin = min(begin, max(since, self._passed - KEPT))
            self._taken[name] = newest
        self._passed = front
        return begin

    def kept_since(self, begin: float) -> float:
        """Return from when on all samples are kept that come after a team time [s]."""
        return max(begin, self._passed - KEPT)

    def forget(self) -> None:
        """Drop samples that are not needed any more."""
        for name, parts in self._raw.items():
            if parts and parts[0].time[0] < parts[-1].time[-1] - 1.2 * KEPT:
                whole = RobotSamples.stacked(parts) if len(parts) > 1 else parts[0]
                parts[:] = [whole.where(whole.time >= whole.time[-1] - KEPT)]
                self.cut[name] = float(parts[0].time[0])


def grid_near(
    robots: Sequence[RobotSamples | None], clock: Array, begin: float, step: float, count: int
) -> Array:
    """Return those of `count` steps of team time near which a robot has samples [s].

    Args:
        robots: Samples of each robot on its own clock, None for none.
        clock: Offset of each robot's clock, shape (N,) [s].
        begin: Team time of the first step [s].
        step: From one to the next [s].
        count: Of the steps; if they are few, all are returned.
    """
    if count <= MOST_STEPS:
        return begin + step * np.arange(count)
    near = [
        np.floor((robot.time - clock[i] - begin) / step)
        for i, robot in enumerate(robots)
        if robot is not None
    ]
    steps = np.unique(np.concatenate([part + k for part in near for k in (-1.0, 0.0, 1.0)]))
    return np.asarray(begin + step * steps[(steps >= 0) & (steps < count)])
