"""How the goal of an action ends, as whoever asked for it sees it."""

from __future__ import annotations

from rclpy.action.server import ServerGoalHandle


def end_goal(handle: ServerGoalHandle, succeeded: bool) -> None:
    """End a goal: as cancelled where that was asked for, else as succeeded or aborted."""
    if handle.is_cancel_requested:
        handle.canceled()
    elif succeeded:
        handle.succeed()
    else:
        handle.abort()
