"""What every member of the catalogue is, and how its numbers are checked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from ...arrays import Array
from ...errors import InputError, brief
from ..convex import statement_of
from ..statement import Statement


class Known(ABC):
    """Something that is known of a payload; a frozen dataclass of its numbers.

    Attributes:
        kind: Its name in files.
    """

    kind: ClassVar[str]

    @abstractmethod
    def constraints(self, name: str, phi: Any) -> list[Any]:
        """Return it as constraints of CVXPY.

        Args:
            name: What messages call it.
            phi: Variable of CVXPY, shape (10,).

        Raises:
            InputError: A number cannot be used.
        """

    def statement(self, name: str) -> Statement:
        """Return it in conic form; see `constraints`."""
        return statement_of(name, lambda phi: self.constraints(name, phi))


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
