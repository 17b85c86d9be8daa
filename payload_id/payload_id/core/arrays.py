"""Array types, whose shapes and units docstrings state; arrays as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]


def plain_numbers(values: Array) -> list[float | None]:
    """Return a list of numbers, None where not finite."""
    return [float(value) if np.isfinite(value) else None for value in values]


def plain_values(value: Any) -> Any:
    """Return the value in Python's own numbers, lists and dicts: files keep those bit-equal."""
    if isinstance(value, Mapping):
        return {str(key): plain_values(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain_values(entry) for entry in value]
    return value.item() if isinstance(value, np.generic) else value
