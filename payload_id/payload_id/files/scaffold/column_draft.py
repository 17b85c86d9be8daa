"""What the columns of a table hold, guessed from its first line and its numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...core.arrays import Array
from ...core.errors import RecordingError, comment
from ..robots.description.urdf_tree import UrdfJoint
from ..tables.csv_columns import TO_NANOSECONDS, opened_table, what_to_write
from ..tables.named_units import UNIT, has
from .column_units import with_units
from .columns_found import CURRENTS, MEASURED, NOT_MEASURED, TIMES, ColumnsFound, words_of

MOST_ROWS = 20_000  # that numbers are judged by
WORDS = {  # of each kind of quantity, the likeliest last line first to match
    "acceleration": r"acc|accel\w*|ddq|qdd|alpha",
    "velocity": r"vel|velocity|velocities|dq|qd|qdot|speed|omega|rate|istgeschwindigkeit|vfbk?",
    "effort": rf"effort|efforts|eff|torque|torques|tau|trq|moment|drehmoment|istmoment|tfbk?|"
    rf"{CURRENTS}|force|mot",
    "position": r"pos|position|positions|q|angle|ang|theta|istposition|istwinkel|pfbk?|joint",
}
OF_THE_TOOL = r"tcp|cartesian|cart|pose|wrench|ft|twist"  # six numbers, too, and not the joints'
SECOND = r"motors?|mot|drives?|rotors?|raw|est|estimated"  # taken where nothing else is there


class Group(NamedTuple):
    """Columns of one kind, one a joint in the joints' order.

    Attributes:
        words: What their names have in common.
        columns: Their names.
    """

    words: str
    columns: tuple[str, ...]

    @property
    def measured(self) -> bool:
        """Whether nothing says that they were commanded, modelled, or made of something else."""
        return not has(self.words, NOT_MEASURED)


def find_columns(path: Path, joints: Sequence[UrdfJoint], torque: Array) -> ColumnsFound:
    """Guess what the columns of a table hold.

    Args:
        path: The table; its first line names the columns.
        joints: The n joints of the arm.
        torque: Torques of usual size, shape (n,) [N m or N].

    Raises:
        RecordingError: It is no table with names in its first line, or holds no numbers.
    """
    found, cells = _read(path)
    header = found.header
    rows = np.array([[_number(cell) for cell in row] for row in cells])
    remarks = _not_numbers(header, cells[-1])
    names = [joint.name for joint in joints]
    groups = {
        x: _by_name(header, names, x) or _by_number(header, cells[-1], names, x)
        for x in ("position", "velocity", "effort")
    }
    unclear = {x: _unclear(x, g, len(names)) for x, g in groups.items()}
    taken: dict[str, Any] = {
        x: g[0].columns if g and g[0].measured and not unclear[x] else () for x, g in groups.items()
    }
    found = replace(found, **taken, time=_time(header))
    remarks += [_not_measured(x, g[0]) for x, g in groups.items() if g and not g[0].measured]
    remarks += [said for said in unclear.values() if said]
    remarks += _of_a_sensor(header) if not taken["effort"] else _also(groups["effort"])
    return with_units(found, rows, joints, torque, remarks)


def _of_a_sensor(header: Sequence[str]) -> list[str]:
    """Say how forces of a force-torque sensor are described."""
    forces = [name for name in header if has(words_of(name), r"f[xyz]|force [xyz]")]
    if len(forces) < 3:
        return []
    return [
        f"{', '.join(forces[:3])} are forces of a sensor: write the columns file of such a table "
        "by hand, as config/recordings/kuka_wrench_csv.yaml shows, and replay it with that."
    ]


def _not_measured(kind: str, group: Group) -> str:
    """Say why the only columns of a kind are not taken."""
    return (
        f"{group.columns[0]} ... is commanded or modelled by its name, or not the whole, and not "
        f"taken: enter it as {kind} if it was measured all the same."
    )


def _read(path: Path) -> tuple[ColumnsFound, list[list[str]]]:
    """Return what is found of columns before they are understood, and the cells of rows."""
    with opened_table(path) as table:
        names, read = table.names, [cells for _, cells in islice(table.rows, MOST_ROWS)]
        rows = [cells for cells in read if len(cells) == len(names)]
        if len(names) > 2 and read and not rows:
            raise RecordingError(
                f"{path}: {len(read[0])} cells in a row where the line of names has {len(names)}. "
                "Give each cell one name, where blanks separate cells without a blank in it."
            )
        if len(names) < 3 or not rows or names[0] == "1":
            raise RecordingError(
                f"{path} needs a line that names its columns, and rows of numbers below it; it "
                f"begins with '{', '.join(names)[:80]}'. Without names write the columns file by "
                'hand: columns are called by their numbers, "1", "2", ...'
            )
        units = dict(zip(names, table.units, strict=False))
        return ColumnsFound(path, tuple(names), table.delimiter, units), rows


def _not_numbers(header: Sequence[str], cells: Sequence[str]) -> list[str]:
    """Say what to do about numbers that are written in another way, as in some row."""
    found: dict[str, list[int]] = {}
    for k, cell in enumerate(cells):
        if np.isnan(_number(cell)) and (do := what_to_write(cell)):
            found.setdefault(do, []).append(k)
    return [
        f"Column '{header[at[0]]}'{f' and {len(at) - 1} more hold' if at[1:] else ' holds'} no "
        f"number that can be read ('{cells[at[0]].strip()[:30]}'): {do}."
        for do, at in found.items()
    ]


def _number(cell: str) -> float:
    """Return a cell's number, NaN if it is none."""
    try:
        return float(cell)
    except ValueError:
        return float("nan")


