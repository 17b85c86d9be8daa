"""Why no payload explains the rows: the likely cause, one file for each kind.

Every cause relaxes the rows, or leaves some out, and the smallest noise factor is found anew; the
simplest one that brings it to about 1 is named.
"""

from __future__ import annotations

from .cause import Cause, Finding
from .contact import Contact
from .diagnose import CAUSES, Diagnosis, diagnose
from .evidence import Evidence
from .link_model import LinkModel
from .motion import Advice, MotionSeen, advise
from .payload_slipped import PayloadSlipped
from .prior import Prior
from .torque_gain import TorqueGain
from .torque_offset import TorqueOffset
from .torque_sign import TorqueSign
from .wrong_tool import WrongTool

__all__ = [
    "CAUSES", "Advice", "Cause", "Contact", "Diagnosis", "Evidence", "Finding", "LinkModel",
    "MotionSeen",
    "PayloadSlipped", "Prior", "TorqueGain", "TorqueOffset", "TorqueSign", "WrongTool", "advise",
    "diagnose",
]  # fmt: skip
