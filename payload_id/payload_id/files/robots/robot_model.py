"""The arm from a description on disk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from typing_extensions import Self

from ...core.arm.arm_model import STANDARD_GRAVITY, ArmModel
from ...core.arm.description import usable
from ...core.arm.mass_doubts import mass_doubts
from ...core.arrays import Array
from ...core.errors import require_type
from .description.urdf import read_urdf
from .description.urdf_tree import UrdfTree
from .link_travel import following_masses, link_travel
from .passive_joints import check_way, followers
from .passive_play import PassivePlay
from .robot_file import RobotFile, robot_names

ALIKE = 0.02  # relative: arms of one kind differ by less, those of others by more
CORRECT = (
    "Correct them in the URDF, or state mass_factor in the robot file, by which masses and "
    "inertias are multiplied: 1.0 if they are right as they stand."
)


class RobotModel(ArmModel):
    """An arm that can be read from files; see `ArmModel` for what it holds."""

    @classmethod
    def from_xml(
        cls,
        urdf: str,
        payload_frame: str,
        joints: Sequence[str] | None = None,
        gravity: Sequence[float] | Array = STANDARD_GRAVITY,
    ) -> Self:
        """Read a URDF; joints that are not named may be anywhere in their travel.

        Args:
            urdf: The description, XML text.
            payload_frame: Link or frame to which the payload is attached.
            joints: As `from_urdf` has them.
            gravity: Gravity in the base frame, three numbers [m/s2].

        Raises:
            ModelError: The description cannot be read or cannot serve.
            UnknownNameError: A joint or the frame does not exist.
        """
        arm = super().from_xml(urdf, payload_frame, joints, gravity)
        text = usable(urdf)
        tree = UrdfTree.of(text)
        check_way(tree, payload_frame, followers(tree, arm.joints))
        play = PassivePlay(text, arm.joints).of_frame(payload_frame)
        return replace(arm, travel=link_travel(text, arm), payload_play=play)

    @classmethod
    def from_urdf(
        cls,
        urdf: str | Path,
        payload_frame: str,
        joints: Sequence[str] | None = None,
        gravity: Sequence[float] | Array = STANDARD_GRAVITY,
    ) -> RobotModel:
        """Read a URDF or xacro file, or URDF text.

        Args:
            urdf: Path, or the XML itself.
            payload_frame: Link or frame to which the payload is attached.
            joints: Joints in the order of the recordings; the others stay at neutral, what they
                carry counts anywhere in their travel. None: every movable joint in the
                description's order.
            gravity: Gravity in the base frame, three numbers [m/s2].

        Raises:
            ModelError: The description cannot be read or cannot serve.
            UnknownNameError: A joint or the frame does not exist.
        """
        text = urdf if isinstance(urdf, str) else ""
        xml = text if "<" in text else read_urdf(urdf)
        return cls.from_xml(xml, payload_frame, joints, gravity)

    @classmethod
    def described(cls, robot: RobotFile, payload_frame: str | None = None) -> RobotModel:
        """Return the arm that a robot file describes, without what earlier runs have taught.

        Args:
            robot: The file.
            payload_frame: Link that carries the payload; None: the file's.
        """
        frame = payload_frame or robot.payload_frame
        arm = cls.from_xml(robot.urdf, frame, robot.joints, robot.gravity)
        doubts = [] if robot.masses_confirmed else list(mass_doubts(arm))
        doubts += [CORRECT] if doubts else []
        return replace(arm, doubt=" ".join([*doubts, following_masses(robot.urdf, arm)]).strip())

    @classmethod
    def from_robot_file(cls, robot: RobotFile) -> RobotModel:
        """Return the arm that a robot file describes, with what it names of earlier runs.

        Raises:
            InputError: The calibration is of another arm or tool, or of torques of another scale.
        """
        require_type(robot, RobotFile, "robot", "a RobotFile, such as RobotFile.load(...)")
        arm = replace(cls.described(robot), effort=robot.effort.scales, history=robot.history)
        return arm.with_calibration(robot.calibration)


def shipped_as(arm: ArmModel) -> tuple[str, ...]:
    """Return the shipped robots whose joints have the names of an arm's, and lie as far apart."""
    return tuple(
        name
        for name in robot_names()
        if (file := RobotFile.load(name)).joints == arm.joints
        and math.isclose(_lengths(RobotModel.described(file)), _lengths(arm), rel_tol=ALIKE)
    )


def _lengths(arm: ArmModel) -> float:
    """Return the distances from joint to joint together [m], wherever the first is mounted."""
    return float(np.linalg.norm(arm.translation[1:], axis=1).sum())
