"""Everything that may be false of joint torques: one file for each hypothesis, and their table."""

from __future__ import annotations

from ..hypothesis import Hypothesis
from .cable import Cable
from .contact import Contact
from .efforts import Efforts
from .friction import Friction
from .gravity import Gravity
from .joint_order import JointOrder
from .joint_zero import JointZero
from .links import Links
from .payload_slipped import PayloadSlipped
from .prior import Prior
from .tool import Tool
from .torque_delay import TorqueDelay
from .torque_gain import TorqueGain
from .torque_offset import TorqueOffset
from .torque_sign import TorqueSign
from .units import Units
from .velocity import Velocity

# From the simplest to those that leave most free; a later stage is asked only where no earlier one
# explains the rows well.
HYPOTHESES: tuple[tuple[Hypothesis, ...], ...] = (
    (Prior(), TorqueSign(), Units(), JointOrder(), Velocity(), Efforts()),
    (TorqueGain(), TorqueOffset(), TorqueDelay(), JointZero(), Gravity(), Friction()),
    (Tool(), Contact()),
    (PayloadSlipped(),),
    (Links(),),
)
# Those of which is asked how large an error could be that the data do not show.
ASSUMPTIONS: tuple[Hypothesis, ...] = (
    Tool(), Cable(), Links(), Gravity(), TorqueGain(), TorqueOffset()
)  # fmt: skip
