"""The simulated arm under torques that are held between two steps of a controller.

Unlike `Plant`, it has no controller of its own: it is what `closed_loop` runs controllers on.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from ..arm.arm_model import STANDARD_GRAVITY, ArmModel
from ..arrays import Array
from ..errors import InputError
from .plant import PHYSICS_STEP, STEPPING, SimulationError, nominal_arm
from .plant_model import build_plant_model
from .skeleton import skeleton


class TorquePlant:
    """An arm with a payload that starts at rest and does what its torques make it do.

    Attributes:
        nominal: The arm as the description says.
        step: Integration step [s].
    """

    def __init__(
        self,
        urdf: str,
        joints: Sequence[str],
        payload_frame: str,
        payload_phi: Array | Sequence[float] = (0.0,) * 10,
        gravity: Sequence[float] | Array = STANDARD_GRAVITY,
        *,
        link_phis: Array | None = None,
        friction_coulomb: float | Array = 0.0,
        friction_viscous: float | Array = 0.0,
        armature: float | Array = 0.0,
        step: float = PHYSICS_STEP,
    ) -> None:
        """Build the arm; the arguments are those of `Plant`.

        Raises:
            ModelError: The description cannot be simulated.
            InputError: A parameter is impossible.
        """
        self.nominal: ArmModel = nominal_arm(urdf, joints, payload_frame, gravity)
        n = self.nominal.n
        self.step = step
        self.model = build_plant_model(
            skeleton(urdf, joints),
            joints,
            payload_frame,
            np.array(payload_phi, dtype=float),
            self.nominal.gravity,
            None if link_phis is None else np.array(link_phis),
            np.broadcast_to(friction_coulomb, (n,)),
            np.broadcast_to(friction_viscous, (n,)),
            np.broadcast_to(armature, (n,)),
            step,
        )
        self.data = mujoco.MjData(self.model)
        self._index = np.array([self.model.joint(name).dofadr[0] for name in joints])
        self._steps = 0

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._steps * self.step

    @property
    def state(self) -> tuple[Array, Array]:
        """True positions and velocities, each of shape (n,)."""
        return self.data.qpos[self._index], self.data.qvel[self._index]

    def reset(self, q: Array, dq: Array | None = None) -> None:
        """Go back to time 0 in a state, each of shape (n,); at rest if no velocity is given."""
        if np.shape(q) != (self.nominal.n,) or not np.isfinite(q).all():
            raise InputError(f"The arm has {self.nominal.n} joints; found the positions {q!r}.")
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[self._index] = q
        self.data.qvel[self._index] = 0.0 if dq is None else dq
        self._steps = 0

    def apply(self, torque: Array, duration: float) -> None:
        """Hold torques, shape (n,) [N m or N], for a time [s], rounded to whole steps.

        Raises:
            SimulationError: The motion has diverged.
        """
        count = max(1, round(duration / self.step))
        self.data.qfrc_applied[self._index] = torque
        with STEPPING:
            mujoco.mj_step(self.model, self.data, nstep=count)
        self._steps += count
        if not (np.isfinite(self.data.qpos).all() and np.isfinite(self.data.qvel).all()):
            raise SimulationError(
                f"The simulated arm has diverged before {self.time:.3f} s: its controller does not "
                "hold it, or the step is too long for the torques."
            )
