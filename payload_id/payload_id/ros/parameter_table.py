"""Parameters of a node, declared from one table: name, default, unit, range and meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.node import Node

from ..core.errors import ConfigurationError

Value = bool | int | float | str | list[float]


@dataclass(frozen=True)
class Parameter:
    """One parameter, read when the node starts.

    Attributes:
        name: Its name.
        default: Its default, which also fixes its type.
        text: What it means.
        unit: Its unit; empty for none.
        lower: Smallest allowed number; None: no bound.
        upper: Largest allowed number; None: no bound.
    """

    name: str
    default: Value
    text: str
    unit: str = ""
    lower: float | None = None
    upper: float | None = None

    def descriptor(self) -> ParameterDescriptor:
        """Return the descriptor that `ros2 param describe` shows."""
        unit = f" [{self.unit}]" if self.unit else ""
        descriptor = ParameterDescriptor(
            name=self.name, description=f"{self.text}{unit}", read_only=True, dynamic_typing=True
        )
        if self.lower is not None and self.upper is not None:
            if isinstance(self.default, int):
                limits = IntegerRange(from_value=int(self.lower), to_value=int(self.upper))
                descriptor.integer_range = [limits]
            elif isinstance(self.default, float):
                limits = FloatingPointRange(from_value=self.lower, to_value=self.upper)
                descriptor.floating_point_range = [limits]
        return descriptor


def read_parameters(node: Node, table: Sequence[Parameter]) -> dict[str, Any]:
    """Declare the parameters of a table and return their values by name.

    A whole number is accepted where a real one is meant.

    Raises:
        ConfigurationError: A value has the wrong type or lies outside its range.
    """
    values = {}
    for entry in table:
        given = node.declare_parameter(entry.name, entry.default, entry.descriptor()).value
        values[entry.name] = _checked(entry, given)
    return values


def _checked(entry: Parameter, given: object) -> Value:
    """Return the value in the type of the default."""
    kind = type(entry.default)
    value: Any = given
    if isinstance(entry.default, list) and not isinstance(given, (str, bytes)):
        value = [float(x) for x in given] if hasattr(given, "__iter__") else given
    elif kind is float and isinstance(given, int) and not isinstance(given, bool):
        value = float(given)
    if type(value) is not kind:
        raise ConfigurationError(
            f"Parameter '{entry.name}' must be of type {kind.__name__}; found {given!r}. "
            f"It means: {entry.text}"
        )
    if isinstance(value, (int, float)) and kind is not bool:
        _check_range(entry, value)
    return value  # type: ignore[no-any-return]


def _check_range(entry: Parameter, value: float) -> None:
    """Raise when a number lies outside its range."""
    lower = -float("inf") if entry.lower is None else entry.lower
    upper = float("inf") if entry.upper is None else entry.upper
    if not lower <= value <= upper:
        raise ConfigurationError(
            f"Parameter '{entry.name}' must lie in [{lower:g}, {upper:g}] {entry.unit}; found "
            f"{value!r}. It means: {entry.text}"
        )
