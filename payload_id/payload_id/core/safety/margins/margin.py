"""How much of a limit is left, or the first limit that is not kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array

CONSTRAINTS = {
    "position": "rad or m",
    "velocity": "rad/s or m/s",
    "acceleration": "rad/s2 or m/s2",
    "torque": "N m or N",
    "holding torque": "N m or N",
    "tool speed": "m/s",
    "payload speed": "m/s",
    "elbow speed": "m/s",
    "kinetic energy": "J",
    "self-collision": "m",
    "obstacles": "m",
    "payload volume": "m",
    "disturbance": "N m or N",
    "torque change": "N m or N",
    "momentum error": "N m s or N s",
    "momentum": "N m s or N s",
    "inertia": "kg m2 or kg",
    "level": "J",
    "tilt": "rad",
    "reach": "m",
    "wrist speed": "m/s",
    "force": "N",
}
SPEEDS = ("tool speed", "payload speed", "elbow speed", "kinetic energy")
TORQUES = ("torque", "holding torque")
CLEARANCES = ("self-collision", "obstacles", "payload volume")
# What the design of a robust controller takes for granted: the tube is proved only with all of it.
DESIGN = ("disturbance", "torque change", "momentum error", "momentum", "inertia", "level")


@dataclass(frozen=True)
class Margin:
    """The smallest margin of one constraint over all of a motion, as a part of the limit.

    Attributes:
        constraint: One of `CONSTRAINTS`.
        where: Joint, or the two bodies.
        value: What is left at least, for every payload and tracking error in the bounds; in the
            unit of the constraint. A clearance is counted from the required distance.
        used: Largest part of the limit that is used [-]; NaN for clearances.
        start: Beginning of the slice of time in which it occurs [s].
        end: End of the slice [s].
    """

    constraint: str
    where: tuple[str, ...]
    value: float
    used: float
    start: float
    end: float

    @property
    def left(self) -> float:
        """What is left: part of the limit [-], or clearance beyond the required one [m]."""
        return self.value if self.constraint in CLEARANCES else 1.0 - self.used

    def __str__(self) -> str:
        unit = CONSTRAINTS[self.constraint]
        place = " and ".join(self.where)
        part = "" if self.constraint in CLEARANCES else f", {100 * self.used:.0f} % used"
        return (
            f"{self.constraint}: at least {self.value:.4g} {unit} left{part} ({place}, "
            f"{self.start:.2f} to {self.end:.2f} s)"
        )


@dataclass(frozen=True)
class Refusal:
    """The first constraint that a motion does not keep, or cannot be proved to keep.

    Attributes:
        constraint: One of `CONSTRAINTS`.
        where: Joint, or the two bodies.
        time: When [s].
        missing: By how much, in the unit of the constraint.
        certain: True: the desired motion itself breaks it. False: some payload or tracking error
            within the bounds may, or no proof was found at the finest slices.
        sentence: All of this for people.
    """

    constraint: str
    where: tuple[str, ...]
    time: float
    missing: float
    certain: bool
    sentence: str

    def __str__(self) -> str:
        return self.sentence

    def at_start(self) -> Refusal:
        """Return the refusal of the state from which a motion starts."""
        sentence = self.sentence.replace("Refused (", "The start state is refused (", 1)
        return replace(self, time=0.0, sentence=sentence)


def part_used(needed: Array, allowed: Array) -> Array:
    """Return needed / allowed; of nothing nothing is used, and anything or NaN is too much."""
    used = np.where(needed <= 0.0, 0.0, np.inf)
    known = np.isfinite(needed) & (allowed > 0.0)
    return np.divide(needed, allowed, out=used, where=known)
