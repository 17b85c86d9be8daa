"""What the robots of a team have given, as far as it is still needed; who let go, who is silent.

The estimate goes on as far as the second newest robot that holds the payload, and waits for those
that lag no more than the stated patience behind it: one robot alone says nothing of a body that
others hold, too. Whoever lags behind the newest one by more is silent; what it says late counts as
if it had come in time, as long as samples of that time are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays import Array
from ..errors import RecordingError
from .bounds import RobotBounds, TeamBounds
from .samples import RobotSamples

KEPT = 60.0  # [s] of samples that are kept as they came; who is further off is on another clock


@dataclass(frozen=True)
class Arrival:
    """How far samples have come.

    Attributes:
        front: Team time up to which all who speak have spoken [s]; NaN before any sample.
        silent: Since when robots are silent, by name [s].
        ahead: How far robots' stamps are ahead of all others', or behind (negative), by name [s].
    """

    front: float = float("nan")
    silent: Mapping[str, float] = field(default_factory=dict)
    ahead: Mapping[str, float] = field(default_factory=dict)


class Received:
    """Samples of every robot, by name, in the order in which the robots joined.

    Attributes:
        names: Of the robots.
        left: When robots let go, on their own clocks [s].
        began: When robots that were not there from the beginning began to hold, likewise [s].
        fresh: Newest stamp before those that came since the last update, by name; of a robot that
            had given none, its first one [s].
        whole_since: Stamp from which on all samples are kept [s].
    """

    def __init__(self, names: Sequence[str], bounds: TeamBounds) -> None:
        """Begin without samples."""
        self.names, self._bounds = list(names), bounds
        self._parts: dict[str, list[RobotSamples]] = {name: [] for name in names}
        self.left: dict[str, float] = {}
        self.began: dict[str, float] = {}
        self.fresh: dict[str, float] = {}
        self.whole_since = -np.inf

    def add(self, samples: RobotSamples) -> None:
        """Take in samples of one robot; those not newer than its others are left out.

        Raises:
            RecordingError: They hold moments and those before do not, or the other way round.
        """
        name = samples.name
        if name not in self._parts:
            self.names.append(name)
            self._parts[name] = []
            if len(self.names) > 1 and len(samples):
                self.began[name] = float(samples.time[0])
        parts = self._parts[name]
        newest = float(parts[-1].time[-1]) if parts else -np.inf
        left = self.left.get(name, np.inf)
        samples = samples.where((samples.time > newest) & (samples.time <= left))
        if not len(samples):
            return
        if parts and (parts[-1].moment is None) != (samples.moment is None):
            raise RecordingError(
                f"Robot {name} gave 'moment' in some samples and not in others. Give it always or "
                "never, or reset the estimator."
            )
        self.fresh.setdefault(name, newest if parts else float(samples.time[0]))
        parts.append(samples)

    def bounds_of(self, name: str) -> RobotBounds:
        """Return a robot's bounds as they count; the first one's clock is the team's."""
        bounds = self._bounds.of(name)
        if parts := self._parts.get(name):  # stamps that count from 1970 are rounded to 0.24 us
            rounded = float(np.spacing(np.abs(parts[-1].time[-1])))
            bounds = replace(bounds, jitter=bounds.jitter + rounded)
        return replace(bounds, clock=0.0) if name == self.names[0] else bounds

    def every(self) -> list[RobotSamples | None]:
        """Return the samples of each robot that are kept, in one piece; None for none."""
        return [self._joined(name) for name in self.names]

    def _joined(self, name: str) -> RobotSamples | None:
        """Return a robot's samples that are kept, in one piece."""
        parts = self._parts[name]
        if len(parts) > 1:
            parts[:] = [RobotSamples.stacked(parts)]
        if parts and name in self.left:
            parts[0] = parts[0].where(parts[0].time <= self.left[name])
        return parts[0] if parts and len(parts[0]) else None

    def arrival(self, clock: Array, patience: float) -> Arrival:
        """Return how far all who speak have spoken, who is silent, and who is on another clock.

        Args:
            clock: Estimates of the clocks' offsets, of as many robots as have one [s].
            patience: Time a robot may lag before the others go on without it [s].
        """
        times = self._times(clock)
        if not times:
            return Arrival()
        ahead = self._on_other_clocks(times)
        near = set(times) - set(ahead) or set(times)
        holding = near - set(self.left) or near
        newest = {n: float(times[n][-1]) for n in self.names if n in holding}
        begin, ends = min(float(t[0]) for t in times.values()), sorted(newest.values())
        waited = (near | set(self.names) - set(times)) - set(self.left)
        late = [n for n in self.names if newest.get(n, begin) < ends[-1] - patience]
        silent = {n: newest.get(n, begin) for n in late if n in waited}
        speaking = [end for end in ends if end >= ends[-2:][0] - patience]
        return Arrival(min(speaking), silent, ahead)

    def _times(self, clock: Array) -> dict[str, Array]:
        """Return the team times of each robot's samples; an offset beyond what is stated is none.

        Args:
            clock: As `arrival` takes it.
        """
        offset, times = dict(zip(self.names, np.asarray(clock).tolist(), strict=False)), {}
        for robot in filter(None, self.every()):
            most = self.bounds_of(robot.name).clock
            times[robot.name] = robot.time - np.clip(offset.get(robot.name, 0.0), -most, most)
        return times

    def _on_other_clocks(self, times: Mapping[str, Array]) -> dict[str, float]:
        """Return how far off robots' stamps are that no time of silence explains, by name [s].

        All of them lie before those of the others, or they leapt, or began, beyond them. Of two
        robots the second one is named.
        """
        ahead: dict[str, float] = {}
        for name, own in times.items():
            others = [t for n, t in times.items() if n not in (name, *self.left)]
            if len(others) <= (name == self.names[0]):
                continue
            begin, end = min(t[0] for t in others), max(t[-1] for t in others)
            leapt = own[-1] > end + KEPT and np.diff(own, prepend=begin).max() > KEPT
            if leapt or own[-1] < begin - KEPT:
                ahead[name] = float(own[-1] - end)
        return ahead

    def let_go(self, name: str, time: float) -> None:
        """Note when a robot let go, on its own clock [s]."""
        self.left[name] = time

    def forget(self) -> None:
        """Drop samples that are not needed any more; those that are there are not new any more."""
        self.fresh = {}
        for parts in self._parts.values():
            if parts and parts[0].time[0] < parts[-1].time[-1] - 1.2 * KEPT:
                whole = RobotSamples.stacked(parts) if len(parts) > 1 else parts[0]
                parts[:] = [whole.where(whole.time >= whole.time[-1] - KEPT)]
                self.whole_since = max(self.whole_since, float(parts[0].time[0]))
