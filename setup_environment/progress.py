"""How far the set-up is: a bar with the time left and the log's last line."""

from __future__ import annotations

import re
import shutil
import sys
import time
from pathlib import Path
from typing import TextIO

# About how long the steps take [s], by how their names begin; only their proportions count.
USUAL = {
    "creating the Python environment": 4.0,
    "installing the installer": 4.0,
    "installing the pinned packages": 45.0,
    "compiling modules": 12.0,
    "building": 30.0,
    "updating": 4.0,
    "": 20.0,
}
WHOLE = tuple(USUAL)[:5]  # of a first start
WIDTH = 24  # characters of the bar
ALMOST = 0.95  # part of a step that is shown at the most while it lasts
EVERY = 20.0  # [s] between two lines where there is no terminal
TAIL = 2000  # bytes of the log in which its last line is looked for


def usual(step: str) -> float:
    """Return about how long a step takes [s]."""
    return next(seconds for begin, seconds in USUAL.items() if step.startswith(begin))


class Bar:
    """Progress over several steps; speed is learnt from the steps that are done."""

    def __init__(self, planned: tuple[str, ...], stream: TextIO | None = None) -> None:
        """Begin; `planned` are the steps to come, as far as they are known."""
        self._stream = sys.stderr if stream is None else stream
        self._left = {step: usual(step) for step in planned}
        self._done = 0.0
        self._start = self._began = self._said = time.monotonic()
        self._step, self._weight = "", 0.0

    def begin(self, step: str) -> None:
        """Note that a step begins."""
        self._step, self._weight = step, usual(step)
        self._left = {x: w for x, w in self._left.items() if not step.startswith(x)}
        self._began = self._said = time.monotonic()

    def end(self) -> None:
        """Note that it has ended."""
        self._done += self._weight
        self._weight = 0.0
        if self._stream.isatty():
            self._stream.write("\r\033[K")
            self._stream.flush()

    def part(self, now: float, counted: float | None = None) -> float:
        """Return the part that is done at a time, between 0 and 1.

        Args:
            now: The time [s].
            counted: What the step's tool says of its own part; None: it does not say.
        """
        pace = (self._began - self._start) / self._done if self._done else 1.0
        inside = (now - self._began) / max(pace * self._weight, 1e-3)
        inside = min(inside if counted is None else counted, ALMOST)
        total = self._done + self._weight + sum(self._left.values())
        return (self._done + inside * self._weight) / max(total, 1e-3)

    def show(self, log: Path) -> None:
        """Draw the bar, or now and then a line where there is no terminal."""
        now = time.monotonic()
        words = last_line(log)
        part = self.part(now, counted(words))
        left = (now - self._start) * (1.0 / part - 1.0) if part > 0.0 else 0.0
        if not self._stream.isatty():
            if now - self._said >= EVERY:
                self._said = now
                self._stream.write(f"payload-id:   {_words(part, left, words)}\n")
                self._stream.flush()
            return
        filled = round(part * WIDTH)
        line = f"[{'#' * filled}{'.' * (WIDTH - filled)}] {_words(part, left, words)}"
        width = shutil.get_terminal_size().columns - 1
        self._stream.write(f"\r\033[K{line[:width]}")
        self._stream.flush()


def _words(part: float, left: float, words: str) -> str:
    """Return how far it is, and the log's last line."""
    return f"{part:.0%}, about {left:.0f} s left | {words}"


def counted(words: str) -> float | None:
    """Return the part that a compiler's line such as "[54/216] Building ..." tells; else None."""
    found = re.match(r"\[(\d+)/(\d+)\]", words)
    return int(found[1]) / max(int(found[2]), 1) if found else None


def last_line(log: Path) -> str:
    """Return the last line of a log that says something."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - TAIL))
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    lines = [line.strip() for line in text.replace("\r", "\n").splitlines() if line.strip()]
    last = lines[-1] if lines else ""
    return "".join(letter for letter in last if letter.isprintable())
