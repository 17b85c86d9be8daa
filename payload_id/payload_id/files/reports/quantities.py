"""The ten numbers in units that people use: kg, mm, kg m2 about centre of mass and frame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.arrays import Array
from ...core.body.inertial import mass_com_inertia
from ...core.identification.estimate import Estimate
from ...core.number_format import digits, number
from ..export.loads.load import Load
from ..export.loads.ranges import Range

AXES = ("x", "y", "z")
PAIRS = ("xx", "xy", "xz", "yy", "yz", "zz")
MOMENTS = (0, 3, 5)  # places of xx, yy, zz in PAIRS
PRODUCTS = {1: 5, 2: 3, 4: 0}  # places of xy, xz, yz: that of the moment about the third axis
UPPER = np.triu_indices(3)  # (0,0), (0,1), (0,2), (1,1), (1,2), (2,2): the order of PAIRS


@dataclass(frozen=True)
class Quantity:
    """One number with its interval.

    Attributes:
        name: In words.
        symbol: Letter with index, such as "c_x".
        unit: Of the numbers.
        value: Point estimate; NaN if there is none.
        lower: Lower end; -inf if there is none.
        upper: Upper end; inf if there is none.
        identified: Whether the data bound it; a bound from the prior alone is of little use.
    """

    name: str
    symbol: str
    unit: str
    value: float
    lower: float
    upper: float
    identified: bool

    @property
    def bounded(self) -> bool:
        """Whether both ends are finite."""
        return math.isfinite(self.lower) and math.isfinite(self.upper)

    @property
    def texts(self) -> tuple[str, str, str, str]:
        """Value, distance of the farther end, and both ends, to two digits of the half-width."""
        half = (self.upper - self.lower) / 2 if self.bounded else math.inf
        decimals = digits(half)
        return (
            number(self.value, decimals),
            number(max(self.upper - self.value, self.value - self.lower), decimals),
            number(self.lower, decimals),
            number(self.upper, decimals),
        )


@dataclass(frozen=True)
class Group:
    """Numbers that belong together.

    Attributes:
        title: What they are, and about which point.
        quantities: The numbers.
    """

    title: str
    quantities: tuple[Quantity, ...]


def groups_of(estimate: Estimate) -> tuple[Group, ...]:
    """Return an estimate as people read it, in the axes of its payload frame.

    First moments and inertia about the frame are the parameters themselves. Centre of mass and
    inertia about it follow from them by interval arithmetic: sound, and wider than they need be.
    """
    frame = estimate.payload_frame or "the payload frame"
    load = Load.of(estimate, estimate.payload_frame, None)
    mass, com, inertia = _point(estimate.phi)
    known, about = estimate.identifiable, bool(estimate.identifiable.all())
    found = [
        Quantity("mass", "m", "kg", mass, *_ends(load.mass_range, 0), bool(known[0])),
        *(_place(k, com, load.com_range, bool(known[0] and known[1 + k])) for k in range(3)),
    ]
    around = physical(load.inertia_range, estimate.upper[4:])
    central = [
        _inertia(pair, inertia[UPPER][k], _ends(around, k), about) for k, pair in enumerate(PAIRS)
    ]
    moments = [
        Quantity(f"first moment, {axis}", f"h_{axis}", "kg m", float(estimate.phi[1 + k]),
                 float(estimate.lower[1 + k]), float(estimate.upper[1 + k]), bool(known[1 + k]))
        for k, axis in enumerate(AXES)
    ]  # fmt: skip
    own = [
        _inertia(pair, estimate.phi[4 + k],
                 (float(estimate.lower[4 + k]), float(estimate.upper[4 + k])), bool(known[4 + k]))
        for k, pair in enumerate(PAIRS)
    ]  # fmt: skip
    return (
        Group(f"Mass, and centre of mass in {frame}", tuple(found)),
        Group("Inertia about the centre of mass", tuple(central)),
        Group(f"First moments and inertia about the origin of {frame}", (*moments, *own)),
    )


def physical(found: Range, upper: Array) -> Range:
    """Return the part of an interval of inertias about the centre of mass that bodies can have.

    Moments are not negative and not above those about any other point; |Ixy| <= Izz / 2, since
    |xy| <= (x^2 + y^2) / 2, and likewise for the other axes.

    Args:
        found: Elements in the order of `PAIRS`, shape (6,) [kg m2].
        upper: Upper ends of the moments about the frame's origin, in the same order, shape (6,).
    """
    low, high = found.lower.copy(), found.upper.copy()
    for k in MOMENTS:
        low[k], high[k] = max(low[k], 0.0), min(high[k], upper[k])
    for k, other in PRODUCTS.items():
        low[k], high[k] = max(low[k], -high[other] / 2), min(high[k], high[other] / 2)
    return Range(low, high)


def _place(k: int, com: Array, ends: Range, known: bool) -> Quantity:
    """Return one coordinate of the centre of mass, in millimetres."""
    low, high = (1e3 * end for end in _ends(ends, k))
    name = f"centre of mass, {AXES[k]}"
    return Quantity(name, f"c_{AXES[k]}", "mm", 1e3 * float(com[k]), low, high, known)


def _inertia(pair: str, value: float, ends: tuple[float, float], known: bool) -> Quantity:
    """Return one element of an inertia matrix."""
    kind = "moment" if pair[0] == pair[1] else "product"
    return Quantity(f"{kind} of inertia, {pair}", f"I_{pair}", "kg m²", float(value), *ends, known)


def _point(phi: Array) -> tuple[float, Array, Array]:
    """Return mass, centre of mass (3,) and inertia about it (3, 3); NaN where there is no mass."""
    if not (np.isfinite(phi).all() and phi[0] > 0.0):
        return float(phi[0]), np.full(3, np.nan), np.full((3, 3), np.nan)
    return mass_com_inertia(phi)


def _ends(found: Range, k: int) -> tuple[float, float]:
    """Return one interval."""
    return float(found.lower[k]), float(found.upper[k])


def quantity(groups: Sequence[Group], symbol: str) -> Quantity:
    """Return the first quantity with a symbol."""
    return next(q for group in groups for q in group.quantities if q.symbol == symbol)
