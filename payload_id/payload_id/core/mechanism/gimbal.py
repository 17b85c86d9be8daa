"""The rotation g(phi) of a gimbal: three angles about axes that follow each other."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from scipy.spatial.transform import Rotation

from ..arrays import Array
from ..errors import InputError

ORDERS = tuple("".join(x) for x in permutations("xyz"))


@dataclass(frozen=True)
class Gimbal:
    """A gimbal with three different axes.

    Attributes:
        order: Axes from the platform outwards, such as "xyz": g = R_x(a) R_y(b) R_z(c).
    """

    order: str = "xyz"

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise InputError(
                f"gimbal order must name three different axes, one of {', '.join(ORDERS)}; found "
                f"'{self.order}'."
            )

    def rotation(self, angles: Array) -> Array:
        """Return g(phi), shape (N, 3, 3); angles: about the axes x, y and z, shape (N, 3) [rad]."""
        columns = ["xyz".index(axis) for axis in self.order]
        turned = np.asarray(angles, dtype=float)[..., columns]
        return np.asarray(Rotation.from_euler(self.order.upper(), turned).as_matrix())

    def angular_velocity(self, angles: Array, rates: Array) -> Array:
        """Return omega of the last frame against the platform, in its own axes, (N, 3) [rad/s].

        Each axis turns with all that follow it: omega = sum_k (R_k+1 ... R_3)' e_k dphi_k.

        Args:
            angles: phi, about x, y and z, shape (N, 3) [rad].
            rates: dphi, shape (N, 3) [rad/s].
        """
        omega = np.zeros_like(np.asarray(rates, dtype=float))
        for axis in self.order:
            k = "xyz".index(axis)
            turn = Rotation.from_rotvec(np.asarray(angles)[:, [k]] * np.eye(3)[k])
            omega = turn.inv().apply(omega)
            omega[:, k] += rates[:, k]
        return omega

    def angles(self, rotation: Array) -> Array:
        """Return the angles about x, y and z of rotations, shape (N, 3) [rad]; g's inverse."""
        found = Rotation.from_matrix(rotation).as_euler(self.order.upper())
        columns = [self.order.index(axis) for axis in "xyz"]
        return np.asarray(found[..., columns])
