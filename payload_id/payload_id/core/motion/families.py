"""The families of motions by name: what `to_dict` wrote becomes a motion again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import InputError, UnknownNameError
from . import (
    bezier,
    fourier,
    motion_sequence,
    path_stop,
    there_and_back,
    time_scaling,
    wave,
)
from .trajectory import Trajectory


def trajectory_from_dict(data: dict[str, Any]) -> Trajectory:
    """Return the motion that its `to_dict` wrote.

    Raises:
        UnknownNameError: There is no such family.
        InputError: An entry is missing or impossible.
    """
    family = str(data.get("family", "none"))
    if family not in READERS:
        raise UnknownNameError("family of motions", family, sorted(READERS))
    try:
        return READERS[family](data)
    except KeyError as error:
        raise InputError(f"A motion of family '{family}' lacks the entry {error}.") from error


def _sequence(data: dict[str, Any]) -> Trajectory:
    """Return the sequence that `to_dict` wrote."""
    parts = tuple(trajectory_from_dict(part) for part in data["parts"])
    return motion_sequence.MotionSequence(parts, tuple(float(t) for t in data["until"]))


def _time_scaled(data: dict[str, Any]) -> Trajectory:
    """Return the slower motion that `to_dict` wrote."""
    return time_scaling.TimeScaled(trajectory_from_dict(data["motion"]), float(data["scale"]))


def _reversed(data: dict[str, Any]) -> Trajectory:
    """Return the motion backwards that `to_dict` wrote."""
    return there_and_back.Reversed(trajectory_from_dict(data["motion"]))


def _path_stop(data: dict[str, Any]) -> Trajectory:
    """Return the stop that `to_dict` wrote."""
    motion = trajectory_from_dict(data["motion"])
    return path_stop.PathStop(motion, float(data["leaves"]), float(data["ramp"]))


READERS: dict[str, Callable[[dict[str, Any]], Trajectory]] = {
    bezier.FAMILY: bezier.BezierPiece.from_dict,
    fourier.FAMILY: fourier.FourierSeries.from_dict,
    motion_sequence.FAMILY: _sequence,
    there_and_back.FAMILY: _reversed,
    time_scaling.FAMILY: _time_scaled,
    path_stop.PathStop.family: _path_stop,
    wave.FAMILY: wave.WavePiece.from_dict,
}
