"""What a comparison of methods shows: tables for people, JSON for programs."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.table import Table

from ...core.arrays import Array
from ...core.body.inertial import PARAMETERS, UNITS, mass_com_inertia
from ...core.body.shape import Shape
from ...core.bounds import METHODS
from ...core.errors import InputError, UnknownNameError
from ...core.estimators import ESTIMATORS, estimator_named
from ...core.identification.identify import begun
from ...core.identification.online import OnlineIdentifier
from ...core.number_format import UNIT_TEXTS, digits, number
from ...core.rows.wrench.newton_euler import NewtonEulerRows
from ...files.payload.payload_file import read_payload
from ..common.options import RecordingOptions
from ..common.presentation import console, table_of, told
from ..common.progress import progress
from ..common.reading import remarks
from ..common.settings import described
from .comparison import Point, Spread, compared
from .loading import load
from .truth import read_truth

if TYPE_CHECKING:
    from .command import IdentifyOptions

METRIC_OF_BOX = "eqs. (10)-(12) of [NGK], in the shape's bounding box"
METRIC_WITHOUT = "relative to the truth; inertia about the centre of mass"


def compare(asked: IdentifyOptions) -> int:
    """Compare and show; return the exit code."""
    shape = read_payload(asked.payload).shape if asked.payload else None
    truth = None if asked.truth is None else read_truth(asked.truth)
    estimators = _chosen(asked.estimator, ESTIMATORS, "estimator")
    for name in estimators:
        estimator_named(name, shape)
    estimators = estimators or applicable(shape)
    intervals = _chosen(asked.intervals, METHODS, "interval method") or tuple(METHODS)
    with progress("reading the recording"):
        online, notes, unit = _taken_in(replace(asked, estimator="", intervals=""))
    problem = online.problem()
    if problem.estimate.windows == 0:
        print(f"{asked.recording}: {problem.estimate.message}", file=sys.stderr)
        return 3
    box = None if shape is None else shape.box
    with progress(f"comparing {len(estimators)} estimators and {len(intervals)} interval methods"):
        points, spreads = compared(problem, estimators, intervals, truth, box)
    frame = problem.estimate
    metric = None if truth is None else METRIC_WITHOUT if box is None else METRIC_OF_BOX
    found = {
        "recording": str(asked.recording),
        "samples": frame.samples,
        "windows": frame.windows,
        "seconds": frame.seconds,
        "payload_frame": frame.payload_frame,
        "parameters": list(PARAMETERS),
        "units": list(UNITS),
        "shape": described(asked, shape),
        "truth": truth,
        "metric": metric,
        "estimators": points,
        "intervals": spreads,
        "notes": [*notes, *filter(None, [problem.contradiction])],
    }
    told(asked.json, lambda: found, lambda: _show(found, points, spreads, unit))
    return 0 if all(x.consistent for x in spreads) else 3


def _chosen(text: str, known: Collection[str], what: str) -> tuple[str, ...]:
    """Return names separated by commas; none if nothing was asked for."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise UnknownNameError(what, name, known)
    return tuple(dict.fromkeys(names))


def applicable(shape: Shape | None) -> tuple[str, ...]:
    """Return the estimators that can work with what is known of the shape."""
    names = []
    for name in ESTIMATORS:
        with suppress(InputError):
            names.append(estimator_named(name, shape).name)
    return tuple(names)


def _taken_in(asked: RecordingOptions) -> tuple[OnlineIdentifier, list[str], str]:
    """Read a recording.

    Returns:
        online: A run that has taken in all of it.
        notes: What the user should know about the data.
        unit: Of residuals.
    """
    job = load(asked).job
    if isinstance(job.robot, NewtonEulerRows):
        if asked.static:
            raise InputError("Methods are compared on a motion: leave out --static.")
        sensor = job.begun
        sensor.add(job.recording)
        late = sensor.offset
        told = [late.told(sensor.shifted)] if late is not None and late.significant else []
        return sensor, [*job.recording.notes, *told], "N, N m"
    online = begun(job.robot, replace(job.settings, intervals="hull"), job.tare)
    online.add(job.recording)
    return online, [*remarks(job.recording)], "N m"


