"""Obstacles from service and topic: taken in and shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from payload_id_msgs.msg import Obstacle, ObstacleArray
from payload_id_msgs.srv import SetObstacles
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.qos import QoSProfile
from visualization_msgs.msg import MarkerArray

from ...core.errors import InputError, brief
from ...core.safety.clearance.convex_body import ConvexBody
from ...core.safety.clearance.swept_volume import body_triangles
from ..common.awaited_answers import awaitable
from ..common.colours import Colour
from ..common.conversions import stamp_of
from ..common.markers import in_frame, triangles
from ..common.topics import LATCHED
from .context import BridgeContext
from .obstacles.obstacle_messages import obstacles_from
from .obstacles.obstacles import Obstacles
from .obstacles.transform_listener import TransformListener


class ObstacleServer:
    """Answers `~/set_obstacles`, hears `~/obstacles`, publishes `~/obstacle_markers`."""

    def __init__(self, context: BridgeContext, callback: Callable[[], object]) -> None:
        """Subscribe.

        Args:
            context: What all parts share, with the obstacles in force.
            callback: Has others hear of them, before whoever has changed them is answered.
        """
        self._context, self._callback = context, callback
        self._transforms = TransformListener(context.node, context.frames)
        # Hulls of meshes take a while: the arm is watched meanwhile.
        self._hulls = ThreadPoolExecutor(1, "hulls")
        context.node.resources.callback(self._hulls.shutdown, cancel_futures=True)
        self._shown = context.node.create_publisher(MarkerArray, "~/obstacle_markers", LATCHED)
        # A callback that waits keeps all others of its group waiting, but for a reentrant one.
        context.node.create_subscription(
            ObstacleArray, "~/obstacles", self._on_obstacles, QoSProfile(depth=10),
            callback_group=ReentrantCallbackGroup(),
        )  # fmt: skip

    async def _bodies_of(self, messages: Sequence[Obstacle]) -> dict[str, ConvexBody]:
        """Return obstacles by name, in the base frame.

        Raises:
            InputError: One of them is no body, or where it is is not known.
        """
        poses = [
            self._transforms.pose(
                message.header.frame_id or self._context.base,
                stamp_of(message.header.stamp),
                f"obstacle with the id {brief(message.id)}",
            )
            for message in messages
        ]
        work = self._hulls.submit(obstacles_from, messages, poses)  # one after the other
        found: dict[str, ConvexBody] = await awaitable(self._context.node, work)
        return found

    async def _on_obstacles(self, message: ObstacleArray) -> None:
        """Take in all obstacles that the topic's publisher knows."""
        context, came = self._context, time.monotonic()
        try:
            bodies = await self._bodies_of(message.obstacles)
        except InputError as error:
            context.obstacles = replace(context.obstacles, unusable=str(error), heard=came)
            context.node.get_logger().error(f"Obstacles on ~/obstacles were not taken: {error}")
            return
        self._have(context.obstacles.hearing(bodies, came))

    async def on_set_obstacles(
        self, request: SetObstacles.Request, response: SetObstacles.Response
    ) -> SetObstacles.Response:
        """Change the obstacles."""
        context, operation = self._context, request.operation
        try:
            if operation == SetObstacles.Request.REMOVE:
                self._have(context.obstacles.without(x.id for x in request.obstacles))
            elif operation == SetObstacles.Request.ADD:
                bodies = await self._bodies_of(request.obstacles)
                self._have(context.obstacles.add(bodies))
            elif operation == SetObstacles.Request.REPLACE:
                bodies = await self._bodies_of(request.obstacles)
                self._have(context.obstacles.only(bodies))
            else:
                raise InputError(
                    f"The operation is 0 (add), 1 (replace) or 2 (remove); found {operation}."
                )
            response.success = True
            response.message = f"{len(context.obstacles.bodies)} obstacles are in force."
        except InputError as error:
            response.message = f"Nothing was changed: {error}"
        response.ids = context.obstacles.names
        return response

    def _have(self, obstacles: Obstacles) -> None:
        """Have these obstacles from now on; show them if they are other ones."""
        before, self._context.obstacles = self._context.obstacles, obstacles
        if obstacles.digest != before.digest:
            self._shown.publish(obstacle_markers(obstacles.bodies, self._context.base))
            self._callback()


def obstacle_markers(obstacles: Iterable[ConvexBody], frame: str) -> MarkerArray:
    """Return obstacles as RViz shows them."""
    bodies = (body for body in obstacles if body.kind != "half_space")
    shown = [triangles(Colour.VERMILION, 0.6, body_triangles(body)) for body in bodies]
    return in_frame(shown, frame, 0, ns="obstacles")
