"""`payload-id compare`: several estimators and interval methods on one recording."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...core.arrays import Array
from ...core.body.inertial import PARAMETERS, UNITS
from ...core.body.shape import Shape
from ...core.bounds import METHODS
from ...core.errors import RecordingError, UnknownNameError
from ...core.estimators import ESTIMATORS, estimator_named
from ...core.identification.identify import CHUNK
from ...core.identification.online import OnlineIdentifier
from ...core.identification.problem import Problem
from ...core.identification.settings import Settings
from ...core.identification.wrench.alignment import compensated, time_offset
from ...core.identification.wrench.static import LEAST_POSES, Rest, at_rest, rests
from ...core.rows.wrench.newton_euler import NewtonEulerRows
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ...core.samples.wrench_samples import WrenchSamples
from ...files.recordings.wrench_recording import WrenchRecording
from ..common.arguments import with_changes
from ..common.presentation import console
from ..common.shape_arguments import add_shape_arguments, described, shape_of
from ..replay import command as replay
from ..replay import replay_wrench
from .comparison import Comparison, Point, Spread, applicable, compared, read_truth
from .comparison_table import estimator_table, interval_table

METRIC_OF_BOX = "eqs. (10)-(12) of [NGK], in the shape's bounding box"
METRIC_WITHOUT = "relative to the truth; inertia about the centre of mass"


@dataclass(frozen=True)
class Data:
    """What is compared on.

    Attributes:
        problem: Rows and statistics of the whole recording.
        notes: What the user should know about the data.
        residual_unit: Unit of residuals.
    """

    problem: Problem
    notes: tuple[str, ...]
    residual_unit: str


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    text = "compare estimators and interval methods on one recording"
    parser = verbs.add_parser("compare", help=text, description=f"{text[0].upper()}{text[1:]}.")
    replay.add_recording_arguments(parser)
    parser.add_argument(
        "--estimators", metavar="A,B,...", help="which (default: all that can be applied)"
    )
    parser.add_argument(
        "--intervals", dest="methods", metavar="A,B,...", help="which (default: all)"
    )
    parser.add_argument(
        "--window", type=float, metavar="SECONDS", help="length of the windows (default: 0.1)"
    )
    parser.add_argument(
        "--uncertainty",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="replace one bound, as in replay; may be repeated",
    )
    replay_wrench.add_wrench_arguments(parser)
    parser.add_argument(
        "--truth",
        metavar="FILE|NUMBERS",
        help="true parameters: a .json file, or ten numbers separated by commas (write "
        "--truth=...): m,hx,hy,hz,Ixx,Ixy,Ixz,Iyy,Iyz,Izz in the payload frame",
    )
    add_shape_arguments(parser)
    parser.add_argument("--figure", type=Path, metavar="PNG", help="draw the comparison here")
    parser.add_argument("--json", action="store_true", help="print one JSON object and no more")
    parser.set_defaults(run=run, estimator=None, intervals=None)


def run(arguments: argparse.Namespace) -> int:
    """Compare and show; return the exit code."""
    shape = shape_of(arguments)
    truth = None if arguments.truth is None else read_truth(arguments.truth)
    estimators = _chosen(arguments.estimators, ESTIMATORS, "estimator") or applicable(shape)
    for name in estimators:
        estimator_named(name, shape)
    intervals = _chosen(arguments.methods, METHODS, "interval method") or tuple(METHODS)
    data = _load(arguments, shape)
    if data.problem.estimate.windows == 0:
        print(f"{arguments.recording}: {data.problem.estimate.message}", file=sys.stderr)
        return 3
    points, spreads = compared(data.problem, estimators, intervals)
    comparison = Comparison(points, spreads, truth, None if shape is None else shape.box)
    if arguments.figure:
        # Not at the top: the plotting library takes longer to import than most comparisons.
        from ...files.figures.comparison_figure import draw_comparison

        draw_comparison(
            arguments.figure,
            {point.name: point.phi for point in points},
            {s.name: (s.bounds.interval.lower, s.bounds.interval.upper) for s in spreads
             if s.bounds.consistent},
            arguments.recording.name,
            truth,
        )  # fmt: skip
    if arguments.json:
        print(json.dumps(_as_json(arguments, data, comparison)))
    else:
        _show(arguments, data, comparison)
    return 0 if comparison.consistent else 3


def _chosen(text: str | None, known: Collection[str], what: str) -> tuple[str, ...]:
    """Return names separated by commas; none if nothing was asked for."""
    names = [] if text is None else [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise UnknownNameError(what, name, known)
    return tuple(dict.fromkeys(names))


def _load(arguments: argparse.Namespace, shape: Shape | None) -> Data:
    """Read the recording and form its rows."""
    if replay_wrench.is_wrench(arguments):
        return _load_wrench(arguments, shape)
    job = replay.load(arguments)
    online = OnlineIdentifier(job.robot, replace(job.settings, intervals="hull", shape=shape))
    _feed(online, job.recording)
    return Data(online.problem(), tuple(replay.remarks(job.recording)), "N m")


def _load_wrench(arguments: argparse.Namespace, shape: Shape | None) -> Data:
    """Read a force-torque sensor's recording and form its rows, aligned as `replay` aligns it."""
    recording = replay_wrench.read(arguments)
    uncertainty = with_changes(recording.assumed or WrenchUncertainty(), arguments.uncertainty)
    samples: WrenchSamples = recording
    notes = [*recording.notes]
    if arguments.static:
        samples = at_rest(recording, _rests(recording))
    else:
        offset = time_offset(recording)
        if offset is not None and offset.significant:
            samples = compensated(recording, offset.seconds)
            notes.append(f"{offset.sentence} That was taken out.")
    window = 0.1 if arguments.window is None else arguments.window
    online = OnlineIdentifier(
        NewtonEulerRows.of(uncertainty, recording.frame), Settings(window=window, shape=shape)
    )
    _feed(online, samples)
    return Data(online.problem(), tuple(notes), "N, N m")


