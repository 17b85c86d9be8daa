"""What one update of a team's estimate says: bounds, point estimate, findings, verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...arrays import Array, BoolArray
from ...body.inertial import is_physical, mass_com_inertia
from ...body.payload_prior import PayloadPrior
from ...bounds import Bounds, Interval, Memory
from ...bounds.nearest import nearest
from ...estimators import estimator_named
from ...identification.online import OnlineIdentifier
from ...identification.point_estimate import point_estimate
from ...identification.status import Status, identifiable, times_as_large
from ...identification.width import width_in_words
from ...statistics.statistics import Statistics
from ..closed_form.sequence import in_sequence
from ..estimate import Finding, GraspFrame, PrincipalAxes, TeamEstimate
from ..faults.evidence import Evidence
from ..faults.findings import Findings, findings_of
from ..grasp_frames import GraspFrames
from ..source import TeamSource
from ..windows import Windows
from .held import payloads_of
from .settings import NONE, SEQUENCE, TeamSettings

LEAST_WINDOWS = 4  # of an estimate


@dataclass(frozen=True)
class Contradiction:
    """That data contradicted the bounds or each other: more of them do not take that back.

    Attributes:
        time: Team time of the update that found it [s].
        findings: Of then.
        message: Of then.
    """

    time: float
    findings: tuple[Finding, ...]
    message: str

    @property
    def sentence(self) -> str:
        """It, as one of later times."""
        return (
            f"Data until {self.time:.1f} s of team time contradicted the stated bounds or each "
            "other, which later data do not take back. Say who left, or when something touched "
            f"the payload; or remove the cause and reset. Said then: {self.message}"
        )


def nothing(prior: PayloadPrior) -> TeamEstimate:
    """Return the answer where there is no robot."""
    box = Interval(*prior.box())
    return TeamEstimate(
        Status.NO_DATA, "No robot has been named and none has given samples.", "",
        np.full(10, np.nan), box.lower, box.upper, np.zeros(10, bool), None, {}, {},
    )  # fmt: skip


def answer(
    e: Evidence, phi: Array, width: str, known: Interval, past: Contradiction | None
) -> tuple[TeamEstimate, Interval, Contradiction | None]:
    """Return the estimate, the bounds on phi that are proved now, and what contradicts them.

    Args:
        e: Frames, clocks, windows and what they prove.
        phi: Point estimate, shape (10,).
        width: What makes the mass' interval wide.
        known: Bounds on phi that were proved before.
        past: The newest contradiction; None: there was none.
    """
    source, found, windows, names = e.source, e.found, e.windows, e.names
    prior, frames = Interval(*source.prior.box()), source.frames
    findings = findings_of(e)
    explained = found.consistent and not findings.of_motions
    consistent = explained and past is None
    interval = found.interval if consistent else known
    shown = prior if findings.doubtful else interval
    status, message = _verdict(shown, prior, findings, found, consistent, windows, width)
    every, message, past = _remembered(findings, explained, message, e.arrival.front, past)
    grasps = {name: _frame(name, i, source) for i, name in enumerate(names)}
    estimate = TeamEstimate(
        status, message, names[0], phi, shown.lower, shown.upper, identifiable(shown, prior),
        _axes(phi), grasps, payloads_of(names, phi, shown, frames, source.frame_bounds, windows),
        every, findings.cannot, e.arrival.front,
        int(np.count_nonzero(_placed(windows, frames))), windows.holds(), found.noise_factor,
    )  # fmt: skip
    return estimate, known if findings.doubtful else interval, past


def _remembered(
    findings: Findings, explained: bool, message: str, time: float, past: Contradiction | None
) -> tuple[tuple[Finding, ...], str, Contradiction | None]:
    """Return what is said with what an earlier contradiction told, and the newest one."""
    before = past.findings if past else ()
    if not explained:
        past = Contradiction(time, findings.all or before, message)
    elif past:
        message = past.sentence
    every = (*(past.findings if past else ()), *findings.all)
    return tuple(dict.fromkeys(every)), message, past


def identified(
    identifier: OnlineIdentifier, source: TeamSource, windows: Windows, settings: TeamSettings
) -> tuple[Bounds, Array, str]:
    """Return bounds on phi in {1}, the point estimate, and what makes the mass' interval wide.

    Args:
        identifier: Of the run; it goes on with the rows of these windows.
        source: Frames, clocks and bounds as they are known now.
        windows: Of forces.
        settings: How to identify.
    """
    bounds, phi, width = _identified(identifier, source, windows, settings)
    used = windows.take(_placed(windows, source.frames))
    if settings.estimator == SEQUENCE and len(used):
        rows = source.as_measured(used)
        phi = in_sequence(rows.A.reshape(-1, 6, 10), rows.b.reshape(-1, 6), used.still())
    return bounds, phi, width


def _identified(
    identifier: OnlineIdentifier, source: TeamSource, windows: Windows, settings: TeamSettings
) -> tuple[Bounds, Array, str]:
    """Do what `identified` does, with an estimator of `core.estimators`."""
    used, nan = windows.take(_placed(windows, source.frames)), np.full(10, np.nan)
    _, known = identifier.established()
    none = Bounds(known, True, float("nan"), {}, np.zeros(0), Memory())
    statistics = None
    if len(used) >= LEAST_WINDOWS:
        block = source.of_estimate(used)
        statistics = Statistics.empty(block.B.shape[1]).add(block, source.prior.typical)
    if settings.intervals == NONE:
        estimator = estimator_named(settings.of_payload.estimator)
        phi = nan if statistics is None else estimator.estimate(statistics, *source.prior.box())
        return none, phi, ""
    identifier.remake([windows] if len(windows) else [], source)
    identifier.narrow(known)
    problem = identifier.present()
    if not len(problem.rows):
        return none, nan, ""
    bounds, phi, width = problem.bounds(), nan, ""
    if statistics is not None:
        phi = point_estimate(
            problem.rows, statistics, bounds, problem.prior, problem.settings, problem.shape
        )
    elif bounds.consistent:
        middle = (bounds.interval.lower + bounds.interval.upper) / 2
        phi = nearest(problem.rows, bounds.interval, middle, problem.shape, problem.prior)
    if bounds.consistent:
        width = width_in_words(problem.width(bounds), float(bounds.interval.half_width[0]), {})
    return bounds, phi, width


def _placed(windows: Windows, frames: GraspFrames) -> BoolArray:
    """Return in which windows every force's place is known, shape (W,)."""
    return np.asarray((frames.known[:, None] | ~windows.holding).all(axis=0))


