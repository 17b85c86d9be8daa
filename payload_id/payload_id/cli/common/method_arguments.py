"""Arguments that say how to identify."""

from __future__ import annotations

import argparse
from dataclasses import replace

from ...core.estimators import ESTIMATORS
from ...core.identification.headline import Enough
from ...core.identification.settings import INTERVALS, Settings
from .arguments import add_assumption_arguments, number
from .shape_arguments import knowledge_of, shape_of


def add_method_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the choice of methods and of what is assumed."""
    parser.add_argument(
        "--estimator", choices=sorted(ESTIMATORS), help="point estimator (default: lmi)"
    )
    parser.add_argument(
        "--intervals", choices=sorted(INTERVALS), help="interval method (default: hull)"
    )
    parser.add_argument(
        "--level",
        type=number,
        help="probability of confidence and calibrated intervals (default: 0.95)",
    )
    add_enough(parser)
    add_assumption_arguments(parser)


def add_enough(parser: argparse.ArgumentParser) -> None:
    """Add how near mass and centre of mass must be known."""
    parser.add_argument(
        "--enough",
        type=number,
        nargs=3,
        metavar=("PART", "KG", "M"),
        help="how near the mass must be known for GOOD, as a part of it or in kg, whichever is "
        "more, and the centre of mass in m (default: 0.05 0.05 0.01)",
    )


def with_methods(settings: Settings, arguments: argparse.Namespace) -> Settings:
    """Return settings with the methods, window, shape and knowledge that the command line replaces.

    Raises:
        InputError: Shape or knowledge cannot be read.
    """
    return replace(
        settings,
        estimator=arguments.estimator or settings.estimator,
        intervals=arguments.intervals or settings.intervals,
        window=settings.window if arguments.window is None else arguments.window,
        shape=shape_of(arguments) or settings.shape,
        level=settings.level if arguments.level is None else arguments.level,
        knowledge=knowledge_of(arguments) or settings.knowledge,
        scales=settings.scales if arguments.scales is None else tuple(arguments.scales),
        enough=settings.enough if arguments.enough is None else Enough(*arguments.enough),
    )
