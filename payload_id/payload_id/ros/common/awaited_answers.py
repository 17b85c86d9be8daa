"""Callbacks that wait for what another thread or process computes, while their node goes on."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from rclpy.node import Node
from rclpy.task import Future as RosFuture

from .steady_timer import steady_timer

LOOK = 0.05  # [s] between two looks whether something has come about


async def until(node: Node, condition: Callable[[], bool], seconds: float) -> bool:
    """Wait, for so long at most [s], until a condition holds; return whether it does.

    The node's executor goes on meanwhile: a timer looks.
    """
    end, done = time.monotonic() + seconds, RosFuture()

    def look() -> None:
        if not done.done() and (condition() or time.monotonic() > end):
            done.set_result(None)

    timer = steady_timer(node, LOOK, look)
    await done
    node.destroy_timer(timer)
    return condition()


class AwaitedAnswers:
    """Makes futures of other threads ones that a node's callbacks can await.

    The executor's own thread sets the results, in `pass_on`: rclpy's futures are not made for two
    threads.
    """

    def __init__(self) -> None:
        """Wait for nothing yet."""
        self._pairs: list[tuple[Future[Any], RosFuture]] = []

    def awaitable(self, future: Future[Any]) -> RosFuture:
        """Return what a callback awaits until the future is done."""
        awaited = RosFuture()
        self._pairs.append((future, awaited))
        return awaited

    def pass_on(self) -> None:
        """Wake those whose futures are done; a timer of the node calls this."""
        # Asked once for each: one that is done a moment later waits for the next call.
        for future, awaited in [pair for pair in self._pairs if pair[0].done()]:
            self._pairs.remove((future, awaited))
            if (error := future.exception()) is not None:
                awaited.set_exception(error)
            else:
                awaited.set_result(future.result())
