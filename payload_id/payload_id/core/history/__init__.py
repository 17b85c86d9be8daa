"""What an arm's own history says: intervals with a stated probability, beside those of bounds.

In: runs whose payload was known, in part or whole.
Out: an `ArmHistory`, and from it a `CalibratedInterval` for a new run of the same arm.
"""

from __future__ import annotations

from .calibrated_interval import (
    CalibratedInterval,
    calibrated_interval,
    largest_scores,
    made_otherwise,
    statistics_of,
)
from .known_run import KnownLoad, KnownRun, segments
from .learning import learn_history

__all__ = [
    "CalibratedInterval",
    "KnownRun",
    "KnownLoad",
    "calibrated_interval",
    "largest_scores",
    "learn_history",
    "made_otherwise",
    "segments",
    "statistics_of",
]
