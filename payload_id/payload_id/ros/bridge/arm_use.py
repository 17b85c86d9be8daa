"""The arm's use by this node: taken before a motion, given back after it.

While a motion is prepared (certified at another speed, say, or while the arm is taken), others are
served, so it may be called off before it begins.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from rclpy.action.server import ServerGoalHandle
from rclpy.task import Future as RosFuture

from ...core.errors import InputError
from ..execution.arm_parameters import TOPIC
from ..execution.back_ends.back_end import BackEnd
from ..execution.controller_watch import ControllerWatch
from ..execution.start_check import CalledOffError, NotReadyError
from ..execution.stop_reason import Reason
from .context import BridgeContext
from .driver_watches import is_manager_stated

TAKING = 3.0  # [s] within which the controller must be connected
NAMING = 2.0  # [s] within which discovery must have named whoever may command the arm


class ArmUse:
    """Takes the arm, if nobody else has it, for a motion that is prepared and still wanted."""

    def __init__(
        self, context: BridgeContext, back_end: BackEnd, controller: ControllerWatch
    ) -> None:
        """Take nothing yet.

        Args:
            context: What all parts share.
            back_end: Moves the arm.
            controller: Whether anybody would follow.
        """
        self._context, self._back_end, self._controller = context, back_end, controller
        # What is waited for, who is told, and until when.
        self._awaited: tuple[Callable[[], bool], RosFuture, float] | None = None
        self._prepared_for: ServerGoalHandle | None = None  # whose motion may begin soon
        self._called_off = ""  # why it shall not begin, though

    @property
    def preparing(self) -> bool:
        """Whether a motion is prepared that has not begun."""
        return self._prepared_for is not None

    def prepare(self, handle: ServerGoalHandle) -> None:
        """Note whose motion is prepared."""
        self._prepared_for, self._called_off = handle, ""

    def call_off(self, why: str) -> bool:
        """Have what is prepared not begin; return whether anything is prepared."""
        if self.preparing:
            self._called_off = why
        return self.preparing

    def check_wanted(self) -> None:
        """Raise if what is prepared was cancelled or stopped meanwhile; from here on it moves.

        Raises:
            CalledOffError: It was.
        """
        handle, self._prepared_for = self._prepared_for, None
        if handle is not None and handle.is_cancel_requested:
            raise CalledOffError("The goal was cancelled before its motion began.")
        if self._called_off:
            raise CalledOffError(f"{self._called_off} before the motion began.")

    def give_up(self, handle: ServerGoalHandle, error: InputError) -> Reason:
        """End a goal of which nothing has moved; return why."""
        if self._prepared_for is handle:
            self._prepared_for = None
        self.release()
        if handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        return Reason.CANCELLED if isinstance(error, CalledOffError) else Reason.REFUSED

    def check(self) -> None:
        """Raise unless a controller would follow this node, and nobody else."""
        self._context.check_allowed()
        settings, robot = self._context.settings, self._context.robot
        needed = settings.back_end != TOPIC and is_manager_stated(
            robot, settings.controller_manager
        )
        if needed and (absence := self._controller.absence()):
            raise NotReadyError(absence)
        if absence := self._back_end.absence():
            raise NotReadyError(absence)
        if self._back_end.is_unnamed():
            raise NotReadyError(
                f"{self._back_end.target} has a publisher whose node discovery has not named yet: "
                "it is not known who else commands the arm. Try again."
            )
        if others := self._back_end.others():
            raise NotReadyError(f"{others}.")
        if doubt := self._controller.doubt():
            raise NotReadyError(doubt)

    async def take(self) -> None:
        """Take the arm for this node's own use.

        Raises:
            NotReadyError: It is in use, or its controller is not active or not connected in time.
        """
        self._context.busy = "the arm is being taken"
        try:
            await self._controller.check()
            await self.named()
            self.check()
            self._back_end.take()
            await self._until(lambda: self._back_end.is_taken, TAKING)
        finally:
            self._context.busy, self._awaited = "", None
        if not self._back_end.is_taken:
            raise NotReadyError(
                f"Not everybody who hears {self._back_end.target} was connected within "
                f"{TAKING:g} s. Check the network, and try again."
            )

    def release(self) -> None:
        """Give the arm back, unless something else of this node has taken it."""
        if not self._context.busy:
            self._back_end.release()

    def look(self) -> None:
        """Tell who waits for it that the arm is taken, or that it takes too long."""
        self._controller.look()
        if self._awaited is not None and not self._awaited[1].done():
            is_so, waiting, until = self._awaited
            if is_so() or time.monotonic() > until:
                waiting.set_result(None)

    async def named(self) -> None:
        """Wait until discovery has named everybody who may command the arm, or for too long."""
        if self._back_end.is_unnamed():
            await self._until(lambda: not self._back_end.is_unnamed(), NAMING)

    async def _until(self, is_so: Callable[[], bool], seconds: float) -> None:
        """Wait until `look` finds that something is so, or for some time [s]."""
        waiting = RosFuture()
        self._awaited = is_so, waiting, time.monotonic() + seconds
        await waiting
