"""The intervals shrinking, live in the terminal."""

from __future__ import annotations

import math

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ...core.body.inertial import PARAMETERS
from ...core.identification.estimate import Estimate
from ...core.identification.status import NO_NUMBER
from ...files.figures.number_format import UNIT_TEXTS, digits, headline_lines, number
from .presentation import STYLES

BAR = 30  # characters of the widest interval
SLOW, SLOW_AFTER = 0.85, 2.0  # part of real time that is slow; [s] before that is said
DECADES = 2  # powers of ten that a bar shows


class LiveView:
    """Shows progress and the present intervals; one line a second where there is no terminal."""

    def __init__(self, console: Console, duration: float | None = None) -> None:
        """Prepare; `duration` is that of the motion [s], None for one that is not known."""
        self._console, self._duration = console, duration
        self._live = Live(console=console, refresh_per_second=8, transient=True)
        self._widest: list[float] | None = None
        self._printed = -1

    def __enter__(self) -> LiveView:
        """Begin to show."""
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        """End; what was shown live disappears."""
        if self._console.is_terminal:
            self._live.stop()

    def show(self, elapsed: float, estimate: Estimate | None, real: float) -> None:
        """Show the state after some simulated time, which took so much real time [s]."""
        if self._console.is_terminal:
            self._live.update(self._picture(elapsed, estimate, real))
        elif int(elapsed) > self._printed:
            self._printed = int(elapsed)
            self._console.print(_line(elapsed, estimate))

    def _picture(self, elapsed: float, estimate: Estimate | None, real: float) -> Group:
        """Return progress, verdict and bars."""
        lines: list[RenderableType] = []
        if self._duration is None:
            lines.append(_state(estimate))
        else:
            moved = min(elapsed, self._duration)
            head = Table.grid(padding=(0, 1))
            bar = ProgressBar(total=self._duration, completed=moved, width=40)
            head.add_row(f"moving {moved:4.1f} s", bar, _state(estimate))
            lines.append(head)
            if real > SLOW_AFTER and elapsed < SLOW * real:
                lines.append(Text(_slowness(moved, self._duration, elapsed / real), style="yellow"))
        return Group(*lines, *([] if estimate is None else [self._bars(estimate)]))

    def _bars(self, estimate: Estimate) -> Table:
        """Return the half-width of each interval as a number and as a bar, on a log scale."""
        widths = [float(x) for x in estimate.half_width]
        if self._widest is None and all(map(math.isfinite, widths)):
            self._widest = widths
        table = Table(box=None, show_header=True, header_style="dim", padding=(0, 1))
        for title in ("", "estimate", "±", "", "half-width (logarithmic)"):
            table.add_column(title, justify="right" if title in ("estimate", "±") else "left")
        for k, width in enumerate(widths):
            decimals = digits(width)
            table.add_row(
                PARAMETERS[k],
                number(float(estimate.phi[k]), decimals),
                number(float(estimate.reach[k]), decimals),
                UNIT_TEXTS[k],
                _bar(width, None if self._widest is None else self._widest[k]),
            )
        return table


def _slowness(moved: float, duration: float, speed: float) -> str:
    """Say how far a slow machine is."""
    return f"simulated {moved:.1f} of {duration:g} s, at {speed:.1f} of real time"


def _bar(width: float, widest: float | None) -> Text:
    """Return a bar that loses BAR / DECADES characters for every factor of ten."""
    if widest is None or not (width > 0 and widest > 0):
        return Text("")
    part = 1.0 + math.log10(width / widest) / DECADES
    return Text("█" * max(1, round(BAR * min(max(part, 0.0), 1.0))), style="blue")


def _state(estimate: Estimate | None) -> Text:
    """Return the verdict so far."""
    if estimate is None:
        return Text("waiting for the first estimate", style="dim")
    word = estimate.status.words
    return Text(f"{word} after {estimate.seconds:.1f} s of data", STYLES[estimate.status])


def _line(elapsed: float, estimate: Estimate | None) -> str:
    """Return the state in one line."""
    if estimate is None or estimate.headline is None or estimate.status in NO_NUMBER:
        return f"{elapsed:4.1f} s  {_state(estimate)}"
    return f"{elapsed:4.1f} s  mass {headline_lines(estimate.headline)[0]}  {_state(estimate)}"
