"""Tasks of Table III of [ZZV]: dumbbells, obstacles and the motions that carry them.

The paper gives the platform's distance (0.25 and 0.50 m), a low or a high obstacle, the motion
(2 s, two Bezier pieces of degree 5, made for the 8 lb dumbbell by minimising jerk) and no
coordinates: the rest is chosen here. A motion goes from a pose beside the arm over a via pose to
the place; position, velocity and acceleration are continuous, those in between of least jerk.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pinocchio as pin
from scipy.optimize import least_squares

from payload_id import RobotFile
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.motion.motion_sequence import MotionSequence
from payload_id.core.motion.piece import Piece
from payload_id.core.motion.polynomial import Polynomial
from payload_id.core.motion.trajectory import Trajectory
from payload_id.core.safety.clearance.clearances import clearances
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.clearance.scene import Scene
from payload_id.files.robots.arm_geometry import robot_geometry

POUND = 0.45359237  # [kg]
POUNDS = (4, 5, 6, 7, 8)
DISC, HANDLE = (0.04, 0.07), (0.015, 0.13)  # radius and length of a head and of the handle [m]
HEIGHT = 0.08  # [m] of one dumbbell in the stack
PIECE = 1.0  # [s]
PASSING = 0.006  # [m] distance at which the dumbbell passes the walls of task c


@dataclass(frozen=True)
class Quintic(Trajectory):
    """Position, velocity and acceleration at both ends, shape (3, n) each."""

    start: Array
    end: Array
    duration: float

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The polynomial of degree 5."""
        scale = self.duration ** np.arange(3.0)[:, None]
        curve = Polynomial.through(scale * self.start, scale * self.end)
        return (Piece.whole(curve, self.duration),)


@dataclass(frozen=True, eq=False)
class Task:
    """One motion with one dumbbell.

    Attributes:
        name: "a", "b" or "c".
        pounds: The dumbbell's weight [lb].
        motion: The desired motion.
        scene: Arm, dumbbell and obstacles; None: nothing is in the way.
        obstacles: Those of the scene, the ground among them.
    """

    name: str
    pounds: int
    motion: MotionSequence
    scene: Scene | None
    obstacles: tuple[ConvexBody, ...]


def dumbbell(pounds: float) -> Array:
    """Return phi of a dumbbell held at its handle, axis along x of the tool's frame, (10,)."""
    mass = pounds * POUND
    parts = [(0.9 * mass / 2, side * (HANDLE[1] + DISC[1]) / 2, *DISC) for side in (-1.0, 1.0)]
    parts.append((0.1 * mass, 0.0, *HANDLE))
    phi = np.zeros(10)
    for m, x, radius, length in parts:
        across = m * (3 * radius**2 + length**2) / 12
        inertia = np.diag([m * radius**2 / 2, across, across])
        phi += from_mass_com_inertia(m, [x, 0.0, 0.0], inertia)
    return phi


def volume() -> ConvexBody:
    """Return a cylinder around a dumbbell, axis along x of the tool's frame."""
    turn = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    length = HANDLE[1] + 2 * DISC[1]
    return ConvexBody.primitive("cylinder", (DISC[0], length), turn, name="dumbbell")


def tasks(robot: RobotFile, model: ArmModel) -> list[Task]:
    """Return the eleven motions of the three experiments."""
    made = []
    for name, distance, wall in (("a", 0.30, 0.12), ("b", 0.50, 0.22)):
        for k, pounds in enumerate(POUNDS):
            top = 0.05 + HEIGHT * k
            place = np.array([distance + 0.02, 0.0, top + DISC[0] + 0.01])
            pick = np.array([0.20 + 0.04 * k, 0.45, 0.10])
            middle = (pick + place) / 2
            via = np.array([middle[0] - 0.03, middle[1], max(wall + 0.18, top + 0.11)])
            box = ConvexBody.primitive(
                "box", (0.5, 0.04, wall), translation=(0.4, 0.24, wall / 2), name="obstacle"
            )
            stand = ConvexBody.primitive(
                "cylinder", (0.05, top), translation=(*place[:2], top / 2), name="platform"
            )
            made.append(_task(robot, model, name, pounds, (pick, via, place), [box, stand]))
    points = np.array([[0.40, 0.45, 0.22], [0.52, 0.0, 0.42], [0.40, -0.45, 0.22]])
    made.append(_task(robot, model, "c", 8, points, _narrow(robot, model, points)))
    return made


