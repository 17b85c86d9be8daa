"""Paths as callers give them: of the right type, usable, and confined where anybody names them."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from ...core.errors import ConfigurationError, InputError, brief

PIECE = 1 << 20  # bytes read at a time
MOST_NAMES = 10  # of files that a message lists
MOST = 50_000_000  # bytes of a file that is named from outside


def input_path(value: object, what: str, error: type[InputError] = ConfigurationError) -> Path:
    """Return a path, whether anything is there or not.

    Args:
        value: What was given.
        what: What it shall name, for the message, such as "robot file".
        error: Which error to raise.

    Raises:
        InputError: It is no text or path, one that no file system can hold, one that may not be
            looked at, a device, a pipe or a socket.
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
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        raise error(
            f"{path} is a pipe or a socket, which would be waited for, and no {what}. Write what "
            "comes out of it to a file, and name that."
        )
    return path


def not_utf8(error: UnicodeDecodeError) -> str:
    """Return what to say of a file that should be UTF-8, without its name."""
    if error.object[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "is a text in UTF-16, where UTF-8 is needed: save it as UTF-8."
    return (
        f"is not a text in UTF-8: {error.reason}. Unpack it if it is packed, or save it as UTF-8."
    )


def from_home(path: str | Path, what: str) -> Path:
    """Return a path with `~` and `~user` replaced.

    Args:
        path: What was given.
        what: What it names, for the message, such as "folder of recordings".

    Raises:
        ConfigurationError: There is no such user, or the user has no home.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as problem:
        raise ConfigurationError(
            f"The {what} begins with the home of a user whom this machine does not know; found "
            f"{brief(str(path))}. Write out the folder."
        ) from problem


def place_below(path: str | Path, folder: str | Path, what: str, start: str | Path = "") -> Path:
    """Return where a path leads, links, dots and ~ followed, if that is within a folder.

    Whatever is named from outside, by a message or by a parameter of a running node, goes through
    here: nobody on the network has a node read or write elsewhere.

    Args:
        path: What was named.
        folder: Within which it must be, or be it.
        what: What it shall name, for the message, such as "shape".
        start: What it is relative to; empty: the working folder.

    Raises:
        ConfigurationError: It leads elsewhere, or can lead nowhere.
    """
    within = from_home(folder, f"folder of each {what}").resolve()
    try:
        place = Path(start, Path(path).expanduser()).resolve()
    except (OSError, ValueError, RuntimeError):  # too long, a NUL, links in a circle, nobody's home
        place = None
    if place is None or not place.is_relative_to(within):
        raise ConfigurationError(
            f"The {what} is refused: while the node runs it must lie within {within}; found "
            f"{brief(str(path))}. Name a place there, or start the node with another folder."
        )
    return place


def file_below(path: str | Path, folder: str | Path, what: str) -> Path:
    """Return a file as `place_below` does: a regular one of at most `MOST` bytes.

    Raises:
        ConfigurationError: It lies elsewhere, is no file or a device or pipe, or is too large.
    """
    place = input_path(place_below(path, folder, what), what)
    if not place.is_file():
        raise ConfigurationError(f"There is no file {place} to read a {what} from.")
    size = place.stat().st_size
    if size > MOST:
        raise ConfigurationError(
            f"{place} has {size} bytes; a {what} that is named while the node runs has at most "
            f"{MOST}. Start the node with it, or with a smaller one."
        )
    return place


def others_beside(path: Path, suffixes: tuple[str, ...]) -> str:
    """Return a sentence with the files of some suffixes that are where a missing one should be."""
    if not path.parent.is_dir():
        return f" The folder {path.parent} does not exist either."
    names = sorted(x.name for x in path.parent.iterdir() if x.suffix in suffixes)
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    listed = ", ".join(names[:MOST_NAMES]) or "none"
    return f" Files with {' or '.join(suffixes)} in that folder: {listed}{more}."


def file_digest(path: Path) -> str:
    """Return the sha256 of a file.

    Raises:
        OSError: It cannot be read.
    """
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()


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
