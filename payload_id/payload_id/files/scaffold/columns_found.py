"""What the columns of a table hold, as far as it could be told; words of their names."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..tables.named_units import UNIT, with_units

CURRENTS = (  # not of "current position", which is the present one
    r"currents?(?! (?:\w+ )*(?:torques?|pos|positions?|angles?|vel|velocity|velocities|speeds?))|"
    r"cur|ifbk?|amps?|amperes?|i"
)
NOT_MEASURED = (
    r"cmd|command|commanded|[pvti]cmd|as pos|target|desired|des|ref|reference|setpoint|soll\w*|"
    r"planned|goal|nominal|model|control|error|ext|external|disturbance|dist|fric|friction|g|grav|"
    r"gravity|coriolis|offset|residual|feedforward|ff"
)
MEASURED = r"meas|measured|msr|sensor|actual|act|feedback|fbk?|ist"
OTHER = rf"{NOT_MEASURED}|{MEASURED}|joint|axis|link|motor|side|filtered|j|a"  # in brackets


@dataclass(frozen=True)
class ColumnsFound:
    """What the columns of a table hold, as far as it could be told.

    Attributes:
        path: The table.
        header: Names of its columns.
        delimiter: Between its cells.
        units: What a line of units below the names says of each.
        time: Column of time, empty if not found.
        time_unit: Its unit; empty: only its owner knows.
        nanoseconds: Column that holds what is beyond whole seconds, empty if none.
        position: Columns of positions, one a joint, empty if not found.
        velocity: Of velocities.
        effort: Of torques.
        position_unit: One of each joint; empty: only its owner knows.
        effort_factor: From effort to N m, one number or one of each joint; None: only its owner
            knows.
        effort_unit: What it is in, where that is not N m.
        torque_constants: Joint torque per ampere, below zero where currents count against the
            joint; empty if not known [N m/A].
        constant_errors: How far they may be off, as fractions [-].
        velocity_error: Largest difference between velocities and the change of positions, of each
            joint; empty without velocities [rad/s or m/s].
        rate: Of the samples [Hz]; NaN if time was not found.
        remarks: What a person should check, sentences.
    """

    path: Path
    header: tuple[str, ...]
    delimiter: str
    units: Mapping[str, str] = field(default_factory=dict)
    time: str = ""
    time_unit: str = "s"
    nanoseconds: str = ""
    position: tuple[str, ...] = ()
    velocity: tuple[str, ...] = ()
    effort: tuple[str, ...] = ()
    position_unit: tuple[str, ...] = ()
    effort_factor: tuple[float, ...] | None = (1.0,)
    effort_unit: str = ""
    torque_constants: tuple[float, ...] = ()
    constant_errors: tuple[float, ...] = ()
    velocity_error: tuple[float, ...] = ()
    rate: float = float("nan")
    remarks: tuple[str, ...] = field(default=())

    def named(self, names: Sequence[str]) -> list[str]:
        """Return names of columns with what the line of units says of each."""
        return with_units(names, self.units)

    @property
    def missing(self) -> tuple[str, ...]:
        """What could not be found and must be there."""
        found = {"stamp": self.time, "position": self.position, "effort": self.effort}
        return tuple(name for name, value in found.items() if not value)


def words_of(name: str) -> str:
    """Return a column's name as words in small letters, units in brackets left out."""
    plain = UNIT.sub(" ", name)
    split = re.sub(
        r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-zA-Z])(?=\d)|(?<=\d)(?=[a-zA-Z])",
        " ",
        plain,
    )
    return re.sub(r"[^a-z0-9]+", " ", split.lower()).strip()


def in_yaml(value: Any) -> str:
    """Return a text, a number to four digits, None, or a list of them as YAML has it on a line."""
    if isinstance(value, list | tuple | np.ndarray):
        return f"[{', '.join(map(in_yaml, value))}]"
    value = float(f"{value:.4g}") if isinstance(value, float) else value
    return json.dumps(value, ensure_ascii=not str(value).isprintable())
