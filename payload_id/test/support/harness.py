"""Nodes as black boxes: processes of their own, real messages, bounded waits."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from sensor_msgs.msg import JointState

from promises.nodes import DEEP, LATCHED, PATIENCE
from promises.nodes import NodeProcess as Executable
from promises.nodes import Observer as PlainObserver

__all__ = ["DEEP", "LATCHED", "PATIENCE", "START_NS", "NodeProcess", "Observer"]

START_NS = 1_700_000_000_000_000_000  # of the stamps [ns]


class NodeProcess(Executable):
    """A node of this package by its module, in a process of its own."""

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


class Observer(PlainObserver):
    """The same, and it waits for what nodes say of themselves."""

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
