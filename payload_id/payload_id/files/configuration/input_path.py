"""Paths as callers give them: of the right type, and such that the system can look them up."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from ...core.errors import ConfigurationError, InputError, brief

NEVER = (errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL)  # whatever is there


def input_path(value: object, what: str, error: type[InputError] = ConfigurationError) -> Path:
    """Return a path, whether anything is there or not.

    Args:
        value: What was given.
        what: What it shall name, for the message, such as "robot file".
        error: Which error to raise.

    Raises:
        InputError: It is no text or path, or one that no file system can hold.
    """
    if not isinstance(value, str | os.PathLike):
        raise error(f"The path of a {what} must be a text or a path; found {brief(value)}.")
    try:
        path = Path(os.fsdecode(value))
        path.stat()
    except (ValueError, TypeError) as problem:
        raise error(f"No {what} can be at {brief(str(value))}: {problem}.") from problem
    except OSError as problem:
        if problem.errno in NEVER:
            why = problem.strerror
            raise error(f"No {what} can be at {brief(str(value))}: {why}.") from problem
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
