"""A team as a row source: windows of all robots into rows on the payload in the first one's frame.

Frames and clocks come first (`refine`, `pair`): a source holds them as they are known
now, and what is left open of them is nuisance. When more is known of them, a new source makes the
rows of all windows anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Array
from ..body.payload_prior import PayloadPrior
from ..errors import RecordingError
from ..rows.gate import Gate
from ..rows.row_block import RowBlock
from .closed_form.correlation import freed
from .rows import CHANNELS, NUISANCES, TeamRows
from .windows import Windows


@dataclass(frozen=True)
class TeamSource:
    """Makes rows whose errors are bounded.

    Attributes:
        rows: Frames, clocks and bounds.
        robots: Names of the robots, the reference first.
        prior: Box that holds the payload, about the first robot's grasp frame.
    """

    rows: TeamRows
    robots: tuple[str, ...]
    prior: PayloadPrior

    @property
    def p(self) -> int:
        """Number of nuisance parameters."""
        return int(np.count_nonzero(self.rows.half_width))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the nuisance parameters, such as "omnid2.clock"."""
        robots, kinds = np.nonzero(self.rows.half_width)
        return tuple(f"{self.robots[i]}.{NUISANCES[k]}" for i, k in zip(robots, kinds, strict=True))

    @property
    def growth(self) -> Array:
        """How the error of each channel's rows grows: it does not, shape (C, p)."""
        return np.zeros((len(self.channels), self.p))

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of what is measured, at rest and in motion."""
        return (*CHANNELS, *(f"{name} in motion" for name in CHANNELS))

    @property
    def frame(self) -> str:
        """Frame in which phi is expressed."""
        return self.robots[0]

    def gate(self, pause: float) -> Gate:
        """Return what lets all windows through: samples were judged before."""
        return _EveryWindow()

    def fitted(self, samples: Any) -> Windows:
        """Return the windows.

        Raises:
            RecordingError: They are something else.
        """
        if not isinstance(samples, Windows):
            raise RecordingError(
                f"Rows of a team need its Windows; found {type(samples).__name__}."
            )
        return samples

    def of_estimate(self, windows: Windows) -> RowBlock:
        """Return rows for a point estimate, with independent errors."""
        block = self.rows.of_estimate(windows)
        return freed(block, windows.start, self.prior.typical)

    def window(self, samples: Windows) -> RowBlock:
        """Return the rows of one or more windows: Newton-Euler, and forces that hold at rest."""
        bounded = np.array([frame.known for frame in self.rows.frame_bounds])
        sure = samples.take(np.flatnonzero((bounded[:, None] | ~samples.holding).all(axis=0)))
        block = RowBlock.stack([self.rows.of_bounds(sure), self.rows.lifts(samples)])
        return block.take(np.isfinite(block.d) & np.isfinite(block.A_error).all(axis=1))


class _EveryWindow:
    """Lets everything through."""

    def __init__(self) -> None:
        self.dropped: Mapping[str, int] = {}

    def let_through(self, samples: Any) -> Any:
        """Return the samples."""
        return samples
