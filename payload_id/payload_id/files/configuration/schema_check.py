"""The check of a configuration against its schema.

An unknown key is an error that names the nearest known one; a value of the wrong kind or length
says what was found and what is needed, with its unit; what is left out gets its default. Checkers
such as jsonschema or pydantic say none of this in the words of the table of keys.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...core.errors import ConfigurationError
from .schema import REQUIRED, Key, Schema, as_yaml, unit_text, wanted_values

LARGEST = 1e12  # size of a number in a file, in SI units


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
                f"{unit_text(key)}. It means: {key.text}"
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
    wanted = wanted_values(key, sizes) + unit_text(key)
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
    wanted = wanted_values(key, sizes) + unit_text(key)
    if key.kind == "flag" and isinstance(value, bool):
        return value
    if key.kind in ("text", "path") and isinstance(value, str):
        if key.choices and value not in key.choices:
            raise wrong_value(name, where, wanted, value, _nearest(value, key.choices))
        return value
    if key.kind in ("number", "number or numbers") and type(value) in (int, float):
        if not key.lowest <= value <= key.highest:  # NaN neither
            raise wrong_value(name, where, wanted, value)
        if abs(value) > LARGEST:
            raise wrong_value(name, where, f"{wanted}, of at most {LARGEST:g}", value)
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
