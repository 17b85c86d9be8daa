"""Joint states of a table of comma-separated values."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.arm.per_joint import PerJoint
from ...core.arrays import Array
from ...core.errors import ConfigurationError, RecordingError, UnknownNameError
from ...core.samples.joint_map import JointMap
from ...core.samples.sample_checks import Drop
from ..configuration.yaml_file import read_yaml
from .joint_table import JointTable

TO_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
TO_RADIANS = {"rad": 1.0, "deg": np.pi / 180.0}
REQUIRED = ("joints", "stamp", "position", "effort")
OPTIONAL = ("velocity", "position_unit", "effort_sign", "effort_offset", "delimiter")
STAMP_RANGE = 2**62  # [ns], 146 years: what 64-bit arithmetic on stamps leaves room for


@dataclass(frozen=True)
class Columns:
    """What the columns of a table hold.

    Attributes:
        stamp: Name of the column of time.
        stamp_unit: Its unit, in nanoseconds.
        position: Column names of the joint positions.
        velocity: Column names of the joint velocities; empty if not measured.
        effort: Column names of the joint torques.
        angle_unit: Unit of positions, in radians.
        joint_map: Names of the joints and the conversion of effort.
        delimiter: Character between cells.

    """

    stamp: str
    stamp_unit: int
    position: tuple[str, ...]
    velocity: tuple[str, ...]
    effort: tuple[str, ...]
    angle_unit: float
    joint_map: JointMap
    delimiter: str

    @classmethod
    def from_entries(cls, entries: Mapping[str, Any], where: str) -> Columns:
        """Build from the entries of a mapping or YAML file.

        Raises:
            ConfigurationError: An entry is missing, unknown or impossible.

        """
        _check_entries(entries, where)
        joints = tuple(str(name) for name in entries["joints"])
        stamp = entries["stamp"]
        if not isinstance(stamp, Mapping) or set(stamp) != {"column", "unit"}:
            raise ConfigurationError(
                f"'stamp' in {where} must be {{column: NAME, unit: {' | '.join(TO_NANOSECONDS)}}}; "
                f"found {stamp!r}."
            )
        sign = _numbers(entries, "effort_sign", 1.0, where)
        offset = _numbers(entries, "effort_offset", 0.0, where)
        return cls(
            stamp=str(stamp["column"]),
            stamp_unit=int(_choice(TO_NANOSECONDS, stamp["unit"], "stamp unit", where)),
            position=_names(entries, "position", len(joints), where),
            velocity=_names(entries, "velocity", len(joints), where),
            effort=_names(entries, "effort", len(joints), where),
            angle_unit=_choice(
                TO_RADIANS, entries.get("position_unit", "rad"), "position_unit", where
            ),
            joint_map=JointMap(joints, sign, offset),
            delimiter=str(entries.get("delimiter", ",")),
        )


def read_csv(
    path: Path | str, columns: Mapping[str, Any] | Path | str
) -> tuple[JointTable, JointMap]:
    """Read the joint states of a table; `Recording.from_csv` documents arguments and errors."""
    wanted = _load_columns(columns)
    stamp_ns, values, dropped = read_columns(
        Path(path),
        wanted.stamp,
        wanted.stamp_unit,
        (*wanted.position, *wanted.effort, *wanted.velocity),
        wanted.delimiter,
    )
    n = len(wanted.joint_map.joints)
    q = values[:, :n] * wanted.angle_unit
    tau = wanted.joint_map.torque(values[:, n : 2 * n])
    dq = values[:, 2 * n :] * wanted.angle_unit if wanted.velocity else np.full(q.shape, np.nan)
    return JointTable(str(path), stamp_ns, q, dq, tau, dropped), wanted.joint_map


def _load_columns(columns: Mapping[str, Any] | Path | str) -> Columns:
    """Return the description of the columns, from a mapping or the YAML file that holds it."""
    if isinstance(columns, Mapping):
        return Columns.from_entries(columns, "columns")
    return Columns.from_entries(read_yaml(columns), str(columns))


def read_columns(
    path: Path, stamp_column: str, stamp_unit: int, columns: Sequence[str], delimiter: str = ","
) -> tuple[NDArray[np.int64], Array, dict[str, int]]:
    """Return stamps (N,) [ns], the cells of k columns (N, k), and what was left out, by cause.

    Args:
        path: The file; its first line names the columns.
        stamp_column: Name of the column of time.
        stamp_unit: Its unit [ns].
        columns: Names of the columns wanted.
        delimiter: Character between cells.

    Raises:
        RecordingError: The file cannot be read; says line and column of a bad cell.
        UnknownNameError: A column does not exist.

    """
    stamps: list[int] = []
    rows: list[list[float]] = []
    without_stamp = 0
    with _csv_rows(path, delimiter) as lines:
        names, at = _header(lines, path, (stamp_column, *columns))
        for line, cells in lines:
            if len(cells) != len(names):
                raise RecordingError(
                    f"{path}, line {line}: {len(cells)} cells where the first line has "
                    f"{len(names)}. The file may be cut off; remove the line to use the rest."
                )
            row = [_number(cells[k], path, line, names[k]) for k in at[1:]]
            stamp = _stamp(cells[at[0]], stamp_unit, path, line, stamp_column)
            if stamp is None:
                without_stamp += 1
            else:
                stamps.append(stamp)
                rows.append(row)
    if not rows:
        raise RecordingError(f"{path} has no rows below its first line.")
    dropped = {Drop.NOT_FINITE.value: without_stamp} if without_stamp else {}
    return np.array(stamps, dtype=np.int64), np.array(rows), dropped


@contextmanager
def _csv_rows(path: Path, delimiter: str) -> Iterator[Iterator[tuple[int, list[str]]]]:
    """Open a table; its rows come with their line numbers, empty lines left out."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, delimiter=delimiter)
            yield ((reader.line_num, cells) for cells in reader if cells)
    except OSError as error:
        raise RecordingError(f"Cannot read the table {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise RecordingError(f"{path} is not a text file in UTF-8: {error.reason}.") from error
    except csv.Error as error:
        raise RecordingError(f"{path} is not a table of separated values: {error}.") from error


def _header(
    lines: Iterator[tuple[int, list[str]]], path: Path, wanted: Sequence[str]
) -> tuple[list[str], list[int]]:
    """Return the column names, and where the wanted ones are (the stamp first)."""
    names = [name.strip() for name in next(lines, (0, []))[1]]
    if not names:
        raise RecordingError(f"The table {path} is empty.")
    at = []
    for name in wanted:
        if name not in names:
            raise UnknownNameError("column", name, names, str(path))
        if names.count(name) > 1:
            raise RecordingError(f"{path} has {names.count(name)} columns named '{name}'.")
        at.append(names.index(name))
    return names, at


def _number(cell: str, path: Path, line: int, column: str) -> float:
    """Return a cell's number; an empty cell is a missing value (NaN)."""
    try:
        return float(cell) if cell.strip() else float("nan")
    except ValueError:
        raise _not_a_number(cell, path, line, column) from None


def _stamp(cell: str, unit: int, path: Path, line: int, column: str) -> int | None:
    """Return a stamp in nanoseconds, exact in decimal; None if it is missing."""
    try:
        value = Decimal(cell.strip() or "nan") * unit
    except InvalidOperation:
        raise _not_a_number(cell, path, line, column) from None
    if not value.is_finite():
        return None
    if abs(value) > STAMP_RANGE:
        raise RecordingError(
            f"{path}, line {line}, column '{column}': the stamp {cell} is out of range "
            "(146 years). Check the unit."
        )
    return round(value)


def _not_a_number(cell: str, path: Path, line: int, column: str) -> RecordingError:
    return RecordingError(f"{path}, line {line}, column '{column}': '{cell}' is not a number.")


def _check_entries(entries: Mapping[str, Any], where: str) -> None:
    """Raise unless all required entries, and no unknown ones, are there."""
    for key in entries:
        if key not in REQUIRED + OPTIONAL:
            unknown = UnknownNameError("entry", str(key), REQUIRED + OPTIONAL, where)
            raise ConfigurationError(str(unknown))
    absent = [key for key in REQUIRED if key not in entries]
    if absent:
        raise ConfigurationError(f"{where} lacks {', '.join(absent)}.")
    joints = entries["joints"]
    if not isinstance(joints, Sequence) or isinstance(joints, str) or not joints:
        raise ConfigurationError(f"'joints' in {where} must list joint names; found {joints!r}.")
    delimiter = entries.get("delimiter", ",")
    if not isinstance(delimiter, str) or len(delimiter) != 1:
        raise ConfigurationError(
            f"'delimiter' in {where} must be one character; found {delimiter!r}."
        )


def _names(entries: Mapping[str, Any], key: str, n: int, where: str) -> tuple[str, ...]:
    """Return n column names, given as a list or as a pattern with {j} = 1 ... n."""
    value = entries.get(key)
    if value is None and key not in REQUIRED:
        return ()
    if isinstance(value, str) and "{j}" in value:
        return tuple(value.replace("{j}", str(j)) for j in range(1, n + 1))
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, Sequence) or len(names) != n:
        raise ConfigurationError(
            f"'{key}' in {where} must be a pattern such as Position{{j}} with {{j}} = 1 ... {n}, "
            f"or a list of {n} column names; found {value!r}."
        )
    return tuple(str(name) for name in names)


def _choice(choices: Mapping[str, float], value: object, key: str, where: str) -> float:
    """Return the value of one of the allowed words."""
    if value not in choices:
        raise ConfigurationError(
            f"'{key}' in {where} must be one of {', '.join(choices)}; found {value!r}."
        )
    return choices[str(value)]


def _numbers(entries: Mapping[str, Any], key: str, default: float, where: str) -> PerJoint:
    """Return one number, or one for each joint."""
    value = entries.get(key, default)
    try:
        if isinstance(value, Sequence) and not isinstance(value, str):
            return tuple(float(x) for x in value)
        return float(value)  # also 1e-3, which YAML 1.1 takes for text
    except (TypeError, ValueError):
        raise ConfigurationError(
            f"'{key}' in {where} must be a number, or one for each joint; found {value!r}."
        ) from None
