"""Obstacles from service and topic: taken in and shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from payload_id_msgs.msg import Obstacle, ObstacleArray
from payload_id_msgs.srv import SetObstacles
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.qos import QoSProfile
from visualization_msgs.msg import MarkerArray

from ...core.arrays import Array
from ...core.errors import InputError
from ...core.safety.clearance.convex_body import ConvexBody
from ..common.conversions import stamp_of
from ..common.topics import LATCHED
from .context import BridgeContext
from .obstacles.obstacle_markers import obstacle_markers
from .obstacles.obstacle_messages import Lookup, obstacles_from
from .obstacles.transform_listener import TransformListener


class ObstacleServer:
    """Answers `~/set_obstacles`, hears `~/obstacles`, publishes `~/obstacle_markers`."""

    def __init__(self, context: BridgeContext, tell: Callable[[], object]) -> None:
        """Subscribe.

        Args:
            context: What all parts share, with the obstacles in force.
            tell: Has others hear of them, before whoever has changed them is answered.
        """
        self._context, self._tell = context, tell
        self._transforms = TransformListener(context.node, context.frames)
        # Hulls of meshes take a while: the arm is watched meanwhile.
        self._hulls = ThreadPoolExecutor(1, "hulls")
        context.node.resources.callback(self._hulls.shutdown, cancel_futures=True)
        self._shown = context.node.create_publisher(MarkerArray, "~/obstacle_markers", LATCHED)
        self._waiting = 0  # messages whose hulls are worked out: later ones wait for their turn
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
        frames = self._context.frames
        if not self._waiting and not any(message.mesh.vertices for message in messages):
            return obstacles_from(messages, frames, self._transforms.pose)
        lookup = self._poses_now(messages)
        self._waiting += 1
        try:
            work = self._hulls.submit(obstacles_from, messages, frames, lookup)
            found: dict[str, ConvexBody] = await self._context.answers.awaitable(work)
            return found
        finally:
            self._waiting -= 1

    def _poses_now(self, messages: Sequence[Obstacle]) -> Lookup:
        """Return what tells where the frames of messages are now, in any thread."""
        found: dict[tuple[str, int], tuple[Array, Array] | InputError] = {}
        for message in messages:
            frame, stamp = message.header.frame_id, stamp_of(message.header.stamp)
            if frame and frame not in self._context.frames:
                try:
                    found[frame, stamp] = self._transforms.pose(frame, stamp, "an obstacle")
                except InputError as error:
                    found[frame, stamp] = error

        def lookup(frame: str, stamp: int, where: str) -> tuple[Array, Array]:
            pose = found[frame, stamp]
            if isinstance(pose, InputError):
                raise pose
            return pose

        return lookup

    async def _on_obstacles(self, message: ObstacleArray) -> None:
        """Take in all obstacles that the topic's publisher knows."""
        store, came = self._context.obstacles, time.monotonic()
        try:
            bodies = await self._bodies_of(message.obstacles)
            before = store.digest
            store.hear(bodies, came)
        except InputError as error:
            store.cannot_hear(str(error), came)
            self._context.node.get_logger().error(
                f"Obstacles on ~/obstacles were not taken: {error}"
            )
            return
        self._show(before)

    async def on_set_obstacles(
        self, request: SetObstacles.Request, response: SetObstacles.Response
    ) -> SetObstacles.Response:
        """Change the obstacles."""
        store = self._context.obstacles
        removes = request.operation == SetObstacles.Request.REMOVE
        try:
            bodies = {} if removes else await self._bodies_of(request.obstacles)
            before = store.digest
            if removes:
                response.message = store.remove(o.id for o in request.obstacles)
            elif request.operation == SetObstacles.Request.ADD:
                response.message = store.add(bodies)
            elif request.operation == SetObstacles.Request.REPLACE:
                response.message = store.replace(bodies)
            else:
                raise InputError(
                    f"The operation is 0 (add), 1 (replace) or 2 (remove); found "
                    f"{request.operation}."
                )
            response.success = True
            self._show(before)
        except InputError as error:
            response.message = f"Nothing was changed: {error}"
        response.ids = store.names
        return response

    def _show(self, before: tuple[str, ...]) -> None:
        """Show the obstacles if they have changed."""
        if self._context.obstacles.digest != before:
            bodies, base = self._context.obstacles.bodies, self._context.base
            self._shown.publish(obstacle_markers(bodies, base))
            self._tell()
