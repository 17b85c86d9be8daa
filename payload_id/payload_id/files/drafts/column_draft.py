"""What the columns of a table hold, guessed from its first line and its numbers."""

from __future__ import annotations

import csv
import json
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ...core.arrays import Array
from ...core.errors import RecordingError, comment, in_words
from ...core.plausibility.kinematics import DEGREE, looks_like_degrees
from ..configuration.input_path import input_path
from ..tables.csv_columns import DELIMITERS
from .arm_in_urdf import JointFound, names_of

MOST_ROWS = 20_000  # that numbers are judged by
WORDS = {  # of each kind of quantity, the likeliest last line first to match
    "acceleration": r"acc|accel\w*|ddq|qdd|alpha",
    "velocity": r"vel|velocity|velocities|dq|qd|qdot|speed|omega|rate",
    "effort": r"effort|torque|torques|tau|trq|moment|current|cur|force|mot",
    "position": r"pos|position|positions|q|angle|ang|theta|joint",
}
NOT_MEASURED = (
    r"cmd|command|commanded|target|desired|des|ref|reference|setpoint|goal|model|est|error"
)
TIMES = r"t|time|stamp|timestamp|times|secs?|seconds|msec|nsec|header stamp"
NANOSECONDS = r"n ?secs?|nano ?secs?|nano ?seconds|stamp nano ?secs?|header stamp n(ano)?secs?"
AMPERES = re.compile(r"[_ \[(]\s*m?A\s*[\])]?$")  # as a unit behind the name
TIME_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
UNIT = re.compile(r"[\[(](?!\d+[\])]).*?[\])]")  # "[deg]", not "[0]"
LABEL = re.compile(r"(?<![A-Za-z])[A-Za-z][ _]?\d+")  # of an axis, such as A1, which is no ampere
FAR = 10.0  # times its limit that a position is when its unit is thought to be mm
STEPS = (2e-4, 0.2)  # [s] between samples of recordings
EFFORT_UNITS = {  # by what names of columns say, in N m
    "mN m": ("mnm|nmm|mn m|n mm", 1e-3),
    "N cm": ("ncm|n cm", 1e-2),
    "kN m": ("knm|kn m", 1e3),
    "kgf m": ("kgfm|kgf m|kpm", 9.80665),
    "kgf cm": ("kgfcm|kgf cm|kgcm", 0.0980665),
    "lbf in": ("lbin|inlb|lb in|in lb|lbfin|lbf in|inlbf|in lbf", 0.1129848),
    "lbf ft": ("ftlb|lbft|ft lb|lb ft|lbfft|lbf ft|ftlbf|ft lbf", 1.3558179),
}
PERCENT = re.compile(r"percent|per cent|%|\bpct\b|(?:^|_)pct(?:_|$)", re.IGNORECASE)
MILLI = 30.0  # times its scale that a torque is when its unit is thought to be N mm


@dataclass(frozen=True)
class ColumnsFound:
    """What the columns of a table hold, as far as it could be told.

    Attributes:
        path: The table.
        header: Names of its columns.
        delimiter: Between its cells.
        time: Column of time, empty if not found.
        time_unit: Its unit.
        nanoseconds: Column that holds what is beyond whole seconds, empty if none.
        position: Columns of positions, one a joint, empty if not found.
        velocity: Of velocities.
        effort: Of torques.
        position_unit: rad or deg; of joints that slide m or mm; one of each joint.
        effort_factor: From effort to N m.
        effort_unit: What it is in, where that is not N m.
        rate: Of the samples [Hz]; NaN if time was not found.
        remarks: What a person should check, sentences.
    """

    path: Path
    header: tuple[str, ...]
    delimiter: str
    time: str = ""
    time_unit: str = "s"
    nanoseconds: str = ""
    position: tuple[str, ...] = ()
    velocity: tuple[str, ...] = ()
    effort: tuple[str, ...] = ()
    position_unit: tuple[str, ...] = ()
    effort_factor: float = 1.0
    effort_unit: str = ""
    rate: float = float("nan")
    remarks: tuple[str, ...] = field(default=())

    @property
    def missing(self) -> tuple[str, ...]:
        """What could not be found and must be there."""
        found = {"stamp": self.time, "position": self.position, "effort": self.effort}
        return tuple(name for name, value in found.items() if not value)


def find_columns(path: Path, joints: Sequence[JointFound], torque: Array) -> ColumnsFound:
    """Guess what the columns of a table hold.

    Args:
        path: The table; its first line names the columns.
        joints: The n joints of the arm.
        torque: Torques of usual size, shape (n,) [N m or N].

    Raises:
        RecordingError: It is no table with names in its first line, or holds no numbers.
    """
    header, delimiter, rows = _read(path)
    found = ColumnsFound(path, header, delimiter)
    remarks = []
    if not np.isfinite(rows[0]).any():
        remarks.append("Line 2 holds no number, as a line of units would: remove it.")
    names = names_of(joints)
    groups = [_columns(header, names, kind) for kind in ("position", "velocity", "effort")]
    position, velocity, effort = (group[0] if group else () for group in groups)
    found = replace(found, position=position, velocity=velocity, effort=effort, time=_time(header))
    return _judged(found, rows, joints, torque, [*remarks, *_also(groups[2])])


