"""How a payload is identified."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..body.shape import Shape
from ..bounds import method_named
from ..errors import InputError
from ..estimators import estimator_named
from ..rows.joint_torque.uncertainty import Uncertainty


@dataclass(frozen=True)
class Settings:
    """How a payload is identified.

    Attributes:
        uncertainty: What is assumed about sensors, links and payload.
        estimator: Name of the point estimator.
        intervals: Name of the interval method.
        window: Length of a window [s].
        shape: What is known of the payload's shape, in the payload frame. It must be true:
            estimates and intervals rely on it.
    """

    uncertainty: Uncertainty = field(default_factory=Uncertainty)
    estimator: str = "lmi"
    intervals: str = "hull"
    window: float = 0.1
    shape: Shape | None = None

    def __post_init__(self) -> None:
        if not (np.isfinite(self.window) and self.window > 0):
            raise InputError(f"window must be a length of time above 0 s; found {self.window!r}.")
        estimator_named(self.estimator, self.shape)  # what cannot be is refused before any data
        method_named(self.intervals)
