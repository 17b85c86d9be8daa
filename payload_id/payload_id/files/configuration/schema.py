"""What a configuration may hold, declared in one table, and the check against it.

A schema maps each key to a `Key`. An unknown key is an error that names the nearest known one; a
value of the wrong kind or length says what was found and what is needed; what is left out gets its
default.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...core.errors import ConfigurationError

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


def check(entries: Mapping[str, Any], schema: Schema, where: str) -> dict[str, Any]:
    """Return checked entries with defaults filled in.

    Args:
        entries: What was read.
        schema: What is allowed. A list that others count by comes before them.
        where: Name of the file, for messages.

    Raises:
        ConfigurationError: An entry is unknown, missing, or of the wrong kind, length or size.
    """
    return _check_section(entries, schema, "", where, {})


def _check_section(
    entries: Any, schema: Schema, prefix: str, where: str, sizes: dict[str, int]
) -> dict[str, Any]:
    """Return the checked entries of one section."""
    if not isinstance(entries, Mapping):
        raise wrong_value(prefix.rstrip("."), where, "a section ('key: value' lines)", entries)
    _refuse_unknown(entries, schema, prefix, where)
    checked = {}
    for name, key in schema.items():
        full = prefix + name
        if name in entries:
            checked[name] = _check_value(entries[name], key, full, where, sizes)
        elif key.kind == "section" and key.default is not REQUIRED:
            checked[name] = _check_section({}, key.keys, f"{full}.", where, sizes)
        elif key.default is REQUIRED:
            raise ConfigurationError(
                f"Parameter '{full}' is missing in {where}: give {wanted_values(key, sizes)}"
                f"{_unit(key)}. It means: {key.text}"
            )
        else:
            checked[name] = key.default
    return checked


def _refuse_unknown(entries: Mapping[Any, Any], schema: Schema, prefix: str, where: str) -> None:
    """Raise at the first key that the schema does not have."""
    for name in entries:
        if name not in schema:
            hint = _nearest(str(name), schema, prefix)
            raise ConfigurationError(
                f"Parameter '{prefix}{name}' in {where} is not known.{hint} "
                f"Known here: {', '.join(schema)}."
            )


def _check_value(value: Any, key: Key, name: str, where: str, sizes: dict[str, int]) -> Any:
    """Return one checked value."""
    if value is None and key.nullable:
        return None
    if key.kind == "section":
        return _check_section(value, key.keys, f"{name}.", where, sizes)
    if key.kind == "sections":
        return _check_sections(value, key, name, where, sizes)
    if key.kind == "values":
        return _check_values(value, name, where)
    if key.kind in ("texts", "numbers") or (
        key.kind == "number or numbers" and isinstance(value, list)
    ):
        return _check_list(value, key, name, where, sizes)
    return _check_scalar(value, key, name, where, sizes)


def _check_sections(
    value: Any, key: Key, name: str, where: str, sizes: dict[str, int]
) -> dict[str, dict[str, Any]]:
    """Return checked sections by the names that the file gives them."""
    if not isinstance(value, Mapping) or not value:
        raise wrong_value(name, where, "at least one named section", value)
    return {
        str(k): _check_section(v, key.keys, f"{name}.{k}.", where, sizes) for k, v in value.items()
    }


def _check_values(value: Any, name: str, where: str) -> dict[str, Any]:
    """Return a section of any names whose values are texts, numbers or flags."""
    if not isinstance(value, Mapping):
        raise wrong_value(name, where, "a section of plain values", value)
    for k, v in value.items():
        if not isinstance(v, (str, int, float)):
            raise wrong_value(f"{name}.{k}", where, "a text, a number, true or false", v)
    return {str(k): v for k, v in value.items()}


def _check_list(
    value: Any, key: Key, name: str, where: str, sizes: dict[str, int]
) -> tuple[Any, ...]:
    """Return the checked entries of a list."""
    wanted = wanted_values(key, sizes) + _unit(key)
    if not isinstance(value, list):
        raise wrong_value(name, where, wanted, value)
    length = sizes.get(key.length) if isinstance(key.length, str) else key.length
    if length is not None and len(value) != length:
        raise ConfigurationError(
            f"Parameter '{name}' in {where} must be {wanted}; found {len(value)}: {value}."
        )
    if key.counts:
        if not value or len(set(map(str, value))) != len(value):
            raise wrong_value(name, where, f"{wanted}, at least one and all different", value)
        sizes[key.counts] = len(value)
    kind = "text" if key.kind == "texts" else "number"
    entry = replace(key, kind=kind, length=None, nullable=key.null_entries, null_entries=False)
    return tuple(_check_value(v, entry, f"{name}[{k}]", where, sizes) for k, v in enumerate(value))


def _check_scalar(value: Any, key: Key, name: str, where: str, sizes: dict[str, int]) -> Any:
    """Return a checked text, flag or number."""
    wanted = wanted_values(key, sizes) + _unit(key)
    if key.kind == "flag" and isinstance(value, bool):
        return value
    if key.kind in ("text", "path") and isinstance(value, str):
        if key.choices and value not in key.choices:
            raise wrong_value(name, where, wanted, value, _nearest(value, key.choices))
        return value
    if key.kind in ("number", "number or numbers") and type(value) in (int, float):
        if not (math.isfinite(value) and key.lowest <= value <= key.highest):
            raise wrong_value(name, where, wanted, value)
        return float(value)
    raise wrong_value(name, where, wanted, value, _hint(value, key))


def _nearest(name: str, known: Iterable[str], prefix: str = "") -> str:
    """Return a sentence with the known name that is nearest, or nothing."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" Did you mean '{prefix}{near[0]}'?" if near else ""


def _hint(value: Any, key: Key) -> str:
    """Return what probably went wrong with a number that YAML read as text."""
    if "number" in key.kind and isinstance(value, str):
        try:
            return f" YAML reads it as text; write {float(value)!r} without quotes, with a point."
        except ValueError:
            return ""
    return ""


def wrong_value(
    name: str, where: str, wanted: str, value: Any, hint: str = ""
) -> ConfigurationError:
    """Return the error for a value that is not what it must be."""
    return ConfigurationError(
        f"Parameter '{name}' in {where} must be {wanted}; found {_found(value)}.{hint}"
    )


def _found(value: Any) -> str:
    """Return a value as a message shows it."""
    if value is None:
        return "nothing (null)"
    kinds = {bool: "the flag", str: "the text", list: "the list", dict: "the section"}
    kind = kinds.get(type(value), "")
    shown = repr(value) if isinstance(value, str) else as_yaml(value)
    return f"{kind} {shown}".strip()


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


def _unit(key: Key) -> str:
    """Return a unit as a message shows it."""
    return f" [{key.unit}]" if key.unit else ""


def as_yaml(value: Any) -> str:
    """Return a value as one would write it in YAML."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (tuple, list)):
        return "[" + ", ".join(map(as_yaml, value)) + "]"
    return str(value)
