"""What a worker does with one recording: read, identify as `identify` does, keep what is small."""

from __future__ import annotations

import errno
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any

from ..core.body.inertial import PARAMETERS
from ..core.errors import PayloadIdError
from ..core.fleet import KINDS, ArmHealth, RunEvidence
from ..core.identification.estimate import Estimate
from ..core.identification.online import OnlineIdentifier
from ..core.identification.status import FAILED
from ..core.version import VERSION
from ..files.fleet.fleet_table import UNDATED
from ..files.fleet.local_copy import content_digest, local_copy
from ..files.fleet.payloads import EVIDENCE
from ..files.recordings.recording import Recording
from ..files.recordings.replay_job import ReplayJob
from .fingerprint import fingerprint
from .method import AT_CHANGES, WHOLE, Method

DOUBT = 2  # windows before a change of the payload that count for neither
EARLIEST_NS = 946_684_800 * 10**9  # 2000-01-01: earlier stamps are no dates
PASSING = frozenset(  # errors of disks, network shares and machines under load
    getattr(errno, name)
    for name in (
        "EIO", "ESTALE", "ETIMEDOUT", "ECONNRESET", "ENETUNREACH", "EHOSTUNREACH", "EMFILE",
        "ENFILE", "ENOMEM", "ENOSPC",
    )
)  # fmt: skip
Row = dict[str, Any]


@dataclass(frozen=True)
class Identified:
    """What a worker sends back.

    Attributes:
        key: Names the result by content and method.
        day: When the recording began, or that this is not known.
        rows: One for each stretch.
    """

    key: str
    day: str
    rows: tuple[Row, ...]


def key_of(place: str, tares: Sequence[str], bare: bool, method: Method) -> str:
    """Return what names the result of a recording, from its content.

    Args:
        place: Path or URL.
        tares: Those of recordings of the bare arm.
        bare: Whether it is itself known to be one.
        method: How it is identified.

    Raises:
        RecordingError: A recording cannot be had.
    """
    contents = []
    for each in (place, *tares):
        with local_copy(each) as path:
            contents.append(content_digest(path))
    return _key(contents, bare, method)


def _key(contents: Sequence[str], bare: bool, method: Method) -> str:
    """Return what names the result of a recording and its tares, of which the digests are given."""
    return fingerprint((list(contents), bare, method.digest))[:40]


def identify_recording(place: str, tares: Sequence[str], bare: bool, method: Method) -> Identified:
    """Identify from one recording; what cannot be used is a row that says so.

    Args:
        place: Path or URL.
        tares: Those of recordings of the bare arm.
        bare: Whether the recording itself is known to be of the bare arm.
        method: How.

    Raises:
        PayloadIdError: The recording, or a tare, cannot be had, now or at all.
    """
    with ExitStack() as stack:
        path, *bare_paths = (stack.enter_context(local_copy(x)) for x in (place, *tares))
        contents = [content_digest(x) for x in (path, *bare_paths)]
        key = _key(contents, bare, method)
        about: Row = {"content": contents[0], "key": key, "tare": list(tares)}
        about |= {"settings": method.digest, "software": VERSION}
        try:
            recording = method.read(path)
            taught = [method.read(x) for x in bare_paths]
        except PayloadIdError as error:
            if _may_pass(error):
                raise
            return Identified(key, UNDATED, (about | failed(0, error),))
        rows = [about | row for row in _rows(recording, taught, bare, method)]
        return Identified(key, day_of(recording.start_ns), tuple(rows))


