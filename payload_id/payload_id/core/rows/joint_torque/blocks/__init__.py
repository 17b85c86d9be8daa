"""Kinds of unknowns beside the payload, constant in a run, one class for each.

In: sums over windows for what is the arm's own, the samples of a window for what is of a run.
Out: columns, and a bound on what is not linear.
"""

from __future__ import annotations

from ...nuisance import NuisanceBlock
from .base_tilt import BaseTilt
from .friction import CoulombFriction, RotorInertia, ViscousFriction
from .friction_asymmetry import FrictionAsymmetry
from .friction_load import FrictionLoad
from .friction_stribeck import FrictionStribeck
from .joint_zero import JointZero
from .links import Links, Tool
from .stated import Stated, Sums, Window
from .torque_delay import TorqueDelay
from .torque_ripple import TorqueRipple
from .torque_sensor import TorqueGain, TorqueOffset

# The arm's own: what calibrations learn and the planner predicts, in the order of its parameters.
OF_JOINTS = (CoulombFriction, ViscousFriction, RotorInertia, TorqueOffset, TorqueGain)
OF_ARM = (Links, *OF_JOINTS, Tool)
# The arm's own, too, and not learnt: a calibration holds for what was stated of them then.
NOT_LEARNT = (FrictionAsymmetry, FrictionLoad, FrictionStribeck, TorqueRipple)
OF_RUN = (BaseTilt, JointZero, TorqueDelay, *NOT_LEARNT)

__all__ = [
    "NOT_LEARNT",
    "OF_ARM",
    "OF_JOINTS",
    "OF_RUN",
    "Stated",
    "Sums",
    "Window",
    "of_arm",
    "of_run",
]


def of_arm(stated: Stated) -> tuple[NuisanceBlock[Sums], ...]:
    """Return the blocks of the arm's own parameters, stated or not: 15 n + 10 of them."""
    return tuple(kind.of(stated) for kind in OF_ARM)


def of_run(stated: Stated) -> tuple[NuisanceBlock[Window], ...]:
    """Return the blocks of what else is stated, in the order of their columns."""
    every = (kind.of(stated) for kind in OF_RUN)
    return tuple(block for block in every if block.half_width.any())
