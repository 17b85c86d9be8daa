"""Wrench, orientation and acceleration from tables of comma-separated values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from ...core.arrays import Array
from ...core.errors import ConfigurationError, InputError, RecordingError, brief
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ..configuration.input_path import sibling
from ..configuration.yaml_file import read_yaml
from .clock_times import in_one_time
from .csv_columns import (
    StampColumn,
    chosen,
    delimiter_of,
    names_only,
    number,
    read_columns,
    refuse_unknown,
)
from .joint_table import counted_together

WANTED = "description of a wrench's columns"
STANDARD_G = 9.80665  # [m/s2], CGPM 1901
TO_ACCELERATION = {"m/s2": 1.0, "g": STANDARD_G}
TOP = ("wrench", "orientation", "acceleration", "gravity", "frame", "delimiter", "uncertainty")
TABLE = ("file", "stamp", "late_by")
SECTIONS = {
    "wrench": (*TABLE, "columns", "sign"),
    "orientation": (*TABLE, "matrix", "quaternion", "position", "cutoff"),
    "acceleration": (*TABLE, "columns", "unit", "matrix", "bias", "at"),
}


FARTHEST = 10.0  # [m] of an accelerometer from the sensor's origin
LATEST = 1e3  # [s] by which stamps are late


@dataclass(frozen=True)
class WrenchTables:
    """What the tables hold, each at its own instants.

    Attributes:
        source: The file of the wrench.
        frame: Name of the sensor frame.
        gravity: In the world, three numbers [m/s2].
        wrench: Stamps (N,) [ns], and values with the sign applied, shape (N, 6).
        rotation: Stamps and axes of the sensor in the world, shape (M, 3, 3).
        position: Origin of the sensor in the world, shape (M, 3) [m]; None if not recorded.
        acceleration: Stamps and proper acceleration in the sensor frame, shape (K, 3) [m/s2]; None
            if not recorded.
        accelerometer_at: Position of the accelerometer in the sensor frame, three numbers [m].
        cutoff: Low-pass of the orientations [Hz]; None: told from them.
        dropped: Rows that were left out, by cause; those of the motion begin with its table.
        uncertainty: What the description assumes; None if it says nothing.
    """

    source: str
    frame: str
    gravity: tuple[float, float, float]
    wrench: tuple[NDArray[np.int64], Array]
    rotation: tuple[NDArray[np.int64], Array]
    position: Array | None
    acceleration: tuple[NDArray[np.int64], Array] | None
    accelerometer_at: tuple[float, float, float]
    cutoff: float | None
    dropped: Mapping[str, int]
    uncertainty: WrenchUncertainty | None


def is_wrench_description(path: Path) -> bool:
    """Tell whether a YAML file describes the columns of a wrench."""
    return "wrench" in read_yaml(path)


def read_wrench_uncertainty(path: Path | str) -> WrenchUncertainty:
    """Return the bounds that a YAML file holds, or the section `uncertainty` of a description.

    Raises:
        ConfigurationError: The file cannot be read, or an entry is unknown or impossible.
    """
    entries = read_yaml(path)
    return _assumed(entries.get("uncertainty", entries), str(path))


def read_wrench_csv(path: Path | str, columns: Mapping[str, Any] | Path | str) -> WrenchTables:
    """Read the tables; `WrenchRecording.from_csv` documents arguments and errors."""
    if isinstance(columns, Mapping):
        return _Description(columns, "columns", Path(path)).tables()
    return _Description(read_yaml(columns, WANTED), str(columns), Path(path)).tables()


class _Description:
    """The entries of a description, and the file of the wrench that it is applied to."""

    def __init__(self, entries: Mapping[str, Any], where: str, path: Path) -> None:
        """Check the entries' names."""
        self._entries, self._where, self._path = entries, where, path
        self._lost: dict[str, int] = {}  # rows of the motion that are left out, by cause
        refuse_unknown(entries, TOP, where)
        for section in ("wrench", "orientation"):
            if section not in entries:
                raise ConfigurationError(f"{where} lacks '{section}'.")
        for section, keys in SECTIONS.items():
            if section in entries:
                if not isinstance(entries[section], Mapping):
                    raise ConfigurationError(f"'{section}' in {where} must be a section.")
                refuse_unknown(entries[section], keys, f"'{section}' of {where}")

    def tables(self) -> WrenchTables:
        """Read all of them."""
        wrench = self._section("wrench")
        stamp, values, dropped = self._read("wrench", self._names(wrench, "columns", 6))
        sign = self._numbers(wrench, "sign", (1.0,), (1, 6))
        if (np.abs(sign) != 1.0).any():
            raise ConfigurationError(
                f"'sign' in {self._where} must be 1 or -1, once or for each channel; found "
                f"{brief(wrench['sign'])}. Factors to newtons are not applied here."
            )
        turn_stamp, rotation, position = self._orientation()
        orientation = self._section("orientation")
        cutoff = None
        if orientation.get("cutoff") is not None:
            cutoff = self._numbers(orientation, "cutoff", (), (1,))[0]
        acceleration = self._section("acceleration") if "acceleration" in self._entries else {}
        at = self._numbers(acceleration, "at", (0.0, 0.0, 0.0), (3,), FARTHEST)
        g = self._numbers(self._entries, "gravity", (0.0, 0.0, -STANDARD_G), (3,))
        assumed = self._entries.get("uncertainty")
        return WrenchTables(
            source=str(self._path),
            frame=str(self._entries.get("frame", "sensor")),
            gravity=(g[0], g[1], g[2]),
            wrench=(stamp, values * np.asarray(sign)),
            rotation=(turn_stamp, rotation),
            position=position,
            acceleration=self._acceleration(acceleration) if acceleration else None,
            accelerometer_at=(at[0], at[1], at[2]),
            cutoff=cutoff,
            dropped={**dropped, **self._lost},
            uncertainty=None if assumed is None else _assumed(assumed, self._where),
        )

    def _orientation(self) -> tuple[NDArray[np.int64], Array, Array | None]:
        """Return stamps, rotations and, if recorded, origins; rows that lack a value left out."""
        section = self._section("orientation")
        given = [key for key in ("matrix", "quaternion") if key in section]
        if len(given) != 1:
            raise ConfigurationError(
                f"'orientation' of {self._where} must have either 'matrix' (nine columns, row by "
                f"row) or 'quaternion' (four columns: x, y, z, w); found {given or 'neither'}."
            )
        count = 9 if given[0] == "matrix" else 4
        names = self._names(section, given[0], count)
        if "position" in section:
            names = (*names, *self._names(section, "position", 3))
        stamp, values = self._usable("orientation", names)
        rotation = self._rotation(values[:, :count])
        return stamp, rotation, values[:, count:] if "position" in section else None

    def _rotation(self, values: Array) -> Array:
        """Return rotation matrices of nine or four numbers, shape (M, 3, 3)."""
        if values.shape[1] == 9:
            return values.reshape(-1, 3, 3)
        size = np.linalg.norm(values, axis=1)
        if (np.abs(size - 1.0) > 0.01).any():
            raise RecordingError(
                f"Quaternions of {self._path} must have length 1; found {size.min():.3g} to "
                f"{size.max():.3g}. Check which columns hold x, y, z, w."
            )
        return np.asarray(scipy.spatial.transform.Rotation.from_quat(values).as_matrix())

    def _acceleration(self, section: Mapping[str, Any]) -> tuple[NDArray[np.int64], Array]:
        """Return stamps and proper acceleration in the sensor frame [m/s2]."""
        stamp, values = self._usable("acceleration", self._names(section, "columns", 3))
        unit = chosen(
            TO_ACCELERATION, section.get("unit", "m/s2"), "'unit' of 'acceleration'", self._where
        )
        turn = np.reshape(self._numbers(section, "matrix", tuple(np.eye(3).flat), (9,)), (3, 3))
        bias = np.asarray(self._numbers(section, "bias", (0.0, 0.0, 0.0), (3,)))
        return stamp, values * unit @ turn.T + bias

    def _usable(self, name: str, columns: Sequence[str]) -> tuple[NDArray[np.int64], Array]:
        """Read columns of one of the motion's tables; rows that are left out are counted."""
        stamp, values, dropped = self._read(name, columns)
        keep = np.isfinite(values).all(axis=1) & _increasing(stamp)
        counts = {**dropped, "incomplete_or_not_newer": int((~keep).sum())}
        self._lost |= {f"{name}_{cause}": count for cause, count in counts.items() if count}
        return stamp[keep], values[keep]

    def _read(
        self, name: str, columns: Sequence[str]
    ) -> tuple[NDArray[np.int64], Array, dict[str, int]]:
        """Read columns of one of the tables."""
        section = self._section(name)
        stamp = section.get("stamp", self._section("wrench").get("stamp"))
        column = StampColumn.from_entry(stamp, f"'stamp' of '{name}'", self._where)
        delimiter = delimiter_of(self._entries, self._where)
        found, values, dropped = read_columns(self._file(name), column, columns, delimiter)
        rows, leaps, _ = in_one_time(found, "the stamps", str(self._file(name)))
        if others := len(found) - len(rows) - sum(leaps.values()):
            leaps["of_another_time"] = others
        late = self._numbers(section, "late_by", (0.0,), (1,), LATEST)[0]
        found, values = found[rows] - round(late * 1e9), values[rows]
        return found, values, counted_together(dropped, leaps)

    def _file(self, name: str) -> Path:
        """Return the file of one of the tables, by the pattern that fits the wrench's."""
        pattern = self._section(name).get("file")
        if name == "wrench" or pattern is None:
            return self._path
        own = str(self._section("wrench").get("file", "*"))
        head, star, tail = own.partition("*")
        file = self._path.name
        if star and file.startswith(head) and file.endswith(tail):
            run = file[len(head) : len(file) - len(tail)]
            return sibling(self._path, str(pattern).replace("*", run))
        if "*" not in str(pattern):
            return sibling(self._path, str(pattern))
        raise ConfigurationError(
            f"'{file}' does not fit 'file: {own}' of 'wrench' in {self._where}, so that the file "
            f"'{pattern}' of '{name}' cannot be found. Rename it, or change the pattern."
        )

    def _section(self, name: str) -> Mapping[str, Any]:
        section: Mapping[str, Any] = self._entries[name]
        return section

    def _names(self, section: Mapping[str, Any], key: str, count: int) -> tuple[str, ...]:
        """Return names of columns."""
        value = section.get(key)
        if not names_only(value) or len(value) != count:
            raise ConfigurationError(
                f"'{key}' in {self._where} must list {count} columns; found {brief(value)}."
            )
        return tuple(value)

    def _numbers(
        self,
        section: Mapping[str, Any],
        key: str,
        default: tuple[float, ...],
        lengths: tuple[int, ...],
        largest: float = np.inf,
    ) -> tuple[float, ...]:
        """Return one of the allowed numbers of finite numbers, none larger than a limit."""
        value = section.get(key, default)
        rows = value if isinstance(value, list | tuple) else [value]
        flat = [x for row in rows for x in (row if isinstance(row, list | tuple) else [row])]
        numbers = tuple(map(number, flat))  # a matrix may be given row by row
        if len(numbers) not in lengths or not np.isfinite(numbers).all():
            counts = " or ".join(str(n) for n in lengths)
            raise ConfigurationError(
                f"'{key}' in {self._where} must be {counts} finite number(s); found {brief(value)}."
            )
        if np.abs(numbers).max() > largest:
            raise ConfigurationError(
                f"'{key}' in {self._where} must be at most {largest:g} in SI units; found "
                f"{brief(value)}."
            )
        return numbers


def _assumed(entries: Any, where: str) -> WrenchUncertainty:
    """Return the uncertainty that entries state."""
    try:
        return WrenchUncertainty.from_dict(entries)
    except InputError as error:
        raise ConfigurationError(f"'uncertainty' in {where}: {error}") from error


def _increasing(stamp: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which stamps are newer than all before."""
    newest = np.maximum.accumulate(stamp)
    return np.concatenate([[True], stamp[1:] > newest[:-1]])
