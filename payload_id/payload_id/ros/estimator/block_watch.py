"""Whether blocks of samples arrive complete, from one sampler: apart from the node, without ROS."""

from __future__ import annotations

from dataclasses import dataclass

PARTING = 3.0  # without a block, after which a sampler is taken to have ended [s]


@dataclass(frozen=True)
class BlockWatch:
    """What is known of the blocks so far; lost samples are found by their numbers.

    Attributes:
        sampler: Number of the sampler that is listened to; None before its first block.
        heard: When its newest came, by a steady clock [s].
        next_index: Number that the first sample of the next one should have.
    """

    sampler: int | None = None
    heard: float = 0.0
    next_index: int = 0

    def admits(self, sampler: int, now: float) -> bool:
        """Tell whether what a sampler says now [s] counts.

        It does if it is the one that was heard first, until that has been silent for `PARTING`.
        """
        return self.sampler in (None, sampler) or now - self.heard >= PARTING

    def seen(
        self, sampler: int, first_index: int, samples: int, now: float
    ) -> tuple[BlockWatch, int]:
        """Return what is known with another block, and how many samples are missing before it."""
        missing = max(0, first_index - self.next_index) if sampler == self.sampler else 0
        return BlockWatch(sampler, now, first_index + samples), missing
