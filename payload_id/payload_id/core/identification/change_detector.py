"""Detects that the payload of a run has changed, and keeps why else its data are inconsistent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..diagnosis import Diagnosis
from ..rows.row_block import RowBlock

CHANGE_WINDOWS = 600  # windows in which a change of the payload is looked for
CHANGE_SECONDS = 1.0  # of data that a new payload must explain before a run begins with it


@dataclass(frozen=True)
class PayloadChange:
    """Since when the present payload is in the hand.

    Attributes:
        first: Number of the first window in which only this one was seen.
        note: One sentence that says so; empty if there was no other before.
        start: Time at which that window begins [s].
    """

    first: int = 0
    note: str = ""
    start: float = float("-inf")


@dataclass(frozen=True)
class ChangeDetector:
    """What there is to tell a change of the payload by, and the last diagnosis.

    Attributes:
        since: Windows since the last consistent update, with their numbers, the newest only.
        consistent: Whether there was a consistent update of this payload.
        diagnosis: Why the rows are inconsistent; None if they are not, as far as is known.
        inconsistent_since: Number of windows when that was first looked for.
        look_again: Number of windows from which on it is to be looked for anew.
    """

    since: tuple[tuple[int, RowBlock], ...] = ()
    consistent: bool = False
    diagnosis: Diagnosis | None = None
    inconsistent_since: int = 0
    look_again: int = 0

    def with_window(self, number: int, block: RowBlock) -> ChangeDetector:
        """Return the detector with the rows of one more window."""
        return replace(self, since=(*self.since[-CHANGE_WINDOWS + 1 :], (number, block)))

    def blocks_from(self, number: int) -> list[RowBlock]:
        """Return the rows of the windows from some number on, of data of these windows only."""
        return since_first([block for k, block in self.since if k >= number])

    def diagnosis_at(self, windows: int) -> Diagnosis | None:
        """Return the last diagnosis if it still serves at some number of windows."""
        return self.diagnosis if windows < self.look_again else None

    def settled(self, windows: int, first: int) -> ChangeDetector:
        """Return the detector after a consistent update.

        Args:
            windows: Number of windows that it took into account.
            first: Number of the first window of this payload.
        """
        return ChangeDetector(
            since=tuple(entry for entry in self.since if entry[0] >= windows),
            consistent=self.consistent or windows > first,
        )

    def diagnosed(self, windows: int, found: Diagnosis, window: float) -> ChangeDetector:
        """Return the detector after a diagnosis.

        It serves until there is twice as much inconsistent data as when it was made.

        Args:
            windows: Number of windows that it took into account.
            found: The diagnosis.
            window: Length of a window [s].
        """
        if found is self.diagnosis:
            return self
        since = windows if self.diagnosis is None else self.inconsistent_since
        least = max(1, round(CHANGE_SECONDS / window))
        return replace(
            self,
            diagnosis=found,
            inconsistent_since=since,
            look_again=windows + max(least, windows - since),
        )


def since_first(blocks: Sequence[RowBlock]) -> list[RowBlock]:
    """Return the rows of windows that have no data from before the first of them."""
    return [block.since(float(blocks[0].start[0])) for block in blocks]
