"""Files that people write, read by their models: all mistakes at once, each with file and line.

With the key `extends: other.yaml` a file says only what differs from the other one: sections are
merged, everything else is replaced. Relative paths mean relative to the file that gives them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pydantic import BaseModel, ValidationError

from ...core.errors import ConfigurationError, InputError, UnknownNameError, printable, shortened
from .keys import Schema, keys_of
from .package_data import resolve
from .yaml_file import YamlFile, yaml_file

Place = tuple[str | int, ...]
ABSENT: Any = object()  # what stands where a key is missing
MOST = 30  # mistakes that a message lists
SECTION = "must be a section: 'key: value' lines below it"
SAID = {  # by what pydantic calls it, where its own words are for programmers
    "missing": "has too few entries",
    "model_type": SECTION,
    "model_attributes_type": SECTION,
    "dict_type": SECTION,
    "tuple_type": "must be a list",
    "union_tag_not_found": "must say its 'kind'",
}
M = TypeVar("M", bound=BaseModel)


class FileError(ConfigurationError):
    """Mistakes of a file, one on each line; each is of bounded length, as errors are."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        """List them.

        Args:
            mistakes: One sentence, or a few, for each.
        """
        super().__init__("\n".join(mistakes))
        self._text = "\n".join(str(ConfigurationError(mistake)) for mistake in mistakes)

    def __str__(self) -> str:
        return self._text


@dataclass(frozen=True)
class Source:
    """Where entries come from.

    Attributes:
        files: The file, and those that it extends, each before the one that it extends; none of
            entries that a program gives.
        name: What messages call it where there is no file.
    """

    files: tuple[YamlFile, ...]
    name: str = ""

    def where(self, *place: str | int) -> str:
        """Return file and line of the key at a place, or of the section where it is missing."""
        if not self.files:
            return self.name
        file, _, line = self.found(place)
        return f"{file.path.name}, line {line}" if place else file.path.name

    def path(self, reference: str, *place: str | int) -> Path:
        """Return the path that the key at a place means, relative to the file that gives it."""
        return resolve(reference, self.found(place)[0].path.parent if self.files else Path())

    def has(self, place: Sequence[str | int]) -> bool:
        """Tell whether a place stands in a file, not only in what was made of it."""
        return not self.files or self.found(place)[1] == len(place)

    def refuse(self, sentence: str, *place: str | int) -> FileError:
        """Return the error for the key at a place.

        Args:
            sentence: What is wrong with it; begins with a verb.
            place: Of the key.
        """
        return FileError([f"'{full_name(place)}' in {self.where(*place)} {sentence}"])

    def found(self, place: Sequence[str | int]) -> tuple[YamlFile, int, int]:
        """Return the first file that has most of a place, how many keys of it, and the line."""
        return max(((x, *x.line(place)) for x in self.files), key=lambda found: found[1])


def read_model(
    path: str | Path | Mapping[str, Any],
    model: type[M],
    what: str,
    prepared: Callable[[dict[str, Any]], dict[str, Any]] = dict,
) -> tuple[M, Source]:
    """Return what a file says, defaults filled in, and where it says it.

    Args:
        path: Of the file, or the entries themselves.
        model: What it may hold.
        what: Which kind of file it is, for messages, such as "robot file".
        prepared: Makes of what the file holds, with what it extends, the entries of the model.

    Raises:
        ConfigurationError: The file, or one that it extends, is missing or is not YAML, or entries
            are unknown, missing, or of the wrong kind, length or size: says all of them.
    """
    entries, files = dict[str, Any](), tuple[YamlFile, ...]()
    if isinstance(path, Mapping):
        entries = dict(path)
    else:
        entries, files = extended(path, what)
    source, given = Source(files, what), _frozen(prepared(entries))
    try:
        return model.model_validate(given, context={}), source
    except ValidationError as error:
        raise FileError(_sentences(error, given, model, source)) from error


def full_name(place: Iterable[str | int]) -> str:
    """Return a place as messages name it, such as bodies.table.size[1]."""
    parts = [f"[{x}]" if isinstance(x, int) else f".{x}" for x in place]
    return printable(shortened("".join(parts).removeprefix("."))).replace("\n", "\\n")


def merged(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Return base with the entries of change; sections are merged, other values replaced."""
    result = dict(base)
    for name, value in change.items():
        old = result.get(name)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        result[name] = merged(result[name], value) if both else value
    return result


