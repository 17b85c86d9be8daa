"""What a demonstration simulates: robot, payload and motion, all drawn from one seed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from ...core.arrays import Array
from ...core.body.inertial import change_of_frame, from_mass_com_inertia
from ...core.body.payload_prior import PayloadPrior
from ...core.errors import InputError, in_words
from ...core.excitation.search.random_fourier_search import Found, random_fourier_search
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ...files.configuration.atomic_write import check_folder, save
from ...files.configuration.yaml_file import yaml_text
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from .placement import free_pose, outward

TRUTH = "truth.json"
DURATION = 7.5  # [s] of the motion
TORQUE_RELATIVE, LINK_RELATIVE = 0.025, 0.05
# [N m] of noise, also of what the simulation's steps of integration leave: up to 7e-6 N m at the
# smallest joints of the shipped arms.
TORQUE_ABSOLUTE = 1e-4
# Bounds on the simulated sensor, and on accelerations that are smoothed from joint states.
SENSOR = WrenchUncertainty(
    force_error=0.1,
    torque_error=0.005,
    angular_acceleration_error=0.1,
    linear_acceleration_error=0.02,
)
HEAVIEST = 2.0  # [kg] payload for which the motion keeps the torque limits
REACH = 0.10  # [m] how far a payload's CoM is from the payload frame at the most, along each axis


@dataclass(frozen=True)
class Scene:
    """What is simulated.

    Attributes:
        seed: All else follows from it.
        robot: The robot file, with the uncertainty of the simulation.
        model: The arm.
        payload: True parameters, shape (10,).
        folder: Where everything is written.
    """

    seed: int
    robot: RobotFile
    model: RobotModel
    payload: Array
    folder: Path


def draw_payload(
    rng: np.random.Generator,
    heaviest: float = HEAVIEST,
    reach: float = REACH,
    height: tuple[float, float] = (0.03, REACH),
) -> Array:
    """Draw a solid box held off-centre and askew, shape (10,).

    Args:
        rng: Draws.
        heaviest: Largest mass [kg].
        reach: Its centre is nearer to the z axis than half of it along x and y, its longest side
            twice that [m].
        height: Of its centre [m].
    """
    mass = rng.uniform(0.3, heaviest)
    sides = rng.uniform(0.05, 2.0 * reach, 3)
    com = np.array([*rng.uniform(-reach / 2, reach / 2, 2), rng.uniform(*height)])
    own = mass / 12 * np.diag(np.sum(sides**2) - sides**2)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return from_mass_com_inertia(mass, com, turn @ own @ turn.T)


def draw_scene(
    robot_name: str,
    seed: int,
    out: Path,
    prior: PayloadPrior | None = None,
    drawn: Callable[[np.random.Generator], Array] = draw_payload,
    **keys: Any,
) -> Scene:
    """Draw a payload, and make the folder of the run.

    Args:
        robot_name: Robot file, or the name of a shipped one.
        seed: All else follows from it.
        out: Where the folder is made.
        prior: What is known of payloads; None: what the robot file says.
        drawn: Draws the payload, z away from the arm.
        keys: Of the robot file, in place of the shipped one's.
    """
    folder = _new_folder(out / f"demo_{datetime.now():%Y%m%d_%H%M%S}")
    robot = _robot(robot_name, folder / "robot.yaml", prior, keys)
    model = RobotModel.from_robot_file(robot)
    payload = change_of_frame(outward(model), np.zeros(3)) @ drawn(np.random.default_rng(seed))
    return Scene(seed, robot, model, payload, folder)


def save_truth(scene: Scene) -> None:
    """Write down what an estimate is compared with."""
    truth = {"seed": scene.seed, "payload": scene.payload.tolist()}
    save(scene.folder / TRUTH, f"{json.dumps(truth, indent=2)}\n", "truth")


def draw_motion(scene: Scene) -> Found:
    """Draw the motion that shakes the payload."""
    robot, model, start = scene.robot, scene.model, np.asarray(scene.robot.home)
    limits, payloads = robot.limits, [np.zeros(10), heavy_payload()]
    return random_fourier_search(model, start, limits, payloads, scene.seed, DURATION)


def heavy_payload() -> Array:
    """Return the payload for which torque limits are kept."""
    return from_mass_com_inertia(HEAVIEST, [REACH / 2, 0.0, REACH], 0.01 * np.eye(3))


def _robot(name: str, path: Path, prior: PayloadPrior | None, keys: Mapping[str, Any]) -> RobotFile:
    """Write and load a robot file that states what the simulation's sensors and links do."""
    base = RobotFile.load(name)
    uncertainty = Uncertainty(
        torque_relative=TORQUE_RELATIVE,
        torque_absolute=TORQUE_ABSOLUTE,
        link_relative=LINK_RELATIVE,
        prior=prior or base.uncertainty.prior,
    )
    entries = {"extends": str(base.path.resolve()), "uncertainty": uncertainty.to_dict(), **keys}
    if base.home is None:
        entries["home"] = free_pose(base).tolist()
    head = "# The robot of a demonstration: the shipped file with the simulation's own bounds.\n"
    path.write_text(yaml_text(entries, head))
    return RobotFile.load(path)


def _new_folder(folder: Path) -> Path:
    """Make a folder that does not exist yet."""
    path, count = folder, 1
    try:
        while path.exists():
            count += 1
            path = folder.with_name(f"{folder.name}_{count}")
        path.mkdir(parents=True)
        check_folder(path)
    except (OSError, ValueError) as error:
        raise InputError(
            f"--out: nothing can be written to {folder.parent}: {in_words(error)}."
        ) from error
    return path.resolve()
