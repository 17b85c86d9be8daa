"""How goals end and triggers are answered, as whoever asked sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.action.server import ServerGoalHandle

from ...core.errors import InputError


def end_goal(handle: ServerGoalHandle, succeeded: bool) -> None:
    """End a goal: as cancelled where that was asked for, else as succeeded or aborted."""
    if handle.is_cancel_requested:
        handle.canceled()
    elif succeeded:
        handle.succeed()
    else:
        handle.abort()


def answering(action: Callable[[], str]) -> Callable[[Any, Any], Any]:
    """Return what answers a Trigger with a sentence: that of an action, or of its InputError."""

    def answer(request: Any, response: Any) -> Any:
        try:
            response.message, response.success = action(), True
        except InputError as error:
            response.message = str(error)
        return response

    return answer
