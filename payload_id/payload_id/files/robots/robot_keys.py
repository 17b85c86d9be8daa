"""The keys of a robot file: what it says of an arm and its driver; a description may be missing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import model_validator
from typing_extensions import Self

from ...core.arm.effort_scale import JOINT_STATES, EffortScale, Scales
from ...core.arrays import Array
from ...core.errors import InputError
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.safety.speed.speed_limits import SpeedLimits
from ...core.safety.tube.tracking_tube import TrackingTube
from ..configuration.model import (
    JointNames,
    Model,
    Number,
    OfCore,
    OneForEach,
    Reason,
    Vector,
    key,
    section,
)
from ..configuration.package_data import shipped
from ..configuration.read_model import read_model
from ..drivers.driver_facts import DriverFacts

UNLIMITED = SpeedLimits()
OfJoints = Annotated[Array, OneForEach()]
OfJointsPositive = Annotated[Array, OneForEach(lowest=0.0)]
Ends = Annotated[Array, OneForEach(null=True)]
Tracking = Annotated[Array, OneForEach(lowest=0.0, one=True)]


class JointStateSource(Model):
    """Where measurements come from."""

    topic: str = key("topic of sensor_msgs/JointState", default="/joint_states")
    rate: float = key("rate at which it is published", "Hz", 1000.0, ge=0.1, le=1e6)
    reliability: Literal["best_effort", "reliable"] = key(
        "quality of service of the subscription", default="best_effort"
    )
    turns: Literal["wrapped", "counted"] = key(
        "positions of continuous joints: wrapped into (-pi, pi], or counted over turns",
        default="wrapped",
    )


class EffortSource(Model):
    """How JointState.effort becomes joint torque; arrays of shape (n,)."""

    source: Literal["torque", "current", "none"] = key(
        "torque: [N m or N]; current: [A]; none: nothing useful"
    )
    sign: Annotated[Array, OneForEach(-1.0, 1.0, one=True)] = key(
        "1, or -1 where the sensor counts against the joint", default=1.0
    )
    offset: Annotated[Array, OneForEach(one=True)] = key(
        "known offset of the torque", "N m or N", 0.0
    )
    torque_constants: OfJointsPositive | None = key(
        "joint torque per ampere; needed for source current", "N m/A or N/A", None
    )

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        """Return the section, in which constants go with the source."""
        if not (np.abs(self.sign) == 1.0).all():
            raise ValueError(
                f"takes 1 or -1 for each joint in 'effort.sign'; found {self.sign.tolist()}."
            )
        if (self.source == "current") != (self.torque_constants is not None):
            raise ValueError(
                "takes 'effort.torque_constants' if, and only if, 'effort.source' is 'current'; "
                f"found source '{self.source}' and constants "
                f"{'null' if self.torque_constants is None else self.torque_constants.tolist()}."
            )
        return self

    @property
    def factor(self) -> Array:
        """Factor from effort to torque, shape (n,) [- or N m/A]."""
        return self.sign * (1.0 if self.torque_constants is None else self.torque_constants)

    @property
    def scales(self) -> Scales:
        """The same, as what is learnt of the arm keeps it."""
        scale = EffortScale(tuple(self.factor.tolist()), tuple(self.offset.tolist()))
        return {JOINT_STATES: scale}

    def torque(self, effort: Array) -> Array:
        """Return the torque that the actuators apply, positive about the joint axes.

        Args:
            effort: What JointState.effort holds, shape (..., n) [N m or A].

        Returns:
            tau: sign * effort - offset; a current is first multiplied by its torque constant,
                shape (..., n) [N m].

        Raises:
            InputError: The robot gives no useful effort.
        """
        if self.source == "none":
            raise InputError(
                "This robot file says 'effort.source: none': JointState.effort holds no torque. "
                "Use a wrench sensor, or set the source to 'torque' or 'current'."
            )
        return np.asarray(self.factor * effort - self.offset, dtype=float)


class Gripper(Model):
    """How a gripper's joint shows whether it holds something."""

    joint: str = key(
        "the gripper's joint, as JointState names it beside the arm's; empty: it shows nothing",
        default="",
    )
    open: float = key("its position where it lets go", "rad or m", 0.0)
    closed: float = key("its position with nothing between the fingers", "rad or m", 0.0)
    tolerance: float = key(
        "largest error of a position, and what a gripper that stands still may move",
        "rad or m", 0.01, ge=0.0,
    )  # fmt: skip


class CommandTarget(Model):
    """Where motion goes."""

    trajectory_topic: str = key(
        "topic of trajectory_msgs/JointTrajectory",
        default="/joint_trajectory_controller/joint_trajectory",
    )
    across_turn: Literal["sent", "refused"] = key(
        "where positions are wrapped, motions of a continuous joint across +-pi: sent as positions "
        "beyond it, if controller and driver follow them, or refused",
        default="refused",
    )


