"""Kinds of unknowns of a force-torque sensor, constant in a run, one class for each.

In: sums over windows for what is of the sensor alone, else the samples of a window.
Out: columns, and a bound on what is not linear.
"""

from __future__ import annotations

from ...nuisance import NuisanceBlock
from ..uncertainty import WrenchUncertainty
from .gravity_tilt import GravityTilt
from .sensor import Bias, Drift, Gain, WrenchSums
from .time_offset import TimeOffset, WrenchWindow

OF_SENSOR = (Bias, Drift, Gain)  # what the planner predicts

__all__ = ["WrenchSums", "WrenchWindow", "of_motion", "of_sensor"]


def of_sensor(stated: WrenchUncertainty) -> tuple[NuisanceBlock[WrenchSums], ...]:
    """Return the blocks of bias, drift and gain, stated or not."""
    return tuple(kind.of(stated) for kind in OF_SENSOR)


def of_motion(stated: WrenchUncertainty) -> tuple[NuisanceBlock[WrenchWindow], ...]:
    """Return the blocks of what is stated of the motion that goes with the wrench."""
    every = (TimeOffset.of(stated), GravityTilt.of(stated))
    return tuple(block for block in every if block.half_width.any())
