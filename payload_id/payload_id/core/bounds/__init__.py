"""Intervals that contain the truth whenever the stated bounds hold; one file for each method.

In: a `RowBlock`, a box of phi that is known to hold, rows of a shape.
Out: `Bounds`: the interval, whether the rows are consistent, and by how much they are not.
"""

from __future__ import annotations

from ..errors import UnknownNameError
from .hull import Hull, HullLP
from .interval import Bounds, Hint, Interval, IntervalMethod, Memory
from .least_squares_image import LeastSquaresImage
from .theorem_13_enclosed import EnclosedSensitivityBound
from .theorem_13_sensitivity import SensitivityBound

METHODS: dict[str, type[IntervalMethod]] = {
    method.name: method
    for method in (Hull, HullLP, LeastSquaresImage, SensitivityBound, EnclosedSensitivityBound)
}


def method_named(name: str) -> IntervalMethod:
    """Return the interval method of that name.

    Raises:
        UnknownNameError: There is none; the message lists those there are.
    """
    if not isinstance(name, str) or name not in METHODS:
        raise UnknownNameError("interval method", name, METHODS)
    return METHODS[name]()


__all__ = ["METHODS", "Bounds", "Hint", "Interval", "IntervalMethod", "Memory", "method_named"]
