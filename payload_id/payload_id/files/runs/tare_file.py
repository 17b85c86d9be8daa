"""What a tare has taught, on disk: a NumPy archive beside the run file that names it."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import ConfigurationError
from ...core.identification.tare import Tare
from ...core.rows.row_block import RowBlock
from ...core.statistics.statistics import Statistics
from ..configuration.array_archive import read_arrays
from ..configuration.whole_file import saved_file

FORMAT = 1  # of the archive; raised when older programs could not read a newer one


def save_tare(path: Path, tare: Tare) -> Path:
    """Write a tare, every number to its last bit; the file is there whole or not at all.

    Raises:
        ConfigurationError: The file cannot be written.
    """
    arrays: dict[str, Any] = {"format": FORMAT, "calibrated": tare.calibrated}
    for name, part in (("row", tare.rows), ("statistics", tare.statistics)):
        held = {entry.name: getattr(part, entry.name) for entry in fields(part)}
        arrays |= {f"{name}_{key}": value for key, value in held.items() if value is not None}
    with saved_file(path, "tare") as file:
        np.savez_compressed(file, **arrays)
    return path


def load_tare(path: Path) -> Tare:
    """Read a tare.

    Raises:
        ConfigurationError: The file is missing, damaged or of another format.
    """
    try:
        held = read_arrays(path, "tare")
        if int(held["format"]) != FORMAT:
            raise ValueError(f"format {held['format']}; this version reads {FORMAT}")
        statistics = _of(Statistics, "statistics", held)
        statistics["rows"] = int(statistics["rows"])
        return Tare(
            RowBlock(**_of(RowBlock, "row", held)),
            Statistics(**statistics),
            int(held["calibrated"]),
        )
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        raise ConfigurationError(
            f"The tare {path} cannot be read ({type(error).__name__}: {error}). It lies beside the "
            "run file; copy the whole folder of the run."
        ) from error


def _of(kind: Any, name: str, held: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a dataclass that an archive holds."""
    names = [entry.name for entry in fields(kind)]
    return {key: held[f"{name}_{key}"] for key in names if f"{name}_{key}" in held}
