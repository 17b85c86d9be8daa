"""What clients of nodes have in common: a node that spins in a thread of its own, and its calls."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from rclpy.client import Client
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

from .waiting import NotAnsweredError, allowed, answer_of, wait_for

NAME = "payload_client"  # of the node
Self = TypeVar("Self", bound="NodeClient")


def message_of(kind: Any, fields: Mapping[str, Any]) -> Any:
    """Return a message with fields.

    Raises:
        TypeError: It has no such field: ROS itself would ignore it.
    """
    known = kind.get_fields_and_field_types()
    if unknown := [name for name in fields if name not in known]:
        near = get_close_matches(unknown[0], known, 1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        raise TypeError(f"There is no field '{unknown[0]}'.{hint}")
    return kind(**fields)


class NodeClient:
    """Calls services; use it as a context manager. Every call waits at most its timeout.

    Attributes:
        node: The client's node, for further publishers and subscriptions.
    """

    def __init__(self, services: Mapping[str, tuple[str, Any]], context: Context | None) -> None:
        """Create the node; rclpy (or the given context) must be initialised.

        Args:
            services: Full name and type of each service, by the name that calls have here.
            context: Of rclpy; None: the default one.
        """
        self.node = allowed(lambda: Node(NAME, context=context), "a client's node")
        self._services = services
        self._clients: dict[str, Client] = {}  # made when needed: not everybody may call everything
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def __enter__(self: Self) -> Self:
        """Return the client."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the thread and the node."""
        self._executor.shutdown()
        self._thread.join(timeout=5.0)
        self.node.destroy_node()

    wait_for = staticmethod(wait_for)

    def wait_for_services(self, names: Iterable[str], timeout: float) -> None:
        """Wait for services, by the names that calls have here.

        Raises:
            NotAnsweredError: They did not appear in time.
        """
        for name in names:
            client = self._client(name)
            wait_for(client.service_is_ready, timeout, f"service {client.srv_name}")

    def _spin(self) -> None:
        """Serve the node until the executor is shut down."""
        try:
            self._executor.spin()
        except ExternalShutdownException:
            return

    def ask(self, name: str, timeout: float = 60.0, **fields: Any) -> Any:
        """Call a service, such as `ask("let_go", robot="omnid1")`; return what it responds.

        Args:
            name: By which it is known here.
            timeout: Longest time to wait [s].
            fields: Of its request.

        Raises:
            NotAnsweredError: It did not answer in time, or would not do what was asked.
            TypeError: Its request has no such field.
        """
        response = self._answer(name, timeout, **fields)
        if not response.success:
            raise NotAnsweredError(f"{self._client(name).srv_name}: {response.message}")
        return response

    def _answer(self, name: str, timeout: float, **fields: Any) -> Any:
        """Call a service and return its response, whatever it says; see `ask`."""
        request = message_of(self._services[name][1].Request, fields)
        return answer_of(self._client(name), request, timeout)

    def _client(self, name: str) -> Client:
        """Return what calls a service."""
        if name not in self._clients:
            full, kind = self._services[name]
            self._clients[name] = allowed(
                lambda: self.node.create_client(kind, full), f"calls of {full}"
            )
        return self._clients[name]