def _read(path: Path) -> tuple[tuple[str, ...], str, Array]:
    """Return names of columns, what separates them, and numbers (NaN where there are none)."""
    path = input_path(path, "table", RecordingError)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            first = file.readline()
            delimiter = max(DELIMITERS, key=first.count)
            header = tuple(cell.strip() for cell in next(csv.reader([first], delimiter=delimiter)))
            lines = csv.reader(file, delimiter=delimiter)
            rows = [
                [_number(cell) for cell in cells]
                for cells, _ in zip(lines, range(MOST_ROWS), strict=False)
                if len(cells) == len(header)
            ]
    except (OSError, UnicodeDecodeError, csv.Error, StopIteration) as error:
        raise RecordingError(f"{path} cannot be read as a table: {in_words(error)}.") from error
    if len(header) < 3 or not rows or np.isfinite([_number(name) for name in header]).any():
        raise RecordingError(
            f"{path} needs a first line that names its columns, and rows of numbers below it; "
            f"its first line is '{first.strip()[:80]}'."
        )
    return header, delimiter, np.array(rows)


def _number(cell: str) -> float:
    """Return a cell's number, NaN if it is none."""
    try:
        return float(cell)
    except ValueError:
        return float("nan")


def _words(name: str) -> str:
    """Return a column's name as words in small letters, units in brackets left out."""
    plain = UNIT.sub(" ", name)
    split = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[a-zA-Z])(?=\d)|(?<=\d)(?=[a-zA-Z])", " ", plain)
    return re.sub(r"[^a-z0-9]+", " ", split.lower()).strip()


def _has(words: str, pattern: str) -> bool:
    """Tell whether one of the words fits."""
    return re.search(rf"(?:^| )(?:{pattern})(?: |$)", words) is not None


def _kind(words: str) -> str:
    """Return what kind of quantity a column holds, by its words; empty if none is named."""
    return next((kind for kind, pattern in WORDS.items() if _has(words, pattern)), "")


def _also(groups: Sequence[tuple[str, ...]]) -> list[str]:
    """Say which other columns may be the efforts."""
    if len(groups) < 2:
        return []
    others = ", ".join(f"{group[0]} ..." for group in groups[1:])
    text = "Efforts must be what was MEASURED, not commanded, modelled, or made of currents"
    return [f"{text}: {groups[0][0]} ... was taken; there are also {others}."]


def _columns(header: Sequence[str], joints: Sequence[str], kind: str) -> list[tuple[str, ...]]:
    """Return groups of columns of one kind, one a joint in the joints' order, likeliest first."""
    by_name = _by_name(header, joints, kind)
    return by_name or _by_number(header, len(joints), kind)


def _by_name(header: Sequence[str], joints: Sequence[str], kind: str) -> list[tuple[str, ...]]:
    """Return columns that hold the joints' names."""
    found: dict[str, dict[int, str]] = {}
    longest = sorted(range(len(joints)), key=lambda j: -len(joints[j]))
    for name in header:
        plain = UNIT.sub(" ", name)
        for j in longest:
            at = re.search(rf"(?<![A-Za-z0-9]){re.escape(joints[j])}(?![A-Za-z0-9])", plain, re.I)
            if at:
                rest = _words(plain[: at.start()] + " " + plain[at.end() :])
                if _kind(rest) == kind:
                    found.setdefault(rest, {}).setdefault(j, name)
                break
    return _best(found, range(len(joints)))


def _by_number(header: Sequence[str], n: int, kind: str) -> list[tuple[str, ...]]:
    """Return columns that are numbered alike, from 0 or from 1."""
    found: dict[str, dict[int, str]] = {}
    for name in header:
        words = _words(name)
        numbers = re.findall(r"(?:^| )(\d+)(?= |$)", words)
        rest = re.sub(r"(?:^| )\d+(?= |$)", " ", words).strip()
        rest = re.sub(r" +", " ", rest)
        if numbers and _kind(rest) == kind:
            found.setdefault(rest, {}).setdefault(int(numbers[-1]), name)
    return _best(found, range(1, n + 1)) or _best(found, range(n))


def _best(found: dict[str, dict[int, str]], wanted: Sequence[int]) -> list[tuple[str, ...]]:
    """Return complete groups of columns: measured before others, torques before currents."""
    whole = [words for words, group in found.items() if all(k in group for k in wanted)]
    whole.sort(key=lambda text: (_has(text, NOT_MEASURED), _has(text, "current|cur"), len(text)))
    return [tuple(found[words][k] for k in wanted) for words in whole]


