"""Parameters of a node, declared once: name, type, default, unit, range and meaning.

The fields of a `NodeParameters` declare them; `table_of` lists them. The list checks what is given,
tells rclpy what `ros2 param describe` shows, and makes the documentation's table.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter
from typing_extensions import Self

from ...core.errors import ConfigurationError, shortened
from ...files.configuration.input_path import file_below
from .error_sentence import error_sentence

_KIND_OF_TYPE = {bool: "flag", int: "integer", float: "number", list: "numbers", str: "text"}

# Parameters that rclpy, or the life cycle, gives to every node.
OWN_NAMES = ("use_sim_time", "start_type_description_service", "autostart")
OWN_PREFIX = "qos_overrides."
FIXED = "; fixed while the node is configured"


@dataclass(frozen=True)
class Parameter:
    """One parameter.

    Attributes:
        name: Its name.
        default: Its default; None: not set, what that means is in `text`.
        text: What it means.
        unit: Its unit; empty for none.
        lower: Smallest allowed number; None: no bound.
        upper: Largest allowed number; None: no bound.
        choices: The allowed texts; empty: any.
        read_only: Whether it is fixed when the node starts.
        kind: One of `KINDS`; empty: the default's.
        length: How many numbers a list takes; 0: any.
        folder: For the path of a file, the parameter with the folder in which it must lie when it
            is changed while the node runs; empty: it is no path, or fixed.
    """

    name: str
    default: Any
    text: str
    unit: str = ""
    lower: float | None = None
    upper: float | None = None
    choices: tuple[str, ...] = ()
    read_only: bool = True
    kind: str = ""
    length: int = 0
    folder: str = ""

    def __post_init__(self) -> None:
        if not self.kind:
            object.__setattr__(self, "kind", _KIND_OF_TYPE[type(self.default)])

    def descriptor(self) -> ParameterDescriptor:
        """Return the descriptor that `ros2 param describe` shows.

        Dynamic typing lets a whole number stand for a real one; `check` looks at type and range.
        """
        return ParameterDescriptor(
            description=self.text + _bracket(self.unit),
            additional_constraints=self.allowed() + FIXED * self.read_only,
            read_only=self.name == AUTOSTART.name,
            dynamic_typing=True,
        )

    def allowed(self) -> str:
        """Return in words which values it takes."""
        if self.choices:
            return "one of " + ", ".join(f"'{x}'" for x in self.choices)
        words, unit = KINDS[self.kind][0], _bracket(self.unit)
        if self.length:
            words = f"a list of {self.length} numbers"
        if self.lower is not None and self.upper is not None:
            return f"{words} from {self.lower:g} to {self.upper:g}{unit}"
        if self.lower is not None:
            return f"{words} not below {self.lower:g}{unit}"
        return f"{words} not above {self.upper:g}{unit}" if self.upper is not None else words + unit

    def check(self, given: Any) -> Any:
        """Return the value in the type that the node works with.

        Raises:
            ConfigurationError: The value has the wrong type or lies outside its range.
        """
        if self.default is None and given in (None, ""):  # "": launch files have no other word
            return None
        if isinstance(given, str) and self.kind != "text":
            given = _from_text(given)
        value = KINDS[self.kind][1](given)
        if flaw := self._flaw(value):
            raise self._refusal(given, flaw)
        return value

    def _flaw(self, value: Any) -> str:
        """Say what is wrong with a value of this kind, None for one of another; empty: nothing."""
        if value is None:
            return f"must be {self.allowed()}"
        if self.choices and value not in self.choices:
            return f"must be {self.allowed()}.{nearest(value, self.choices)}"
        if self.length and len(value) != self.length:
            return f"must be {self.allowed()}; it has {len(value)}"
        numbers = filter(_is_number, value if isinstance(value, list) else [value])
        return next(filter(None, map(self._range_flaw, numbers)), "")

    def _range_flaw(self, number: float) -> str:
        """Say that a number is not finite or lies outside its range; empty: it does not."""
        unit = _bracket(self.unit)
        if not math.isfinite(number):
            return "must be finite"
        if self.lower is not None and number < self.lower:
            return f"must not be below its lower bound of {self.lower:g}{unit}"
        if self.upper is not None and number > self.upper:
            return f"must not be above its upper bound of {self.upper:g}{unit}"
        return ""

    def _refusal(self, given: Any, rule: str) -> ConfigurationError:
        shown = repr(list(given) if hasattr(given, "tolist") else given)
        end = "" if rule.endswith(("?", ".")) else "."
        return ConfigurationError(
            f"Parameter '{self.name}' with the value {shortened(shown)} {rule}{end} "
            f"It means: {self.text}"
        )


ENTRY, SECTION = "parameter", "parameters"  # what the metadata of a field have


def parameter(
    default: Any,
    text: str,
    unit: str = "",
    lower: float | None = None,
    upper: float | None = None,
    **rules: Any,
) -> Any:
    """Return the field of a `NodeParameters` that declares the parameter of its name.

    Args:
        default: See `Parameter`, as all others.
        text: What it means.
        unit: Its unit.
        lower: Its lower bound.
        upper: Its upper bound.
        rules: Further attributes of `Parameter`.
    """
    return declared(Parameter("", default, text, unit, lower, upper, **rules))


def declared(entry: Parameter) -> Any:
    """Return the field for a parameter that several nodes have."""
    return field(default_factory=lambda: entry.default, metadata={ENTRY: entry})


def section(entries: Sequence[Parameter]) -> Any:
    """Return the field for parameters that are kept together, by name."""
    named = {entry.name: entry.default for entry in entries}
    return field(default_factory=lambda: dict(named), metadata={SECTION: tuple(entries)})


@dataclass(frozen=True)
class NodeParameters:
    """Values of a node's parameters; fields that are `parameter` or `section` declare them."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Take them out of values by name."""
        return cls(
            **{
                each.name: {entry.name: values[entry.name] for entry in each.metadata[SECTION]}
                if SECTION in each.metadata
                else values[each.name]
                for each in fields(cls)
            }
        )


