"""The intervals shrinking, live in the terminal."""

from __future__ import annotations

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ...core.identification.estimate import Estimate
from ...core.identification.status import NO_NUMBER
from .presentation import STYLES, estimate_table


class LiveView:
    """Shows progress and the present intervals; one line a second where there is no terminal."""

    def __init__(self, console: Console, duration: float | None = None) -> None:
        """Prepare; `duration` is that of the motion [s], None for one that is not known."""
        self._console, self._duration = console, duration
        self._live = Live(console=console, refresh_per_second=8, transient=True)
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

    def show(self, elapsed: float, estimate: Estimate | None) -> None:
        """Show the state after some time [s], of the simulation if there is one."""
        if self._console.is_terminal:
            self._live.update(self._picture(elapsed, estimate))
        elif int(elapsed) > self._printed:
            self._printed = int(elapsed)
            self._console.print(_line(elapsed, estimate))

    def _picture(self, elapsed: float, estimate: Estimate | None) -> Group:
        """Return progress, verdict and intervals."""
        head = Table.grid(padding=(0, 1))
        if self._duration is None:
            head.add_row(_state(estimate))
        else:
            moved = min(elapsed, self._duration)
            bar = ProgressBar(total=self._duration, completed=moved, width=40)
            head.add_row(f"moving {moved:4.1f} s", bar, _state(estimate))
        shown = () if estimate is None else (estimate_table(estimate, None, self._console.width),)
        return Group(head, *shown)


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
    return f"{elapsed:4.1f} s  mass {estimate.headline.lines[0]}  {_state(estimate)}"
