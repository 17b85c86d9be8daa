"""What the simulated arm's parameters mean, and what is built from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core.arrays import Array
from ...core.body.inertial import PARAMETERS
from ...core.errors import InputError
from ...core.simulation.perturbation import perturb_links
from ...core.simulation.plant import BLOCK, PHYSICS_STEP, SHORT_BLOCK, Plant
from ...core.simulation.presets import PRESETS, preset_named
from ...core.simulation.realistic_arm import RealisticArm
from ...core.simulation.sensors import SensorModel
from ...core.simulation.skeleton import nominal_arm
from ...files.robots.robot_file import RobotFile
from ..common.parameters import Parameter
from ..common.shared_parameters import ROBOT_FILE

NO_DRIVE = "none"
SIMULATED, REAL = "simulated", "real"

PARAMETER_TABLE = (
    ROBOT_FILE,
    Parameter(
        "controllers",
        SIMULATED,
        "Whose controllers move the arm: this node's, or real ones of ros2_control, to which it "
        "stands in for the robot behind joint_state_topic_hardware_interface.",
        choices=(SIMULATED, REAL),
    ),
    Parameter("rate", 0.0, "Rate of joint states; 0: as the robot file says.", "Hz", 0.0, 1000.0),
    Parameter(
        "payload",
        [0.0] * 10,
        f"Inertial parameters of the payload about the payload frame: {', '.join(PARAMETERS)}. "
        "Another payload is carried as soon as this is set.",
        "kg, kg m, kg m2",
        -1e3,
        1e3,
        length=len(PARAMETERS),
        read_only=False,
    ),
    Parameter("seed", 0, "Seed of everything that is drawn at random.", "", 0, 2**31 - 1),
    Parameter(
        "link_relative",
        0.0,
        "Bound of the relative deviation of the links from the description, drawn once.",
        "-",
        0.0,
        0.5,
    ),
    Parameter(
        "drive",
        NO_DRIVE,
        "Preset of the drives and sensors that joint states are seen through, before the errors "
        "below; see Realistic arms. They do not change the motion.",
        choices=(NO_DRIVE, *PRESETS),
    ),
    Parameter("friction_coulomb", 0.0, "Coulomb friction in each joint.", "N m or N", 0.0, 1000.0),
    Parameter("friction_viscous", 0.0, "Viscous friction.", "N m s/rad or N s/m", 0.0, 1000.0),
    Parameter(
        "armature",
        0.0,
        "Reflected rotor inertia of each joint; torque sensors sit behind the gears and show none "
        "of it. 0: where the robot file says that torques are executed, drawn within its "
        "control.rotor_inertia.",
        "kg m2 or kg",
        0.0,
        100.0,
    ),
    Parameter("torque_relative", 0.0, "Bound of the torque noise / torque.", "-", 0.0, 0.5),
    Parameter("torque_absolute", 0.0, "Bound of further torque noise.", "N m or N", 0.0, 100.0),
    Parameter(
        "torque_gain",
        0.0,
        "Bound of the torque sensors' gain errors, constant and drawn once for each joint.",
        "-",
        0.0,
        0.5,
    ),
    Parameter(
        "torque_offset",
        0.0,
        "Bound of the torque sensors' unknown offsets, constant and drawn once for each joint.",
        "N m or N",
        0.0,
        100.0,
    ),
    Parameter(
        "wrench_noise",
        [0.0, 0.0],
        "Bounds of the noise of force and torque of the force-torque sensor at the payload frame; "
        "there is one where the robot file names its topic.",
        "N, N m",
        0.0,
        100.0,
        length=2,
    ),
    Parameter(
        "fault",
        False,
        "Whether the arm is in fault: it stands, and commands are dropped while controllers go on "
        "and count theirs as sent; afterwards it goes to the last one, as real ones do. Conditions "
        "and resets of the robot file's section driver say and end it. May be set at any time.",
        read_only=False,
    ),
    Parameter(
        "hung",
        False,
        "Whether the driver hangs: no joint states, no cycle of a controller, goals do not end, "
        "while the arm does what it was told last. May be set at any time.",
        read_only=False,
    ),
    Parameter(
        "push",
        [0.0],
        "What somebody exerts on the joints, one number for each or one for all; torque sensors "
        "do not show it. May be set at any time.",
        "N m or N",
        -1000.0,
        1000.0,
        read_only=False,
    ),
    Parameter("stamp_jitter", 0.0, "Bound of the error of the stamps.", "s", 0.0, 0.1),
    Parameter(
        "physics_step",
        PHYSICS_STEP,
        "Longest step of the physics; 0.001 costs a quarter of the processor time, but a slowed "
        "arm that is stopped was seen to lose most of its velocity within 10 ms.",
        "s",
        5e-5,
        2e-3,
    ),
    Parameter("real_time_factor", 1.0, "Simulated time / wall time.", "-", 0.01, 100.0),
    Parameter(
        "paused",
        False,
        "Whether simulated time stands still and nothing is published. When it goes on, the "
        "sensors' noise begins anew from the seed: what follows is then the same on every machine. "
        "May be set at any time.",
        read_only=False,
    ),
    Parameter("publish_clock", False, "Whether simulated time is published on /clock."),
)


def push_of(values: Mapping[str, Any], joints: Sequence[str]) -> Array:
    """Return what is exerted on each joint, shape (n,) [N m or N].

    Raises:
        InputError: It is not one number, nor one for each joint.
    """
    push = np.array(values["push"], dtype=float)
    if len(push) not in (1, len(joints)):
        raise InputError(
            f"push takes one number, or {len(joints)} for the joints {', '.join(joints)}; found "
            f"{len(push)}."
        )
    return np.broadcast_to(push, (len(joints),)).copy()


def build_arm(robot: RobotFile, values: dict[str, Any]) -> RealisticArm | None:
    """Return the arm with the drives that the parameters ask for; None: ideal ones."""
    if values["drive"] == NO_DRIVE:
        return None
    nominal = nominal_arm(robot.urdf, robot.joints, robot.payload_frame, robot.gravity)
    preset = preset_named(values["drive"]).but(link_relative=values["link_relative"])
    limits = robot.limits.torque
    capacity = limits if np.isfinite(limits).all() else None
    return RealisticArm.drawn(nominal, preset, values["seed"], capacity)


def build_plant(
    robot: RobotFile, values: dict[str, Any], period: float, arm: RealisticArm | None = None
) -> Plant:
    """Return what the parameters describe, with an arm's links; its step divides the period."""
    nominal = nominal_arm(robot.urdf, robot.joints, robot.payload_frame)
    links = None if arm is None else arm.link_phi
    if arm is None and values["link_relative"] > 0:
        random = np.random.default_rng([values["seed"], 0])
        links = perturb_links(nominal.link_phi, values["link_relative"], random)
    return Plant(
        robot.urdf,
        robot.joints,
        robot.payload_frame,
        values["payload"],
        robot.gravity,
        link_phis=links,
        friction_coulomb=values["friction_coulomb"],
        friction_viscous=values["friction_viscous"],
        armature=_rotors(robot, values),
        q0=robot.home,
        block=SHORT_BLOCK if values["controllers"] == REAL else BLOCK,
        step=period / np.ceil(period / values["physics_step"] - 1e-9),
    )


def _rotors(robot: RobotFile, values: dict[str, Any]) -> Array | float:
    """Return the reflected inertias of the rotors, one number or one for each joint."""
    interval = robot.control.rotor_interval()
    if values["armature"] > 0.0 or interval is None or not robot.driver.executes("effort"):
        return float(values["armature"])
    return np.random.default_rng([values["seed"], 3]).uniform(*interval)


def build_sensor(values: dict[str, Any], n: int) -> SensorModel:
    """Return the sensor model; constant errors are drawn for each of n joints."""
    random = np.random.default_rng([values["seed"], 1])
    gain, offset = random.uniform(-1.0, 1.0, (2, n))
    direct = ("torque_relative", "torque_absolute")
    return SensorModel(
        torque_gain=tuple((values["torque_gain"] * gain).tolist()),
        torque_offset=tuple((values["torque_offset"] * offset).tolist()),
        stamp_jitter=values["stamp_jitter"],
        **{name: values[name] for name in direct},
    )


def effort_convention(robot: RobotFile) -> tuple[Array, Array]:
    """Return sign (with the torque constant, if any) and offset of the published effort."""
    constants = robot.effort.torque_constants
    return robot.effort.sign * (1.0 if constants is None else constants), robot.effort.offset
