"""Array types, whose shapes and units docstrings state; numbers that were given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InputError, brief

Array = NDArray[Any]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]


def real_numbers(value: object, name: str, error: type[InputError] = InputError) -> Array:
    """Return real numbers as an array of floating point, of whatever shape.

    What NumPy would convert in silence is refused: it drops the mask of a masked array and the
    imaginary part of a complex one, and reads texts, dates and flags as numbers.

    Args:
        value: What was given.
        name: What it is, for the message.
        error: Which error to raise.

    Raises:
        InputError: It is nothing of the kind.
    """
    wanted = f"{name} must be real numbers"
    if np.ma.isMaskedArray(value):
        raise error(f"{wanted}; found a masked array. Fill it (NaN where nothing was measured).")
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as problem:
        raise error(f"{wanted}; found {brief(value)} ({problem}).") from problem
    if array.dtype.kind == "O" and all(type(x) in (int, float) for x in array.flat):
        try:
            array = array.astype(float)  # integers beyond 64 bits
        except OverflowError as problem:
            raise error(f"{wanted}; found an integer that is too large.") from problem
    if array.dtype.kind not in "iuf" and array.size:
        kind = f" of {array.dtype.name}" if isinstance(value, np.ndarray) else ""
        raise error(f"{wanted}; found {brief(value)}{kind}.")
    return array.astype(float, copy=False)


def one_number(value: object, name: str, error: type[InputError] = InputError) -> float:
    """Return one real number.

    Raises:
        InputError: It is none, or several.
    """
    array = real_numbers(value, name, error)
    if array.ndim:
        raise error(f"{name} must be one number; found {brief(value)}.")
    return float(array)


def number_in(text: str) -> float:
    """Return the number that a text is, NaN if it is none.

    Python reads more as numbers than other programs do: 1_000, and digits of other scripts.
    """
    try:
        return float(text) if text.isascii() and "_" not in text else float("nan")
    except ValueError:
        return float("nan")
