"""Numbers as people read them: as many digits as their uncertainty allows.

Neither Python's formats nor rich know an uncertainty; this much needs no further dependency.
"""

from __future__ import annotations

import math

import numpy as np

from .body.inertial import UNITS

UNIT_TEXTS = tuple(unit.replace("m2", "m²") for unit in UNITS)  # of the ten parameters


def rounded(value: float, lower: float, upper: float) -> str:
    """Return a number with its interval, all to two digits of the half-width."""
    decimals = digits((upper - lower) / 2)
    return f"{number(value, decimals)} [{number(lower, decimals)}, {number(upper, decimals)}]"


def digits(half_width: float) -> int:
    """Return how many decimals show a number to two digits of its half-width."""
    if not math.isfinite(half_width) or half_width <= 0:
        return 4
    return min(max(1 - math.floor(math.log10(half_width)), 0), 9)


def number(value: float, decimals: int) -> str:
    """Return a number with so many decimals, a dash if it is not known; zero has no sign."""
    if not math.isfinite(value):
        return "–"
    text = f"{value:.{decimals}f}"
    return text if text.strip("-0.") else text.lstrip("-")


def short(value: float, significant: int = 2) -> str:
    """Return a number to some significant digits, without an exponent; a dash if not known."""
    if not math.isfinite(value):
        return "–"
    return np.format_float_positional(float(f"{value:.{significant}g}"), trim="-")


def with_ends(value: float, lower: float, upper: float) -> str:
    """Return a number and the ends of its interval, to two digits of the half-width."""
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return f"{number(value, 0 if abs(value) >= 10 else 2)} (no bounds)"
    decimals = digits((upper - lower) / 2)
    ends = f"{number(lower, decimals)} to {number(upper, decimals)}"
    return f"{number(value, decimals)} ({ends})"
