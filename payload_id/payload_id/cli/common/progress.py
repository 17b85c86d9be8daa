"""That something goes on, shown once it takes longer than a person likes to wait unasked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

AFTER = 2.0  # [s]


@contextmanager
def progress(what: str, terminal: Console | None = None) -> Iterator[Callable[..., object]]:
    """Show a bar with the time left on a terminal's standard error after `AFTER`, else nothing.

    Args:
        what: What goes on.
        terminal: Where; None: standard error.

    Yields:
        show: Takes the part that is done, None where that is not known, and a text; until it is
            called, the bar shows time only.
    """
    where = Console(stderr=True) if terminal is None else terminal
    if not where.is_terminal:
        yield lambda part, text="": None
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=where, transient=True)
    task = bar.add_task(what, total=None)
    timer = threading.Timer(AFTER, bar.start)
    timer.start()

    def show(part: float | None, text: str = "") -> None:
        bar.update(task, description=f"{what}: {text}" if text else what)
        if part is not None:
            bar.update(task, total=1.0, completed=part)

    try:
        yield show
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
