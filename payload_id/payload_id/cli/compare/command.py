"""`payload-id compare`: several estimators and interval methods on one recording."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Collection
from functools import partial
from typing import Any

from ...core.bounds import METHODS
from ...core.errors import UnknownNameError
from ...core.estimators import ESTIMATORS, estimator_named
from ..common.arguments import add_assumption_arguments, add_verb
from ..common.figure_argument import add_figure_argument, drawn, figure_place
from ..common.progress import progress
from ..common.recording_arguments import add_recording_arguments
from ..common.shape_arguments import add_knowledge_argument, add_shape_arguments, shape_of
from ..replay.replay_wrench import add_wrench_arguments
from .comparison import Comparison, applicable, compared
from .comparison_report import as_json, draw, show
from .recorded_rows import read_rows
from .truth import read_truth


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    text = "compare estimators and interval methods on one recording"
    parser = add_verb(verbs, "compare", text)
    add_recording_arguments(parser)
    parser.add_argument(
        "--estimators", metavar="A,B,...", help="which (default: all that can be applied)"
    )
    parser.add_argument(
        "--intervals", dest="methods", metavar="A,B,...", help="which (default: all)"
    )
    add_assumption_arguments(parser)
    add_wrench_arguments(parser)
    parser.add_argument(
        "--truth",
        metavar="FILE|NUMBERS",
        help="true parameters: a .json file, or ten numbers separated by commas (write "
        "--truth=...): m,hx,hy,hz,Ixx,Ixy,Ixz,Iyy,Iyz,Izz in the payload frame",
    )
    add_shape_arguments(parser)
    add_knowledge_argument(parser)
    add_figure_argument(parser, "draw the comparison")
    parser.add_argument("--json", action="store_true", help="print one JSON object and no more")
    parser.set_defaults(run=run, estimator=None, intervals=None, level=None, enough=None)


def run(arguments: argparse.Namespace) -> int:
    """Compare and show; return the exit code."""
    figure = figure_place(arguments)
    shape = shape_of(arguments)
    truth = None if arguments.truth is None else read_truth(arguments.truth)
    estimators = _chosen(arguments.estimators, ESTIMATORS, "estimator") or applicable(shape)
    for name in estimators:
        estimator_named(name, shape)
    intervals = _chosen(arguments.methods, METHODS, "interval method") or tuple(METHODS)
    with progress("reading the recording"):
        data = read_rows(arguments, shape)
    if data.problem.estimate.windows == 0:
        print(f"{arguments.recording}: {data.problem.estimate.message}", file=sys.stderr)
        return 3
    with progress(f"comparing {len(estimators)} estimators and {len(intervals)} interval methods"):
        points, spreads = compared(data.problem, estimators, intervals)
    comparison = Comparison(points, spreads, truth, None if shape is None else shape.box)
    picture = drawn(figure, partial(draw, arguments, data, comparison))
    if arguments.json:
        print(json.dumps(as_json(arguments, data, comparison, picture.path)))
    else:
        show(arguments, data, comparison, picture.path)
    picture.settle()
    return 0 if comparison.consistent else 3


def _chosen(text: str | None, known: Collection[str], what: str) -> tuple[str, ...]:
    """Return names separated by commas; none if nothing was asked for."""
    names = [] if text is None else [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise UnknownNameError(what, name, known)
    return tuple(dict.fromkeys(names))
