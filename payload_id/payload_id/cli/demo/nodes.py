"""The demonstration's nodes, each a process of its own, started and ended in order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import yaml

from ...core.errors import PayloadIdError
from .scene import LINK_RELATIVE, TORQUE_RELATIVE, Scene

END = 15.0  # [s] that a node may take to end
UPDATE_PERIOD = 0.5  # [s] of data between two estimates
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
    """Simulated arm, sampler and estimator as a context: they end when it is left."""

    def __init__(self, scene: Scene) -> None:
        """Note what is to be simulated; nothing runs yet."""
        self._scene = scene
        self._logs = scene.folder / "logs"
        self._processes: dict[str, tuple[subprocess.Popen[bytes], IO[bytes]]] = {}

    def __enter__(self) -> DemonstrationNodes:
        """Start all nodes."""
        self._logs.mkdir(parents=True, exist_ok=True)
        parameters = self._scene.folder / "parameters.yaml"
        parameters.write_text(yaml.safe_dump(self._parameters(), sort_keys=False))
        for node in ("sampler", "estimator", "simulated_arm"):
            self._start(node, parameters)
        return self

    def __exit__(self, *error: object) -> None:
        """End all nodes, the arm first."""
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

    def _parameters(self) -> dict[str, Any]:
        """Return the parameters of all nodes."""
        scene = self._scene
        robot = {"robot_file": str(scene.robot.path)}
        simulated = {
            **robot,
            "payload": [float(x) for x in scene.payload],
            "seed": scene.seed,
            "link_relative": LINK_RELATIVE,
            "torque_relative": TORQUE_RELATIVE,
        }
        sampler = {**robot, "bag": str(scene.folder / "bag")}
        kept = {"recordings_folder": str(scene.folder)}
        estimator = {**robot, "update_period": UPDATE_PERIOD, **kept}
        return {
            "simulated_arm": {"ros__parameters": simulated},
            "payload_sampler": {"ros__parameters": sampler},
            "payload_estimator": {"ros__parameters": estimator},
        }
