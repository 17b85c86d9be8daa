"""What a robot file says that needs no robot description."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ...core.errors import UnknownNameError
from ..configuration.configuration import read_configuration
from ..configuration.input_path import input_path
from ..configuration.package_data import share_folder
from ..configuration.schema import Schema
from ..drivers.driver_facts import DriverFacts
from ..robots.robot_file import profile_names
from ..robots.robot_schema import ROBOT
from ..robots.robot_sections import EffortSource, JointStateSource

# A robot file in which the description, and all that rests on it, may be left to who extends it.
PROFILE: Schema = {
    **ROBOT,
    "urdf": replace(ROBOT["urdf"], default=None, nullable=True),
    "payload_frame": replace(ROBOT["payload_frame"], default=None, nullable=True),
    "uncertainty": replace(ROBOT["uncertainty"], default=None),
}


@dataclass(frozen=True, eq=False)
class RobotProfile:
    """What a robot file says that needs no robot description.

    Attributes:
        name: Name of the robot.
        joints: Moving joints from base to flange.
        joint_states: Where measurements come from.
        effort: How effort becomes torque.
        driver: What is known of the driver.
        described: Whether the file names a robot description.
    """

    name: str
    joints: tuple[str, ...]
    joint_states: JointStateSource
    effort: EffortSource
    driver: DriverFacts
    described: bool

    @classmethod
    def load(cls, robot: str | Path) -> RobotProfile:
        """Read and check a profile.

        Args:
            robot: Name of a profile that this package ships, such as "ur10e", or path of a file.

        Raises:
            ConfigurationError: The file is missing, or an entry is unknown, missing or impossible.
            UnknownNameError: No such profile is shipped.
        """
        path = input_path(robot, "profile")
        if not path.suffix:
            if str(robot) not in profile_names():
                raise UnknownNameError("profile", str(robot), profile_names())
            path = share_folder() / "config" / "robots" / f"{robot}.yaml"
        entries = read_configuration(path, PROFILE, "robot file")
        joints = entries["joints"]
        driver = DriverFacts.from_entries(entries["driver"], len(joints), path.name)
        tracking = entries["control"]["tracking_position"]
        driver.check_motion(
            entries["command"]["trajectory_topic"],
            np.broadcast_to(np.asarray(tracking, dtype=float), (len(joints),)),
            joints,
            path.name,
        )
        return cls(
            name=entries["name"] or path.stem,
            joints=joints,
            joint_states=JointStateSource(**entries["joint_states"]),
            effort=EffortSource.from_entries(entries["effort"], len(joints), path),
            driver=driver,
            described=entries["urdf"] is not None,
        )
