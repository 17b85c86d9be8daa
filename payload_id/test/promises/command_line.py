"""The command line as its user meets it: in this process, which is quick, or in one of its own."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any
from unittest.mock import patch

COMMAND = next(iter(entry_points(group="console_scripts", name="payload-id")))


@dataclass(frozen=True)
class Answer:
    """Exit code and what was printed."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """All that was printed, in one line."""
        return " ".join(f"{self.out} {self.err}".split())


def call(*arguments: object) -> int:
    """Call `payload-id ARGUMENTS` in this process; return its exit code."""
    with patch.object(sys, "argv", ["payload-id", *map(str, arguments)]):
        try:
            code = COMMAND.load()()
        except SystemExit as end:
            code = end.code
    return int(code or 0)


def payload_id(capsys: Any, *arguments: object) -> Answer:
    """Call `payload-id ARGUMENTS` in this process; return what it printed, too."""
    capsys.readouterr()
    return Answer(call(*arguments), *capsys.readouterr())


def process(*arguments: object, folder: Path | None = None, timeout: float = 240.0) -> Answer:
    """Call `payload-id ARGUMENTS` in a process of its own, in a folder."""
    program = (
        "import sys; from importlib.metadata import entry_points as e; "
        "sys.exit(next(iter(e(group='console_scripts', name='payload-id'))).load()())"
    )
    line = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=timeout, cwd=folder)
    return Answer(done.returncode, done.stdout, done.stderr)


def is_one_sentence(answer: Answer) -> bool:
    """Whether a refusal is a short text with its exit code, and no traceback."""
    lines = [x for x in answer.err.splitlines() if x.strip()]
    return answer.code == 2 and 0 < len(lines) <= 12 and "Traceback" not in answer.text
