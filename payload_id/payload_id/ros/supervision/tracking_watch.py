"""How far the arm is from its motion as its controller itself measures it, beside joint states.

The controller's topic `controller_state` has reference and position of the same cycle: no clock and
no delay is between them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from control_msgs.msg import JointTrajectoryControllerState
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy

from ...core.arrays import Array
from ...core.safety.tube.tracking_tube import TrackingTube
from ..common.conversions import decoded, stamp_of
from ..common.polled_subscription import PolledSubscription
from ..execution.stop_reason import Reason
from .watch import Found, Watch

DEPTH = 200  # messages that may wait between two looks
PROFILE = QoSProfile(depth=DEPTH, reliability=ReliabilityPolicy.BEST_EFFORT)


class TrackingWatch(Watch):
    """Listens to the controller; of what came between two looks the newest counts."""

    def __init__(
        self,
        node: Node,
        topic: str,
        joints: Sequence[str],
        continuous: Sequence[bool],
        encoder_error: Array,
    ) -> None:
        """Subscribe.

        Args:
            node: The node.
            topic: The controller's topic of its state.
            joints: Names of the arm's joints.
            continuous: Joints whose error may hold whole turns.
            encoder_error: Largest error of a measured position, shape (n,) [rad or m].
        """
        self._node, self._joints, self._error = node, tuple(joints), encoder_error
        self._continuous = np.asarray(continuous, dtype=bool)
        self._states = PolledSubscription(node, JointTrajectoryControllerState, topic, PROFILE)
        self._start_ns, self._tube = 0, TrackingTube.exact(len(self._joints))
        self._begun, self._found, self._heard = False, "", False

    def attend(self) -> None:
        """Judge the newest message of a motion."""
        came = [data for data, _ in self._states.take_all(DEPTH)]
        self._heard |= bool(came)
        if not came or not self._begun or self._found:
            return
        message = decoded(came[-1], JointTrajectoryControllerState)
        if message is not None and stamp_of(message.header.stamp) >= self._start_ns:
            self._judge(message)

    def _judge(self, message: JointTrajectoryControllerState) -> None:
        """Hold the position errors against the tube; joints that are not named do not count."""
        errors = dict(zip(message.joint_names, message.error.positions, strict=False))
        for j, name in enumerate(self._joints):
            error = errors.get(name, 0.0)
            if not math.isfinite(error):
                continue
            if self._continuous[j]:
                error -= 2.0 * np.pi * round(error / (2.0 * np.pi))
            allowed = float(self._tube.position[j])
            if abs(error) + self._error[j] > allowed:
                self._found = (
                    f"The controller itself ({self._states.topic}) is {abs(error):.4g} rad (m) "
                    f"from its reference at {name}; the certificate allows {allowed:.4g}"
                )
                return

    def begin(self, start_ns: int, tube: TrackingTube) -> None:
        """Judge what is stamped later than this."""
        self._start_ns, self._tube, self._begun, self._found = start_ns, tube, True, ""

    def doubt(self) -> str:
        """Say nothing: what the controller holds before a motion is no part of it."""
        return ""

    def fault(self) -> Found | None:
        """Return that the tube was left."""
        return (Reason.TUBE_LEFT, self._found) if self._found else None

    def unwatched(self) -> Sequence[str]:
        """Say that the controller does not tell."""
        topic = self._states.topic
        if self._node.count_publishers(topic) == 0:
            return (f"{topic} (the controller's own errors): nobody publishes it.",)
        return () if self._heard else (f"{topic} (the controller's own errors): nothing heard.",)
