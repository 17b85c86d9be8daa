"""An obstacle as it is written in one word."""

from __future__ import annotations

from ...core.errors import InputError
from ...core.safety.clearance.convex_body import ConvexBody
from ..common.options import numbers_of

SIZES = {"box": 3, "sphere": 1, "cylinder": 2}


def obstacle(text: str) -> ConvexBody:
    """Return the body that NAME=SHAPE:SIZES@X,Y,Z stands for.

    Raises:
        InputError: It is no such text.
    """
    name, equals, rest = text.partition("=")
    shape, colon, rest = rest.partition(":")
    sizes, at, place = rest.partition("@")
    if not (name and equals and colon and at and shape in SIZES):
        raise InputError(
            f"--add takes NAME=SHAPE:SIZES@X,Y,Z with SHAPE {', '.join(SIZES)}; found '{text}'."
        )
    return ConvexBody.primitive(
        shape,
        _numbers(sizes, SIZES[shape], f"{shape}: sizes"),
        translation=_numbers(place, 3, "a place"),
        name=name,
    )


def _numbers(text: str, count: int, what: str) -> tuple[float, ...]:
    """Return so many numbers."""
    numbers = numbers_of(text, "--add", what)
    if len(numbers) != count:
        raise InputError(f"--add: {what} are {count} number(s) [m]; found '{text}'.")
    return numbers
