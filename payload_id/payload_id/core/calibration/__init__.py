"""Calibration of an arm from runs without payload: links, friction, sensors, and what is left."""

from __future__ import annotations

from .calibrate import CalibrationResult, Options, Validation, calibrate
from .calibration import Calibration
from .fit import ArmFit
from .identifiability import BaseParameter, Identifiability
from .physical import Consistency
from .prior import Prior

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
