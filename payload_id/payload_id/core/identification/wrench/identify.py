"""Identification from a recording of a force-torque sensor: align, identify, and say what is wrong.

The rows go through the same estimators and interval methods as those of joint torques.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ...arrays import one_number
from ...body.shape import Shape
from ...codec import as_json
from ...diagnosis.stated_knowledge import NAME as STATED
from ...diagnosis.wrench.contact import Contamination, contamination
from ...diagnosis.wrench.readings import diagnose, diagnose_turned
from ...errors import RecordingError, require_type
from ...knowledge.convex import Constraints, stated
from ...knowledge.knowledge import NOTHING, Knowledge
from ...rows.joint_torque.uncertainty import Uncertainty
from ...rows.wrench.newton_euler import NewtonEulerRows
from ...rows.wrench.uncertainty import WrenchUncertainty
from ...samples.watches import WrenchWatch
from ...samples.wrench_samples import WrenchSamples
from ..estimate import Estimate
from ..identify import CHUNK
from ..online import OnlineIdentifier
from ..problem import SEARCHING, Problem, Tell, nobody
from ..settings import Settings
from ..status import Status, times_as_large
from .alignment import LARGEST_OFFSET, TimeOffset, compensated, time_offset

SUSPECT = (Status.INCONSISTENT, Status.SMALL_LOAD, Status.NOT_IDENTIFIABLE)
CONTACT, READ_OTHERWISE = "contact", "read otherwise"  # causes of a sensor's own data


@dataclass(frozen=True)
class WrenchEstimate(Estimate):
    """What is known of the payload, and what was found out about the recording.

    Attributes:
        time_offset: Delay of the wrench against the motion that was found; None if not looked for.
        compensated: Whether that delay was taken out.
        contamination: Where something other than the payload acts on the sensor; None if the data
            are consistent.
        diagnosis: What is wrong with the wrench, one sentence; empty if nothing is known to be.
    """

    time_offset: TimeOffset | None = None
    compensated: bool = False
    contamination: Contamination | None = None
    diagnosis: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values; None stands for a number that is not known."""
        entries, offset, dirt = super().to_dict(), self.time_offset, self.contamination
        del entries["contamination"]
        known = offset is not None and np.isfinite(offset.deviation)
        return {
            **entries,
            "time_offset": offset.seconds if offset is not None and known else None,
            "time_offset_deviation": offset.deviation if offset is not None and known else None,
            "time_offset_compensated": entries.pop("compensated"),
            "contaminated": as_json(dirt.spans if dirt else ()),
        }


def identify_wrench(
    recording: WrenchSamples,
    uncertainty: WrenchUncertainty | None = None,
    estimator: str = "lmi",
    intervals: str = "hull",
    window: float = 0.1,
    largest_offset: float = LARGEST_OFFSET,
    frame: str | None = None,
    shape: Shape | None = None,
    knowledge: Knowledge = NOTHING,
    constraints: Constraints | None = None,
) -> WrenchEstimate:
    """Return what a recording of a force-torque sensor says of the payload.

    A delay of the wrench against the motion is estimated. It is taken out where it is clearly not
    zero and no payload explains the data without it: errors within the stated bounds, such as a
    sensor's hysteresis, look like a delay, too. What is left of it belongs in
    `uncertainty.time_error`. Where no payload explains the data,
    the verdict names a wrong sign, swapped axes or a compensated sensor, or the stretches of time
    and the axes in which something else acts.

    Args:
        recording: Motion of the sensor and wrench.
        uncertainty: What is assumed about sensor and motion. None: only the bias is unknown.
        estimator: Name of the point estimator.
        intervals: Name of the interval method.
        window: Length of the windows whose means make rows [s]; short against the motion.
        largest_offset: Largest delay that is looked for [s]; 0 to look for none.
        frame: Name of the sensor frame; None: the recording's, or "sensor".
        shape: What is known of the payload's shape, in the sensor frame.
        knowledge: What else is stated of it, of the catalogue, in the sensor frame.
        constraints: The same as constraints of CVXPY, as in `identify`.

    Raises:
        UnknownNameError: There is no such estimator or interval method.
        RecordingError: The wrench is that of a sensor that does not measure.
    """
    require_type(recording, WrenchSamples, "recording", "a WrenchRecording, or WrenchSamples")
    require_type(knowledge, Knowledge, "knowledge", "a Knowledge, or left out")
    if complaint := WrenchWatch().seen(recording).complaint:
        raise RecordingError(complaint)
    if constraints is not None:
        knowledge = knowledge.with_more(stated(constraints))
    settings = Settings(Uncertainty(), estimator, intervals, window, shape, knowledge=knowledge)
    *_, last = wrench_estimates(recording, uncertainty, settings, largest_offset, frame)
    return last