def _time(header: Sequence[str]) -> str:
    """Return the column of time."""
    named = [name for name in header if re.fullmatch(TIMES, re.sub(r" (s|ms|us|ns)$", "",
                                                                   _words(name)))]  # fmt: skip
    loose = [name for name in header if _has(_words(name), TIMES)]
    return (named or loose or [""])[0]


def _judged(
    found: ColumnsFound,
    rows: Array,
    joints: Sequence[JointFound],
    torque: Array,
    remarks: list[str],
) -> ColumnsFound:
    """Add units, by what names say and numbers make plausible."""
    turning = np.array([joint.turns for joint in joints])
    lower = np.array([-np.inf if joint.lower is None else joint.lower for joint in joints])
    upper = np.array([np.inf if joint.upper is None else joint.upper for joint in joints])

    def values(names: Sequence[str]) -> Array:
        return rows[:, [found.header.index(name) for name in names]]

    if found.time:
        found = _with_nanoseconds(found, values, remarks)
        time = values([found.time])[:, 0]
        if found.nanoseconds:
            time = time + 1e-9 * values([found.nanoseconds])[:, 0]
        found = _timed(found, time, remarks)
    if found.position:
        said = _said(found.position, {"deg": "deg|degree|degrees|°", "rad": "rad|radian|radians"})
        degrees = looks_like_degrees(_finite(values(found.position)), turning, lower, upper)
        unit = said or ("deg" if degrees else "rad")
        if said == "rad" and degrees:
            remarks.append("Positions are named rad and look like degrees: check position_unit.")
        lengths = _lengths(found.position, values(found.position), lower, upper)
        units = tuple(unit if turns else x for turns, x in zip(turning, lengths, strict=True))
        found = replace(found, position_unit=units)
    if found.position and found.velocity and found.time and not np.isnan(found.rate):
        found = _with_velocity(found, values(found.position), values(found.velocity), remarks)
    if found.effort:
        found = _with_effort(found, values(found.effort), torque, remarks)
    return replace(found, remarks=tuple(remarks))


def _with_nanoseconds(
    found: ColumnsFound, values: Callable[[Sequence[str]], Array], remarks: list[str]
) -> ColumnsFound:
    """Return with the column of nanoseconds, where time is in two as ROS has it."""
    rest = [name for name in found.header if re.fullmatch(NANOSECONDS, _words(name))]
    whole = [name for name in found.header
             if re.fullmatch(TIMES + r"|stamp secs?|header stamp secs?", _words(name))
             and name not in rest]  # fmt: skip
    if not whole or not _has(_words(whole[0]), "secs?|seconds"):
        return found
    seconds = values(whole[:1])[:, 0]
    if not (np.nan_to_num(seconds) % 1.0 == 0.0).all():
        return replace(found, time=whole[0])  # it has its fraction
    if not rest:
        remarks.append(
            f"'{whole[0]}' holds whole seconds only: make one column of it and of what is beyond."
        )
        return replace(found, time=whole[0], time_unit="s")
    return replace(found, time=whole[0], nanoseconds=rest[0])


def _lengths(names: Sequence[str], values: Array, lower: Array, upper: Array) -> list[str]:
    """Return of each joint, if it slides, whether it is in metres or millimetres."""
    found = []
    for name, column, low, high in zip(names, values.T, lower, upper, strict=True):
        far = np.abs(column[np.isfinite(column)]).max(initial=0.0)
        most = max(abs(low), abs(high))
        likely = "mm" if np.isfinite(most) and far > FAR * max(most, 1e-3) else "m"
        found.append(_said([name], {"mm": "mm", "m": "m"}) or likely)
    return found


def _said(names: Sequence[str], units: dict[str, str]) -> str:
    """Return the unit that the names of columns state, empty if none."""
    bare = (LABEL.sub(" ", name) for name in names)
    text = " ".join(re.sub(r"[^a-zA-Z°]+", " ", name).lower() for name in bare)
    return next((unit for unit, words in units.items() if _has(text, words)), "")


def _finite(values: Array) -> Array:
    """Return the rows without missing values."""
    return values[np.isfinite(values).all(axis=1)]


def _timed(found: ColumnsFound, time: Array, remarks: list[str]) -> ColumnsFound:
    """Return the unit of time and the rate."""
    steps = np.diff(time[np.isfinite(time)])
    steps = steps[steps > 0]
    if not len(steps):
        remarks.append(f"Column '{found.time}' does not rise: is it the time?")
        return found
    step = float(np.median(steps))
    seconds = _has(_words(found.time), "secs?|seconds")
    said = "s" if seconds else _said([found.time], {unit: unit for unit in TIME_UNITS})
    plausible = [unit for unit, size in TIME_UNITS.items() if STEPS[0] <= step * size < STEPS[1]]
    unit = said or (plausible or ["s"])[0]
    if said and plausible and said not in plausible:
        remarks.append(f"Time is named {said} and looks like {plausible[0]}: check stamp.unit.")
    return replace(found, time_unit=unit, rate=1.0 / (step * TIME_UNITS[unit]))


