"""Where a simulated arm stands at first, and where its payload is."""

from __future__ import annotations

import numpy as np

from ...core.arm.arm_model import ArmModel
from ...core.arrays import Array
from ...core.errors import PayloadIdError
from ...core.motion.limits import finite_middle
from ...core.safety.clearance.overlap import signed_distances
from ...files.robots.arm_geometry import robot_geometry
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ...planning.case_settings import payload_volume

# [m] A box that holds each payload, z away from the arm.
BOX, CENTRE = [0.12, 0.12, 0.11], [0.0, 0.0, 0.075]
POSES = 100  # of which the arm begins in the best


def outward(model: ArmModel) -> Array:
    """Return axes in the payload frame of which z points away from the arm, shape (3, 3).

    It is the frame's own axis that is nearest to the way from the last joint but one.
    """
    last = model.payload_joint
    way = model.rotation[last].T @ model.translation[last] + model.payload_translation
    way = model.payload_rotation.T @ way
    k = int(np.argmax(np.abs(way)))
    x, y, z = np.roll(np.eye(3), -k - 1, axis=0)
    sign = -1.0 if way[k] < 0.0 else 1.0
    return np.column_stack([x, sign * y, sign * z])


def payload_box(model: ArmModel) -> tuple[list[float], list[float]]:
    """Return sizes and centre of the box that holds each payload, in the payload frame [m]."""
    turn = outward(model)
    return (np.abs(turn) @ BOX).tolist(), (turn @ CENTRE).tolist()


def free_pose(robot: RobotFile) -> Array:
    """Return positions, shape (n,), in which the bodies of arm and payload are far from each other.

    Of poses about the middle of the joints' travel it is that in which the two bodies that are
    nearest are farthest apart; the middle, where the description has no bodies that can be read.

    Raises:
        ConfigurationError: The robot file states no limits.
    """
    model, limits = RobotModel.described(robot), robot.limits
    middle = finite_middle(limits.position_lower, limits.position_upper)
    try:
        geometry = robot_geometry(robot, model, payload_volume(*payload_box(model)))
    except PayloadIdError:  # the planner says so
        return middle
    around = np.clip(limits.position_upper - limits.position_lower, 0.0, np.pi) / 4
    spread = np.random.default_rng(0).uniform(-around, around, (POSES, model.n))
    apart = signed_distances(model, geometry, geometry.pairs(model), middle + spread)
    return np.asarray(middle + spread[int(np.argmax(apart.min(axis=1, initial=np.inf)))])
