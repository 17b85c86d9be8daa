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

from ...core.arrays import Array, number_in
from ...core.errors import RecordingError, comment
from ..robots.description.urdf_tree import UrdfJoint
from ..tables.csv_columns import opened_table, what_to_write
from ..tables.named_units import UNIT, has
from .column_units import with_units
from .columns_found import CURRENTS, MEASURED, NOT_MEASURED, ColumnsFound, in_yaml, words_of

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
    """Columns of one kind, one a joint.

    Attributes:
        rank: Smaller for what is likelier to be the joints' own, measured.
        columns: Their names, in the joints' order.
        found: How many there are with the same words.
    """

    rank: tuple[bool | int, ...]
    columns: tuple[str, ...]
    found: int


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
    rows = np.array([[number_in(cell.strip()) for cell in row] for row in cells])
    remarks = _not_numbers(found.header, cells[-1])
    taken: dict[str, Any] = {}
    groups = _groups(found.header, cells[-1], [joint.name for joint in joints])
    for kind in ("position", "velocity", "effort"):
        taken[kind], said = _taken(kind, sorted(groups.get(kind, [])), len(joints))
        remarks += filter(None, [said])
    forces = [name for name in found.header if has(words_of(name), r"f[xyz]|force [xyz]")]
    if forces and not taken["effort"]:
        remarks.append(
            f"{', '.join(forces)} are forces of a sensor: write the columns file of such a table "
            "by hand, as config/recordings/kuka_wrench_csv.yaml shows, and replay it with that."
        )
    return with_units(replace(found, **taken), rows, joints, torque, remarks)


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
    """Say what to do about the first number of a row that is written in another way."""
    return [
        f"Column '{name}' holds no number that can be read ('{cell.strip()[:30]}'): {do}."
        for name, cell in zip(header, cells, strict=True)
        if np.isnan(number_in(cell.strip())) and (do := what_to_write(cell))
    ][:1]


def _kind(words: str) -> str:
    """Return what kind of quantity a column holds, by its words; empty if none is named."""
    return next((kind for kind, pattern in WORDS.items() if has(words, pattern)), "")


def _place(name: str, joints: Sequence[str]) -> tuple[str, str | int | None]:
    """Return a column's words, and whose it is: a joint's name in it, or its last number."""
    plain = UNIT.sub(" ", name)
    for joint in sorted(joints, key=len, reverse=True):
        before, *after = re.split(
            rf"(?<![A-Za-z0-9]){re.escape(joint)}(?![A-Za-z0-9])", plain, maxsplit=1, flags=re.I
        )
        words = words_of(" ".join([before, *after]))
        if after and _kind(words):
            return words, joint
    each = words_of(name).split()
    *others, number = [word for word in each if word.isdigit()] or [""]
    words = " ".join([*others, *(word for word in each if not word.isdigit())])
    return words, int(number) if number else None


def _groups(
    header: Sequence[str], cells: Sequence[str], joints: Sequence[str]
) -> dict[str, list[Group]]:
    """Return the columns of each kind that are one for each of the joints, and alike otherwise.

    They hold the joints' names, or are numbered from 0 or 1 on. Where cells of other columns with
    such numbers hold the joints' names, these say which it is.
    """
    found = dict[tuple[str, str], dict[str | int, str]]()
    named = dict[str, str | int]()
    for name, cell in zip(header, cells, strict=True):
        words, place = _place(name, joints)
        if place is not None and cell.strip() in joints:
            named[cell.strip()] = place
        elif place is not None:
            found.setdefault((_kind(words), words), {}).setdefault(place, name)
    n = len(joints)
    ways: list[Sequence[str | int]] = [joints, range(n), range(1, n + 1)]
    if set(named) == set(joints):
        ways[1:] = [[named[joint] for joint in joints]]
    groups = dict[str, list[Group]]()
    for (kind, words), at in found.items():
        whole = [way for way in ways if all(place in at for place in way)]
        if whole and not has(words, OF_THE_TOOL):
            last = (has(words, x) for x in (NOT_MEASURED, "force", SECOND, CURRENTS))
            own = has(words, MEASURED)
            rank = (*last, len(at) > n, whole[0] is not joints, not own, len(words.split()))
            group = Group(rank, tuple(at[place] for place in whole[0]), len(at))
            groups.setdefault(kind, []).append(group)
    return groups


def _taken(kind: str, groups: Sequence[Group], n: int) -> tuple[tuple[str, ...], str]:
    """Return the columns of a kind, where it is clear which, and what a person should check."""
    if not groups:
        return (), ""
    first, *others = groups
    name, unclear = f"{first.columns[0]} ...", ""
    if first.rank[0]:
        unclear = (
            f"{name} is commanded or modelled by its name, or not the whole, and not taken: enter "
            f"it as {kind} if it was measured all the same."
        )
    elif first.found > n:
        unclear = (
            f"{name} are {first.found} columns for {n} joints: enter as {kind} those that are the "
            "joints', from base to flange."
        )
    elif others and others[0].rank == first.rank:
        unclear = (
            f"{name} and {others[0].columns[0]} ... are of one kind, as of two arms: enter as "
            f"{kind} those of this one."
        )
    if unclear or kind != "effort" or not others:
        return () if unclear else first.columns, unclear
    listed = ", ".join(f"{group.columns[0]} ..." for group in others)
    text = "Efforts must be what was MEASURED, not commanded, modelled, or made of currents"
    return first.columns, f"{text}: {name} was taken; there are also {listed}."


def columns_text(found: ColumnsFound, joints: Sequence[str]) -> str:
    """Return the text of a columns file, its guesses to be checked."""
    velocity = "# velocity: [...]"
    if found.velocity:
        velocity = f"velocity: {in_yaml(found.velocity)}"
    units = found.position_unit or ("rad",)
    unit = units[0] if len(set(units)) == 1 else f"[{', '.join(units)}]"
    unit = unit if all(units) else "null  # ENTER it"
    stamp = f"column: {in_yaml(found.time)}"
    stamp += f", unit: {found.time_unit or 'null'}"
    if found.nanoseconds:
        stamp += f", nanoseconds: {in_yaml(found.nanoseconds)}"
    sign = _sign(found)
    what = f"Columns of {found.path.name}, drafted by payload-id new-robot. CHECK every line:"
    return f"""\
{comment([what, ", ".join(found.header)])}---
# Names of the joints, in the order of the columns below.
joints: {in_yaml(joints)}

# Column of time, and its unit: s, ms, us, ns, min or h. 'nanoseconds: NAME' adds that column.
# Leave it out where each row is one pose at rest, which 'payload-id identify --static' takes.
stamp: {{{stamp}}}

# Columns of joint positions, and of velocities in the same unit of angle per second. Without
# 'velocity' positions are differentiated.
position: {in_yaml(found.position)}
{velocity}

# Unit of positions: rad, deg, mrad, rev, ..., of joints that slide m or mm; one, or one for each.
position_unit: {unit}

# Columns of MEASURED joint torques or motor currents, not of commands or models.
effort: {in_yaml(found.effort)}
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
    return json.dumps(signs.tolist() if np.ptp(signs) else float(signs[0]))


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
