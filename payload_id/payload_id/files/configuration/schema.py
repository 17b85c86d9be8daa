"""What a configuration may hold, declared in one table; a schema maps each key to a `Key`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

REQUIRED: Any = object()

KINDS = {
    "text": "a text",
    "path": "a path (text)",
    "flag": "true or false",
    "number": "a number",
    "texts": "a list of texts",
    "numbers": "a list of numbers",
    "number or numbers": "a number or a list of numbers",
    "values": "a section of plain values",
    "section": "a section",
    "sections": "a section of named sections",
}


@dataclass(frozen=True)
class Key:
    """One key of a configuration file.

    Attributes:
        kind: Which values it takes, one of `KINDS`.
        text: What it means and when to change it; for the table of keys.
        unit: Unit of its numbers.
        default: Value when it is left out; `REQUIRED` when it must be given.
        choices: The allowed texts; empty when any text is.
        lowest: Smallest number allowed.
        highest: Largest number allowed.
        length: Number of entries of a list, or the name of the list that has as many.
        counts: Name under which other keys' `length` refers to this list.
        nullable: Whether null may stand for the value.
        null_entries: Whether null may stand for an entry of the list.
        keys: The keys of the section, or of each of the named sections.
    """

    kind: str
    text: str = ""
    unit: str = ""
    default: Any = REQUIRED
    choices: tuple[str, ...] = ()
    lowest: float = -math.inf
    highest: float = math.inf
    length: int | str | None = None
    counts: str = ""
    nullable: bool = False
    null_entries: bool = False
    keys: Mapping[str, Key] = field(default_factory=dict)


Schema = Mapping[str, Key]


def wanted_values(key: Key, sizes: Mapping[str, int]) -> str:
    """Return in words which values a key takes."""
    words = KINDS[key.kind]
    if key.choices:
        words = "one of " + ", ".join(f"'{c}'" for c in key.choices)
    if key.length is not None:
        count = sizes.get(key.length, "") if isinstance(key.length, str) else key.length
        each = f" (one for each of the {key.length})" if isinstance(key.length, str) else ""
        words = words.replace("list of", f"list of {count}".rstrip()) + each
    if key.lowest > -math.inf or key.highest < math.inf:
        words += f" {_range(key.lowest, key.highest)}"
    if key.null_entries:
        words += ", entries may be null"
    return words + (", or null" if key.nullable else "")


def _range(lowest: float, highest: float) -> str:
    """Return an allowed range in words."""
    if highest == math.inf:
        return f"not below {lowest:g}"
    return f"not above {highest:g}" if lowest == -math.inf else f"from {lowest:g} to {highest:g}"


def unit_text(key: Key) -> str:
    """Return a unit as a message shows it."""
    return f" [{key.unit}]" if key.unit else ""


def as_yaml(value: Any) -> str:
    """Return a value as one would write it in YAML."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (tuple, list)):
        return "[" + ", ".join(map(as_yaml, value)) + "]"
    return str(value)
