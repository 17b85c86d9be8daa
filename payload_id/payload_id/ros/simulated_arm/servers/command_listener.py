"""The topic of a forward command controller."""

from __future__ import annotations

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Float64MultiArray

from ....core.errors import InputError
from ...common.conversions import decoded
from ...common.polled_subscription import PolledSubscription
from ...common.throttled_log import ThrottledLog
from ..controllers.forward_command import ForwardCommandController

QUEUE = 100  # commands that may wait for one cycle


class CommandListener:
    """Hands commands to a controller, as its cycles ask for them."""

    def __init__(self, node: Node, controller: ForwardCommandController, topic: str) -> None:
        """Subscribe to the controller's topic."""
        self._controller, self._log = controller, ThrottledLog(node)
        profile = QoSProfile(
            depth=QUEUE,
            reliability=ReliabilityPolicy.SYSTEM_DEFAULT,
            durability=DurabilityPolicy.SYSTEM_DEFAULT,
        )
        self._waiting = PolledSubscription(node, Float64MultiArray, topic, profile)
        controller.forget = self._waiting.forget

    def take(self) -> None:
        """Take in what has come; while the controller is inactive, nothing counts."""
        if not self._controller.active:
            return
        for data, _ in self._waiting.take_all(QUEUE):
            message = decoded(data, Float64MultiArray)
            try:
                if message is not None:
                    self._controller.command(message.data)
            except InputError as error:
                self._log.warn(self._controller.name, f"{self._controller.name}: {error}")
