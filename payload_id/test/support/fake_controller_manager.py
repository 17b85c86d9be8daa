"""A node that answers as a controller manager of ros2_control does, with the states it is told."""

from __future__ import annotations

import threading

from controller_manager_msgs.msg import (
    ControllerManagerActivity,
    ControllerState,
    HardwareInterface,
    NamedLifecycleState,
)
from controller_manager_msgs.srv import ListControllers, ListHardwareInterfaces
from lifecycle_msgs.msg import State
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from harness import PATIENCE, Observer

# That of the real one's topic ~/activity.
ACTIVITY = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)


class FakeControllerManager:
    """A controller manager in a thread of its own."""

    def __init__(self, domain: int, name: str = "/controller_manager") -> None:
        """Offer its service and topic, without any controllers; `name` is its node's."""
        self._observer = Observer(domain, "controller_manager")
        self._controllers: list[ControllerState] = []
        self._commands: dict[str, bool] = {}  # command interfaces, and whether they are available
        self._hardware: dict[str, str] = {}  # components and their states
        self._closed = False
        node = self._observer.node
        node.create_service(ListControllers, f"{name}/list_controllers", self._on_list)
        node.create_service(
            ListHardwareInterfaces, f"{name}/list_hardware_interfaces", self._on_interfaces
        )
        self._activity = node.create_publisher(
            ControllerManagerActivity, f"{name}/activity", ACTIVITY
        )
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def has(self, *controllers: ControllerState) -> None:
        """Take over controllers, and publish their states."""
        self._controllers = list(controllers)
        self._tell()

    def has_hardware(self, components: dict[str, str], commands: dict[str, bool]) -> None:
        """Take over hardware: states of components, and command interfaces that are available."""
        self._hardware, self._commands = components, commands
        self._tell()

    def _tell(self) -> None:
        """Publish who is active."""
        told = [(x.name, x.state) for x in self._controllers], self._hardware.items()
        controllers, hardware = (
            [NamedLifecycleState(name=name, state=State(label=state)) for name, state in states]
            for states in told
        )
        self._activity.publish(
            ControllerManagerActivity(controllers=controllers, hardware_components=hardware)
        )

    def close(self) -> None:
        """End it."""
        self._closed = True
        self._thread.join(PATIENCE)
        self._observer.close()

    def _spin(self) -> None:
        while not self._closed:
            self._observer.executor.spin_once(timeout_sec=0.05)

    def _on_list(
        self, request: ListControllers.Request, response: ListControllers.Response
    ) -> ListControllers.Response:
        response.controller = self._controllers
        return response

    def _on_interfaces(
        self, request: ListHardwareInterfaces.Request, response: ListHardwareInterfaces.Response
    ) -> ListHardwareInterfaces.Response:
        claimed = {name for x in self._controllers for name in x.claimed_interfaces}
        response.command_interfaces = [
            HardwareInterface(name=name, is_available=there, is_claimed=name in claimed)
            for name, there in self._commands.items()
        ]
        return response
