"""What a sampler makes samples of: joint torques, or a wrench; one file for each.

In: subscriptions of the driver's messages.
Out: blocks of checked samples, and what is wrong with what arrives.
"""

from __future__ import annotations

from .joint_torque_intake import JointTorqueIntake
from .wrench_intake import WrenchIntake

INTAKES: dict[str, type[JointTorqueIntake] | type[WrenchIntake]] = {
    "torque": JointTorqueIntake,
    "wrench": WrenchIntake,
}
