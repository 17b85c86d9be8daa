"""Wrench, orientation and acceleration from tables of comma-separated values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

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
    without_motion,
)
from .joint_table import counted_together
from .named_units import FORCES, OF_TURNING, TORQUES, check_units

WANTED = "description of a wrench's columns"
STANDARD_G = 9.80665  # [m/s2], CGPM 1901
TO_ACCELERATION = {"m/s2": 1.0, "g": STANDARD_G}
TOP = ("wrench", "orientation", "acceleration", "gravity", "frame", "delimiter", "uncertainty")
TABLE = ("file", "stamp", "late_by")


@dataclass(frozen=True)
class Form:
    """A way to write the axes of the sensor in the world.

    Attributes:
        count: Number of columns.
        meaning: What they hold.
        matrices: Makes matrices (M, 3, 3) of their values (M, count), angles in rad.
        angles: Whether they are angles, whose unit has to be said.
    """

    count: int
    meaning: str
    matrices: Callable[[Array], Array]
    angles: bool = True


def _euler(sequence: str) -> Callable[[Array], Array]:
    """Return what makes matrices of angles about axes, small letters for those of the world."""
    return lambda values: np.asarray(Rotation.from_euler(sequence, values).as_matrix())


FORMS = {
    "matrix": Form(9, "row by row", lambda values: values.reshape(-1, 3, 3), False),
    "quaternion": Form(4, "x, y, z, w", lambda x: np.asarray(Rotation.from_quat(x).as_matrix()),
                       False),
    "rpy": Form(3, "roll, pitch, yaw about x, then y, then z of the world", _euler("xyz")),
    "abc": Form(3, "A, B, C of KUKA: about z, then the new y, then the new x", _euler("ZYX")),
    "rotation_vector": Form(3, "axis times angle, as UR has it",
                            lambda x: np.asarray(Rotation.from_rotvec(x).as_matrix())),
}  # fmt: skip
JOINTS = "joints"  # positions of the arm that carries the sensor, in the robot file's order
SECTIONS = {
    "wrench": (*TABLE, "columns", "sign"),
    "orientation": (*TABLE, *FORMS, JOINTS, "unit", "position", "cutoff"),
    "acceleration": (*TABLE, "columns", "unit", "matrix", "bias", "at"),
}


FARTHEST = 10.0  # [m] of an accelerometer from the sensor's origin
LATEST = 1e3  # [s] by which stamps are late


@dataclass(frozen=True)
class WrenchTables:
    """What the tables hold, each at its own instants.

    Attributes:
        source: The file of the wrench.
        frame: Name of the sensor frame; empty: nothing is said of it.
        gravity: In the world, three numbers [m/s2].
        wrench: Stamps (N,) [ns], and values with the sign applied, shape (N, 6).
        rotation: Stamps, and axes of the sensor in the world, shape (M, 3, 3), or positions of the
            joints of the arm that carries it, shape (M, n) [rad or m].
        at_rest: Whether each row is one pose at rest: stamps number them.
        position: Origin of the sensor in the world, shape (M, 3) [m]; None if not recorded.
        acceleration: Stamps and proper acceleration in the sensor frame, shape (K, 3) [m/s2]; None
            if not recorded.
        accelerometer_at: Position of the accelerometer in the sensor frame, three numbers [m].
        cutoff: Bandwidth of the motion that is kept [Hz]; None: told from the orientations.
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
    at_rest: bool = False


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


def read_wrench_csv(
    path: Path | str, columns: Mapping[str, Any] | Path | str, static: bool = False
) -> WrenchTables:
    """Read the tables; `WrenchRecording.from_csv` documents arguments and errors."""
    if isinstance(columns, Mapping):
        return _Description(columns, "columns", Path(path), static).tables()
    return _Description(read_yaml(columns, WANTED), str(columns), Path(path), static).tables()


