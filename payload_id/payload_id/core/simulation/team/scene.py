"""What a simulated team is: where it grasps which payload, and what its robots are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Array
from ...body.inertial import as_phi, from_mass_com_inertia
from ...errors import InputError
from ...mechanism.own_load import MechanismMasses
from ...mechanism.readings import Mechanism


@dataclass(frozen=True)
class SimulatedMocobot:
    """What a simulated robot is made of.

    Attributes:
        mechanism: What its reader knows of it, too: geometry and masses.
        spring: Stiffness of each series spring [N m/rad].
        friction: Coulomb friction of each joint behind the springs [N m].
        damping: Viscous friction of the same [N m s/rad].
        gimbal_friction: Coulomb friction of its gimbal [N m].
        impedance: Stiffness of the soft impedance control [N/m].
        damping_ratio: Of that control, for an equal share of the payload's mass [-].
        float_damping: Of a robot that only carries [N s/m].
        travel: Least and largest angle of a lower leg [rad], omnid.yaml.
        home_height: Of the platform above the actuated joints: the middle of its travel [m].
    """

    mechanism: Mechanism = Mechanism(masses=MechanismMasses(0.3, 0.15, 0.1))
    spring: float = 1000.0
    friction: float = 0.0
    damping: float = 0.0
    gimbal_friction: float = 0.0
    impedance: float = 600.0
    damping_ratio: float = 0.8
    float_damping: float = 5.0
    travel: tuple[float, float] = (-np.pi / 4, np.pi / 2)
    home_height: float = 0.34

    @property
    def moved_mass(self) -> float:
        """What of the mechanism moves with the wrist [kg]: platform, half of the upper legs."""
        return self.mechanism.masses.platform + 1.5 * self.mechanism.masses.upper_leg


@dataclass(frozen=True)
class TeamScene:
    """N equal robots that hold one rigid payload; the payload frame is grasp frame {1}.

    Attributes:
        phi: The payload's inertial parameters in {1}, shape (10,).
        rotations: R_1i, shape (N, 3, 3).
        positions: p_1i, shape (N, 3) [m].
        robot: What each is made of.
    """

    phi: Array
    rotations: Array
    positions: Array
    robot: SimulatedMocobot = SimulatedMocobot()

    def __post_init__(self) -> None:
        object.__setattr__(self, "phi", as_phi(self.phi))
        n = len(self.positions)
        if n < 2 or self.rotations.shape != (n, 3, 3) or self.positions.shape != (n, 3):
            raise InputError(
                f"A team has two robots or more, each with a grasp; found rotations "
                f"{self.rotations.shape}, positions {self.positions.shape}."
            )

    @property
    def n(self) -> int:
        """Number of robots."""
        return len(self.positions)

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
        height = np.array([0.0, 0.0, self.robot.home_height])
        return Rotation.from_euler("z", yaw[:, None]).as_matrix(), self.positions - height


def table_one(robot: SimulatedMocobot = SimulatedMocobot()) -> TeamScene:
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
        robot=robot,
    )