def extended(
    path: str | Path, what: str, seen: tuple[Path, ...] = ()
) -> tuple[dict[str, Any], tuple[YamlFile, ...]]:
    """Return the merged entries of a file and those it extends, and these files.

    Raises:
        ConfigurationError: One is missing or is not YAML, or they extend each other in a circle.
    """
    file = yaml_file(path, what)
    own = file.path.resolve()
    if own in seen:
        names = " -> ".join(p.name for p in (*seen, own))
        raise ConfigurationError(f"Files extend each other in a circle: {names}.")
    entries, source = dict(file.entries), Source((file,))
    parent = entries.pop("extends", None)
    if parent is None:
        return entries, source.files
    if not isinstance(parent, str):
        raise source.refuse(f"must be the name of a YAML file; found {shown(parent)}.", "extends")
    inherited, files = extended(source.path(parent, "extends"), what, (*seen, own))
    return merged(inherited, entries), (file, *files)


def _frozen(value: Any) -> Any:
    """Return entries with tuples for lists, as models hold them."""
    if isinstance(value, Mapping):
        return {str(name): _frozen(entry) for name, entry in value.items()}
    value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def _sentences(
    error: ValidationError, entries: Mapping[str, Any], model: type[BaseModel], source: Source
) -> list[str]:
    """Return a sentence for each mistake that stands in a file, as `prepared` may repeat some."""
    told: dict[Place, str] = {}
    for mistake in error.errors(include_url=False):
        if len(told) == MOST:
            return [*told.values(), "More may be wrong: these are the first."]
        place, value = _place(mistake, entries)
        key = keys_of(model).at(place, entries)
        if mistake["type"] == "extra_forbidden":
            more = [] if place[1:] or not source.files else ["extends"]
            known = [*more, *keys_of(model).at(place[:-1], entries).get("properties", {})]
            section = f"'{full_name(place[:-1])}' of " if place[1:] else ""
            where = f"{section}{source.where(*place)}"
            said = str(UnknownNameError("key", full_name(place[-1:]), known, where))
        else:
            said = _sentence(place, value, mistake, key, source.where(*place))
        if value is ABSENT or source.has(place):
            told.setdefault(place, said)
    return list(told.values())


def _sentence(place: Place, value: Any, mistake: Any, key: Schema, where: str) -> str:
    """Return what is wrong with a known key, of which `key` is the schema."""
    owner = f"'{full_name(place)}' in {where}" if place else where
    unit = f" [{key['unit']}]" if "unit" in key else ""
    if value is ABSENT:
        return f"{owner} is missing: {key.get('description', '')}{unit}."
    if value is None:
        meaning = key.get("description", "")
        return f"{owner} is to be filled in, found null. It means: {meaning}{unit}."
    if mistake["type"] == "value_error":
        cause = mistake["ctx"]["error"]
        return f"{owner}{':' * isinstance(cause, InputError)} {cause}"
    said = SAID.get(mistake["type"], mistake["msg"].replace("Input should", "must", 1))
    return f"{owner}{':' * said[0].isupper()} {said}{unit}; found {shown(value)}."


def _place(mistake: Any, entries: Any) -> tuple[Place, Any]:
    """Return a place without what pydantic says of unions and keys, and what is there."""
    place: list[str | int] = []
    for name in mistake["loc"]:
        if isinstance(entries, tuple) and isinstance(name, int) and name < len(entries):
            place, entries = [*place, name], entries[name]
        elif isinstance(entries, Mapping) and name in entries:
            place, entries = [*place, name], entries[name]
    if mistake["type"] == "missing" and isinstance(entries, Mapping):
        return (*place, mistake["loc"][-1]), ABSENT
    return tuple(place), entries


def shown(value: Any) -> str:
    """Return a value as a message shows it, much as YAML has it."""
    return printable(shortened(json.dumps(value, default=str, ensure_ascii=False)))
