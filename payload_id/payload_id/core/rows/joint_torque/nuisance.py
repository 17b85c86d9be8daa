"""The arm's own parameters psi by place and name: 10 n of links, 5 n of joints, 10 of a tool.

What each is, its box and its columns: `blocks`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arm.arm_model import ArmModel
from ...body.inertial import PARAMETERS
from ...errors import UnknownNameError
from ..nuisance import Nuisance
from .blocks import Stated, of_arm
from .uncertainty import Uncertainty

# Parameters of each joint beside its body's ten, in the order of `blocks.OF_JOINTS`.
JOINT_GROUPS = ("friction_coulomb", "friction_viscous", "rotor_inertia", "torque_offset",
                "torque_gain")  # fmt: skip
NOT_NEGATIVE = JOINT_GROUPS[:3]  # these lie in [0, bound], the others in [-bound, bound]


def nuisance_of(model: ArmModel, uncertainty: Uncertainty) -> Nuisance:
    """Return the boxes that an uncertainty gives to the arm's parameters, 15 n + 10 of them.

    Raises:
        ModelError: The description has no masses, or doubtful ones.
    """
    model.check_masses()
    return Nuisance.of(of_arm(Stated(model, uncertainty)))


def group_slice(group: str, n: int) -> slice:
    """Return where psi holds one group of joint parameters.

    Raises:
        UnknownNameError: There is no such group.
    """
    if group not in JOINT_GROUPS:
        raise UnknownNameError("group of joint parameters", group, JOINT_GROUPS)
    first = 10 * n + n * JOINT_GROUPS.index(group)
    return slice(first, first + n)


def candidate_names(joints: Sequence[str]) -> tuple[str, ...]:
    """Return the names of all 15 n + 10 parameters."""
    links = [f"{joint}.{parameter}" for joint in joints for parameter in PARAMETERS]
    own = [f"{joint}.{group}" for group in JOINT_GROUPS for joint in joints]
    return (*links, *own, *(f"tool.{parameter}" for parameter in PARAMETERS))
