"""YAML, read strictly: a file that says one thing twice, or nothing, is an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from ...core.errors import ConfigurationError


class _StrictLoader(yaml.SafeLoader):
    """SafeLoader that refuses a key given twice; plain YAML keeps the last one silently."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping of a node, whose keys are all different."""
        seen: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
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
    path = Path(path)
    if not path.is_file():
        raise ConfigurationError(f"File {path} does not exist.{_present(path.parent)}")
    try:
        entries = yaml.load(path.read_text(encoding="utf-8"), Loader=_StrictLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ConfigurationError(f"{path}{place}: {error.problem or error.context}.") from error
    except (yaml.YAMLError, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise ConfigurationError(f"{path} cannot be read as YAML: {reason}.") from error
    if not isinstance(entries, dict):
        found = "nothing" if entries is None else f"a {type(entries).__name__}"
        raise ConfigurationError(
            f"{path} must hold keys and values ('name: value'); found {found}."
        )
    return entries


def _present(folder: Path) -> str:
    """Return a sentence with the YAML files of a folder, for messages."""
    if not folder.is_dir():
        return f" The folder {folder} does not exist either."
    names = sorted(p.name for p in folder.iterdir() if p.suffix in (".yaml", ".yml"))
    return f" YAML files in that folder: {', '.join(names) or 'none'}."