def _may_pass(error: BaseException | None) -> bool:
    """Tell whether an error comes from disk or network, and may be gone the next time."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in PASSING:
            return True
        error = error.__cause__ or error.__context__
    return False


def failed(segment: int, error: Exception) -> Row:
    """Return the row of a stretch that gives nothing."""
    return {"segment": segment, "error": " ".join(str(error).split()) or type(error).__name__}


def day_of(stamp_ns: int) -> str:
    """Return the day of a stamp in universal time, `UNDATED` for one that is no date."""
    if stamp_ns < EARLIEST_NS:
        return UNDATED
    return datetime.fromtimestamp(stamp_ns // 10**9, timezone.utc).date().isoformat()


def _rows(
    recording: Recording, taught: Sequence[Recording], bare: bool, method: Method
) -> Iterator[Row]:
    """Yield a row for each stretch of a recording."""
    try:
        job = ReplayJob.of_robot(recording, method.robot, method.settings, method.frame, taught)
        job = job.with_tare()
    except PayloadIdError as error:
        yield failed(0, error)
        return
    for segment, (start, end) in enumerate(lengths(recording, method.segments)):
        part = replace(job, recording=recording.between(start, end))
        if method.segments == WHOLE:
            part = job
        yield from _stretch(part, segment, bare, method.segments == AT_CHANGES)


def lengths(recording: Recording, segments: str | float) -> list[tuple[float, float]]:
    """Return where the stretches of a recording begin and end [s]."""
    end = float(recording.stamp[-1]) if len(recording) else 0.0
    if isinstance(segments, str):
        return [(0.0, end)]
    count = max(int(end // segments), 1)
    return [(k * segments, (k + 1) * segments if k < count - 1 else end) for k in range(count)]


def _stretch(job: ReplayJob, segment: int, bare: bool, cut: bool) -> Iterator[Row]:
    """Yield the row of a stretch; where the payload changes and that cuts, one row for each."""
    begin = time.process_time()
    try:
        online, estimate = job.last()
        change = online.changed_at if cut else None
        if change is not None:
            yield from _around(job, segment, bare, change)
            return
        row = row_of(job, online, estimate, bare)
    except PayloadIdError as error:
        row = failed(segment, error)
    yield row | {"segment": segment, "seconds_used": time.process_time() - begin}


def _around(job: ReplayJob, segment: int, bare: bool, change: float) -> Iterator[Row]:
    """Yield the rows of what was before a change of the payload [s], and of what came after it."""
    recording, settings = job.recording, job.settings
    before = change - DOUBT * settings.window
    for start, end in ((float(recording.stamp[0]), before), (change, float(recording.stamp[-1]))):
        for row in _stretch(
            replace(job, recording=recording.between(start, end)), segment, bare, True
        ):
            segment = int(row["segment"]) + 1
            yield row


def row_of(job: ReplayJob, online: OnlineIdentifier, estimate: Estimate, bare: bool) -> Row:
    """Return what a stretch says."""
    recording, robot, told = job.recording, job.robot, estimate.to_dict()
    stamps, usable = recording.stamp, estimate.status not in FAILED
    start, end = (float(stamps[0]), float(stamps[-1])) if len(stamps) else (0.0, 0.0)
    row: Row = {
        "start": start if len(stamps) else None,
        "end": end if len(stamps) else None,
        "began": _began(recording),
        "verdict": estimate.status.value,
        "cause": estimate.cause or None,
        "blame": [
            {"joint": joint, "start": first, "end": last, "share": share}
            for joint, first, last, share in estimate.blame
        ],
        **{name: told[name] for name in ("message", "noise_factor", "residual_rms", "windows")},
        "seconds": estimate.seconds,
        "joints": list(robot.joints),
        "samples": len(recording),
        "false_samples": [(str(k), n) for k, n in estimate.false_samples.items()],
        "rate": (len(stamps) - 1) / (end - start) if end > start else None,
        "left_out": [(str(k), n) for k, n in recording.dropped.items()],
        "notes": list(recording.notes),
        "robot_digest": robot.digest,
    }
    for kind, end_name in (("phi", ""), ("lower", "_lower"), ("upper", "_upper")):
        known = usable or kind == "phi"
        row |= {
            f"{x}{end_name}": told[kind][k] if known else None for k, x in enumerate(PARAMETERS)
        }
    row |= _health(job, bare)
    if usable and estimate.windows:
        row["evidence"] = EVIDENCE.to_bytes(RunEvidence.of(online))
    return row


def _began(recording: Recording) -> int | None:
    """Return when the first sample was taken [us since 1970]; None for a stamp that is no date."""
    if recording.start_ns < EARLIEST_NS or not len(recording):
        return None
    return recording.start_ns // 1000 + round(1e6 * float(recording.stamp[0]))


def _health(job: ReplayJob, bare: bool) -> Row:
    """Return how the arm was; nothing where the data do not tell."""
    settings = job.settings
    try:
        found = ArmHealth.of(job.recording, job.robot, settings.uncertainty, settings.window, bare)
    except PayloadIdError:
        return {}
    row: Row = {"joint_noise": found.noise.tolist()}
    for kind in KINDS:
        for name, values in ((kind, found.value), (f"{kind}_deviation", found.deviation)):
            each = zip(values[kind].tolist(), found.known[kind], strict=True)
            row[name] = [value if known else None for value, known in each]
    return row
