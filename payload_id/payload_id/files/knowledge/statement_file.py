"""Statements as they are kept beside a recording: every number as it was, whoever stated it."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import ConfigurationError, in_words
from ...core.knowledge.knowledge import Knowledge
from ...core.knowledge.statement import Statement
from ..configuration.array_archive import read_arrays
from ..configuration.file_kind import instead
from ..configuration.json_file import parsed_json
from ..configuration.whole_file import saved_file

FORMAT = 1  # of the archive; raised when older programs could not read a newer one
REACH = ("z_lower", "z_upper")  # infinite where nothing is known
ARRAYS = ("F", "g", "H", "z_lower", "z_upper")


def save_knowledge(path: Path | str, knowledge: Knowledge) -> Path:
    """Write statements; the file is there whole or not at all.

    Raises:
        ConfigurationError: The file cannot be written.
    """
    path = Path(path)
    plain = [entry.name for entry in fields(Statement) if entry.name not in ARRAYS]
    about = [{name: getattr(each, name) for name in plain} for each in knowledge.statements]
    arrays: dict[str, Any] = {
        f"{name}{k}": getattr(each, name)
        for k, each in enumerate(knowledge.statements)
        for name in ARRAYS
    }
    with saved_file(path, "knowledge") as file:
        text = json.dumps({"format": FORMAT, "statements": about})
        np.savez_compressed(file, about=np.array(text), **arrays)
    return path


def load_knowledge(path: Path | str) -> Knowledge:
    """Read statements that `save_knowledge` wrote.

    Raises:
        ConfigurationError: The file is missing or damaged.
    """
    try:
        archive = read_arrays(path, "knowledge", ("about",), REACH)
        about = parsed_json(str(archive["about"]))
        if about["format"] != FORMAT:
            raise ValueError(f"format {about['format']}; this version reads {FORMAT}")
        read = [_statement(archive, k, each) for k, each in enumerate(about["statements"])]
        return Knowledge(tuple(read))
    except (
        ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError
    ) as error:  # fmt: skip
        raise ConfigurationError(
            f"The knowledge {path} cannot be read: {in_words(error)}.{instead(path, 'knowledge')}"
        ) from error


def _statement(archive: Any, k: int, about: dict[str, Any]) -> Statement:
    """Return one statement of an archive."""
    values: dict[str, Any] = {
        name: tuple(v) if isinstance(v, list) else v for name, v in about.items()
    }
    values.update({name: archive[f"{name}{k}"] for name in ARRAYS})
    return Statement(**values)
