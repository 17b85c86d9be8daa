"""Reading requirements.lock, which `uv pip compile` writes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

DIRECT = "-r requirements.in"
_ENTRY = re.compile(r"^(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==")


@dataclass(frozen=True)
class Entry:
    """One pinned package: its name, its lines, and who asked for it."""

    name: str
    text: str
    via: frozenset[str]

    @property
    def direct(self) -> bool:
        """Whether requirements.in names the package."""
        return DIRECT in self.via

    @property
    def hashed(self) -> bool:
        """Whether the entry gives at least one hash."""
        return "--hash=sha256:" in self.text


def normalised(name: str) -> str:
    """Spell a distribution's name as package indices do."""
    return re.sub(r"[-_.]+", "-", name).lower()


def parse(text: str) -> list[Entry]:
    """Split a lock file into its entries."""
    blocks: list[list[str]] = []
    for line in text.splitlines():
        if _ENTRY.match(line):
            blocks.append([])
        if blocks:
            blocks[-1].append(line)
    return [_entry(block) for block in blocks]


def _entry(block: list[str]) -> Entry:
    name, _, _ = block[0].partition("==")
    notes = [line.strip().lstrip("#").strip() for line in block if line.startswith("    #")]
    via = (note.removeprefix("via").strip() for note in notes)
    text = "\n".join(line for line in block if not line.lstrip().startswith("#"))
    return Entry(normalised(name), text + "\n", frozenset(filter(None, via)))


def is_ros(name: str) -> bool:
    """Tell whether a distribution is one of the ROS wheels."""
    return name.startswith("ros-")


def is_build_tool(name: str) -> bool:
    """Tell whether a distribution only serves building ROS packages."""
    return is_ros(name) or name.startswith("colcon-")


def without_ros(entries: Iterable[Entry], provided: set[str]) -> list[Entry]:
    """Select what an environment on top of a ROS installation needs.

    Leaves out the ROS wheels, everything that only they need, and what the installation provides.

    Args:
        entries: All entries of the lock.
        provided: Names of the distributions that the installation provides.
    """
    candidates = [
        entry for entry in entries if not is_ros(entry.name) and entry.name not in provided
    ]
    kept: set[str] = {entry.name for entry in candidates if entry.direct}
    grown = True
    while grown:
        more = {entry.name for entry in candidates if entry.via & kept} - kept
        kept |= more
        grown = bool(more)
    return [entry for entry in candidates if entry.name in kept]


def serves_only_the_build(entry: Entry) -> bool:
    """Tell whether only ROS wheels or colcon ask for a package (empy, catkin-pkg, ...)."""
    return not entry.direct and all(is_build_tool(name) for name in entry.via)
