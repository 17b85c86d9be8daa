"""Array types, whose shapes and units docstrings state; arrays as plain values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]


def plain_numbers(values: Array) -> list[float | None]:
    """Return a list of numbers, None where not finite."""
    return [float(value) if np.isfinite(value) else None for value in values]
