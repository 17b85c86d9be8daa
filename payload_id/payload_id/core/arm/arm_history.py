"""What runs with known payloads have shown of an arm, and of the errors of its estimates.

The room `history` makes it and says what it means for later runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..arrays import Array
from ..codec import Identified
from .effort_scale import Scales


@dataclass(frozen=True, eq=False)
class ArmHistory(Identified):
    """What K runs of an arm with n joints have shown, for rows with p nuisance parameters.

    Attributes:
        digest: `ArmModel.digest` of the arm, tool included.
        joints: Names of its joints.
        names: Of the nuisance parameters, p of them.
        uncertainty: What was assumed, `Uncertainty.to_dict()`.
        effort: How efforts became the torques of the runs.
        window: Length of the windows [s].
        factor: R factor of the rows of all runs in units of their noise, their payloads taken
            away, what is their own estimated along, shape (p + 11, p + 11).
        rows: Number of rows that it stands for.
        inflation: By how much errors are larger than if rows were independent.
        load_noise: Further errors of rows, in parts of what the load makes of them.
        scores: Errors of the runs' estimates, each made with the runs of other sources, over
            their expected size; NaN where a parameter was not known, shape (K, 10).
        masses: Known masses, NaN where unknown, shape (K,) [kg].
        seconds: Of each run, shape (K,) [s].
        lower: Least positions, shape (K, n) [rad or m].
        upper: Largest positions, shape (K, n) [rad or m].
        speed: Largest speeds, shape (K, n) [rad/s or m/s].
        mean_speed: Mean speeds over the time of the run, shape (K, n) [rad/s or m/s].
        noise: Standard deviation of each joint's rows as what is left of them says, in units of
            their bounds, shape (K, n).
        notes: What a reader should know, such as a drift from run to run or a doubtful label.
        about: Where it comes from.
    """

    digest: str
    joints: tuple[str, ...]
    names: tuple[str, ...]
    uncertainty: Mapping[str, Any]
    effort: Scales
    window: float
    factor: Array
    rows: float
    inflation: float
    load_noise: float
    scores: Array
    masses: Array
    seconds: Array
    lower: Array
    upper: Array
    speed: Array
    mean_speed: Array
    noise: Array
    notes: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("window", "rows", "inflation", "load_noise"):
            object.__setattr__(self, name, float(getattr(self, name)))

    def __len__(self) -> int:
        """Return the number of runs."""
        return len(self.scores)
