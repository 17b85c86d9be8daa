"""controller_manager's services and its topic of activity."""

from __future__ import annotations

import threading

from controller_manager_msgs.msg import (
    ControllerManagerActivity,
    ControllerState,
    HardwareInterface,
    NamedLifecycleState,
)
from controller_manager_msgs.srv import ListControllers, ListHardwareInterfaces, SwitchController
from lifecycle_msgs.msg import State
from rclpy.node import Node
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy

from ...common.topics import LATCHED
from ..controllers.manager import ControllerManager

SERVICES = QoSProfile(history=HistoryPolicy.KEEP_ALL, reliability=ReliabilityPolicy.RELIABLE)
STATES = {True: (State.PRIMARY_STATE_ACTIVE, "active"),
          False: (State.PRIMARY_STATE_INACTIVE, "inactive")}  # fmt: skip
HARDWARE = "arm"  # name of the hardware component


class ManagerServer:
    """Lets others see and switch the controllers, whose cycles run in another thread."""

    def __init__(
        self, node: Node, name: str, manager: ControllerManager, lock: threading.Lock, rate: float
    ) -> None:
        """Offer services and topic of a controller manager.

        Args:
            node: The node.
            name: Node of the controller manager.
            manager: The manager.
            lock: Held by whoever touches the controllers.
            rate: Of their cycles [Hz].
        """
        self._node, self._manager, self._lock, self._rate = node, manager, lock, round(rate)
        for kind, service, callback in (
            (ListControllers, "list_controllers", self._on_list),
            (ListHardwareInterfaces, "list_hardware_interfaces", self._on_list_hardware),
            (SwitchController, "switch_controller", self._on_switch),
        ):
            node.create_service(kind, f"{name}/{service}", callback, qos_profile=SERVICES)
        self._activity = node.create_publisher(
            ControllerManagerActivity, f"{name}/activity", LATCHED
        )
        self._published: dict[str, bool] = {}
        self.publish_changes()

    def publish_changes(self) -> None:
        """Publish the states of all controllers, if one has changed."""
        states = {name: x.active for name, x in self._manager.controllers.items()}
        if states == self._published:
            return
        self._published = states
        message = ControllerManagerActivity(
            controllers=[_named(name, active) for name, active in states.items()],
            hardware_components=[_named(HARDWARE, True)],
        )
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._activity.publish(message)

    def _on_list(
        self, request: ListControllers.Request, response: ListControllers.Response
    ) -> ListControllers.Response:
        """Return the states of all controllers."""
        for each in self._manager.controllers.values():
            response.controller.append(
                ControllerState(
                    name=each.name,
                    type=each.type,
                    state=STATES[each.active][1],
                    update_rate=self._rate,
                    claimed_interfaces=each.claims if each.active else [],
                    required_command_interfaces=each.claims,
                    required_state_interfaces=each.reads,
                )
            )
        return response

    def _on_list_hardware(
        self, request: ListHardwareInterfaces.Request, response: ListHardwareInterfaces.Response
    ) -> ListHardwareInterfaces.Response:
        """Return the interfaces of all joints."""
        claimed = self._manager.claimed()
        for names, listed, taken in (
            (self._manager.commands, response.command_interfaces, claimed),
            (self._manager.states, response.state_interfaces, ()),
        ):
            for name in names:
                listed.append(
                    HardwareInterface(
                        name=name, data_type="double", is_available=True, is_claimed=name in taken
                    )
                )
        return response

    def _on_switch(
        self, request: SwitchController.Request, response: SwitchController.Response
    ) -> SwitchController.Response:
        """Switch controllers."""
        with self._lock:
            response.ok, response.message = self._manager.switch(
                request.activate_controllers, request.deactivate_controllers, request.strictness
            )
        log, words = self._node.get_logger(), response.message.rstrip()
        if response.ok:
            log.info(words)
        else:
            log.error(words)
        self.publish_changes()
        return response


def _named(name: str, active: bool) -> NamedLifecycleState:
    """Return a state with a name."""
    number, label = STATES[active]
    return NamedLifecycleState(name=name, state=State(id=number, label=label))
