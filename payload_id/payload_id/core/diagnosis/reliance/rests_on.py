"""What alone carries a mass: of each kind of assumption the error that harms first, unnoticed."""

from __future__ import annotations

from collections.abc import Sequence

from .assumption import Assumption, Reliance
from .cable import Cable
from .gravity import Level
from .ground import Ground
from .links import Links
from .tool import Tool
from .torque_gain import TorqueGain
from .torque_offset import TorqueOffset

ASSUMPTIONS: tuple[Assumption, ...] = (
    Tool(), Cable(), Links(), Level(), TorqueGain(), TorqueOffset()
)  # fmt: skip
NOTICED = 0.98  # part of the size at which an error is noticed, above which it is so in time
NEGLIGIBLE = 1e-5  # part of the size looked at; errors that are noticed below it hide nowhere
HALF = 0.5  # of `false_from`: an error moves what rows allow about in proportion to its size


def rests_on(ground: Ground) -> tuple[Reliance, ...]:
    """Return the assumptions that the mass rests on, one of each kind at the most."""
    found = (_worst(ground, assumption) for assumption in ASSUMPTIONS)
    return tuple(reliance for reliance in found if reliance is not None)


def _worst(ground: Ground, assumption: Assumption) -> Reliance | None:
    """Return the error of one kind that is the smallest to make the mass false, unnoticed."""
    worst: Reliance | None = None
    for error in assumption.errors(ground):
        if not error.column.any():
            continue
        room = ground.room(error.column, assumption.largest)
        for end, words in enumerate((error.less, error.more)):
            kept = abs(room.kept[end])
            if kept == 0.0 or (worst is not None and kept >= worst.false_from):
                continue
            every = abs(room.most if end else room.least)
            if every > NEGLIGIBLE * room.largest and kept < NOTICED * every:
                noticed = every if every < NOTICED * room.largest else float("inf")
                half, unit = HALF * kept, error.unit or assumption.unit
                worst = Reliance(assumption.name, words, half, kept, noticed, unit)
    return worst


def reliance_in_words(reliances: Sequence[Reliance]) -> str:
    """Return one sentence; empty if there is nothing to be said."""
    if not reliances:
        return ""
    return f"The mass rests on: {'; '.join(each.sentence() for each in reliances)}."
