"""A hash of values by what they hold: equal in every process, on every machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import PurePath
from typing import Any

from ..core.codec import digest
from ..core.errors import InputError


def fingerprint(value: object) -> str:
    """Return the SHA-256 of a value: dataclasses, sections of files, arrays, lists, numbers.

    Where a file lies counts for nothing: what was read from it does.

    Raises:
        InputError: It holds something else, such as a function.
    """
    try:
        return digest(_held(value))
    except TypeError as error:
        raise InputError(
            f"Results are named by how they were made, and something of it cannot be compared "
            f"between machines: {error}. State what is known of the payload by a file."
        ) from error


def _held(value: Any) -> Any:
    """Return what a value holds as mappings and lists, each with its kind."""
    if isinstance(value, PurePath):
        return "path"
    if is_dataclass(value) or hasattr(value, "model_fields_set"):  # or a section of a file
        names = [x.name for x in fields(value)] if is_dataclass(value) else vars(value)
        return {"": type(value).__name__, **{x: _held(getattr(value, x)) for x in names}}
    if isinstance(value, Mapping):
        return {str(name): _held(value[name]) for name in value}
    return [_held(each) for each in value] if isinstance(value, list | tuple) else value
