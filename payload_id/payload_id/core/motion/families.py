"""The families of motions by name: what `to_dict` wrote becomes a motion again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from ..errors import InputError, UnknownNameError
from .bezier import BezierPiece
from .fourier import FourierSeries
from .motion_sequence import MotionSequence
from .motion_state import MotionState
from .path_stop import PathStop
from .there_and_back import Reversed
from .time_scaling import TimeScaled
from .trajectory import Trajectory
from .wave import WavePiece

KINDS = (BezierPiece, FourierSeries, MotionSequence, PathStop, Reversed, TimeScaled, WavePiece)
FAMILIES: dict[str, type[Trajectory]] = {kind.family: kind for kind in KINDS}


def trajectory_from_dict(data: dict[str, Any]) -> Trajectory:
    """Return the motion that its `to_dict` wrote.

    Raises:
        UnknownNameError: There is no such family.
        InputError: An entry is missing or impossible.
    """
    family = str(data.get("family", "none"))
    if family not in FAMILIES:
        raise UnknownNameError("family of motions", family, sorted(FAMILIES))
    kind = FAMILIES[family]
    try:
        return kind(**{x.name: READ[x.type](data[x.name]) for x in fields(kind) if x.init})  # type: ignore[arg-type,index]
    except KeyError as error:
        raise InputError(f"A motion of family '{family}' lacks the entry {error}.") from error


# How each kind of entry is read, by its annotation.
READ: dict[str, Callable[[Any], Any]] = {
    "float": float,
    "Array": lambda value: np.array(value, dtype=float),
    "MotionState": MotionState.from_dict,
    "Trajectory": trajectory_from_dict,
    "tuple[Trajectory, ...]": lambda value: tuple(trajectory_from_dict(x) for x in value),
    "tuple[float, ...]": lambda value: tuple(float(x) for x in value),
}
