"""A recording as a film: where the arm was, and what was known of the payload by then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....core.arm.arm_model import ArmModel
from ....core.arm.centre_of_mass import gravity_in_payload_frame
from ....core.arrays import Array
from ....core.identification.estimate import Estimate
from ....files.robots.arm_frames import ArmFrames, LinkFrame
from .curves import History, interval_row


@dataclass(frozen=True, eq=False)
class Film:
    """What was recorded, and the estimates of a replay.

    Attributes:
        stamp: Times from the start, shape (N,) [s].
        q: Joint positions, shape (N, n) [rad or m].
        arm: The arm.
        frames: Its kinematics.
        history: Estimates in the order in which they were made, at least one.
        notes: What the user should know about how the recording was read.
    """

    stamp: Array
    q: Array
    arm: ArmModel
    frames: ArmFrames
    history: Sequence[Estimate]
    notes: Sequence[str] = ()

    @property
    def duration(self) -> float:
        """Length of the recording [s]."""
        return float(self.stamp[-1] - self.stamp[0])

    def at(self, time: float) -> tuple[list[LinkFrame], Array]:
        """Return the links that move, and gravity in the payload frame, at a time [s]."""
        k = int(np.searchsorted(self.stamp - self.stamp[0], time, side="right")) - 1
        q = self.q[max(k, 0)]
        positions = dict(zip(self.arm.joints, map(float, q), strict=True))
        return self.frames.moving(positions), gravity_in_payload_frame(self.arm, q)

    def known_at(self, time: float) -> Estimate | None:
        """Return the newest estimate made by a time [s]; None: there was none."""
        made = [estimate for estimate in self.history if estimate.seconds <= time + 1e-9]
        return made[-1] if made else None

    def intervals(self) -> History:
        """Return the ten intervals over time: see `interval_row`."""
        history = History(30)
        for estimate in self.history:
            if np.isfinite(estimate.phi).all():
                history.add(estimate.seconds, interval_row(estimate))
        return history