def _with_velocity(
    found: ColumnsFound, position: Array, velocity: Array, remarks: list[str]
) -> ColumnsFound:
    """Leave velocities out that are in another unit of angle than positions."""
    moved = np.gradient(position, axis=0) * found.rate
    both = np.isfinite(moved) & np.isfinite(velocity)
    moved, velocity = np.where(both, moved, 0.0), np.where(both, velocity, 0.0)
    energy = float(np.sum(moved**2))
    scale = float(np.sum(moved * velocity)) / energy if energy > 0.0 else 1.0
    for factor, name in ((DEGREE, "rad/s, positions in degrees"),
                         (1.0 / DEGREE, "deg/s, positions in radians")):  # fmt: skip
        if 0.7 < scale / factor < 1.4:
            remarks.append(f"Velocities are in {name}: left out, positions are differentiated.")
            return replace(found, velocity=())
    if not 0.7 < scale < 1.4:
        remarks.append(
            f"Velocities are {scale:.3g} times the change of positions: left out; positions are "
            "differentiated."
        )
        return replace(found, velocity=())
    return found


def _with_effort(
    found: ColumnsFound, effort: Array, torque: Array, remarks: list[str]
) -> ColumnsFound:
    """Return the factor of efforts."""
    units = {name: words for name, (words, _) in EFFORT_UNITS.items()}
    said = _said(found.effort, units | {"A": "amps?|amperes?|currents?|cur"})
    there = np.isfinite(effort).any(axis=0)
    if not there.all():
        remarks.append("Some columns of effort hold no number: check the decimal point and which.")
        return found
    size = np.nanmedian(np.abs(effort), axis=0)
    if said == "A" or all(AMPERES.search(name) for name in found.effort):
        remarks.append("Efforts look like motor currents, not torques: intervals need torques.")
    if any(PERCENT.search(name) for name in found.effort):
        remarks.append(
            "Efforts are named per cent, not torques: enter as effort_sign what one is in N m."
        )
    if said in ("", "A") and float(np.nanmedian(size / torque)) > MILLI:
        said = "mN m"
    if said not in EFFORT_UNITS:
        return found
    factor = EFFORT_UNITS[said][1]
    remarks.append(f"Efforts look like {said}: effort_sign is {factor}, which makes N m of them.")
    return replace(found, effort_factor=factor, effort_unit=said)


def _wrapped(names: Sequence[str]) -> str:
    """Return names as lines of a comment."""
    return "\n# ".join(textwrap.wrap(", ".join(names), 96, break_long_words=False))


def columns_text(found: ColumnsFound, joints: Sequence[str]) -> str:
    """Return the text of a columns file, its guesses to be checked."""

    def line(key: str, names: Sequence[str]) -> str:
        listed = [json.dumps(name, ensure_ascii=False) for name in names]
        return f"{key}: [{', '.join(listed)}]"

    velocity = line("velocity", found.velocity) if found.velocity else "# velocity: [...]"
    units = found.position_unit or ("rad",)
    unit = units[0] if len(set(units)) == 1 else f"[{', '.join(units)}]"
    stamp = f"column: {json.dumps(found.time, ensure_ascii=False)}, unit: {found.time_unit}"
    if found.nanoseconds:
        stamp += f", nanoseconds: {json.dumps(found.nanoseconds, ensure_ascii=False)}"
    what = f"Columns of {found.path.name}, drafted by payload-id new-robot. CHECK every line:"
    return f"""\
{comment([what, ", ".join(found.header)])}---
# Names of the joints, in the order of the columns below.
{line("joints", joints)}

# Column of time, and its unit: s, ms, us or ns. With 'nanoseconds: NAME' that column is added.
stamp: {{{stamp}}}

# Columns of joint positions, and of velocities in the same unit of angle per second. Without
# 'velocity' positions are differentiated.
{line("position", found.position)}
{velocity}

# Unit of positions: rad or deg, of joints that slide m or mm; one for all, or one for each.
position_unit: {unit}

# Columns of MEASURED joint torques, not of commands, models or motor currents.
{line("effort", found.effort)}

# Torque about the joint's axis [N m] = effort_sign * effort - effort_offset; one number, or one for
# each joint. -1 where the driver counts against the joint, 0.001 for mN m.
effort_sign: {found.effort_factor}
effort_offset: 0.0

# Character between the cells.
delimiter: {json.dumps(found.delimiter)}
...
"""
