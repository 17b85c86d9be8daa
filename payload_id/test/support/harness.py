"""Nodes as black boxes: processes of their own, real messages, bounded waits."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

PATIENCE = 60.0  # [s] for anything, on a machine that is busy otherwise
START_NS = 1_700_000_000_000_000_000  # of the stamps [ns]
LATCHED = QoSProfile(
    depth=10, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
DEEP = QoSProfile(depth=4000, reliability=ReliabilityPolicy.RELIABLE)


class NodeProcess:
    """A node of this package in a process of its own; what it prints goes to a file."""

    def __init__(
        self,
        module: str,
        domain: int,
        log: Path,
        *options: str,
        folder: Path | None = None,
        environment: dict[str, str] | None = None,
        **parameters: Any,
    ):
        """Start a node's module, or a program, in a folder and an environment."""
        self.log = log
        arguments = [part for k, v in parameters.items() for part in ("-p", f"{k}:={v}")]
        program = [module] if module.endswith(".py") else ["-m", f"payload_id.ros.{module}.node"]
        command = [sys.executable, *program, "--ros-args"]
        inherited = os.environ if environment is None else environment
        own = {"ROS_DOMAIN_ID": str(domain), "PYTHONUNBUFFERED": "1"}
        # Logs, and the faults that a bridge remembers, stay with the test.
        environment = {"ROS_HOME": str(log.parent / "ros_home"), **inherited, **own}
        with log.open("w") as stream:
            self.process = subprocess.Popen(
                [*command, *arguments, *options], env=environment, stdout=stream, stderr=stream,
                cwd=folder,
            )  # fmt: skip
        atexit.register(self.process.kill)  # whatever becomes of the test

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self.process.poll() is None

    def printed(self) -> str:
        """Return what it has printed."""
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
        """Return a publisher that has found all its subscribers."""
        publisher = self.node.create_publisher(kind, topic, DEEP)
        count = publisher.get_subscription_count
        self.wait(lambda: count() >= listeners, f"{listeners} subscribers of {topic}")
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

    def diagnosis(self, words: str) -> DiagnosticStatus:
        """Wait for a diagnostic status whose message holds some words."""
        box = self.mailbox["/diagnostics"]
        box.clear()

        def found() -> DiagnosticStatus | None:
            statuses = [status for array in box for status in array.status]
            return next((x for x in statuses if words in x.message), None)

        return self.wait(found, f"a diagnostic message with '{words}'")


def time_of(stamp_ns: int) -> Time:
    """Return a stamp as a message."""
    return Time(sec=stamp_ns // 10**9, nanosec=stamp_ns % 10**9)


def joint_state(
    stamp_ns: int, names: Sequence[str], position: Any, velocity: Any, effort: Any
) -> JointState:
    """Return a message."""
    message = JointState(name=list(names))
    message.header.stamp = time_of(int(stamp_ns))
    for field, values in (("position", position), ("velocity", velocity), ("effort", effort)):
        setattr(message, field, [float(x) for x in np.asarray(values)])
    return message
