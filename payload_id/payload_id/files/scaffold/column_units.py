"""Units of a table's columns, by what their names say and what their numbers make plausible."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ...core.arrays import Array, BoolArray
from ...core.recording_checks.kinematics import looks_like_degrees
from ...core.samples.stamps import NANOSECONDS
from ..robots.description.urdf_tree import UrdfJoint
from ..tables import named_units as units
from ..tables.csv_columns import TO_NANOSECONDS
from ..tables.named_units import OF_TURNING, UNITS, Said, has, unit_said
from .columns_found import CURRENTS, OTHER, TIMES, ColumnsFound, words_of

REST_OF_SECONDS = (
    r"n ?secs?|nano ?secs?|nano ?seconds|stamp nano ?secs?|header stamp n(ano)?secs?|"
    r"zeit in nano ?sec"
)
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
        q = values(found.position)
        whole = q[np.isfinite(q).all(axis=1)]
        degrees = looks_like_degrees(whole, turning, lower, upper)
        likely = "deg" if degrees else "rad"
        names = found.named(found.position)
        lengths = _lengths(values(found.position), lower, upper)
        table = [units.ANGLES if turns else units.LENGTHS for turns in turning]
        named = _said(names, table, remarks)
        of = [
            _unit(said, likely if turns else length)
            for said, turns, length in zip(named, turning, lengths, strict=True)
        ]
        if degrees and "rad" in (x.unit.name for x in named if x.unit):
            remarks.append("Positions are named rad and look like degrees: check position_unit.")
        found = replace(found, position_unit=tuple(of))
    if found.position and found.velocity and found.time and not np.isnan(found.rate):
        found = _with_velocity(found, values(found.position), values(found.velocity), remarks)
    if found.effort:
        found = _with_effort(found, values(found.effort), torque, turning, remarks)
    return replace(found, remarks=tuple(remarks))


def _with_nanoseconds(
    found: ColumnsFound, values: Callable[[Sequence[str]], Array], remarks: list[str]
) -> ColumnsFound:
    """Return with the column of nanoseconds, where time is in two as ROS has it."""
    rest = [name for name in found.header if re.fullmatch(REST_OF_SECONDS, words_of(name))]
    whole = [name for name in found.header
             if re.fullmatch(TIMES + r"|stamp secs?|header stamp secs?", words_of(name))
             and name not in rest]  # fmt: skip
    if not whole or not has(words_of(whole[0]), "secs?|seconds"):
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


def _lengths(values: Array, lower: Array, upper: Array) -> list[str]:
    """Return of each joint, if it slides, whether it is likely in metres or millimetres."""
    far = np.nanmax(np.abs(np.where(np.isfinite(values), values, 0.0)), axis=0, initial=0.0)
    most = np.maximum(np.abs(lower), np.abs(upper))
    beyond = np.isfinite(most) & (far > FAR * np.maximum(most, 1e-3))
    return ["mm" if x else "m" for x in beyond]


def _said(names: Sequence[str], tables: Sequence[units.Units], remarks: list[str]) -> list[Said]:
    """Return what each column's name says of its unit; say which of it is not understood."""
    found = [unit_said(name, table, OTHER) for name, table in zip(names, tables, strict=True)]
    unknown = [(name, x) for name, x in zip(names, found, strict=True) if x.text and not x.unit]
    if unknown:
        name, said = unknown[0]
        remarks.append(
            f"'{name}' is in '{said.text}' by its name, of which no unit is known: enter it."
        )
    return found


def _unit(said: Said, likely: str) -> str:
    """Return the unit that is said, empty if it is not known, or where nothing is said a likely."""
    return said.unit.name if said.unit else "" if said.text else likely


def _timed(found: ColumnsFound, time: Array, remarks: list[str]) -> ColumnsFound:
    """Return the unit of time and the rate."""
    time = time[np.isfinite(time)]
    if not len(time):
        if not remarks:  # else how its numbers are written is said
            remarks.append(f"Column '{found.time}' holds no number.")
        return found
    steps = np.diff(time)
    steps = steps[steps > 0]
    if not len(steps):
        remarks.append(f"Column '{found.time}' does not rise: is it the time?")
        return found
    # Rows that share a stamp come in the time to the next one.
    step = float(np.median(steps)) * len(steps) / (len(time) - 1)
    (said,) = _said(found.named([found.time]), [units.TIMES], remarks)
    plausible = [unit for unit in ("s", "ms", "us", "ns") if _usual(step * TIME_UNITS[unit])]
    unit = _unit(said, (plausible or ["s"])[0])
    fits = bool(unit) and _usual(step * TIME_UNITS[unit])
    if said.unit and plausible and not fits:
        remarks.append(f"Time is named {unit} and looks like {plausible[0]}: check stamp.unit.")
    elif unit and not fits:
        remarks.append(
            f"Column '{found.time}' rises by {step:.3g} from row to row, which is no usual time in "
            "any unit: is it the time?"
        )
    rate = 1.0 / (step * TIME_UNITS[unit]) if fits else float("nan")
    return replace(found, time_unit=unit, rate=rate)


def _usual(step: float) -> bool:
    """Tell whether samples of recordings are so far apart [s]."""
    return STEPS[0] <= step < STEPS[1]


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
    named = found.named(found.effort)
    there = np.isfinite(effort).any(axis=0)
    if not there.all():
        remarks.append("Some columns of effort hold no number: check the decimal point and which.")
        return found
    milli = float(np.nanmedian(np.nanmedian(np.abs(effort), axis=0) / torque)) > MILLI
    amperes = [unit_said(name, units.CURRENTS, OTHER).unit for name in named]
    currents = all(amperes) or all(has(words_of(name), CURRENTS) for name in named)
    of_a_slide = units.CURRENTS if currents else {**units.FORCES, **units.TORQUES}
    of_a_turn = units.CURRENTS if currents else units.TORQUES
    said = _said(named, [of_a_turn if turns else of_a_slide for turns in turning], remarks)
    sizes = tuple(x.unit.size for x in said if x.unit)
    listed = ", ".join(dict.fromkeys(x.unit.name for x in said if x.unit))
    silent = not any(x.text for x in said)
    unknown = any(x.text and not x.unit for x in said)
    unknown |= len(sizes) not in (0, len(said)) and set(sizes) != {1.0}
    factor = None if unknown else sizes if len(sizes) == len(said) else (1.0,)
    unit, remark = "", ""
    if currents:
        unit, factor = "A", (1e-3,) if silent and milli else factor
        remark = (
            f"Efforts look like motor currents [{listed or ('mA' if milli else 'A')}]: "
            "torque_constants [N m/A] make torques of them."
        )
    elif silent and milli:
        factor, remark = None, (
            "Efforts are some 1000 times what the description's masses and limits let expect: "
            "they may be in mN m (effort_sign: 0.001), or the masses a thousand times too small "
            "(mass_factor: 1000 in the robot file, and effort_sign: 1.0). Enter effort_sign."
        )  # fmt: skip
    elif unknown:
        remark = (
            "Efforts are not all in a unit that is known: enter as effort_sign what one is in N m."
        )
    elif set(sizes) - {1.0}:
        unit, remark = listed, f"Efforts look like {listed}: effort_sign makes N m of them."
    remarks += filter(None, [remark])
    return replace(found, effort_factor=factor, effort_unit=unit)
