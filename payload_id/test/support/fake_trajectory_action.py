"""A node that answers goals as joint_trajectory_controller does, or in the ways it is told."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup

from harness import PATIENCE, Observer

RESULT = FollowJointTrajectory.Result
PREEMPTED = "Current goal preempted by new incoming action."


class FakeTrajectoryAction:
    """A controller's action in a thread of its own; goals end when they are told to.

    Attributes:
        goals: All that it was asked for, also those that it rejected.
        accepts: Whether it takes the next goal.
        accepted: How many it took.
        cancelled: How often it was asked to cancel a goal.
    """

    def __init__(self, domain: int, action: str) -> None:
        """Offer an action."""
        self.goals: list[FollowJointTrajectory.Goal] = []
        self.accepts, self.accepted, self.cancelled = True, 0, 0
        self._observer = Observer(domain, "controller")
        self._spins, self._closed = threading.Lock(), False
        self._under_way: ServerGoalHandle | None = None
        self._server = ActionServer(
            self._observer.node, FollowJointTrajectory, action, lambda handle: RESULT(),
            goal_callback=self._on_goal, cancel_callback=self._on_cancel,
            handle_accepted_callback=self._on_accepted, callback_group=ReentrantCallbackGroup(),
        )  # fmt: skip
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def end(self, status: str, code: int = RESULT.SUCCESSFUL, text: str = "") -> None:
        """End the goal in progress, if any: `status` is a verb of rclpy's goal handles."""
        handle, self._under_way = self._under_way, None
        if handle is None or self._closed:
            return

        def ended(handle: ServerGoalHandle) -> FollowJointTrajectory.Result:
            getattr(handle, status)()
            return RESULT(error_code=code, error_string=text)

        handle.execute(ended)

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Answer nobody meanwhile."""
        with self._spins:
            yield

    def close(self) -> None:
        """End it."""
        if self._closed:
            return
        self._closed = True
        self._thread.join(PATIENCE)
        self._server.destroy()
        self._observer.close()

    def _spin(self) -> None:
        while not self._closed:
            with self._spins:
                self._observer.executor.spin_once(timeout_sec=0.02)
            time.sleep(0.001)  # whoever waits for the lock comes first

    def _on_goal(self, goal: FollowJointTrajectory.Goal) -> GoalResponse:
        self.goals.append(goal)
        if not self.accepts:
            return GoalResponse.REJECT
        self.end("abort", RESULT.INVALID_GOAL, PREEMPTED)
        self.accepted += 1
        return GoalResponse.ACCEPT

    def _on_accepted(self, handle: ServerGoalHandle) -> None:
        self._under_way = handle

    def _on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        self.cancelled += 1
        self._observer.executor.create_task(self.end, "canceled")
        return CancelResponse.ACCEPT
