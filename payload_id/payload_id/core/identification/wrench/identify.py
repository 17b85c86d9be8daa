"""Identification from a recording of a force-torque sensor: its delay taken out, then as ever."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np

from ...arrays import one_number
from ...body.shape import Shape
from ...codec import as_json
from ...diagnosis import contradicted
from ...diagnosis.diagnose import CLEARLY
from ...diagnosis.hypotheses.contact import Contact
from ...errors import RecordingError, require_type
from ...knowledge.convex import Constraints, stated
from ...knowledge.knowledge import NOTHING, Knowledge
from ...rows.joint_torque.uncertainty import Uncertainty
from ...rows.row_source import RowSource
from ...rows.windows import GAP_FRACTION
from ...rows.wrench.newton_euler import NewtonEulerRows
from ...rows.wrench.uncertainty import WrenchUncertainty
from ...samples.delay_line import DelayLine
from ...samples.watches import WrenchWatch
from ...samples.wrench_samples import WrenchSamples
from ...threads import one_thread
from ..estimate import Estimate
from ..identify import estimates_of
from ..online import OnlineIdentifier
from ..problem import Solved
from ..settings import Settings
from .alignment import LARGEST_OFFSET, TimeOffset, time_offset


class Span(NamedTuple):
    """A stretch of time that no payload explains, which explains all else.

    Attributes:
        start: Its beginning [s].
        end: Its end [s].
        channels: Axes whose rows ask most for a larger noise factor then.
    """

    start: float
    end: float
    channels: tuple[str, ...]


@dataclass(frozen=True)
class Contamination:
    """When something other than the payload acts on the sensor.

    Attributes:
        spans: Stretches of time, in their order.
    """

    spans: tuple[Span, ...]


@dataclass(frozen=True)
class WrenchEstimate(Estimate):
    """What is known of the payload, and what was found out about the recording.

    Attributes:
        time_offset: Delay of the wrench against the motion that was found; None if not looked for.
        compensated: Whether that delay was taken out.
        contamination: When something other than the payload acts on the sensor; None if that is
            not the likely cause of inconsistent data.
        diagnosis: The likely cause of inconsistent data and its remedy; empty if none is known.
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
            "contaminated": as_json([span._asdict() for span in dirt.spans] if dirt else ()),
        }


class WrenchIdentifier(OnlineIdentifier):
    """A run of a force-torque sensor: the answers of any run, with the delay of the wrench.

    Attributes:
        offset: The delay that was found last; None: none was looked for.
    """

    offset: TimeOffset | None = None
    shifted = False  # whether it was taken out

    def _no_data(self) -> Estimate:
        """Return the answer's frame."""
        plain = vars(super()._no_data())
        return WrenchEstimate(**plain, time_offset=self.offset, compensated=self.shifted)

    def _remarks(self) -> tuple[str, ...]:
        """See the base: with what is known of the delay."""
        found = self.offset
        told = found.told(self.shifted) if found is not None and found.significant else ""
        return (*super()._remarks(), told)

    def accept(self, solved: Solved) -> WrenchEstimate:
        """Take up an answer; see the base."""
        estimate = cast(WrenchEstimate, super().accept(solved))  # as its frame is
        likely = None if solved.diagnosis is None else solved.diagnosis.likely
        if likely is None:
            return estimate
        dirt = None
        if likely.cause == Contact.name:
            spans = (
                Span(start, end, tuple(dict.fromkeys(
                    axis for axis, first, last, _ in estimate.blame if first < end and last > start
                ))) for start, end in likely.spans
            )  # fmt: skip
            dirt = Contamination(tuple(spans))
        sentence = likely.named(self.rows.channels)
        return replace(estimate, contamination=dirt, diagnosis=sentence)


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
    `uncertainty.time_error`. Where no payload explains the data, the verdict names what is likely
    to be wrong: signs or order of axes, orientations, gravity, or when something else acts.

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
    return cast(WrenchEstimate, last)


def wrench_estimates(
    recording: WrenchSamples,
    uncertainty: WrenchUncertainty | None,
    settings: Settings,
    largest_offset: float = LARGEST_OFFSET,
    frame: str | None = None,
    updates: Iterable[int] = (),
) -> Iterator[Estimate]:
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
    online = WrenchIdentifier(row_source, settings)
    online.offset, online.shifted = offset, samples is not recording
    yield from estimates_of(online, samples, updates)
    yield online.with_confidence(online.update())


def aligned(
    recording: WrenchSamples,
    offset: TimeOffset | None,
    row_source: RowSource,
    settings: Settings,
) -> WrenchSamples:
    """Return a recording without its delay, if that is clear and explains the data.

    Args:
        recording: Motion of the sensor and wrench.
        offset: Delay that was found; None: none was looked for.
        row_source: Makes rows of it.
        settings: How to identify.
    """
    if offset is None or not offset.significant:
        return recording
    late = offset.seconds
    moved = moved_by(late, recording, settings)
    return moved if delay_explains(late, recording, row_source, settings) else recording


def moved_by(seconds: float, samples: WrenchSamples, settings: Settings) -> WrenchSamples:
    """Return samples with the wrench as it was a time later."""
    return DelayLine(seconds, GAP_FRACTION * settings.window).push(samples)


def delay_explains(
    seconds: float, samples: WrenchSamples, row_source: RowSource, settings: Settings
) -> bool:
    """Tell whether no payload explains samples as they are, and one does with a late wrench.

    Or bounds on the data need to be less than half as large then: something else may be wrong, too.
    """
    as_they_are, moved = (
        _needed(each, row_source, settings)
        for each in (samples, moved_by(seconds, samples, settings))
    )
    return as_they_are > 1.0 and moved <= max(1.0, CLEARLY * as_they_are)


def _needed(samples: WrenchSamples, row_source: RowSource, settings: Settings) -> float:
    """Return by what bounds must be multiplied for some payload to explain samples, at least 1."""
    online = OnlineIdentifier(row_source, replace(settings, intervals="hull"))
    online.add(samples)
    problem = online.present()
    with one_thread():
        bounds = problem.bounds() if online.windows else None
        if bounds is None or bounds.consistent:
            return 1.0
        known = problem.rows, problem.prior, problem.shape, problem.stated
        if problem.stated and contradicted(*known) is not None:
            return 1.0  # what is stated of the payload is in doubt, not the stamps
    return float(bounds.noise_factor)
