"""Switching controllers without an executor: asked once, the answer is looked for now and then."""

from __future__ import annotations

import time

from controller_manager_msgs.srv import SwitchController
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.qos import qos_profile_services_default
from rclpy.type_support import check_is_valid_srv_type

from ..common.conversions import duration_message

ANSWER = 2.0  # [s] within which a controller manager must answer
TIMEOUT = 1.0  # [s] that the controller manager may take for the switch


class SwitchRequest:
    """Has one controller take the arm over from another one."""

    def __init__(self, node: Node, manager: str) -> None:
        """Make the client of a controller manager."""
        self._service = node.resolve_service_name(f"{manager}/switch_controller")
        check_is_valid_srv_type(SwitchController)
        with node.handle:  # not the node's own: its executor would take the answers
            self._client = rclpy_implementation.Client(
                node.handle, SwitchController, self._service,
                qos_profile_services_default.get_c_qos_profile(),
            )  # fmt: skip
        self._asked: tuple[int, float] | None = None  # number of the request, and when it was made
        self._wanted, self._first = "", 0  # who is to be active, and the first request for that

    @property
    def is_ready(self) -> bool:
        """Whether there is a controller manager."""
        with self._client:
            return bool(self._client.service_server_is_available())

    @property
    def waits(self) -> bool:
        """Whether an answer is still to come."""
        return self._asked is not None

    def ask(self, activate: str, deactivate: str, strict: bool) -> None:
        """Ask for one controller in place of another one.

        What was asked before counts no more, but for the same: requests are carried out in turn,
        and a late answer to an earlier one tells as much.

        Args:
            activate: This one.
            deactivate: In place of this one.
            strict: Whether nothing may be done where one of them is in that state already.
        """
        kind = SwitchController.Request
        request = SwitchController.Request(
            activate_controllers=[activate],
            deactivate_controllers=[deactivate],
            strictness=kind.STRICT if strict else kind.BEST_EFFORT,
            activate_asap=True,
            timeout=duration_message(TIMEOUT),
        )
        with self._client:
            number = self._client.send_request(request)
        self._asked = number, time.monotonic()
        if activate != self._wanted:
            self._wanted, self._first = activate, number

    def answer(self) -> tuple[bool, str] | None:
        """Return whether it was done, and the manager's words; None while that is not known."""
        last, since = self._asked or (None, 0.0)
        with self._client:
            while (found := self._client.take_response(SwitchController.Response))[0]:
                header, response = found
                number = header.request_id.sequence_number
                if number == last or (response.ok and number >= self._first):
                    self._asked = None
                    return bool(response.ok), str(response.message)
        if self._asked is not None and time.monotonic() - since > ANSWER:
            self._asked = None
            return False, f"{self._service} gave no answer within {ANSWER:g} s"
        return None
