"""Several estimators and interval methods on the same rows, timed and measured against a truth."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...core.arrays import Array
from ...core.body.inertial import is_physical, mass_com_inertia
from ...core.body.metrics import Errors, errors
from ...core.body.shape import Shape
from ...core.bounds import Bounds, Interval, Memory, method_named
from ...core.errors import InputError, SolverError
from ...core.estimators import ESTIMATORS, estimator_named
from ...core.identification.point_estimate import residual_rms
from ...core.identification.problem import Problem
from ...core.threads import one_thread


@dataclass(frozen=True)
class Point:
    """What one estimator found.

    Attributes:
        name: The estimator.
        phi: Shape (10,), NaN if it failed.
        residual: Root mean square of what it leaves unexplained, per second of a window.
        seconds: Time that it took, the statistics being there [s].
        failure: Why there is no estimate; empty if there is one.
    """

    name: str
    phi: Array
    residual: float
    seconds: float
    failure: str = ""

    @property
    def consistent(self) -> bool:
        """Whether some mass distribution has these parameters."""
        return bool(np.isfinite(self.phi).all()) and is_physical(self.phi)


@dataclass(frozen=True)
class Spread:
    """What one interval method found.

    Attributes:
        name: The method.
        guaranteed: Whether the truth is inside whenever the stated bounds hold.
        bounds: The answer.
        seconds: Time that it took [s].
    """

    name: str
    guaranteed: bool
    bounds: Bounds
    seconds: float

    @property
    def half_width(self) -> Array:
        """Half the width of each interval, NaN where the rows are inconsistent, shape (10,)."""
        if not self.bounds.consistent:
            return np.full(10, np.nan)
        return self.bounds.interval.half_width

    def contains(self, truth: Array) -> Array:
        """Return which parameters lie in their intervals, shape (10,)."""
        interval = self.bounds.interval
        inside = (interval.lower <= truth) & (truth <= interval.upper)
        return np.asarray(inside & self.bounds.consistent)


@dataclass(frozen=True)
class Comparison:
    """All results on one recording.

    Attributes:
        points: Of the estimators.
        spreads: Of the interval methods.
        truth: True parameters, shape (10,), if known.
        box: Lengths of the payload's bounding box, shape (3,) [m], if known.
    """

    points: tuple[Point, ...]
    spreads: tuple[Spread, ...]
    truth: Array | None = None
    box: Array | None = None

    @property
    def reference(self) -> Spread | None:
        """The hull, to which other intervals are compared; None if it was not asked for."""
        return next((spread for spread in self.spreads if spread.name == "hull"), None)

    @property
    def consistent(self) -> bool:
        """Whether every interval method found the rows consistent."""
        return all(spread.bounds.consistent for spread in self.spreads)

    @property
    def narrowest(self) -> Array:
        """Half of the narrowest width that a guaranteed method gives, shape (10,); NaN if none."""
        widths = [s.half_width for s in self.spreads if s.guaranteed and s.bounds.consistent]
        return np.min(widths, axis=0) if widths else np.full(10, np.nan)

    def ratio(self, spread: Spread) -> Array:
        """Return half-widths over those of the hull, NaN where that is not known, shape (10,)."""
        if self.reference is None:
            return np.full(10, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(spread.half_width / self.reference.half_width)

    def hull_over(self, spread: Spread) -> float:
        """Return the mean over the parameters of the hull's half-widths over a method's; or NaN."""
        ratio = self.ratio(spread)
        known = ratio[np.isfinite(ratio) & (ratio > 0)]
        return float(np.mean(1.0 / known)) if len(known) else math.nan

    def errors(self, point: Point) -> Errors | None:
        """Return an estimate's errors in per cent; None without a truth."""
        if self.truth is None or not np.isfinite(point.phi).all():
            return None
        if self.box is None:
            return relative_errors(point.phi, self.truth)
        return errors(point.phi, self.truth, self.box)


def relative_errors(phi: Array, truth: Array) -> Errors:
    """Return mass, centre of mass and inertia about it: norms of errors over norms of truths."""
    mass, com, inertia = mass_com_inertia(truth)
    found_mass, found_com, found_inertia = mass_com_inertia(phi)
    of_mass = 100.0 * abs(found_mass - mass) / mass
    if found_mass <= 0.0:
        return Errors(of_mass, math.inf, math.inf)
    return Errors(of_mass, _relative(found_com, com), _relative(found_inertia, inertia))


def _relative(found: Array, true: Array) -> float:
    """Return the norm of an error over that of the truth in per cent."""
    size = float(np.linalg.norm(true))
    return 100.0 * float(np.linalg.norm(found - true)) / size if size > 0 else math.inf


def applicable(shape: Shape | None) -> tuple[str, ...]:
    """Return the estimators that can work with what is known of the shape."""
    names = []
    for name in ESTIMATORS:
        try:
            estimator_named(name, shape)
        except InputError:
            continue
        names.append(name)
    return tuple(names)


def compared(
    problem: Problem, estimators: Sequence[str], intervals: Sequence[str]
) -> tuple[tuple[Point, ...], tuple[Spread, ...]]:
    """Return what each method makes of a problem.

    Every interval method starts from the prior and what is stated; every estimator is given what
    the guaranteed ones found together.
    """
    with one_thread():  # as in every update
        return _compared(problem, estimators, intervals)


def _compared(
    problem: Problem, estimators: Sequence[str], intervals: Sequence[str]
) -> tuple[tuple[Point, ...], tuple[Spread, ...]]:
    """Return what each method makes of a problem, the matrix libraries in one thread."""
    spreads = tuple(_spread(problem, name) for name in intervals)
    known = [s.bounds.interval for s in spreads if s.guaranteed and s.bounds.consistent]
    within = problem.prior
    for interval in known:
        within = within.intersect(interval)
    return tuple(_point(problem, name, within) for name in estimators), spreads


def _spread(problem: Problem, name: str) -> Spread:
    """Return what an interval method finds."""
    method = method_named(name)
    start = time.perf_counter()
    start_box = problem.payload.beforehand
    bounds = method.bounds(problem.rows, start_box, Memory(), problem.shape, problem.stated)
    if problem.contradiction:  # as every update: whatever the torques say
        bounds = replace(bounds, consistent=False)
    return Spread(name, method.guaranteed, bounds, time.perf_counter() - start)


def _point(problem: Problem, name: str, within: Interval) -> Point:
    """Return what an estimator finds."""
    estimator = estimator_named(name, problem.settings.shape, problem.stated)
    start = time.perf_counter()
    try:
        try:
            phi = estimator.estimate(problem.statistics, within.lower, within.upper)
        except SolverError:  # rounding can leave nothing strictly consistent in a thin interval
            prior = problem.prior
            phi = estimator.estimate(problem.statistics, prior.lower, prior.upper)
    except SolverError as error:
        return Point(name, np.full(10, np.nan), math.nan, time.perf_counter() - start, str(error))
    seconds = time.perf_counter() - start
    return Point(name, phi, residual_rms(problem.rows, problem.statistics, phi), seconds)
