"""Nodes as processes of their own, and what a process uses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import yaml
from timing import UNCERTAINTY

from payload_id import RobotFile

TICKS, PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")


def robot_file(folder: Path) -> Path:
    """Write a robot file of the Gen3 with the bounds of the recordings that are sent."""
    base, path = RobotFile.load("kinova_gen3").path.resolve(), folder / "robot.yaml"
    path.write_text(
        yaml.safe_dump({"extends": str(base), "uncertainty": UNCERTAINTY.to_dict()}), "utf-8"
    )
    return path


def start(
    node: str, folder: Path, parameters: Sequence[str] = (), name: str = "", namespace: str = ""
) -> subprocess.Popen[bytes]:
    """Start a node of this package; what it prints goes to a file."""
    options = [x for parameter in parameters for x in ("-p", parameter)]
    options += ["-r", f"__node:={name}"] if name else []
    options += ["-r", f"__ns:={namespace}"] if namespace else []
    command = [sys.executable, "-m", f"payload_id.ros.{node}.node", "--ros-args", *options]
    with (folder / f"{name or node}.log").open("wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=log)


def end(processes: dict[str, subprocess.Popen[bytes]]) -> None:
    """End nodes."""
    for process in processes.values():
        process.send_signal(signal.SIGINT)
    for process in processes.values():
        process.wait(timeout=30.0)


def processor_time(pid: int) -> float:
    """Return the processor time that a process has used [s]."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS
