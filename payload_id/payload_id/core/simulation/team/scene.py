"""What a simulated team is: where it grasps which payload, and what its robots are made of."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Array
from ...body.inertial import as_phi, change_of_frame, from_mass_com_inertia
from ...errors import InputError
from ...mechanism.delta import Delta
from ...mechanism.gimbal import Gimbal
from ...mechanism.own_load import MechanismMasses

HOME_HEIGHT = 0.34  # of the platform above the actuated joints [m]: the middle of its travel


@dataclass(frozen=True)
class SimulatedMocobot:
    """What a simulated robot is made of.

    Attributes:
        delta: Geometry of its delta mechanism.
        gimbal: Its passive gimbal.
        masses: Of the mechanism.
        spring: Stiffness of each series spring [N m/rad].
        friction: Coulomb friction of each joint behind the springs [N m].
        damping: Viscous friction of the same [N m s/rad].
        gimbal_friction: Coulomb friction of each gimbal axis [N m].
        impedance: Stiffness of the soft impedance control [N/m].
        home_height: Of the platform above the actuated joints [m].
    """

    delta: Delta = field(default_factory=Delta)
    gimbal: Gimbal = field(default_factory=Gimbal)
    masses: MechanismMasses = field(default_factory=lambda: MechanismMasses(0.3, 0.15, 0.1))
    spring: float = 1000.0
    friction: float = 0.0
    damping: float = 0.0
    gimbal_friction: float = 0.0
    impedance: float = 600.0
    home_height: float = HOME_HEIGHT


@dataclass(frozen=True)
class TeamScene:
    """N robots that hold one rigid payload; the payload frame is grasp frame {1}.

    Attributes:
        phi: The payload's inertial parameters in {1}, shape (10,).
        rotations: R_1i, shape (N, 3, 3).
        positions: p_1i, shape (N, 3) [m].
        robots: What each is made of.
    """

    phi: Array
    rotations: Array
    positions: Array
    robots: tuple[SimulatedMocobot, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "phi", as_phi(self.phi))
        n = len(self.robots)
        if n < 2 or self.rotations.shape != (n, 3, 3) or self.positions.shape != (n, 3):
            raise InputError(
                f"A team has two robots or more, each with a grasp; found {n} robots, rotations "
                f"{self.rotations.shape}, positions {self.positions.shape}."
            )

    @property
    def n(self) -> int:
        """Number of robots."""
        return len(self.robots)

    @property
    def centre(self) -> Array:
        """Middle of the grasps in {1}, about which motions turn, shape (3,) [m]."""
        return np.asarray(self.positions.mean(axis=0))

    def bases(self) -> tuple[Array, Array]:
        """Return where the bases stand while the payload frame is the world's.

        Bases are level; each is turned as its grasp frame is around the vertical. R: shape
        (N, 3, 3), p: shape (N, 3) [m].
        """
        yaw = np.arctan2(self.rotations[:, 1, 0], self.rotations[:, 0, 0])
        heights = np.array([[0.0, 0.0, robot.home_height] for robot in self.robots])
        return Rotation.from_euler("z", yaw[:, None]).as_matrix(), self.positions - heights

    def relative(self, i: int, j: int) -> tuple[Array, Array]:
        """Return R_ij, shape (3, 3), and p_ij, shape (3,) [m]."""
        turn = self.rotations[i].T
        return turn @ self.rotations[j], turn @ (self.positions[j] - self.positions[i])


def table_one(robot: SimulatedMocobot | None = None) -> TeamScene:
    """Return the payload and the grasp frames of [ZLEFL, Table I], held by three equal robots."""
    turn = Rotation.from_rotvec([0.0, 0.0, 90.0], degrees=True).as_matrix()
    p12 = np.array([0.647, 0.533, 0.0])
    p13 = p12 + np.array([0.457, -0.838, 0.0])
    axes = Rotation.from_rotvec([0.001, 0.010, -95.016], degrees=True).as_matrix()  # R_1c
    inertia = axes @ np.diag([2.258, 3.448, 5.698]) @ axes.T
    return TeamScene(
        phi=from_mass_com_inertia(11.412, [0.553, 0.172, 0.072], inertia),
        rotations=np.stack([np.eye(3), np.eye(3), turn]),
        positions=np.stack([np.zeros(3), p12, p13]),
        robots=(robot or SimulatedMocobot(),) * 3,
    )


def ring_of(
    n: int, phi: Array, radius: float = 0.6, robot: SimulatedMocobot | None = None
) -> TeamScene:
    """Return a team of n robots on a circle; the x axes of the grasps point outwards.

    Args:
        n: Number of robots.
        phi: The payload's inertial parameters about the circle's centre, axes as those of {1}.
        radius: Of the circle [m].
        robot: What each is made of.
    """
    angles = 2 * np.pi * np.arange(n) / n
    places = radius * np.stack([np.cos(angles), np.sin(angles), np.zeros(n)], axis=1)
    moved = change_of_frame(np.eye(3), -places[0]) @ np.asarray(phi, dtype=float)
    turns = Rotation.from_euler("z", angles[:, None]).as_matrix()
    return TeamScene(moved, turns, places - places[0], (robot or SimulatedMocobot(),) * n)
