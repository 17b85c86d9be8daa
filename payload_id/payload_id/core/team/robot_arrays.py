"""Arrays of N robots over K stretches of team time: what blocks and windows are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from typing_extensions import Self

from ..arrays import Array, BoolArray


@dataclass(frozen=True)
class RobotArrays:
    """Arrays of shape (K,), or (N, K, ...), which subclasses add.

    Attributes:
        present: Whether a robot gave all samples of a stretch, shape (N, K).
        shift: Clock offset that was taken out, shape (N, K) [s].
    """

    present: BoolArray
    shift: Array

    def __len__(self) -> int:
        return self.present.shape[1]

    def take(self, chosen: Array | BoolArray | slice) -> Self:
        """Return some of the stretches."""
        return type(self)(
            **{name: v[chosen] if v.ndim == 1 else v[:, chosen] for name, v in vars(self).items()}
        )

    def of_robots(self, chosen: list[int]) -> Self:
        """Return those of some robots."""
        return type(self)(**{n: v if v.ndim == 1 else v[chosen] for n, v in vars(self).items()})

    def joined(self, newer: Self) -> Self:
        """Return both; robots that these do not have are absent in them."""
        more = len(newer.present) - len(self.present)
        columns = {}
        for name, old in vars(self).items():
            if old.ndim > 1:
                old = np.concatenate([old, np.zeros((more, *old.shape[1:]), old.dtype)])
            columns[name] = np.concatenate([old, getattr(newer, name)], axis=min(old.ndim - 1, 1))
        return type(self)(**columns)
