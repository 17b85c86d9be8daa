"""Running nodes until they are told to stop: signals, errors and exit codes in one place."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.signals import SignalHandlerOptions

from ...core.errors import ConfigurationError
from ...core.threads import one_thread
from ..access.domain import check_peers, ros_domain
from .cached_executor import CachedExecutor
from .error_sentence import OUTLIVED, CannotGoOnError, refusal_sentence
from .timeouts import LOOK, SENT

POLL = 0.1  # longest time until a signal is noticed [s]
PARTING = 4.0  # [s] to come to rest in; ros2 launch waits for 5 s
BREATH = 0.001  # after an error, so that one that comes again and again takes no whole core [s]


class RunnableNode(Protocol):
    """A node of this package."""

    def close(self) -> None:
        """End threads and files in order; further calls change nothing."""

    def destroy_node(self) -> None:
        """As rclpy's."""


@runtime_checkable
class PartingNode(Protocol):
    """A node that others may wait for."""

    async def part(self) -> None:
        """Begin nothing new, and have what is in progress come to its end."""

    @property
    def in_progress(self) -> int:
        """Number of requests that are in progress."""


def run(makers: Sequence[Callable[[], RunnableNode]], args: Sequence[str] | None = None) -> int:
    """Run nodes in one process until SIGINT, SIGTERM or SIGHUP.

    One thread serves all nodes: at these rates a multi-threaded executor costs ten times as much
    processor time, and what takes long runs in the nodes' own threads. What is in progress when
    the signal comes is brought to its end before (`PARTING`): an arm comes to rest, and whoever
    waits for a result is told. Linear algebra uses one
    thread, too: others would wait busily for their share of matrices this small. Whatever a
    callback raises is logged and counted (`OUTLIVED`, shown in /diagnostics), and the nodes go on.

    Args:
        makers: Make the nodes, in the order in which they are to start.
        args: Arguments after the program's name; None: those of the process.

    Returns:
        code: Exit code: 0; 1 if a node could not start or go on, after one sentence on standard
            error.
    """
    asked_to_stop = stop_signal()
    try:
        start_ros(None if args is None else ["payload_id", *args])
    except CannotGoOnError as error:
        print(f"payload_id: {error}", file=sys.stderr)
        return 1
    nodes: list[RunnableNode] = []
    executor = CachedExecutor()
    try:
        with one_thread():  # before any thread of a node asks for the same and takes it back
            for make in makers:
                nodes.append(make())
                executor.add_node(nodes[-1])
            while not asked_to_stop.is_set():
                _serve(executor, asked_to_stop)
            _part(nodes, executor, asked_to_stop)
    except Exception as error:  # whatever it is, it is said in a sentence
        print(f"payload_id: {refusal_sentence(error)}", file=sys.stderr)
        return 1
    finally:
        _end(nodes, executor)
    return 0


def start_ros(args: Sequence[str] | None = (), context: rclpy.Context | None = None) -> None:
    """Initialise ROS, which leaves signals to this process.

    Args:
        args: The program's name and its arguments; empty: none; None: those of the process.
        context: What is initialised; None: the default one.

    Raises:
        CannotGoOnError: ROS cannot start here: another domain than there are, a host that nobody
            knows, no folder for its logs.
    """
    given = None if args is None else list(args)
    try:
        ros_domain()
        check_peers()
    except ConfigurationError as error:
        raise CannotGoOnError(str(error)) from error
    try:
        rclpy.init(args=given, context=context, signal_handler_options=SignalHandlerOptions.NO)
    except rclpy_implementation.RCLError as error:
        said = str(error)
        remedy = ""
        if "logging" in said:
            remedy = " Set ROS_LOG_DIR to a folder that this user may write to."
        raise CannotGoOnError(f"ROS cannot start here: {said}.{remedy}") from error


@contextmanager
def ros_running(context: rclpy.Context | None = None) -> Iterator[None]:
    """Have ROS run meanwhile, in a context of its own where one is given.

    Raises:
        CannotGoOnError: See `start_ros`.
    """
    start_ros(context=context)
    try:
        yield
    finally:
        rclpy.try_shutdown(context=context)


def _part(
    nodes: Sequence[RunnableNode], executor: CachedExecutor, asked_to_stop: threading.Event
) -> None:
    """Serve until nothing is in progress any more, or for some time.

    A second signal changes nothing: a terminal and ros2 launch both send one.
    """

    def serve_for(seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0.0:
            _serve(executor, asked_to_stop, left)

    parting = [node for node in nodes if isinstance(node, PartingNode)]
    serve_for(LOOK)
    if not any(node.in_progress for node in parting):
        return
    for node in parting:
        executor.create_task(node.part)
    until = time.monotonic() + PARTING
    while any(node.in_progress for node in parting) and time.monotonic() < until:
        _serve(executor, asked_to_stop)
    serve_for(SENT)


def _serve(executor: CachedExecutor, asked_to_stop: threading.Event, longest: float = POLL) -> None:
    """Carry out what is due, if anything within a time [s]; the nodes outlive what it raises."""
    try:
        executor.spin_once(timeout_sec=longest)
    except CannotGoOnError:
        raise
    except ExternalShutdownException:
        asked_to_stop.set()
    except Exception as error:
        OUTLIVED.note(error)
        asked_to_stop.wait(BREATH)


def stop_signal() -> threading.Event:
    """Return what SIGINT, SIGTERM and, unless nohup has it ignored, SIGHUP set.

    The last one comes when a terminal is closed, or a connection to it breaks.
    """
    asked_to_stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: asked_to_stop.set())
    return asked_to_stop


def _end(nodes: Sequence[RunnableNode], executor: CachedExecutor) -> None:
    """End nodes in order, and then ROS."""
    for node in nodes:
        node.close()
    executor.shutdown()
    for node in nodes:
        node.destroy_node()
    rclpy.try_shutdown()
