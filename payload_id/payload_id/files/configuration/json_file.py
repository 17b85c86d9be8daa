"""JSON files that say one thing only: no key twice, no number that is none."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from ...core.errors import ConfigurationError, in_words
from .file_kind import check_kind, instead
from .input_path import input_path


def read_json(path: Path, what: str) -> Any:
    """Read a file that every reader of JSON understands alike.

    Args:
        path: Which.
        what: What it shall be, for the message, such as "certificate".

    Raises:
        ConfigurationError: It is missing or no JSON in UTF-8, a key comes twice in one place, or a
            number is NaN or infinite, or it is known to be of another kind.
    """
    path = input_path(path, what)
    try:
        content = parsed_json(path.read_bytes().decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(
            f"{path} is no readable {what}: {in_words(error)}.{instead(path, what)}"
        ) from error
    if isinstance(content, dict):
        check_kind(content, path, what)
    return content


def parsed_json(text: str) -> Any:
    """Read a text that every reader of JSON understands alike.

    Raises:
        ValueError: It is no such text.
        RecursionError: It is nested too deeply.
    """
    return json.loads(
        text,
        object_pairs_hook=_without_repetition,
        parse_constant=_number,
        parse_float=_number,
    )


def check_sizes(value: Any, largest: float, where: str = "") -> None:
    """Raise if a number somewhere in a value is too large to be meant, or to be computed with.

    Raises:
        ValueError: One is; says where.
    """
    if isinstance(value, dict | list):
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            check_sizes(entry, largest, f"{where}.{key}" if where else str(key))
    elif isinstance(value, int | float) and abs(value) > largest:
        raise ValueError(f"{where} is {value:.3g}; at most {largest:g} is possible")


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return keys and values.

    Raises:
        ValueError: A key comes twice, of which readers take the first or the last.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} comes twice in one place")
    return found


def _number(text: str) -> float:
    """Return a finite number.

    Raises:
        ValueError: It is NaN or infinite, or too large.
    """
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no finite number")
    return number
