"""Nodes around a simulated Gen3, for the examples; beside a real robot they run already."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager

BOX = ["payload_box:=[0.12, 0.12, 0.16]", "payload_box_centre:=[0.0, 0.0, 0.1]"]
SIMULATED = ["cell:=none, a simulation", "clock_tolerance:=60.0"]  # it acts by its own stamps
SILENCE = "silence:=1.0"  # [s]: joint states of a simulation pause on a busy machine
LONGEST = 20.0  # [s] that a node takes to end


def start(node: str, parameters: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a node of this package in a process of its own."""
    options = [x for parameter in parameters for x in ("-p", parameter)]
    command = [sys.executable, "-m", f"payload_id.ros.{node}.node", "--ros-args"]
    level = os.environ.get("LOG_LEVEL", "error")
    return subprocess.Popen([*command, "--log-level", level, *options])


def running(arm: Sequence[str], bounds: Sequence[str], folder: str) -> AbstractContextManager[None]:
    """Have a simulated Gen3, sampler with estimator, planner and bridge run meanwhile.

    Args:
        arm: Parameters of the simulated arm.
        bounds: What is stated of it, as parameters of estimator, planner and bridge.
        folder: Where recording and certificates go.
    """
    keeping = [f"payload_sampler:bag:={folder}/run"]
    keeping += [f"payload_estimator:recordings_folder:={folder}"]
    return running_nodes({
        "simulated_arm": arm,
        "identify": [*keeping, *(f"payload_estimator:{bound}" for bound in bounds)],
        "bridge": [*bounds, *SIMULATED, *BOX, SILENCE],
        "planner": [*bounds, *SIMULATED, *BOX, f"certificates_folder:={folder}/certificates"],
    })  # fmt: skip


@contextmanager
def running_nodes(
    parameters: Mapping[str, Sequence[str]], script: Sequence[str] = ()
) -> Iterator[None]:
    """Have nodes with these parameters run meanwhile, and a script with its arguments."""
    nodes = [start(node, of_node) for node, of_node in parameters.items()]
    if script:
        nodes.append(subprocess.Popen([sys.executable, *script]))
    try:
        yield
    finally:
        for node in reversed(nodes):
            node.send_signal(signal.SIGINT)
            node.wait(timeout=LONGEST)
