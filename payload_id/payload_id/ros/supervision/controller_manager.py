"""What a controller manager says: whether the arm's controller is active, and who else commands.

A controller that is not active drops trajectories without a word. The manager is asked before a
motion, and when its topic `activity` shows that a controller or hardware has come or gone; where it
has no such topic, once a second. Without a controller manager nothing is known.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from controller_manager_msgs.msg import ControllerManagerActivity, ControllerState
from controller_manager_msgs.srv import ListControllers, ListHardwareInterfaces
from rclpy.client import Client
from rclpy.node import Node
from rclpy.task import Future as RosFuture

from ...files.robots.robot_file import RobotFile
from ..common.timeouts import TELL
from ..common.topics import LATCHED
from ..execution.snapshot import ManagerReport

ACTIVE, ABSENT = "active", "not loaded"
USUAL_MANAGER = "/controller_manager"  # the one that `ros2 control` asks by itself


def manager_of(robot: RobotFile, stated: str) -> str:
    """Return the node of the controller manager, in the namespace of whoever asks.

    Args:
        robot: The robot file, which names it as without a namespace.
        stated: A parameter that goes before it; empty: none.
    """
    return stated or (robot.driver.controller_manager or USUAL_MANAGER).lstrip("/")


class ManagerListener:
    """Listens to one, on behalf of one controller.

    Attributes:
        name: Of the controller: that of the node whose topic it is.
    """

    def __init__(
        self,
        node: Node,
        manager: str,
        topic: str,
        joints: Sequence[str],
        partner: str | None = None,
    ) -> None:
        """Listen.

        Args:
            node: The node.
            manager: Node of the controller manager.
            topic: Full name of the controller's topic.
            joints: Names of those that it must move.
            partner: A controller that may have them in its place.
        """
        self.name = topic.rpartition("/")[0].rpartition("/")[2]
        self._joints, self._partner = tuple(joints), partner
        self._controllers = node.create_client(ListControllers, f"{manager}/list_controllers")
        service = f"{manager}/list_hardware_interfaces"
        self._interfaces = node.create_client(ListHardwareInterfaces, service)
        self._manager = node.resolve_service_name(service).rpartition("/")[0]
        node.create_subscription(
            ControllerManagerActivity, f"{manager}/activity", self._on_activity, LATCHED
        )
        self._pending: tuple[Client, RosFuture] | None = None  # the newest question
        self._due = 0.0  # when to ask again [s]
        self._active: dict[str, str] | None = None  # states by `activity`; None: never heard
        self._state = ""  # of the controller; empty: not known
        self._now = ManagerReport(is_current=False)
        self._were: list[ManagerReport] = []  # what was so since the last look

    @property
    def is_there(self) -> bool:
        """Whether there is a controller manager."""
        return bool(self._controllers.service_is_ready())

    def absence(self) -> str:
        """Say that there is no controller manager; empty if there is one."""
        if self.is_there:
            return ""
        return (
            f"There is no controller manager {self._manager}, so it is not known whether "
            f"'{self.name}' is {ACTIVE}: start the robot's driver, or name another node by the "
            "parameter controller_manager or driver.controller_manager of the robot file (null "
            "there: the arm has none)."
        )

    def words(self) -> str:
        """Return what is known, in a few words."""
        if not self.is_there:
            return "no controller manager"
        return f"{self.name}: {self._state or 'not asked yet'}"

    def no_answer(self) -> str:
        """Say that it does not answer."""
        return (
            f"{self._manager}/list_controllers gave no answer, so it is not known whether "
            f"'{self.name}' is {ACTIVE}. Look at the robot's driver, then try again."
        )

    def ask(self) -> None:
        """Ask who commands what; `look` says when the answer has come."""
        self._due = time.monotonic() + TELL  # within which an answer must come
        self._now = replace(self._now, is_current=False)
        self._question(self._controllers, ListControllers.Request(), self._on_controllers)

    def look(self) -> ManagerReport:
        """Return what is known, and what was so at any time since the last look."""
        waits = not self._now.is_current or self._active is None
        if waits and time.monotonic() >= self._due:
            self.ask()
        every, self._were = [*self._were, self._now], []
        if not self.is_there:
            return ManagerReport()
        return ManagerReport(
            self._now.is_current,
            *(
                next((x for one in every if (x := getattr(one, name))), "")
                for name in ("inactive", "rival", "deaf", "lost")
            ),
        )

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

    def _question(self, client: Client, request: Any, hear: Callable[[Any], None]) -> None:
        """Ask, in place of what was asked before."""
        if not client.service_is_ready():
            return
        if self._pending is not None:
            before, unanswered = self._pending
            before.remove_pending_request(unanswered)
        future = client.call_async(request)
        self._pending = client, future

        def on_answer(done: RosFuture) -> None:
            if self._pending == (client, done) and done.result() is not None:
                hear(done.result())

        future.add_done_callback(on_answer)

    def _on_activity(self, message: ControllerManagerActivity) -> None:
        """Take in who is active; ask who commands what when that has changed."""
        hardware = {x.name: x.state.label for x in message.hardware_components}
        states = {x.name: x.state.label for x in message.controllers}
        before, self._active = self._active, {**states, **hardware}
        if before == self._active:
            return
        self._state, before = states.get(self.name, ABSENT), before or {}
        self._now = replace(self._now, inactive=self._sentence(self._state))
        gone = [x for x, state in self._active.items() if state != ACTIVE == before.get(x)]
        found = self._now
        for name in gone:
            if name in hardware:
                deaf = f"The hardware component '{name}' is {hardware[name]} in {self._manager}"
                found = replace(found, deaf=f"{deaf}: commands do not reach it")
            elif name == self._partner:
                found = replace(found, lost=f"The controller '{name}' is {states[name]} in motion")
        self._were.append(found)
        self.ask()

    def _on_controllers(self, answer: ListControllers.Response) -> None:
        """Look at the arm's controller and at others of its joints, then at the hardware."""
        own = next((x for x in answer.controller if x.name == self.name), None)
        self._state = ABSENT if own is None else own.state
        inactive = self._sentence(self._state, _in_the_way(own, answer.controller))
        claimed = set(own.claimed_interfaces) if own is not None and not inactive else set()
        behind = {x.split("/")[0] for x in claimed}  # joints, or controllers in a chain
        others = (x for x in answer.controller if x.name not in (self.name, self._partner, *behind))
        rival = next((found for x in others if (found := self._rival(x))), "")
        is_current = not self._interfaces.service_is_ready()
        self._now = replace(self._now, is_current=is_current, inactive=inactive, rival=rival)
        self._question(
            self._interfaces,
            ListHardwareInterfaces.Request(),
            lambda answer: self._on_interfaces(answer, claimed),
        )

    def _rival(self, other: ControllerState) -> str:
        """Say that a controller commands the arm, too; empty if it does not."""
        ours = [x for x in other.claimed_interfaces if x.split("/")[0] in self._joints]
        if not ours or other.state != ACTIVE:
            return ""
        return (
            f"The controller '{other.name}' is active and commands {', '.join(ours)}, too. Only "
            "one controller may command a joint: 'ros2 control switch_controllers --deactivate "
            f"{other.name}'"
        )

    def _on_interfaces(self, answer: ListHardwareInterfaces.Response, claimed: set[str]) -> None:
        """Look for commands of the arm's controller that nobody takes."""
        deaf = [
            x.name
            for x in answer.command_interfaces
            if x.name in claimed and not (x.is_available and x.is_claimed)
        ]
        said = deaf and (
            f"{', '.join(deaf)} of '{self.name}' cannot be commanded: the hardware component "
            f"behind is not active in {self._manager}. Activate it: 'ros2 control "
            "set_hardware_component_state'"
        )
        self._now = replace(self._now, is_current=True, deaf=said or "")

    def _sentence(self, state: str, in_the_way: Sequence[str] = ()) -> str:
        """Say that the controller is not active, and what to do; empty if it is."""
        if state == ACTIVE:
            return ""
        away = f"--deactivate {' '.join(in_the_way)} " if in_the_way else ""
        load = f"load_controller {self.name} --set-state active"
        verbs = {
            "inactive": (f"switch_controllers {away}--activate {self.name}",),
            ABSENT: (load,),
        }.get(state, (f"unload_controller {self.name}", load))
        manager = "" if self._manager == USUAL_MANAGER else f" -c {self._manager}"
        commands = ", then ".join(f"'ros2 control {verb}{manager}'" for verb in verbs)
        other = ", or correct or remap command.trajectory_topic" if state == ABSENT else ""
        return (
            f"The controller '{self.name}' is {state} in {self._manager}; only an {ACTIVE} one "
            f"moves the arm: {commands}{other}"
        )


def _in_the_way(own: ControllerState | None, every: Iterable[ControllerState]) -> list[str]:
    """Return the controllers that hold commands which another one needs."""
    needed = set() if own is None else set(own.required_command_interfaces)
    return [x.name for x in every if x is not own and needed & set(x.claimed_interfaces)]
