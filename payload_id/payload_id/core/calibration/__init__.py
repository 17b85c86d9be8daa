"""Calibration of an arm from runs without payload: links, friction, sensors, and what is left.

In: recordings of the bare arm, or with a known payload; the stated `Uncertainty`.
Out: a `Calibration`: box and rows of the arm's own parameters, for every later run.
"""

from __future__ import annotations

from ..arm.calibration import Calibration
from .calibrate import calibrate
from .calibration_result import ArmValidation, CalibrationResult, Options
from .fit import ArmFit, Consistency, LinkPrior
from .identifiability import BaseParameter, Identifiability

__all__ = [
    "ArmFit",
    "BaseParameter",
    "Calibration",
    "CalibrationResult",
    "Consistency",
    "Identifiability",
    "Options",
    "LinkPrior",
    "ArmValidation",
    "calibrate",
]
