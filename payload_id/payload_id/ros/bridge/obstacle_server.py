"""Obstacles from service and topic: taken in, shown, and a reason to stop when they change."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from payload_id_msgs.msg import Obstacle, ObstacleArray
from payload_id_msgs.srv import SetObstacles
from rclpy.qos import QoSProfile
from visualization_msgs.msg import MarkerArray

from ...core.errors import InputError
from ...core.safety.clearance.convex_body import ConvexBody
from ..common.topics import LATCHED
from ..execution.stop_reason import Reason
from .context import BridgeContext
from .obstacles.obstacle_markers import obstacle_markers
from .obstacles.obstacle_messages import obstacles_from
from .obstacles.transform_listener import TransformListener


class ObstacleServer:
    """Answers `~/set_obstacles`, hears `~/obstacles`, publishes `~/obstacle_markers`."""

    def __init__(self, context: BridgeContext, stop: Callable[[Reason, str], object]) -> None:
        """Subscribe.

        Args:
            context: What all parts share, with the obstacles in force.
            stop: Has the certified stop commanded, for a reason and with a clause of detail.
        """
        self._context, self._stop = context, stop
        self._transforms = TransformListener(context.node, context.frames)
        self._shown = context.node.create_publisher(MarkerArray, "~/obstacle_markers", LATCHED)
        context.node.create_subscription(
            ObstacleArray, "~/obstacles", self._on_obstacles, QoSProfile(depth=10)
        )

    def _bodies_of(self, messages: Sequence[Obstacle]) -> dict[str, ConvexBody]:
        """Return obstacles by name, in the base frame.

        Raises:
            InputError: One of them is no body, or where it is is not known.
        """
        return obstacles_from(messages, self._context.frames, self._transforms.pose)

    def _on_obstacles(self, message: ObstacleArray) -> None:
        """Take in all obstacles that the topic's publisher knows."""
        before = self._context.obstacles.digest
        try:
            self._context.obstacles.hear(self._bodies_of(message.obstacles), time.monotonic())
        except InputError as error:
            self._context.obstacles.cannot_hear(str(error), time.monotonic())
            self._context.node.get_logger().error(
                f"Obstacles on ~/obstacles were not taken: {error}"
            )
            self._stop(Reason.OBSTACLES_CHANGED, f"Obstacles that cannot be used: {error}")
            return
        self._obstacles_now(before)

    def on_set_obstacles(
        self, request: SetObstacles.Request, response: SetObstacles.Response
    ) -> SetObstacles.Response:
        """Change the obstacles."""
        store = self._context.obstacles
        before = store.digest
        try:
            if request.operation == SetObstacles.Request.REMOVE:
                response.message = store.remove(o.id for o in request.obstacles)
            elif request.operation in (SetObstacles.Request.ADD, SetObstacles.Request.REPLACE):
                bodies = self._bodies_of(request.obstacles)
                add = request.operation == SetObstacles.Request.ADD
                response.message = store.add(bodies) if add else store.replace(bodies)
            else:
                raise InputError(
                    f"The operation is 0 (add), 1 (replace) or 2 (remove); found "
                    f"{request.operation}."
                )
            response.success = True
        except InputError as error:
            response.message = f"Nothing was changed: {error}"
        response.ids = store.names
        self._obstacles_now(before)
        return response

    def _obstacles_now(self, before: tuple[str, ...]) -> None:
        """Stop a motion whose certificate does not know the obstacles, and show them."""
        if self._context.obstacles.digest == before:
            return
        self._stop(Reason.OBSTACLES_CHANGED, "The obstacles changed during the motion")
        self._shown.publish(obstacle_markers(self._context.obstacles.bodies, self._context.base))
