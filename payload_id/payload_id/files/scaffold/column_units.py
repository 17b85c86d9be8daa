"""Units of a table's columns, by what their names say and what their numbers make plausible."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...core.arrays import Array, BoolArray
from ...core.recording_checks.kinematics import looks_like_degrees
from ...core.samples.stamps import NANOSECONDS
from ..robots.description.urdf_tree import UrdfJoint
from ..tables import named_units as units
from ..tables.csv_columns import TO_NANOSECONDS
from ..tables.named_units import OF_TURNING, UNITS, Said, has, unit_said
from .columns_found import CURRENTS, OTHER, ColumnsFound, words_of

TIMES = (
    r"t|time|timestamp|times|secs?|seconds|msec|nsec|zeit|zeit in sec|ipoc|"
    r"(header )?stamp( secs?)?"
)
REST_OF_SECONDS = r"n ?secs?|(header )?(stamp |zeit in )?n(ano)? ?(secs?|seconds)"
TIME_UNITS = {unit: size / NANOSECONDS for unit, size in TO_NANOSECONDS.items()}  # [s]
FAR = 10.0  # times its limit that a position is when its unit is thought to be mm
STEPS = (2e-4, 0.2)  # [s] between samples of recordings
MILLI = 30.0  # times its scale that a torque is when its unit is thought to be N mm


def with_units(
    found: ColumnsFound,
    rows: Array,
    joints: Sequence[UrdfJoint],
    torque: Array,
    remarks: list[str],
) -> ColumnsFound:
    """Add the time, and units, by what names say and numbers make plausible."""
    turning = np.array([joint.turns for joint in joints])
    lower = np.array([-np.inf if joint.lower is None else joint.lower for joint in joints])
    upper = np.array([np.inf if joint.upper is None else joint.upper for joint in joints])
    q, dq, effort = (
        rows[:, [found.header.index(name) for name in names]]
        for names in (found.position, found.velocity, found.effort)
    )
    found = _timed(found, rows, remarks)
    if found.position:
        degrees = looks_like_degrees(q[np.isfinite(q).all(axis=1)], turning, lower, upper)
        farthest = np.abs(np.nan_to_num(q)).max(axis=0)
        beyond = farthest > FAR * np.maximum(np.maximum(np.abs(lower), np.abs(upper)), 1e-3)
        length, angle = np.where(beyond, "mm", "m"), "deg" if degrees else "rad"
        likely = np.where(turning, angle, length).tolist()
        table = [units.ANGLES if turns else units.LENGTHS for turns in turning]
        said = _said(found.named(found.position), table, remarks)
        of = tuple(_unit(x, unit) for x, unit in zip(said, likely, strict=True))
        if degrees and "rad" in of:
            remarks.append("Positions are named rad and look like degrees: check position_unit.")
        found = replace(found, position_unit=of)
    if found.position and found.velocity and not np.isnan(found.rate):
        found = _with_velocity(found, q, dq, remarks)
    if found.effort:
        found = _with_effort(found, effort, torque, turning, remarks)
    return replace(found, remarks=tuple(remarks))


def _said(names: Sequence[str], tables: Sequence[units.Units], remarks: list[str]) -> list[Said]:
    """Return what each column's name says of its unit; say which of it is not understood."""
    found = [unit_said(name, table, OTHER) for name, table in zip(names, tables, strict=True)]
    remarks += [
        f"'{name}' is in '{said.text}' by its name, of which no unit is known: enter it."
        for name, said in zip(names, found, strict=True)
        if said.text and not said.unit
    ][:1]
    return found


def _unit(said: Said, likely: str) -> str:
    """Return the unit that is said, empty if it is not known, or where nothing is said a likely."""
    return said.unit.name if said.unit else "" if said.text else likely


