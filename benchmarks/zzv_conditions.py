"""The conditions of the experiments of [ZZV], as far as they are public, for tables III to V.

Table I and Sec. VI are printed. Coordinates, motions, gains and drives are in the paper's public
code: [sysid] roahmlab/OnlineSafeSysID@51711c9, `config.yaml`; [control] roahmlab/
kinova_robust_control@d7fff6a, `run_online_sysid_demo.py`; [raptor] roahmlab/RAPTOR@a8e2a45. With
the Gen3 of the robot file the motions there end within 1 mm of the places that they are for.
Dumbbells are hexagonal, of iron, and chosen: heads as high as the places of the stack are apart.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from payload_id import RobotFile, RobotModel, Uncertainty
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import change_of_frame, from_mass_com_inertia
from payload_id.core.motion.limits import MotionLimits
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.core.simulation.skeleton import nominal_arm

ROBOT = RobotFile.load("kinova_gen3_2f85")
MODEL = RobotModel.from_robot_file(ROBOT)
ARM = nominal_arm(ROBOT.urdf, ROBOT.joints, ROBOT.payload_frame)
LINKS, TORQUE = 0.05, 0.025  # Sec. VI-D1: parts by which links and torques err
DRIVES = 0.05  # [sysid]: part by which rotors and friction err
ROTOR = ROBOT.control.rotor_inertia  # [sysid]
COULOMB = np.array([0.522, 0.577, 0.421, 0.495, 0.161, 0.133, 0.143])  # [N m], [sysid]
VISCOUS = np.array([10.5, 7.406, 9.973, 8.267, 8.857, 8.711, 8.888])  # [N m s/rad], [sysid]
UNCERTAIN = Uncertainty(link_relative=LINKS, torque_relative=TORQUE, prior=ROBOT.uncertainty.prior)
GAIN, LEVEL, ALPHA = np.array([5.0] * 4 + [7.0] * 3), 0.02, 20.0  # K_r [1/s], V_M [J], [sysid]
LIMITS = MotionLimits(  # [raptor], KinovaConstants.h
    ROBOT.limits.position_lower,
    ROBOT.limits.position_upper,
    np.deg2rad([100.0] * 4 + [180.0] * 3),
    np.deg2rad([297.94] * 4 + [572.95] * 3),
    np.array([90.0] * 4 + [45.0] * 3),
)
# Where excitation and the motions of the tasks begin: the tool at (0, 0.4, 0.25) m [control].
START = np.array([-1.16396061, 0.34987045, -3.68094828, -1.75466411, 0.19968747, -1.09177839,
                  -0.19841415])  # fmt: skip
# Largest displacement of an exciting piece [rad] [control].
RANGE = np.array([np.pi / 48] * 4 + [np.pi / 20] * 3)
# Table I: the last link and what it carries, about the last joint's frame.
TABLE_I = (
    np.array([1.2, -0.4, -0.4, -1.0] + [-0.2] * 6),
    np.array([5.2, 0.4, 0.4, -0.1] + [0.2] * 6),
)

NONE = np.zeros(10)  # a payload
POUND, POUNDS = 0.45359237, (4, 5, 6, 7, 8)  # [kg]
HEIGHT = 0.075  # [m] between two places of the stack [control]; across flats of a head
IRON = 7200.0  # [kg/m3]
HANDLE = (0.015, 0.12)  # radius and length [m]
LYING = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # axis z along x


def head(pounds: float) -> tuple[float, float]:
    """Return mass [kg] and length [m] of one head of a dumbbell."""
    mass = (pounds * POUND - IRON * np.pi * HANDLE[0] ** 2 * HANDLE[1]) / 2
    return mass, mass / (IRON * np.sqrt(3) / 2 * HEIGHT**2)


def dumbbell(pounds: float) -> Array:
    """Return phi of a dumbbell held at its handle, axis along x of the tool's frame, (10,)."""
    mass, length = head(pounds)
    corner, place = HEIGHT / np.sqrt(3), (HANDLE[1] + length) / 2
    along, across = 5 / 12 * corner**2, 5 / 24 * corner**2 + length**2 / 12
    inertia = mass * np.diag([along, across, across])
    heads = [from_mass_com_inertia(mass, [x, 0.0, 0.0], inertia) for x in (-place, place)]
    m, (radius, length) = pounds * POUND - 2 * mass, HANDLE
    across = radius**2 / 4 + length**2 / 12
    bar = from_mass_com_inertia(m, np.zeros(3), m * np.diag([radius**2 / 2, across, across]))
    return np.asarray(heads[0] + heads[1] + bar)


def volume(pounds: float) -> ConvexBody:
    """Return a cylinder around a dumbbell."""
    size = (HEIGHT / np.sqrt(3), HANDLE[1] + 2 * head(pounds)[1])
    return ConvexBody.primitive("cylinder", size, LYING, name="dumbbell")


def box_of(payload: tuple[Array, Array], relative: float = LINKS) -> ParameterBox:
    """Return the box of a payload's interval and of the arm; relative 0: the arm is known."""
    share = DRIVES if relative else 0.0
    arm = Uncertainty(link_relative=relative, prior=UNCERTAIN.prior)
    ends = [(1 - share) * ROTOR, (1 + share) * ROTOR]
    box = ParameterBox.around(ARM, payload, arm, (ends[0], ends[1]))
    return replace(
        box,
        coulomb_lower=(1 - share) * COULOMB,
        coulomb_upper=(1 + share) * COULOMB,
        viscous_lower=(1 - share) * VISCOUS,
        viscous_upper=(1 + share) * VISCOUS,
        stiction_velocity=ROBOT.uncertainty.stiction_velocity,
    )


def with_table_i(box: ParameterBox) -> ParameterBox:
    """Return a Gen3's box whose last link is that of Table I: the payload beyond it is nothing."""
    lower, upper = box.links_lower.copy(), box.links_upper.copy()
    lower[-1], upper[-1] = TABLE_I
    return replace(box, links_lower=lower, links_upper=upper).with_payload(NONE, NONE)


def expected_payload(box: ParameterBox) -> Array:
    """Return the middle of what a box says of the payload, about the payload frame, (10,)."""
    move = change_of_frame(ARM.payload_rotation, ARM.payload_translation)
    beyond = box.interval("links")[0][-1] - ARM.link_phi[-1]
    return np.asarray(box.interval("payload")[0] + np.linalg.solve(move, beyond))


@dataclass(frozen=True, eq=False)
class World:
    """One simulated arm.

    Attributes:
        links: True links, shape (n, 10).
        rotor: True rotor inertias, shape (n,).
        coulomb: True Coulomb friction, shape (n,) [N m].
        viscous: True viscous friction, shape (n,) [N m s/rad].
        seed: Of motions and noise.
    """

    links: Array
    rotor: Array
    coulomb: Array
    viscous: Array
    seed: int
