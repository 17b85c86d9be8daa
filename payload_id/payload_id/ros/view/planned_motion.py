"""The motion of a plan, as a page previews it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from payload_id_msgs.msg import PlanDescription
from visualization_msgs.msg import MarkerArray

from ...core.arrays import Array
from ...core.errors import InputError
from ...core.motion.trajectory import Trajectory
from ...files.runs.certificate_file import load_certificate
from ..client.planner_client import PlannerClient

RESTING = 1.0  # [s] that the ghost rests at the end


@dataclass(frozen=True, eq=False)
class PlannedMotion:
    """A motion to be played again and again.

    Attributes:
        plan: What is read of it.
        trajectory: Its certified trajectory.
        swept: What it sweeps.
        began: When it is played first, by the monotonic clock [s].
    """

    plan: PlanDescription
    trajectory: Trajectory
    swept: MarkerArray
    began: float

    @classmethod
    def read(cls, plan: PlanDescription, planner: PlannerClient, now: float) -> PlannedMotion:
        """Read the motion of a plan from its certificate, and what it sweeps.

        Raises:
            PayloadIdError: The planner does not answer, or its certificate is not on this machine.
        """
        path = Path(plan.certificate_path)
        if not path.is_file():
            raise InputError(
                f"The motion is in the planner's file {path}, which is not on this machine: start "
                "the view where the planner runs, or share that folder."
            )
        swept = planner.describe(plan.plan_id).swept_volume
        return cls(plan, load_certificate(path).trajectory, swept, now)

    def at(self, now: float) -> Array:
        """Return positions at a time, shape (n,) [rad or m]."""
        length = float(self.trajectory.duration)
        time = min((now - self.began) % (length + RESTING), length)
        return np.asarray(self.trajectory.at(np.array([time])).q[0])
