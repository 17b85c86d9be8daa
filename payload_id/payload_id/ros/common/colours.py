"""How things look in RViz and in the browser alike; the colours are those of Okabe and Ito.

Colour-blind people tell them apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from ...core.identification.status import Status


class Colour(Enum):
    """Red, green, blue, 0 to 255."""

    GREEN = (0, 158, 115)
    YELLOW = (240, 228, 66)
    VERMILION = (213, 94, 0)
    ORANGE = (230, 159, 0)
    BLUE = (0, 114, 178)
    GREY = (150, 150, 150)
    WHITE = (255, 255, 255)


THINNEST = 0.002  # [m] least edge of the box of the centre of mass, to stay visible
GRAVITY = 0.2  # [m] length of the arrow of gravity
BALL = 0.06  # [m] diameter of a point mass of 1 kg, which grows with its cube root: that of steel
VERDICT: Mapping[Status, Colour] = {
    Status.GOOD: Colour.GREEN,
    Status.TOO_WIDE: Colour.YELLOW,
    Status.SMALL_LOAD: Colour.YELLOW,
    Status.NOT_IDENTIFIABLE: Colour.YELLOW,
    Status.INCONSISTENT: Colour.VERMILION,
    Status.NO_DATA: Colour.GREY,
    Status.SOLVER_FAILED: Colour.VERMILION,
    Status.WAITING: Colour.GREY,
}
