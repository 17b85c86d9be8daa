"""What is said of each recording of a fleet: a table, CSV or Parquet, one line each."""

from __future__ import annotations

import math
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Number
from pathlib import Path
from typing import Any
from urllib.parse import quote

import fsspec
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from ...core.errors import ConfigurationError, brief, in_words, shortened
from .local_copy import check_place

COLUMNS = {
    "bag": "recording: path or URL; relative ones are from the manifest's folder",
    "robot": "robot file, or name of a shipped one; empty: --robot",
    "arm": "name of the arm; empty: the robot file's; results are kept by it",
    "payload": "name of the payload; recordings of one name are taken together",
    "tare": "recordings of the bare arm, separated by ;",
    "known_mass": "mass of the payload [kg], to be compared; 0: the arm was bare",
    "temperature": "of the arm [degree Celsius]",
}
SEPARATOR = ";"
RANGES = {"known_mass": (0.0, 1e5, "kg"), "temperature": (-273.15, 500.0, "degrees Celsius")}
LONGEST_ARM = 200  # of a name as it stands in the name of a folder


@dataclass(frozen=True)
class Entry:
    """What is said of one recording.

    Attributes:
        bag: Path or URL.
        robot: Robot file; empty: that of all.
        arm: Name of the arm; empty: the robot file's.
        payload: Name of the payload; empty: unknown.
        tare: Paths or URLs of recordings of the bare arm.
        known_mass: Mass of the payload [kg]; None: unknown.
        temperature: Of the arm [degree Celsius]; None: unknown.
    """

    bag: str
    robot: str = ""
    arm: str = ""
    payload: str = ""
    tare: tuple[str, ...] = ()
    known_mass: float | None = None
    temperature: float | None = None


def read_manifest(place: str) -> tuple[Entry, ...]:
    """Return the entries of a manifest, in its order.

    Args:
        place: Path or URL of a .csv or .parquet file.

    Raises:
        ConfigurationError: It cannot be read, lacks `bag`, has a column that is unknown, or an
            entry that is impossible; says which line.
    """
    check_place(place, "manifest")
    try:
        with fsspec.open(place, "rb") as file:
            read = pa.parquet.read_table if place.lower().endswith(".parquet") else _read_csv
            table = read(file)
            rows = table.to_pylist()  # texts that are no UTF-8 are found here
    except (OSError, ValueError, ImportError, pa.ArrowException) as error:
        damaged = isinstance(error, pa.ArrowException | OSError) and not isinstance(
            error, FileNotFoundError | PermissionError
        )
        why = "it is damaged, or not what its name says" if damaged else in_words(error)
        raise ConfigurationError(
            f"The manifest {place} cannot be read ({shortened(why)}). It is a table, .csv or "
            f".parquet, with the columns {', '.join(COLUMNS)}, of which bag is needed."
        ) from error
    columns = table.column_names
    unknown = [name for name in columns if name not in COLUMNS]
    if unknown or "bag" not in columns or len(set(columns)) < len(columns):
        raise ConfigurationError(
            f"The manifest {place} must have the column bag and none but {', '.join(COLUMNS)}, "
            f"each once; found {', '.join(columns)}."
        )
    if not table.num_rows:
        raise ConfigurationError(f"The manifest {place} names no recording.")
    folder = posixpath.dirname(place)
    entries = tuple(
        _entry(line, folder, f"{place}, entry {number}")
        for number, line in enumerate(rows, start=1)
    )
    _check_said_once(entries, place)
    return entries


def _check_said_once(entries: Sequence[Entry], place: str) -> None:
    """Raise where two entries say something else of the same recording.

    Raises:
        ConfigurationError: Says which.
    """
    first: dict[str, int] = {}
    for number, entry in enumerate(entries, start=1):
        before = first.setdefault(entry.bag, number)
        if entries[before - 1] != entry:
            raise ConfigurationError(
                f"The manifest {place} says two things of {entry.bag}, in entries {before} and "
                f"{number}. A recording has one line."
            )


def _read_csv(file: Any) -> pa.Table:
    """Read a table of comma-separated values, every cell as text."""
    options = pa.csv.ConvertOptions(
        column_types=dict.fromkeys(COLUMNS, pa.string()), strings_can_be_null=False
    )
    return pa.csv.read_csv(file, convert_options=options)


def _entry(line: Mapping[str, Any], folder: str, where: str) -> Entry:
    """Check one line."""
    for name, value in line.items():
        if isinstance(value, bool) or not isinstance(value, str | Number | None):
            raise ConfigurationError(
                f"{where}: {name} holds neither texts nor numbers, but {brief(value)}."
            )
    given = {name: value for name, value in line.items() if value is not None and value == value}
    texts = {name: str(given.get(name, "")).strip() for name in COLUMNS}  # nan: nothing is stated
    if not texts["bag"]:
        raise ConfigurationError(f"{where} names no recording (bag).")
    robot = texts["robot"]  # a path, or the name of a shipped one
    tares = [x.strip() for x in texts["tare"].split(SEPARATOR) if x.strip()]
    if len(quote(texts["arm"], safe="")) > LONGEST_ARM:
        raise ConfigurationError(
            f"{where}: the name of the arm names a folder, too: at most {LONGEST_ARM} letters, of "
            "which one that is not of a to z may count for several."
        )
    return Entry(
        bag=_from(folder, texts["bag"]),
        robot=_from(folder, robot) if robot.endswith((".yaml", ".yml")) else robot,
        arm=texts["arm"],
        payload=texts["payload"],
        tare=tuple(_from(folder, x) for x in tares),
        known_mass=_number(texts["known_mass"], "known_mass", where),
        temperature=_number(texts["temperature"], "temperature", where),
    )


def _from(folder: str, place: str) -> str:
    """Return a place that is relative to a folder as one that is not."""
    if "://" in place or posixpath.isabs(place):
        return place
    return f"{folder}/{place}" if "://" in folder else absolute(posixpath.join(folder, place))


def _number(text: str, name: str, where: str) -> float | None:
    """Return a number, None for an empty cell."""
    if not text:
        return None
    least, most, unit = RANGES[name]
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not least <= number <= most:
        raise ConfigurationError(
            f"{where}: {name} must be a number from {least:g} to {most:g} {unit}; found "
            f"{brief(text)}."
        )
    return number


def absolute(place: str) -> str:
    """Return a path of this machine from its root, and a URL as it is."""
    return place if "://" in place else str(Path(place).absolute())


def matched(entries: Sequence[Entry], recordings: Sequence[str]) -> tuple[Entry, ...]:
    """Return an entry for each recording that was named; those of a manifest count as named.

    Args:
        entries: Of a manifest; may be empty.
        recordings: Paths or URLs.
    """
    said = {entry.bag: entry for entry in entries}
    places = dict.fromkeys([*said, *recordings])
    return tuple(said.get(place, Entry(place)) for place in places)
