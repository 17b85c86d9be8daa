"""The topic of a forward command controller."""

from __future__ import annotations

import threading

from rclpy.node import Node
from rclpy.qos import qos_profile_system_default
from std_msgs.msg import Float64MultiArray

from ....core.errors import InputError
from ...common.throttled_log import ThrottledLog
from ..controllers.forward_command import ForwardCommandController


class CommandListener:
    """Hands commands to a controller, whose cycles run in another thread."""

    def __init__(
        self, node: Node, controller: ForwardCommandController, lock: threading.Lock, topic: str
    ) -> None:
        """Subscribe to the controller's topic; `lock` is held by whoever touches it."""
        self._controller, self._lock = controller, lock
        self._log = ThrottledLog(node)
        node.create_subscription(
            Float64MultiArray, topic, self._on_command, qos_profile_system_default
        )

    def _on_command(self, message: Float64MultiArray) -> None:
        """Take in a command."""
        try:
            with self._lock:
                self._controller.command(message.data)
        except InputError as error:
            self._log.warn(self._controller.name, f"{self._controller.name}: {error}")
