"""Units of a table's columns, by what their names say and what their numbers make plausible."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ...core.arrays import Array
from ...core.recording_checks.kinematics import looks_like_degrees
from ...core.samples.stamps import NANOSECONDS
from ..tables.csv_columns import TO_NANOSECONDS
from ..tables.joint_csv import OF_TURNING, UNITS
from ..tables.named_units import TORQUES, has, unit_said
from .arm_in_urdf import JointFound
from .columns_found import CURRENTS, TIMES, ColumnsFound, words_of

REST_OF_SECONDS = (
    r"n ?secs?|nano ?secs?|nano ?seconds|stamp nano ?secs?|header stamp n(ano)?secs?|"
    r"zeit in nano ?sec"
)
AMPERES = re.compile(r"[_ \[(]\s*m?A\s*[\])]?$")  # as a unit behind the name
TIME_UNITS = {unit: size / NANOSECONDS for unit, size in TO_NANOSECONDS.items()}  # [s]
ANGLE_UNITS = {  # by what names of columns of positions say
    "deg": "deg|degs|degree|degrees|°",
    "mrad": "mrad|millirad|milliradians?",
    "rev": "rev|revs|revolutions?|turns?",
    "rad": "rad|rads|radian|radians",
}
RATES = {f"{unit}/s": size for unit, size in OF_TURNING.items()} | {"rpm": np.pi / 30.0}  # [rad/s]
LIKE = 1.2  # times as fast that velocities may be, beside noise, when their unit is told
FAR = 10.0  # times its limit that a position is when its unit is thought to be mm
STEPS = (2e-4, 0.2)  # [s] between samples of recordings
PERCENT = re.compile(r"percent|per cent|%|\bpct\b|(?:^|_)pct(?:_|$)", re.IGNORECASE)
MILLI = 30.0  # times its scale that a torque is when its unit is thought to be N mm


def with_units(
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
        said = unit_said(found.named(found.position), ANGLE_UNITS)
        degrees = looks_like_degrees(_finite(values(found.position)), turning, lower, upper)
        unit = said or ("deg" if degrees else "rad")
        if said == "rad" and degrees:
            remarks.append("Positions are named rad and look like degrees: check position_unit.")
        names = found.named(found.position)
        lengths = _lengths(names, values(found.position), lower, upper)
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


def _lengths(names: Sequence[str], values: Array, lower: Array, upper: Array) -> list[str]:
    """Return of each joint, if it slides, whether it is in metres or millimetres."""
    found = []
    for name, column, low, high in zip(names, values.T, lower, upper, strict=True):
        far = np.abs(column[np.isfinite(column)]).max(initial=0.0)
        most = max(abs(low), abs(high))
        likely = "mm" if np.isfinite(most) and far > FAR * max(most, 1e-3) else "m"
        found.append(unit_said([name], {"mm": "mm", "m": "m"}) or likely)
    return found


def _finite(values: Array) -> Array:
    """Return the rows without missing values."""
    return values[np.isfinite(values).all(axis=1)]


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
    seconds = has(words_of(found.time), "secs?|seconds")
    named = unit_said(found.named([found.time]), {unit: unit for unit in TIME_UNITS})
    said = "s" if seconds else named
    plausible = [unit for unit, size in TIME_UNITS.items() if STEPS[0] <= step * size < STEPS[1]]
    unit = said or (plausible or ["s"])[0]
    if said and plausible and said not in plausible:
        remarks.append(f"Time is named {said} and looks like {plausible[0]}: check stamp.unit.")
    elif not plausible:
        remarks.append(
            f"Column '{found.time}' rises by {step:.3g} from row to row, which is no usual time in "
            "any unit: is it the time?"
        )
    rate = 1.0 / (step * TIME_UNITS[unit]) if unit in plausible else float("nan")
    return replace(found, time_unit=unit, rate=rate)


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
    turning = next((unit for unit in found.position_unit if unit in OF_TURNING), "")
    if turning and scale > 0.0:
        off = {
            name: abs(np.log(scale * size / OF_TURNING[turning])) for name, size in RATES.items()
        }
        name = min(off, key=lambda each: off[each])
        if off[name] < np.log(LIKE):
            remarks.append(
                f"Velocities are in {name}, positions in {turning}: left out, positions are "
                "differentiated."
            )
            return replace(found, velocity=())
    remarks.append(
        f"Velocities are {scale:.3g} times the change of positions in the time of '{found.time}' "
        f"[{found.time_unit}]: left out, positions are differentiated. Is it the time, in that "
        "unit?"
    )
    return replace(found, velocity=())


def _with_effort(
    found: ColumnsFound, effort: Array, torque: Array, remarks: list[str]
) -> ColumnsFound:
    """Return the factor of efforts."""
    units = {name: words for name, (words, _) in TORQUES.items()}
    named = found.named(found.effort)
    said = unit_said(named, units | {"A": CURRENTS})
    there = np.isfinite(effort).any(axis=0)
    if not there.all():
        remarks.append("Some columns of effort hold no number: check the decimal point and which.")
        return found
    size = np.nanmedian(np.abs(effort), axis=0)
    milli = float(np.nanmedian(size / torque)) > MILLI
    if said == "A" or all(AMPERES.search(name) or has(words_of(name), CURRENTS) for name in named):
        remarks.append(
            f"Efforts look like motor currents [{'mA' if milli else 'A'}]: torque_constants "
            "[N m/A] make torques of them."
        )
        return replace(found, effort_unit="A", effort_factor=1e-3 if milli else 1.0)
    if any(PERCENT.search(name) for name in named):
        remarks.append(
            "Efforts are named per cent, not torques: enter as effort_sign what one is in N m."
        )
    if not said and milli:
        remarks.append(
            "Efforts are some 1000 times what the description's masses and limits let expect: "
            "they may be in mN m (effort_sign: 0.001), or the masses a thousand times too small "
            "(mass_factor: 1000 in the robot file, and effort_sign: 1.0). Enter effort_sign."
        )
        return replace(found, effort_factor=None)
    if said not in TORQUES:
        return found
    factor = TORQUES[said][1]
    remarks.append(f"Efforts look like {said}: effort_sign is {factor}, which makes N m of them.")
    return replace(found, effort_factor=factor, effort_unit=said)
