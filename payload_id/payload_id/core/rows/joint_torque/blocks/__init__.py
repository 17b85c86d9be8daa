"""Kinds of unknowns beside the payload that are constant in a run, one file for each.

In: the samples of a window. Out: its columns in the unit box, and a bound on what is not linear.
"""

from __future__ import annotations

from ....arm.arm_model import ArmModel
from ..uncertainty import Uncertainty
from .base_tilt import BaseTilt
from .friction_asymmetry import FrictionAsymmetry
from .friction_load import FrictionLoad
from .friction_stribeck import FrictionStribeck
from .joint_zero import JointZero
from .nuisance_block import Effect, NuisanceBlock, Stated, Window
from .torque_delay import TorqueDelay
from .torque_ripple import TorqueRipple

BLOCKS: tuple[type[NuisanceBlock], ...] = (
    BaseTilt,
    JointZero,
    TorqueDelay,
    FrictionAsymmetry,
    FrictionLoad,
    FrictionStribeck,
    TorqueRipple,
)

__all__ = ["BLOCKS", "Effect", "NuisanceBlock", "Stated", "Window", "stated_blocks"]


def stated_blocks(model: ArmModel, bounds: Uncertainty) -> tuple[NuisanceBlock, ...]:
    """Return those that are stated, in the order of their columns."""
    every = (block.of(Stated(model, bounds)) for block in BLOCKS)
    return tuple(block for block in every if block.names)
