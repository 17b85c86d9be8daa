"""How well a loop keeps its period, and how old the states are when their torques are sent."""

from __future__ import annotations

import numpy as np

ALLOWED = 0.5e-3  # [s] by which 99 of 100 periods may be off
REMEMBERED = 500  # steps that figures are taken of


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

    def judged(self, design: float) -> tuple[dict[str, float], str]:
        """Return what the newest steps showed, and what is not as the proof has it.

        Args:
            design: Period of the robust design, which must hold a period and the delay [s].

        Returns:
            figures: By name; none before there are enough steps.
            doubt: Why torques act later than the proof counts on; empty if they do not.
        """
        if self._count < REMEMBERED:
            return {}, ""
        (periods, delays), wanted = 1e3 * self._seen, 1e3 * self._period
        error = float(np.percentile(np.abs(periods - wanted), 99))
        delay, doubt = float(np.percentile(delays, 99)), ""
        if error > 1e3 * ALLOWED:
            doubt = (
                f"The torque loop does not hold its period of {wanted:g} ms: 1 in 100 is off by "
                f"{error:.2f} ms or more, at most {1e3 * ALLOWED:g} ms are allowed. Leave it more "
                "of the processor, or allow it real-time scheduling"
            )
        elif wanted + delay > 1e3 * design:
            doubt = (
                f"States are {delay:.1f} ms old as their torques are sent; with the period that is "
                f"more than the {1e3 * design:g} ms of the robust design. Shorten the way to the "
                "arm, synchronise clocks, or make a design of a longer period"
            )
        figures = {
            "torque period, median [ms]": float(np.median(periods)),
            "torque period, error, 99th percentile [ms]": error,
            "torque period, largest [ms]": float(periods.max()),
            "age of states, 99th percentile [ms]": delay,
        }
        return figures, doubt
