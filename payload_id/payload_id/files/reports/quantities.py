"""The ten numbers in units that people use: kg, mm, kg m2 about centre of mass and frame."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...core.arrays import Array, BoolArray
from ...core.body.inertial import mass_com_inertia
from ...core.identification.estimate import Estimate
from ...core.number_format import digits, number, short
from ..export.loads.load import Load
from ..export.loads.ranges import Range

AXES = ("x", "y", "z")
PAIRS = ("xx", "xy", "xz", "yy", "yz", "zz")
MOMENTS = (0, 3, 5)  # places of xx, yy, zz in PAIRS
PRODUCTS = {1: 5, 2: 3, 4: 0}  # places of xy, xz, yz: that of the moment about the third axis
MM = 1e3  # in a metre
MASS = {"m": "mass"}  # names by their symbols
PLACES = {f"c_{x}": f"centre of mass, {x}" for x in AXES}
FIRST = {f"h_{x}": f"first moment, {x}" for x in AXES}
INERTIA = {f"I_{x}": f"{'moment' if x[0] == x[1] else 'product'} of inertia, {x}" for x in PAIRS}
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
        decimals = digits((self.upper - self.lower) / 2)
        return (
            number(self.value, decimals) if self.bounded else short(self.value, 3),
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
    phi, known = estimate.phi, estimate.identifiable
    mass, com, inertia = _point(phi)
    around = physical(load.inertia_range, estimate.upper[4:])
    place = Range(MM * load.com_range.lower, MM * load.com_range.upper)
    first, own = (Range(estimate.lower[x], estimate.upper[x]) for x in (slice(1, 4), slice(4, 10)))
    every = np.full(len(PAIRS), known.all())
    found = _listed(MASS, "kg", np.array([mass]), load.mass_range, known[:1])
    found += _listed(PLACES, "mm", MM * com, place, known[0] & known[1:4])
    moments = _listed(FIRST, "kg m", phi[1:4], first, known[1:4])
    return (
        Group(f"Mass, and centre of mass in {frame}", found),
        Group("Inertia about the centre of mass",
              _listed(INERTIA, "kg m²", inertia[UPPER], around, every)),
        Group(f"First moments and inertia about the origin of {frame}",
              moments + _listed(INERTIA, "kg m²", phi[4:], own, known[4:])),
    )  # fmt: skip


def _listed(
    names: Mapping[str, str], unit: str, values: Array, ends: Range, known: BoolArray
) -> tuple[Quantity, ...]:
    """Return quantities of one kind; names by their symbols."""
    numbers = zip(values.tolist(), ends.lower.tolist(), ends.upper.tolist(), strict=True)
    each = zip(names.items(), numbers, known.tolist(), strict=True)
    return tuple(Quantity(name, symbol, unit, *x, good) for (symbol, name), x, good in each)


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


def _point(phi: Array) -> tuple[float, Array, Array]:
    """Return mass, centre of mass (3,) and inertia about it (3, 3); NaN where there is no mass."""
    if not (np.isfinite(phi).all() and phi[0] > 0.0):
        return float(phi[0]), np.full(3, np.nan), np.full((3, 3), np.nan)
    return mass_com_inertia(phi)


def quantity(groups: Sequence[Group], symbol: str) -> Quantity:
    """Return the first quantity with a symbol."""
    return next(q for group in groups for q in group.quantities if q.symbol == symbol)
