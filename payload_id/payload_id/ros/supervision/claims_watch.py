"""Who else may command the arm's joints, and whether its hardware takes commands.

The controller manager is asked when its topic `activity` shows that a controller or a hardware
component has come or gone; where it has no such topic, once a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from controller_manager_msgs.msg import ControllerManagerActivity, ControllerState
from controller_manager_msgs.srv import ListControllers, ListHardwareInterfaces
from rclpy.client import Client
from rclpy.node import Node
from rclpy.task import Future as RosFuture

from ...core.safety.tube.tracking_tube import TrackingTube
from ..common.topics import LATCHED
from ..execution.stop_reason import Reason
from .watch import Found, Watch

PERIOD = 1.0  # [s] between two questions, and within which an answer must come
ACTIVE = "active"
REMEDY = "Only one controller may command a joint: 'ros2 control switch_controllers --deactivate"


class ClaimsWatch(Watch):
    """Judges the command interfaces of the arm's joints."""

    def __init__(
        self,
        node: Node,
        manager: str,
        controller: str,
        joints: Sequence[str],
        partner: str | None = None,
    ) -> None:
        """Listen to the controller manager.

        Args:
            node: The node.
            manager: Node of the controller manager.
            controller: The controller that moves the arm.
            joints: Names of those that it moves.
            partner: A controller that may have them in its place.
        """
        self._name, self._joints, self._partner = controller, frozenset(joints), partner
        self._controllers = node.create_client(ListControllers, f"{manager}/list_controllers")
        service = f"{manager}/list_hardware_interfaces"
        self._interfaces = node.create_client(ListHardwareInterfaces, service)
        self._manager = node.resolve_service_name(service).rpartition("/")[0]
        node.create_subscription(
            ControllerManagerActivity, f"{manager}/activity", self._on_activity, LATCHED
        )
        self._questions: dict[Client, tuple[RosFuture, float]] = {}
        self._due, self._current = 0.0, False  # whether the answers are of now
        self._active: tuple[tuple[str, str], ...] | None = None  # None: activity was not heard
        self._hardware: dict[str, str] = {}
        self._listed: Sequence[ControllerState] | None = None  # None: never answered
        self._rival: tuple[str, str] | None = None  # another controller, and what it claims
        self._deaf = ""  # what takes no commands
        self._begun: dict[str, str] | None = None  # hardware as a motion began
        self._lost: Found | None = None

    def attend(self) -> None:
        """Ask, if it is time; give up questions that are not answered."""
        now = time.monotonic()
        for client, (future, until) in list(self._questions.items()):
            if now > until:
                client.remove_pending_request(future)
                del self._questions[client]
        if now >= self._due and not (self._current and self._active is not None):
            self._ask()

    def _ask(self) -> None:
        """Ask who claims what; the answer leads to the next question."""
        self._due = time.monotonic() + PERIOD
        self._question(self._controllers, ListControllers.Request(), self._on_controllers)

    def _question(self, client: Client, request: Any, hear: Callable[[Any], None]) -> None:
        """Ask, in place of what was asked before."""
        if not client.service_is_ready():
            return
        future = client.call_async(request)
        self._questions[client] = future, time.monotonic() + PERIOD

        def on_answer(done: RosFuture) -> None:
            if self._questions.get(client, (None, 0.0))[0] is done:
                del self._questions[client]
                if done.result() is not None:
                    hear(done.result())

        future.add_done_callback(on_answer)

    def _on_activity(self, message: ControllerManagerActivity) -> None:
        """Take in who is active; ask who claims what when that has changed."""
        both = (*message.controllers, *message.hardware_components)
        now = tuple((x.name, x.state.label) for x in both)
        self._hardware = {x.name: x.state.label for x in message.hardware_components}
        if now != self._active:
            self._active, self._current = now, False
            self._ask()
        if self._begun is None or self._lost is not None:
            return
        for name, state in self._begun.items():
            if state == ACTIVE and self._hardware.get(name) != ACTIVE:
                found = self._hardware.get(name, "not there")
                self._lose(
                    Reason.CONTROLLER_INACTIVE,
                    f"The hardware component '{name}' is {found} in {self._manager}: commands do "
                    "not reach it",
                )

    def _on_controllers(self, answer: ListControllers.Response) -> None:
        """Look for another controller of the arm's joints, then for commands that nobody takes."""
        self._listed = answer.controller
        behind = {x.split("/")[0] for x in self._claimed()}  # joints, or controllers in a chain
        self._rival = None
        for other in answer.controller:
            ours = [x for x in other.claimed_interfaces if x.split("/")[0] in self._joints]
            own = other.name in (self._name, self._partner) or other.name in behind
            if ours and other.state == ACTIVE and not own:
                self._rival = other.name, _claim(other.name, ours)
                self._lose(Reason.FOREIGN_COMMAND, self._rival[1])
                break
        request = ListHardwareInterfaces.Request()
        self._question(self._interfaces, request, self._on_interfaces)

    def _claimed(self) -> set[str]:
        """Return what the arm's own controller commands; nothing while it is not active."""
        own = [x for x in self._listed or () if x.name == self._name and x.state == ACTIVE]
        return {name for x in own for name in x.claimed_interfaces}

    def _on_interfaces(self, answer: ListHardwareInterfaces.Response) -> None:
        """Look for commands of the arm's controller that nobody takes."""
        self._current, claimed = True, self._claimed()
        deaf = [
            x.name
            for x in answer.command_interfaces
            if x.name in claimed and not (x.is_available and x.is_claimed)
        ]
        self._deaf = (
            f"{', '.join(deaf)} of '{self._name}' cannot be commanded: the hardware component "
            f"behind is not active in {self._manager}"
            if deaf
            else ""
        )
        if self._deaf:
            self._lose(Reason.CONTROLLER_INACTIVE, self._deaf)

    def _lose(self, reason: Reason, found: str) -> None:
        """Keep what is found first in a motion."""
        if self._begun is not None and self._lost is None:
            self._lost = reason, found

    def begin(self, start_ns: int, tube: TrackingTube) -> None:
        """Begin to watch a motion."""
        self._begun, self._lost = dict(self._hardware), None

    def doubt(self) -> str:
        """Say that somebody else has the joints, or nobody takes commands; by the newest answer."""
        if self._rival:
            return f"{self._rival[1]}. {REMEDY} {self._rival[0]}'."
        if self._deaf:
            return f"{self._deaf}. Activate it: 'ros2 control set_hardware_component_state'."
        return ""

    def fault(self) -> Found | None:
        """Return what was found since the motion began."""
        return self._lost

    def unwatched(self) -> Sequence[str]:
        """Say what the controller manager does not tell."""
        return tuple(
            f"{self._manager}/{name} ({what}): nobody answers."
            for client, name, what in (
                (self._controllers, "list_controllers", "who commands the joints"),
                (self._interfaces, "list_hardware_interfaces", "whether commands are taken"),
            )
            if not client.service_is_ready()
        )


def _claim(other: str, ours: Iterable[str]) -> str:
    """Say what another controller claims."""
    return f"The controller '{other}' is active and commands {', '.join(ours)}, too"
