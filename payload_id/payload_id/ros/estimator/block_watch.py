"""Whether blocks of samples arrive complete: kept apart from the node, without ROS."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class BlockWatch:
    """Finds lost blocks by their numbers.

    Attributes:
        blocks: Number of blocks received.
        lost_blocks: Number of blocks that are missing between them.
        lost_samples: Number of samples in those.
        restarts: How often the sampler has begun anew.
    """

    blocks: int = 0
    lost_blocks: int = 0
    lost_samples: int = 0
    restarts: int = 0
    _next_sequence: int | None = None
    _next_index: int = 0

    def see(self, sequence: int, first_index: int, samples: int) -> int:
        """Take note of a block; return how many samples are missing before it."""
        missing = 0
        if self._next_sequence is not None:
            if sequence < self._next_sequence:
                self.restarts += 1
            else:
                self.lost_blocks += sequence - self._next_sequence
                missing = first_index - self._next_index
        self.blocks += 1
        self.lost_samples += missing
        self._next_sequence, self._next_index = sequence + 1, first_index + samples
        return missing
