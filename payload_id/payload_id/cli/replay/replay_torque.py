"""`payload-id replay` of a recording of joint torques."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...core.errors import InputError
from ...core.identification.identify import replay_with_grounds
from ...core.identification.settings import Settings
from ...core.identification.tare import Tare
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...files.recordings.recording import Recording
from ...files.recordings.saved_run import arm_of, identical, recording_of, with_known
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ...files.runs.run_file import RunFile, has_run_file
from ..common.arguments import with_changes
from ..common.method_arguments import with_methods
from ..common.recording_arguments import read_recording, stretch_of
from .outcome import Outcome, steps
from .taring import tared


@dataclass(frozen=True)
class Job:
    """A recording and how to identify from it.

    Attributes:
        recording: The samples.
        robot: The arm.
        settings: How to identify.
        updates: Numbers of windows at which to update; empty to choose them.
        before: Result of the live run that made the recording; empty if there was none.
        tare: What is known of the arm from runs without payload, if anything.
        bare: Recordings of such runs that were named.
    """

    recording: Recording
    robot: RobotModel
    settings: Settings
    updates: tuple[int, ...] = ()
    before: Mapping[str, Any] | None = None
    tare: Tare | None = None
    bare: tuple[Recording, ...] = ()


def identify(arguments: argparse.Namespace, tell: Callable[[float], object]) -> Outcome:
    """Read a recording and identify from it; `tell` is called with the part that is done."""
    job = load(arguments)
    updates = job.updates or steps(job.recording, job.settings.window)
    history = replay_with_grounds(
        job.recording,
        job.robot,
        job.settings,
        updates,
        job.tare,
        lambda made: tell(made / (len(updates) + 1)),
    )
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


def load(arguments: argparse.Namespace) -> Job:
    """Read the recording and everything that goes with it."""
    if arguments.also and arguments.robot is None:
        raise InputError("--also needs --robot: a live run's own settings are for its bag alone.")
    if arguments.robot is None and has_run_file(arguments.recording):
        job = _from_run_file(arguments)
    else:
        job = _from_robot_file(arguments)
    job = replace(job, recording=stretch_of(job.recording, arguments))
    if job.bare:
        known = tared(job.bare, job.robot, job.settings, job.tare)
        job = replace(job, tare=known, updates=())
    return job


def _from_run_file(arguments: argparse.Namespace) -> Job:
    """Repeat a live run from its own folder."""
    file = RunFile.load(arguments.recording)
    recording = recording_of(
        arguments.recording, file, arguments.topic or "", file.start_ns, file.end_ns
    )
    robot = arm_of(file, recording, arguments.payload_frame or "")
    uncertainty = Uncertainty.from_dict(dict(file.uncertainty))
    own = file.settings(uncertainty)
    settings = _settings(arguments, own)
    same_frame = arguments.payload_frame is None
    # A tare's rows are in the coordinates of the bounds that were stated then.
    fits = same_frame and settings.uncertainty == own.uncertainty
    return Job(
        recording,
        robot,
        settings,
        updates=file.updates if same_frame and settings == own else (),
        before=file.result,
        tare=file.tare if fits else None,
        bare=tuple(recording_of(path, file, arguments.topic or "") for path in arguments.tare),
    )


def _from_robot_file(arguments: argparse.Namespace) -> Job:
    """Identify from any recording of a known robot."""
    if arguments.robot is None:
        raise InputError(
            f"Which robot made {arguments.recording}? Give --robot FILE, or a shipped name such "
            "as kinova_gen3."
        )
    file = RobotFile.load(arguments.robot)
    frame = arguments.payload_frame or file.payload_frame
    robot = RobotModel.from_urdf(file.urdf, frame, file.joints, file.gravity)
    settings = _settings(arguments, Settings(file.uncertainty))
    recording = read_recording(arguments.recording, arguments, file)
    for path in arguments.also:
        recording = recording.followed_by(read_recording(path, arguments, file))
    bare = tuple(read_recording(path, arguments, file) for path in arguments.tare)
    return Job(recording, with_known(robot, recording, file), settings, bare=bare)


def _settings(arguments: argparse.Namespace, own: Settings) -> Settings:
    """Return settings with all that the command line replaces."""
    uncertainty = with_changes(own.uncertainty, arguments.uncertainty)
    return with_methods(replace(own, uncertainty=uncertainty), arguments)
