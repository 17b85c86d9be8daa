"""Why no payload explains the rows: the likely cause, and what would help.

Every cause (in `causes`) relaxes the rows, or leaves some out, and the smallest noise factor is
found anew; the simplest one that brings it to about 1 is named.

In: inconsistent rows, and what made them.
Out: a `Diagnosis` with cause, joint and time; the motion that would make a parameter identifiable.
"""

from __future__ import annotations

from .causes.cause import Cause, Finding
from .causes.contact import Contact
from .causes.evidence import Evidence
from .causes.link_model import LinkModel
from .causes.payload_slipped import PayloadSlipped
from .causes.prior import Prior
from .causes.recollection import Recollection
from .causes.torque_gain import TorqueGain
from .causes.torque_offset import TorqueOffset
from .causes.torque_sign import TorqueSign
from .causes.wrong_tool import WrongTool
from .diagnose import CAUSES, Diagnosis, diagnose
from .motion_advice import Advice, MotionSeen, advise
from .reliance.assumption import Reliance
from .reliance.ground import Ground
from .reliance.rests_on import reliance_in_words, rests_on
from .remade.false_samples import MANY as FIRST_SAMPLES
from .remade.false_samples import why_false, why_no_window
from .stated_knowledge import contradicted

__all__ = [
    "CAUSES", "FIRST_SAMPLES", "Advice", "Cause", "Contact", "Diagnosis", "Evidence", "Finding",
    "Ground", "LinkModel", "MotionSeen", "PayloadSlipped", "Prior", "Recollection", "Reliance",
    "TorqueGain", "TorqueOffset", "TorqueSign", "WrongTool", "advise", "contradicted", "diagnose",
    "reliance_in_words", "rests_on", "why_false", "why_no_window",
]  # fmt: skip
