"""The simulated arm under torques that are held between two steps of a controller.

Unlike `Plant`, it has no controller of its own: it is what `closed_loop` runs controllers on.
"""

from __future__ import annotations

import mujoco

from ..arrays import Array
from .mujoco_arm import STEPPING, MujocoArm


class TorquePlant(MujocoArm):
    """An arm with a payload that starts at rest and does what its torques make it do."""

    def reset(self, q: Array, dq: Array | None = None) -> None:
        """Go back to time 0 in a state, each of shape (n,); at rest if no velocity is given."""
        self._restart(q)
        self.data.qpos[self._to_ours] = q
        self.data.qvel[self._to_ours] = 0.0 if dq is None else dq

    def apply(self, torque: Array, duration: float) -> None:
        """Hold torques, shape (n,) [N m or N], for a time [s], rounded to whole steps.

        Raises:
            SimulationError: The motion has diverged.
        """
        count = max(1, round(duration / self.step))
        self.data.qfrc_applied[self._to_ours] = torque
        with STEPPING:
            mujoco.mj_step(self.model, self.data, nstep=count)
        self._steps += count
        self._check_finite(
            ": its controller does not hold it, or the step is too long for the torques."
        )
