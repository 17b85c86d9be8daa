"""Files that are there whole or not at all: written beside their place, then put into it.

What is complete is on the disk before it takes its place, and its place is, too: after a power
failure there is the file as it was, or as it is.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ...core.errors import ConfigurationError, in_words

RECOGNISED = 40  # letters of a name that the part of a file that is being written has


@contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
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
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        sync_folder(path.parent)
    finally:
        part.unlink(missing_ok=True)  # only there if it could not take its place


def sync_folder(folder: Path) -> None:
    """Have the disk hold a folder's names, where its file system knows that.

    Raises:
        OSError: The folder cannot be opened.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # of some network file systems
            raise
    finally:
        os.close(handle)


def sync_all(folder: Path) -> None:
    """Have the disk hold all files of a folder, not those in folders of it, and their names.

    Raises:
        OSError: It cannot.
    """
    for path in filter(Path.is_file, folder.iterdir()):
        with path.open("rb") as file:
            os.fsync(file.fileno())
    sync_folder(folder)
    sync_folder(folder.parent)


@contextmanager
def exclusive_lock(folder: Path, wait: bool) -> Iterator[None]:
    """Have one process alone write several files that belong together into a folder.

    Args:
        folder: Which.
        wait: Whether to wait for another one; else it is refused.

    Raises:
        ConfigurationError: Another process writes there.
        OSError: The folder cannot be opened.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):  # a file system that knows no locks
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError as error:
                raise ConfigurationError(
                    f"Another process writes into {folder}. Wait for it, or name another folder."
                ) from error
        yield
    finally:
        os.close(handle)


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
        with atomic_write(path) as file:
            yield file
    except OSError as error:
        of_path = isinstance(error, (FileExistsError, NotADirectoryError))
        why = "a part of its path is a file, no folder" if of_path else in_words(error)
        raise ConfigurationError(f"The {what} cannot be written to {path}: {why}.") from error


def save(path: Path, content: str | bytes, what: str) -> Path:
    """Write a file as `saved_file` does; return its path."""
    with saved_file(path, what) as file:
        file.write(content.encode() if isinstance(content, str) else content)
    return path


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
        _refuse_dangling(path)
        check_folder(path.parent)
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: a loop of links, no home
        raise ConfigurationError(
            f"The {what} cannot be written to {str(path)!r}: {in_words(error)}. Give another path."
        ) from error
    return path


def check_folder(folder: Path) -> None:
    """Check that files can be written into a folder that is there or can be made.

    Raises:
        OSError: They cannot.
    """
    _refuse_dangling(folder)
    there = next(part for part in (folder, *folder.absolute().parents) if part.exists())
    with tempfile.TemporaryFile(dir=there):
        pass


def _refuse_dangling(path: Path) -> None:
    """Raise if a path, or a folder on its way, is a link to what is not there.

    Raises:
        OSError: It is: what is written would lie elsewhere than anybody has looked.
    """
    for part in (path, *path.absolute().parents):
        if part.is_symlink() and not part.exists():
            raise OSError(f"{part} is a link to {os.readlink(part)!r}, which is not there")
