"""The command line as its user meets it: a process, its output, its exit code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from payload_id import Recording, RobotFile, RobotModel
from payload_id.cli.main import main
from payload_id.core.arrays import Array
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.limits import inverse_dynamics
from payload_id.files.recordings.write_bag import write_joint_states

KNOWN_EXACTLY = (
    "torque_absolute", "torque_offset", "friction_coulomb", "friction_viscous", "rotor_inertia",
    "position_error", "link_relative",
)  # fmt: skip


def run_here(capsys: Any, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run `payload-id ARGUMENTS` in this process: for refusals, which need no process of their own.

    Args:
        capsys: Pytest's capture of what is printed.
        arguments: Of the command line.
    """
    capsys.readouterr()
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as end:  # of argparse
        code = end.code or 0
    return subprocess.CompletedProcess(list(arguments), code, *capsys.readouterr())


def run_without_ros(capsys: Any, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run `payload-id ARGUMENTS` in this process while rclpy cannot be imported.

    Args:
        capsys: Pytest's capture of what is printed.
        arguments: Of the command line.
    """
    here = [name for name in sys.modules if name.split(".")[0] == "rclpy"]
    there = {name: sys.modules.pop(name) for name in here}
    sys.modules["rclpy"] = None  # type: ignore[assignment]
    try:
        return run_here(capsys, *arguments)
    finally:
        del sys.modules["rclpy"]
        sys.modules.update(there)


def torque_noise_only(torque_relative: float) -> list[str]:
    """Return the arguments for exactly known links and a little torque noise."""
    values = {"torque_relative": torque_relative, **dict.fromkeys(KNOWN_EXACTLY, 0)}
    return [f"--uncertainty={name}={value}" for name, value in values.items()]


def gen3_bag(
    path: Path,
    payload: Array,
    seed: int,
    size: float,
    seconds: float,
    torque_relative: float,
    later: Array | None = None,
) -> Path:
    """Write a bag of a moving Gen3 with a payload and bounded torque noise.

    Args:
        path: The bag's folder.
        payload: Its parameters, shape (10,).
        seed: Of motion and noise.
        size: Of the motion's Fourier coefficients.
        seconds: Length of the motion [s].
        torque_relative: Bound of the noise, part of the torque.
        later: Parameters of another payload in the second half, if there is one.
    """
    rng = np.random.default_rng(seed)
    robot = RobotFile.load("kinova_gen3")
    model = RobotModel.from_robot_file(robot)
    free = size * rng.normal(size=(model.n, 2, 3))
    series = FourierSeries.from_free(np.asarray(robot.home), free, seconds)
    motion = series.at(np.arange(0.0, seconds, 2e-3))
    tau = inverse_dynamics(model, motion, payload)
    if later is not None:
        half = len(tau) // 2
        tau[half:] = inverse_dynamics(model, motion, later)[half:]
    tau *= 1 + torque_relative * rng.uniform(-1, 1, tau.shape)
    effort = (tau + robot.effort.offset) / robot.effort.sign
    recording = Recording(
        motion.time, motion.q, motion.dq, effort, start_ns=1_700_000_000_000_000_000
    )
    return write_joint_states(path, recording, joints=robot.joints)
