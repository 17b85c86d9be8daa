"""Joint states of a table of comma-separated values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.arm.per_joint import PerJoint
from ...core.arrays import Array
from ...core.errors import RecordingError
from ...core.identification.settings import Settings
from ...core.rows.quadrature import LEAST_SAMPLES
from ...core.samples.joint_map import JointMap
from ...core.samples.stamps import NANOSECONDS
from .clock_times import in_one_time
from .csv_columns import read_columns, without_motion
from .joint_table import PAUSE, JointTable, counted_together
from .named_units import (
    CURRENTS,
    FORCES,
    OF_SLIDING,
    OF_TURNING,
    TORQUES,
    UNITS,
    check_units,
)

if TYPE_CHECKING:
    from ..configuration.read_model import Source
    from .column_keys import ColumnKeys

# A pose at rest is one window of the usual length, with as many samples as checks need.
HELD = np.linspace(0.0, Settings().window, LEAST_SAMPLES)  # [s]


def read_csv(
    path: Path | str,
    columns: Mapping[str, Any] | Path | str,
    constants: Mapping[str, float] | None = None,
    sliding: Collection[str] | None = None,
    static: bool = False,
) -> tuple[JointTable, JointMap]:
    """Read the joint states of a table; `Recording.from_csv` documents arguments and errors."""
    from ..configuration.read_model import read_model  # here: pydantic takes long to import
    from .column_keys import ColumnKeys

    keys, source = read_model(columns, ColumnKeys, "description of columns")
    velocity, n = keys.velocity or (), len(keys.joints)
    unit, factor = _unit(keys, sliding, source), _factor(keys, constants, source)
    joint_map = JointMap(keys.joints, factor, keys.effort_offset)
    stamp = keys.stamp
    names = (*keys.position, *keys.effort, *velocity)
    stamp_ns, values, dropped = read_columns(Path(path), stamp, names, keys.delimiter)
    entry = f"'effort_sign' in {source.where('effort_sign')}"
    units = CURRENTS if keys.effort_source == "current" else {**FORCES, **TORQUES}
    check_units(
        Path(path), keys.effort, keys.delimiter, units, np.array(keys.effort_sign), entry,
        "effort_sign" in keys.model_fields_set,
    )  # fmt: skip
    question = without_motion(Path(path), stamp_ns, stamp is not None)
    if question and static:
        leaps: Mapping[str, int] = {}
        notes: tuple[str, ...] = (f"Each of {len(values)} rows is taken as one pose at rest.",)
        stamp_ns, values = _held(values)
    elif static:
        raise RecordingError(f"The rows of {path} are of a motion: leave --static out.")
    elif stamp is None:
        raise RecordingError(question)
    else:
        rows, leaps, said = in_one_time(stamp_ns, "the joint states", str(path))
        stamp_ns, values = stamp_ns[rows], values[rows]
        notes = (*said, *filter(None, (question,)))
    q = values[:, :n] * unit
    tau = joint_map.torque(values[:, n : 2 * n])
    dq = values[:, 2 * n :] * unit if velocity else np.full(q.shape, np.nan)
    left_out = counted_together(dropped, leaps)
    return JointTable(str(path), stamp_ns, q, dq, tau, left_out, notes), joint_map


def _held(values: Array) -> tuple[NDArray[np.int64], Array]:
    """Return stamps [ns] and values of rows that are held, with a pause behind each."""
    begin = np.arange(len(values))[:, None] * PAUSE
    stamp_ns = np.rint((begin + HELD) * NANOSECONDS).astype(np.int64)
    return stamp_ns.ravel(), np.repeat(values, len(HELD), axis=0)


def _unit(keys: ColumnKeys, sliding: Collection[str] | None, source: Source) -> Array:
    """Return the unit of positions, of all joints or of each [rad or m].

    Raises:
        ConfigurationError: It is one for joints of the other kind; rad, which is said where nothing
            is, stands for metres, too.
    """
    words = keys.position_unit
    if len(words) not in (1, len(keys.joints)):
        raise source.refuse(
            f"must be one word, or one for each of {len(keys.joints)} joints; found {list(words)}.",
            "position_unit",
        )
    each = words * len(keys.joints) if len(words) == 1 else words
    for name, word in zip(keys.joints, each, strict=True):
        if sliding is None:
            break
        slides = name in sliding
        wrong, allowed = (OF_TURNING, OF_SLIDING)[:: 1 if slides else -1]
        if word in wrong and word != "rad":
            raise source.refuse(
                f"is {word} for {name}, which {'slides' if slides else 'turns'}: "
                f"{', '.join(allowed)}. Give a list, one unit for each joint.",
                "position_unit",
            )
    return np.array([UNITS[word] for word in words])


def _factor(keys: ColumnKeys, robot: Mapping[str, float] | None, source: Source) -> PerJoint:
    """Return the factor from what the columns of effort hold to torque: a sign, or N m per ampere.

    Args:
        keys: What the columns hold.
        robot: Joint torque per ampere by joint, of a robot that reports currents.
        source: Where that is said.

    Raises:
        ConfigurationError: It is not said whether they hold currents, or what an ampere makes.
    """
    sign: PerJoint = keys.effort_sign
    if keys.effort_source is None and robot is not None:
        raise source.refuse(
            "is missing: the robot file says 'effort.source: current', so that it must be said "
            "what the columns of effort hold: current or torque.",
            "effort_source",
        )
    if keys.effort_source != "current":
        if keys.torque_constants is not None:
            raise source.refuse("goes with 'effort_source: current' alone.", "torque_constants")
        return sign
    constants = keys.torque_constants
    if constants is None:
        absent = [name for name in keys.joints if name not in (robot or {})]
        if absent:
            raise source.refuse(
                f"is current; the joint torque per ampere of {', '.join(absent)} is not known. "
                "State 'torque_constants' [N m/A] there, or 'effort.source: current' with them in "
                "the robot file.",
                "effort_source",
            )
        constants = tuple((robot or {})[name] for name in keys.joints)
    size = np.asarray(constants, dtype=float)
    if not (size > 0).all():
        raise source.refuse(
            "must be above zero, one number or one for each joint (a sign is 'effort_sign'); found "
            f"{size.tolist()}.",
            "torque_constants",
        )
    whole = np.broadcast_to(size * np.asarray(sign), (len(keys.joints),))
    return tuple(whole.tolist())
