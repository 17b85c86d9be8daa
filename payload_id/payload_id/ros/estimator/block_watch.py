"""Whether blocks of samples arrive complete, from one sampler: apart from the node, without ROS."""

from __future__ import annotations

from dataclasses import dataclass

PARTING = 3.0  # without a block, after which a sampler is taken to have ended [s]


@dataclass
class BlockWatch:
    """Finds lost blocks by their numbers, and blocks of a second sampler.

    Attributes:
        blocks: Number of blocks received.
        lost_blocks: Number of blocks that are missing between them.
        lost_samples: Number of samples in those.
        restarts: How often the sampler has begun anew.
        others: Number of blocks of other samplers, which are not used.
        sampler: Number of the sampler that is listened to; None before its first block.
    """

    blocks: int = 0
    lost_blocks: int = 0
    lost_samples: int = 0
    restarts: int = 0
    others: int = 0
    sampler: int | None = None
    _heard: float = 0.0
    _next_sequence: int | None = None
    _next_index: int = 0

    def admit(self, sampler: int, now: float) -> bool:
        """Tell whether a block is of the sampler that is listened to.

        That is the one that was heard first, until it has been silent for `PARTING`.

        Args:
            sampler: The number that it drew.
            now: Time of arrival, by a steady clock [s].
        """
        if self.sampler is not None and sampler != self.sampler:
            if now - self._heard < PARTING:
                self.others += 1
                return False
            self.restarts += 1
            self._next_sequence = None
        self.sampler, self._heard = sampler, now
        return True

    def see(self, sequence: int, first_index: int, samples: int) -> int:
        """Take note of a block; return how many samples are missing before it."""
        missing = 0
        if self._next_sequence is not None:
            if sequence < self._next_sequence:
                self.restarts += 1
            else:
                self.lost_blocks += sequence - self._next_sequence
                missing = max(0, first_index - self._next_index)
        self.blocks += 1
        self.lost_samples += missing
        self._next_sequence, self._next_index = sequence + 1, first_index + samples
        return missing
