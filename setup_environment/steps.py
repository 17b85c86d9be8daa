"""Running the tools of the set-up: short progress on stderr, everything else in the log."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

LOOK = 0.25  # [s] between two looks at a tool that runs
EVERY = 20.0  # [s] between two lines of progress where there is no terminal
WIDTH = 24  # characters of the bar
TAIL_LINES = 6  # lines of a failed tool's output that are shown; the log has all of them


class SetupError(Exception):
    """The set-up cannot go on; the text is one sentence: what is wrong and what to do."""


def say(text: str, end: str = "\n") -> None:
    """Print a line of progress, as stdout is the command's; a carriage return keeps it one line."""
    if sys.stderr.isatty():
        print("\033[K", end="", file=sys.stderr)
        text = text[: shutil.get_terminal_size().columns - 14] if end == "\r" else text
    print(f"payload-id: {text}", end=end, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Runner:
    """Runs tools one after the other.

    Args:
        log: File that their output is appended to.
        environment: Returns their environment variables, which change as packages are installed.
        lock_fd: Descriptor of the set-up lock. Tools inherit it, so that the lock is held as long
            as any of them lives, even if this process is killed.
        weights: Steps, and about how long each takes [s]; only their proportions count.
        start: When the first one began [s].
    """

    log: Path
    environment: Callable[[], dict[str, str]]
    lock_fd: int
    weights: dict[str, float]
    start: float = field(default_factory=time.monotonic)

    def run(
        self, step: str, command: Sequence[object], remedy: str, folder: Path | None = None
    ) -> None:
        """Announce and run one tool, in a process group of its own that ends with us.

        Args:
            step: What is being done, for the announcement and the report of a failure.
            command: The command line.
            remedy: What the user can do if the tool fails.
            folder: Where to run it.

        Raises:
            SetupError: It failed; tells its last words, the log and the remedy.
        """
        say(f"{step} ...")
        started = shown = time.monotonic()
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("a") as log:
            print(f"\n## {step}\n$ {' '.join(map(str, command))}", file=log, flush=True)
            begin = log.tell()
            process = subprocess.Popen(
                [*map(str, command)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=folder,
                env=self.environment(), pass_fds=(self.lock_fd,), start_new_session=True,
            )  # fmt: skip
            try:
                while process.poll() is None:
                    time.sleep(LOOK)
                    if sys.stderr.isatty() or time.monotonic() - shown >= EVERY:
                        shown = time.monotonic()
                        self.show(step, shown - started, begin)
            except BaseException:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait()
                raise
            print(
                f"## exit code {process.returncode}, {time.monotonic() - started:.1f} s", file=log
            )
        if process.returncode:
            lines = lines_since(self.log, begin)[:-1]
            errors = [x for x in lines if "error" in x.lower() and "errors" not in x.lower()]
            said = "".join(f"\n    {line}" for line in (errors or lines)[-TAIL_LINES:])
            where = f"\n  Details: {self.log}\n  What to do: {remedy}"
            raise SetupError(f"{step} did not work.{said}{where}")

    def show(self, step: str, lasted: float, begin: int) -> None:
        """Say how far the set-up is and what the tool, which began at a place in the log, said."""
        elapsed = time.monotonic() - self.start
        part = self.part(step, elapsed, lasted)
        bar, left = "#" * round(part * WIDTH), elapsed * (1.0 / max(part, 0.01) - 1.0)
        last = (lines_since(self.log, begin) or [""])[-1]
        said = f"[{bar:.<{WIDTH}}] {part:.0%}, about {left:.0f} s left | {last}"
        say(said, "\r" if sys.stderr.isatty() else "\n")

    def part(self, step: str, elapsed: float, lasted: float) -> float:
        """Return the part that is done, which never goes back: it is reckoned by time alone.

        Args:
            step: The step that is being done; the pace is that of the steps before it.
            elapsed: How long the set-up has lasted [s].
            lasted: How long the step has lasted [s].
        """
        names, own = [*self.weights, step], self.weights.get(step, 0.0)
        before = sum(self.weights[name] for name in names[: names.index(step)])
        usual = own * (elapsed - lasted) / before if before else own
        return (before + own * lasted / (lasted + usual + LOOK)) / sum(self.weights.values())


def lines_since(log: Path, begin: int) -> list[str]:
    """Return what a tool has printed into the log since a place in it, without empty lines."""
    with log.open("rb") as file:
        file.seek(begin)
        text = file.read().decode(errors="replace")
    lines = ["".join(x for x in line if x.isprintable()).strip() for line in text.splitlines()]
    return [line for line in lines if line]
