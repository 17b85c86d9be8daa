"""The demonstration's nodes, each a process of its own, started and ended in order."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import yaml

from ...core.errors import PayloadIdError
from .scene import SENSOR, Scene

END = 15.0  # [s] that a node may take to end
BANDWIDTH = 20.0  # [Hz] of motion: simulated joint states have no noise to be smoothed away
UPDATE_PERIOD = 0.5  # [s] of data between two estimates
SIMULATED = ("torque_relative", "torque_absolute", "link_relative")  # bounds that errors keep
# As -m NODE, in a process that the kernel ends when this one has ended, however that came about:
# prctl(PR_SET_PDEATHSIG, SIGTERM), see prctl(2).
NODE = (
    "import ctypes, runpy, signal, sys\n"
    "ctypes.CDLL(None).prctl(1, signal.SIGTERM)\n"
    "runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
)


class NodeDiedError(PayloadIdError, RuntimeError):
    """A node ended before it was told to."""


class DemonstrationNodes:
    """Nodes as a context: they end when it is left."""

    def __init__(self, folder: Path, parameters: Mapping[str, Any], nodes: Sequence[str]) -> None:
        """Note what is to run; nothing does yet.

        Args:
            folder: Where their logs are put.
            parameters: Of each node, by its name.
            nodes: Rooms of the nodes, in the order in which they start.
        """
        self._folder, self._parameters, self._nodes = folder, parameters, tuple(nodes)
        self._logs = folder / "logs"
        self._processes: dict[str, tuple[subprocess.Popen[bytes], IO[bytes]]] = {}

    def __enter__(self) -> DemonstrationNodes:
        """Start all nodes."""
        self._logs.mkdir(parents=True, exist_ok=True)
        parameters = self._folder / "parameters.yaml"
        entries = {name: {"ros__parameters": x} for name, x in self._parameters.items()}
        plain = json.loads(json.dumps(entries))  # nothing twice: ROS reads no aliases of YAML
        parameters.write_text(yaml.safe_dump(plain, sort_keys=False))
        for node in self._nodes:
            self._start(node, parameters)
        return self

    def __exit__(self, *error: object) -> None:
        """End all nodes, the last one first."""
        for process, _ in reversed(self._processes.values()):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process, log in self._processes.values():
            try:
                process.wait(END)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            log.close()

    def pid(self, name: str) -> int:
        """Return the process number of a node."""
        return self._processes[name][0].pid

    def check(self) -> None:
        """Raise if a node has ended by itself.

        Raises:
            NodeDiedError: Says which, and the end of its log.
        """
        for name, (process, _) in self._processes.items():
            if process.poll() is not None:
                log = self._logs / f"{name}.log"
                lines = log.read_text(errors="replace").splitlines()[-5:]
                raise NodeDiedError(
                    f"The node {name} ended with code {process.returncode}; its log {log} ends "
                    "with:\n  " + "\n  ".join(lines)
                )

    def _start(self, node: str, parameters: Path) -> None:
        """Start one node; what it prints goes to its log."""
        log = (self._logs / f"{node}.log").open("wb")
        command = [sys.executable, "-c", NODE, f"payload_id.ros.{node}.node"]
        command += ["--ros-args", "--params-file", str(parameters)]
        # A session of its own: an interrupt at the terminal reaches the nodes through __exit__.
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self._processes[node] = (process, log)


def arm_nodes(
    scene: Scene,
    also: Mapping[str, Any] | None = None,
    measured: Mapping[str, Any] | None = None,
    **simulated_too: float,
) -> DemonstrationNodes:
    """Return simulated arm, sampler and estimator.

    Args:
        scene: What is simulated.
        also: Parameters of further nodes, by the room of each; they start first.
        measured: What the estimator is told of what is measured; None: joint torques are.
        simulated_too: Further parameters of the simulated arm.
    """
    robot: dict[str, Any] = {"robot_file": str(scene.robot.path)}
    simulated = {
        **robot,
        "publish_clock": True,
        "payload": [float(x) for x in scene.payload],
        "seed": scene.seed,
        **{name: getattr(scene.robot.uncertainty, name) for name in SIMULATED},
        "wrench_noise": [SENSOR.force_error, SENSOR.torque_error],
        **simulated_too,
    }
    robot["use_sim_time"] = True  # however slow the machine
    measured = measured or {"source": "torque"}
    kept = {"recordings_folder": str(scene.folder)}
    parameters = {
        "simulated_arm": simulated,
        "payload_sampler": {
            **robot,
            "source": measured["source"],
            "bandwidth": BANDWIDTH,
            "bag": str(scene.folder / "bag"),
        },
        "payload_estimator": {**robot, **measured, "update_period": UPDATE_PERIOD, **kept},
    }  # fmt: skip
    others = also or {}
    parameters |= {f"payload_{room}": {**robot, **each} for room, each in others.items()}
    rooms = (*others, "sampler", "estimator", "simulated_arm")
    return DemonstrationNodes(scene.folder, parameters, rooms)
