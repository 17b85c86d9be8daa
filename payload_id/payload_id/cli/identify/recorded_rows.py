"""The rows of a whole recording, on which methods are compared."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...core.errors import RecordingError
from ...core.identification.online import OnlineIdentifier
from ...core.identification.problem import Problem
from ...core.identification.settings import Settings
from ...core.identification.wrench.alignment import time_offset
from ...core.identification.wrench.identify import aligned
from ...core.identification.wrench.static import (
    LEAST_POSES,
    Rest,
    at_rest,
    one_reading_each,
    rests,
    with_motion_at_rest,
)
from ...core.rows.wrench.newton_euler import NewtonEulerRows
from ...core.samples.wrench_samples import WrenchSamples
from ...files.recordings.wrench_recording import WrenchRecording
from ..common.options import RecordingOptions
from ..common.reading import remarks
from ..common.settings import with_methods
from . import torque, wrench


@dataclass(frozen=True)
class RecordedRows:
    """What is compared on.

    Attributes:
        problem: Rows and statistics of the whole recording.
        notes: What the user should know about the data.
        residual_unit: Unit of residuals.
    """

    problem: Problem
    notes: tuple[str, ...]
    residual_unit: str


def read_rows(asked: RecordingOptions) -> RecordedRows:
    """Read the recording and form its rows."""
    if wrench.is_wrench(asked):
        return _read_wrench_rows(asked)
    job = torque.load(asked).job
    online = OnlineIdentifier(job.robot, replace(job.settings, intervals="hull"))
    if job.tare is not None:
        online.know(job.tare)
    online.add(job.recording)
    problem = online.problem()
    notes = filter(None, (*remarks(job.recording), problem.contradiction))
    return RecordedRows(problem, tuple(notes), "N m")


def _read_wrench_rows(asked: RecordingOptions) -> RecordedRows:
    """Read a force-torque sensor's recording and form its rows, aligned as `identify` aligns it."""
    recording = wrench.read(asked)
    uncertainty = wrench.assumed(recording, asked)
    samples: WrenchSamples = recording
    notes = [*recording.notes]
    settings = with_methods(Settings(), asked)
    readings = asked.static and one_reading_each(recording)
    resting = _rests(recording) if asked.static and not readings else []
    if resting:
        samples = at_rest(recording, resting)
        uncertainty = with_motion_at_rest(uncertainty, recording, resting)
    rows = NewtonEulerRows.of(uncertainty, recording.frame)
    if not resting and not readings:
        offset = time_offset(recording)
        samples = aligned(recording, offset, rows, settings)
        if offset.significant:
            notes.append(offset.told(samples is not recording))
    online = OnlineIdentifier(rows, settings)
    if readings:
        for pose in range(len(samples)):
            online.take(samples.part(pose, pose + 1))
    else:
        online.add(samples)
    return RecordedRows(online.problem(), tuple(notes), "N, N m")


def _rests(recording: WrenchRecording) -> list[Rest]:
    """Return the rests of a recording.

    Raises:
        RecordingError: There are fewer than the unknowns need.
    """
    found = rests(recording)
    if len(found) < LEAST_POSES:
        raise RecordingError(
            f"The recording holds {len(found)} rests; {LEAST_POSES} in different orientations are "
            "needed at the least. Compare on the motion, without --static."
        )
    return found
