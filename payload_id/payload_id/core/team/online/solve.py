"""What one update of a team's estimate has to solve, and its answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Array, IntArray
from ...body.inertial import is_physical, mass_com_inertia
from ...body.payload_prior import PayloadPrior
from ...bounds import Bounds, Interval
from ...errors import SolverError
from ...estimators import estimator_named
from ...estimators.linear_matrix_inequality import constrained_least_squares
from ...identification.status import identifiable, times_as_large
from ...statistics.normal_form import NormalForm
from ...statistics.statistics import Statistics
from ..arrival import Arrival
from ..blocks import Blocks
from ..closed_form.pair_equations import FrameBounds
from ..estimate import GraspFrame, PrincipalAxes, TeamEstimate, TeamStatus
from ..faults.evidence import Evidence
from ..faults.findings import Findings, findings_of
from ..grasp_frames import GraspFrames
from ..joint import form_of, joint_fit
from ..rows import DEVIATIONS, TeamRows
from ..source import TeamSource
from ..windows import Windows
from .held import payloads_of
from .interval_rows import Contradiction, Known, interval_bounds, noise_factor
from .settings import TeamSettings

LEAST_WINDOWS = 4  # of an estimate
TINY = 1e-9  # half-width below which a parameter counts as known


@dataclass(frozen=True)
class Solved:
    """The answer to an update, and what it leaves for the next one."""

    estimate: TeamEstimate
    known: Known
    apart: tuple[str, ...] = ()


def solved(
    source: TeamSource,
    settings: TeamSettings,
    blocks: Blocks,
    windows: Windows,
    known: Known,
    arrival: Arrival,
) -> Solved:
    """Return the estimate from blocks and windows; arguments as `TeamEstimator` holds them."""
    rows, names, prior = source.rows, source.robots, source.prior
    used = windows.take(_with_frames(windows, rows.frames))
    found, width = interval_bounds(source, windows, settings, known)
    near = rows.likely(prior.com_max, blocks.turned())
    likely = noise_factor(replace(source, rows=near), windows)
    evidence = Evidence(names, rows, blocks, used, windows, found, likely, prior.com_max, arrival)
    findings = findings_of(evidence)
    consistent = found.consistent and not findings.contradicts
    interval = found.interval.intersect(known.interval) if found.consistent else known.interval
    if (interval.lower > interval.upper).any():
        consistent, interval = False, known.interval
    past = known.contradiction
    if past is not None and (consistent or not findings.blames):
        findings = findings.after(past.findings)
    forgotten = past if consistent else None
    if forgotten is not None:
        consistent, interval = False, known.interval
    shown = Interval(*prior.box()) if findings.doubtful else interval
    within = interval if consistent else Interval(*prior.box())
    phi, frames = _point(rows, used, settings.estimator, prior, within)
    inside = np.clip(phi, within.lower, within.upper)
    if np.isfinite(phi).all() and is_physical(inside):
        phi = inside  # by no more than the estimator's own tolerance
    if not consistent:
        frames = rows.frames  # false forces would draw them along
    learnt = consistent and not findings.doubtful
    width = "" if findings.doubtful else width
    status, message = _verdict(shown, prior, findings, found, consistent, len(windows), width)
    if forgotten is not None:
        message = forgotten.sentence
    elif not consistent:
        past = Contradiction(arrival.front, findings.all, message)
    kept = Known(interval if learnt else known.interval, past)
    about = _about(rows.frame_bounds, rows.frames, frames)
    grasps = {n: _frame(n, i, frames, about[i]) for i, n in enumerate(names)}
    estimate = TeamEstimate(
        status, message, names[0] if names else "", phi, shown.lower, shown.upper,
        identifiable(shown, Interval(*prior.box())), _axes(phi), grasps,
        payloads_of(names, phi, shown, frames, about, windows),
        findings.all, findings.cannot, arrival.front, len(used), windows.holds(),
        found.noise_factor,
    )  # fmt: skip
    return Solved(estimate, kept, findings.apart)


def nothing(prior: PayloadPrior) -> TeamEstimate:
    """Return the answer where there is no robot."""
    box = Interval(*prior.box())
    return TeamEstimate(
        TeamStatus.NO_DATA, "No robot has been named and none has given samples.", "",
        np.full(10, np.nan), box.lower, box.upper, np.zeros(10, bool), None, {}, {},
    )  # fmt: skip


def _with_frames(windows: Windows, frames: GraspFrames) -> IntArray:
    """Return the numbers of the windows of which every force's place is known."""
    held = windows.holding
    return np.flatnonzero((frames.known[:, None] | ~held).all(axis=0))


def _point(
    rows: TeamRows, windows: Windows, estimator: str, prior: PayloadPrior, within: Interval
) -> tuple[Array, GraspFrames]:
    """Return payload and frames from all data, within what is sure of both.

    Too few windows say little of the frames, and a free fit can leave what is proved of them: then
    they stay where kinematics put them. With next to no windows the payload is the middle of its
    interval; NaN where that is the one before any data.
    """
    if len(windows) < LEAST_WINDOWS:
        told = (within.half_width < Interval(*prior.box()).half_width).any()
        return _middle(within) if told else np.full(10, np.nan), rows.frames
    fit = joint_fit(rows, windows)
    form = fit.form
    if _is_within(fit.frames, rows):
        rows = replace(rows, frames=fit.frames)
    else:
        form = form_of(rows, windows, fit.noise)
    try:
        if estimator == "lmi":
            return constrained_least_squares(form, within.lower, within.upper), rows.frames
        block = rows.of_estimate(windows)
        statistics = Statistics.empty(block.B.shape[1]).add(block, prior.typical)
        found = estimator_named(estimator).estimate(statistics, within.lower, within.upper)
        return found, rows.frames
    except SolverError:
        return _middle(within), rows.frames


