"""What `payload-id calibrate` learns, on disk: a NumPy archive with a checksum of its content."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from ...core.arrays import Array
from ...core.errors import ConfigurationError
from ..configuration.array_archive import read_arrays
from ..configuration.file_kind import instead
from ..configuration.input_path import input_path
from ..configuration.whole_file import saved_file

# What texts and arrays raise that are not those of an archive of this kind.
DAMAGE = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)


class Learnt(Protocol):
    """What is kept."""

    @property
    def identity(self) -> str:
        """Digest of all its content."""
        ...


Kept = TypeVar("Kept", bound=Learnt)


@dataclass(frozen=True)
class LearntKind:
    """A kind of archive.

    Attributes:
        name: In messages, such as "calibration".
        format: Number of what is in it, another one for each change.
        command: Makes a new one.
        unbounded: Arrays that may hold NaN and infinities.
    """

    name: str
    format: int
    command: str
    unbounded: tuple[str, ...] = ()

    def save(self, path: Path, learnt: Learnt, texts: Mapping[str, Any], arrays: Any) -> Path:
        """Write an archive; the file is there whole or not at all.

        Args:
            path: Ends in `.npz`.
            learnt: What is written, for its checksum.
            texts: What of it JSON can hold.
            arrays: The rest, by name.

        Raises:
            ConfigurationError: The file cannot be written.
        """
        about = {**texts, "format": self.format, "checksum": learnt.identity}
        with saved_file(path, self.name) as file:
            np.savez_compressed(file, text=np.array(json.dumps(about)), **arrays)
        return path

    def load(
        self, path: Path, build: Callable[[Mapping[str, Any], Mapping[str, Array]], Kept]
    ) -> Kept:
        """Read an archive.

        Args:
            path: Of the file.
            build: Puts texts and arrays together; what does not fit raises `ValueError`.

        Raises:
            ConfigurationError: The file is missing, damaged, changed or of another format.
        """
        if not input_path(path, self.name).is_file():
            raise ConfigurationError(
                f"The {self.name} {path} does not exist. It lies beside the robot file that "
                f"'{self.command}' wrote; move both together, or make it again."
            )
        try:
            arrays = read_arrays(path, self.name, ("text",), self.unbounded)
            texts = json.loads(str(arrays.pop("text")))
            if other := instead(path, self.name):  # which may have the same format
                raise ConfigurationError(f"{path} is no {self.name}.{other}")
            self._check_format(path, texts["format"])
            learnt = build(texts, arrays)
            if learnt.identity != texts["checksum"]:
                raise ValueError("its checksum is not that of its content")
        except DAMAGE as error:
            other = instead(path, self.name)
            if isinstance(error, ConfigurationError):
                raise
            raise ConfigurationError(
                f"{path} is no readable {self.name} ({error}); it is cut off or was changed. Make "
                f"it again: '{self.command}'.{other}"
            ) from error
        return learnt

    def _check_format(self, path: Path, found: object) -> None:
        """Raise for a format of another version."""
        if found != self.format:
            raise ConfigurationError(
                f"{path} has format {found}, this version reads {self.format}: make the "
                f"{self.name} again ('{self.command}'), or use the version that wrote it."
            )
