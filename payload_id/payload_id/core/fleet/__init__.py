"""Many runs of many arms: what runs of one payload say together, and how an arm changes.

In: runs, each reduced to the rows that prove its interval and to a triangular factor.
Out: one estimate and one interval per payload; offsets, gains and friction of an arm over time.
"""

from .arm_health import KINDS, ArmHealth
from .common_payload import CommonPayload, common_payload
from .run_evidence import RunEvidence
from .trend import Trend, trend

__all__ = [
    "KINDS",
    "ArmHealth",
    "CommonPayload",
    "RunEvidence",
    "Trend",
    "common_payload",
    "trend",
]
