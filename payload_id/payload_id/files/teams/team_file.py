"""A team file: which robots hold a payload together, what they publish, how wrong it may be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ...core.arrays import Array
from ...core.body.payload_prior import PayloadPrior
from ...core.errors import ConfigurationError, InputError, UnknownNameError
from ...core.mechanism.delta import Delta
from ...core.mechanism.gimbal import Gimbal
from ...core.mechanism.own_load import MechanismMasses
from ...core.mechanism.readings import Mechanism
from ...core.team.bounds import RobotBounds, TeamBounds
from ...core.wrists.wrench_stream import WrenchConventions
from ..configuration.configuration import read_configuration
from ..configuration.package_data import share_folder
from .team_schema import TEAM

NAME = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)
NAMESPACE = re.compile(r"(/[A-Za-z_]\w*)+\Z", re.ASCII)
TOPIC = re.compile(r"/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*\Z", re.ASCII)
SHARE = "payload_share"  # topic of what a robot carries, in its namespace
LEAST, MOST = 2, 32  # robots of a team
LEAST_GRAVITY, MOST_GRAVITY = 0.1, 30.0  # [m/s2] that a mechanism feels


@dataclass(frozen=True, eq=False)
class TeamRobot:
    """One robot of a team.

    Attributes:
        name: Of the robot.
        namespace: Of its topics.
        grasp_frame: Name of its grasp frame {i}.
        source: "joint_states" or "topics".
        rate: Of its messages [Hz].
        reliable: Whether its subscriptions ask for reliable delivery.
        smoothing: Time on either side of a reading whose readings smooth it [s].
        joint_states: Names and topic of its joints, by key of the file.
        mechanism: Delta and gimbal.
        topics: Full names of its topics: "joint_states", or "pose", "twist" and "wrench"; "imu".
        conventions: What poses, twists and wrenches mean.
        imu_rotation: Axes of its IMU in the grasp frame, shape (3, 3).
        bounds: Largest errors of what it measures.
    """

    name: str
    namespace: str
    grasp_frame: str
    source: str
    rate: float
    reliable: bool
    smoothing: float
    joint_states: Mapping[str, Any]
    mechanism: Mechanism
    topics: Mapping[str, str]
    conventions: WrenchConventions
    imu_rotation: Array
    bounds: RobotBounds


@dataclass(frozen=True, eq=False)
class TeamFile:
    """A team.

    Attributes:
        name: For reports.
        robots: The robots; the first one is the reference.
        prior: What is known of the payload before any data.
        path: Of the file.
    """

    name: str
    robots: tuple[TeamRobot, ...]
    prior: PayloadPrior
    path: Path

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the robots."""
        return tuple(robot.name for robot in self.robots)

    @property
    def bounds(self) -> TeamBounds:
        """What is assumed of the robots' measurements."""
        return TeamBounds(robots={robot.name: robot.bounds for robot in self.robots})

    def robot(self, name: str) -> TeamRobot:
        """Return the robot of a name.

        Raises:
            UnknownNameError: The team has none of that name.
        """
        for robot in self.robots:
            if robot.name == name:
                return robot
        raise UnknownNameError("robot", name, self.names, f"the team '{self.name}'")

    @classmethod
    def load(cls, path: str | Path) -> TeamFile:
        """Read and check a team file.

        Args:
            path: Of the file, or the name of a shipped one.

        Raises:
            ConfigurationError: The file is missing, or an entry is unknown, missing or impossible.
        """
        path = _shipped(path)
        entries = read_configuration(path, TEAM, "team file")
        try:
            robots = tuple(
                _robot(name, _overlaid(entries["every_robot"], own))
                for name, own in entries["robots"].items()
            )
            prior = PayloadPrior(**entries["prior"])
        except InputError as error:
            raise ConfigurationError(f"{path.name}: {error}") from error
        _check_robots(robots, path.name)
        return cls(entries["name"], robots, prior, path)


def team_names() -> tuple[str, ...]:
    """Return the names of the shipped team files."""
    return tuple(sorted(path.stem for path in (share_folder() / "config" / "teams").glob("*.yaml")))


def _shipped(path: str | Path) -> Path:
    """Return the path of a shipped file if a bare name is given; the path itself otherwise."""
    if isinstance(path, str) and path and NAME.match(path) and not Path(path).exists():
        if path not in team_names():
            raise ConfigurationError(
                str(UnknownNameError("team file", path, team_names(), "the shipped ones"))
                + " Or give a path."
            )
        return share_folder() / "config" / "teams" / f"{path}.yaml"
    if not isinstance(path, str | Path):
        raise ConfigurationError(f"A team file is given by its path or name; found {path!r}.")
    return Path(path)


