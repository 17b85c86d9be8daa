"""A hash of values by what they hold: equal in every process, on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from operator import attrgetter
from pathlib import PurePath

import numpy as np

from ..core.errors import InputError


def fingerprint(value: object) -> str:
    """Return the SHA-256 of a value: dataclasses, sections of files, arrays, containers, numbers.

    Where a file lies counts for nothing: what was read from it does.

    Raises:
        InputError: It holds something else, such as a function.
    """
    whole = hashlib.sha256()
    for part in _parts(value):
        whole.update(len(part).to_bytes(8, "little") + part)
    return whole.hexdigest()


def _parts(value: object) -> Iterator[bytes]:
    """Yield bytes that tell a value from others."""
    if value is None or isinstance(value, bool | int | float | str | bytes | np.generic):
        yield f"{type(value).__name__}:{value!r}".encode()
    elif isinstance(value, PurePath):
        yield b"path"
    elif isinstance(value, Enum):
        yield repr(value).encode()
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype.str}{value.shape}".encode()
        yield np.ascontiguousarray(value).tobytes()
    elif is_dataclass(value) or hasattr(value, "model_fields_set"):  # or a section of a file
        yield type(value).__name__.encode()
        names = map(attrgetter("name"), fields(value)) if is_dataclass(value) else vars(value)
        for name in names:
            yield name.encode()
            yield from _parts(getattr(value, name))
    else:
        yield from _of_container(value)


def _of_container(value: object) -> Iterator[bytes]:
    """Yield bytes that tell a container from others.

    Raises:
        InputError: It is none.
    """
    yield f"{type(value).__name__}".encode()
    if isinstance(value, Mapping):
        items = sorted(value.items(), key=lambda item: repr(item[0]))
        yield str(len(items)).encode()
        for name, each in items:
            yield from _parts(name)
            yield from _parts(each)
    elif isinstance(value, Sequence):
        yield str(len(value)).encode()
        for each in value:
            yield from _parts(each)
    elif isinstance(value, Set):
        yield from sorted(fingerprint(each).encode() for each in value)
    else:
        raise InputError(
            f"Results are named by how they were made, and a {type(value).__name__} cannot be "
            "compared between machines. State what is known of the payload by a file."
        )