def table_of(kind: type[NodeParameters]) -> tuple[Parameter, ...]:
    """Return the parameters that a class declares, in the order of its fields."""
    found: list[Parameter] = []
    for each in fields(kind):
        if ENTRY in each.metadata:
            found.append(replace(each.metadata[ENTRY], name=each.name))
        found += each.metadata.get(SECTION, ())
    return tuple(found)


SIM_TIME = Parameter("use_sim_time", False, "Whether the clock is the simulation's (/clock).")
AUTOSTART = Parameter(
    "autostart",
    True,
    "Whether the node configures and activates itself when it starts; otherwise a lifecycle "
    "manager, or `ros2 lifecycle set`, does.",
)


def declare_parameters(node: Node, table: Sequence[Parameter]) -> None:
    """Declare a table with what was given, and warn of what nobody reads.

    What was given, or is set before the node is configured, is checked by `read_parameters`. A node
    made with `automatically_declare_parameters_from_overrides=True` also hears of parameters that
    were given but that the table does not have, such as misspelt ones.
    """
    given = {name: entry.value for name, entry in node.get_parameters_by_prefix("").items()}
    _warn_of_unknown(node, table, given)
    for entry in table:
        if node.has_parameter(entry.name):
            node.undeclare_parameter(entry.name)
        value = given.get(entry.name, entry.default)
        node.declare_parameter(entry.name, value, entry.descriptor(), ignore_override=True)
    node.add_post_set_parameters_callback(lambda changes: _declare_unset(node, table))


def read_parameters(node: Node, table: Sequence[Parameter]) -> dict[str, Any]:
    """Return the values of declared parameters by name, and have changes checked from now on.

    Raises:
        ConfigurationError: A value has the wrong type or lies outside its range.
    """
    # rclpy would go on with the other clock.
    SIM_TIME.check(node.get_parameter(SIM_TIME.name).value)
    values = current_values(node, table)
    check_changes(node, table, lambda values: None)
    return values


def current_values(node: Node, table: Sequence[Parameter]) -> dict[str, Any]:
    """Return the present values of declared parameters by name; None for those just unset."""
    return {
        entry.name: entry.check(node.get_parameter(entry.name).value)
        if node.has_parameter(entry.name)
        else None
        for entry in table
    }