class _Description:
    """The entries of a description, and the file of the wrench that it is applied to."""

    def __init__(self, entries: Mapping[str, Any], where: str, path: Path, static: bool) -> None:
        """Check the entries' names."""
        self._entries, self._where, self._path = entries, where, path
        self._static, self._at_rest = static, False
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
        names = self._names(wrench, "columns", 6)
        stamp, values, dropped = self._read("wrench", names)
        sign = self._numbers(wrench, "sign", (1.0,), (1, 6))
        if not np.all(sign):
            raise ConfigurationError(
                f"'sign' in {self._where} must not be 0, once or for each channel: 1 or -1, or a "
                f"factor to N and N m; found {brief(wrench['sign'])}."
            )
        delimiter = delimiter_of(self._entries, self._where)
        factor, entry = np.broadcast_to(sign, (6,)), f"'sign' in {self._where}"
        for part, units in ((slice(3), FORCES), (slice(3, 6), TORQUES)):
            check_units(
                self._path, names[part], delimiter, units, factor[part], entry, "sign" in wrench
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
            frame=str(self._entries.get("frame", "")),
            gravity=(g[0], g[1], g[2]),
            wrench=(stamp, values * np.asarray(sign)),
            rotation=(turn_stamp, rotation),
            position=position,
            acceleration=self._acceleration(acceleration) if acceleration else None,
            accelerometer_at=(at[0], at[1], at[2]),
            cutoff=cutoff,
            dropped={**dropped, **self._lost},
            uncertainty=None if assumed is None else _assumed(assumed, self._where),
            at_rest=self._at_rest,
        )

    def _orientation(self) -> tuple[NDArray[np.int64], Array, Array | None]:
        """Return stamps, rotations or joint positions, and origins if recorded.

        Rows that lack a value are left out.
        """
        section = self._section("orientation")
        given = [key for key in (*FORMS, JOINTS) if key in section]
        if len(given) != 1:
            forms = "; ".join(f"{key} ({x.count}: {x.meaning})" for key, x in FORMS.items())
            raise ConfigurationError(
                f"'orientation' of {self._where} must name the columns of one of: {forms}; "
                f"{JOINTS} (with the robot that carries the sensor); found {given or 'none'}."
            )
        if given == [JOINTS] and "gravity" in self._entries:
            raise ConfigurationError(
                f"'gravity' in {self._where} is that of the robot, whose joints 'orientation' "
                "names: leave it out."
            )
        form = FORMS.get(given[0])
        names = self._names(section, given[0], None if form is None else form.count)
        count = len(names)
        if "position" in section:
            names = (*names, *self._names(section, "position", 3))
        unit = 1.0
        if form is None or form.angles:
            name = f"'unit' of '{given[0]}' in 'orientation'"
            unit = chosen(OF_TURNING, section.get("unit"), name, self._where)
        elif "unit" in section:
            raise ConfigurationError(f"'unit' in {self._where} goes with angles alone.")
        stamp, values = self._usable("orientation", names)
        turned, place = unit * values[:, :count], values[:, count:]
        if given[0] == "quaternion":
            self._check_quaternions(turned)
        rotation = turned if form is None else form.matrices(turned)
        return stamp, rotation, place if "position" in section else None

    def _check_quaternions(self, values: Array) -> None:
        """Raise unless their length is 1."""
        size = np.linalg.norm(values, axis=1)
        if (np.abs(size - 1.0) > 0.01).any():
            raise RecordingError(
                f"Quaternions of {self._path} must have length 1; found {size.min():.3g} to "
                f"{size.max():.3g}. Check which columns hold x, y, z, w."
            )

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
        column = None
        if stamp is not None:
            column = StampColumn.from_entry(stamp, f"'stamp' of '{name}'", self._where)
        delimiter = delimiter_of(self._entries, self._where)
        found, values, dropped = read_columns(self._file(name), column, columns, delimiter)
        if question := without_motion(self._file(name), found, column is not None):
            if not self._static:
                raise RecordingError(question)
            if self._file(name) != self._path or "acceleration" in self._entries:
                raise ConfigurationError(
                    f"Where each row is one pose at rest, {self._where} must describe wrench and "
                    "orientation in one file, and no acceleration."
                )
            self._at_rest = True
            return np.arange(len(found)) * 10**9, values, dropped
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

    def _names(self, section: Mapping[str, Any], key: str, count: int | None) -> tuple[str, ...]:
        """Return names of columns, of any number where none is given."""
        value = section.get(key)
        if not names_only(value) or len(value) != (count or len(value) or 1):
            raise ConfigurationError(
                f"'{key}' in {self._where} must list {count or 'the'} columns; found "
                f"{brief(value)}."
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
