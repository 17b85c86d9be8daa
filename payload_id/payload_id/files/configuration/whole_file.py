"""Files that are there whole or not at all: written beside their place, then put into it."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ...core.errors import ConfigurationError

RECOGNISED = 40  # letters of a name that the part of a file that is being written has


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of `path` when it is complete.

    Of several that are written to one place at once, each has a part of its own, and the last one
    that is complete stays. What a killed process leaves behind is a part, which nobody reads.

    Raises:
        OSError: It cannot be written.
    """
    part = path.with_name(f"{path.name[:RECOGNISED]}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)  # only there if it could not take its place


@contextmanager
def saved_file(path: Path, what: str) -> Iterator[BinaryIO]:
    """Open a file that takes the place of `path` when it is complete; its folder is made.

    Args:
        path: Where.
        what: What it holds, for the message, such as "calibration".

    Raises:
        ConfigurationError: It cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as file:
            yield file
    except OSError as error:
        raise ConfigurationError(f"The {what} cannot be written to {path}: {error}.") from error


def check_place(path: Path, what: str) -> Path:
    """Return a path at which a file can be written, before the work that makes its content.

    Nothing is left behind: the nearest folder that is there is tried with a nameless file.

    Args:
        path: Where the file is to be; folders on the way may be missing.
        what: What it will hold, for the message, such as "figure".

    Raises:
        ConfigurationError: It cannot be written.
    """
    try:
        path = path.expanduser()
        path.resolve()
        if "\0" in str(path):
            raise ValueError("a name holds no NUL character")
        if path.exists() and not path.is_file():
            raise OSError("something is there that is no file")
        check_folder(path.parent)
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: a loop of links, no home
        raise ConfigurationError(
            f"The {what} cannot be written to {str(path)!r}: {error}. Give another path."
        ) from error
    return path


def check_folder(folder: Path) -> None:
    """Check that files can be written into a folder that is there or can be made.

    Raises:
        OSError: They cannot.
    """
    there = next(part for part in (folder, *folder.absolute().parents) if part.exists())
    with tempfile.TemporaryFile(dir=there):
        pass
