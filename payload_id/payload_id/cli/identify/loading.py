"""What `payload-id identify` identifies from: a saved run, or a recording of an arm or a sensor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ...core.arm.effort_scale import EffortScale
from ...core.errors import InputError, RecordingError
from ...core.identification.settings import Settings
from ...core.rows.wrench.newton_euler import NewtonEulerRows
from ...core.version import VERSION
from ...files.configuration.input_path import input_path
from ...files.recordings.recording import Recording
from ...files.recordings.replay_job import ReplayJob, steps
from ...files.recordings.saved_run import recording_of
from ...files.recordings.wrench_blocks import read_blocks, write_blocks
from ...files.recordings.wrench_recording import WrenchRecording
from ...files.recordings.write_bag import write_joint_states
from ...files.runs.run_file import RunFile, run_in
from ..common.options import RecordingOptions
from ..common.reading import check_different, read_recording, robot_file, stretch_of
from ..common.settings import with_changes, with_methods
from . import wrench
from .outcome import check_new

BLOCKS = "payload_wrench_sampler/samples"


@dataclass(frozen=True)
class Loaded:
    """A recording, how to identify from it, and what a saved run says of both.

    Attributes:
        job: Recording, arm or sensor, and settings.
        about: The same as a run file describes it.
    """

    job: ReplayJob
    about: RunFile

    def kept(self, folder: Path) -> Loaded:
        """Write the samples into a new folder; return what is to be identified from them as read.

        Raises:
            ConfigurationError: The folder is there already.
        """
        check_new(folder)
        job, about, taken = self.job, self.about, self.job.recording
        read: Recording | WrenchRecording
        if isinstance(taken, WrenchRecording):
            write_blocks(folder, taken, taken.frame, taken.start_ns, about.topic)
            again = read_blocks(folder, about.topic)
            read = replace(again, source=taken.source, notes=taken.notes, dropped=taken.dropped)
        else:
            scale = next(iter(taken.effort.values()), EffortScale.of(1.0, 0.0, taken.n))
            raw = (taken.tau + np.array(scale.offset)) / np.array(scale.factor)
            write_joint_states(folder, replace(taken, tau=raw), about.joints, about.topic)
            about = replace(about, effort_sign=scale.factor, effort_offset=scale.offset)
            same = recording_of(folder, about)
            read = replace(
                taken, stamp=same.stamp, q=same.q, dq=same.dq, tau=same.tau, start_ns=same.start_ns
            )
        about = replace(
            about,
            start_ns=read.start_ns,
            end_ns=read.start_ns + round(float(read.stamp[-1]) * 1e9),
            settings=job.settings,
            updates=job.updates or steps(read, job.settings.window),
            tare=job.tare,
            software_version=VERSION,
        )
        return Loaded(replace(job, recording=read), about)


def load(asked: RecordingOptions) -> Loaded:
    """Read the recording and everything that goes with it."""
    said = (asked.robot, asked.wrench_topic, asked.pose_topic, asked.orientation)
    file, folder = None, run_in(asked.recording)
    if folder is not None:
        asked = replace(asked, recordings=[str(folder)])
        file = RunFile.load(folder) if said == (None,) * 4 else None
    of_sensor = (file is None or file.wrench is None) and wrench.is_described(asked)
    if asked.also and asked.robot is None and not of_sensor:
        raise InputError("--also needs --robot: a live run's own settings are for its bag alone.")
    if of_sensor:
        loaded = _of_sensor(asked)
    else:
        loaded = _of_robot(asked) if file is None else _of_run(asked, file)
    return replace(loaded, job=loaded.job.with_tare())


def _of_run(asked: RecordingOptions, file: RunFile) -> Loaded:
    """Repeat a run from its own folder, with what the command line replaces."""
    job = ReplayJob.of_run(asked.recording, file, asked.topic, asked.payload_frame or "")
    settings, robot, stated = with_methods(file.settings, asked), job.robot, file.wrench
    if stated is None:
        settings = replace(
            settings, uncertainty=with_changes(settings.uncertainty, asked.uncertainty)
        )
    else:
        wrench.refuse_options_of_arms(asked)
        stated = with_changes(stated, asked.uncertainty)
        robot = NewtonEulerRows.of(stated, job.recording.frame)
    recording = stretch_of(job.recording, asked)
    same = asked.payload_frame is None and (settings, stated) == (file.settings, file.wrench)
    # A tare's rows are in the coordinates of the bounds that were stated then.
    fits = asked.payload_frame is None and settings.uncertainty == file.settings.uncertainty
    job = replace(
        job,
        recording=recording,
        robot=robot,
        settings=settings,
        updates=file.updates if same and recording is job.recording else (),
        tare=file.tare if fits else None,
        bare=tuple(recording_of(path, file, asked.topic) for path in asked.tare),
    )
    frame = file.payload_frame if asked.payload_frame is None else asked.payload_frame
    return Loaded(job, replace(file, payload_frame=frame, wrench=stated))


def _of_sensor(asked: RecordingOptions) -> Loaded:
    """Identify from any recording of a force-torque sensor."""
    wrench.refuse_options_of_arms(asked)
    recording = stretch_of(wrench.read(asked), asked)
    stated = wrench.assumed(recording, asked)
    about = RunFile(
        joints=(),
        payload_frame=recording.frame,
        urdf="",
        gravity=tuple(float(x) for x in recording.gravity),
        topic=BLOCKS,
        wrench=stated,
    )
    return Loaded(ReplayJob.of_sensor(recording, stated, with_methods(Settings(), asked)), about)


def _of_robot(asked: RecordingOptions) -> Loaded:
    """Identify from any recording of a known robot."""
    if not input_path(asked.recording, "recording", RecordingError).exists():
        raise RecordingError(f"There is no recording at {asked.recording}. Check the path.")
    file = robot_file(asked, str(asked.recording))
    check_different([asked.recording, *asked.also, *asked.tare])
    settings = with_methods(Settings(with_changes(file.uncertainty, asked.uncertainty)), asked)

    def read(path: Path) -> Recording:
        return read_recording(path, asked, file, asked.static)

    recording = read(asked.recording)
    for path in asked.also:
        recording = recording.followed_by(read(path))
    recording, bare = stretch_of(recording, asked), tuple(map(read, asked.tare))
    job = ReplayJob.of_robot(recording, file, settings, asked.payload_frame, bare)
    about = RunFile(
        joints=file.joints,
        payload_frame=job.robot.payload_frame,
        urdf=file.urdf,
        robot=str(file.path),
        gravity=tuple(file.gravity.tolist()),
        calibration=file.calibration,
        history=file.history,
    )
    return Loaded(job, about)
