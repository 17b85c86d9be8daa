"""Which of two controllers has the arm: asked for without an executor, answers are looked for."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from controller_manager_msgs.srv import SwitchController
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.qos import qos_profile_services_default
from rclpy.type_support import check_is_valid_srv_type

from ..common.conversions import duration_message

ANSWER = 2.0  # [s] within which a controller manager must answer; a switch may take half of it
AGAIN = 0.5  # [s] between two requests to give the arm back


@dataclass(frozen=True)
class _Request:
    """The newest request, and whether its answer is waited for."""

    number: int = 0
    at: float = -np.inf  # [s]
    back: bool = True  # whether the resting controller was asked for
    strict: bool = False
    waits: bool = False


class Handover:
    """Has a torque controller take the arm, or its resting controller take it back.

    The torque controller may have the arm from the first request on until the manager has answered
    that it was given back: one that was given up may be carried out late.

    Attributes:
        may_have: Whether the torque controller may have the arm.
        has: Whether it has, as the manager has answered.
        refusal: Why the newest request was not carried out; empty: it was, or may be.
    """

    def __init__(self, node: Node, manager: str, torques: str, resting: str) -> None:
        """Ask nothing yet.

        Args:
            node: The node.
            manager: Node of the controller manager.
            torques: The torque controller.
            resting: The resting controller.
        """
        self._service = node.resolve_service_name(f"{manager}/switch_controller")
        self._torques, self._resting = torques, resting
        check_is_valid_srv_type(SwitchController)
        with node.handle:  # not the node's own: its executor would take the answers
            self._client = rclpy_implementation.Client(
                node.handle, SwitchController, self._service,
                qos_profile_services_default.get_c_qos_profile(),
            )  # fmt: skip
        self.may_have, self.has, self.refusal = False, False, ""
        self._asked = _Request()

    @property
    def is_ready(self) -> bool:
        """Whether there is a controller manager."""
        with self._client:
            return bool(self._client.service_server_is_available())

    def take(self, now: float) -> None:
        """Ask for the torque controller, once; `now` is a time [s]."""
        if not self.may_have:
            self.may_have = True
            self._ask(now, back=False, strict=True)

    def give_back(self, now: float) -> None:
        """Ask for the resting controller, until it has the arm; `now` is a time [s].

        Torques are given up only where it takes the arm, unless that is refused: then they have
        lost the arm already, or it would be refused for ever.
        """
        asked = self._asked
        is_due = not asked.back or (not asked.waits and (asked.strict or now >= asked.at + AGAIN))
        if self.may_have and is_due:
            self._ask(now, back=True, strict=self.has and not asked.back)

    def look(self, now: float) -> None:
        """Take in answers that have come until a time [s]."""
        asked = self._asked
        with self._client:
            while (found := self._client.take_response(SwitchController.Response))[0]:
                header, answer = found
                if header.request_id.sequence_number == asked.number:
                    words = answer.message or "no words"
                    self._end("" if answer.ok else f"did not switch controllers: {words}")
        if self._asked.waits and now - asked.at > ANSWER:
            self._end(f"gave no answer within {ANSWER:g} s")

    def _end(self, refusal: str) -> None:
        """Note how a request ended."""
        self._asked = replace(self._asked, waits=False)
        self.refusal = f"{self._service} {refusal}" if refusal else ""
        if not refusal:
            self.has = self.may_have = not self._asked.back

    def _ask(self, now: float, back: bool, strict: bool) -> None:
        """Ask for one controller in place of the other one."""
        kind, pair = SwitchController.Request, (self._torques, self._resting)
        on, off = reversed(pair) if back else pair
        request = kind(
            activate_controllers=[on],
            deactivate_controllers=[off],
            strictness=kind.STRICT if strict else kind.BEST_EFFORT,
            activate_asap=True,
            timeout=duration_message(0.5 * ANSWER),
        )
        with self._client:
            number = self._client.send_request(request)
        self._asked, self.refusal = _Request(number, now, back, strict, True), ""
