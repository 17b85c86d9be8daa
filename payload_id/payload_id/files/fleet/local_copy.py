"""A recording as files of this machine, wherever it lies, and what its content is."""

from __future__ import annotations

import posixpath
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import fsspec
from fsspec.spec import AbstractFileSystem

from ...core.codec import digest
from ...core.errors import RecordingError, in_words, shortened
from ..configuration.input_path import file_digest, input_path


@contextmanager
def local_copy(place: str) -> Iterator[Path]:
    """Give a recording's path on this machine; what is elsewhere is copied for the while.

    Args:
        place: Path or URL of a file or a folder.

    Raises:
        RecordingError: It cannot be had.
    """
    with tempfile.TemporaryDirectory(prefix="payload_id_fleet_") as folder:
        try:
            store, path = fsspec.core.url_to_fs(place)
            copy = Path(folder) / posixpath.basename(path.rstrip("/"))
            if not is_local(store):
                store.get(path, str(copy), recursive=store.isdir(path))
        except (OSError, ValueError, ImportError) as error:
            why = shortened(in_words(error))
            raise RecordingError(f"{place} cannot be had: {why}.") from error
        yield input_path(path, "recording", RecordingError) if is_local(store) else copy


def check_place(place: str, what: str) -> None:
    """Check that a place, if it is on this machine, is not a device or a pipe.

    Args:
        place: Path or URL.
        what: What it shall name, for the message.

    Raises:
        ConfigurationError: It is.
    """
    if "://" not in place or place.startswith("file://"):
        input_path(place.removeprefix("file://"), what)


def is_local(store: AbstractFileSystem) -> bool:
    """Tell whether a store is this machine's own files."""
    names = store.protocol
    return "file" in ((names,) if isinstance(names, str) else names)


def content_digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of all files of a folder and their names.

    Raises:
        RecordingError: It cannot be read.
    """
    try:
        if path.is_file():
            return file_digest(path)
        files = sorted(x for x in path.rglob("*") if x.is_file())
        if not files:
            raise RecordingError(f"There is no recording {path}.")
        return digest({x.relative_to(path).as_posix(): file_digest(x) for x in files})
    except OSError as error:
        raise RecordingError(f"{path} cannot be read: {in_words(error)}.") from error
