"""What one update of a team's estimate has to solve, and its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from ..arrays import Array, IntArray
from ..body.inertial import change_of_frame, is_physical, mass_com_inertia
from ..body.payload_prior import PayloadPrior
from ..bounds import Bounds, Interval, Memory, method_named
from ..bounds.least_squares_image import image
from ..errors import SolverError
from ..estimators import estimator_named
from ..estimators.linear_matrix_inequality import constrained_least_squares
from ..identification.status import identifiable, times_as_large
from ..rows.row_block import RowBlock
from ..statistics.normal_form import NormalForm
from ..statistics.statistics import Statistics
from .blocks import Blocks
from .bounds import RobotBounds
from .estimate import (
    GraspedPayload,
    GraspFrame,
    PrincipalAxes,
    TeamEstimate,
    TeamStatus,
)
from .faults import Evidence, Findings, findings_of
from .frame_bounds import FrameBounds
from .grasp_frames import GraspFrames
from .joint import form_of, joint_fit
from .rows import TeamRows
from .windows import Windows

MOST_OF_HULL = 48  # windows whose rows the intervals use
LEAST_WINDOWS = 4  # of an estimate
IMAGES = 8
TINY = 1e-9  # half-width below which a parameter counts as known


@dataclass(frozen=True)
class Known:
    """What earlier updates have shown.

    Attributes:
        interval: Of phi in {1}.
        memory: Of the last solution.
    """

    interval: Interval
    memory: Memory


@dataclass(frozen=True)
class Solved:
    """The answer to an update, and what it leaves for the next one."""

    estimate: TeamEstimate
    known: Known


def solved(
    names: Sequence[str],
    bounds: list[RobotBounds],
    prior: PayloadPrior,
    estimator: str,
    intervals: str,
    frames: GraspFrames,
    blocks: Blocks,
    frame_bounds: list[FrameBounds],
    windows: Windows,
    known: Known,
    silent: Mapping[str, float],
    ahead: Mapping[str, float],
    front: float,
) -> Solved:
    """Return the estimate from blocks and windows; arguments as `TeamEstimator` holds them."""
    rows = TeamRows(frames, bounds, frame_bounds)
    used = windows.take(_with_frames(windows, frames))
    found = _bounds(rows, used, windows, prior, intervals, known)
    findings = findings_of(Evidence(names, rows, blocks, used, found, prior.com_max, silent, ahead))
    consistent = found.consistent and not findings.contradicts
    interval = found.interval.intersect(known.interval) if found.consistent else known.interval
    if (interval.lower > interval.upper).any():
        consistent, interval = False, known.interval
    within = interval if consistent else Interval(*prior.box())
    phi, frames = _point(rows, used, estimator, prior, within)
    inside = np.clip(phi, within.lower, within.upper)
    if np.isfinite(phi).all() and is_physical(inside):
        phi = inside  # by no more than the estimator's own tolerance
    if not consistent:
        frames = rows.frames  # false forces would draw them along
    kept = Known(interval if consistent else known.interval, found.memory)
    status, message = _verdict(names, interval, prior, findings, found, consistent, len(windows))
    about = _about(frame_bounds, rows.frames, frames)
    shown = {n: _frame(n, i, frames, about[i]) for i, n in enumerate(names)}
    estimate = TeamEstimate(
        status, message, names[0] if names else "", phi, interval.lower, interval.upper,
        identifiable(interval, Interval(*prior.box())), _axes(phi), shown,
        _payloads(names, phi, interval, frames, about, windows),
        findings.all, findings.cannot, front, len(used), windows.holds(), found.noise_factor,
    )  # fmt: skip
    return Solved(estimate, kept)


def nothing(known: Known, prior: PayloadPrior) -> Solved:
    """Return the answer where there is no robot."""
    box = Interval(*prior.box())
    estimate = TeamEstimate(
        TeamStatus.NO_DATA, "No robot has been named and none has given samples.", "",
        np.full(10, np.nan), box.lower, box.upper, np.zeros(10, bool), None, {}, {},
    )  # fmt: skip
    return Solved(estimate, known)


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
    """Tell whether frames are within the bounds about the kinematic ones in `rows`."""
    turned = rows.frames.rotation.swapaxes(1, 2) @ frames.rotation
    angle = np.abs(Rotation.from_matrix(turned).as_rotvec())
    moved = np.abs(frames.position - rows.frames.position)
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


def _bounds(
    rows: TeamRows, used: Windows, windows: Windows, prior: PayloadPrior, intervals: str,
    known: Known,
) -> Bounds:  # fmt: skip
    """Return bounds on phi in {1}; those known before if there is nothing to tell."""
    empty = Bounds(known.interval, True, float("nan"), {}, np.zeros(0), known.memory)
    if intervals == "none":
        return empty
    bounded = np.array([frame.known for frame in rows.frame_bounds])
    sure = used.take(np.flatnonzero((bounded[:, None] | ~used.holding).all(axis=0)))
    sure = sure.take(_telling(sure))
    parts = [rows.of_bounds(sure)] if len(sure) else []
    lifts = rows.lifts(windows)
    if len(lifts) and (not parts or parts[0].B.shape[1] == lifts.B.shape[1]):
        order = np.argsort(lifts.bound(prior.typical))[:12]
        parts.append(lifts.take(order))
    parts = [part for part in parts if len(part)]
    if not parts:
        return empty
    block = RowBlock.stack(parts)
    block = block.take(np.isfinite(block.d) & np.isfinite(block.A_error).all(axis=1))
    if not len(block):
        return empty
    return method_named(intervals).bounds(
        block, _beforehand(block, known.interval), Memory(), prior.shape()
    )


def _beforehand(block: RowBlock, known: Interval) -> Interval:
    """Return what images under least squares leave: a fast beginning for exact methods."""
    for _ in range(IMAGES):
        narrower = image(block, known).intersect(known)
        if (narrower.lower > narrower.upper).any():
            return known
        gained = (narrower.half_width < 0.9 * known.half_width).any()
        known = narrower
        if not gained:
            break
    return known


def _telling(windows: Windows) -> IntArray:
    """Return the numbers of the windows that tell most: most unlike each other, by features."""
    W = len(windows)
    if W <= MOST_OF_HULL:
        return np.arange(W)
    first = windows.present.argmax(axis=0)
    F = windows.features[first, np.arange(W)]
    scale = F.std(axis=0) + 1e-9
    F = (F - F.mean(axis=0)) / scale
    chosen = [int(np.argmax((F**2).sum(axis=1)))]
    far = ((F - F[chosen[0]]) ** 2).sum(axis=1)
    for _ in range(MOST_OF_HULL - 1):
        chosen.append(int(far.argmax()))
        far = np.minimum(far, ((F - F[chosen[-1]]) ** 2).sum(axis=1))
    return np.sort(np.array(chosen))


def _verdict(
    names: Sequence[str], interval: Interval, prior: PayloadPrior, findings: Findings,
    found: Bounds, consistent: bool, windows: int,
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
        if not findings.all:
            said.append("Check signs, frames and clocks, or state larger bounds if they are true.")
        return TeamStatus.INCONSISTENT, " ".join(said)
    good = identifiable(interval, Interval(*prior.box()))
    if not windows:
        return TeamStatus.NO_DATA, " ".join(said or ["No window of forces is complete yet."])
    if good.all() and not findings.cannot:
        return TeamStatus.GOOD, " ".join(["Frames and all ten parameters are bounded.", *said])
    if good[0]:
        return TeamStatus.USABLE, " ".join(["The mass is bounded by the data.", *said])
    return TeamStatus.NOT_IDENTIFIABLE, " ".join(
        ["The data bound the mass little better than the prior did.", *said]
    )


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


def _payloads(
    names: Sequence[str], phi: Array, interval: Interval, frames: GraspFrames,
    frame_bounds: list[FrameBounds], windows: Windows,
) -> dict[str, GraspedPayload]:  # fmt: skip
    """Return the payload in every grasp frame."""
    shares, low, high = _shares(phi, interval, frames, frame_bounds, windows)
    payloads = {}
    for i, name in enumerate(names):
        nothing = np.full(10, np.nan), np.full(10, -np.inf), np.full(10, np.inf)
        own, lower, upper = nothing
        if frames.known[i]:
            own, lower, upper = _seen_from(phi, interval, frames, i, frame_bounds[i])
        payloads[name] = GraspedPayload(name, own, lower, upper, shares[i], low[i], high[i])
    return payloads


def _seen_from(
    phi: Array, interval: Interval, frames: GraspFrames, i: int, bounds: FrameBounds
) -> tuple[Array, Array, Array]:
    """Return phi and its interval in {i}.

    J_i = X J X' with X the true pose of {1} in {i}; errors of that pose enter to first and second
    order by the sizes of the moments inside the interval.
    """
    X, p = frames.rotation[i], frames.position[i]
    T = change_of_frame(X.T, -X.T @ p)
    middle, half = (interval.lower + interval.upper) / 2, interval.half_width
    centre, spread = T @ middle, np.abs(T) @ half
    if i:
        spread = spread + _pose_part(interval, p, bounds)
    lower, upper = centre - spread, centre + spread
    lower[[0]], upper[[0]] = interval.lower[[0]], interval.upper[[0]]
    diagonal = [0, 4, 7, 9]
    lower[diagonal] = np.maximum(lower[diagonal], 0.0)
    return T @ phi, lower, upper


def _pose_part(interval: Interval, p: Array, bounds: FrameBounds) -> Array:
    """Return how far phi in {i} may be off for the error of the frame, shape (10,)."""
    if not bounds.known:
        return np.full(10, np.inf)
    size = interval.magnitude
    angle = float(np.linalg.norm(bounds.rotation_vector))
    dp = float(np.linalg.norm(bounds.position))
    m, h = float(size[0]), float(np.linalg.norm(size[1:4]))
    inertia = 2.0 * float(np.linalg.norm(size[4:]))
    lever = float(np.linalg.norm(p)) + dp
    moved_h = h + m * lever
    moved = inertia + 4.0 * lever * h + 2.0 * m * lever**2
    first = angle * moved_h + m * dp
    second = (2.0 * angle + angle**2) * moved + 2.0 * dp * (2.0 * h + 2.0 * m * lever)
    return np.concatenate([[0.0], np.full(3, first), np.full(6, second)])


def _shares(
    phi: Array, interval: Interval, frames: GraspFrames, frame_bounds: list[FrameBounds],
    windows: Windows,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Return the part of the mass that each robot carries, and its interval, (N,) each.

    Smallest forces along the vertical that hold the payload in the middle attitude of the data:
    sum of shares 1, sum of shares p_i = c across the vertical. Linear in c.
    """
    N = len(frames.known)
    empty = np.full(N, np.nan), np.full(N, -np.inf), np.full(N, np.inf)
    holds = frames.known & (windows.holding[:, -1] if len(windows) else True)
    if not np.isfinite(phi).all() or not len(windows) or holds.sum() < 1:
        return empty
    up = np.where(windows.present[0][:, None], windows.features[0][:, :3], 0.0).sum(axis=0)
    if not up.any():
        return empty
    up = up / np.linalg.norm(up)
    across = np.linalg.svd(up[None])[2][1:]  # two axes across the vertical
    A = np.vstack([np.ones(int(holds.sum())), across @ frames.position[holds].T])
    inverse = np.linalg.pinv(A, rcond=1e-3)
    com = phi[1:4] / phi[0]
    share = inverse @ np.concatenate([[1.0], across @ com])
    low, high = _com_box(interval)
    if not np.isfinite(low).all():
        return _spread_out(N, holds, share, np.full(len(share), np.inf))
    half = np.maximum(high - com, com - low)
    loose = np.abs(inverse[:, 1:] @ across) @ half
    moved = [
        float(np.linalg.norm(b.position)) for b, h in zip(frame_bounds, holds, strict=True) if h
    ]
    # a share changes by at most |inverse| times what errors of places add to the balance
    loose = loose + np.linalg.norm(inverse, axis=1) * float(np.abs(share) @ np.array(moved)) * 1.5
    return _spread_out(N, holds, share, loose)


def _spread_out(N: int, holds: Array, share: Array, loose: Array) -> tuple[Array, Array, Array]:
    """Return shares and their intervals for all robots; those that do not hold carry nothing."""
    out = np.zeros(N), np.zeros(N), np.zeros(N)
    out[0][holds], out[1][holds], out[2][holds] = share, share - loose, share + loose
    return out


def _com_box(interval: Interval) -> tuple[Array, Array]:
    """Return the box of h / m, shape (3,) each."""
    low, high = interval.lower, interval.upper
    if low[0] <= 0.0:
        return np.full(3, -np.inf), np.full(3, np.inf)
    ends = np.stack(
        [low[1:4] / low[0], low[1:4] / high[0], high[1:4] / low[0], high[1:4] / high[0]]
    )
    return ends.min(axis=0), ends.max(axis=0)


__all__ = ["Known", "Solved", "solved"]
