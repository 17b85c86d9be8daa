"""Lines of what was looked at, as a table for people and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from rich.table import Table
from rich.text import Text

from ...core.recording_checks.check_result import CheckResult, Verdict
from .presentation import plain_table

STYLES = {Verdict.GOOD: "green", Verdict.LOOK: "yellow", Verdict.WRONG: "bold red"}


def any_wrong(lines: Sequence[CheckResult]) -> bool:
    """Tell whether one of them is wrong."""
    return any(line.verdict is Verdict.WRONG for line in lines)


def lines_table(lines: Sequence[CheckResult]) -> Table:
    """Return the lines, each with what to do where something is to be done."""
    table = plain_table()
    for title in ("", "", "found", "expected"):
        table.add_column(title, no_wrap=not title)
    for line in lines:
        word = Text(line.verdict.value, style=STYLES[line.verdict])
        found = Text(line.found)
        if line.do:
            found.append(f"\n-> {line.do}", style=STYLES[line.verdict])
        table.add_row(line.subject, word, found, Text(line.expected))
    return table


def lines_json(lines: Sequence[CheckResult]) -> str:
    """Return them as one JSON object, with whether one is wrong."""
    return json.dumps({"wrong": any_wrong(lines), "lines": [asdict(line) for line in lines]})
