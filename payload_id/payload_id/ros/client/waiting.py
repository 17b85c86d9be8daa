"""Waiting, with an end, for answers that another thread's executor receives."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from rclpy.client import Client
from rclpy.exceptions import NameValidationException
from rclpy.impl.implementation_singleton import rclpy_implementation

from ...core.errors import InputError, PayloadIdError
from ..common.timeouts import FOUND, SILENT

Made = TypeVar("Made")


class NotAnsweredError(PayloadIdError, TimeoutError):
    """A node did not answer in time, or answered that it would not do what was asked."""


class GoneError(NotAnsweredError):
    """The node that was to answer has ended."""


def wait_for(
    condition: Callable[[], bool],
    timeout: float,
    what: str,
    there: Callable[[], bool] = lambda: True,
) -> None:
    """Wait until a condition holds.

    Args:
        condition: The condition.
        timeout: Longest time to wait [s].
        what: What is waited for.
        there: Whether the node that is to bring it about is still found.

    Raises:
        GoneError: That node has not been found for a while.
        NotAnsweredError: It did not in time.
    """
    end, seen = time.monotonic() + timeout, time.monotonic()
    while not condition():
        now = time.monotonic()
        seen = now if there() else seen
        if now - seen > SILENT:
            raise GoneError(f"The node that {what} was waited for from has ended.")
        if now > end:
            raise NotAnsweredError(f"Waited {timeout:g} s in vain for {what}.")
        time.sleep(0.02)


@contextmanager
def impossible_names_told() -> Iterator[None]:
    """Have names that no node, topic or service can have be errors of the user's.

    Raises:
        InputError: There was one.
    """
    try:
        yield
    except NameValidationException as error:
        what, name, *_ = str(error).splitlines()
        raise InputError(f"No node can have that name: {what} {name.strip()}.") from error


def allowed(make: Callable[[], Made], what: str) -> Made:
    """Return what makes a node, a client or a subscription.

    Raises:
        NotAnsweredError: ROS does not let it be made, such as where its policy does not allow it.
    """
    try:
        return make()
    except (rclpy_implementation.RCLError, ValueError) as error:  # ValueError: an action's
        said = str(error).splitlines()[0]
        if "invalid topic name" in said:
            raise NotAnsweredError(f"No node can have that name: ROS refuses {what}.") from error
        raise NotAnsweredError(
            f"ROS refuses {what}: {said}. Where security is switched on, the "
            "policy of this process's enclave must allow it (docs/troubleshooting.md)."
        ) from error


def answer_of(client: Client, request: Any, timeout: float) -> Any:
    """Call a service and return its response, whether or not it is a success.

    Raises:
        NotAnsweredError: It did not answer in time.
    """
    ready = client.service_is_ready
    wait_for(ready, min(timeout, FOUND), f"service {client.srv_name}")
    future = client.call_async(request)
    wait_for(future.done, timeout, f"an answer of {client.srv_name}", ready)
    return future.result()
