"""Several estimators and interval methods on the same rows, timed and measured against a truth."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from ...core.arrays import Array
from ...core.body.inertial import is_physical, mass_com_inertia
from ...core.body.metrics import Errors, errors
from ...core.bounds import Interval, Memory, method_named
from ...core.errors import SolverError
from ...core.estimators import estimator_named
from ...core.identification.point_estimate import residual_rms
from ...core.identification.problem import Problem
from ...core.threads import one_thread

UNKNOWN = np.full(10, np.nan)
NO_ERRORS: Mapping[str, float | None] = dict.fromkeys(("mass", "com", "inertia"))


@dataclass(frozen=True)
class Point:
    """What one estimator found.

    Attributes:
        name: The estimator.
        phi: Shape (10,), NaN if it failed.
        physically_consistent: Whether some mass distribution has these parameters.
        residual_rms: Of what it leaves unexplained, per second of a window.
        seconds: Time that it took, the statistics being there [s].
        failure: Why there is no estimate; empty if there is one.
        errors_percent: Of mass, centre of mass and inertia; None without estimate or truth.
    """

    name: str
    phi: Array
    physically_consistent: bool
    residual_rms: float
    seconds: float
    failure: str
    errors_percent: Mapping[str, float | None]


@dataclass(frozen=True)
class Spread:
    """What one interval method found; NaN where it found the rows inconsistent.

    Attributes:
        name: The method.
        guaranteed: Whether the truth is inside whenever the stated bounds hold.
        consistent: Whether some payload explains the rows within the stated bounds.
        noise_factor: By how much these would have to be larger, if not.
        lower: Shape (10,).
        upper: Shape (10,).
        half_width: Half the width of each interval, shape (10,).
        contains_truth: Which true parameters are inside, shape (10,); None where that is not known.
        seconds: Time that it took [s].
        ratio_to_hull: Half-widths over those of the hull, shape (10,); NaN where not known.
        mean_hull_over_this: Mean over the parameters of the hull's half-widths over these; or NaN.
    """

    name: str
    guaranteed: bool
    consistent: bool
    noise_factor: float
    lower: Array
    upper: Array
    half_width: Array
    contains_truth: Array | None
    seconds: float
    ratio_to_hull: Array
    mean_hull_over_this: float


def compared(
    problem: Problem,
    estimators: Sequence[str],
    intervals: Sequence[str],
    truth: Array | None = None,
    box: Array | None = None,
) -> tuple[list[Point], list[Spread]]:
    """Return what each method makes of a problem.

    Every interval method starts from the prior and what is stated; every estimator is given what
    the guaranteed ones found together.

    Args:
        problem: Rows and statistics of a recording.
        estimators: Names.
        intervals: Names.
        truth: True parameters, shape (10,), if known.
        box: Lengths of the payload's bounding box, shape (3,) [m], if known.
    """
    with one_thread():  # as in every update
        spreads, within = [_spread(problem, name, truth) for name in intervals], problem.prior
        for found in spreads:
            if found.guaranteed and found.consistent:
                within = within.intersect(Interval(found.lower, found.upper))
        points = [_point(problem, name, within, truth, box) for name in estimators]
    hull = next((x.half_width for x in spreads if x.name == "hull"), UNKNOWN)
    return points, [_against(found, hull) for found in spreads]


def _spread(problem: Problem, name: str, truth: Array | None) -> Spread:
    """Return what an interval method finds, not yet held against the hull."""
    method = method_named(name)
    start = time.perf_counter()
    start_box = problem.payload.beforehand
    found = method.bounds(problem.rows, start_box, Memory(), problem.shape, problem.stated)
    seconds = time.perf_counter() - start
    # As every update: whatever the torques say.
    consistent = bool(found.consistent) and not problem.contradiction
    lower, upper, half, inside = UNKNOWN, UNKNOWN, UNKNOWN, None
    if consistent:
        lower, upper, half = found.interval.lower, found.interval.upper, found.interval.half_width
        inside = None if truth is None else (lower <= truth) & (truth <= upper)
    return Spread(
        name, method.guaranteed, consistent, found.noise_factor, lower, upper, half, inside,
        seconds, UNKNOWN, float("nan"),
    )  # fmt: skip


def _against(found: Spread, hull: Array) -> Spread:
    """Return what a method found, held against the half-widths of the hull."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = found.half_width / hull
    known = ratio[np.isfinite(ratio) & (ratio > 0)]
    mean = float(np.mean(1.0 / known)) if len(known) else float("nan")
    return replace(found, ratio_to_hull=ratio, mean_hull_over_this=mean)


def _point(
    problem: Problem, name: str, within: Interval, truth: Array | None, box: Array | None
) -> Point:
    """Return what an estimator finds."""
    estimator = estimator_named(name, problem.settings.shape, problem.stated)
    start, failure = time.perf_counter(), ""
    # Rounding can leave nothing strictly consistent in a thin interval.
    for inside in (within, problem.prior):
        try:
            phi = estimator.estimate(problem.statistics, inside.lower, inside.upper)
            break
        except SolverError as error:
            failure = str(error)
    else:
        seconds = time.perf_counter() - start
        return Point(name, UNKNOWN, False, float("nan"), seconds, failure, NO_ERRORS)
    seconds = time.perf_counter() - start
    off = NO_ERRORS
    if truth is not None:
        off = asdict(relative_errors(phi, truth) if box is None else errors(phi, truth, box))
    residual = residual_rms(problem.rows, problem.statistics, phi)
    return Point(name, phi, is_physical(phi), residual, seconds, "", off)


def relative_errors(phi: Array, truth: Array) -> Errors:
    """Return mass, centre of mass and inertia about it: norms of errors over norms of truths."""
    true, found = ([np.asarray(x) for x in mass_com_inertia(body)] for body in (truth, phi))
    size = [float(np.linalg.norm(x)) for x in true]
    off = [float(np.linalg.norm(a - b)) for a, b in zip(found, true, strict=True)]
    if found[0] <= 0.0:
        off[1:] = [np.inf, np.inf]
    return Errors(*(100.0 * a / b if b > 0.0 else np.inf for a, b in zip(off, size, strict=True)))
