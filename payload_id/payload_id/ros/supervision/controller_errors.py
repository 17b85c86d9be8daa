"""How far an arm is from its reference, as its controller measures it: no clock and delay between.

The controller's topic `controller_state` has reference and position of the same cycle.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from control_msgs.msg import JointTrajectoryControllerState
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy

from ..common.conversions import decoded, stamp_of
from ..common.polled_subscription import PolledSubscription
from ..execution.snapshot import ControllerError

DEPTH = 200  # messages that may wait between two looks
PROFILE = QoSProfile(depth=DEPTH, reliability=ReliabilityPolicy.BEST_EFFORT)


class ControllerErrors:
    """Listens to one controller; of what came between two looks the newest counts."""

    def __init__(self, node: Node, topic: str, joints: Sequence[str]) -> None:
        """Subscribe.

        Args:
            node: The node.
            topic: The controller's topic of its state.
            joints: Names of the arm's joints.
        """
        self._node, self._joints = node, tuple(joints)
        self._states = PolledSubscription(node, JointTrajectoryControllerState, topic, PROFILE)

    def look(self) -> ControllerError | None:
        """Return the newest error since the last look; None: there was none."""
        came = [data for data, _ in self._states.take_all(DEPTH)]
        message = decoded(came[-1], JointTrajectoryControllerState) if came else None
        if message is None:
            return None
        errors = dict(zip(message.joint_names, message.error.positions, strict=False))
        position = np.array([errors.get(name, np.nan) for name in self._joints])
        return ControllerError(stamp_of(message.header.stamp), position)

    def unwatched(self) -> Sequence[str]:
        """Say that the controller does not tell."""
        topic = self._states.topic
        if self._node.count_publishers(topic) == 0:
            return (f"{topic} (the controller's own errors): nobody publishes it.",)
        return ()
