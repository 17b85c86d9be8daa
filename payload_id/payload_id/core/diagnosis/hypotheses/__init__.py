"""Everything that may be false: one file for each hypothesis, a table for each kind of rows."""

from __future__ import annotations

from typing import NamedTuple

from ...rows.joint_torque.momentum import MomentumRows
from ...rows.wrench.newton_euler import NewtonEulerRows
from ..hypothesis import Hypothesis
from .cable import Cable
from .contact import Contact
from .efforts import KindOfEfforts, MotorSide
from .friction import Friction
from .gravity import Gravity, WrenchGravity
from .joint_order import JointOrder
from .joint_zero import JointZero
from .links import Links
from .orientation import Orientation
from .payload_slipped import PayloadSlipped
from .prior import Prior
from .tool import Tool
from .torque_delay import TorqueDelay
from .torque_gain import TorqueGain
from .torque_offset import TorqueOffset
from .torque_sign import ReversedAndHanging, TorqueSign
from .units import Units, WrenchUnits
from .velocity import Velocity
from .wrench_axes import WrenchAxes
from .wrench_frame import WrenchFrame


class Table(NamedTuple):
    """What is asked of one kind of rows.

    Attributes:
        stages: From the simplest hypotheses to those that leave most free; a later stage is asked
            only where no earlier one explains the rows well.
        otherwise: What to look at where none explains them, without a full stop.
    """

    stages: tuple[tuple[Hypothesis, ...], ...]
    otherwise: str


OF_TORQUES = Table(
    (
        (
            Prior(),
            TorqueSign(),
            Units(),
            JointOrder(),
            Velocity(),
            MotorSide(),
            JointZero(),
            Gravity(),
        ),
        (
            KindOfEfforts(),
            ReversedAndHanging(),
            TorqueGain(),
            TorqueOffset(),
            TorqueDelay(),
            Friction(),
        ),
        (Tool(), Contact(0.3)),
        (PayloadSlipped(),),
        (Links(),),
    ),
    "torque sign, gain and offset, link parameters and tool, contact, a payload that slips",
)
OF_WRENCHES = Table(
    (
        (Prior(), WrenchAxes(), Orientation(), WrenchUnits(), WrenchGravity()),
        (WrenchFrame(),),
        (Contact(0.65),),
        (PayloadSlipped(),),
    ),
    "sensor frame, orientations, gravity, units, stamps, filters, the sensor's limits and bias, "
    "contact, a payload that slips",
)
OF_OTHERS = Table(((Prior(),),), "what was measured, its bounds, a payload that slips")
# Those of which is asked how large an error could be that the data do not show.
ASSUMPTIONS: tuple[Hypothesis, ...] = (
    Tool(), Cable(), Links(), Gravity(), TorqueGain(), TorqueOffset()
)  # fmt: skip


def table_of(source: object) -> Table:
    """Return what is asked of the rows of a source; of one that is not known here, little."""
    kinds = ((MomentumRows, OF_TORQUES), (NewtonEulerRows, OF_WRENCHES))
    return next((table for kind, table in kinds if isinstance(source, kind)), OF_OTHERS)
