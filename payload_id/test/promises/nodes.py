"""Nodes as black boxes: the installed executables as processes, real messages, bounded waits."""

from __future__ import annotations

import atexit
import itertools
import os
import signal
import socket
import subprocess
import time
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

PATIENCE = 60.0  # [s] for anything, on a machine that is busy otherwise
DEEP = QoSProfile(depth=4000, reliability=ReliabilityPolicy.RELIABLE)
LATCHED = QoSProfile(
    depth=10, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
DOMAINS = 100  # 1 to 100: beyond, ports of DDS are among those that Linux hands out
_count = itertools.count()


def next_domain() -> int:
    """Return a domain that no other process of this test run uses, nor now any other."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    share = DOMAINS // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    for _ in range(share):
        own = worker * share + next(_count) % share
        domain = 1 + (zlib.crc32(run.encode()) + own) % DOMAINS
        if is_free(domain):
            break
    return domain


def is_free(domain: int) -> bool:
    """Whether nobody has the port of the first participant of a domain (RTPS 2.2, 9.6.1.1)."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.bind(("", 7400 + 250 * domain + 10))
        except OSError:
            return False
    return True


def executable(name: str) -> Path:
    """Return where `ros2 run payload_id NAME` finds its program."""
    for prefix in os.environ["AMENT_PREFIX_PATH"].split(os.pathsep):
        path = Path(prefix) / "lib" / "payload_id" / name
        if path.exists():
            return path
    raise FileNotFoundError(f"no executable {name} below {os.environ['AMENT_PREFIX_PATH']}")


class NodeProcess:
    """An executable of the package in a process of its own; what it prints goes to a file."""

    def __init__(
        self, name: str, domain: int, folder: Path, *options: str, **parameters: Any
    ) -> None:
        """Start it.

        Args:
            name: Of the executable.
            domain: Of DDS.
            folder: For its log and what the nodes of a robot remember.
            options: Further arguments of ROS.
            parameters: Of the node.
        """
        self.name = name
        self.log = folder / f"{name}_{time.monotonic_ns()}.log"
        arguments = [part for k, v in parameters.items() for part in ("-p", f"{k}:={v}")]
        command = [str(executable(name)), "--ros-args", *arguments, *options]
        own = {"ROS_DOMAIN_ID": str(domain), "PYTHONUNBUFFERED": "1"}
        own["ROS_HOME"] = str(folder / "ros_home")
        with self.log.open("w") as stream:
            self.process = subprocess.Popen(
                command, env={**os.environ, **own}, stdout=stream, stderr=stream, cwd=folder
            )
        atexit.register(self.process.kill)  # whatever becomes of the test

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self.process.poll() is None

    @property
    def printed(self) -> str:
        """What it has printed."""
        return self.log.read_text()

    def stop(self, number: int = signal.SIGINT) -> int:
        """Tell it to end; return its exit code."""
        if self.alive:
            self.process.send_signal(number)
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.kill()


class Observer:
    """A node of the test: publishes, listens, calls; keeps every message by topic."""

    def __init__(self, domain: int, name: str = "observer") -> None:
        """Join the domain."""
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node(name, context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.mailbox: dict[str, list[Any]] = {}
        self.listen(DiagnosticArray, "/diagnostics")

    def close(self) -> None:
        """Leave the domain."""
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)

    def listen(self, kind: Any, topic: str, profile: QoSProfile = DEEP) -> list[Any]:
        """Subscribe; return the list that messages are put into."""
        box = self.mailbox.setdefault(topic, [])
        self.node.create_subscription(kind, topic, box.append, profile)
        return box

    def publisher(self, kind: Any, topic: str, listeners: int = 1) -> Any:
        """Return a publisher that has found all its subscribers, and those here have found it."""
        own = [x for x in self.node.subscriptions if x.topic_name == topic]
        before = [x.get_publisher_count() for x in own]
        publisher = self.node.create_publisher(kind, topic, DEEP)
        count = publisher.get_subscription_count
        self.wait(lambda: count() >= listeners, f"{listeners} subscribers of {topic}")
        for subscription, others in zip(own, before, strict=True):
            heard = lambda one=subscription, n=others: one.get_publisher_count() > n  # noqa: E731
            self.wait(heard, f"a publisher of {topic} that is heard here")
        return publisher

    def wait(self, condition: Callable[[], Any], what: str, patience: float = PATIENCE) -> Any:
        """Spin until something is true; return it."""
        end = time.monotonic() + patience
        while not (result := condition()):
            assert time.monotonic() < end, f"waited {patience} s in vain for {what}"
            self.executor.spin_once(timeout_sec=0.05)
        return result

    def call(self, kind: Any, service: str, **fields: Any) -> Any:
        """Call a service; return its response."""
        client = self.node.create_client(kind, service)
        self.wait(client.service_is_ready, f"service {service}")
        future = client.call_async(kind.Request(**fields))
        self.wait(future.done, f"an answer of {service}")
        self.node.destroy_client(client)
        return future.result()

    def goal(self, kind: Any, action: str, **fields: Any) -> tuple[Any, Any, list[Any]]:
        """Send a goal; return handle, future of the result (None: rejected) and feedback."""
        client, feedback = ActionClient(self.node, kind, action), []
        self.wait(client.server_is_ready, f"action {action}")
        sent = client.send_goal_async(
            kind.Goal(**fields), feedback_callback=lambda message: feedback.append(message.feedback)
        )
        handle = self.wait(lambda: sent.done() and sent.result(), f"an answer of {action}")
        return handle, handle.get_result_async() if handle.accepted else None, feedback

    def result(self, future: Any, patience: float = PATIENCE) -> tuple[Any, int]:
        """Return result and status of a goal."""
        answer = self.wait(lambda: future.done() and future.result(), "the result", patience)
        return answer.result, answer.status

    def is_ready(self, *nodes: str) -> bool:
        """Whether nodes have said in their diagnostics that they are ready."""
        ready = {
            status.name.split(":")[0]
            for array in self.mailbox["/diagnostics"]
            for status in array.status
            if status.message == "Ready."
        }
        return set(nodes) <= ready
