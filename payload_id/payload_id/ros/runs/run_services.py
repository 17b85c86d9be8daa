"""The services of a run that every node with runs has, and how their answers come about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from payload_id_msgs.srv import Save
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future as RosFuture
from std_srvs.srv import Trigger

from ...core.errors import ConfigurationError
from ..common.awaited_answers import awaitable
from .run_control import Answer, RunControl


class RunServices:
    """Answers `~/stop`, `~/reset`, `~/save`, and what subclasses add.

    While a request waits for the worker, the node's executor serves everything else.
    """

    def __init__(self, node: Node, control: RunControl[Any]) -> None:
        """Create the services.

        Args:
            node: The node.
            control: What the requests do.
        """
        self._node, self._log, self._control = node, node.get_logger(), control
        self._group = ReentrantCallbackGroup()
        self._trigger("stop", control.stop)
        self._trigger("reset", control.reset)
        self._serve(Save, "save", self._on_save)

    # What subclasses say.

    def hand_over(self, action: Callable[[], Answer], divides: bool) -> Any:
        """Have the worker carry out a request; return the future of its answer.

        Args:
            action: The request.
            divides: Whether it divides what is measured into before and after.
        """
        raise NotImplementedError

    def written(self, asked: str) -> tuple[Callable[[], Any], str]:
        """Return what writes the run, and what is to be said of its place.

        Raises:
            ConfigurationError: Nothing may be written where it was asked for.
        """
        raise NotImplementedError

    def remarks(self) -> str:
        """Return what is wrong with what arrives; empty: nothing."""
        return ""

    # What they use.

    async def end_run(self) -> Answer:
        """End the run in progress, with all that has been published so far."""
        answer: Answer = await self._ask(self._control.stop, True)
        self._log.info(answer.message)
        return answer

    def _serve(self, kind: Any, name: str, callback: Callable[..., Any]) -> None:
        """Create a service."""
        self._node.create_service(kind, f"~/{name}", callback, callback_group=self._group)

    def _trigger(self, name: str, action: Callable[[], Answer]) -> None:
        """Create a service that divides what is measured into before and after."""

        async def answer(request: Any, response: Any) -> Any:
            return await self._fill_in(response, action, divides=True)

        self._serve(Trigger, name, answer)

    def _ask(self, action: Callable[[], Answer], divides: bool = False) -> RosFuture:
        """Hand a request over."""
        return awaitable(self._node, self.hand_over(action, divides))

    async def _fill_in(
        self, response: Any, action: Callable[[], Answer], divides: bool = False
    ) -> Any:
        """Carry out a request; fill in and log what happened, and what is wrong meanwhile."""
        remarks = self.remarks()
        answer: Answer = await self._ask(action, divides)
        response.success = answer.success
        response.message = f"{answer.message} {remarks}".rstrip()
        if hasattr(response, "path"):
            response.path = str(answer.path or "")
        self._log.info(response.message)
        return response

    async def _on_save(self, request: Save.Request, response: Save.Response) -> Save.Response:
        """Save the run."""
        try:
            write, note = self.written(request.path)
        except ConfigurationError as error:
            response.success, response.message = False, str(error)
            self._log.warning(response.message)
            return response
        return await self._fill_in(response, lambda: self._control.save(write, note))
