"""Bodies that MuJoCo integrates under forces that follow their state in continuous time.

Forces are asked for at every stage of the Runge-Kutta integration: they are a smooth function of
time, and those that are reported for an instant are exactly those that acted at that instant. There
are no mechanical stops and no contacts.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import mujoco
import numpy as np

from ..arrays import Array
from ..errors import PayloadIdError

# MuJoCo's control callback is one for the whole process: one plant steps at a time.
STEPPING = threading.Lock()


class SimulationError(PayloadIdError, RuntimeError):
    """The simulated motion has diverged."""


def new_spec(step: float, gravity: Array, description: str = "<mujoco/>") -> mujoco.MjSpec:
    """Return what a model is made of, every link of a description a body of its own."""
    spec = mujoco.MjSpec.from_string(description)
    spec.compiler.fusestatic = False
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    spec.option.timestep, spec.option.gravity = step, gravity
    # A diverging simulation must be seen, not silently started again.
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    return spec


class MujocoPlant:
    """A model and its state.

    Attributes:
        model: MuJoCo's model.
        data: MuJoCo's state.
        step: Integration step [s].
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        """Begin at the model's reference pose, at rest."""
        # Left to itself, MuJoCo writes its warnings to a file where the program was started.
        mujoco.set_mju_user_warning(_log)
        self.model, self.data = model, mujoco.MjData(model)
        self.step = float(model.opt.timestep)
        self._steps = 0

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._steps * self.step

    def _restart(self) -> None:
        """Go back to time 0 at the model's reference pose, at rest."""
        mujoco.mj_resetData(self.model, self.data)
        self._steps = 0

    def _advance(self, count: int, force: Callable[[int], Array]) -> None:
        """Integrate some steps.

        Args:
            count: How many.
            force: Returns the generalised force in the present state, for the number of half steps
                since the first of them.
        """
        data, applied, rate = self.data, self.data.qfrc_applied, 2.0 / self.step
        start = data.time = self.time

        def control(_model: mujoco.MjModel, _data: mujoco.MjData) -> None:
            applied[:] = force(int((data.time - start) * rate + 0.5))

        with STEPPING:
            previous = mujoco.get_mjcb_control()
            mujoco.set_mjcb_control(control)
            try:
                mujoco.mj_step(self.model, data, nstep=count)
            finally:
                mujoco.set_mjcb_control(previous)
        self._steps += count

    def _check_finite(self, cause: str) -> None:
        """Raise when the motion has diverged, with a sentence on what may have caused it."""
        if not (np.isfinite(self.data.qpos).all() and np.isfinite(self.data.qvel).all()):
            raise SimulationError(f"The simulation has diverged before {self.time:.3f} s{cause}")


def _log(text: str) -> None:
    """Log a warning of MuJoCo's, such as that a simulation is unstable."""
    logging.getLogger(__name__).warning("MuJoCo: %s", text)
