"""Archives: what a program keeps for itself, one dataclass in one file.

A file is a ZIP archive that `numpy.load` opens: a head (what it is, of which format, the digest of
the rest), the content as JSON, and a `.npy` for each array of it. It is there whole or not at all,
and read only if it is bit for bit what was written.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Generic, TypeVar

import numpy as np

from ...core.codec import built, joined, parted, plain
from ...core.errors import ConfigurationError, in_words, shortened
from .atomic_write import save
from .file_kind import ARCHIVE_HEAD, a_kind, instead
from .input_path import input_path

CONTENT, SUFFIX = "content.json", ".npy"
LARGEST = 500_000_000  # bytes of all that is in it
T = TypeVar("T")


@dataclass(frozen=True)
class Archive(Generic[T]):
    """A kind of archive.

    Attributes:
        kind: The dataclass that it holds.
        name: What it is called in messages, such as "calibration".
        format: Raised with every change of the dataclass.
        remedy: What to do about one that cannot be read, as a sentence.
    """

    kind: type[T]
    name: str
    format: int
    remedy: str

    def save(self, path: Path | str, value: T) -> Path:
        """Write a file.

        Raises:
            ConfigurationError: It cannot be written.
        """
        return save(Path(path), self.to_bytes(value), self.name)

    def load(self, path: Path | str) -> T:
        """Read a file.

        Raises:
            ConfigurationError: It is missing, damaged or changed, or of another kind or format.
        """
        path = input_path(path, self.name)
        if not path.is_file():
            raise ConfigurationError(f"The {self.name} {path} does not exist. {self.remedy}")
        try:
            with path.open("rb") as file:
                return self._read(file, str(path))
        except OSError as error:
            raise ConfigurationError(
                f"The {self.name} {path} cannot be read: {in_words(error)}."
            ) from error

    def to_bytes(self, value: T) -> bytes:
        """Return the file that holds a value."""
        tree, arrays = parted(plain(value))
        members = {CONTENT: json.dumps(tree, indent=1).encode()}
        for name, array in arrays.items():
            file = io.BytesIO()
            np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)
            members[f"{name}{SUFFIX}"] = file.getvalue()
        head = {"kind": self.name, "format": self.format, "digest": _digest(members)}
        whole = io.BytesIO()
        with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in {ARCHIVE_HEAD: json.dumps(head).encode(), **members}.items():
                archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        return whole.getvalue()

    def from_bytes(self, content: bytes, where: str) -> T:
        """Return the value that a file holds.

        Args:
            content: The file.
            where: Whence it came, for messages.

        Raises:
            ConfigurationError: It is damaged or changed, or of another kind or format.
        """
        return self._read(io.BytesIO(content), where)

    def _read(self, file: IO[bytes], where: str) -> T:
        """Return what a file holds."""
        try:
            members = _members(file)
            head = json.loads(members.pop(ARCHIVE_HEAD))
            self._check(head["kind"], head["format"], where)
            if head["digest"] != _digest(members):
                raise ValueError("its digest is not that of its content")
            tree = json.loads(members.pop(CONTENT))
            arrays = {
                x.removesuffix(SUFFIX): np.lib.format.read_array(
                    io.BytesIO(content), allow_pickle=False
                )
                for x, content in members.items()
            }
            return built(self.kind, joined(tree, arrays))
        except ConfigurationError:
            raise
        except Exception as error:  # whatever damaged bytes make readers of ZIP and zlib raise
            raise ConfigurationError(
                f"{where} is no readable {self.name} ({shortened(in_words(error))}): it is cut "
                f"off, was changed, or is of an older version. {self.remedy}"
                f"{instead(where, self.name)}"
            ) from error

    def _check(self, kind: object, found: object, where: str) -> None:
        """Raise unless kind and format are these."""
        if kind != self.name:
            raise ConfigurationError(
                f"{where} is {a_kind(str(kind))}; {a_kind(self.name)} is needed here."
            )
        if found != self.format:
            raise ConfigurationError(
                f"The {self.name} {where} has format {found}, this version reads {self.format}. "
                f"{self.remedy} Or use the version that wrote it."
            )


def _members(file: IO[bytes]) -> dict[str, bytes]:
    """Return the files in an archive by name.

    Raises:
        ValueError: They are too large.
    """
    with zipfile.ZipFile(file) as archive:
        total = sum(member.file_size for member in archive.infolist())
        if total > LARGEST:
            raise ValueError(f"it holds {total} bytes; at most {LARGEST} are read")
        return {member.filename: archive.read(member) for member in archive.infolist()}


def _digest(members: Mapping[str, bytes]) -> str:
    """Return the sha256 of names and contents."""
    found = hashlib.sha256()
    for name, content in members.items():
        found.update(f"{name} {len(content)}\n".encode())
        found.update(content)
    return found.hexdigest()
