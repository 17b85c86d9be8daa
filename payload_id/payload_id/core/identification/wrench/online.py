"""Identification from a force-torque sensor as samples arrive, its delay estimated on the way."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np

from ...rows.windows import GAP_FRACTION, TimedSamples, WindowCutter
from ...rows.wrench.newton_euler import NewtonEulerRows
from ...samples.delay_line import DelayLine
from ...samples.wrench_samples import WrenchSamples
from ..estimate import Estimate
from ..problem import Callback, no_op
from ..settings import Settings
from .alignment import DEVIATIONS, LARGEST_OFFSET, LEAST_OFFSET, time_offset
from .identify import WrenchIdentifier, delay_explains

LOOKS = (2.5, 5.0, 10.0, 20.0)  # [s] of windows after which the delay is estimated anew


class OnlineWrench(WrenchIdentifier):
    """One run after another from a force-torque sensor.

    A delay of the wrench against the motion is estimated from the run's beginning, after each of
    `LOOKS`. Where it is clearly another than the one that is being taken out, and no payload
    explains the data without any, the rows are made anew from the samples of the run, which are
    kept until the last look; an update looks again at a delay that the data did not exclude to be
    none. All of that depends on the samples and the numbers of windows at updates only.
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
        self.offset = None
        looks = LOOKS if self._largest > 0.0 else ()
        self._looks = deque(max(1, round(seconds / self.settings.window)) for seconds in looks)
        self._line: DelayLine | None = None
        self.shifted = False
        self._own: list[WrenchSamples] = []  # as they came, while looks are due
        self._pending = deque[WrenchSamples]()  # windows that were not taken yet
        self._end = -np.inf  # of the newest window that was [s]

    @property
    def taken_out(self) -> float:
        """Delay of the wrench that is being taken out [s]."""
        return 0.0 if self._line is None else self._line.seconds

    def add(self, samples: TimedSamples) -> None:
        """Take in samples newer than all before; form the rows of every window they fill."""
        for window in self.cut(samples):
            self.take(window)

    def cut(self, samples: TimedSamples) -> Iterator[WrenchSamples]:
        """Give the windows that samples fill; each is to be taken before the next is asked for."""
        own = self._gate.let_through(self.rows.fitted(samples))
        self._see(own)
        if self._looks:
            self._own.append(own)
        self._pending.extend(self._aligned_windows(own))
        while self._pending:
            yield self._pending.popleft()
        if not self._looks:
            self._own.clear()

    def take(self, window: TimedSamples) -> None:
        """Form the rows of one window, and look at the delay if that is due."""
        super().take(window)
        self._end = float(window.stamp[-1])
        if self._looks and self.windows == self._looks[0]:
            self._looks.popleft()
            self._look()

    def update(self, callback: Callback = no_op) -> Estimate:
        """Solve with all data so far; look again at a delay that they did not need until now."""
        hint = self.offset is not None and self.offset.significant
        if self._looks and self._line is None and hint:
            self._look()
        return super().update(callback)

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
        so_far = run.part(0, upto)
        late = found.seconds, so_far, self.rows, self.settings
        if self._line is None and not delay_explains(*late):
            return
        pause = GAP_FRACTION * self.settings.window
        self._line, self.shifted = DelayLine(found.seconds, pause), True
        self._cutter = WindowCutter(self.settings.window)
        self.remake(self._aligned_windows(so_far))
        self._pending = deque(self._aligned_windows(run.part(upto, len(run))))