def _kind(words: str) -> str:
    """Return what kind of quantity a column holds, by its words; empty if none is named."""
    return next((kind for kind, pattern in WORDS.items() if has(words, pattern)), "")


def _also(groups: Sequence[Group]) -> list[str]:
    """Say which other columns may be the efforts."""
    if len(groups) < 2 or not groups[0].measured:
        return []
    others = ", ".join(f"{group.columns[0]} ..." for group in groups[1:])
    text = "Efforts must be what was MEASURED, not commanded, modelled, or made of currents"
    return [f"{text}: {groups[0].columns[0]} ... was taken; there are also {others}."]


def _unclear(kind: str, groups: Sequence[Group], n: int) -> str:
    """Say why columns of a kind are not taken, where there are others that may be the n joints'."""
    if not groups or not groups[0].measured:
        return ""
    first = groups[0]
    if len(first.columns) > n:
        return (
            f"{first.columns[0]} ... {first.columns[-1]} are {len(first.columns)} columns for {n} "
            f"joints: enter as {kind} those that are the joints', from base to flange."
        )
    for other in (x for x in groups[1:] if x.measured):
        here, there = first.words.split(), other.words.split()
        apart = [x for x in zip(here, there, strict=False) if x[0] != x[1]]
        if len(here) == len(there) and len(apart) == 1 and not any(map(_known, apart[0])):
            return (
                f"{first.columns[0]} ... and {other.columns[0]} ... are of one kind, as of two "
                f"arms: enter as {kind} those of this one."
            )
    return ""


def _known(word: str) -> bool:
    """Tell whether a word says what a column holds, and not of whom."""
    return bool(_kind(word)) or has(word, rf"{NOT_MEASURED}|{MEASURED}|{SECOND}|{OF_THE_TOOL}")


def _by_name(header: Sequence[str], joints: Sequence[str], kind: str) -> list[Group]:
    """Return columns that hold the joints' names."""
    found: dict[str, dict[int, str]] = {}
    longest = sorted(range(len(joints)), key=lambda j: -len(joints[j]))
    for name in header:
        plain = UNIT.sub(" ", name)
        for j in longest:
            at = re.search(rf"(?<![A-Za-z0-9]){re.escape(joints[j])}(?![A-Za-z0-9])", plain, re.I)
            if at:
                rest = words_of(plain[: at.start()] + " " + plain[at.end() :])
                if _kind(rest) == kind:
                    found.setdefault(rest, {}).setdefault(j, name)
                break
    return _best(found, range(len(joints)))


def _by_number(
    header: Sequence[str], cells: Sequence[str], joints: Sequence[str], kind: str
) -> list[Group]:
    """Return columns that are numbered alike from 0 or 1 on, of no fewer than joints all.

    Where cells of other columns with such numbers hold the joints' names, these say which it is.
    """
    found, named = dict[str, list[tuple[str, int, str]]](), dict[str, int]()
    for name, cell in zip(header, cells, strict=False):
        words = words_of(name)
        *others, number = re.findall(r"(?:^| )(\d+)(?= |$)", words) or [""]
        rest = " ".join(re.sub(r"(?:^| )\d+(?= |$)", " ", words).split())
        if number and cell.strip() in joints:
            named[cell.strip()] = int(number)
        elif number and _kind(rest) == kind:
            found.setdefault(rest, []).append((" ".join(others), int(number), name))
    groups: dict[str, dict[int, str]] = {}
    for rest, columns in found.items():
        once = len({number for _, number, _ in columns}) == len(columns)
        for other, place, name in columns:  # other numbers tell columns apart that it does not
            groups.setdefault(rest if once else f"{other} {rest}", {}).setdefault(place, name)
    if set(named) == set(joints):
        return _best(groups, [named[x] for x in joints])
    n, whole = len(joints), dict[str, dict[int, str]]()
    for words, group in groups.items():
        numbers = sorted(group)
        if numbers[:n] in (list(range(n)), list(range(1, n + 1))):
            whole[words] = {place: group[number] for place, number in enumerate(numbers)}
    return [Group(x.words, tuple(whole[x.words].values())) for x in _best(whole, range(n))]


