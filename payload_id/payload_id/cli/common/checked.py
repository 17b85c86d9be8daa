"""Lines of what was looked at, as a table for people and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from rich.table import Table
from rich.text import Text

from ...core.recording_checks.check_result import CheckResult, Verdict
from .presentation import table_of

STYLES = {Verdict.GOOD: "green", Verdict.LOOK: "yellow", Verdict.WRONG: "bold red"}


def judged(
    subject: str, found: str, expected: str, do: str = "", verdict: Verdict = Verdict.WRONG
) -> CheckResult:
    """Return a line, good unless there is something to do, with its verdict then."""
    return CheckResult(subject, verdict if do else Verdict.GOOD, found, expected, do)


def any_wrong(lines: Sequence[CheckResult]) -> bool:
    """Tell whether one of them is wrong."""
    return any(line.verdict is Verdict.WRONG for line in lines)


def lines_table(lines: Sequence[CheckResult]) -> Table:
    """Return the lines, each with what to do where something is to be done."""
    words, found = list[Text](), list[Text]()
    for line in lines:
        style = STYLES[line.verdict]
        words.append(Text(line.verdict.value, style=style))
        found.append(Text(line.found).append(f"\n-> {line.do}" if line.do else "", style))
    subjects, expected = (
        [Text(x) for x in each]
        for each in zip(*((line.subject, line.expected) for line in lines), strict=True)
    )
    return table_of({"": subjects, "_": words, "found": found, "expected": expected}, 4)


def lines_json(lines: Sequence[CheckResult]) -> str:
    """Return them as one JSON object, with whether one is wrong."""
    return json.dumps({"wrong": any_wrong(lines), "lines": [asdict(line) for line in lines]})
