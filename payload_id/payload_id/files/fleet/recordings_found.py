"""Which recordings a person means: paths, globs, URLs of any store that fsspec knows, and lists."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

import fsspec
from fsspec.spec import AbstractFileSystem

from ...core.errors import ConfigurationError, RecordingError, in_words, shortened
from ..bags.bag_reader import METADATA, STORAGE_SUFFIXES
from ..configuration.file_kind import TABLES
from .local_copy import check_place, is_local

LIST = "@"  # before the path of a text file with a recording in each line
WILD = frozenset("*?[")


def recordings_found(sources: Sequence[str]) -> tuple[str, ...]:
    """Return paths or URLs of all recordings, each once, in order of their names.

    Args:
        sources: Each a recording, a folder that holds some at any depth, a glob, or @FILE, a list.

    Raises:
        RecordingError: A source holds no recording, or cannot be looked at.
        ConfigurationError: A list cannot be read.
    """
    found: dict[str, None] = {}
    for source in _listed(sources):
        here = list(_of_source(source))
        if not here:
            raise RecordingError(
                f"{source} holds no recording: no rosbag2 folder, no .mcap or .db3 file and no "
                "table (.csv). Name a folder, a glob in quotes, a URL, or @FILE with a list."
            )
        found |= dict.fromkeys(here)
    return tuple(sorted(found))


def _listed(sources: Sequence[str]) -> Iterator[str]:
    """Yield sources, lists taken apart."""
    for source in sources:
        if not source.startswith(LIST):
            yield source
            continue
        check_place(source[1:], "list of recordings")
        try:
            with fsspec.open(source[1:], "rt", encoding="utf-8") as file:
                lines = [line.strip() for line in file]
        except (OSError, ValueError, ImportError) as error:
            raise ConfigurationError(
                f"The list of recordings {source[1:]} cannot be read: {shortened(in_words(error))}."
            ) from error
        yield from (line for line in lines if line and not line.startswith("#"))


def _of_source(source: str) -> Iterator[str]:
    """Yield the recordings of one source."""
    try:
        store, path = fsspec.core.url_to_fs(source)
        wild = WILD & set(path) and not store.exists(path)
        places = store.glob(path) if wild else [path]
        for place in sorted(places):
            found = _below(store, place)
            yield from found if is_local(store) else map(store.unstrip_protocol, found)
    except (OSError, ValueError, ImportError) as error:
        raise RecordingError(
            f"{source} cannot be looked at: {shortened(in_words(error))}."
        ) from error


def _below(store: AbstractFileSystem, place: str) -> list[str]:
    """Return the recordings at a place or, at any depth, in it."""
    if not store.isdir(place):
        known = place.lower().endswith((*STORAGE_SUFFIXES, *TABLES)) and store.isfile(place)
        return [place] if known else []
    files = store.find(place)
    folders = {posixpath.dirname(x) for x in files if posixpath.basename(x) == METADATA}
    single = {
        x
        for x in files
        if x.lower().endswith(STORAGE_SUFFIXES) and posixpath.dirname(x) not in folders
    }
    tables = {x for x in files if x.lower().endswith(TABLES)}
    return sorted(folders | single or tables)  # beside bags, tables are results