def _best(found: dict[str, dict[int, str]], wanted: Sequence[int]) -> list[Group]:
    """Return complete groups of columns: measured before others, joints' own, then torques."""
    whole = [words for words, group in found.items()
             if all(k in group for k in wanted) and not has(words, OF_THE_TOOL)]  # fmt: skip

    def rank(text: str) -> tuple[bool | int, ...]:
        last = (has(text, words) for words in ("force", SECOND, CURRENTS))
        more = len(found[text]) > len(wanted)
        return has(text, NOT_MEASURED), more, *last, not has(text, MEASURED), len(text)

    whole.sort(key=rank)
    return [Group(words, tuple(found[words][k] for k in wanted)) for words in whole]


def _time(header: Sequence[str]) -> str:
    """Return the column of time."""
    unit = rf" ({'|'.join(TO_NANOSECONDS)})$"
    named = [name for name in header if re.fullmatch(TIMES, re.sub(unit, "", words_of(name)))]
    loose = [name for name in header if has(words_of(name), TIMES)]
    return (named or loose or [""])[0]


def columns_text(found: ColumnsFound, joints: Sequence[str]) -> str:
    """Return the text of a columns file, its guesses to be checked."""

    def line(key: str, names: Sequence[str]) -> str:
        listed = [json.dumps(name, ensure_ascii=False) for name in names]
        return f"{key}: [{', '.join(listed)}]"

    velocity = line("velocity", found.velocity) if found.velocity else "# velocity: [...]"
    units = found.position_unit or ("rad",)
    unit = units[0] if len(set(units)) == 1 else f"[{', '.join(units)}]"
    unit = unit if all(units) else "null  # ENTER it"
    stamp = f"column: {json.dumps(found.time, ensure_ascii=False)}"
    stamp += f", unit: {found.time_unit or 'null'}"
    if found.nanoseconds:
        stamp += f", nanoseconds: {json.dumps(found.nanoseconds, ensure_ascii=False)}"
    sign = _sign(found)
    what = f"Columns of {found.path.name}, drafted by payload-id new-robot. CHECK every line:"
    return f"""\
{comment([what, ", ".join(found.header)])}---
# Names of the joints, in the order of the columns below.
{line("joints", joints)}

# Column of time, and its unit: s, ms, us, ns, min or h. 'nanoseconds: NAME' adds that column.
# Leave it out where each row is one pose at rest, which 'payload-id identify --static' takes.
stamp: {{{stamp}}}

# Columns of joint positions, and of velocities in the same unit of angle per second. Without
# 'velocity' positions are differentiated.
{line("position", found.position)}
{velocity}

# Unit of positions: rad, deg, mrad, rev, ..., of joints that slide m or mm; one, or one for each.
position_unit: {unit}

# Columns of MEASURED joint torques or motor currents, not of commands or models.
{line("effort", found.effort)}
{_currents(found)}
# Torque about the joint's axis [N m] = effort_sign * effort - effort_offset; one number, or one for
# each joint. -1 where the driver counts against the joint, 0.001 for mN m.
effort_sign: {sign}
effort_offset: 0.0

# Character between the cells.
delimiter: {json.dumps(found.delimiter)}
...
"""


def _sign(found: ColumnsFound) -> str:
    """Return the factor of efforts, one number or one for each joint; null to be filled in."""
    if found.effort_factor is None:
        return "null  # ENTER it: 1.0 for N m, 0.001 for mN m"
    signs = np.sign(found.torque_constants or (1.0,)) * np.array(found.effort_factor)
    listed = [f"{x:.9g}" for x in signs]
    return f"[{', '.join(listed)}]" if np.ptp(signs) else str(float(listed[0]))


def _currents(found: ColumnsFound) -> str:
    """Return the lines that say how currents become torques; empty for torques."""
    if found.effort_unit != "A":
        return ""
    known = found.torque_constants
    stated = f"[{', '.join(f'{abs(x):.4g}' for x in known)}]" if known else "null"
    fitted = "fitted to a bare run; a data sheet, times the gear ratio, is better"
    how = fitted if known else "ENTER them, one number or one for each joint"
    return f"""\
effort_source: current
# Joint torque per ampere [N m/A], CHECK: {how}.
torque_constants: {stated}
"""
