"""Paths as callers give them: of the right type, and such that the system can look them up."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ...core.errors import ConfigurationError, InputError, brief


def input_path(value: object, what: str, error: type[InputError] = ConfigurationError) -> Path:
    """Return a path, whether anything is there or not.

    Args:
        value: What was given.
        what: What it shall name, for the message, such as "robot file".
        error: Which error to raise.

    Raises:
        InputError: It is no text or path, one that no file system can hold, one that may not be
            looked at, or a device.
    """
    if not isinstance(value, str | os.PathLike):
        raise error(f"The path of a {what} must be a text or a path; found {brief(value)}.")
    try:
        path = Path(os.fsdecode(value))
        mode = path.stat().st_mode
    except (ValueError, TypeError) as problem:
        raise error(f"No {what} can be at {brief(str(value))}: {problem}.") from problem
    except (FileNotFoundError, NotADirectoryError):
        return path
    except OSError as problem:
        why = problem.strerror
        raise error(f"No {what} can be at {brief(str(value))}: {why}.") from problem
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise error(f"{path} is a device, which may have no end, and no {what}.")
    return path


def sibling(path: Path, name: object) -> Path:
    """Return the path of a file beside another one, which its name alone tells.

    Raises:
        ConfigurationError: It is no name, such as one that leads to another folder.
    """
    if not isinstance(name, str) or name in ("", ".", "..") or set(name) & set("/\\\0"):
        raise ConfigurationError(
            f"{path.name} names a file beside it by its name alone; found {brief(name)}."
        )
    return path.with_name(name)
