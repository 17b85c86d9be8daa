"""Transforms of /tf and /tf_static, read when somebody asks where a frame is."""

from __future__ import annotations

import numpy as np
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from scipy.spatial.transform import Rotation
from tf2_msgs.msg import TFMessage

from ....core.arrays import Array
from ...common.conversions import decoded, stamp_of
from ...common.polled_subscription import PolledSubscription
from .frame_tree import Frames, FrameTree

QUEUE = 2000  # messages that wait until somebody asks


class TransformListener:
    """Answers where frames are.

    Attributes:
        frames: Links that do not move, the base link first.
    """

    def __init__(self, node: Node, frames: Frames) -> None:
        """Subscribe."""
        self.frames = frames
        self._tree = FrameTree()
        latched = QoSProfile(
            depth=QUEUE,
            reliability=ReliabilityPolicy.RELIABLE,
            durability=DurabilityPolicy.TRANSIENT_LOCAL,
        )
        moving = QoSProfile(depth=QUEUE, reliability=ReliabilityPolicy.RELIABLE)
        self._still = PolledSubscription(node, TFMessage, "/tf_static", latched)
        self._moving = PolledSubscription(node, TFMessage, "/tf", moving)

    def pose(self, frame: str, stamp_ns: int, where: str) -> tuple[Array, Array]:
        """Return axes (3, 3) and origin (3,) [m] of a frame in the base frame.

        Args:
            frame: Its name.
            stamp_ns: When [ns]; 0: always, which frames that move do not allow.
            where: Whose frame it is, for errors.

        Raises:
            InputError: It is not connected with the base link, or was not at that time.
        """
        if frame not in self.frames:
            self._read(self._still, still=True)
            self._read(self._moving, still=False)
        return self._tree.pose(frame, self.frames, stamp_ns, where)

    def _read(self, subscription: PolledSubscription, still: bool) -> None:
        """Take in what waits; transforms that are none are left out, as tf2 does."""
        for data, _ in subscription.take_all(QUEUE):
            message = decoded(data, TFMessage)
            for entry in () if message is None else message.transforms:
                p, o = entry.transform.translation, entry.transform.rotation
                place, turn = np.array([p.x, p.y, p.z]), np.array([o.x, o.y, o.z, o.w])
                if not np.isfinite([*place, *turn]).all() or not 0.99 < turn @ turn < 1.01:
                    continue
                pose = (Rotation.from_quat(turn).as_matrix(), place)
                stamp = stamp_of(entry.header.stamp)
                frame, parent = entry.child_frame_id, entry.header.frame_id
                self._tree.take(frame.lstrip("/"), parent.lstrip("/"), pose, stamp, still)