def wrench_estimates(
    recording: WrenchSamples,
    uncertainty: WrenchUncertainty | None,
    settings: Settings,
    largest_offset: float = LARGEST_OFFSET,
    frame: str | None = None,
    updates: Iterable[int] = (),
) -> Iterator[WrenchEstimate]:
    """Give the estimate at some numbers of windows, and then that of the whole recording.

    Args:
        recording: Motion of the sensor and wrench.
        uncertainty: What is assumed about sensor and motion. None: only the bias is unknown.
        settings: How to identify; its own uncertainty is not used.
        largest_offset: Largest delay that is looked for [s]; 0 to look for none.
        frame: Name of the sensor frame; None: the recording's, or "sensor".
        updates: Numbers of windows on the way, increasing.
    """
    require_type(frame, (str, type(None)), "frame", "the name of a frame, or None")
    row_source = NewtonEulerRows.of(
        WrenchUncertainty() if uncertainty is None else uncertainty,
        frame or getattr(recording, "frame", "") or "sensor",
    )
    largest = one_number(largest_offset, "largest_offset")
    offset = time_offset(recording, largest) if largest > 0.0 else None
    samples = aligned(recording, offset, row_source, settings)
    shift = samples is not recording
    online, due = OnlineIdentifier(row_source, settings), deque(updates)
    for window in _windows(online, samples):
        while due and due[0] <= online.windows:
            due.popleft()
            yield _verdict(online.update(), offset, shift, None, "")
        online.take(window)
    yield wrench_with_confidence(online, judged(online, samples, offset, shift))


def aligned(
    recording: WrenchSamples,
    offset: TimeOffset | None,
    row_source: NewtonEulerRows,
    settings: Settings,
) -> WrenchSamples:
    """Return a recording without its delay, if that is clear and the data exclude that it is none.

    Args:
        recording: Motion of the sensor and wrench.
        offset: Delay that was found; None: none was looked for.
        row_source: Makes rows of it.
        settings: How to identify.
    """
    if offset is None or not offset.significant:
        return recording
    online = OnlineIdentifier(row_source, settings)
    for window in _windows(online, recording):
        online.take(window)
    return compensated(recording, offset.seconds) if excluded(online.present()) else recording


def excluded(problem: Problem) -> bool:
    """Tell whether no payload explains rows within the stated bounds, whatever else is stated."""
    exact = replace(problem, settings=replace(problem.settings, intervals="hull"))
    answer = exact.solve()
    return not answer.bounds.consistent and answer.estimate.cause != STATED


def _windows(online: OnlineIdentifier, samples: WrenchSamples) -> Iterator[Any]:
    """Yield the windows that samples fill."""
    for start in range(0, max(len(samples), 1), CHUNK):
        yield from online.cut(samples.part(start, start + CHUNK))


def judged(
    online: OnlineIdentifier,
    samples: WrenchSamples | None,
    offset: TimeOffset | None,
    shifted: bool,
    tell: Tell = nobody,
) -> WrenchEstimate:
    """Return the answer of a run, with what is wrong with its samples where it looks wrong."""
    problem = online.problem()
    solved = problem.solve(lambda first: tell(_verdict(first, offset, shifted, None, SEARCHING)))
    estimate = online.accept(solved)
    suspect = samples is not None and estimate.status in SUSPECT and estimate.cause != STATED
    asked = diagnose if estimate.status is Status.INCONSISTENT else diagnose_turned
    sentence = (asked(samples) or "") if samples is not None and suspect else ""
    dirt = None
    if estimate.status is Status.INCONSISTENT and estimate.cause != STATED and not sentence:
        dirt = contamination(problem.rows, problem.prior.lower, problem.prior.upper)
    if sentence or (dirt and dirt.spans):  # they, not the rows by themselves, tell the cause
        cause = CONTACT if dirt and not dirt.of_reading else READ_OTHERWISE
        estimate = replace(estimate, cause=cause, blame=())
    return _verdict(estimate, offset, shifted, dirt, sentence)


def wrench_with_confidence(online: OnlineIdentifier, estimate: WrenchEstimate) -> WrenchEstimate:
    """Return the newest estimate with confidence intervals, and the verdict on all it says."""
    found = OnlineIdentifier.with_confidence(online, estimate)
    if found is estimate:
        return estimate
    told = estimate.time_offset, estimate.compensated, estimate.contamination, estimate.diagnosis
    return _verdict(found, *told)


def _verdict(
    estimate: Estimate,
    offset: TimeOffset | None,
    shifted: bool,
    dirt: Contamination | None,
    diagnosis: str,
) -> WrenchEstimate:
    """Put the answer's sentences together."""
    parts = []
    if estimate.status is Status.INCONSISTENT and estimate.cause != STATED:
        factor = (
            f"they would have to be {times_as_large(estimate.noise_factor)}"
            if np.isfinite(estimate.noise_factor)
            else "no bounds, however large, would help"
        )
        parts.append(f"No payload explains the wrench within the stated bounds: {factor}.")
        parts += [dirt.sentence] if dirt and dirt.spans else []
        if not diagnosis and not (dirt and dirt.spans):
            parts.append("Check sensor frame, gravity, calibration and stamps; or state more.")
    else:
        parts.append(estimate.message)
    parts += [diagnosis] if diagnosis else []
    if offset is not None and offset.significant:
        parts.append(offset.told(shifted))
    values = {entry.name: getattr(estimate, entry.name) for entry in fields(Estimate)}
    values["message"] = " ".join(parts)
    return WrenchEstimate(
        **values,
        time_offset=offset,
        compensated=shifted,
        contamination=dirt,
        diagnosis=diagnosis,
    )
