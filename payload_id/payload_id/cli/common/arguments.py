"""Arguments that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from ...core.body.payload_prior import PayloadPrior
from ...core.bounds import METHODS
from ...core.errors import InputError, UnknownNameError
from ...core.estimators import ESTIMATORS
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.rows.wrench.uncertainty import WrenchUncertainty

Assumed = TypeVar("Assumed", Uncertainty, WrenchUncertainty)


def add_method_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the choice of methods and of what is assumed."""
    parser.add_argument(
        "--estimator", choices=sorted(ESTIMATORS), help="point estimator (default: lmi)"
    )
    parser.add_argument(
        "--intervals", choices=sorted(METHODS), help="interval method (default: hull)"
    )
    parser.add_argument(
        "--window", type=float, metavar="SECONDS", help="length of the windows (default: 0.1)"
    )
    parser.add_argument(
        "--uncertainty",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="replace one bound of the robot file, such as torque_absolute=1.07 (SI units; one "
        "number, or one for each joint separated by commas); may be repeated",
    )


def with_changes(uncertainty: Assumed, changes: Sequence[str]) -> Assumed:
    """Return the uncertainty with NAME=VALUE entries replaced.

    Raises:
        InputError: An entry cannot be read.
        UnknownNameError: There is no such bound.
    """
    known: list[str] = [entry.name for entry in fields(uncertainty) if entry.name != "prior"]
    prior: dict[str, str] = {f"prior.{entry.name}": entry.name for entry in fields(PayloadPrior)}
    for change in changes:
        name, equals, text = change.partition("=")
        if not equals:
            raise InputError(f"--uncertainty takes NAME=VALUE; found '{change}'.")
        numbers = _numbers(name, text)
        if name in prior:
            box = replace(uncertainty.prior, **{prior[name]: numbers[0]})
            uncertainty = replace(uncertainty, prior=box)
        elif name in known:
            changed: dict[str, Any] = {name: numbers[0] if len(numbers) == 1 else numbers}
            uncertainty = replace(uncertainty, **changed)
        else:
            raise UnknownNameError("bound", name, [*known, *prior], "--uncertainty")
    return uncertainty


def _numbers(name: str, text: str) -> tuple[float, ...]:
    """Return one or more numbers separated by commas."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError as error:
        raise InputError(
            f"--uncertainty {name} takes a number, or numbers separated by commas; found '{text}'."
        ) from error
