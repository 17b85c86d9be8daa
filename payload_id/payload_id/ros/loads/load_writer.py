"""What a driver that takes a load is: its messages' fields; it knows no node."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from ...core.errors import brief

Values = Mapping[str, Any]  # fields of a request, in the units of `files/export`

INERTIA = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
MASSES = ("mass", "weight")
LARGEST = 1e4  # of any number of a load, in the drivers' units
RELATIVE, ABSOLUTE = 1e-5, 1e-6  # what single precision leaves of numbers of usual size


class LoadWriter(Protocol):
    """Messages of one driver.

    Attributes:
        name: The target of `files/export` whose values it takes.
        effects: What follows for arm and estimates, for people.
        hides: Kinds of effort (robot file) from which the driver takes the load's gravity.
        state_type: Type of the messages that say which load the arm has; empty: it does not say.
    """

    name: ClassVar[str]
    effects: ClassVar[str]
    hides: ClassVar[tuple[str, ...]] = ()
    state_type: ClassVar[str]

    def fill(self, request: Any, values: Values) -> None:
        """Put values into a request.

        Raises:
            ConfigurationError: The driver's message has no fields for them.
        """

    def refusal(self, response: Any) -> str:
        """Return why the driver did not take the load; empty if it did."""

    def state(self, message: Any, joints: Sequence[str]) -> dict[str, Any] | None:
        """Return which load the arm has, as the fields of a request; None: it is not said.

        Args:
            message: Of `state_type`.
            joints: Of the arm: those of several arms may come in one message.
        """


def vector(values: Any) -> dict[str, float]:
    """Return a message's vector as plain values."""
    return {"x": float(values.x), "y": float(values.y), "z": float(values.z)}


def differences(wanted: Values, found: Values) -> list[str]:
    """Return the fields in which what an arm has is not what it was told.

    Args:
        wanted: What it was told.
        found: What it has; fields that it does not tell are not compared.
    """
    return [
        f"{name} is {found[name]}, told was {wanted[name]}"
        for name in wanted
        if name in found and not _alike(list(_flat(wanted[name])), list(_flat(found[name])))
    ]


def flaw(values: Values, wanted: Values) -> str:
    """Say what makes values none that can stand in for a load; empty if nothing does.

    Args:
        values: Fields of a request.
        wanted: A load of the same driver.
    """
    if unknown := [name for name in values if name not in wanted]:
        return f"{unknown[0]!r} is none of {', '.join(wanted)}"
    for name, value in values.items():
        try:
            numbers = list(_flat(value))
        except (TypeError, ValueError):
            return f"{name} must be numbers; found {brief(value)}"
        count = len(list(_flat(wanted[name])))
        if len(numbers) != count:
            return f"{name} takes {count} numbers; found {len(numbers)}"
        if not all(abs(x) <= LARGEST for x in numbers):  # NaN is not
            return f"{name} must be finite, at most {LARGEST:g}; found {brief(value)}"
        if name in MASSES and numbers[0] < 0.0:
            return f"{name} must not be negative; found {numbers[0]:g}"
    return ""


def is_finite(found: Values) -> bool:
    """Return whether all that an arm says of its load are numbers."""
    return all(math.isfinite(x) for value in found.values() for x in _flat(value))


def _alike(wanted: list[float], found: list[float]) -> bool:
    """Whether numbers are the same, up to single precision; those that are none are not."""
    return len(wanted) == len(found) and all(
        abs(a - b) <= ABSOLUTE + RELATIVE * abs(a) for a, b in zip(wanted, found, strict=True)
    )


def _flat(value: Any) -> Iterable[float]:
    """Yield the numbers of a field."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for part in value:
            yield from _flat(part)
    else:
        yield float(value)
