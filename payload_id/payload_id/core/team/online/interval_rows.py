"""Bounds on a team's payload from the windows that tell most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import IntArray
from ...body.payload_prior import PayloadPrior
from ...bounds import Bounds, Interval, Memory, method_named
from ...bounds.feasibility import smallest_noise_factor
from ...bounds.least_squares_image import image
from ...bounds.scaled_rows import ScaledRows
from ...rows.row_block import RowBlock
from ..estimate import Finding
from ..rows import TeamRows
from ..windows import Windows

MOST_OF_HULL = 48  # windows whose rows the intervals use
IMAGES = 8


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
        memory: Of the last solution.
        contradiction: The newest one; None: there was none.
    """

    interval: Interval
    memory: Memory
    contradiction: Contradiction | None = None


def interval_bounds(
    rows: TeamRows, used: Windows, windows: Windows, prior: PayloadPrior, intervals: str,
    known: Known,
) -> Bounds:  # fmt: skip
    """Return bounds on phi in {1}; those known before if there is nothing to tell."""
    block = None if intervals == "none" else _finite_rows(rows, used, windows, prior)
    if block is None:
        return Bounds(known.interval, True, float("nan"), {}, np.zeros(0), known.memory)
    return method_named(intervals).bounds(
        block, _beforehand(block, known.interval), Memory(), prior.shape()
    )


def noise_factor(rows: TeamRows, used: Windows, windows: Windows, prior: PayloadPrior) -> float:
    """Return by what bounds must be multiplied for some payload to explain the forces [-].

    Returns:
        factor: NaN where there are no rows with bounded errors.
    """
    block = _finite_rows(rows, used, windows, prior)
    if block is None:
        return float("nan")
    known = _beforehand(block, Interval(*prior.box()))
    scaled = ScaledRows.of(block, known, block.bound(known.magnitude), narrow=False)
    return float(smallest_noise_factor(scaled, prior.shape()).factor)


def _finite_rows(
    rows: TeamRows, used: Windows, windows: Windows, prior: PayloadPrior
) -> RowBlock | None:
    """Return the rows whose errors are bounded; None if there are none."""
    bounded = np.array([frame.known for frame in rows.frame_bounds])
    sure = used.take(np.flatnonzero((bounded[:, None] | ~used.holding).all(axis=0)))
    sure = sure.take(_telling(sure))
    parts = [rows.of_bounds(sure)] if len(sure) else []
    lifts = rows.lifts(windows)
    if len(lifts) and (not parts or parts[0].B.shape[1] == lifts.B.shape[1]):
        order = np.argsort(lifts.bound(prior.typical))[:12]
        parts.append(lifts.take(order))
    parts = [part for part in parts if len(part)]
    if not parts:
        return None
    block = RowBlock.stack(parts)
    block = block.take(np.isfinite(block.d) & np.isfinite(block.A_error).all(axis=1))
    return block if len(block) else None


def _beforehand(block: RowBlock, known: Interval) -> Interval:
    """Return what images under least squares leave: a fast beginning for exact methods."""
    for _ in range(IMAGES):
        narrower = image(block, known).intersect(known)
        if (narrower.lower > narrower.upper).any():
            return known
        gained = (narrower.half_width < 0.9 * known.half_width).any()
        known = narrower
        if not gained:
            break
    return known


def _telling(windows: Windows) -> IntArray:
    """Return the numbers of the windows that tell most: most unlike each other, by features."""
    W = len(windows)
    if W <= MOST_OF_HULL:
        return np.arange(W)
    first = windows.present.argmax(axis=0)
    F = windows.features[first, np.arange(W)]
    scale = F.std(axis=0) + 1e-9
    F = (F - F.mean(axis=0)) / scale
    chosen = [int(np.argmax((F**2).sum(axis=1)))]
    far = ((F - F[chosen[0]]) ** 2).sum(axis=1)
    for _ in range(MOST_OF_HULL - 1):
        chosen.append(int(far.argmax()))
        far = np.minimum(far, ((F - F[chosen[-1]]) ** 2).sum(axis=1))
    return np.sort(np.array(chosen))
