"""The motion of a plan, as a page previews it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from payload_id_msgs.msg import PlanDescription

from ...core.arrays import Array
from ...core.errors import InputError
from ...core.motion.trajectory import Trajectory
from ...files.runs.certificate_file import load_certificate

RESTING = 1.0  # [s] that the ghost rests at the end


@dataclass(frozen=True, eq=False)
class PlannedMotion:
    """A motion to be played again and again.

    Attributes:
        plan: What is read of it.
        trajectory: Its certified trajectory.
        began: When it is played first, by the monotonic clock [s].
    """

    plan: PlanDescription
    trajectory: Trajectory
    began: float

    @classmethod
    def read(cls, plan: PlanDescription, now: float) -> PlannedMotion:
        """Read the motion of a plan from its certificate.

        Raises:
            PayloadIdError: Its certificate cannot be read, or is not on this machine.
        """
        path = Path(plan.certificate_path)
        if not path.is_file():
            raise InputError(
                f"The motion is in the planner's file {path}, which is not on this machine: start "
                "the view where the planner runs, or share that folder."
            )
        return cls(plan, load_certificate(path).trajectory, now)

    def at(self, now: float) -> Array:
        """Return positions at a time, shape (n,) [rad or m]."""
        length = float(self.trajectory.duration)
        time = min((now - self.began) % (length + RESTING), length)
        return np.asarray(self.trajectory.at(np.array([time])).q[0])