def _show(
    found: Mapping[str, Any], points: Sequence[Point], spreads: Sequence[Spread], unit: str
) -> None:
    """Print the results for a person; `unit` is that of residuals."""
    terminal = console()
    where = f", frame {found['payload_frame']}" if found["payload_frame"] else ""
    terminal.print(
        f"[bold]{found['recording']}[/bold]: {found['samples']} samples, {found['windows']} "
        f"windows, {found['seconds']:.1f} s{where}"
    )
    for line in found["notes"]:
        terminal.print(line, style="yellow")
    terminal.print()
    terminal.print(estimator_table(points, spreads, unit))
    for point in points:
        if point.failure:
            terminal.print(f"{point.name}: {point.failure}", style="red")
    if found["metric"]:
        terminal.print(f"errors: {found['metric']}", style="dim")
    terminal.print()
    terminal.print(interval_table(spreads))
    if not all(x.consistent for x in spreads):
        terminal.print(
            "No payload explains the data within the stated bounds; identify without --compare "
            "names the cause.",
            style="bold red",
        )


def estimator_table(points: Sequence[Point], spreads: Sequence[Spread], unit: str) -> Table:
    """Return one line for each estimator, with the digits that the narrowest intervals deserve."""
    known = [x.half_width for x in spreads if x.guaranteed and x.consistent]
    width = np.min(known, axis=0) if known else np.full(10, np.nan)
    titles = (
        "estimator", "mass\n[kg]", "centre of mass\n[mm]", "Ixx Iyy Izz\nabout it [g m²]",
        f"residual\n[{unit}]", "physi-\ncal", "time\n[ms]", "Δ mass\n[%]", "Δ CoM\n[%]", "Δ I\n[%]",
    )  # fmt: skip
    rows = [_cells(point, width) for point in points]
    columns = dict(zip(titles, zip(*rows, strict=True), strict=True))
    if not any(x is not None for point in points for x in point.errors_percent.values()):
        columns = {title: columns[title] for title in titles[:-3]}
    return table_of(columns)


def _cells(point: Point, width: Array) -> list[str]:
    """Return the cells of one estimator, with the digits that half-widths deserve."""
    if point.failure:
        return [point.name, "[bold red]failed[/]", *[""] * 8]
    mass, com, inertia = mass_com_inertia(point.phi)
    heavy = mass if mass > 0.0 else math.nan
    return [
        point.name,
        number(mass, digits(width[0])),
        _listed(1e3 * com * (heavy / heavy), 1e3 * width[1:4] / heavy),
        _listed(1e3 * np.diag(inertia) * (heavy / heavy), 1e3 * width[[4, 7, 9]]),
        _short(point.residual_rms),
        "[green]yes[/]" if point.physically_consistent else "[bold red]NO[/]",
        f"{1e3 * point.seconds:.1f}",
        *(_short(math.nan if x is None else x) for x in point.errors_percent.values()),
    ]


def interval_table(spreads: Sequence[Spread]) -> Table:
    """Return half-widths, one line for each parameter, one pair of columns for each method."""
    none = [""] * len(FOOT)
    columns = {"half-width": [*PARAMETERS, *FOOT], "unit": [*UNIT_TEXTS, *none]}
    for found in spreads:
        title = found.name.replace("_", "_\n")
        columns[title] = [*map(_short, found.half_width), *(cell(found) for cell in FOOT.values())]
        if found.name != "hull" and np.isfinite(found.ratio_to_hull).any():
            columns[f"{title}\n/ hull"] = [*map(_short, found.ratio_to_hull), *none]
    return table_of(columns, 2)


def _listed(values: Array, widths: Array) -> str:
    """Return numbers to two digits of their half-widths."""
    return "  ".join(number(x, digits(half)) for x, half in zip(values, widths, strict=True))


def _short(value: float) -> str:
    """Return a number with three digits, a dash if it is not known."""
    if not math.isfinite(value):
        return "–"
    return f"{value:.0f}" if 100 <= value < 1e6 else f"{value:.3g}"


def _inside(found: Spread) -> str:
    """Tell how many true parameters lie in their intervals."""
    if found.contains_truth is None:
        return "–"
    count = int(found.contains_truth.sum())
    return f"[{'green' if count == 10 else 'bold red'}]{count} of 10[/]"


FOOT: dict[str, Callable[[Spread], str]] = {
    "hull / this, mean": lambda found: _short(found.mean_hull_over_this),
    "data consistent": lambda found: (
        "[green]yes[/]" if found.consistent else f"[bold red]NO (x{_short(found.noise_factor)})[/]"
    ),
    "truth inside": _inside,
    "guaranteed": lambda found: "yes" if found.guaranteed else "no",
    "time, ms": lambda found: f"{1e3 * found.seconds:.1f}",
}