class ControlSettings(Model):
    """What the arm's motion under a controller rests on; arrays of shape (n,)."""

    rotor_inertia: OfJointsPositive | None = key(
        "reflected inertia of each rotor that the commanded torque accelerates",
        "kg m2 or kg",
        None,
    )
    rotor_inertia_relative: float = key(
        "error of each of them, as a fraction", "-", 0.0, ge=0.0, le=0.999
    )
    effort_period: float = key(
        "longest time for which a torque is held, where the robust controller moves the arm", "s",
        0.001, ge=0.0005, le=0.1,
    )  # fmt: skip
    effort_delay: float = key(
        "... from the stamp of a joint state until the torque that is made from it acts", "s",
        0.003, ge=0.0, le=0.1,
    )  # fmt: skip
    tracking_position: Tracking = key(
        "largest tracking error that the arm's own position controller leaves", "rad or m", 0.02
    )
    tracking_velocity: Tracking = key("... of the velocity", "rad/s or m/s", 0.1)
    tracking_acceleration: Tracking = key("... of the acceleration", "rad/s2 or m/s2", 1.0)
    tracking_slow: float = key(
        "part of tracking_velocity and tracking_acceleration that holds for the slow motions of a "
        "planner whose speed_limits are 'collaborative' or 'reduced'", "-", 1.0, ge=0.001, le=1.0,
    )  # fmt: skip

    def rotor_interval(self) -> tuple[Array, Array] | None:
        """Return the rotors' least and largest inertias, shape (n,) each [kg m2 or kg]."""
        if self.rotor_inertia is None:
            return None
        part = self.rotor_inertia_relative
        return (1.0 - part) * self.rotor_inertia, (1.0 + part) * self.rotor_inertia

    def stated_tube(self, speeds: SpeedLimits = UNLIMITED) -> TrackingTube:
        """Return the tube that the file states for the arm's own position controller.

        Args:
            speeds: Limits that motions keep; where they are slow, the errors of slow motions count.
        """
        part = self.tracking_slow if speeds.is_slow else 1.0
        return TrackingTube.position_controlled(
            self.tracking_position,
            part * self.tracking_velocity,
            part * self.tracking_acceleration,
        )


class PassiveWatch(Model):
    """How joints at a known place are watched."""

    turning: float = key(
        "by how much one that turns may be off its place; bodies and masses cover that",
        "rad", 0.02, ge=1e-5, le=1e6,
    )  # fmt: skip
    sliding: float = key(
        "by how much one that slides may be off its place; bodies and masses cover that",
        "m", 0.002, ge=1e-6, le=1e6,
    )  # fmt: skip
    silence: float = key(
        "age of its position at which such a joint counts as not heard", "s", 1.0, ge=0.01, le=1e6
    )
    unreported: dict[str, Reason] = key(
        "those that no driver reports, 'joint: why it stays where it is'; they are not watched, "
        "and certificates repeat the reason as an assumption",
        default={},
    )


class LimitSet(Model):
    """One of the named sets of joint limits; None: the description's."""

    position_lower: Ends | None = key(
        "smallest position, null for a joint that may turn on and on; of a continuous joint it is "
        "the least turn, whole turns included; null for all: the description's",
        "rad or m", None,
    )  # fmt: skip
    position_upper: Ends | None = key("largest position; likewise", "rad or m", None)
    velocity: OfJointsPositive | None = key(
        "largest speed; null: the description's", "rad/s or m/s", None
    )
    acceleration: OfJointsPositive = key("largest acceleration", "rad/s2 or m/s2")
    effort: OfJointsPositive | None = key(
        "largest torque or force; null: the description's", "N m or N", None
    )


class Limits(Model):
    """Named sets of joint limits."""

    use: str = key("the set in use", default="urdf")
    sets: dict[str, LimitSet] = key("the sets by name", default={})


class TurnLimits(Model):
    """What a cable leaves a continuous joint."""

    lower: Number = key("least turn, whole turns included", "rad")
    upper: Number = key("largest turn", "rad")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        """Return the ends, the lower below the upper one."""
        if self.lower >= self.upper:
            raise ValueError(
                f"has a lower end that is not below the upper one: {self.lower:g} and "
                f"{self.upper:g}."
            )
        return self