def _narrow(robot: RobotFile, model: ArmModel, points: Array) -> list[ConvexBody]:
    """Return walls near the path that the dumbbell, or the gripper, passes at `PASSING`."""
    motion = motion_through(model, points)
    geometry = robot_geometry(robot, model, [volume()])
    walls = []
    for time in (0.7, 1.0, 1.3):
        at = tool_position(model, motion.at(np.array([time])).q[0])
        height = 0.5 * at[2]
        for _ in range(3):
            place, name = (at[0], at[1], height / 2), f"wall at {time:g} s"
            wall = ConvexBody.primitive("box", (0.06, 0.04, height), None, place, name)
            found = clearances(Scene.of(model, geometry, [wall]), motion, np.zeros(model.n))
            room = min(margin.value for margin in found if name in margin.where)
            height += room - PASSING
        walls.append(wall)
    return walls


def _task(
    robot: RobotFile, model: ArmModel, name: str, pounds: int, points, obstacles: list[ConvexBody]
) -> Task:
    """Return one motion with its scene."""
    geometry = robot_geometry(robot, model, [volume()])
    around = (*obstacles, ConvexBody.ground(-0.005))
    scene = Scene.of(model, geometry, around)
    return Task(name, pounds, motion_through(model, points), scene, around)


def motion_through(model: ArmModel, points) -> MotionSequence:
    """Return the motion through three positions of the tool, gripper down, at rest at the ends."""
    poses = [inverse_kinematics(model, np.asarray(point)) for point in points]
    first, via, last = (np.unwrap(np.array(poses), axis=0)[k] for k in range(3))
    zero = np.zeros(model.n)
    # Least integral of jerk^2 for two pieces of T: dq = (last - first) 15 / (16 T), ddq below.
    dq = 15.0 / 16.0 * (last - first) / PIECE
    ddq = 20.0 / 3.0 * ((first + last) / 2 - via) / PIECE**2
    middle = np.stack([via, dq, ddq])
    parts = (
        Quintic(np.stack([first, zero, zero]), middle, PIECE),
        Quintic(middle, np.stack([last, zero, zero]), PIECE),
    )
    return MotionSequence(parts, (PIECE, PIECE))


def inverse_kinematics(model: ArmModel, position: Array) -> Array:
    """Return positions that put the tool's frame at a position, gripper down, shape (n,).

    Joints 2, 4 and 6 move in the vertical plane that joint 1 turns; the others stay.
    """
    q = np.array([0.0, 0.3, np.pi, -1.8, 0.0, -1.0, np.pi / 2])
    free, wide = [0, 1, 3, 5], np.array([3.0, 2.2, 2.5, 2.05])

    def error(x: Array) -> Array:
        q[free] = x
        placed = tool(model, q)
        return np.concatenate([placed.translation - position, 0.3 * placed.rotation[:2, 2]])

    start = np.array([-np.arctan2(position[1], position[0]), 0.3, -1.8, -1.0])  # axis 1 is down
    found = least_squares(error, start, bounds=(-wide, wide), xtol=1e-14, ftol=1e-14, gtol=1e-14)
    q[free] = found.x
    if np.abs(error(found.x)).max() < 1e-5 and tool(model, q).rotation[2, 2] < 0:
        return q
    raise ValueError(f"The tool does not reach {position.tolist()} with the gripper down.")


def tool(model: ArmModel, q: Array) -> pin.SE3:
    """Return where the tool's frame is."""
    pinocchio = model.pinocchio
    data, frame = pinocchio.createData(), pinocchio.getFrameId(model.payload_frame)
    pin.forwardKinematics(pinocchio, data, model.pinocchio_q(q))
    return pin.updateFramePlacement(pinocchio, data, frame).copy()


def tool_position(model: ArmModel, q: Array) -> Array:
    """Return the position of the tool's frame, shape (3,) [m]."""
    return np.array(tool(model, q).translation)
