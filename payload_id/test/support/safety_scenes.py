"""Arms with bodies, obstacles, boxes and motions for the tests of the certifier."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from arms import BRANCHED
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.limits import MotionLimits
from payload_id.core.safety.certificate.safety_case import SafetyCase
from payload_id.core.safety.clearance.arm_geometry import ArmGeometry
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.files.robots.arm_geometry import description_geometry, robot_geometry
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel

SHAPES = (
    '<cylinder radius="0.05" length="0.3"/>',
    '<box size="0.1 0.2 0.08"/>',
    '<cylinder radius="0.1" length="0.04"/>',
    '<sphere radius="0.07"/>',
    '<box size="0.05 0.06 0.12"/>',
)


def branched() -> tuple[ArmModel, ArmGeometry]:
    """Return an arm with a slide and a branch, a body on each link."""
    text = BRANCHED
    for shape in SHAPES:
        body = f'<collision><origin xyz="0.02 0.01 0.03" rpy="0.3 0.2 0.1"/><geometry>{shape}'
        text = text.replace(
            "</inertial></link>", f"</inertial> {body}</geometry></collision></link>", 1
        )
    text = text.replace("</inertial> <", "</inertial><")
    model = ArmModel.from_xml(text, "tool")
    return model, description_geometry(text, model, Path())


@lru_cache
def arm_named(name: str) -> tuple[RobotFile, RobotModel]:
    """Return a shipped robot."""
    robot = RobotFile.load(name)
    return robot, RobotModel.from_robot_file(robot)


def gen3() -> tuple[RobotFile, RobotModel]:
    """Return a Gen3."""
    return arm_named("kinova_gen3")


def rotation(rng: np.random.Generator) -> np.ndarray:
    """Return a random rotation."""
    Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return Q * np.sign(np.linalg.det(Q))


def random_body(rng: np.random.Generator, kind: str, place: np.ndarray, name: str) -> ConvexBody:
    """Return a body of 5 to 20 cm."""
    if kind == "hull":
        points = rng.uniform(-0.1, 0.1, (15, 3))
        return ConvexBody.hull(points, rotation(rng), place, name)
    size = rng.uniform(0.05, 0.2, {"box": 3, "sphere": 1}.get(kind, 2))
    return ConvexBody.primitive(kind, size, rotation(rng), place, name)


def obstacles(rng: np.random.Generator, count: int = 10) -> tuple[ConvexBody, ...]:
    """Return the ground and obstacles of all kinds at arm's reach."""
    found = [ConvexBody.ground(-0.01)]
    for k in range(count):
        kind = ("box", "cylinder", "capsule", "sphere", "hull")[k % 5]
        angle, distance = rng.uniform(-np.pi, np.pi), rng.uniform(0.55, 0.95)
        place = [distance * np.cos(angle), distance * np.sin(angle), rng.uniform(0.0, 0.8)]
        found.append(random_body(rng, kind, np.array(place), f"{kind} {k}"))
    return tuple(found)


def motion(
    start: np.ndarray, rng: np.random.Generator, speed: float = 0.7, acceleration: float = 2.5
) -> FourierSeries:
    """Return a random motion of 3 s from rest to rest, no joint faster than these."""
    series = FourierSeries.from_free(start, rng.normal(size=(len(start), 2, 3)), 3.0)
    found = series.at(np.linspace(0.0, 3.0, 400))
    peak = np.maximum(np.abs(found.dq).max(0) / speed, np.abs(found.ddq).max(0) / acceleration)
    return series.scaled(1.0 / peak)


def payload_box(robot: RobotFile, model: ArmModel, mass: float = 1.8) -> ParameterBox:
    """Return the box of a dumbbell that is known to 15 %."""
    phi = mass * np.array([1, 0, 0, 0.06, 0.006, 0, 0, 0.006, 0, 0.002])
    half = mass * np.array([0.15, 0.009, 0.009, 0.009, 0.002, 0.001, 0.001, 0.002, 0.001, 0.001])
    return ParameterBox.around(model, (phi - half, phi + half), robot.uncertainty)


def limits_of(robot: RobotFile, name: str = "safety_warning") -> MotionLimits:
    """Return a named set of limits."""
    return robot.limits_named(name)


def gen3_case(around: tuple[ConvexBody, ...] = (), name: str = "kinova_gen3") -> SafetyCase:
    """Return a Gen3 that holds a dumbbell."""
    robot, model = arm_named(name)
    dumbbell = ConvexBody.primitive("sphere", (0.08,), translation=(0.0, 0.0, 0.08))
    return SafetyCase(
        model=model,
        geometry=robot_geometry(robot, model, [dumbbell]),
        obstacles=around,
        box=payload_box(robot, model),
        tube=robot.control.stated_tube(),
        limits=limits_of(robot),
        limits_name="safety_warning",
        clearance=0.005,
    )