class RobotProfile(Model):
    """A robot file in which the description, and all that rests on it, may be left to others."""

    name: str = key(
        "name of the robot in reports and topics' provenance; empty: the description's", default=""
    )
    urdf: str | None = key(
        "robot description: .urdf or .xacro; relative to this file, or package://", default=None
    )
    xacro_arguments: dict[str, str | bool | int | float] = key(
        "values of the xacro file's arguments", default={}
    )
    mass_factor: float | None = key(
        "factor on the description's masses and moments of inertia; 1.0 confirms masses that are "
        "doubted; null: nobody has said anything of them", "", None, ge=1e-6, le=1e6,
    )  # fmt: skip
    joints: JointNames = key("moving joints from base to flange, as named in the URDF")
    payload_frame: str | None = key("link of the URDF that carries the payload", default=None)
    gravity: Vector = key("gravity in the base frame", "m/s2", (0.0, 0.0, -9.81))
    joint_states: JointStateSource = section("where measurements come from")
    effort: EffortSource = key(
        "how JointState.effort becomes joint torque: sign * (torque_constants *) effort - offset"
    )
    gripper: Gripper = section(
        "what tells, hands-free, when something is taken and let go: a gripper holds where it "
        "stands still and is neither open nor closed"
    )
    wrench_topic: str = key(
        "topic of the flange's force-torque sensor (geometry_msgs/WrenchStamped), from which "
        "bringup.launch.xml identifies; empty: from joint torques",
        default="",
    )
    command: CommandTarget = section("where motion goes")
    driver: DriverFacts = section(
        "what is known of the driver that follows the motion; what is left out is unknown"
    )
    control: ControlSettings = section("what the arm's motion under a controller rests on")
    allowed_contacts: dict[str, Reason] = key(
        "pairs of bodies that are not checked against each other, 'body_a body_b: why'; the name "
        "of a link (of the payload's volume: payload) stands for all of its bodies, link/1, "
        "link/2, ... for one of several",
        default={},
    )
    passive_joints: dict[str, Number] = key(
        "where joints stand that the arm does not move, 'joint: position' [rad or m]; without it a "
        "gripper's may be anywhere in their travel, and a lift stands at 0",
        default={},
    )
    passive_joints_watch: PassiveWatch = section(
        "how joints at a known place are watched: joint states are compared with it before and "
        "while the arm moves"
    )
    links_without_body: dict[str, Reason] = key(
        "links that have mass but nothing that could touch anything, 'link: why'", default={}
    )
    limits: Limits = section(
        "joint limits, needed where a motion is planned: named sets, one of them in use"
    )
    turn_limits: dict[str, TurnLimits] = key(
        "continuous joints whose turn a cable limits, in every set of limits; counted as the "
        "driver does, or from what the planner's parameter 'turned' says",
        default={},
    )
    uncertainty: Annotated[Uncertainty, OfCore()] = section(
        "bounds that every interval rests on; what is left out is taken as known exactly"
    )
    calibration: str | None = key(
        "what 'payload-id calibrate' has learnt about this arm (.npz); relative to this file",
        default=None,
    )
    history: str | None = key(
        "what 'payload-id calibrate history' has seen of this arm (.npz); relative to this file",
        default=None,
    )
    home: OfJoints | None = key("where excitation starts and ends", "rad or m", None)

    @classmethod
    def load(cls, robot: str | Path) -> Self:
        """Read and check a profile.

        Args:
            robot: Name of a profile that this package ships, such as "ur10e", or path of a file.

        Raises:
            ConfigurationError: The file is missing, or an entry is unknown, missing or impossible.
        """
        path = Path(shipped("robots").get(str(robot), robot))
        found = read_model(path, cls, "robot file")[0]
        return found.model_copy(update={"name": found.name or path.stem})

    @property
    def contacts(self) -> dict[tuple[str, str], str]:
        """Pairs of bodies that are not checked against each other, and why."""
        pairs = {pair: pair.split() for pair in self.allowed_contacts}
        for pair, names in pairs.items():
            if len(names) != 2:
                raise ValueError(
                    "takes lines 'body_a body_b: why they may touch' in 'allowed_contacts'; found "
                    f"'{pair}'."
                )
        return {(a, b): self.allowed_contacts[pair] for pair, (a, b) in pairs.items()}

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        """Return the file, whose driver follows what it says of motion, and whose pairs are two."""
        topic, tracking = self.command.trajectory_topic, self.control.tracking_position
        if doubt := self.driver.motion_doubt(topic, tracking, self.joints):
            raise ValueError(doubt)
        steps = self.joint_states.rate * self.control.effort_period
        if "effort" in self.driver.back_ends and steps < 1.0 - 1e-9:
            raise ValueError(
                "names 'effort' in 'driver.back_ends' with torques that change faster (every "
                f"{self.control.effort_period:g} s, 'control.effort_period') than 'joint_states' "
                f"shows them ({self.joint_states.rate:g} Hz): what is between is unknown."
            )
        return self if self.contacts is not None else self


class RobotKeys(RobotProfile):
    """A robot file: with a robot description, and what is not known exactly."""

    urdf: str = key("robot description: .urdf or .xacro; relative to this file, or package://")
    payload_frame: str = key("link of the URDF that carries the payload")
    uncertainty: Annotated[Uncertainty, OfCore()] = key(
        "bounds that every interval rests on; what is left out is taken as known exactly"
    )
