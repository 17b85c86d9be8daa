"""Calibration of an arm from runs without payload: links, friction, sensors, and what is left."""

from __future__ import annotations

from .calibrate import calibrate
from .calibration import Calibration
from .fit import ArmFit
from .identifiability import BaseParameter, Identifiability
from .physical import Consistency
from .prior import Prior
from .result import CalibrationResult, Options, Validation

__all__ = [
    "ArmFit",
    "BaseParameter",
    "Calibration",
    "CalibrationResult",
    "Consistency",
    "Identifiability",
    "Options",
    "Prior",
    "Validation",
    "calibrate",
]
