"""The keys of a team file: its robots, what they publish and how wrong that may be."""

from __future__ import annotations

import re
from typing import Annotated, Literal

import numpy as np
from pydantic import AfterValidator, Field, model_validator
from typing_extensions import Self

from ...core.body.payload_prior import SMALLEST, PayloadPrior
from ...core.mechanism.delta import Delta
from ...core.mechanism.gimbal import ORDERS, Gimbal
from ...core.mechanism.own_load import MechanismMasses
from ...core.mechanism.readings import Mechanism
from ...core.team.bounds import RobotBounds
from ..configuration.model import Model, OfCore, Sign, Vector, key, section

NAME = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)
NAMESPACE = re.compile(r"(/[A-Za-z_]\w*)+\Z|\Z", re.ASCII)
TOPIC = re.compile(r"/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*\Z|\Z", re.ASCII)
LEAST, MOST = 2, 32  # robots of a team
LEAST_GRAVITY, MOST_GRAVITY = 0.1, 30.0  # [m/s2] that a mechanism feels


def _like(pattern: re.Pattern[str], example: str) -> AfterValidator:
    """Return the check of a name."""

    def check(name: str) -> str:
        if not pattern.match(name):
            raise ValueError(
                f"must be a name of letters, digits and _, like {example}; found '{name}'."
            )
        return name

    return AfterValidator(check)


Topic = Annotated[str, _like(TOPIC, "grasp/pose")]
Axes = Literal["grasp", "base"]
Length = Annotated[float, Field(ge=1e-4, le=10.0)]
Mass = Annotated[float, Field(ge=0.0, le=1e6)]
Three = tuple[str, str, str]


class MechanismKeys(Model):
    """Delta and gimbal."""

    base_radius: Length = key("radius of the circle of the actuated joints", "m", 0.180)
    lower_leg: Length = key("length of the actuated, lower legs", "m", 0.200)
    upper_leg: Length = key("length of the upper legs", "m", 0.368)
    platform_radius: Length = key("radius of the circle of the upper legs' ends", "m", 0.062)
    leg_angles: Vector = key(
        "angles of the legs around the base's z axis", "rad", (0.0, 2.0943951, 4.1887902)
    )
    gimbal_order: Literal[ORDERS] = key(  # type: ignore[valid-type]
        "the gimbal's axes from the platform outwards", default="xyz"
    )
    platform_mass: Mass = key(
        "platform, with what of the gimbal does not turn with the payload", "kg", 0.0
    )
    lower_leg_mass: Mass = key("each lower leg", "kg", 0.0)
    upper_leg_mass: Mass = key("each upper leg", "kg", 0.0)
    spring: float | None = key(
        "stiffness of the series springs; null: efforts say the torque", "N m/rad", None,
        ge=1e-3, le=1e9,
    )  # fmt: skip
    gravity: Vector = key("gravity in the base's axes", "m/s2", (0.0, 0.0, -9.80665))

    @property
    def made(self) -> Mechanism:
        """The same as the readings need it."""
        return Mechanism(
            Delta(
                self.base_radius, self.lower_leg, self.upper_leg, self.platform_radius,
                self.leg_angles,
            ),
            Gimbal(self.gimbal_order),
            MechanismMasses(self.platform_mass, self.lower_leg_mass, self.upper_leg_mass),
            self.gravity,
            np.nan if self.spring is None else self.spring,
        )  # fmt: skip

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        """Return a mechanism whose legs reach the platform, and which has a weight."""
        legs, gravity = self.lower_leg + self.upper_leg, np.linalg.norm(self.gravity)
        if abs(self.base_radius - self.platform_radius) >= legs:
            raise ValueError(
                "has legs that do not reach from its base to its platform: base_radius less "
                f"platform_radius is not below lower_leg + upper_leg, {legs:g} m."
            )
        if not LEAST_GRAVITY <= gravity <= MOST_GRAVITY:
            raise ValueError(
                f"must have a gravity with a size from {LEAST_GRAVITY:g} to {MOST_GRAVITY:g} m/s2; "
                f"found {gravity:.3g}."
            )
        return self if self.made else self


