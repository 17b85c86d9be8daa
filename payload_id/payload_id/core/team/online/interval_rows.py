"""Bounds on a team's payload from its windows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...bounds import Bounds, Interval, Memory
from ...bounds.feasibility import smallest_noise_factor
from ...bounds.least_squares_image import image
from ...bounds.scaled_rows import ScaledRows
from ...identification.online import OnlineIdentifier
from ...identification.settings import Settings
from ...identification.width import width_in_words
from ...rows.row_block import RowBlock
from ..estimate import Finding
from ..source import TeamSource
from ..windows import Windows
from .settings import NONE, TeamSettings

IMAGES = 8  # of narrowing


@dataclass(frozen=True)
class Contradiction:
    """That data contradicted the bounds or each other: more of them do not take that back.

    Attributes:
        time: Team time of the update that found it [s].
        findings: Of then.
        message: Of then.
    """

    time: float
    findings: tuple[Finding, ...]
    message: str

    @property
    def sentence(self) -> str:
        """It, as one of later times."""
        return (
            f"Data until {self.time:.1f} s of team time contradicted the stated bounds or each "
            "other, which later data do not take back. Say who left, or when something touched "
            f"the payload; or remove the cause and reset. Said then: {self.message}"
        )


@dataclass(frozen=True)
class Known:
    """What earlier updates have shown.

    Attributes:
        interval: Of phi in {1}.
        contradiction: The newest one; None: there was none.
    """

    interval: Interval
    contradiction: Contradiction | None = None


def interval_bounds(
    source: TeamSource, windows: Windows, settings: TeamSettings, known: Known
) -> tuple[Bounds, str]:
    """Return bounds on phi in {1}, and what makes that of the mass wide.

    Without rows, or where none are wanted, they are those known before.
    """
    nothing = Bounds(known.interval, True, float("nan"), {}, np.zeros(0), Memory())
    if settings.intervals == NONE or not len(windows):
        return nothing, ""
    identifier = OnlineIdentifier(
        source, Settings(intervals=settings.intervals, window=settings.window)
    )
    identifier.narrow(known.interval)
    identifier.take(windows)
    problem = identifier.problem()
    if not len(problem.rows):
        return nothing, ""
    found = problem.bounds()
    if not found.consistent:
        return found, ""
    return found, width_in_words(problem.width(found), float(found.interval.half_width[0]), {})


def noise_factor(source: TeamSource, windows: Windows) -> float:
    """Return by what bounds must be multiplied for some payload to explain the forces [-].

    Returns:
        factor: NaN where there are no rows with bounded errors.
    """
    block = source.window(windows)
    if not len(block):
        return float("nan")
    known = _narrowed(block, Interval(*source.prior.box()))
    scaled = ScaledRows.of(block, known, block.bound(known.magnitude), narrow=False)
    return float(smallest_noise_factor(scaled, source.prior.shape()).factor)


def _narrowed(block: RowBlock, known: Interval) -> Interval:
    """Return what images under least squares leave: errors of A count as much as phi is large."""
    for _ in range(IMAGES):
        narrower = image(block, known).intersect(known)
        gained = (narrower.half_width < 0.9 * known.half_width).any()
        if not gained or (narrower.lower > narrower.upper).any():
            break
        known = narrower
    return known
