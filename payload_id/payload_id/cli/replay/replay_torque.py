"""`payload-id replay` of a recording of joint torques."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace

from ...core.errors import InputError, RecordingError
from ...core.identification.settings import Settings
from ...files.configuration.input_path import input_path
from ...files.recordings.replay_job import ReplayJob
from ...files.recordings.saved_run import arm_of, identical, recording_of
from ...files.robots.robot_file import RobotFile
from ...files.runs.run_file import RunFile, has_run_file
from ..common.arguments import with_changes
from ..common.method_arguments import with_methods
from ..common.recording_arguments import check_different, read_recording, stretch_of
from .outcome import Outcome


def identify(arguments: argparse.Namespace, tell: Callable[[float], object]) -> Outcome:
    """Read a recording and identify from it; `tell` is called with the part that is done."""
    job = load(arguments)
    _, history = job.run(tell)
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


def load(arguments: argparse.Namespace) -> ReplayJob:
    """Read the recording and everything that goes with it."""
    if arguments.also and arguments.robot is None:
        raise InputError("--also needs --robot: a live run's own settings are for its bag alone.")
    if arguments.robot is None and has_run_file(arguments.recording):
        job = _from_run_file(arguments)
    else:
        job = _from_robot_file(arguments)
    return replace(job, recording=stretch_of(job.recording, arguments)).with_tare()


def _from_run_file(arguments: argparse.Namespace) -> ReplayJob:
    """Repeat a live run from its own folder."""
    file = RunFile.load(arguments.recording)
    recording = recording_of(
        arguments.recording, file, arguments.topic or "", file.start_ns, file.end_ns
    )
    robot = arm_of(file, recording, arguments.payload_frame or "")
    own = file.settings
    settings = _settings(arguments, own)
    same_frame = arguments.payload_frame is None
    # A tare's rows are in the coordinates of the bounds that were stated then.
    fits = same_frame and settings.uncertainty == own.uncertainty
    return ReplayJob(
        recording,
        robot,
        settings,
        updates=file.updates if same_frame and settings == own else (),
        before=file.result,
        tare=file.tare if fits else None,
        bare=tuple(recording_of(path, file, arguments.topic or "") for path in arguments.tare),
    )


def _from_robot_file(arguments: argparse.Namespace) -> ReplayJob:
    """Identify from any recording of a known robot."""
    if not input_path(arguments.recording, "recording", RecordingError).exists():
        raise RecordingError(f"There is no recording at {arguments.recording}. Check the path.")
    if arguments.robot is None:
        raise InputError(
            f"Which robot made {arguments.recording}? Give --robot FILE, or a shipped name such "
            "as kinova_gen3."
        )
    check_different([arguments.recording, *arguments.also, *arguments.tare])
    file = RobotFile.load(arguments.robot)
    settings = _settings(arguments, Settings(file.uncertainty))
    recording = read_recording(arguments.recording, arguments, file)
    for path in arguments.also:
        recording = recording.followed_by(read_recording(path, arguments, file))
    bare = tuple(read_recording(path, arguments, file) for path in arguments.tare)
    return ReplayJob.of_robot(recording, file, settings, arguments.payload_frame, bare)


def _settings(arguments: argparse.Namespace, own: Settings) -> Settings:
    """Return settings with all that the command line replaces."""
    uncertainty = with_changes(own.uncertainty, arguments.uncertainty)
    return with_methods(replace(own, uncertainty=uncertainty), arguments)