class JointKeys(Model):
    """Names and topic of a robot's joints."""

    topic: Topic = key("sensor_msgs/JointState", default="joint/joint_states")
    before: Three = key("joints before the springs", default=("before_1", "before_2", "before_3"))
    after: Three = key(
        "joints behind the springs: the lower legs", default=("after_1", "after_2", "after_3")
    )
    gimbal: Three = key(
        "joints of the gimbal about x, y and z", default=("gimbal_x", "gimbal_y", "gimbal_z")
    )
    effort_of: Literal["before", "after"] = key(
        "joints whose effort is the springs' torque", default="after"
    )
    effort_sign: Sign = key(
        "1 where that torque lifts the lower legs, -1 for the opposite", default=1.0
    )

    @property
    def names(self) -> list[str]:
        """All joints, those before the springs first."""
        return [*self.before, *self.after, *self.gimbal]

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        """Return joints that are named once each."""
        if len(set(self.names)) < len(self.names):
            raise ValueError(f"names a joint twice: {', '.join(self.names)}.")
        return self


class TopicKeys(Model):
    """Topics of a robot, and what they mean."""

    pose: Topic = key("geometry_msgs/PoseStamped of {i} in {i0}", default="grasp/pose")
    twist: Topic = key("geometry_msgs/TwistStamped of {i} against {i0}", default="grasp/twist")
    wrench: Topic = key(
        "geometry_msgs/WrenchStamped about the origin of {i}", default="grasp/wrench"
    )
    twist_axes: Axes = key("in whose axes twists are", default="grasp")
    wrench_axes: Axes = key("in whose axes wrenches are", default="grasp")
    wrench_sign: Sign = key(
        "1 where the wrench is what the robot exerts on the payload, -1 for the opposite",
        default=1.0,
    )
    moments: bool = key("whether torques are measured; false for a passive gimbal", default=False)


class ImuKeys(Model):
    """Inertial measurement unit at a grasp."""

    topic: Topic = key("sensor_msgs/Imu at the grasp; empty: there is none", default="")
    rpy: Vector = key("roll, pitch and yaw of the IMU in the grasp frame", "rad", (0.0, 0.0, 0.0))


class TeamRobotKeys(Model):
    """What holds for a robot of a team, or for all of them."""

    namespace: Annotated[str, _like(NAMESPACE, "/omnid1")] = key(
        "namespace of its topics that do not begin with /; empty: its name", default=""
    )
    grasp_frame: str = key("name of its grasp frame; empty: its name and /grasp", default="")
    source: Literal["joint_states", "topics"] = key(
        "what it publishes: joint states of delta and gimbal, or pose, twist and wrench",
        default="joint_states",
    )
    rate: float = key(
        "of its messages; values are taken between two that are at most 0.055 s apart", "Hz",
        100.0, ge=20.0, le=2000.0,
    )  # fmt: skip
    reliability: Literal["best_effort", "reliable"] = key(
        "quality of service of the subscriptions", default="best_effort"
    )
    smoothing: float = key(
        "time on either side of a reading of joints whose readings smooth it", "s", 0.08,
        ge=0.005, le=1.0,
    )  # fmt: skip
    joint_states: JointKeys = section("where source is joint_states")
    mechanism: MechanismKeys = section("delta and gimbal, for joint_states")
    topics: TopicKeys = section("where source is topics")
    imu: ImuKeys = section("inertial measurement unit at the grasp")
    bounds: Annotated[RobotBounds, OfCore()] = section("largest errors of what it measures")


class PriorKeys(Model):
    """What is known of a team's payload."""

    mass_max: float = key("largest mass", "kg", PayloadPrior().mass_max, ge=SMALLEST, le=1e6)
    com_max: float = key(
        "largest distance of any of its mass from the first robot's grasp", "m", 2.0,
        ge=SMALLEST, le=1e6,
    )  # fmt: skip


class TeamKeys(Model):
    """A team file."""

    name: str = key("name of the team in reports")
    prior: PriorKeys = section("what is known of the payload before any data; it must be true")
    every_robot: TeamRobotKeys = section("what holds for every robot")
    robots: dict[Annotated[str, _like(NAME, "omnid1")], TeamRobotKeys] = key(
        "the robots, by names that are theirs alone; the first one's grasp frame and clock are the "
        "reference. What a robot does not say is as in every_robot"
    )

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        """Return a team of enough robots."""
        if not LEAST <= len(self.robots) <= MOST:
            raise ValueError(
                f"has {len(self.robots)} robots; a team has {LEAST} to {MOST}. One robot alone is "
                "identified by payload_estimator."
            )
        return self
