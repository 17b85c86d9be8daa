"""What an arm was told of its load, and what it had before: kept beside the result, for undoing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.codec import built, plain
from ...core.errors import ConfigurationError
from ...core.safety.certificate.certificate import digest_of
from ..configuration.atomic_write import save
from ..configuration.json_file import read_json

DIGEST = "digest"  # entry of the file: that of all others
Values = Mapping[str, Any]  # fields of a driver's request and their values


@dataclass(frozen=True)
class LoadRecord:
    """One call of a driver's service.

    Attributes:
        target: Who was told, one of `arms.ARMS`.
        service: The service.
        at: When, ISO 8601.
        written: What was sent.
        before: What the arm had before; None: it does not say.
        undone: Whether `before` was sent again since.
        said: What the arm said that it had then, where that was something else; None: the same, or
            it did not say.
    """

    target: str
    service: str
    at: str
    written: dict[str, Any]
    before: dict[str, Any] | None
    undone: bool = False
    said: dict[str, Any] | None = None

    def save(self, path: Path) -> None:
        """Write it.

        Raises:
            ConfigurationError: It cannot be written.
        """
        entries = plain(self)
        entries[DIGEST] = digest_of(entries)
        save(path, json.dumps(entries, indent=2) + "\n", "record of the load")

    @classmethod
    def load(cls, path: Path, target: str) -> LoadRecord:
        """Read it.

        Args:
            path: Of the file.
            target: Who must have been told.

        Raises:
            ConfigurationError: It is missing, damaged or changed, or of another arm.
        """
        entries = read_json(path, "record of the load")
        stated = entries.pop(DIGEST, None) if isinstance(entries, dict) else None
        try:
            record = built(cls, entries)
        except ValueError as error:
            raise ConfigurationError(f"{path} is no record of a load: {error}.") from error
        if stated != digest_of(entries):
            raise ConfigurationError(
                f"{path} was changed after it was written: its digest is not that of its content. "
                "What the arm had before must be set on its pendant."
            )
        if record.target != target:
            raise ConfigurationError(
                f"{path} is the record of a load for {record.target}, not for {target}. Name "
                "that arm with --to."
            )
        return record


def record_path(result: Path, target: str, namespace: str = "") -> Path:
    """Return where the record of a result is kept: in a run's folder, or beside a file.

    Args:
        result: Folder or file.
        target: Who was told.
        namespace: Of that arm, such as "/left": each has a record of its own.
    """
    name = f"load_applied_{target}{namespace.replace('/', '.')}.json"
    return result / name if result.is_dir() else result.with_name(f"{result.stem}.{name}")
