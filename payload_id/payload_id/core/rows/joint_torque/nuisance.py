"""The arm's own parameters psi by place and name: 10 n of links, 5 n of joints, 10 of a tool.

What each is, its box and its columns: `blocks`.
"""

from __future__ import annotations

from ...arm.arm_model import ArmModel
from ...errors import UnknownNameError
from ..nuisance import Nuisance
from .blocks import OF_JOINTS, Stated, of_arm
from .uncertainty import Uncertainty

JOINT_GROUPS = tuple(kind.kind for kind in OF_JOINTS)  # of each joint beside its body's ten
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
