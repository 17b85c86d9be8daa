"""What every member of the catalogue is, and how its numbers are checked."""

from __future__ import annotations

from numbers import Real
from typing import Any, Protocol

import numpy as np

from ...arrays import Array
from ...errors import InputError, brief
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


def amount(name: str, key: str, value: object, unit: str = "") -> float:
    """Return a finite number that is not negative."""
    number = np.nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    if not (np.isfinite(number) and number >= 0.0):
        raise InputError(
            f"'{name}': {key} must be a finite number not below 0{' ' + unit if unit else ''}; "
            f"found {value!r}."
        )
    return number


def vector(name: str, key: str, value: Any, length: int = 3) -> Array:
    """Return finite numbers, shape (length,)."""
    try:
        array: Array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != (length,) or not np.isfinite(array).all():
        numbers = "one finite number" if length == 1 else f"{length} finite numbers"
        raise InputError(f"'{name}': {key} must be {numbers}; found {brief(value)}.")
    return array


def direction(name: str, key: str, value: Any) -> Array:
    """Return a vector of length 1, shape (3,)."""
    array = vector(name, key, value)
    size = float(np.abs(array).max())
    if not size > 0.0:
        raise InputError(f"'{name}': {key} must not be zero; found {value!r}.")
    array = array / size  # whose length neither overflows nor vanishes
    return np.asarray(array / np.linalg.norm(array))
