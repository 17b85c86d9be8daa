"""An action client whose requests may be sent from a thread other than its executor's."""

from __future__ import annotations

import threading
from typing import Any

import rclpy.action


class ActionClient(rclpy.action.ActionClient):
    """Takes answers in only once it has noted what they answer.

    rclpy notes a request after it was sent, in many releases without a lock: what is answered at
    once is then ignored, and waited for without end (rclpy, issue 1123).
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        """Make one, as rclpy's."""
        self._noted = threading.RLock()  # also a callback, called within, may send
        super().__init__(*args, **options)

    def send_goal_async(self, *args: Any, **options: Any) -> Any:
        """Send a goal; as rclpy's."""
        with self._noted:
            return super().send_goal_async(*args, **options)

    def _cancel_goal_async(self, goal_handle: Any) -> Any:
        """Ask for a goal's end; called by its handle."""
        with self._noted:
            return super()._cancel_goal_async(goal_handle)

    def _get_result_async(self, goal_handle: Any) -> Any:
        """Ask for a goal's result; called by its handle."""
        with self._noted:
            return super()._get_result_async(goal_handle)

    async def execute(self, taken_data: Any) -> None:
        """Take in what has come; called by the executor."""
        with self._noted:
            await super().execute(taken_data)
