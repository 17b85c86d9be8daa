"""Drives of a realistic arm on a motion that comes sample by sample, as a plant gives it.

The plant's motion does not feel the drives, as in `RealisticArm.run`; only what is published does.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from .plant import PlantState
from .realistic_arm import RealisticArm


class LiveDrives:
    """What the drives of an arm show of a plant's states, one after the other."""

    def __init__(self, arm: RealisticArm, period: float, seed: int = 0, session: int = 0) -> None:
        """Start where the arm rests.

        Args:
            arm: The arm.
            period: Between two states [s].
            seed: Of the run, see `RealisticArm.run`.
            session: Since when the arm is on, see there.
        """
        self._radius, self._period = arm.radius, period
        self._drives, self._random = arm.started(seed, session)
        self._velocity = np.zeros(arm.model.n)

    def measure(self, state: PlantState) -> tuple[Array, Array, Array]:
        """Return published position, velocity and torque of the next state, shape (1, n) each."""
        r = self._radius
        acceleration = (state.dq - self._velocity) / self._period
        self._velocity = state.dq
        rows = (state.q / r, state.dq / r, acceleration / r, state.tau * r)
        out, self._drives = self._drives.through(self._period, *(row[np.newaxis] for row in rows))
        torque = self._drives.torque_signal.published(out.torque, self._random)
        return out.position * r, out.velocity * r, torque / r
