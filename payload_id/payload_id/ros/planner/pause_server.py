"""Resting on the path, and going on, on request."""

from __future__ import annotations

from std_srvs.srv import Trigger

from ...core.errors import InputError
from .context import PlannerContext
from .execute_server import ExecuteServer


class PauseServer:
    """Answers `~/pause` and `~/resume`."""

    def __init__(self, context: PlannerContext, motion: ExecuteServer) -> None:
        """Note who moves the arm.

        Args:
            context: What all parts share.
            motion: Moves the arm.
        """
        self._context, self._motion = context, motion

    async def on_pause(
        self, request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        """Have the arm rest on its path."""
        response.success = await self._motion.pause()
        response.message = (
            "The arm comes to rest on its path; ~/resume goes on, ~/stop ends the motion."
            if response.success
            else "Nothing moves that could rest on its path and go on."
        )
        return response

    async def on_resume(
        self, request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        """Go on from where the arm rests."""
        try:
            await self._motion.resume()
        except InputError as error:
            response.message = str(error)
            return response
        response.success, response.message = True, "It goes on."
        self._context.node.get_logger().info("Resumed.")
        return response
