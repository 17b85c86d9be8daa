"""Frozen dataclasses as plain values and back, by their annotations: the one way to and from files.

In: a dataclass, whatever dataclasses, tuples, mappings, enums and NumPy arrays it is made of.
Out: dicts, lists, texts, numbers, None and arrays (`plain`), and the same dataclass again
    (`built`), every number to its last bit. Nothing is left out, filled in or converted.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, TypeVar, get_origin

import msgspec
import numpy as np
from typing_extensions import Self

from .arrays import Array
from .errors import InputError

ARRAY = "__array__"  # the only entry of what stands for an array: its name
T = TypeVar("T")


class Identified:
    """What is the same as another of its kind if all that both hold is, bit for bit."""

    @property
    def identity(self) -> str:
        """Hash of all that it holds."""
        return digest(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)


class InJson:
    """Base of frozen dataclasses that JSON holds for people and programs, arrays as lists."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists, None for numbers that are not finite."""
        return dict(as_json(self))

    @classmethod
    def from_dict(cls, entries: Any) -> Self:
        """Build from what `to_dict` returned.

        Raises:
            InputError: An entry is missing, unknown, of another kind or impossible.
        """
        try:
            made = msgspec.convert(entries, cls, dec_hook=_listed)
            _require_same_entries(entries, plain(made), cls.__name__)
        except (ValueError, TypeError) as error:
            why = " ".join(str(error).split())
            raise InputError(f"The entries of a {cls.__name__} are not readable: {why}") from error
        return made

    @property
    def digest(self) -> str:
        """Hash of `to_dict`, as files have it; equal digests mean equal values."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()


def plain(value: Any) -> Any:
    """Return a value as dicts, lists, texts, numbers, None and arrays."""
    if is_dataclass(value):
        return {x.name: plain(getattr(value, x.name)) for x in fields(value) if x.init}
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, Enum):
        return value.value
    return value.item() if isinstance(value, np.generic) else value


def built(kind: type[T], values: Any) -> T:
    """Return what `plain` has taken apart.

    Raises:
        ValueError: An entry is missing, unknown, of another kind or impossible; says which.
    """
    made = msgspec.convert(values, kind, dec_hook=_array)
    _require_same_entries(values, plain(made), kind.__name__)
    return made


def as_json(value: Any) -> Any:
    """Return a value as JSON for people: arrays as lists, None for numbers that are not finite."""
    return _finite(plain(value))


def digest(value: Any) -> str:
    """Return the sha256 of all that a value holds."""
    tree, arrays = parted(plain(value))
    found = hashlib.sha256(json.dumps(tree, sort_keys=True).encode())
    for name, array in arrays.items():
        found.update(repr((name, array.dtype.str, array.shape)).encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def parted(values: Any, name: str = "") -> tuple[Any, dict[str, Array]]:
    """Return plain values with names in place of their arrays, and the arrays by these names."""
    if isinstance(values, np.ndarray):
        return {ARRAY: name}, {name: values}
    if not isinstance(values, dict | list):
        return values, {}
    tree, arrays = {}, dict[str, Array]()
    for key, value in values.items() if isinstance(values, dict) else enumerate(values):
        tree[key], more = parted(value, f"{name}.{key}" if name else str(key))
        arrays |= more
    return (tree if isinstance(values, dict) else list(tree.values())), arrays


def joined(tree: Any, arrays: Mapping[str, Array]) -> Any:
    """Return plain values with their arrays.

    Raises:
        KeyError: One is missing.
    """
    if isinstance(tree, list):
        return [joined(value, arrays) for value in tree]
    if not isinstance(tree, dict):
        return tree
    if tree.keys() == {ARRAY}:
        return arrays[tree[ARRAY]]
    return {key: joined(value, arrays) for key, value in tree.items()}


def _array(kind: Any, value: Any) -> Array:
    """Return a value where an array belongs, which is the only kind that msgspec does not know."""
    if np.ndarray not in (kind, get_origin(kind)):
        raise NotImplementedError(f"{kind} is not kept in files")  # what msgspec expects of a hook
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf":
        raise ValueError("it is no array of numbers")
    return value


def _listed(kind: Any, value: Any) -> Array:
    """Return a list of numbers where an array belongs."""
    return _array(kind, np.array(value, dtype=float) if isinstance(value, list) else value)


def _require_same_entries(given: Any, made: Any, where: str) -> None:
    """Raise where an entry was filled in, or ignored."""
    if isinstance(given, dict) and isinstance(made, dict):
        if unlike := given.keys() ^ made.keys():
            what = "lacks" if unlike <= made.keys() else "has the unknown entry"
            raise ValueError(f"{where} {what} {', '.join(sorted(map(str, unlike)))}")
        for key, value in given.items():
            _require_same_entries(value, made[key], f"{where}.{key}")
    elif isinstance(given, list) and isinstance(made, list):
        for one, other in zip(given, made, strict=True):
            _require_same_entries(one, other, where)


def _finite(value: Any) -> Any:
    """Return plain values as JSON."""
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
