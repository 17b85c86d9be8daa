"""`payload-id identify` from a recording of joint torques."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ...core.arm.effort_scale import EffortScale
from ...core.errors import InputError, RecordingError
from ...core.identification.settings import Settings
from ...core.version import VERSION
from ...files.configuration.input_path import input_path
from ...files.recordings.recording import Recording
from ...files.recordings.replay_job import ReplayJob, steps
from ...files.recordings.saved_run import arm_of, identical, recording_of
from ...files.recordings.write_bag import write_joint_states
from ...files.runs.run_file import RunFile, has_run_file
from ..common.options import RecordingOptions
from ..common.reading import check_different, read_recording, robot_file, stretch_of
from ..common.settings import with_changes, with_methods
from .outcome import Outcome, check_new


@dataclass(frozen=True)
class Loaded:
    """A recording, how to identify from it, and what a saved run says of the arm.

    Attributes:
        job: Recording, arm and settings.
        about: The arm as a run file describes it.
    """

    job: ReplayJob
    about: RunFile

    def kept(self, folder: Path) -> Loaded:
        """Write the samples into a new folder; return what is to be identified from them as read.

        Raises:
            ConfigurationError: The folder is there already.
        """
        check_new(folder)
        job, n = self.job, self.job.recording.n
        scale = next(iter(job.recording.effort.values()), EffortScale.of(1.0, 0.0, n))
        raw = (job.recording.tau + np.array(scale.offset)) / np.array(scale.factor)
        joints = self.about.joints
        write_joint_states(folder, replace(job.recording, tau=raw), joints, self.about.topic)
        about = replace(self.about, effort_sign=scale.factor, effort_offset=scale.offset)
        read = recording_of(folder, about)
        same = replace(job.recording, stamp=read.stamp, q=read.q, dq=read.dq, tau=read.tau)
        updates = job.updates or steps(same, job.settings.window)
        about = replace(
            about,
            start_ns=read.start_ns,
            end_ns=read.start_ns + round(float(read.stamp[-1]) * 1e9),
            settings=job.settings,
            updates=updates,
            tare=job.tare,
            software_version=VERSION,
        )
        return Loaded(replace(job, recording=replace(same, start_ns=read.start_ns)), about)


def identify(job: ReplayJob, show: Callable[[float], object]) -> Outcome:
    """Identify from a recording; `show` is called with the part that is done."""
    _, history = job.run(show)
    return Outcome(
        recording=job.recording,
        subject=job.robot.name,
        headline=f" on [bold]{job.robot.name}[/bold]"
        + (f", tared with {len(job.bare)} recording(s) of the bare arm" if job.bare else ""),
        settings=job.settings,
        uncertainty=job.settings.uncertainty.to_dict(),
        history=history,
        identical=identical(job.before, history[-1]) if job.updates else None,
        about={
            "robot": job.robot.name,
            "robot_digest": job.robot.digest,
            "tare": [run.source for run in job.bare],
        },
    )


def load(asked: RecordingOptions) -> Loaded:
    """Read the recording and everything that goes with it."""
    if asked.also and asked.robot is None:
        raise InputError("--also needs --robot: a live run's own settings are for its bag alone.")
    saved = asked.robot is None and has_run_file(asked.recording)
    loaded = _from_run_file(asked) if saved else _from_robot_file(asked)
    job = replace(loaded.job, recording=stretch_of(loaded.job.recording, asked))
    return replace(loaded, job=job.with_tare())


def _from_run_file(asked: RecordingOptions) -> Loaded:
    """Repeat a live run from its own folder."""
    file = RunFile.load(asked.recording)
    recording = recording_of(asked.recording, file, asked.topic, file.start_ns, file.end_ns)
    robot = arm_of(file, recording, asked.payload_frame or "")
    own = file.settings
    settings = _settings(asked, own)
    same_frame = asked.payload_frame is None
    # A tare's rows are in the coordinates of the bounds that were stated then.
    fits = same_frame and settings.uncertainty == own.uncertainty
    job = ReplayJob(
        recording,
        robot,
        settings,
        updates=file.updates if same_frame and settings == own else (),
        before=file.result,
        tare=file.tare if fits else None,
        bare=tuple(recording_of(path, file, asked.topic) for path in asked.tare),
    )
    return Loaded(job, replace(file, payload_frame=robot.payload_frame))


def _from_robot_file(asked: RecordingOptions) -> Loaded:
    """Identify from any recording of a known robot."""
    if not input_path(asked.recording, "recording", RecordingError).exists():
        raise RecordingError(f"There is no recording at {asked.recording}. Check the path.")
    file = robot_file(asked, str(asked.recording))
    check_different([asked.recording, *asked.also, *asked.tare])
    settings = _settings(asked, Settings(file.uncertainty))

    def read(path: Path) -> Recording:
        return read_recording(path, asked, file, asked.static)

    recording = read(asked.recording)
    for path in asked.also:
        recording = recording.followed_by(read(path))
    bare = tuple(map(read, asked.tare))
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


def _settings(asked: RecordingOptions, own: Settings) -> Settings:
    """Return settings with all that the command line replaces."""
    uncertainty = with_changes(own.uncertainty, asked.uncertainty)
    return with_methods(replace(own, uncertainty=uncertainty), asked)
