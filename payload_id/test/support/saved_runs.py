"""Saved runs of a simulated arm, as live runs leave them, made without ROS and at little cost."""

from __future__ import annotations

from pathlib import Path

from command_line import gen3_bag
from payload_id import RobotFile, Uncertainty
from payload_id.core.arrays import Array
from payload_id.core.identification.identify import begun, estimates_of
from payload_id.core.identification.settings import Settings
from payload_id.files.recordings.saved_run import arm_of, recording_of
from payload_id.files.runs.run_file import RunFile

UPDATES = (4, 8)


def saved_run(
    folder: Path, payload: Array, seed: int, torque_relative: float = 0.025, stated: float = 0.025
) -> Path:
    """Save a run of a Gen3 with exactly known links; return the folder of its bag.

    Args:
        folder: Where.
        payload: True parameters, shape (10,).
        seed: Of motion and noise.
        torque_relative: Bound of the noise, part of the torque.
        stated: The bound that is stated of it.
    """
    gen3_bag(folder, payload, seed, 0.3, 0.8, torque_relative)
    robot = RobotFile.load("kinova_gen3")
    file = RunFile(
        joints=robot.joints, payload_frame=robot.payload_frame, urdf=robot.urdf,
        robot="kinova_gen3", gravity=tuple(robot.gravity.tolist()),
        effort_sign=tuple(robot.effort.sign.tolist()),
        effort_offset=tuple(robot.effort.offset.tolist()),
        start_ns=1_700_000_000_000_000_000, updates=UPDATES, software_version="0.1.0",
        settings=Settings(Uncertainty(torque_relative=stated)),
    )  # fmt: skip
    recording = recording_of(folder, file, "", file.start_ns)
    online = begun(arm_of(file, recording), file.settings, None)
    history = list(estimates_of(online, recording, UPDATES))
    bounds = [estimate.bounds for estimate in history]
    file.with_result(online.concluded(history[-1]), bounds, online.present()).save(folder)
    return folder
