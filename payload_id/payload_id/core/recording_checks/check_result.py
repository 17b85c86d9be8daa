"""One thing that was looked at."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Verdict(str, Enum):
    """What to think of it."""

    GOOD = "good"
    LOOK = "look"
    WRONG = "wrong"


@dataclass(frozen=True)
class CheckResult:
    """One thing that was looked at.

    Attributes:
        subject: What.
        verdict: Whether it is as it should be.
        found: What the recording or the description holds.
        expected: What it should hold.
        do: What to do; empty where nothing needs doing.
    """

    subject: str
    verdict: Verdict
    found: str
    expected: str
    do: str = ""


MOST_LISTED = 4  # names


def listed(names: list[str]) -> str:
    """Return names in a row, the first ones where there are many."""
    more = len(names) - MOST_LISTED
    return ", ".join(names[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
