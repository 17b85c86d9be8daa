"""Files that are there whole or not at all: written beside their place, then put into it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ...core.errors import ConfigurationError


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of `path` when it is complete.

    Raises:
        OSError: It cannot be written.
    """
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        yield file
    part.replace(path)


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
