"""Joint states of a table of comma-separated values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.arm.per_joint import PerJoint
from ...core.arrays import Array
from ...core.errors import ConfigurationError, RecordingError, brief
from ...core.identification.settings import Settings
from ...core.rows.quadrature import LEAST_SAMPLES
from ...core.samples.joint_map import JointMap
from ...core.samples.stamps import NANOSECONDS
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
from .joint_table import PAUSE, JointTable, counted_together
from .named_units import CURRENTS, FORCES, OF_SLIDING, OF_TURNING, TORQUES, check_units

UNITS = OF_TURNING | OF_SLIDING
REQUIRED = ("joints", "position", "effort")
OPTIONAL = (
    "stamp", "velocity", "position_unit", "effort_source", "torque_constants", "effort_sign",
    "effort_offset", "delimiter",
)  # fmt: skip
SOURCES = ("torque", "current")
# A pose at rest is one window of the usual length, with as many samples as checks need.
HELD = np.linspace(0.0, Settings().window, LEAST_SAMPLES)  # [s]


@dataclass(frozen=True)
class Columns:
    """What the columns of a table hold.

    Attributes:
        stamp: The column of time; None: there is none.
        position: Column names of the joint positions.
        velocity: Column names of the joint velocities; empty if not measured.
        effort: Column names of the joint torques.
        unit: Of positions and velocities, of all joints or of each [rad or m].
        joint_map: Names of the joints and the conversion of effort.
        delimiter: Character between cells.
        torques: Whether efforts are torques, not currents.
        factor: From what the columns of effort hold to N m, N or A.
        stated: Whether that is.

    """

    stamp: StampColumn | None
    position: tuple[str, ...]
    velocity: tuple[str, ...]
    effort: tuple[str, ...]
    unit: PerJoint
    joint_map: JointMap
    delimiter: str
    torques: bool
    factor: PerJoint
    stated: bool

    @classmethod
    def from_entries(
        cls,
        entries: Mapping[str, Any],
        where: str,
        constants: Mapping[str, float] | None = None,
        sliding: Collection[str] | None = None,
    ) -> Columns:
        """Build from the entries of a mapping or YAML file.

        Args:
            entries: What the columns hold.
            where: Name of the file, for messages.
            constants: Joint torque per ampere by joint, of a robot that reports currents.
            sliding: Names of joints that slide, of a robot that is known.

        Raises:
            ConfigurationError: An entry is missing, unknown or impossible.

        """
        _check_entries(entries, where)
        joints = tuple(entries["joints"])
        sign = _factor(entries, joints, constants, where)
        offset = _numbers(entries, "effort_offset", 0.0, where)
        return cls(
            stamp=StampColumn.from_entry(entries["stamp"], "'stamp'", where)
            if "stamp" in entries
            else None,
            position=_names(entries, "position", len(joints), where),
            velocity=_names(entries, "velocity", len(joints), where),
            effort=_names(entries, "effort", len(joints), where),
            unit=_unit(entries.get("position_unit", "rad"), joints, sliding, where),
            joint_map=JointMap(joints, sign, offset),
            delimiter=delimiter_of(entries, where),
            torques=entries.get("effort_source") != "current",
            factor=_numbers(entries, "effort_sign", 1.0, where),
            stated="effort_sign" in entries,
        )


def read_csv(
    path: Path | str,
    columns: Mapping[str, Any] | Path | str,
    constants: Mapping[str, float] | None = None,
    sliding: Collection[str] | None = None,
    static: bool = False,
) -> tuple[JointTable, JointMap]:
    """Read the joint states of a table; `Recording.from_csv` documents arguments and errors."""
    wanted = _load_columns(columns, constants, sliding)
    stamp_ns, values, dropped = read_columns(
        Path(path),
        wanted.stamp,
        (*wanted.position, *wanted.effort, *wanted.velocity),
        wanted.delimiter,
    )
    entry = f"'effort_sign' in {'columns' if isinstance(columns, Mapping) else columns}"
    units = {**FORCES, **TORQUES} if wanted.torques else CURRENTS
    factor, stated = np.array(wanted.factor), wanted.stated
    check_units(Path(path), wanted.effort, wanted.delimiter, units, factor, entry, stated)
    question = without_motion(Path(path), stamp_ns, wanted.stamp is not None)
    if question and static:
        leaps: Mapping[str, int] = {}
        notes: tuple[str, ...] = (f"Each of {len(values)} rows is taken as one pose at rest.",)
        stamp_ns, values = _held(values)
    elif static:
        raise RecordingError(f"The rows of {path} are of a motion: leave --static out.")
    elif wanted.stamp is None:
        raise RecordingError(question)
    else:
        rows, leaps, said = in_one_time(stamp_ns, "the joint states", str(path))
        stamp_ns, values = stamp_ns[rows], values[rows]
        notes = (*said, *filter(None, (question,)))
    n = len(wanted.joint_map.joints)
    unit = np.asarray(wanted.unit)
    q = values[:, :n] * unit
    tau = wanted.joint_map.torque(values[:, n : 2 * n])
    dq = values[:, 2 * n :] * unit if wanted.velocity else np.full(q.shape, np.nan)
    left_out = counted_together(dropped, leaps)
    return JointTable(str(path), stamp_ns, q, dq, tau, left_out, notes), wanted.joint_map


def _held(values: Array) -> tuple[NDArray[np.int64], Array]:
    """Return stamps [ns] and values of rows that are held, with a pause behind each."""
    begin = np.arange(len(values))[:, None] * PAUSE
    stamp_ns = np.rint((begin + HELD) * NANOSECONDS).astype(np.int64)
    return stamp_ns.ravel(), np.repeat(values, len(HELD), axis=0)


def _load_columns(
    columns: Mapping[str, Any] | Path | str,
    constants: Mapping[str, float] | None,
    sliding: Collection[str] | None,
) -> Columns:
    """Return the description of the columns, from a mapping or the YAML file that holds it."""
    if isinstance(columns, Mapping):
        return Columns.from_entries(columns, "columns", constants, sliding)
    entries = read_yaml(columns, "description of columns")
    return Columns.from_entries(entries, str(columns), constants, sliding)


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


def _unit(
    entry: object, joints: Sequence[str], sliding: Collection[str] | None, where: str
) -> PerJoint:
    """Return the unit of positions: one word, or one for each joint.

    Raises:
        ConfigurationError: It is another word, or one for joints of the other kind; rad, which is
            said where nothing is, stands for metres, too.
    """
    if entry is None:
        raise ConfigurationError(f"'position_unit' in {where} is to be filled in: the unit.")
    several = isinstance(entry, list | tuple)
    words = list(entry) if isinstance(entry, list | tuple) else [entry] * len(joints)
    if len(words) != len(joints):
        raise ConfigurationError(
            f"'position_unit' in {where} must be one word, or one for each of {len(joints)} "
            f"joints; found {brief(entry)}."
        )
    units = [chosen(UNITS, word, "'position_unit'", where) for word in words]
    if sliding is not None:
        for name, word in zip(joints, words, strict=True):
            slides = name in sliding
            wrong, allowed = (OF_TURNING, OF_SLIDING)[:: 1 if slides else -1]
            if word in wrong and word != "rad":
                does = "slides" if slides else "turns"
                raise ConfigurationError(
                    f"'position_unit' in {where} is {word} for {name}, which {does}: "
                    f"{', '.join(allowed)}. "
                    "Give a list, one unit for each joint."
                )
    return tuple(units) if several else units[0]


def _numbers(entries: Mapping[str, Any], key: str, default: float, where: str) -> PerJoint:
    """Return one number, or one for each joint."""
    value = entries.get(key, default)
    several = isinstance(value, Sequence) and not isinstance(value, str)
    if value is None:
        raise ConfigurationError(
            f"'{key}' in {where} is to be filled in: a number, or one for each joint. The lines "
            "above it say what is known."
        )
    numbers = tuple(map(number, value)) if several else (number(value),)
    if not np.isfinite(numbers).all():
        raise ConfigurationError(
            f"'{key}' in {where} must be a number, or one for each joint; found {brief(value)}."
        )
    return numbers if several else numbers[0]


def _factor(
    entries: Mapping[str, Any],
    joints: Sequence[str],
    robot: Mapping[str, float] | None,
    where: str,
) -> PerJoint:
    """Return the factor from what the columns of effort hold to torque: a sign, or N m per ampere.

    Raises:
        ConfigurationError: It is not said whether they hold currents, or what an ampere makes.
    """
    sign, source = _numbers(entries, "effort_sign", 1.0, where), entries.get("effort_source")
    if source is None and robot is not None:
        raise ConfigurationError(
            f"The robot file says 'effort.source: current', so that {where} must say what its own "
            "columns of effort hold: 'effort_source: current' or 'effort_source: torque'."
        )
    if source not in (None, *SOURCES):
        raise ConfigurationError(
            f"'effort_source' in {where} must be {' or '.join(SOURCES)}; found {source!r}."
        )
    if source != "current":
        if "torque_constants" in entries:
            raise ConfigurationError(
                f"'torque_constants' in {where} go with 'effort_source: current' alone."
            )
        return sign
    constants: Any = _numbers(entries, "torque_constants", 0.0, where)
    if "torque_constants" not in entries:
        absent = [name for name in joints if name not in (robot or {})]
        if absent:
            raise ConfigurationError(
                f"{where} says 'effort_source: current'; the joint torque per ampere of "
                f"{', '.join(absent)} is not known. State 'torque_constants' [N m/A] there, or "
                "'effort.source: current' with them in the robot file."
            )
        constants = [(robot or {})[name] for name in joints]
    size = np.asarray(constants, dtype=float)
    if size.shape not in ((), (len(joints),)) or not (size > 0).all():
        raise ConfigurationError(
            f"'torque_constants' for {where} must be above zero, one number or one for each of "
            f"{', '.join(joints)} (a sign is 'effort_sign'); found {constants!r}."
        )
    signs = np.asarray(sign)
    if signs.shape not in ((), (len(joints),)):
        return sign  # which `JointMap` refuses
    return tuple(np.broadcast_to(size * signs, (len(joints),)).tolist())
