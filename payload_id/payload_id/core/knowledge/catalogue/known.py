"""What every member of the catalogue is, and how its numbers are checked."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ...arrays import Array
from ...errors import InputError
from ..statement import Statement


class Known(Protocol):
    """Something that is known of a payload.

    Attributes:
        kind: Its name in files.
    """

    kind: str

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Take the numbers."""
        ...

    def statement(self, name: str) -> Statement:
        """Return it as constraints on phi.

        Args:
            name: What messages call it.

        Raises:
            InputError: A number cannot be used.
        """
        ...


def amount(name: str, key: str, value: float, unit: str = "") -> float:
    """Return a finite number that is not negative."""
    if not (np.isfinite(value) and value >= 0.0):
        raise InputError(
            f"'{name}': {key} must be a finite number not below 0{' ' + unit if unit else ''}; "
            f"found {value!r}."
        )
    return float(value)


def vector(name: str, key: str, value: object, length: int = 3) -> Array:
    """Return finite numbers, shape (length,)."""
    array = np.asarray(value, dtype=float)
    if array.shape != (length,) or not np.isfinite(array).all():
        raise InputError(f"'{name}': {key} must be {length} finite numbers; found {value!r}.")
    return array


def direction(name: str, key: str, value: object) -> Array:
    """Return a vector of length 1, shape (3,)."""
    array = vector(name, key, value)
    size = float(np.linalg.norm(array))
    if not size > 0.0:
        raise InputError(f"'{name}': {key} must not be zero; found {value!r}.")
    return np.asarray(array / size)
