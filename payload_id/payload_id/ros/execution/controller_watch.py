"""Whether the controller that is to follow a motion is active, as its controller manager says.

A controller that is not active drops trajectories without a word. `list_controllers`, which every
controller manager answers, is asked before a motion; in motion its topic `activity` is heard, where
it has one. Without a controller manager nothing is known, and nothing is refused.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from controller_manager_msgs.msg import ControllerManagerActivity, ControllerState
from controller_manager_msgs.srv import ListControllers
from rclpy.node import Node
from rclpy.task import Future as RosFuture

from ..common.topics import LATCHED
from .start_check import NotReadyError

ANSWER = 1.0  # [s] within which a controller manager must answer
ACTIVE, ABSENT = "active", "not loaded"
USUAL_MANAGER = "/controller_manager"  # the one that `ros2 control` asks by itself


class ControllerWatch:
    """Judges one controller.

    Attributes:
        name: Of the controller: that of the node whose topic it is.
    """

    def __init__(
        self, node: Node, manager: str, topic: str, joints: Sequence[str], gives_way: bool = False
    ) -> None:
        """Listen to the controller manager.

        Args:
            node: The node.
            manager: Node of the controller manager.
            topic: Full name of the controller's topic.
            joints: Names of those that it must move.
            gives_way: Whether another controller has the arm in motion, which is watched elsewhere.
        """
        self._gives_way = gives_way
        self.name = topic.rpartition("/")[0].rpartition("/")[2]
        self._joints = joints
        self._asked: list[tuple[RosFuture, float]] = []  # answers, and how long they may take
        self._state, self._lost = "", ""
        service = f"{manager}/list_controllers"
        self._client = node.create_client(ListControllers, service)
        self._manager = node.resolve_service_name(service).rpartition("/")[0]
        node.create_subscription(
            ControllerManagerActivity, f"{manager}/activity", self._on_activity, LATCHED
        )

    @property
    def is_managed(self) -> bool:
        """Whether there is a controller manager."""
        return bool(self._client.service_is_ready())

    def absence(self) -> str:
        """Say that there is no controller manager; empty if there is one."""
        if self.is_managed:
            return ""
        return (
            f"There is no controller manager {self._manager}, so it is not known whether "
            f"'{self.name}' is {ACTIVE}: start the robot's driver, or name another node by the "
            "parameter controller_manager or driver.controller_manager of the robot file (null "
            "there: the arm has none)."
        )

    def words(self) -> str:
        """Return what is known, in a few words."""
        if not self.is_managed:
            return "no controller manager"
        return f"{self.name}: {self._state or 'not asked yet'}"

    async def check(self) -> None:
        """Ask the controller manager, if there is one; `look` ends the waiting.

        Raises:
            NotReadyError: The controller would not move the arm, or there was no answer in time.
        """
        if not self.is_managed:
            return
        answer = self._client.call_async(ListControllers.Request())
        self._asked.append((answer, time.monotonic() + ANSWER))
        listed = await answer
        if listed is None:
            self._client.remove_pending_request(answer)
            raise NotReadyError(
                f"{self._manager}/list_controllers gave no answer within {ANSWER:g} s, so it is "
                f"not known whether '{self.name}' is {ACTIVE}. Look at the robot's driver, then "
                "try again."
            )
        own = next((x for x in listed.controller if x.name == self.name), None)
        self._state = ABSENT if own is None else own.state
        if self._state != ACTIVE:
            raise NotReadyError(self._sentence(self._state, _in_the_way(own, listed.controller)))
        if own is not None and (unmoved := _unmoved(self._joints, own.claimed_interfaces)):
            raise NotReadyError(
                f"The controller '{self.name}' is {ACTIVE}, but claims no command of "
                f"{', '.join(unmoved)}; claimed are {', '.join(own.claimed_interfaces) or 'none'}. "
                "It must move every joint of the arm: mend its parameter joints, or set the "
                "bridge's trajectory_topic."
            )

    def look(self) -> None:
        """Tell who waits for an answer that it takes too long; a timer calls this."""
        waiting = [(answer, until) for answer, until in self._asked if not answer.done()]
        self._asked = [(answer, until) for answer, until in waiting if time.monotonic() <= until]
        for late in waiting:
            if late not in self._asked:
                late[0].set_result(None)

    def doubt(self) -> str:
        """Say that the controller is not active now, by what was heard; empty if it may be."""
        if self._state in ("", ACTIVE) or not self.is_managed:
            return ""
        return self._sentence(self._state)

    def begin(self) -> None:
        """Begin to watch a motion."""
        self._lost = ""

    def fault(self) -> str:
        """Say that the controller left its active state during the motion; empty if not."""
        return "" if self._gives_way else self._lost

    def _on_activity(self, message: ControllerManagerActivity) -> None:
        """Take in the states of all controllers."""
        states = {x.name: x.state.label for x in message.controllers}
        self._state = states.get(self.name, ABSENT)
        if self._state != ACTIVE:
            self._lost = f"The controller '{self.name}' is {self._state} in {self._manager}"

    def _sentence(self, state: str, in_the_way: Sequence[str] = ()) -> str:
        """Return what was found, what is allowed and what to do."""
        away = f"--deactivate {' '.join(in_the_way)} " if in_the_way else ""
        activate = f"switch_controllers {away}--activate {self.name}"
        load = f"load_controller {self.name} --set-state active"
        verbs = {
            "inactive": (activate,),
            "unconfigured": (f"set_controller_state {self.name} inactive", activate),
            ABSENT: (load,),
        }.get(state, (f"unload_controller {self.name}", load))
        manager = "" if self._manager == USUAL_MANAGER else f" -c {self._manager}"
        commands = ", then ".join(f"'ros2 control {verb}{manager}'" for verb in verbs)
        other = ", or set the bridge's trajectory_topic" if state == ABSENT else ""
        return (
            f"The controller '{self.name}' is {state} in {self._manager}; only an {ACTIVE} one "
            f"moves the arm: {commands}{other}."
        )


def _unmoved(joints: Iterable[str], claimed: Iterable[str]) -> list[str]:
    """Return the joints of which no command is claimed, such as joint_1/position."""
    moved = {part for name in claimed for part in name.split("/")[:-1]}  # also of a chain's
    return [joint for joint in joints if joint not in moved]


def _in_the_way(own: ControllerState | None, every: Iterable[ControllerState]) -> list[str]:
    """Return the controllers that hold commands which another one needs."""
    needed = set() if own is None else set(own.required_command_interfaces)
    return [x.name for x in every if x is not own and needed & set(x.claimed_interfaces)]
