"""A file of knowledge: named statements about a payload, each of a kind of the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...core.errors import ConfigurationError, InputError, UnknownNameError
from ...core.knowledge.catalogue import CATALOGUE, Region, knowledge_of
from ...core.knowledge.catalogue.known import Known
from ...core.knowledge.knowledge import Knowledge
from ..configuration.schema import Key
from ..configuration.schema_check import check
from ..configuration.yaml_file import read_yaml
from .knowledge_schema import SCHEMAS


def read_knowledge(path: str | Path) -> Knowledge:
    """Return what a YAML file states of a payload.

    Every key is the name of a statement; its section holds `kind` and the keys of that kind.

    Raises:
        ConfigurationError: The file is missing, or an entry is unknown, missing or impossible.
    """
    path = Path(path)
    entries = read_yaml(path, "knowledge file")
    try:
        known = {str(name): _known(str(name), entry, path.name) for name, entry in entries.items()}
        return knowledge_of(known)
    except ConfigurationError:
        raise
    except InputError as error:
        raise ConfigurationError(f"{path.name}: {error}") from error


def _known(name: str, entry: Any, where: str) -> Known:
    """Return one entry as a member of the catalogue."""
    if not isinstance(entry, Mapping) or "kind" not in entry:
        raise ConfigurationError(
            f"'{name}' in {where} must be a section with 'kind' and its keys; found {entry!r}. "
            f"Kinds: {', '.join(CATALOGUE)}."
        )
    kind = str(entry["kind"])
    if kind not in CATALOGUE:
        raise UnknownNameError("kind of knowledge", kind, CATALOGUE, f"'{name}'")
    numbers = {key: value for key, value in entry.items() if key != "kind"}
    section = Key("section", f"a statement of kind {kind}", keys=SCHEMAS[kind])
    checked = check({name: numbers}, {name: section}, where)[name]
    return CATALOGUE[kind](**{key: _value(value) for key, value in checked.items()})


def _value(value: Any) -> Any:
    """Return a section as the region that it describes, any other value as it is."""
    return Region(**value) if isinstance(value, dict) else value
