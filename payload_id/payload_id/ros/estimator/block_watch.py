"""Whether blocks of samples arrive complete, from one sampler: apart from the node, without ROS."""

from __future__ import annotations

from dataclasses import dataclass, replace

PARTING = 3.0  # without a block, after which a sampler is taken to have ended [s]


@dataclass(frozen=True)
class BlockWatch:
    """What is known of the blocks so far; lost ones are found by their numbers.

    Attributes:
        blocks: Number of blocks received.
        lost_blocks: Number of blocks that are missing between them.
        lost_samples: Number of samples in those.
        restarts: How often the sampler has begun anew.
        sampler: Number of the sampler that is listened to; None before its first block.
        heard: When its newest came, by a steady clock [s].
        next_sequence: Number that the next block should have.
        next_index: Number that its first sample should have.
    """

    blocks: int = 0
    lost_blocks: int = 0
    lost_samples: int = 0
    restarts: int = 0
    sampler: int | None = None
    heard: float = 0.0
    next_sequence: int = 0
    next_index: int = 0

    def admits(self, sampler: int, now: float) -> bool:
        """Tell whether what a sampler says now [s] counts.

        It does if it is the one that was heard first, until that has been silent for `PARTING`.
        """
        return self.sampler in (None, sampler) or now - self.heard >= PARTING

    def seen(
        self, sampler: int, sequence: int, first_index: int, samples: int, now: float
    ) -> tuple[BlockWatch, int]:
        """Return what is known with another block, and how many samples are missing before it."""
        begun_anew = self.sampler is not None and (
            sampler != self.sampler or sequence < self.next_sequence
        )
        is_next = self.sampler is not None and not begun_anew
        missing = max(0, first_index - self.next_index) if is_next else 0
        watch = replace(
            self,
            blocks=self.blocks + 1,
            lost_blocks=self.lost_blocks + (sequence - self.next_sequence if is_next else 0),
            lost_samples=self.lost_samples + missing,
            restarts=self.restarts + begun_anew,
            sampler=sampler,
            heard=now,
            next_sequence=sequence + 1,
            next_index=first_index + samples,
        )
        return watch, missing
