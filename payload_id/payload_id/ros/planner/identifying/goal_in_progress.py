"""A goal of `~/identify` in progress: its stages, its time, and whether it may go on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from payload_id_msgs.action import Identify
from rclpy.action.server import ServerGoalHandle

from .motion_watch import CLOSING
from .outcome import EndedError
from .stages import Stages

Result = Identify.Result


class GoalInProgress:
    """Knows a goal's stages and its time limit.

    Attributes:
        handle: The goal.
        asked: What was asked for.
        stages: How far it is.
    """

    def __init__(self, handle: ServerGoalHandle, called_off: Callable[[], str]) -> None:
        """Begin.

        Args:
            handle: The goal.
            called_off: Says why nothing more shall begin; empty: it may.
        """
        self.handle, self.asked = handle, handle.request
        self.stages = Stages.of(self.asked)
        self._called_off, self._begun = called_off, time.monotonic()

    @property
    def unwanted(self) -> str:
        """Why nothing more shall begin; empty: it may."""
        if self.handle.is_cancel_requested:
            return "The goal was cancelled."
        return f"{why}." if (why := self._called_off()) else ""

    def enter(self, state: int) -> None:
        """Go on to a stage, if nobody has called it off."""
        self.go_on()
        self.stages.enter(state)

    def go_on(self) -> None:
        """Raise if somebody does not want this to go on, or time is over."""
        if why := self.unwanted:
            raise EndedError(Result.CANCELLED, why)
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
