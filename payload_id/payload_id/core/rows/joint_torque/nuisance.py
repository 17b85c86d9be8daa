"""The nuisance parameters psi: what is uncertain beside the payload, constant, and linear.

Each has a box, psi = centre + half_width u with |u| <= 1; rows are written in u. A parameter whose
box is a point is known and moves to the right-hand side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arm.arm_model import ArmModel
from ...arrays import Array
from ...body.inertial import PARAMETERS
from ...errors import ModelError, UnknownNameError
from .torque_bound import largest_gain
from .uncertainty import Uncertainty

# Parameters of each joint beside its body's ten, in the order of the columns.
JOINT_GROUPS = ("friction_coulomb", "friction_viscous", "rotor_inertia", "torque_offset",
                "torque_gain")  # fmt: skip
# Those that cannot be negative lie in [0, bound], the others in [-bound, bound].
NOT_NEGATIVE = ("friction_coulomb", "friction_viscous", "rotor_inertia")

# Of Ixx, Ixy, ..: the axes, and those whose squares make a moment of inertia.
AXES = ((0, 0, 1, 2), (0, 1, 0, 0), (0, 2, 0, 0), (1, 1, 0, 2), (1, 2, 0, 0), (2, 2, 0, 1))


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

    def growth(self, n: int) -> Array:
        """Return how the error of each joint's torque grows with the p parameters, shape (n, p).

        The torque's error is (1 + gain) times the reading's: 1 + size u times what it is at u = 0.
        """
        gains = group_slice("torque_gain", n)
        growth = np.zeros((n, len(self.half_width)))
        growth[:, gains] = np.diag(self.half_width[gains] / (1.0 + self.centre[gains]))
        return growth[:, self.uncertain]

    def at(self, u: Array) -> Array:
        """Return psi, shape (15 n,), at the first p entries of u."""
        psi = self.centre.copy()
        psi[self.uncertain] += self.half_width[self.uncertain] * u[: self.p]
        return psi

    @cached_property
    def largest(self) -> Array:
        """Largest magnitude of each candidate in its box, shape (15 n,)."""
        return np.abs(self.centre) + self.half_width


def nuisance_of(model: ArmModel, uncertainty: Uncertainty) -> Nuisance:
    """Return the boxes that an uncertainty gives to the links, friction and sensors of an arm.

    Raises:
        ModelError: The description has no masses.
    """
    if not (model.link_phi[:, 0] > 0.0).any():
        raise ModelError(
            "The robot description has no inertias: every moving link has mass 0. Joint torques do "
            "not tell the payload from the arm without them: add <inertial> elements to the URDF, "
            "or identify with a force-torque sensor."
        )
    lower, upper = (end.ravel() for end in model.link_range)
    largest = np.maximum(np.abs(lower), np.abs(upper))
    centres = [(lower + upper) / 2]
    half_widths = [(upper - lower) / 2 + uncertainty.link_relative * largest]
    half_widths[0] += shifted(
        (1.0 + uncertainty.link_relative) * largest.reshape(-1, 10), uncertainty.link_shift
    ).ravel()
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
    half_width = np.concatenate(half_widths)
    uncertain = half_width > 0
    names = candidate_names(model.joints)[: len(uncertain)]  # without those of the tool
    chosen = tuple(name for name, keep in zip(names, uncertain, strict=True) if keep)
    return Nuisance(chosen, np.concatenate(centres), half_width, uncertain)


def shifted(largest: Array, shift: float) -> Array:
    """Return by how much parameters change when bodies are shifted as a whole, shape (n, 10).

    With x + s for x, |s_i| <= r, h changes by m s, and with it sums of x_i x_j:

        |d(sum x_i x_j)| <= |h_i| r + |h_j| r + m r^2.

    Args:
        largest: Largest magnitudes of the bodies' parameters, shape (n, 10).
        shift: Largest shift along each axis, r [m].
    """
    m, h = largest[:, 0], largest[:, 1:4]
    first = np.stack([m * shift] * 3, axis=1)
    pair = (h[:, :, None] + h[:, None, :]) * shift + (m * shift**2)[:, None, None]
    second = [pair[:, j, j] + pair[:, k, k] if i == l else pair[:, i, l] for i, l, j, k in AXES]
    return np.column_stack([np.zeros(len(m)), first, *second])


def group_slice(group: str, n: int) -> slice:
    """Return where the candidates hold one group of joint parameters.

    Raises:
        UnknownNameError: There is no such group.
    """
    if group not in JOINT_GROUPS:
        raise UnknownNameError("group of joint parameters", group, JOINT_GROUPS)
    first = 10 * n + n * JOINT_GROUPS.index(group)
    return slice(first, first + n)


def candidate_names(joints: Sequence[str]) -> tuple[str, ...]:
    """Return the names of all 15 n + 10 candidates."""
    links = [f"{joint}.{parameter}" for joint in joints for parameter in PARAMETERS]
    own = [f"{joint}.{group}" for group in JOINT_GROUPS for joint in joints]
    return (*links, *own, *(f"tool.{parameter}" for parameter in PARAMETERS))


def with_tool(nuisance: Nuisance, uncertainty: Uncertainty) -> Nuisance:
    """Return the box of psi: that of the arm, and that of the tool's errors after it.

    Its uncertain parameters are those of `MomentumRows`, in the same order.
    """
    width = np.asarray(uncertainty.tool if uncertainty.tool else np.zeros(10))
    uncertain = width > 0
    names = [f"tool.{name}" for name, keep in zip(PARAMETERS, uncertain, strict=True) if keep]
    return Nuisance(
        (*nuisance.names, *names),
        np.append(nuisance.centre, np.zeros(10)),
        np.append(nuisance.half_width, width),
        np.append(nuisance.uncertain, uncertain),
    )
