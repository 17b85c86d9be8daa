"""Wrench, orientation and acceleration from tables of comma-separated values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from ...core.arrays import Array
from ...core.errors import RecordingError
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ..configuration.input_path import sibling
from ..configuration.yaml_file import read_yaml
from .clock_times import in_one_time
from .csv_columns import read_columns, without_motion
from .joint_table import counted_together
from .named_units import FORCES, OF_TURNING, TORQUES, check_units

if TYPE_CHECKING:
    from ..configuration.read_model import Source
    from .column_keys import AccelerationPart, TableKeys, WrenchKeys

WANTED = "description of a wrench's columns"
STANDARD_G = 9.80665  # [m/s2], CGPM 1901


def _euler(sequence: str) -> Callable[[Array], Array]:
    """Return what makes matrices of angles about axes, small letters for those of the world."""
    return lambda values: np.asarray(Rotation.from_euler(sequence, values).as_matrix())


# What makes matrices (M, 3, 3) of the values of columns (M, k), angles in rad; joints stay as they
# are.
MATRICES: dict[str, Callable[[Array], Array]] = {
    "matrix": lambda values: values.reshape(-1, 3, 3),
    "rpy": _euler("xyz"),
    "abc": _euler("ZYX"),
    "rotation_vector": lambda values: np.asarray(Rotation.from_rotvec(values).as_matrix()),
    "joints": lambda values: values,
}


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
    from ..configuration.read_model import read_model  # here: pydantic takes long to import
    from .column_keys import WrenchBounds

    def section(entries: dict[str, Any]) -> dict[str, Any]:
        return {"uncertainty": entries.get("uncertainty", entries)}

    return read_model(path, WrenchBounds, "YAML file", section)[0].uncertainty


def read_wrench_csv(
    path: Path | str, columns: Mapping[str, Any] | Path | str, static: bool = False
) -> WrenchTables:
    """Read the tables; `WrenchRecording.from_csv` documents arguments and errors."""
    from ..configuration.read_model import read_model  # here: pydantic takes long to import
    from .column_keys import WrenchKeys

    keys, source = read_model(columns, WrenchKeys, WANTED)
    return _Reader(keys, source, Path(path), static).tables()


class _Reader:
    """Reads the tables that a description says, with the file of the wrench."""

    def __init__(self, keys: WrenchKeys, source: Source, path: Path, static: bool) -> None:
        """Nothing is read yet."""
        self._keys, self._source, self._path, self._static = keys, source, path, static
        self._at_rest = False
        self._lost: dict[str, int] = {}  # rows of the motion that are left out, by cause

    def tables(self) -> WrenchTables:
        """Read all of them."""
        keys, names, sign = self._keys, self._keys.wrench.columns, self._keys.wrench.sign
        stamp, values, dropped = self._read("wrench", names)
        entry = f"'sign' in {self._source.where('wrench', 'sign')}"
        said = "sign" in keys.wrench.model_fields_set
        for part, units in ((slice(3), FORCES), (slice(3, 6), TORQUES)):
            check_units(self._path, names[part], keys.delimiter, units, sign[part], entry, said)
        turn_stamp, rotation, position = self._orientation()
        motion = keys.acceleration
        return WrenchTables(
            source=str(self._path),
            frame=keys.frame,
            gravity=keys.gravity or (0.0, 0.0, -STANDARD_G),
            wrench=(stamp, values * sign),
            rotation=(turn_stamp, rotation),
            position=position,
            acceleration=None if motion is None else self._acceleration(motion),
            accelerometer_at=(0.0, 0.0, 0.0) if motion is None else motion.at,
            cutoff=keys.orientation.cutoff,
            dropped={**dropped, **self._lost},
            uncertainty=keys.uncertainty,
            at_rest=self._at_rest,
        )

    def _orientation(self) -> tuple[NDArray[np.int64], Array, Array | None]:
        """Return stamps, rotations or joint positions, and origins if recorded.

        Rows that lack a value are left out.
        """
        keys = self._keys.orientation
        names, place = getattr(keys, keys.form), keys.position or ()
        stamp, values = self._usable("orientation", (*names, *place))
        turned = values[:, : len(names)] * (1.0 if keys.unit is None else OF_TURNING[keys.unit])
        origin = values[:, len(names) :] if place else None
        if keys.form == "quaternion":
            return stamp, rotations_of(turned, str(self._path)), origin
        return stamp, MATRICES[keys.form](turned), origin

    def _acceleration(self, keys: AccelerationPart) -> tuple[NDArray[np.int64], Array]:
        """Return stamps and proper acceleration in the sensor frame [m/s2]."""
        stamp, values = self._usable("acceleration", keys.columns)
        unit = STANDARD_G if keys.unit == "g" else 1.0
        return stamp, values * unit @ keys.matrix.reshape(3, 3).T + np.array(keys.bias)

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
        keys: TableKeys = getattr(self._keys, name)
        path, stamp = self._file(name, keys), keys.stamp or self._keys.wrench.stamp
        found, values, dropped = read_columns(path, stamp, columns, self._keys.delimiter)
        if question := without_motion(path, found, stamp is not None):
            if not self._static:
                raise RecordingError(question)
            if path != self._path or self._keys.acceleration is not None:
                raise self._source.refuse(
                    "must be in one file with wrench and orientation, without acceleration, where "
                    "each row is one pose at rest.",
                    name,
                )
            self._at_rest = True
            return np.arange(len(found)) * 10**9, values, dropped
        rows, leaps, _ = in_one_time(found, "the stamps", str(path))
        if others := len(found) - len(rows) - sum(leaps.values()):
            leaps["of_another_time"] = others
        found, values = found[rows] - round(keys.late_by * 1e9), values[rows]
        return found, values, counted_together(dropped, leaps)

    def _file(self, name: str, keys: TableKeys) -> Path:
        """Return the file of one of the tables, by the pattern that fits the wrench's."""
        if name == "wrench" or keys.file is None:
            return self._path
        own, file = self._keys.wrench.file or "*", self._path.name
        head, star, tail = own.partition("*")
        if star and file.startswith(head) and file.endswith(tail):
            run = file[len(head) : len(file) - len(tail)]
            return sibling(self._path, keys.file.replace("*", run))
        if "*" not in keys.file:
            return sibling(self._path, keys.file)
        raise self._source.refuse(
            f"is '{keys.file}', which cannot be found: '{file}' does not fit 'file: {own}' of "
            "'wrench'. Rename it, or change the pattern.",
            name, "file",
        )  # fmt: skip


def rotations_of(quaternions: Array, where: str) -> Array:
    """Return the matrices of quaternions x, y, z, w of shape (N, 4), shape (N, 3, 3).

    Raises:
        RecordingError: Their lengths are not 1; says where they come from.
    """
    size = np.linalg.norm(quaternions, axis=1)
    if not (np.abs(size - 1.0) < 0.01).all():
        raise RecordingError(
            f"{where} holds orientations that are no unit quaternions (lengths {size.min():.3g} to "
            f"{size.max():.3g}). Check that they are x, y, z, w, and look for poses that were "
            "never set."
        )
    return np.asarray(Rotation.from_quat(quaternions).as_matrix())


def _increasing(stamp: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which stamps are newer than all before."""
    newest = np.maximum.accumulate(stamp)
    return np.concatenate([[True], stamp[1:] > newest[:-1]])
