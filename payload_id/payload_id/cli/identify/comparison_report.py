"""What a comparison of methods shows: tables and a figure for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core import codec
from ...core.arrays import Array, BoolArray
from ...core.body.inertial import PARAMETERS, UNITS
from ...core.bounds import METHODS
from ...core.errors import UnknownNameError
from ...core.estimators import ESTIMATORS, estimator_named
from ...core.identification.status import identifiable
from ...files.payload.payload_file import read_payload
from ..common.figure import drawn, figure_place
from ..common.presentation import console
from ..common.progress import progress
from ..common.settings import described
from .comparison import Comparison, Point, Spread, applicable, compared
from .comparison_table import estimator_table, interval_table
from .recorded_rows import RecordedRows, read_rows
from .truth import read_truth

if TYPE_CHECKING:
    from .command import IdentifyOptions

METRIC_OF_BOX = "eqs. (10)-(12) of [NGK], in the shape's bounding box"
METRIC_WITHOUT = "relative to the truth; inertia about the centre of mass"


def compare(asked: IdentifyOptions) -> int:
    """Compare and show; return the exit code."""
    figure = figure_place(asked.figure)
    shape = read_payload(asked.payload).shape if asked.payload else None
    truth = None if asked.truth is None else read_truth(asked.truth)
    estimators = _chosen(asked.estimator, ESTIMATORS, "estimator") or applicable(shape)
    for name in estimators:
        estimator_named(name, shape)
    intervals = _chosen(asked.intervals, METHODS, "interval method") or tuple(METHODS)
    with progress("reading the recording"):
        data = read_rows(replace(asked, estimator="", intervals=""))
    if data.problem.estimate.windows == 0:
        print(f"{asked.recording}: {data.problem.estimate.message}", file=sys.stderr)
        return 3
    with progress(f"comparing {len(estimators)} estimators and {len(intervals)} interval methods"):
        points, spreads = compared(data.problem, estimators, intervals)
    comparison = Comparison(points, spreads, truth, None if shape is None else shape.box)
    picture = drawn(figure, partial(draw, asked, data, comparison))
    if asked.json:
        print(json.dumps(as_json(asked, data, comparison, picture.path)))
    else:
        show(asked, data, comparison, picture.path)
    picture.settle()
    return 0 if comparison.consistent else 3


def _chosen(text: str, known: Collection[str], what: str) -> tuple[str, ...]:
    """Return names separated by commas; none if nothing was asked for."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise UnknownNameError(what, name, known)
    return tuple(dict.fromkeys(names))


def draw(asked: IdentifyOptions, data: RecordedRows, comparison: Comparison, path: Path) -> Path:
    """Draw estimates and intervals; return the file."""
    # Not at the top: the plotting library takes longer to import than most comparisons.
    from ...files.figures.comparison_figure import draw_comparison

    return draw_comparison(
        path,
        {point.name: point.phi for point in comparison.points},
        {spread.name: _ends(spread) for spread in comparison.spreads},
        asked.recording.name,
        comparison.truth,
        _identified(data, comparison),
        [spread.name for spread in comparison.spreads if not spread.guaranteed],
    )  # fmt: skip


def _ends(spread: Spread) -> tuple[Array, Array]:
    """Return the ends of intervals, NaN where the data contradict the bounds, shape (10,) each."""
    if not spread.bounds.consistent:
        return np.full(10, np.nan), np.full(10, np.nan)
    return spread.bounds.interval.lower, spread.bounds.interval.upper


def _identified(data: RecordedRows, comparison: Comparison) -> BoolArray | None:
    """Return which parameters the guaranteed intervals tell together; None without any."""
    known = [s.bounds.interval for s in comparison.spreads if s.guaranteed and s.bounds.consistent]
    if not known:
        return None
    together = data.problem.prior
    for interval in known:
        together = together.intersect(interval)
    return identifiable(together, data.problem.prior)


def as_json(
    asked: IdentifyOptions, data: RecordedRows, comparison: Comparison, figure: Path | None
) -> dict[str, Any]:
    """Return everything as plain values; None stands for a number that is not known."""
    frame = data.problem.estimate
    found = {
        "recording": str(asked.recording),
        "samples": frame.samples,
        "windows": frame.windows,
        "seconds": frame.seconds,
        "payload_frame": frame.payload_frame,
        "parameters": list(PARAMETERS),
        "units": list(UNITS),
        "shape": described(asked, data.problem.settings.shape),
        "truth": comparison.truth,
        "metric": None if comparison.truth is None else _metric(comparison),
        "estimators": [_point_as_json(comparison, point) for point in comparison.points],
        "intervals": [_spread_as_json(comparison, spread) for spread in comparison.spreads],
        "notes": list(data.notes),
        "figure": str(figure) if figure else None,
    }
    plain: dict[str, Any] = codec.as_json(found)
    return plain


def _metric(comparison: Comparison) -> str:
    """Say what the errors are relative to."""
    return METRIC_WITHOUT if comparison.box is None else METRIC_OF_BOX


def _point_as_json(comparison: Comparison, point: Point) -> dict[str, Any]:
    """Return one estimator's result."""
    found = comparison.errors(point)
    return {
        "name": point.name,
        "phi": point.phi,
        "physically_consistent": point.consistent,
        "residual_rms": point.residual,
        "seconds": point.seconds,
        "failure": point.failure,
        "errors_percent": found or dict.fromkeys(("mass", "com", "inertia")),
    }


def _spread_as_json(comparison: Comparison, spread: Spread) -> dict[str, Any]:
    """Return one interval method's result."""
    consistent, interval = spread.bounds.consistent, spread.bounds.interval
    truth = comparison.truth if consistent else None
    unknown = [None] * 10
    return {
        "name": spread.name,
        "guaranteed": spread.guaranteed,
        "consistent": consistent,
        "noise_factor": spread.bounds.noise_factor,
        "lower": interval.lower if consistent else unknown,
        "upper": interval.upper if consistent else unknown,
        "half_width": spread.half_width,
        "ratio_to_hull": comparison.ratio(spread),
        "mean_hull_over_this": comparison.hull_over(spread),
        "contains_truth": None if truth is None else spread.contains(truth),
        "seconds": spread.seconds,
    }


def show(
    asked: IdentifyOptions, data: RecordedRows, comparison: Comparison, figure: Path | None
) -> None:
    """Print the results for a person."""
    terminal, frame = console(), data.problem.estimate
    where = f", frame {frame.payload_frame}" if frame.payload_frame else ""
    terminal.print(
        f"[bold]{asked.recording}[/bold]: {frame.samples} samples, {frame.windows} windows, "
        f"{frame.seconds:.1f} s{where}"
    )
    for line in data.notes:
        terminal.print(line, style="yellow")
    terminal.print()
    terminal.print(estimator_table(comparison, data.residual_unit))
    for point in comparison.points:
        if point.failure:
            terminal.print(f"{point.name}: {point.failure}", style="red")
    if comparison.truth is not None:
        terminal.print(f"errors: {_metric(comparison)}", style="dim")
    terminal.print()
    terminal.print(interval_table(comparison))
    if not comparison.consistent:
        terminal.print(
            "No payload explains the data within the stated bounds; identify without --compare "
            "names the cause.",
            style="bold red",
        )
    if figure:
        terminal.print(f"figure: {figure}", soft_wrap=True, markup=False)