def _is_within(frames: GraspFrames, rows: TeamRows) -> bool:
    """Tell whether frames are within what kinematics allow: bounds, and what poses may err by.

    Forces say little of frames; where false they would draw them far from what every pose says.
    """
    turned = rows.frames.rotation.swapaxes(1, 2) @ frames.rotation
    angle = np.abs(Rotation.from_matrix(turned).as_rotvec())
    moved = np.abs(frames.position - rows.frames.position)
    spread = np.sqrt(np.maximum(np.diagonal(rows.frames.covariance, axis1=1, axis2=2), 0.0))
    for i in np.flatnonzero(rows.frames.known)[1:]:
        one, two = rows.bounds[0], rows.bounds[i]
        turn = one.orientation + two.orientation
        far = float(np.linalg.norm(rows.frames.position[i]))
        most = turn + DEVIATIONS * spread[i, :3]
        most_place = one.position + two.position + far * turn + DEVIATIONS * spread[i, 6:9]
        if (angle[i] > most).any() or (moved[i] > most_place).any():
            return False
    return all(
        not bound.known
        or bool((angle[i] <= bound.rotation_vector).all() and (moved[i] <= bound.position).all())
        for i, bound in enumerate(rows.frame_bounds)
    )


def _middle(within: Interval) -> Array:
    """Return the physical phi nearest to the middle of an interval; NaN if none is found."""
    weight = 1.0 / np.maximum(within.half_width, TINY)
    centre = (within.lower + within.upper) / 2
    try:
        form = NormalForm(np.diag(weight), weight * centre, 0.0, 10)
        return constrained_least_squares(form, within.lower, within.upper)
    except SolverError:
        return np.full(10, np.nan)


def _verdict(
    interval: Interval, prior: PayloadPrior, findings: Findings, found: Bounds, consistent: bool,
    windows: int, width: str,
) -> tuple[TeamStatus, str]:  # fmt: skip
    """Return the status and its sentences."""
    said = [finding.sentence for finding in findings.all] + list(findings.cannot)
    if not consistent:
        factor = found.noise_factor
        if np.isfinite(factor) and factor > 1.0:
            said.append(
                "No payload explains the forces within the stated bounds; they would have to be "
                f"{times_as_large(factor)}."
            )
        elif not findings.contradicts:
            said.append(
                "No payload explains the forces within the stated bounds, however large those of "
                "the forces are, or data of now contradict those of before."
            )
        if not findings.contradicts:
            said.append("Check signs, frames and clocks, or state larger bounds if they are true.")
        return TeamStatus.INCONSISTENT, " ".join(said)
    good = identifiable(interval, Interval(*prior.box()))
    if not windows:
        return TeamStatus.NO_DATA, " ".join(said or ["No window of forces is complete yet."])
    if good.all() and not findings.cannot:
        status, first = TeamStatus.GOOD, "Frames and all ten parameters are bounded."
    elif good[0]:
        status, first = TeamStatus.USABLE, "The mass is bounded by the data."
    else:
        status = TeamStatus.NOT_IDENTIFIABLE
        first = "The data bound the mass little better than the prior did."
    return status, " ".join(filter(None, [first, *said, width]))


def _about(
    bounds: list[FrameBounds], kinematic: GraspFrames, frames: GraspFrames
) -> list[FrameBounds]:
    """Return bounds about the estimates from all data; they were made about those of kinematics."""
    turned = kinematic.rotation.swapaxes(1, 2) @ frames.rotation
    eps = np.abs(Rotation.from_matrix(turned).as_rotvec())
    moved = np.abs(frames.position - kinematic.position)
    about = []
    for i, bound in enumerate(bounds):
        if not bound.known:
            about.append(bound)
            continue
        size = bound.rotation_vector
        # exp(x) exp(y) = exp(x + y + ...), the rest at most |x| |y| / 2 to second order
        a = size + eps[i] + float(np.linalg.norm(size) * np.linalg.norm(eps[i])) * (eps[i] > 0)
        about.append(replace(bound, a=a, position=bound.position + moved[i]))
    return about


def _frame(name: str, i: int, frames: GraspFrames, bounds: FrameBounds) -> GraspFrame:
    """Return what is known of one grasp frame."""
    if not frames.known[i]:
        nothing = np.full(3, np.inf)
        return GraspFrame(
            name, np.full((3, 3), np.nan), np.full(3, np.nan), np.full((6, 6), np.inf), nothing,
            nothing, float(frames.clock[i]), float("inf"), bounds.clock,
        )  # fmt: skip
    six = np.array([0, 1, 2, 6, 7, 8])
    whole = frames.covariance[i]
    return GraspFrame(
        name, frames.rotation[i], frames.position[i], whole[np.ix_(six, six)],
        bounds.rotation_vector, bounds.position, float(frames.clock[i]),
        float(np.sqrt(max(whole[12, 12], 0.0))), bounds.clock,
    )  # fmt: skip


def _axes(phi: Array) -> PrincipalAxes | None:
    """Return frame {c} and the principal moments; None if there is no body."""
    if not np.isfinite(phi).all() or not is_physical(phi):
        return None
    _, com, inertia = mass_com_inertia(phi)
    moments, axes = np.linalg.eigh(inertia)
    axes = axes * np.sign(np.linalg.det(axes))
    return PrincipalAxes(com, axes, moments)
