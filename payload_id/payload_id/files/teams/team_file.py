"""A team file: which robots hold a payload together, what they publish, how wrong it may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scipy.spatial.transform import Rotation

from ...core.arrays import Array
from ...core.body.payload_prior import PayloadPrior
from ...core.errors import UnknownNameError
from ...core.mechanism.readings import Mechanism
from ...core.team.bounds import RobotBounds, TeamBounds
from ...core.wrists.wrench_stream import WrenchConventions
from ..configuration.package_data import shipped

if TYPE_CHECKING:
    from ..configuration.read_model import Source
    from .team_keys import JointKeys, TeamRobotKeys

SHARE = "payload_share"  # topic of what a robot carries, in its namespace


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
        joints: Names and topic of its joints.
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
    joints: JointKeys
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
        from ..configuration.read_model import read_model  # here: pydantic takes long to import
        from .team_keys import TeamKeys

        path = shipped("teams").get(str(path), path)
        keys, source = read_model(path, TeamKeys, "team file", _with_what_holds_for_all)
        robots = tuple(_robot(name, own) for name, own in keys.robots.items())
        _check_names(robots, source)
        return cls(
            keys.name, robots, PayloadPrior(keys.prior.mass_max, keys.prior.com_max), Path(path)
        )


def _with_what_holds_for_all(entries: dict[str, Any]) -> dict[str, Any]:
    """Return the entries of a file in which every robot has those of `every_robot`, too."""
    from ..configuration.read_model import merged

    every, robots = (entries.get(name) for name in ("every_robot", "robots"))
    if not isinstance(every, Mapping) or not isinstance(robots, Mapping):
        return entries
    full = {
        name: merged(every, own) if isinstance(own, Mapping) else own
        for name, own in robots.items()
    }
    return {**entries, "robots": full}


def _robot(name: str, keys: TeamRobotKeys) -> TeamRobot:
    """Return a robot."""
    space, means = keys.namespace or f"/{name}", keys.topics
    given = {"pose": means.pose, "twist": means.twist, "wrench": means.wrench}
    if keys.source == "joint_states":
        given = {"joint_states": keys.joint_states.topic}
    if keys.imu.topic:
        given["imu"] = keys.imu.topic
    return TeamRobot(
        name=name,
        namespace=space,
        grasp_frame=keys.grasp_frame or f"{name}/grasp",
        source=keys.source,
        rate=keys.rate,
        reliable=keys.reliability == "reliable",
        smoothing=keys.smoothing,
        joints=keys.joint_states,
        mechanism=keys.mechanism.made,
        topics={k: x if x.startswith("/") else f"{space}/{x}" for k, x in given.items()},
        conventions=WrenchConventions(
            means.twist_axes, means.wrench_axes, means.wrench_sign, means.moments
        ),
        imu_rotation=Rotation.from_euler("xyz", keys.imu.rpy).as_matrix(),
        bounds=keys.bounds,
    )


def _check_names(robots: tuple[TeamRobot, ...], source: Source) -> None:
    """Raise where two robots are heard as one."""
    owners: dict[str, str] = {}
    for robot in robots:
        for name in (*robot.topics.values(), f"frame {robot.grasp_frame}"):
            if name in owners:
                raise source.refuse(
                    f"has {name}, as robot {owners[name]} does. Give each a namespace of its own.",
                    "robots", robot.name,
                )  # fmt: skip
            owners[name] = robot.name
