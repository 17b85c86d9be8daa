"""How well a loop keeps its period, and how old the states are when their torques are sent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

ALLOWED = 0.5e-3  # [s] by which 99 of 100 periods may be off
REMEMBERED = 2000  # steps that figures are taken of
LEAST = 100  # steps before which nothing is judged


@dataclass(frozen=True)
class LoopFigures:
    """What the newest steps showed.

    Attributes:
        steps: How many of them.
        period: Period that is to be kept [s].
        median: Of the periods [s].
        error: 99th percentile of |period - wanted| [s].
        largest: Longest period [s].
        delay: 99th percentile of the age of the state, by its stamp, as its torque is sent [s].
    """

    steps: int
    period: float
    median: float
    error: float
    largest: float
    delay: float

    @property
    def holds(self) -> bool:
        """Whether the period is held, as far as that can be told."""
        return self.steps < LEAST or self.error <= ALLOWED

    def doubt(self, design: float) -> str:
        """Return why torques act later than the proof counts on; empty if they do not.

        Args:
            design: Period of the robust design, which must hold a period and the delay [s].
        """
        if not self.holds:
            return (
                f"The torque loop does not hold its period of {1e3 * self.period:g} ms: 1 in 100 "
                f"is off by {1e3 * self.error:.2f} ms or more, at most {1e3 * ALLOWED:g} ms are "
                "allowed. Leave it more of the processor, or allow it real-time scheduling"
            )
        if self.steps >= LEAST and self.period + self.delay > design:
            return (
                f"States are {1e3 * self.delay:.1f} ms old as their torques are sent; with the "
                f"period that is more than the {1e3 * design:g} ms of the robust design. Shorten "
                "the way to the arm, synchronise clocks, or make a design of a longer period"
            )
        return ""


class PeriodWatch:
    """Remembers the newest steps of a loop."""

    def __init__(self, period: float) -> None:
        """Remember nothing yet; `period` is the one to be kept [s]."""
        self._period = period
        self._last: float | None = None
        self._seen = np.empty((2, REMEMBERED))  # periods and delays, the oldest is written over
        self._count = 0

    def pause(self) -> None:
        """Let the time until the next step not count."""
        self._last = None

    def step(self, now: float, delay: float) -> None:
        """Note a step.

        Args:
            now: When it was made, by a clock that nobody sets [s].
            delay: Age of its state [s].
        """
        if self._last is not None:
            self._seen[:, self._count % REMEMBERED] = now - self._last, delay
            self._count += 1
        self._last = now

    def figures(self) -> LoopFigures:
        """Return what the newest steps showed."""
        if not self._count:
            return LoopFigures(0, self._period, 0.0, 0.0, 0.0, 0.0)
        periods, delays = self._seen[:, : self._count]
        return LoopFigures(
            len(periods),
            self._period,
            float(np.median(periods)),
            float(np.percentile(np.abs(periods - self._period), 99)),
            float(periods.max()),
            float(np.percentile(delays, 99)),
        )
