"""YAML, read strictly: a file that says one thing twice, or nothing, or is cut off, is an error.

Half a YAML file is YAML, too: what was below the cut gets its defaults. So a file that begins with
the line `---`, as all do that this package writes and ships, must end with the line `...`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ...core.errors import ConfigurationError, brief
from .file_kind import check_kind, instead, kind_of
from .input_path import input_path, not_utf8, others_beside

LARGEST = 3_000_000
BEGIN, END = "---", "..."  # lines around a document in YAML


class _StrictLoader(yaml.SafeLoader):
    """SafeLoader that refuses a key given twice; plain YAML keeps the last one silently."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping of a node, whose keys are texts as they stand, all different."""
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
        self.flatten_mapping(node)
        return {key.value: self.construct_object(value, deep) for key, value in node.value}


# YAML 1.1 takes a number without a point or without the sign of its exponent, as 1e-3, for a text.
_StrictLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$"),
    list("-+.0123456789"),
)


@dataclass(frozen=True)
class YamlFile:
    """A YAML file and where its entries stand.

    Attributes:
        path: Of the file.
        entries: What it holds.
        node: The same with its lines.
    """

    path: Path
    entries: dict[str, Any]
    node: yaml.Node

    def line(self, place: Sequence[str | int]) -> tuple[int, int]:
        """Return how many keys of a place the file has, and the line of the last one of them."""
        node, line = self.node, self.node.start_mark.line
        for depth, name in enumerate(place):
            found = []
            if isinstance(node, yaml.MappingNode):
                found = [pair for pair in node.value if pair[0].value == name]
            elif isinstance(node, yaml.SequenceNode) and isinstance(name, int):
                found = [(x, x) for x in node.value[name : name + 1]]
            if not found:
                return depth, line + 1
            line, node = found[-1][0].start_mark.line, found[-1][1]
        return len(place), line + 1


def read_yaml(path: str | Path) -> dict[str, Any]:
    """Return the mapping that a YAML file holds; `yaml_file` says more."""
    return yaml_file(path).entries


def yaml_file(path: str | Path, what: str = "YAML file") -> YamlFile:
    """Read a YAML file that holds a mapping.

    Args:
        path: Of the file.
        what: Which kind it shall be, for the message, such as "robot file".

    Raises:
        ConfigurationError: The file is missing (says which YAML files are there), is not YAML
            (says the line), gives a key twice, holds no mapping, is cut off, or is known to be of
            another kind.
    """
    path = input_path(path, what)
    if path.is_dir():
        raise ConfigurationError(f"{path} is a {kind_of(path)}, where a {what} is needed.")
    if not path.is_file():
        raise ConfigurationError(
            f"File {path} does not exist.{others_beside(path, ('.yaml', '.yml'))}"
        )
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(LARGEST + 1)
        if len(text) <= LARGEST:
            _check_end(text, path)
        loader = _StrictLoader(text if len(text) <= LARGEST else "")
        node = loader.get_single_node()
        entries = None if node is None else loader.construct_document(node)
        size = max(len(text), _entries(entries, 0))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ConfigurationError(
            f"{path}{place}: {error.problem or error.context}.{instead(path, what)}"
        ) from error
    except RecursionError as error:
        raise ConfigurationError(f"{path} is nested too deeply to be read.") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} {not_utf8(error)}{instead(path, what)}") from error
    except (yaml.YAMLError, OSError, ValueError, AttributeError, LookupError, TypeError) as error:
        # The last four: impossible numbers and dates, tags (!!bool) of what is none
        reason = str(error).splitlines()[0].rstrip(".")
        raise ConfigurationError(
            f"{path} cannot be read as YAML: {reason}.{instead(path, what)}"
        ) from error
    if size > LARGEST:
        raise ConfigurationError(
            f"{path} is too large: a YAML file has at most {LARGEST} letters, and as many entries "
            "with those that aliases repeat."
        )
    if node is None or not isinstance(entries, dict):
        found = "nothing" if entries is None else f"a {type(entries).__name__}"
        raise ConfigurationError(
            f"{path} must hold keys and values ('name: value'); found {found}.{instead(path, what)}"
        )
    check_kind(entries, path, what)
    return YamlFile(path, entries, node)


def yaml_text(entries: Mapping[str, Any], head: str = "") -> str:
    """Return the text of a file that is known to be cut off when it is.

    Args:
        entries: In their order.
        head: Lines of comment above them.
    """
    return head + yaml.safe_dump(
        dict(entries), sort_keys=False, default_flow_style=None, width=100,
        explicit_start=True, explicit_end=True,
    )  # fmt: skip


def _check_end(text: str, path: Path) -> None:
    """Raise if a text that states where it begins does not end where it states that."""
    lines = [line.rstrip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.lstrip().startswith(("#", "%"))]
    if lines and lines[0] == BEGIN and lines[-1] != END:
        if END in lines:
            behind = brief(lines[lines.index(END) + 1])
            raise ConfigurationError(
                f"{path} goes on behind the line '{END}', which ends it, with {behind}. Put what "
                "is behind that line above it."
            )
        raise ConfigurationError(
            f"{path} begins with the line '---' and does not end with the line '...': it is "
            "cut off, and what is missing would count as not given. Copy it again; if it is whole, "
            f"add the line '{END}'."
        )


def _entries(value: Any, found: int) -> int:
    """Return the number of entries with those found before, at most a little above `LARGEST`.

    Aliases (`*name`) may repeat entries without end; RecursionError where one holds itself.
    """
    found += 1
    if isinstance(value, dict | list) and found <= LARGEST:
        for entry in value.values() if isinstance(value, dict) else value:
            found = _entries(entry, found)
    return found
