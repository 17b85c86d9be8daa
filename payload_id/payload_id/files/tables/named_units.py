"""Units that the names of columns state, or a line of units below them.

A unit is one of a table, as a whole: of a text that is not in it nothing is guessed. Capitals count
where they tell units apart (mN m, MN m), blanks and signs between the factors of one do not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...core.arrays import Array
from ...core.errors import ConfigurationError
from .csv_columns import TO_NANOSECONDS, opened_table

LABEL = re.compile(r"(?<![A-Za-z])[A-Za-z][ _]?\d+")  # of an axis, such as A1, which is no ampere
UNIT = re.compile(r"[\[(](?!\d+[\])])(.*?)[\])]")  # "[deg]", not "[0]"
SIGNS = re.compile(r"[\s._·⋅×*^-]+")  # between the factors of a unit
WORD = r"[A-Za-zµμ°%‰]+"
COUNTED = re.compile(rf"(?<![A-Za-z0-9])\d+({WORD})(?![A-Za-z0-9])")  # such as 10ms
# Words that say that a number is in no unit of its own.
OF_NOTHING = (
    r"percent|per cent|pct|per ?mille?|promille|rated|fraction|normali[sz]ed|p ?u|per unit|raw|"
    r"[%‰]|counts?|cnts?|ticks?|incs?|increments?|lsb|adc|digits?"
)
SI = {"": 1.0, "n": 1e-9, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "m": 1e-3, "c": 1e-2, "d": 0.1,
      "da": 10.0, "h": 100.0, "k": 1e3, "M": 1e6}  # fmt: skip
KGF, LBF = 9.80665, 4.4482216152605  # [N]
METRIC = {"kgf": KGF, "kg": KGF, "kp": KGF, "gf": 1e-3 * KGF, "g": 1e-3 * KGF}
IMPERIAL = {"lbf": LBF, "lbs": LBF, "lb": LBF, "ozf": LBF / 16.0, "oz": LBF / 16.0}
CALLED = {"kg": "kgf", "kp": "kgf", "g": "gf", "lb": "lbf", "lbs": "lbf", "oz": "ozf"}
FEET = {"in": 0.0254, "inch": 0.0254, "ft": 0.3048, "foot": 0.3048}
METRES = {"m": 1.0, "cm": 1e-2, "mm": 1e-3}


class Unit(NamedTuple):
    """A unit.

    Attributes:
        name: As it is called here.
        size: In the unit that numbers are wanted in.
    """

    name: str
    size: float


Units = Mapping[str, Unit]  # by how it is written, without signs between its factors


def _torques() -> dict[str, Unit]:
    """Return units of torque by how they are written [N m]."""
    made = {f"{a}N": size for a, size in SI.items()} | METRIC
    found = {f"{force}{at}": Unit(f"{CALLED.get(force, force)} {at}", size * long)
             for force, size in made.items() for at, long in METRES.items()}  # fmt: skip
    for force, size in IMPERIAL.items():
        for at, long in FEET.items():
            short = {"inch": "in", "foot": "ft"}.get(at, at)
            unit = Unit(f"{CALLED.get(force, force)} {short}", size * long)
            found |= {f"{force}{at}": unit, f"{at}{force}": unit}
    words = ("newtonmeter", "newtonmetre", "newtonmeters", "newtonmetres")
    return found | dict.fromkeys(words, Unit("N m", 1.0))


TORQUES: Units = _torques()
FORCES: Units = {
    **{f"{a}N": Unit(f"{a}N", size) for a, size in SI.items()},
    **{x: Unit(CALLED.get(x, x), size) for x, size in (METRIC | IMPERIAL).items() if x != "g"},
    **dict.fromkeys(("newton", "newtons"), Unit("N", 1.0)),
}
CURRENTS: Units = {
    **{f"{a}A": Unit(f"{a}A", SI[a]) for a in ("", "m", "u", "µ", "μ", "k")},
    **dict.fromkeys(("amp", "amps", "ampere", "amperes"), Unit("A", 1.0)),
}


def _each(words: Mapping[str, str], sizes: Mapping[str, float]) -> Units:
    """Return units by how they are written: their names, and further words for each."""
    written = {word: name for name, more in words.items() for word in (name, *more.split())}
    return {word: Unit(name, sizes[name]) for word, name in written.items()}


OF_TURNING = {
    "rad": 1.0, "deg": np.pi / 180.0, "mrad": 1e-3, "rev": 2.0 * np.pi, "urad": 1e-6,
    "mdeg": np.pi / 180e3, "cdeg": np.pi / 18e3, "gon": np.pi / 200.0,
    "arcmin": np.pi / 10_800.0, "arcsec": np.pi / 648_000.0,
}  # fmt: skip
OF_SLIDING = {"m": 1.0, "mm": 1e-3}  # units of positions [m], [rad]
UNITS = OF_TURNING | OF_SLIDING
ANGLES: Units = _each(
    {
        "rad": "rads radian radians", "deg": "degs degree degrees °", "urad": "µrad μrad microrad",
        "mrad": "millirad milliradian milliradians",
        "rev": "revs revolution revolutions turn turns",
        "mdeg": "millideg m°", "cdeg": "centideg c°", "gon": "gons", "arcmin": "arcmins",
        "arcsec": "arcsecs",
    },
    OF_TURNING,
)  # fmt: skip
LENGTHS: Units = _each(
    {"m": "meter metre meters metres", "mm": "millimeter millimetre"}, OF_SLIDING
)
TIMES: Units = _each(
    {
        "s": "sec secs second seconds", "ms": "msec msecs millis millisec milliseconds",
        "us": "µs μs usec usecs micros microsec microseconds",
        "ns": "nsec nsecs nanosec nanoseconds",
        "min": "mins minute minutes", "h": "hr hrs hour hours",
    },
    {unit: float(size) for unit, size in TO_NANOSECONDS.items()},
)  # fmt: skip


class Said(NamedTuple):
    """What the name of a column says of its unit.

    Attributes:
        text: How it is written; empty: nothing is said.
        unit: Which that is; None: not known.
        no_unit: Whether the text says that there is none, as per cent and counts do.
    """

    text: str = ""
    unit: Unit | None = None
    no_unit: bool = False


def has(words: str, pattern: str) -> bool:
    """Tell whether one of the words fits."""
    return re.search(rf"(?:^| )(?:{pattern})(?: |$)", words) is not None


def unit_of(text: str, units: Units) -> Unit | None:
    """Return the unit that a text is as a whole; None where it is none of the table."""
    plain = SIGNS.sub("", text)
    if plain in units:
        return units[plain]
    folded = {key.casefold(): unit for key, unit in [*units.items()][::-1] if len(key) > 1}
    return folded.get(plain.casefold())


def unit_said(name: str, units: Units, other: str = "(?!)") -> Said:
    """Return what a column's name says of its unit.

    Args:
        name: Of the column; what a line of units says of it stands in brackets behind it.
        units: That may be said.
        other: Words that brackets may hold beside units.
    """
    inside = [x.strip() for x in UNIT.findall(name)]
    for text in reversed(inside):
        words = " ".join(re.findall(r"[a-z]+", text.lower()))
        if unit := unit_of(text, units):
            return Said(text, unit)
        if re.search(WORD, text) and not has(words, other):
            return Said(text, None, bool(_of_nothing(text)))
    plain = UNIT.sub(" ", name)
    counted = COUNTED.search(plain)
    if counted and unit_of(counted[1], units):
        return Said(counted[0])
    plain = LABEL.sub(" ", plain)
    if word := _of_nothing(plain):
        return Said(word, None, True)
    parts = re.findall(WORD, plain)
    for end in range(len(parts), 0, -1):
        for begin in range(max(0, end - 3), end):
            text = "".join(parts[begin:end])
            last = end == len(parts) and len(parts) > 1
            if (len(text) > 1 or last) and (unit := unit_of(text, units)):
                return Said(" ".join(parts[begin:end]), unit)
    return Said()


def _of_nothing(text: str) -> str:
    """Return what of a text says that a number is in no unit of its own; empty if nothing does."""
    words = " ".join(re.findall(r"[a-z]+|[%‰]", text.lower()))
    found = re.search(rf"(?:^| )({OF_NOTHING})(?: |$)", words)
    return found[1] if found else ""


def with_units(names: Sequence[str], units: Mapping[str, str]) -> list[str]:
    """Return names of columns with what a line of units says of each, in brackets behind them."""
    said = [units.get(name, "").strip("[]() ") for name in names]
    return [f"{name} [{x}]" if x else name for name, x in zip(names, said, strict=True)]


def check_units(
    path: Path,
    columns: Sequence[str],
    delimiter: str,
    units: Units,
    factor: Array,
    entry: str,
    stated: bool,
) -> None:
    """Raise where a column is named in another unit than numbers are wanted in, without a factor.

    Args:
        path: The table.
        columns: Names of its columns that are multiplied by the factor.
        delimiter: Between its cells.
        units: That may be named.
        factor: A number or one for each column.
        entry: Which entry of which file states it.
        stated: Whether it does.

    Raises:
        ConfigurationError: Says the factor that the unit has.
    """
    with opened_table(path, delimiter) as table:
        below = dict(zip(table.names, table.units, strict=False))
    factors = np.broadcast_to(factor, (len(columns),))
    for name, one, size in zip(columns, with_units(columns, below), np.abs(factors), strict=True):
        said = unit_said(one, units)
        if size != 1.0 or not said.text or (said.unit and said.unit.size == 1.0):
            continue
        if said.unit is not None:
            raise ConfigurationError(
                f"{name} ... of {path} are in {said.unit.name} by their names: {entry} must hold "
                f"the factor {said.unit.size:g} with the sign; if the names are wrong, mend them."
            )
        if said.no_unit or not stated:
            raise ConfigurationError(
                f"{name} ... of {path} are in '{said.text}' by their names, of which no unit is "
                f"known: {entry} must hold what one of them is, with the sign; if the names are "
                "wrong, mend them."
            )
