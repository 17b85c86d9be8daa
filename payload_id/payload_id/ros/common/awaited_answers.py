"""Callbacks that wait for what another thread or process computes, while their node goes on."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from rclpy.node import Node
from rclpy.task import Future as RosFuture

from .steady_timer import steady_timer
from .timeouts import LOOK


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


def awaitable(node: Node, future: Future[Any]) -> RosFuture:
    """Return what a callback of a node awaits until a future of another thread or process is done.

    The node's executor is woken to set the result: rclpy's futures are not made for two threads.
    """
    awaited = RosFuture()

    def pass_on() -> None:
        if (error := future.exception()) is not None:
            awaited.set_exception(error)
        else:
            awaited.set_result(future.result())

    future.add_done_callback(lambda _: node.executor.create_task(pass_on))
    return awaited
