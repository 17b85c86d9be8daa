"""Configuration files: read strictly, built on each other, and described by their schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...core.errors import ConfigurationError
from .input_path import input_path
from .package_data import resolve
from .schema import REQUIRED, Key, Schema, as_yaml, wanted_values
from .schema_check import check, wrong_value
from .yaml_file import read_yaml


def read_configuration(path: str | Path, schema: Schema, what: str) -> dict[str, Any]:
    """Return the checked entries of a YAML file, defaults filled in.

    With the key `extends: other.yaml` the file says only what differs from the other one: sections
    are merged, everything else is replaced. Relative paths mean relative to the file that gives
    them.

    Args:
        path: Of the file.
        schema: What it may hold.
        what: Which kind of file it is, for messages, such as "robot file".

    Raises:
        ConfigurationError: The file, or one that it extends, is missing, is not YAML, or an entry
            is unknown, missing, or of the wrong kind, length or size.
    """
    entries, files = _read_extended(Path(path), schema, what, ())
    where = files[0] + (f" (which extends {', '.join(files[1:])})" if files[1:] else "")
    return check(entries, schema, where)


def describe_schema(schema: Schema) -> str:
    """Return a Markdown table of all keys: name, values, unit, default, meaning."""
    rows = ["| key | value | unit | default | meaning |", "|---|---|---|---|---|"]
    for name, key in _walk(schema):
        default = "required" if key.default is REQUIRED else f"`{as_yaml(key.default)}`"
        if key.kind in ("section", "sections"):
            default = "required" if key.default is REQUIRED else ""
        cells = (f"`{name}`", wanted_values(key, {}), key.unit, default, key.text)
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows) + "\n"


def _read_extended(
    path: Path, schema: Schema, what: str, seen: tuple[Path, ...]
) -> tuple[dict[str, Any], list[str]]:
    """Return the merged entries of a file and those it extends, and the files' names."""
    path = input_path(path, what).resolve()
    if path in seen:
        names = " -> ".join(p.name for p in (*seen, path))
        raise ConfigurationError(f"Files extend each other in a circle: {names}.")
    entries = _anchored(read_yaml(path, what), schema, path.parent)
    parent = entries.pop("extends", None)
    if parent is None:
        return entries, [path.name]
    if not isinstance(parent, str):
        raise wrong_value("extends", path.name, "the name of a YAML file", parent)
    inherited, files = _read_extended(resolve(parent, path.parent), schema, what, (*seen, path))
    return _merged(inherited, entries), [path.name, *files]


def _anchored(entries: dict[str, Any], schema: Schema, folder: Path) -> dict[str, Any]:
    """Return entries whose paths no longer depend on the file that gives them."""
    paths = {name for name, key in schema.items() if key.kind == "path"}
    return {
        name: str(resolve(value, folder)) if name in paths and isinstance(value, str) else value
        for name, value in entries.items()
    }


def _merged(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Return base with the entries of change; sections are merged, other values replaced."""
    result = dict(base)
    for name, value in change.items():
        old = result.get(name)
        if isinstance(old, dict) and isinstance(value, dict):
            result[name] = _merged(old, value)
        else:
            result[name] = value
    return result


def _walk(schema: Schema, prefix: str = "") -> Iterator[tuple[str, Key]]:
    """Yield every key with its full name, sections before their keys."""
    for name, key in schema.items():
        yield prefix + name, key
        inner = f"{prefix}{name}." if key.kind == "section" else f"{prefix}{name}.<name>."
        yield from _walk(key.keys, inner)
