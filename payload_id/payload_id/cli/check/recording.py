"""Whether a recording goes with a robot file, and what to do if not."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...core.arrays import Array
from ...core.recording_checks.check_result import CheckResult, Verdict
from ...core.recording_checks.kinematics import kinematics, looks_like_degrees
from ...core.recording_checks.timing import timing
from ...core.recording_checks.torques import torques
from ...files.recordings.any_recording import is_table
from ...files.recordings.recording import Recording
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ..common.checked import any_wrong
from ..common.options import Source
from ..common.progress import progress
from ..common.reading import read_stretch, robot_file


def check(
    recording: Path, source: Source, static: bool
) -> tuple[list[CheckResult], tuple[str, ...]]:
    """Return what was found of a recording, and what the user should know of how it was read."""
    file = robot_file(source, str(recording))
    arm = RobotModel.from_robot_file(file)
    samples = read_stretch(recording, source, file, static)
    with progress("looking"):
        return looked_at(samples, arm, file, is_table(recording), static), samples.notes


def looked_at(
    recording: Recording, arm: RobotModel, file: RobotFile, table: bool, static: bool = False
) -> list[CheckResult]:
    """Return everything else; of poses at rest their stamps tell nothing."""
    lower, upper, speed, effort = limits_of(file)
    revolute = arm.revolute
    endless = np.array(file.continuous)
    lower, upper = np.where(endless, -np.inf, lower), np.where(endless, np.inf, upper)
    # Columns are taken by name, and names that are not there are refused when reading.
    names = CheckResult(
        "joint names", Verdict.GOOD, ", ".join(arm.joints), "those of the robot file"
    )
    times = [] if static else timing(recording, None if table else file.joint_states.rate)
    lines, degrees = [names, *times], False
    if not any_wrong(times):  # else each derivative would seem to be in another unit, too
        lines += kinematics(recording, arm.joints, revolute, lower, upper, speed)
        degrees = looks_like_degrees(recording.q, revolute, lower, upper)
    if not any_wrong(times) and not degrees:
        return [*lines, *torques(recording, arm, file.uncertainty, effort)]
    do = "Mend that first, then check again."
    return [*lines, CheckResult("everything else", Verdict.LOOK, "not looked at", "", do)]


def limits_of(file: RobotFile) -> tuple[Array, Array, Array, Array]:
    """Return position, speed and torque limits, infinite where the file states none."""
    if not file.limit_sets:
        none = np.full(file.n, np.inf)
        return -none, none, none, none
    limits = file.limits
    return limits.position_lower, limits.position_upper, limits.velocity, limits.torque
