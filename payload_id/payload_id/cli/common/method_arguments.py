"""Arguments that say how to identify."""

from __future__ import annotations

import argparse
from dataclasses import replace

from ...core.bounds import METHODS
from ...core.estimators import ESTIMATORS
from ...core.identification.settings import Settings
from .arguments import add_assumption_arguments
from .shape_arguments import shape_of


def add_method_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the choice of methods and of what is assumed."""
    parser.add_argument(
        "--estimator", choices=sorted(ESTIMATORS), help="point estimator (default: lmi)"
    )
    parser.add_argument(
        "--intervals", choices=sorted(METHODS), help="interval method (default: hull)"
    )
    add_assumption_arguments(parser)


def with_methods(settings: Settings, arguments: argparse.Namespace) -> Settings:
    """Return settings with the methods, window and shape that the command line replaces.

    Raises:
        InputError: The shape cannot be read.
    """
    return replace(
        settings,
        estimator=arguments.estimator or settings.estimator,
        intervals=arguments.intervals or settings.intervals,
        window=settings.window if arguments.window is None else arguments.window,
        shape=shape_of(arguments) or settings.shape,
    )
