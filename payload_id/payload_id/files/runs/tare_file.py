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
from ..configuration.array_archive import check_at_least, check_shapes, read_arrays
from ..configuration.file_kind import instead
from ..configuration.whole_file import saved_file

FORMAT = 1  # of the archive; raised when older programs could not read a newer one
# Sizes of the arrays: m rows, p nuisance parameters, q = p + 11, C channels.
SHAPES = {
    "format": "", "calibrated": "",
    "row_A": "m 10", "row_A_error": "m 10", "row_B": "m p", "row_b": "m", "row_d": "m",
    "row_joint": "m", "row_start": "m", "row_end": "m", "row_A_static": "m 10",
    "row_dynamism": "m", "row_reading": "m", "row_gain_column": "m", "row_gain": "m",
    "row_shift": "m", "row_likely": "m l", "row_growth": "m g", "row_weight": "m",
    "row_scale": "m",
    "statistics_plain": "11 11", "statistics_weighted": "q q", "statistics_rows": "",
    "statistics_channels": "C q q", "statistics_counts": "C", "statistics_errors": "C 11",
    "statistics_blended": "C q q", "statistics_gain": "C p",
}  # fmt: skip
OPTIONAL = tuple(
    f"{name}_{entry.name}"
    for name, kind in (("row", RowBlock), ("statistics", Statistics))
    for entry in fields(kind)
    if entry.default is None
)
LEAST = {
    "row_A_error": 0.0, "row_d": 0.0, "row_joint": 0.0, "row_gain_column": -1.0, "calibrated": 0.0,
    "statistics_rows": 0.0, "statistics_counts": 0.0, "statistics_errors": 0.0,
}  # fmt: skip


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
        held = read_arrays(path, "tare", unbounded=("row_dynamism",))
        if int(held["format"]) != FORMAT:
            raise ValueError(f"format {held['format']}; this version reads {FORMAT}")
        _check(held)
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
            f"run file; copy the whole folder of the run.{instead(path, 'tare')}"
        ) from error


def _check(held: dict[str, Any]) -> None:
    """Raise ValueError or KeyError unless arrays can be those of a tare."""
    shapes = {name: shape for name, shape in SHAPES.items() if name in held or name not in OPTIONAL}
    sizes = check_shapes(held, shapes)
    check_at_least(held, LEAST)
    m, p = sizes["m"], sizes["p"]
    wide = {sizes.get("l", 0): (0, p + 1), sizes.get("g", 0): (0, p), sizes["q"]: (p + 11,)}
    if not all(found in possible for found, possible in wide.items()):
        raise ValueError("numbers of nuisance parameters differ")
    if int(held["calibrated"]) > m or (held.get("row_gain_column", np.zeros(0)) >= p).any():
        raise ValueError("a row or a gain is named that is not there")


def _of(kind: Any, name: str, held: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a dataclass that an archive holds."""
    names = [entry.name for entry in fields(kind)]
    return {key: held[f"{name}_{key}"] for key in names if f"{name}_{key}" in held}
