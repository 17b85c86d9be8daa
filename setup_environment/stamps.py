"""Stamps: what is complete, and from what it was made."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

NOT_INSTALLED = {"test", "build", "install", "log"}  # folders beside package.xml


def digest(*parts: str | bytes) -> str:
    """Hash some parts, each with its length, so that no two lists of parts look alike."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()


def sources(package: Path) -> Iterator[Path]:
    """Yield the files of a package that its installation depends on, in a fixed order."""
    for folder, folders, files in os.walk(package):
        skipped = NOT_INSTALLED if Path(folder) == package else set()
        folders[:] = sorted(
            name
            for name in folders
            if name not in skipped
            and not name.startswith((".", "__pycache__"))
            and not name.endswith(".egg-info")
        )
        for name in sorted(files):
            if not name.startswith(".") and not name.endswith((".pyc", "~")):
                yield Path(folder, name)


def package_digest(package: Path, *more: str) -> str:
    """Hash a package's sources (names and contents) and whatever else it is made from."""
    parts: list[str | bytes] = list(more)
    for path in sources(package):
        parts += [path.relative_to(package).as_posix(), path.read_bytes()]
    return digest(*parts)


def is_stamped(stamp: Path, value: str) -> bool:
    """Tell whether a stamp exists and holds just this value."""
    try:
        return stamp.read_text() == value + "\n"
    except (OSError, UnicodeDecodeError):
        return False


def write_stamp(stamp: Path, value: str) -> None:
    """Write a stamp so that it is there completely or not at all, after everything before it."""
    os.sync()
    partial = stamp.with_name(stamp.name + ".partial")
    with partial.open("w") as file:
        file.write(value + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, stamp)
