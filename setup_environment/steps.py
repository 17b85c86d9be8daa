"""Running the tools of the set-up: short progress on stderr, everything else in the log."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from setup_environment.progress import Bar

LOOK = 0.25  # [s] between two looks at a tool that runs
TAIL_LINES = 6  # lines of a failed tool's output that are shown; the log has all of them


class SetupError(Exception):
    """The set-up cannot go on; the text is one sentence: what is wrong and what to do."""


class StepFailed(SetupError):
    """A tool of the set-up failed; holds the end of what it printed."""

    def __init__(self, step: str, tail: Sequence[str], log: Path, remedy: str) -> None:
        """Compose the report: the failing step, its last words, the log and the remedy."""
        lines = [f"set-up failed while {step}.", *(f"    {line}" for line in tail)]
        lines += [f"  Details: {log}", f"  What to do: {remedy}"]
        super().__init__("\n".join(lines))


def say(text: str) -> None:
    """Print a line of progress; stdout belongs to the command."""
    print(f"payload-id: {text}", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Runner:
    """Runs tools one after the other.

    Args:
        log: File that their output is appended to.
        environment: Their environment variables.
        lock_fd: Descriptor of the set-up lock. Tools inherit it, so that the lock is held as long
            as any of them lives, even if this process is killed.
        bar: How far all of them are.
    """

    log: Path
    environment: dict[str, str]
    lock_fd: int | None = None
    bar: Bar = field(default_factory=lambda: Bar(()))

    def run(
        self, step: str, command: Sequence[str | Path], remedy: str, folder: Path | None = None
    ) -> None:
        """Announce and run one tool, or raise `StepFailed`.

        Args:
            step: What is being done, for the announcement and the report of a failure.
            command: The command line.
            remedy: What the user can do if the tool fails.
            folder: Where to run it.
        """
        say(f"{step} ...")
        started = time.monotonic()
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("a+b") as log:
            log.write(f"\n## {step}\n$ {' '.join(map(str, command))}\n".encode())
            log.flush()
            begin = log.tell()
            self.bar.begin(step)
            try:
                code = self._wait(command, log, folder)
            finally:
                self.bar.end()
            log.write(f"## exit code {code}, {time.monotonic() - started:.1f} s\n".encode())
            if code:
                log.seek(begin)
                words = log.read().decode(errors="replace").splitlines()[:-1]
                raise StepFailed(step, telling_lines(words), self.log, remedy)

    def _wait(self, command: Sequence[str | Path], log: BinaryIO, folder: Path | None) -> int:
        """Start a tool in a process group of its own and see to it that it ends with us."""
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=self.environment,
            pass_fds=() if self.lock_fd is None else (self.lock_fd,),
            start_new_session=True,
        )
        try:
            while True:
                try:
                    return process.wait(LOOK)
                except subprocess.TimeoutExpired:
                    self.bar.show(self.log)
        except BaseException:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
            raise


def telling_lines(output: Sequence[str]) -> list[str]:
    """Pick the lines of a failed tool's output that tell why: errors if any, else the last ones."""
    lines = [line.rstrip() for line in output if line.strip()]
    errors = [line for line in lines if "error" in line.lower() and "errors" not in line.lower()]
    return (errors or lines)[-TAIL_LINES:]
