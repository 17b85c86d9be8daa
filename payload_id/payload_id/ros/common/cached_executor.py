"""rclpy's single-threaded executor, but that it gathers what it serves only where that has changed.

rclpy gathers all services, timers and subscriptions anew, and makes a wait set, each time it waits;
with fifty of them at a hundred wake-ups a second that is most of what an idle node costs. Its own
answer, `rclpy.experimental.EventsExecutor`, sends the coroutine of a service as its response, and
turns without a pause while any task waits (rclpy 7.1): it is none for nodes whose callbacks await.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from rclpy.exceptions import InvalidHandle
from rclpy.executors import (
    ExternalShutdownException,
    ShutdownException,
    SingleThreadedExecutor,
    TimeoutException,
)
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.utilities import timeout_sec_to_nsec
from rclpy.waitable import NumberOfEntities

# Attribute of a node, name of a wait set's kind, and method of the executor that takes from one; in
# the order in which what is ready is served: samples before the requests that they belong to.
KINDS = (
    ("timers", "timer", "_take_timer"),
    ("subscriptions", "subscription", "_take_subscription"),
    ("clients", "client", "_take_client"),
    ("services", "service", "_take_service"),
)


class _NoGuard:
    """What handlers trigger once they are done, which nobody waits for here."""

    def trigger(self) -> None:
        """Do nothing: what is to be served is looked at before each wait."""

    def destroy(self) -> None:
        """Do nothing."""


class CachedExecutor(SingleThreadedExecutor):
    """Serves nodes in one thread; guard conditions of nodes, which nobody here makes, are not."""

    _guard: Any
    _tasks: list[Any]

    def __init__(self) -> None:
        """Serve nothing yet."""
        self._stale, self._waiting, self._held = True, False, ExitStack()
        self._known: dict[str, dict[int, tuple[Any, Any]]] = {}  # by kind and pointer
        self._waitables: list[tuple[Any, Any]] = []
        self._wait_set: Any = None
        super().__init__()
        self._waker, self._guard = self._guard, _NoGuard()

    def wake(self) -> None:
        """Have what is to be served gathered anew; nodes call this when they make or end any."""
        self._stale = True
        if not self._waiting:
            self._held.close()  # what was ended ends at once
        self._waker.trigger()

    def create_task(self, callback: Any, *args: Any, **kwargs: Any) -> Any:
        """Have something called, or a coroutine carried out; any thread may ask for it."""
        task = super().create_task(callback, *args, **kwargs)
        self._waker.trigger()
        return task

    def shutdown(self, timeout_sec: float | None = None) -> bool:
        """End it."""
        self._held.close()
        ended = bool(super().shutdown(timeout_sec))
        self._waker.destroy()
        self._waker = _NoGuard()
        return ended

    def _gather(self) -> None:
        """Hold all that is to be served, and make a wait set for it."""
        self._stale = False
        self._held.close()
        count, self._waitables = NumberOfEntities(), []
        self._known = {kind: {} for _, kind, _ in KINDS}
        for node in self.get_nodes():
            for attribute, kind, _ in KINDS:
                for entity in getattr(node, attribute):
                    if self._hold(entity.handle):
                        self._known[kind][entity.handle.pointer] = entity, node
            for waitable in node.waitables:
                if self._hold(waitable):
                    self._waitables.append((waitable, node))
                    count += waitable.get_num_entities()
        self._held.enter_context(self._context.handle)
        sizes = {kind: len(found) for kind, found in self._known.items()}
        self._wait_set = rclpy_implementation.WaitSet(
            count.num_subscriptions + sizes["subscription"],
            count.num_guard_conditions + 2,
            count.num_timers + sizes["timer"],
            count.num_clients + sizes["client"],
            count.num_services + sizes["service"],
            count.num_events,
            self._context.handle,
        )

    def _hold(self, handle: Any) -> bool:
        """Keep a handle from being destroyed; return whether it is still there."""
        try:
            self._held.enter_context(handle)
        except InvalidHandle:
            return False
        return True

    def _wait(self, timeout_ns: int) -> list[tuple[Any, Any]]:
        """Wait until something is ready; return the waitables that were waited for."""
        waitables = self._fill_wait_set()
        self._waiting = True
        try:
            self._wait_set.wait(0 if self._stale else timeout_ns)
        finally:
            self._waiting = False
        if self._is_shutdown:
            raise ShutdownException
        if not self._context.ok():
            raise ExternalShutdownException
        return waitables

    def _fill_wait_set(self) -> list[tuple[Any, Any]]:
        """Have all that may be served waited for; return the waitables among it."""
        wait_set, busy = self._wait_set, bool(self._tasks)
        wait_set.clear_entities()
        for kind, found in self._known.items():
            add = getattr(wait_set, f"add_{kind}")
            for entity, _ in found.values():
                if not busy or self.can_execute(entity):
                    add(entity.handle)
        waitables = [x for x in self._waitables if not busy or self.can_execute(x[0])]
        for waitable, _ in waitables:
            waitable.add_to_wait_set(wait_set)
        for guard in (self._waker, self._sigint_gc):
            wait_set.add_guard_condition(guard.handle)
        return waitables

    def _wait_for_ready_callbacks(
        self, timeout_sec: float | None = None, nodes: Any = None, condition: Any = None
    ) -> Iterator[tuple[Any, Any, Any]]:
        """Yield tasks in progress, then wait and yield what is ready; all nodes are served."""
        for task, entity, node in reversed(list(self._tasks)):
            if not (task.executing() or task.done()):
                yield task, entity, node
        with self._tasks_lock:
            self._tasks = [x for x in self._tasks if not (x[0].done() or x[0].cancelled())]
        if self._stale:
            self._gather()
        ready = self._ready(self._wait(timeout_sec_to_nsec(timeout_sec)))
        for entity, node, take in ready:
            if self._stale:  # what is ready still is served after the next wait
                return
            if entity.callback_group.can_execute(entity) and self._is_due(entity, take):
                yield self._make_handler(entity, node, take), entity, node
        if not ready:
            raise TimeoutException

    def _ready(self, waitables: list[tuple[Any, Any]]) -> list[tuple[Any, Any, Any]]:
        """Return what is ready after a wait, each with its node and what takes from it."""
        found = [(x, n, self._take_waitable) for x, n in waitables if x.is_ready(self._wait_set)]
        for _, kind, take in KINDS:
            known = self._known[kind]
            for pointer in self._wait_set.get_ready_entities(kind):
                if pointer in known:
                    found.append((*known[pointer], getattr(self, take)))
        return found

    def _is_due(self, entity: Any, take: Any) -> bool:
        """Whether a timer is ready still: one may have been cancelled meanwhile, or woken early."""
        return take != self._take_timer or bool(entity.handle.is_timer_ready())