def _overlaid(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of every robot, replaced by a robot's own where it has them."""
    return {
        name: _overlaid(value, own[name])
        if isinstance(value, dict)
        else (value if own.get(name) is None else own[name])
        for name, value in base.items()
    }


def _robot(name: str, entries: Mapping[str, Any]) -> TeamRobot:
    """Return a robot.

    Raises:
        InputError: An entry is impossible.
    """
    if not NAME.match(name):
        raise InputError(
            f"A robot's name must be letters, digits and _, such as omnid1; found '{name}'."
        )
    space = entries["namespace"] or f"/{name}"
    if not NAMESPACE.match(space):
        raise InputError(f"The namespace of robot {name} must be like /omnid1; found '{space}'.")
    rpy = np.array(entries["imu"]["rpy"])
    return TeamRobot(
        name=name,
        namespace=space,
        grasp_frame=entries["grasp_frame"] or f"{name}/grasp",
        source=entries["source"],
        rate=entries["rate"],
        reliable=entries["reliability"] == "reliable",
        smoothing=entries["smoothing"],
        joint_states=entries["joint_states"],
        mechanism=_mechanism(entries["mechanism"]),
        topics=_topics(name, space, entries),
        conventions=_conventions(name, entries["topics"]),
        imu_rotation=Rotation.from_euler("xyz", rpy).as_matrix(),
        bounds=RobotBounds(**entries["bounds"]),
    )


def _topics(name: str, space: str, entries: Mapping[str, Any]) -> dict[str, str]:
    """Return the full names of a robot's topics."""
    if entries["source"] == "joint_states":
        given = {"joint_states": entries["joint_states"]["topic"]}
        if abs(entries["joint_states"]["effort_sign"]) != 1.0:
            raise InputError(
                f"effort_sign of robot {name} must be 1 or -1; found "
                f"{entries['joint_states']['effort_sign']}."
            )
        names = [x for key in ("before", "after", "gimbal") for x in entries["joint_states"][key]]
        if len(set(names)) < len(names):
            raise InputError(f"Robot {name} names a joint twice: {', '.join(names)}.")
    else:
        given = {kind: entries["topics"][kind] for kind in ("pose", "twist", "wrench")}
    if entries["imu"]["topic"]:
        given["imu"] = entries["imu"]["topic"]
    for kind, topic in given.items():
        if not TOPIC.match(topic):
            raise InputError(f"The topic {kind} of robot {name} is no name: '{topic}'.")
    return {k: topic if topic.startswith("/") else f"{space}/{topic}" for k, topic in given.items()}


def _mechanism(entries: Mapping[str, Any]) -> Mechanism:
    """Return delta and gimbal."""
    lengths = ("base_radius", "lower_leg", "upper_leg", "platform_radius", "leg_angles")
    spring, legs = entries["spring"], entries["lower_leg"] + entries["upper_leg"]
    if abs(entries["base_radius"] - entries["platform_radius"]) >= legs:
        raise InputError(
            "The legs of a mechanism do not reach from its base to its platform: base_radius less "
            f"platform_radius is not below lower_leg + upper_leg, {legs:g} m."
        )
    gravity = np.linalg.norm(entries["gravity"])
    if not LEAST_GRAVITY <= gravity <= MOST_GRAVITY:
        raise InputError(
            f"A mechanism's gravity must have a size from {LEAST_GRAVITY:g} to {MOST_GRAVITY:g} "
            f"m/s2; found {gravity:.3g}."
        )
    return Mechanism(
        Delta(**{name: entries[name] for name in lengths}),
        Gimbal(entries["gimbal_order"]),
        MechanismMasses(
            entries["platform_mass"], entries["lower_leg_mass"], entries["upper_leg_mass"]
        ),
        entries["gravity"],
        np.nan if spring is None else spring,
    )


def _conventions(name: str, entries: Mapping[str, Any]) -> WrenchConventions:
    """Return what a robot's messages mean."""
    if abs(entries["wrench_sign"]) != 1.0:
        raise InputError(
            f"wrench_sign of robot {name} must be 1 or -1; found {entries['wrench_sign']}."
        )
    return WrenchConventions(
        entries["twist_axes"], entries["wrench_axes"], entries["wrench_sign"], entries["moments"]
    )


def _check_robots(robots: tuple[TeamRobot, ...], where: str) -> None:
    """Raise unless there are enough robots, none heard as two."""
    if not LEAST <= len(robots) <= MOST:
        raise ConfigurationError(
            f"A team has {LEAST} to {MOST} robots; {where} has {len(robots)}. One robot alone is "
            "identified by payload_estimator."
        )
    owners: dict[str, str] = {}
    for robot in robots:
        for name in (*robot.topics.values(), f"frame {robot.grasp_frame}"):
            if name in owners:
                raise ConfigurationError(
                    f"{where}: robots {owners[name]} and {robot.name} both have {name}. Give each "
                    "a namespace of its own."
                )
            owners[name] = robot.name
