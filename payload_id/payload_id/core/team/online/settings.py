"""How a team's payload is identified."""

from __future__ import annotations

from dataclasses import dataclass

from ...bounds import METHODS
from ...errors import InputError, UnknownNameError
from ...estimators import estimator_named
from ...identification.settings import Settings
from ...stated import check_stated, stated

NONE = "none"
SEQUENCE = "sequence"  # the steps of [ZLEFL], which only a team's data have
LEAST_STEP = 2e-4  # [s] of the grid on which samples are taken


@dataclass(frozen=True)
class TeamSettings:
    """How to identify.

    Attributes:
        estimator: Name of the point estimator, of `core.estimators`, or `SEQUENCE`, which knows
            nothing of the intervals and may leave them.
        intervals: Name of the interval method, of `core.bounds`; "none" for none.
        window: Length of the windows over which momentum is balanced [s].
        patience: Time a robot may lag behind the newest data before the others go on without
            it [s].
        step: Of the grid on which samples are taken, from `LEAST_STEP` on [s]; 0: the first
            robot's median step.
    """

    estimator: str = "lmi"
    intervals: str = "hull"
    window: float = stated(1.0, 0.1, 20.0)
    patience: float = 0.5
    step: float = stated(highest=1.0)

    def __post_init__(self) -> None:
        if self.estimator != SEQUENCE:
            estimator_named(self.estimator)
        if self.intervals not in (*METHODS, NONE):
            raise UnknownNameError("interval method", self.intervals, (*METHODS, NONE))
        check_stated(self, "Team setting")
        if 0.0 < self.step < LEAST_STEP:
            raise InputError(
                f"Team setting 'step' must be 0 or {LEAST_STEP:g} s or more; found {self.step!r}."
            )

    @property
    def of_payload(self) -> Settings:
        """How the payload is identified once the frames are known."""
        intervals = "hull" if self.intervals == NONE else self.intervals
        estimator = "lmi" if self.estimator == SEQUENCE else self.estimator
        return Settings(estimator=estimator, intervals=intervals, window=self.window)
