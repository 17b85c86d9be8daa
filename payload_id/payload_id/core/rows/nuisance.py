"""The nuisance parameters psi: what is uncertain beside the payload, constant, and linear.

Each has a box, psi = centre + half_width u with |u| <= 1; rows are written in u. A parameter whose
box is a point is known and moves to the right-hand side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arm_model import ArmModel
from ..inertial import PARAMETERS, Array
from ..uncertainty import Uncertainty

# Parameters of each joint beside its body's ten, in the order of the columns.
JOINT_GROUPS = ("friction_coulomb", "friction_viscous", "rotor_inertia", "torque_offset",
                "torque_gain")  # fmt: skip
# Those that cannot be negative lie in [0, bound], the others in [-bound, bound].
NOT_NEGATIVE = ("friction_coulomb", "friction_viscous", "rotor_inertia")


@dataclass(frozen=True)
class Nuisance:
    """Boxes of all 10 n + 5 n candidates; those with a width are the p nuisance parameters.

    Attributes:
        names: Name of each nuisance parameter, such as "joint_2.Ixx", p of them.
        centre: Middle of each candidate's box, shape (15 n,).
        half_width: Half the width of each candidate's box, shape (15 n,).
        uncertain: Which candidates have a width, shape (15 n,).
    """

    names: tuple[str, ...]
    centre: Array
    half_width: Array
    uncertain: np.ndarray[tuple[int], np.dtype[np.bool_]]

    @property
    def p(self) -> int:
        """Number of nuisance parameters."""
        return len(self.names)

    def values(self, u: Array) -> Array:
        """Return psi for coordinates u in the unit box, shape (p,)."""
        return self.centre[self.uncertain] + self.half_width[self.uncertain] * u

    @property
    def largest(self) -> Array:
        """Largest magnitude of each candidate in its box, shape (15 n,)."""
        return np.abs(self.centre) + self.half_width


def largest_gain(gain: Array) -> Array:
    """Return how many times the noise-free reading the torque can be, offsets apart, shape (n,).

    A sensor of gain 1 + g shows (1 + g) T, so that T = reading / (1 + g), |g| <= gain < 1.
    """
    return 1.0 / (1.0 - gain)


def nuisance_of(model: ArmModel, uncertainty: Uncertainty) -> Nuisance:
    """Return the boxes that an uncertainty gives to the links, friction and sensors of an arm."""
    links = model.link_phi.ravel()
    centres, half_widths = [links], [uncertainty.link_relative * np.abs(links)]
    names = [f"{joint}.{parameter}" for joint in model.joints for parameter in PARAMETERS]
    gain = largest_gain(uncertainty.per_joint("torque_gain", model.n))
    # T = (reading - offset) / (1 + g) = reading + g' reading - offset'
    bounds = {
        "torque_gain": gain - 1.0,
        "torque_offset": gain * uncertainty.per_joint("torque_offset", model.n),
    }
    for group in JOINT_GROUPS:
        bound = bounds.get(group, uncertainty.per_joint(group, model.n))
        one_sided = group in NOT_NEGATIVE
        centres.append(bound / 2 if one_sided else np.zeros(model.n))
        half_widths.append(bound / 2 if one_sided else bound)
        names += [f"{joint}.{group}" for joint in model.joints]
    half_width = np.concatenate(half_widths)
    uncertain = half_width > 0
    chosen = tuple(name for name, keep in zip(names, uncertain, strict=True) if keep)
    return Nuisance(chosen, np.concatenate(centres), half_width, uncertain)
