"""Identification from a force-torque sensor as samples arrive, its delay estimated on the way."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from ...rows.windows import GAP_FRACTION, WindowCutter
from ...rows.wrench.newton_euler import NewtonEulerRows
from ...samples.delay_line import DelayLine
from ...samples.wrench_samples import WrenchSamples
from ...threads import one_thread
from ..estimate import Estimate
from ..identify import CHUNK
from ..online import OnlineIdentifier
from ..problem import Tell, nobody
from ..settings import Settings
from .alignment import DEVIATIONS, LARGEST_OFFSET, LEAST_OFFSET, TimeOffset, time_offset
from .identify import WrenchEstimate, excluded, judged, wrench_with_confidence

LOOKS = (2.5, 5.0, 10.0, 20.0)  # [s] of windows after which the delay is estimated anew
REMEMBERED = 20.0  # [s] of samples that are looked at when the data are inconsistent


class OnlineWrench(OnlineIdentifier):
    """One run after another from a force-torque sensor.

    A delay of the wrench against the motion is estimated from the run's beginning, after each of
    `LOOKS`. Where it is clearly another than the one that is being taken out, and no payload
    explains the data without any, the rows are made anew from the samples of the run, which are
    kept until the last look; an update looks again at a delay that the data did not exclude to be
    none. All of that depends on the samples and the numbers of windows at updates only.

    Attributes:
        offset: The delay that was found last; None before the first look.
    """

    def __init__(
        self,
        row_source: NewtonEulerRows,
        settings: Settings,
        largest_offset: float = LARGEST_OFFSET,
    ) -> None:
        """Prepare.

        Args:
            row_source: Makes rows of samples.
            settings: How to identify.
            largest_offset: Largest delay that is looked for [s]; 0 to look for none.
        """
        self._largest = largest_offset
        super().__init__(row_source, settings)

    def reset(self) -> None:
        """Begin a new run: forget the payload and the delay, keep what a tare has taught."""
        super().reset()
        self.offset: TimeOffset | None = None
        looks = LOOKS if self._largest > 0.0 else ()
        self._looks = deque(max(1, round(seconds / self.settings.window)) for seconds in looks)
        self._line: DelayLine | None = None
        self._own: list[WrenchSamples] = []  # as they came, of the whole run while looks are due
        self._pending = deque[WrenchSamples]()  # windows that were not taken yet
        self._end = -np.inf  # of the newest window that was [s]

    @property
    def taken_out(self) -> float:
        """Delay of the wrench that is being taken out [s]."""
        return 0.0 if self._line is None else self._line.seconds

    def add(self, samples: WrenchSamples) -> None:  # type: ignore[override]  # of wrenches
        """Take in samples newer than all before; form the rows of every window they fill."""
        for _ in self.steps(samples):
            pass

    def steps(self, samples: WrenchSamples) -> Iterator[int]:
        """Take in samples as `add` does; give the number of windows after each window."""
        samples = self.rows.fitted(samples)
        samples = self._gate.let_through(samples)
        self._see(samples)
        self._own.append(samples)
        self._pending.extend(self._aligned_windows(samples))
        while self._pending:
            window = self._pending.popleft()
            self.take(window)
            self._end = float(window.stamp[-1])
            if self._looks and self.windows == self._looks[0]:
                self._looks.popleft()
                self._look()
            yield self.windows
        self._forget()

    def update(self, tell: Tell = nobody) -> WrenchEstimate:
        """Solve with all data so far; say what is wrong where the data are inconsistent."""
        if self._looks and self._line is None and self.offset is not None:
            if self.offset.significant:  # a hint that the data did not need so far
                self._look()
        newest = WrenchSamples.stacked(self._own) if self._own else None
        return judged(self, newest, self.offset, self._line is not None, tell)

    def with_confidence(self, estimate: Estimate) -> Estimate:
        """Return the newest estimate with confidence intervals; see the base."""
        if isinstance(estimate, WrenchEstimate):
            return wrench_with_confidence(self, estimate)
        return super().with_confidence(estimate)

    def replayed(self, samples: WrenchSamples, updates: Iterable[int]) -> Iterator[WrenchEstimate]:
        """Give the estimate at each update, as a live run with the same samples did.

        Args:
            samples: The recording.
            updates: Numbers of windows at which to update, increasing.
        """
        due = deque(updates)
        for start in range(0, len(samples), CHUNK):
            steps = self.steps(samples.part(start, start + CHUNK))
            more = True
            while more:
                while due and due[0] <= self.windows:
                    due.popleft()
                    yield self.update()
                more = next(steps, None) is not None
        for _ in due:
            yield self.update()

    def _aligned_windows(self, samples: WrenchSamples) -> list[WrenchSamples]:
        """Return the windows that samples fill, the delay taken out of them."""
        return self._cutter.add(samples if self._line is None else self._line.push(samples))

    def _look(self) -> None:
        """Estimate the delay from the windows so far; make their rows anew where it is another."""
        run = WrenchSamples.stacked(self._own)
        upto = int(np.searchsorted(run.stamp, self._end, side="right"))
        found = time_offset(run.part(0, upto), self._largest)
        if self._change.first or not np.isfinite(found.deviation):
            return
        self.offset = found
        if abs(found.seconds - self.taken_out) <= max(DEVIATIONS * found.deviation, LEAST_OFFSET):
            return
        if self._line is None and not excluded(self.present()):
            return
        pause = GAP_FRACTION * self.settings.window
        self._line = DelayLine(found.seconds, pause)
        self._cutter = WindowCutter(self.settings.window)
        self._remake(self._aligned_windows(run.part(0, upto)))
        self._pending = deque(self._aligned_windows(run.part(upto, len(run))))

    def _remake(self, windows: list[WrenchSamples]) -> None:
        """Let these windows stand for all of the run so far; it counts as many as before."""
        self._begin_payload(self._change)
        self._detector = replace(self._detector, since=(), consistent=False)
        first = self.windows - len(windows)
        with one_thread():
            for number, window in enumerate(windows, first):
                self._enter(number, self.rows.window(window))
        self._make_room()

    def _forget(self) -> None:
        """Drop samples that are not needed any more."""
        if self._looks or not self._own:
            return
        newest = self._own[-1].stamp[-1] if len(self._own[-1]) else np.inf
        while len(self._own) > 1 and self._own[0].stamp[-1] < newest - REMEMBERED:
            self._own.pop(0)
