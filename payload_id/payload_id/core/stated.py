"""Numbers that somebody states, as fields of a frozen dataclass: one table of what each may be.

The annotation says how many numbers a field takes, `stated` from where to where they go; where
nothing is said they are not negative and within `LARGEST`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, fields
from typing import Any, ClassVar

import numpy as np
from typing_extensions import Self

from .arrays import real_numbers
from .codec import plain
from .errors import InputError, known_entries

LARGEST = 1e6  # of any bound in SI units; what is not bounded at all is left out or stated as that
FRACTION = 0.999  # largest part of something

# By annotation: in words, and which shapes of arrays are meant.
KINDS: dict[str, tuple[str, Callable[[tuple[int, ...]], bool]]] = {
    "float": ("one number", lambda shape: shape == ()),
    "PerJoint": ("one number, or one for each joint", lambda shape: shape == () or shape[1:] == ()
                 and shape[0] > 0),
    "PerAxis": ("one number, or three (one for each axis)", lambda shape: shape in ((), (3,))),
    "tuple[float, ...]": ("a list of numbers", lambda shape: True),
}  # fmt: skip


def stated(
    default: Any = 0.0, lowest: float = 0.0, highest: float = float("inf"), **more: Any
) -> Any:
    """Return a field for numbers that somebody states.

    Args:
        default: Where nothing is stated.
        lowest: Smallest that can be.
        highest: Largest that can be; nothing beyond `LARGEST`.
        more: What else is to be known of the field.
    """
    return field(default=default, metadata={"lowest": lowest, "highest": highest, **more})


class Entries:
    """Base of frozen dataclasses that files hold as entries, numbers and lists.

    Attributes:
        WHERE: What messages call them.
    """

    WHERE: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists; `from_dict` reads them back."""
        return dict(plain(self))

    @classmethod
    def from_dict(cls, entries: object) -> Self:
        """Build from plain numbers and lists; what is left out is as by default.

        Raises:
            InputError: An entry is unknown or impossible.
        """
        values = known_entries(entries, cls, cls.WHERE)
        for entry in fields(cls):  # type: ignore[arg-type]  # subclasses are dataclasses
            kind: Any = entry.default_factory
            if entry.name in values and isinstance(kind, type) and issubclass(kind, Entries):
                values[entry.name] = kind.from_dict(values[entry.name])
        return cls(**values)


def check_stated(owner: Any, what: str) -> None:
    """Turn every stated number of a frozen dataclass into plain ones, in place.

    Args:
        owner: The dataclass, in its `__post_init__`.
        what: What its fields are, for messages, such as "Robot bound".

    Raises:
        InputError: A field holds no such numbers, too many, or ones out of its range.
    """
    for entry in fields(owner):
        if entry.type not in KINDS:
            continue
        name, value = f"{what} '{entry.name}'", getattr(owner, entry.name)
        numbers, (takes, fits) = real_numbers(value, name), KINDS[str(entry.type)]
        if entry.type == "tuple[float, ...]":
            numbers = np.ravel(numbers)
        if not fits(numbers.shape):
            raise InputError(f"{name} takes {takes}; found {value!r}.")
        least = entry.metadata.get("lowest", 0.0)
        most = min(entry.metadata.get("highest", LARGEST), LARGEST)
        if not ((least <= numbers) & (numbers <= most)).all():
            part = " It is a fraction: 2.5 % is written 0.025." if most < 1.0 else ""
            raise InputError(
                f"{name} must be finite, from {least:g} to {most:g}; found {value!r}.{part}"
            )
        plain = tuple(numbers.tolist()) if numbers.ndim else float(numbers)
        object.__setattr__(owner, entry.name, plain)
