"""`payload-id identify` from a force-torque sensor's recording."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from ...core.arrays import Array
from ...core.errors import InputError
from ...core.identification.estimate import Estimate
from ...core.identification.identify import estimates_of
from ...core.identification.settings import Settings
from ...core.identification.wrench.alignment import time_offset
from ...core.identification.wrench.identify import aligned, wrench_estimates
from ...core.identification.wrench.online import OnlineWrench
from ...core.identification.wrench.static import identify_static
from ...core.rows.wrench.newton_euler import NewtonEulerRows
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ...core.version import VERSION
from ...files.recordings.any_recording import is_table
from ...files.recordings.replay_job import steps
from ...files.recordings.saved_run import identical
from ...files.recordings.wrench_blocks import read_blocks, write_blocks
from ...files.recordings.wrench_recording import WrenchRecording
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ...files.runs.run_file import RunFile, bag_of, has_run_file
from ...files.tables.wrench_csv import is_wrench_description
from ..common.options import RecordingOptions, numbers_of
from ..common.reading import columns_of, stretch_of
from ..common.settings import with_changes, with_methods
from .outcome import Outcome, check_new

BLOCKS = "payload_wrench_sampler/samples"
_UNITS = {"force": "N", "torque": "N m"}


def is_wrench(asked: RecordingOptions) -> bool:
    """Tell whether a recording of a force-torque sensor is asked for."""
    if asked.wrench_topic is not None or saved_run(asked) is not None:
        return True
    motion = (asked.pose_topic, asked.orientation)
    if asked.columns is None and (asked.static or motion != (None, None)):
        raise InputError(
            "--static, --pose-topic and --orientation belong to a force-torque sensor: name its "
            "topic with --wrench-topic. Of a table say with --columns what it holds."
        )
    return asked.columns is not None and is_wrench_description(asked.columns)


def saved_run(asked: RecordingOptions) -> RunFile | None:
    """Return the settings of the live run of a wrench that made the recording, if one did.

    None too where options say how to read the messages instead.
    """
    said = (asked.wrench_topic, asked.pose_topic, asked.orientation, asked.robot)
    if any(entry is not None for entry in said):
        return None
    if not has_run_file(asked.recording):
        return None
    file = RunFile.load(asked.recording)
    return None if file.wrench is None else file


def identify(asked: RecordingOptions, save: Path | None, drawn: bool) -> Outcome:
    """Read a recording and identify from it.

    Args:
        asked: Which, and how.
        save: Folder of a run to be made of it; None: none.
        drawn: Identify on the way as well, for a figure.
    """
    file = saved_run(asked)
    recording = read(asked)
    uncertainty = assumed(recording, asked)
    own = Settings() if file is None else file.settings
    settings = with_methods(own, asked)
    if not _as_it_was(file, asked, settings == own and uncertainty == recording.assumed):
        file = None
    kept = None
    if save is not None:
        if asked.static:
            raise InputError("A run is of motion: leave out --save or --static.")
        kept, recording = _kept(recording, uncertainty, settings, save)
    history = _history(asked.static, drawn, recording, uncertainty, settings, kept or file)
    outcome = Outcome(
        recording=recording,
        subject=history[-1].payload_frame,
        headline=f", sensor frame [bold]{recording.frame}[/bold]",
        settings=settings,
        uncertainty=uncertainty.to_dict(),
        history=history,
        identical=None if file is None else identical(file.result, history[-1]),
    )
    if kept is not None and save is not None:
        outcome.save(kept, save)
    return outcome


def _as_it_was(file: RunFile | None, asked: RecordingOptions, same: bool) -> bool:
    """Tell whether all of a saved run is repeated, `same`: with its own settings and bounds."""
    whole = asked.start is None and asked.end is None and not asked.static
    return file is not None and same and whole


def _kept(
    recording: WrenchRecording, uncertainty: WrenchUncertainty, settings: Settings, folder: Path
) -> tuple[RunFile, WrenchRecording]:
    """Write samples, without the wrench's delay, into a new folder.

    Returns:
        run: What a run file says of them.
        recording: The samples as read again.
    """
    check_new(folder)
    rows = NewtonEulerRows.of(uncertainty, recording.frame)
    samples = aligned(recording, time_offset(recording), rows, settings)
    write_blocks(folder, samples, recording.frame, recording.start_ns, BLOCKS)
    again = read_blocks(folder, BLOCKS)
    again = replace(
        again, source=recording.source, notes=recording.notes, dropped=recording.dropped
    )
    run = RunFile(
        joints=(),
        payload_frame=recording.frame,
        urdf="",
        gravity=tuple(float(x) for x in recording.gravity),
        topic=BLOCKS,
        start_ns=again.start_ns,
        end_ns=again.start_ns + round(float(again.stamp[-1]) * 1e9),
        settings=settings,
        wrench=uncertainty,
        updates=steps(again, settings.window),
        software_version=VERSION,
    )
    return run, again


def assumed(recording: WrenchRecording, asked: RecordingOptions) -> WrenchUncertainty:
    """Return the bounds that a recording comes with, with what the command line replaces.

    Raises:
        InputError: Nothing is said of the errors of force or torque, nor was in a live run.
    """
    stated = with_changes(recording.assumed or WrenchUncertainty(), asked.uncertainty)
    silent = [
        kind
        for kind in ("force", "torque")
        if not any(stated.axes(f"{kind}_{error}").any() for error in ("error", "sigma"))
    ]
    if silent and saved_run(asked) is None:
        raise InputError(
            f"Nothing is stated of the errors of the sensor's {' and '.join(silent)}, and no data "
            "are exact. Give "
            + " ".join(f"--uncertainty {kind}_error=..." for kind in silent)
            + f" (accuracy, of the data sheet [{' and '.join(_UNITS[kind] for kind in silent)}]) "
            f"or {', '.join(f'{kind}_sigma' for kind in silent)} (noise, of a recording at rest), "
            "force_bias and torque_bias where the sensor was tared, and for the motion "
            "orientation_error, angular_velocity_error, angular_acceleration_error, "
            "linear_acceleration_error; or state them in the --columns file."
        )
    return stated


def _history(
    static: bool,
    drawn: bool,
    recording: WrenchRecording,
    uncertainty: WrenchUncertainty,
    settings: Settings,
    file: RunFile | None,
) -> list[Estimate]:
    """Identify, from motion or from rests; more than one estimate where they are drawn."""
    if file is not None:
        online = OnlineWrench(NewtonEulerRows.of(uncertainty, recording.frame), settings)
        made: list[Estimate] = list(estimates_of(online, recording, file.updates))
        return [*made[:-1], online.concluded(made[-1])]
    if settings.scales:
        raise InputError("--scales is for joint torques; leave it out for a force-torque sensor.")
    if static:
        if drawn:
            raise InputError(
                "--figure draws intervals over the time of a motion; leave out --static or "
                "--figure."
            )
        return [
            identify_static(
                recording, uncertainty, settings.estimator, settings.intervals, settings.window,
                recording.frame, settings.shape, settings.knowledge,
            )
        ]  # fmt: skip
    on_the_way = steps(recording, settings.window)[:-1] if drawn else ()
    return list(wrench_estimates(recording, uncertainty, settings, updates=on_the_way))


def read(asked: RecordingOptions) -> WrenchRecording:
    """Read a bag or tables, and keep the stretch that is asked for.

    Raises:
        PayloadIdError: They cannot be read, or options are for another kind of recording.
    """
    for option in ("also", "tare"):
        if getattr(asked, option):
            raise InputError(f"--{option} is for joint torques; leave it out for a wrench.")
    path: Path = asked.recording
    file = saved_run(asked)
    if file is not None:
        topic = asked.topic or file.topic
        recording = read_blocks(bag_of(path), topic, file.start_ns, file.end_ns)
        recording = replace(recording, assumed=file.wrench)
    elif is_table(path):
        columns = columns_of(path, asked, "kuka_wrench_csv.yaml")
        robot = None
        if asked.payload_frame is not None:
            raise InputError(f"{columns} states the sensor's 'frame': leave --payload-frame out.")
        if asked.robot is not None:
            robot = RobotModel.from_robot_file(RobotFile.load(asked.robot))
        recording = WrenchRecording.from_csv(path, columns, robot, asked.static)
    else:
        recording = _read_bag(asked)
    return stretch_of(recording, asked)


def _read_bag(asked: RecordingOptions) -> WrenchRecording:
    """Read a bag, with the motion of a robot or of a pose topic, or of a sensor that rests."""
    robot, topic = None, asked.topic
    orientation = _orientation(asked)
    if asked.pose_topic is None and orientation is None:
        if asked.robot is None:
            raise InputError(
                f"Which robot carried the sensor in {asked.recording}? Give --robot FILE, or "
                "the topic of the sensor's pose with --pose-topic, or for a sensor that rests its "
                "--orientation."
            )
        file = RobotFile.load(asked.robot)
        robot = RobotModel.from_robot_file(file)
        topic = topic or file.joint_states.topic
    return WrenchRecording.from_bag(
        asked.recording,
        asked.wrench_topic,
        robot,
        topic or "/joint_states",
        asked.pose_topic,
        asked.payload_frame,
        _factors(asked),
        orientation=orientation,
    )


def _factors(asked: RecordingOptions) -> list[float] | float:
    """Return the stated factor of the wrench, or those of its axes."""
    found = numbers_of(asked.wrench_sign, "--wrench-sign", "1, -1 or six factors")
    return found[0] if len(found) == 1 else list(found)


def _orientation(asked: RecordingOptions) -> Array | None:
    """Return the stated axes of a sensor that rests, shape (3, 3), None if none are stated.

    Raises:
        InputError: They are no three angles, or something else says how the sensor moves, too.
    """
    if asked.orientation is None:
        return None
    if asked.pose_topic is not None or asked.robot is not None:
        raise InputError(
            "--orientation is for a sensor that rests: leave out --robot and --pose-topic, or it."
        )
    angles = numbers_of(asked.orientation, "--orientation", "three angles [rad]")
    if len(angles) != 3 or not np.isfinite(angles).all():
        raise InputError(
            "--orientation takes roll, pitch and yaw [rad], separated by commas; found "
            f"'{asked.orientation}'."
        )
    return np.asarray(Rotation.from_euler("xyz", angles).as_matrix())