def _rests(recording: WrenchRecording) -> list[Rest]:
    """Return the rests of a recording.

    Raises:
        RecordingError: There are fewer than the unknowns need.
    """
    found = rests(recording)
    if len(found) < LEAST_POSES:
        raise RecordingError(
            f"The recording holds {len(found)} rests; {LEAST_POSES} in different orientations are "
            "needed at the least. Compare on the motion, without --static."
        )
    return found


def _feed(online: OnlineIdentifier, samples: Any) -> None:
    """Give all samples to an identification."""
    for start in range(0, max(len(samples), 1), CHUNK):
        online.add(samples.part(start, start + CHUNK))


def _as_json(arguments: argparse.Namespace, data: Data, comparison: Comparison) -> dict[str, Any]:
    """Return everything as plain values; None stands for a number that is not known."""
    frame = data.problem.estimate
    return {
        "recording": str(arguments.recording),
        "samples": frame.samples,
        "windows": frame.windows,
        "seconds": frame.seconds,
        "payload_frame": frame.payload_frame,
        "parameters": list(PARAMETERS),
        "units": list(UNITS),
        "shape": described(arguments, data.problem.settings.shape),
        "truth": None if comparison.truth is None else _plain(comparison.truth),
        "metric": None if comparison.truth is None else _metric(comparison),
        "estimators": [_point_as_json(comparison, point) for point in comparison.points],
        "intervals": [_spread_as_json(comparison, spread) for spread in comparison.spreads],
        "notes": list(data.notes),
        "figure": str(arguments.figure) if arguments.figure else None,
    }


def _metric(comparison: Comparison) -> str:
    """Say what the errors are relative to."""
    return METRIC_WITHOUT if comparison.box is None else METRIC_OF_BOX


def _point_as_json(comparison: Comparison, point: Point) -> dict[str, Any]:
    """Return one estimator's result."""
    found = comparison.errors(point)
    values = (None,) * 3 if found is None else _plain((found.mass, found.com, found.inertia))
    return {
        "name": point.name,
        "phi": _plain(point.phi),
        "physically_consistent": point.consistent,
        "residual_rms": _number(point.residual),
        "seconds": point.seconds,
        "failure": point.failure,
        "errors_percent": dict(zip(("mass", "com", "inertia"), values, strict=True)),
    }


def _spread_as_json(comparison: Comparison, spread: Spread) -> dict[str, Any]:
    """Return one interval method's result."""
    consistent, interval = spread.bounds.consistent, spread.bounds.interval
    unknown = [None] * 10
    known = consistent and comparison.truth is not None
    return {
        "name": spread.name,
        "guaranteed": spread.guaranteed,
        "consistent": consistent,
        "noise_factor": _number(spread.bounds.noise_factor),
        "lower": _plain(interval.lower) if consistent else unknown,
        "upper": _plain(interval.upper) if consistent else unknown,
        "half_width": _plain(spread.half_width),
        "ratio_to_hull": _plain(comparison.ratio(spread)),
        "mean_hull_over_this": _number(comparison.hull_over(spread)),
        "contains_truth": [bool(x) for x in spread.contains(comparison.truth)]
        if known and comparison.truth is not None
        else None,
        "seconds": spread.seconds,
    }


def _plain(values: Array | Sequence[float]) -> list[float | None]:
    """Return a list of numbers, None where not finite."""
    return [_number(float(value)) for value in np.asarray(values)]


def _number(value: float) -> float | None:
    """Return a finite number as it is, anything else as None."""
    return float(value) if math.isfinite(value) else None


def _show(arguments: argparse.Namespace, data: Data, comparison: Comparison) -> None:
    """Print the results for a person."""
    terminal, frame = console(), data.problem.estimate
    where = f", frame {frame.payload_frame}" if frame.payload_frame else ""
    terminal.print(
        f"[bold]{arguments.recording}[/bold]: {frame.samples} samples, {frame.windows} windows, "
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
            "No payload explains the data within the stated bounds; see replay for the cause.",
            style="bold red",
        )
    if arguments.figure:
        terminal.print(f"figure: {arguments.figure.resolve()}")