def _timed(found: ColumnsFound, rows: Array, remarks: list[str]) -> ColumnsFound:
    """Return with the column of time, that of nanoseconds beside it, its unit and the rate."""
    words = {name: words_of(name) for name in found.header}
    unit = rf" ({'|'.join(TO_NANOSECONDS)})$"
    rest = [name for name in found.header if re.fullmatch(REST_OF_SECONDS, words[name])]
    named = [name for name in found.header if name not in rest
             and re.fullmatch(TIMES, re.sub(unit, "", words[name]))]  # fmt: skip
    loose = [name for name in found.header if has(words[name], TIMES)]
    if not loose:
        return found
    found = replace(found, time=(named or loose)[0])
    time = rows[:, found.header.index(found.time)]
    whole = not (np.nan_to_num(time) % 1.0).any()
    if named and rest and whole and has(words[found.time], "secs?|seconds"):
        found = replace(found, nanoseconds=rest[0])
        time = time + 1e-9 * rows[:, found.header.index(rest[0])]
    time = time[np.isfinite(time)]
    steps = np.diff(time)
    steps = steps[steps > 0]
    if not len(steps):
        remarks.append(f"Column '{found.time}' does not rise: is it the time?")
        return found
    # Rows that share a stamp come in the time to the next one.
    step = float(np.median(steps)) * len(steps) / (len(time) - 1)
    (said,) = _said(found.named([found.time]), [units.TIMES], remarks)
    usual = [x for x in ("s", "ms", "us", "ns") if STEPS[0] <= step * TIME_UNITS[x] < STEPS[1]]
    unit = _unit(said, (usual or ["s"])[0])
    seconds = step * TIME_UNITS.get(unit, np.nan)
    if not STEPS[0] <= seconds < STEPS[1]:
        if unit:
            remarks.append(
                f"Column '{found.time}' rises by {step:.3g} {unit} from row to row, which is not "
                "usual: is it the time, and in that unit?"
            )
        seconds = np.nan
    return replace(found, time_unit=unit, rate=1.0 / seconds)


def _with_velocity(
    found: ColumnsFound, position: Array, velocity: Array, remarks: list[str]
) -> ColumnsFound:
    """Leave velocities out that are in another unit of angle than positions."""
    turn = [2.0 * np.pi / OF_TURNING.get(unit, np.nan) for unit in found.position_unit]
    steps = np.diff(position, axis=0)
    steps -= np.nan_to_num(turn * np.round(steps / turn))  # encoders may leap by whole turns
    moved, velocity = steps * found.rate, (velocity[1:] + velocity[:-1]) / 2.0
    both = np.isfinite(moved) & np.isfinite(velocity)
    moved, velocity = np.where(both, moved, 0.0), np.where(both, velocity, 0.0)
    energy = float(np.sum(moved**2))
    scale = float(np.sum(moved * velocity)) / energy if energy > 0.0 else 1.0
    if 0.7 < scale < 1.4:
        size = [UNITS[unit] for unit in found.position_unit]
        error = np.abs(moved - velocity).max(axis=0, initial=0.0) * size
        return replace(found, velocity_error=tuple(error.tolist()))
    remarks.append(
        f"Velocities are {scale:.3g} times the change of positions in the time of '{found.time}' "
        f"[{found.time_unit}]: left out, positions are differentiated. Are they, or is the time, "
        "in another unit?"
    )
    return replace(found, velocity=())


def _with_effort(
    found: ColumnsFound,
    effort: Array,
    torque: Array,
    turning: BoolArray,
    remarks: list[str],
) -> ColumnsFound:
    """Return the factor of each joint's efforts, and whether they are currents."""
    if not np.isfinite(effort).any(axis=0).all():
        remarks.append("Some columns of effort hold no number: check the decimal point and which.")
        return found
    named = found.named(found.effort)
    milli = float(np.nanmedian(np.nanmedian(np.abs(effort), axis=0) / torque)) > MILLI
    currents = all(unit_said(name, units.CURRENTS, OTHER).unit for name in named)
    currents = currents or all(has(words_of(name), CURRENTS) for name in named)
    of_a_turn = units.CURRENTS if currents else units.TORQUES
    of_a_slide = units.CURRENTS if currents else {**units.FORCES, **units.TORQUES}
    said = _said(named, [of_a_turn if turns else of_a_slide for turns in turning], remarks)
    known = [x.unit for x in said if x.unit]
    factor = tuple(unit.size for unit in known) if len(known) == len(said) else None
    silent = not any(x.text for x in said)
    if silent:
        factor = (1e-3,) if milli and currents else None if milli else (1.0,)
    if currents:
        remarks.append(
            f"Efforts look like motor currents{' in mA' if silent and milli else ''}: "
            "torque_constants [N m/A] make torques of them."
        )
        return replace(found, effort_factor=factor, effort_unit="A")
    if silent and milli:
        remarks.append(
            "Efforts are some 1000 times what the description's masses and limits let expect: "
            "they may be in mN m (effort_sign: 0.001), or the masses a thousand times too small "
            "(mass_factor: 1000 in the robot file, and effort_sign: 1.0). Enter effort_sign."
        )
    elif factor is None:
        remarks.append("Efforts are not all in a known unit: enter as effort_sign what one is.")
    listed = ", ".join(dict.fromkeys(unit.name for unit in known if unit.size != 1.0))
    return replace(found, effort_factor=factor, effort_unit=listed)
