"""A goal of `~/identify` in progress: its stages, its time, and whether it may go on."""

from __future__ import annotations

import math
import time

from payload_id_msgs.action import Identify

from ..arm_goal import ArmGoal
from .motion_watch import CLOSING
from .outcome import EndedError
from .stages import Stages

Result = Identify.Result


class GoalInProgress:
    """Knows a goal's stages and its time limit.

    Attributes:
        asked: What was asked for.
        stages: How far it is.
    """

    def __init__(self, goal: ArmGoal) -> None:
        """Begin with a goal, which has the arm."""
        self.asked = goal.handle.request
        self.stages = Stages.of(self.asked)
        self._goal, self._begun = goal, time.monotonic()

    def enter(self, state: int) -> None:
        """Go on to a stage, if nobody has called it off."""
        self.check_wanted()
        self.stages.enter(state)

    def check_wanted(self) -> None:
        """Raise if somebody does not want this to go on, or time is over."""
        if why := self._goal.unwanted:
            raise EndedError(Result.CANCELLED, f"{why}.")
        if self.left() <= 0.0:
            said = f"time_limit ({self.asked.time_limit:g} s) is over."
            raise EndedError(Result.OUT_OF_TIME, said)

    def left(self) -> float:
        """Return what is left of the time limit [s]; infinite without one."""
        limit = self.asked.time_limit
        return limit - (time.monotonic() - self._begun) if limit else math.inf

    def check_time(self, moving: float) -> None:
        """Raise if so long a motion [s] does not fit into the time limit."""
        if moving + CLOSING > self.left():
            raise EndedError(
                Result.NO_TIME,
                f"The motion takes {moving:.1f} s and what follows about {CLOSING:g} s; of "
                f"time_limit {self.left():.1f} s are left. Allow more time, or ask for a shorter "
                "motion.",
            )
