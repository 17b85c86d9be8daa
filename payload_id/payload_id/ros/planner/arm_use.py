"""The arm's use by this node: taken before a motion, given back after it."""

from __future__ import annotations

import time

from rclpy.task import Future as RosFuture

from ..execution.back_ends.back_end import BackEnd
from ..execution.start_check import NotReadyError
from .context import PlannerContext

TAKING = 3.0  # [s] within which the controller must be connected


class ArmUse:
    """Takes the arm, if nobody else has it."""

    def __init__(self, context: PlannerContext, back_end: BackEnd) -> None:
        """Take nothing yet.

        Args:
            context: What all parts share.
            back_end: Moves the arm.
        """
        self._context, self._back_end = context, back_end
        self._taking: tuple[RosFuture, float] | None = None  # and until when that is waited for

    def check(self) -> None:
        """Raise unless a controller would follow this node, and nobody else."""
        self._context.check_allowed()
        if absence := self._back_end.absence():
            raise NotReadyError(absence)
        if others := self._back_end.others():
            raise NotReadyError(f"{others}.")

    async def take(self) -> None:
        """Take the arm for this node's own use.

        Raises:
            NotReadyError: It is in use, or its controller did not connect in time.
        """
        self.check()
        self._context.busy = "the arm is being taken"
        self._back_end.take()
        connected = RosFuture()
        self._taking = connected, time.monotonic() + TAKING
        try:
            await connected
        finally:
            self._context.busy, self._taking = "", None
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
        if self._taking is not None and not self._taking[0].done():
            connected, until = self._taking
            if self._back_end.is_taken or time.monotonic() > until:
                connected.set_result(None)