def _verdict(
    shown: Interval, prior: Interval, findings: Findings, found: Bounds, consistent: bool,
    windows: Windows, width: str,
) -> tuple[Status, str]:  # fmt: skip
    """Return the status and its sentences."""
    said = [finding.sentence for finding in findings.all] + list(findings.cannot)
    if not consistent:
        return Status.INCONSISTENT, " ".join((*said, *_why_none(findings, found)))
    if not len(windows):
        return Status.NO_DATA, " ".join(said or ["No window of forces is complete yet."])
    good = identifiable(shown, prior)
    if good.all() and not findings.cannot:
        status, first = Status.GOOD, "Frames and all ten parameters are bounded."
    elif good[0]:
        status, first = Status.TOO_WIDE, "The mass is bounded by the data."
    else:
        status, first = Status.NOT_IDENTIFIABLE, "The mass is hardly bounded by the data."
    width = "" if findings.doubtful else width
    return status, " ".join(filter(None, [first, *said, width]))


def _why_none(findings: Findings, found: Bounds) -> Iterator[str]:
    """Say how far forces are from being those of a payload."""
    if 1.0 < found.noise_factor < np.inf:
        yield (
            "No payload explains the forces within the stated bounds; they would have to be "
            f"{times_as_large(found.noise_factor)}."
        )
    elif not findings.of_motions:
        yield "No payload explains the forces, or data of now contradict earlier ones."
    if not findings.of_motions:
        yield "Check signs, frames and clocks, or state larger bounds if they are true."


def _frame(name: str, i: int, source: TeamSource) -> GraspFrame:
    """Return what is known of one grasp frame."""
    frames, bounds = source.frames, source.frame_bounds[i]
    six = np.array([0, 1, 2, 6, 7, 8])
    unknown = 0.0 if frames.known[i] else np.nan
    return GraspFrame(
        name, frames.rotation[i] + unknown, frames.position[i] + unknown,
        frames.covariance[i][np.ix_(six, six)] if frames.known[i] else np.full((6, 6), np.inf),
        bounds.rotation_vector, bounds.position, float(frames.clock[i]),
        float(frames.spread[i, 12]) if frames.known[i] else float("inf"), bounds.clock,
    )  # fmt: skip


def _axes(phi: Array) -> PrincipalAxes | None:
    """Return frame {c} and the principal moments; None if there is no body."""
    if not np.isfinite(phi).all() or not is_physical(phi):
        return None
    _, com, inertia = mass_com_inertia(phi)
    moments, axes = np.linalg.eigh(inertia)
    axes = axes * np.sign(np.linalg.det(axes))
    return PrincipalAxes(com, axes, moments)
