"""What options say of methods, bounds and the payload, as settings of an identification."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from ...core.body.payload_prior import PayloadPrior
from ...core.body.shape import Shape
from ...core.errors import InputError, UnknownNameError
from ...core.identification.headline import Enough
from ...core.identification.settings import Settings
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ...files.payload.payload_file import read_payload
from .options import Method, numbers_of

Assumed = TypeVar("Assumed", Uncertainty, WrenchUncertainty)


def with_changes(uncertainty: Assumed, changes: Sequence[str]) -> Assumed:
    """Return the uncertainty with NAME=VALUE entries replaced.

    Raises:
        InputError: An entry cannot be read.
        UnknownNameError: There is no such bound.
    """
    known: list[str] = [entry.name for entry in fields(uncertainty) if entry.name != "prior"]
    lists = [x.name for x in fields(uncertainty) if str(x.type).startswith("tuple")]
    changed: dict[str, Any] = {}  # all at once: some bounds belong together
    prior: dict[str, str] = {f"prior.{entry.name}": entry.name for entry in fields(PayloadPrior)}
    for change in changes:
        name, equals, text = change.partition("=")
        if not equals:
            raise InputError(f"--uncertainty takes NAME=VALUE; found '{change}'.")
        numbers = numbers_of(text, f"--uncertainty {name}", "a number, or numbers")
        if name in prior:
            value: Any = numbers[0] if len(numbers) == 1 else numbers
            box = replace(uncertainty.prior, **{prior[name]: value})
            uncertainty = replace(uncertainty, prior=box)
        elif name in known:
            single = len(numbers) == 1 and name not in lists
            changed[name] = numbers[0] if single else numbers
        else:
            raise UnknownNameError("bound", name, [*known, *prior], "--uncertainty")
    return replace(uncertainty, **changed)


def with_methods(settings: Settings, method: Method) -> Settings:
    """Return settings with the methods, window, shape and knowledge that options replace.

    Raises:
        InputError: Shape or knowledge cannot be read, or something is no number.
    """
    known = method.payload and read_payload(method.payload)
    return replace(
        settings,
        estimator=method.estimator or settings.estimator,
        intervals=method.intervals or settings.intervals,
        window=settings.window if method.window is None else method.window,
        shape=known.shape if known else settings.shape,
        level=settings.level if method.level is None else method.level,
        knowledge=known.knowledge if known else settings.knowledge,
        scales=scales_of(method.scales) or settings.scales,
        enough=Enough(*enough_of(method.enough)) if method.enough else settings.enough,
    )


def scales_of(text: str) -> tuple[float, ...]:
    """Return lengths of windows [s]."""
    return numbers_of(text, "--scales", "lengths [s]") if text else ()


def enough_of(text: str) -> tuple[float, ...]:
    """Return how near mass and centre of mass must be known: part, kg, m.

    Raises:
        InputError: That are not three numbers.
    """
    found = numbers_of(text, "--enough", "three numbers")
    if len(found) != 3:
        raise InputError(f"--enough takes three numbers separated by commas; found '{text}'.")
    return found


def described(method: Method, shape: Shape | None) -> dict[str, Any] | None:
    """Return what is assumed of the shape as plain values; None without one."""
    if shape is None:
        return None
    return {
        "file": str(method.payload),
        "box": shape.box.tolist(),
        "points": len(shape.points),
        "ellipsoids": len(shape.ellipsoids),
    }