def check_changes(
    node: Node, table: Sequence[Parameter], check: Callable[[dict[str, Any]], object]
) -> None:
    """Have a running node refuse changes that its table, or a check of all values, refuses.

    Args:
        node: The node; its parameters are declared.
        table: They.
        check: Called with all values by name as they would be, of the table's types and in its
            ranges; raises what the one who changes them is told. rclpy ends with any exception
            that leaves a callback, and calls the newest one first.
    """

    def judge(changes: Sequence[RosParameter]) -> SetParametersResult:
        try:
            if values := _changed(node, table, changes):
                check({**current_values(node, table), **values})
        except Exception as error:  # whatever is wrong with a value, the node keeps those it has
            return SetParametersResult(successful=False, reason=error_sentence(error))
        return SetParametersResult(successful=True)

    node.add_on_set_parameters_callback(judge)


def _changed(
    node: Node, table: Sequence[Parameter], changes: Sequence[RosParameter]
) -> dict[str, Any]:
    """Return the new values of a table's parameters by name; raise unless they may be set."""
    news = {change.name: change.value for change in changes}
    values = {}
    for entry in table:
        if entry.name not in news:
            continue
        values[entry.name] = value = entry.check(news[entry.name])
        if entry.read_only:
            raise ConfigurationError(
                f"Parameter '{entry.name}' is fixed while the node is configured: `ros2 lifecycle "
                f"set {node.get_fully_qualified_name()} cleanup` first, or start it anew."
            )
        if entry.folder and value and value != node.get_parameter(entry.name).value:
            file_below(value, node.get_parameter(entry.folder).value, entry.name)
    return values


def nearest(name: str, known: Sequence[str]) -> str:
    """Return a sentence with the known name that is nearest, or nothing."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f" Did you mean '{near[0]}'?" if near else ""


def _warn_of_unknown(node: Node, table: Sequence[Parameter], given: dict[str, Any]) -> None:
    """Warn of every parameter that was given but that nobody reads."""
    known = [entry.name for entry in table] + list(OWN_NAMES)
    for name in given:
        if name not in known and not name.startswith(OWN_PREFIX):
            node.get_logger().warning(
                f"Parameter '{name}' was given, but node '{node.get_name()}' has none of that "
                f"name; it is ignored.{nearest(name, known)}"
            )


def _declare_unset(node: Node, table: Sequence[Parameter]) -> None:
    """Declare anew what was unset: rclpy forgets such parameters, and would refuse them later."""
    for entry in table:
        if not node.has_parameter(entry.name):
            node.declare_parameter(entry.name, None, entry.descriptor(), ignore_override=True)


def _from_text(text: str) -> Any:
    """Return the flag, number or list of numbers that a text is; the text if it is none of them.

    A launch file hands on its arguments as texts: what launch cannot convert would end it with some
    of its nodes running, and it takes no list of whole and other numbers.
    """
    word = text.strip()
    if word in ("true", "false", "True", "False"):
        return word.lower() == "true"
    try:
        if word.startswith("[") and word.endswith("]"):
            return [float(x) for x in word[1:-1].split(",")]
        return int(word) if word.lstrip("+-").isdecimal() else float(word)
    except ValueError:
        return text


def _number(given: Any) -> Any:
    """Return a number; None: it is none."""
    return float(given) if _is_number(given) else None


def _numbers(given: Any) -> Any:
    """Return a list of at least one number; None: it is none."""
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        return None
    found = list(map(_number, given))
    return None if None in found else found or None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# Of each kind its name in words, and what returns a value in its type; None: it is of another.
KINDS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "flag": ("true or false", lambda x: x if isinstance(x, bool) else None),
    "integer": ("a whole number", lambda x: x if _is_number(x) and isinstance(x, int) else None),
    "number": ("a number", _number),
    "numbers": ("a list of numbers", _numbers),
    "number or numbers": (
        "a number, or a list of numbers (one for each joint)",
        lambda x: _number(x) if _is_number(x) else _numbers(x),
    ),
    "text": ("a text", lambda x: x if isinstance(x, str) else None),
}


def _bracket(unit: str) -> str:
    return f" [{unit}]" if unit else ""
