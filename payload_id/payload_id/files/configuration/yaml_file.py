"""YAML, read strictly: a file that says one thing twice, or nothing, is an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from ...core.errors import ConfigurationError
from .input_path import input_path

LARGEST = 3_000_000


class _StrictLoader(yaml.SafeLoader):
    """SafeLoader that refuses a key given twice; plain YAML keeps the last one silently."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping of a node, whose keys are all different."""
        seen: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(
                    None, None, "a key is a list or section, not a name", key.start_mark
                )
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None,
                    None,
                    f"'{key.value}' is given twice, first on line {seen[key.value]}",
                    key.start_mark,
                )
            seen[str(key.value)] = line
        return super().construct_mapping(node, deep)


def read_yaml(path: str | Path) -> dict[str, Any]:
    """Return the mapping that a YAML file holds.

    Raises:
        ConfigurationError: The file is missing (says which YAML files are there), is not YAML
            (says the line), gives a key twice, or holds no mapping.
    """
    path = input_path(path, "YAML file")
    if path.is_dir():
        raise ConfigurationError(f"{path} is a folder, where a YAML file is asked for.")
    if not path.is_file():
        raise ConfigurationError(f"File {path} does not exist.{_present(path.parent)}")
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(LARGEST + 1)
        entries = yaml.load(text, Loader=_StrictLoader) if len(text) <= LARGEST else None
        size = max(len(text), _entries(entries, 0))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ConfigurationError(f"{path}{place}: {error.problem or error.context}.") from error
    except RecursionError as error:
        raise ConfigurationError(f"{path} is nested too deeply to be read.") from error
    except (yaml.YAMLError, OSError, ValueError, AttributeError, LookupError, TypeError) as error:
        # The last four: impossible numbers and dates, tags (!!bool) of what is none
        reason = str(error).splitlines()[0].rstrip(".")
        raise ConfigurationError(f"{path} cannot be read as YAML: {reason}.") from error
    if size > LARGEST:
        raise ConfigurationError(
            f"{path} is too large: a YAML file has at most {LARGEST} letters, and as many entries "
            "with those that aliases repeat."
        )
    if not isinstance(entries, dict):
        found = "nothing" if entries is None else f"a {type(entries).__name__}"
        raise ConfigurationError(
            f"{path} must hold keys and values ('name: value'); found {found}."
        )
    return entries


def _entries(value: Any, found: int) -> int:
    """Return the number of entries with those found before, at most a little above `LARGEST`.

    Aliases (`*name`) may repeat entries without end; RecursionError where one holds itself.
    """
    found += 1
    if isinstance(value, dict | list) and found <= LARGEST:
        for entry in value.values() if isinstance(value, dict) else value:
            found = _entries(entry, found)
    return found


def _present(folder: Path) -> str:
    """Return a sentence with the YAML files of a folder, for messages."""
    if not folder.is_dir():
        return f" The folder {folder} does not exist either."
    names = sorted(p.name for p in folder.iterdir() if p.suffix in (".yaml", ".yml"))
    return f" YAML files in that folder: {', '.join(names) or 'none'}."
