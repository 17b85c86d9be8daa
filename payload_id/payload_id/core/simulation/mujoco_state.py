"""MuJoCo's state of a model; what it warns of is logged.

Left to itself, MuJoCo writes a file of warnings into the folder that a program was started in.
"""

from __future__ import annotations

import logging

import mujoco


def new_state(model: mujoco.MjModel) -> mujoco.MjData:
    """Return the state of a model at its reference pose, at rest."""
    mujoco.set_mju_user_warning(_log)
    return mujoco.MjData(model)


def _log(text: str) -> None:
    """Log a warning of MuJoCo's, such as that a simulation is unstable."""
    logging.getLogger(__name__).warning("MuJoCo: %s", text)
