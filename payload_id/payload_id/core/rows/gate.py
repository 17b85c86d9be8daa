"""What lets samples through to the rows: false ones are left out and counted, by cause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


class Gate(Protocol):
    """Judges the samples of one run in their order, however they come in pieces.

    Attributes:
        dropped: Number of samples left out, by cause.
    """

    dropped: Mapping[str, int]

    def let_through(self, samples: Any) -> Any:
        """Return those of newer samples that rows may be made of."""
        ...


@dataclass
class OpenGate:
    """Lets everything through."""

    dropped: Mapping[str, int] = field(default_factory=dict)

    def let_through(self, samples: Any) -> Any:
        """Return the samples."""
        return samples


def note_of(dropped: Mapping[str, int]) -> str:
    """Say what was left out, one sentence; empty if nothing was."""
    if not dropped:
        return ""
    causes = ", ".join(f"{count} with {cause}" for cause, count in sorted(dropped.items()))
    return f"False samples were left out: {causes}."
