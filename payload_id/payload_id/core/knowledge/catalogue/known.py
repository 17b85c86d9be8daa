"""What every member of the catalogue is, and how its numbers are checked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Real
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

import numpy as np

from ...arrays import Array
from ...errors import InputError, brief
from ..convex import statement_of
from ..statement import Statement


class Known(ABC):
    """Something that is known of a payload; a frozen dataclass of its numbers.

    The annotation of a number says what it may be: `float` is finite and not negative, a tuple of
    so many numbers is finite, `float | None` may be missing.

    Attributes:
        kind: Its name in files.
    """

    kind: ClassVar[str]

    @abstractmethod
    def constraints(self, phi: Any) -> list[Any]:
        """Return it as constraints of CVXPY.

        Args:
            phi: Variable of CVXPY, shape (10,).

        Raises:
            InputError: Numbers do not fit each other.
        """

    def statement(self, name: str) -> Statement:
        """Return it in conic form, under the name that messages are to use.

        Raises:
            InputError: A number cannot be used.
        """
        return statement_of(name, self._checked)

    def _checked(self, phi: Any) -> list[Any]:
        """Return the constraints once every number is what its annotation says."""
        for key, kind in get_type_hints(type(self)).items():
            if get_origin(kind) is not ClassVar:
                _check(key, kind, getattr(self, key))
        return self.constraints(phi)


def _check(key: str, kind: Any, value: Any) -> None:
    """Raise unless a value is what an annotation says."""
    if get_origin(kind) is tuple:
        vector(key, value, len(get_args(kind)))
    elif isinstance(kind, type) and kind is not float:
        if not isinstance(value, kind):
            raise InputError(f"{key} must be a {kind.__name__}; found {value!r}.")
    elif value is not None or kind is float:
        number = isinstance(value, Real) and not isinstance(value, bool)
        if not number or not 0.0 <= float(value) < np.inf:
            raise InputError(f"{key} must be a finite number not below 0; found {value!r}.")


def vector(key: str, value: Any, length: int = 3) -> Array:
    """Return finite numbers, shape (length,)."""
    try:
        array: Array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != (length,) or not np.isfinite(array).all():
        numbers = "one finite number" if length == 1 else f"{length} finite numbers"
        raise InputError(f"{key} must be {numbers}; found {brief(value)}.")
    return array


def direction(key: str, value: Any) -> Array:
    """Return a vector of length 1, shape (3,)."""
    array = np.asarray(value, dtype=float)
    size = float(np.abs(array).max())
    if not size > 0.0:
        raise InputError(f"{key} must not be zero; found {value!r}.")
    array = array / size  # whose length neither overflows nor vanishes
    return np.asarray(array / np.linalg.norm(array))
