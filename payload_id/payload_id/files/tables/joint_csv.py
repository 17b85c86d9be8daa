"""Joint states of a table of comma-separated values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...core.arm.per_joint import PerJoint
from ...core.errors import ConfigurationError, brief
from ...core.samples.joint_map import JointMap
from ..configuration.yaml_file import read_yaml
from .csv_columns import (
    StampColumn,
    chosen,
    delimiter_of,
    names_only,
    number,
    read_columns,
    refuse_unknown,
)
from .joint_table import JointTable

TO_RADIANS = {"rad": 1.0, "deg": np.pi / 180.0}
REQUIRED = ("joints", "stamp", "position", "effort")
OPTIONAL = ("velocity", "position_unit", "effort_sign", "effort_offset", "delimiter")


@dataclass(frozen=True)
class Columns:
    """What the columns of a table hold.

    Attributes:
        stamp: The column of time.
        position: Column names of the joint positions.
        velocity: Column names of the joint velocities; empty if not measured.
        effort: Column names of the joint torques.
        angle_unit: Unit of positions, in radians.
        joint_map: Names of the joints and the conversion of effort.
        delimiter: Character between cells.

    """

    stamp: StampColumn
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
        joints = tuple(entries["joints"])
        sign = _numbers(entries, "effort_sign", 1.0, where)
        offset = _numbers(entries, "effort_offset", 0.0, where)
        return cls(
            stamp=StampColumn.from_entry(entries["stamp"], "'stamp'", where),
            position=_names(entries, "position", len(joints), where),
            velocity=_names(entries, "velocity", len(joints), where),
            effort=_names(entries, "effort", len(joints), where),
            angle_unit=chosen(
                TO_RADIANS, entries.get("position_unit", "rad"), "'position_unit'", where
            ),
            joint_map=JointMap(joints, sign, offset),
            delimiter=delimiter_of(entries, where),
        )


def read_csv(
    path: Path | str, columns: Mapping[str, Any] | Path | str
) -> tuple[JointTable, JointMap]:
    """Read the joint states of a table; `Recording.from_csv` documents arguments and errors."""
    wanted = _load_columns(columns)
    stamp_ns, values, dropped = read_columns(
        Path(path),
        wanted.stamp,
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


def _check_entries(entries: Mapping[str, Any], where: str) -> None:
    """Raise unless all required entries, and no unknown ones, are there."""
    refuse_unknown(entries, REQUIRED + OPTIONAL, where)
    absent = [key for key in REQUIRED if key not in entries]
    if absent:
        raise ConfigurationError(f"{where} lacks {', '.join(absent)}.")
    joints = entries["joints"]
    if not joints or not names_only(joints):
        raise ConfigurationError(
            f"'joints' in {where} must list joint names; found {brief(joints)}."
        )


def _names(entries: Mapping[str, Any], key: str, n: int, where: str) -> tuple[str, ...]:
    """Return n column names, given as a list or as a pattern with {j} = 1 ... n."""
    value = entries.get(key)
    if value is None and key not in REQUIRED:
        return ()
    if isinstance(value, str) and "{j}" in value:
        return tuple(value.replace("{j}", str(j)) for j in range(1, n + 1))
    names = [value] if isinstance(value, str) else value
    if not names_only(names) or len(names) != n:
        raise ConfigurationError(
            f"'{key}' in {where} must be a pattern such as Position{{j}} with {{j}} = 1 ... {n}, "
            f"or a list of {n} column names; found {brief(value)}."
        )
    return tuple(names)


def _numbers(entries: Mapping[str, Any], key: str, default: float, where: str) -> PerJoint:
    """Return one number, or one for each joint."""
    value = entries.get(key, default)
    several = isinstance(value, Sequence) and not isinstance(value, str)
    numbers = tuple(map(number, value)) if several else (number(value),)
    if not np.isfinite(numbers).all():
        raise ConfigurationError(
            f"'{key}' in {where} must be a number, or one for each joint; found {brief(value)}."
        )
    return numbers if several else numbers[0]
