"""Units of forces and torques that the names of columns state, or a line of units below them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ...core.arrays import Array
from ...core.errors import ConfigurationError
from .csv_columns import opened_table

LABEL = re.compile(r"(?<![A-Za-z])[A-Za-z][ _]?\d+")  # of an axis, such as A1, which is no ampere
Units = Mapping[str, tuple[str, float]]  # words of names, and the factor to N m or N
TORQUES: Units = {
    "mN m": ("mnm|nmm|mn m|n mm", 1e-3),
    "N cm": ("ncm|n cm", 1e-2),
    "kN m": ("knm|kn m", 1e3),
    "kgf m": ("kgfm|kgf m|kpm", 9.80665),
    "kgf cm": ("kgfcm|kgf cm|kgcm", 0.0980665),
    "lbf in": ("lbin|inlb|lb in|in lb|lbfin|lbf in|inlbf|in lbf", 0.1129848),
    "lbf ft": ("ftlb|lbft|ft lb|lb ft|lbfft|lbf ft|ftlbf|ft lbf", 1.3558179),
}
FORCES: Units = {
    "kN": ("kn", 1e3),
    "kgf": ("kgf|kg|kp", 9.80665),
    "lbf": ("lbf|lbs?", 4.4482216),
}


def has(words: str, pattern: str) -> bool:
    """Tell whether one of the words fits."""
    return re.search(rf"(?:^| )(?:{pattern})(?: |$)", words) is not None


def unit_said(names: Sequence[str], units: Mapping[str, str]) -> str:
    """Return the unit that names of columns state, of those whose words are given; else nothing."""
    bare = (LABEL.sub(" ", name) for name in names)
    text = " ".join(re.sub(r"[^a-zA-Z°]+", " ", name).lower() for name in bare)
    return next((unit for unit, words in units.items() if has(text, words)), "")


def with_units(names: Sequence[str], units: Mapping[str, str]) -> list[str]:
    """Return names of columns with what a line of units says of each, in brackets behind them."""
    said = [units.get(name, "").strip("[]() ") for name in names]
    return [f"{name} [{x}]" if x else name for name, x in zip(names, said, strict=True)]


def check_units(
    path: Path, columns: Sequence[str], delimiter: str, units: Units, factor: Array, entry: str
) -> None:
    """Raise where columns are named in another unit than N m or N, and no factor is stated.

    Args:
        path: The table.
        columns: Names of its columns that are multiplied by the factor.
        delimiter: Between its cells.
        units: That may be named.
        factor: Stated, a number or one for each column.
        entry: Which entry of which file states it.

    Raises:
        ConfigurationError: Says the factor that the unit has.
    """
    with opened_table(path, delimiter) as (names, _, text):
        below = dict(zip(names, text.units, strict=False))
    known = {name: words for name, (words, _) in units.items()}
    said = unit_said(with_units(columns, below), known)
    if said and (np.abs(factor) == 1.0).all():
        raise ConfigurationError(
            f"{columns[0]} ... of {path} are in {said} by their names: {entry} must hold the "
            f"factor {units[said][1]:g} with the sign; if the names are wrong, mend them."
        )
