"""What a cause gives: findings, each a hypothesis and how far it goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from .evidence import Evidence


@dataclass(frozen=True)
class Finding:
    """One hypothesis and how far it goes.

    Attributes:
        cause: Name of the cause.
        factor: The smallest noise factor if it is true.
        freedoms: How many numbers it leaves free.
        sentence: What is wrong and what to do; "{joint}" stands for the joint's name.
        joint: The joint that it is about; None if it is about none.
        start: When it begins [s]; -inf if from the start.
        end: When it ends [s]; inf if it does not.
    """

    cause: str
    factor: float
    freedoms: int
    sentence: str
    joint: int | None = None
    start: float = float("-inf")
    end: float = float("inf")

    def named(self, joints: Sequence[str]) -> str:
        """Return the sentence with the joint's name."""
        return self.sentence.replace("{joint}", self._joint(joints))

    def label(self, joints: Sequence[str]) -> str:
        """Return the cause's name and the joint's."""
        return f"{self.cause} ({self._joint(joints)})" if self.joint is not None else self.cause

    def _joint(self, joints: Sequence[str]) -> str:
        return "" if self.joint is None else joints[self.joint]


class Cause(Protocol):
    """One kind of broken assumption.

    Attributes:
        name: How it is reported.
    """

    name: str

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        """Give every hypothesis of this kind with the factor that it leaves."""
        ...
