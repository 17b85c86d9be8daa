"""A robot as its YAML file describes it: description, topics, limits and uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np

from ...core.arm.arm_history import ArmHistory
from ...core.arm.calibration import Calibration
from ...core.arm.description import with_masses_times
from ...core.arrays import Array
from ...core.errors import ConfigurationError, InputError, UnknownNameError, require_type
from ...core.motion.limits import MotionLimits
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.samples.joint_map import JointMap
from ..calibration_io.calibrated_robot import CALIBRATION, HISTORY
from ..configuration.input_path import from_home, input_path
from ..configuration.package_data import shipped
from .description.urdf import read_urdf
from .description.urdf_tree import UrdfJoint, UrdfTree
from .joint_limits import stated_limits
from .passive_joints import PassivePlace, held_joints, held_still
from .passive_play import base_tilt

if TYPE_CHECKING:
    from ..configuration.read_model import Source
    from ..drivers.driver_facts import DriverFacts
    from .robot_keys import (
        CommandTarget,
        ControlSettings,
        EffortSource,
        Gripper,
        JointStateSource,
        RobotKeys,
    )

# Which attribute of a joint of the description each joint limit is.
DESCRIBED = {
    "position_lower": "lower", "position_upper": "upper", "velocity": "velocity",
    "effort": "effort",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class RobotFile:
    """A robot as its YAML file describes it; see `robot_keys.RobotKeys` for the keys.

    Attributes:
        path: The file itself.
        name: Name of the robot.
        urdf_path: The robot description that the file names.
        urdf: The robot description as URDF text, after xacro and times `mass_factor`.
        masses_confirmed: Whether somebody has stated that factor.
        joints: Moving joints from base to flange.
        payload_frame: Link that carries the payload.
        gravity: Gravity in the base frame, shape (3,) [m/s2].
        joint_states: Where measurements come from.
        effort: How effort becomes torque.
        gripper: How it shows whether it holds something.
        wrench_topic: Of the flange's force-torque sensor; empty: joint torques are used.
        command: Where motion goes.
        driver: What is known of the driver that follows it.
        control: What the arm's motion under a controller rests on.
        allowed_contacts: Pairs of bodies that are not checked against each other, and why.
        held: Joints that the arm does not move, as far as it is known where they stand; they are
            fixed there in `urdf`.
        held_silence: Age of its position at which such a joint counts as not heard [s].
        links_without_body: Links with mass that have no body, and why.
        limits_used: Name of the set of joint limits in use.
        limit_sets: All sets of joint limits by name; none where no motion is planned.
        uncertainty: What is assumed about sensors, links and payload.
        continuous: Which joints turn without end, n of them.
        home: Where excitation starts and ends, shape (n,) [rad or m]; None if not given.
        calibration: What a bare-arm run has taught about this arm; None if there was none.
        history: What runs with known payloads have shown of it; None if there were none.
    """

    path: Path
    name: str
    urdf_path: Path
    urdf: str
    masses_confirmed: bool
    joints: tuple[str, ...]
    payload_frame: str
    gravity: Array
    joint_states: JointStateSource
    effort: EffortSource
    gripper: Gripper
    wrench_topic: str
    command: CommandTarget
    driver: DriverFacts
    control: ControlSettings
    allowed_contacts: Mapping[tuple[str, str], str]
    held: tuple[PassivePlace, ...]
    held_silence: float
    links_without_body: Mapping[str, str]
    limits_used: str
    limit_sets: Mapping[str, MotionLimits]
    uncertainty: Uncertainty
    continuous: tuple[bool, ...]
    home: Array | None
    calibration: Calibration | None = None
    history: ArmHistory | None = None

    @classmethod
    def load(cls, robot: str | Path) -> RobotFile:
        """Read and check a robot file.

        Args:
            robot: Path of a robot file, or the name of one that this package ships, such as
                "kinova_gen3".

        Raises:
            ConfigurationError: The file is missing, or an entry is unknown, missing or impossible.
            UnknownNameError: No such robot, joint, link, limit set or xacro argument.
            ModelError: The robot description that it names cannot be read.
        """
        from ..configuration.read_model import read_model  # here: pydantic takes long to import
        from .robot_keys import RobotKeys

        path = find_robot_file(robot)
        keys, source = read_model(path, RobotKeys, "robot file")
        urdf_path = source.path(keys.urdf, "urdf")
        urdf = read_urdf(urdf_path, keys.xacro_arguments)
        if keys.mass_factor is not None:
            urdf = with_masses_times(urdf, keys.mass_factor)
        joints, gravity, watch = keys.joints, np.array(keys.gravity), keys.passive_joints_watch
        _check_names(urdf, keys, source)
        within = (watch.turning, watch.sliding)
        held = held_joints(urdf, joints, keys.passive_joints, within, watch.unreported)
        urdf = held_still(urdf, held)
        found = [UrdfTree.of(urdf).named(name) for name in joints]
        endless = tuple(joint.kind == "continuous" for joint in found)
        sets = _limit_sets(keys, found, source)
        bounds = keys.uncertainty
        tilt = bounds.gravity_error + base_tilt(urdf, joints, gravity)
        steps = keys.control.effort_period if "effort" in keys.driver.back_ends else 0.0
        bounds = replace(bounds, gravity_error=tilt).held_for(steps)
        learnt, past = (
            None if file is None else source.path(file, name)
            for name, file in (("calibration", keys.calibration), ("history", keys.history))
        )
        return cls(
            path=path,
            name=keys.name or ElementTree.fromstring(urdf).get("name", ""),
            urdf_path=urdf_path,
            urdf=urdf,
            masses_confirmed=keys.mass_factor is not None,
            joints=joints,
            payload_frame=keys.payload_frame,
            gravity=gravity,
            joint_states=keys.joint_states,
            effort=keys.effort,
            gripper=keys.gripper,
            wrench_topic=keys.wrench_topic,
            command=keys.command,
            driver=keys.driver,
            control=keys.control,
            allowed_contacts=keys.contacts,
            held=held,
            held_silence=watch.silence,
            links_without_body=keys.links_without_body,
            limits_used=keys.limits.use,
            limit_sets=sets,
            uncertainty=bounds,
            continuous=endless,
            home=_home(keys, sets, source),
            calibration=None if learnt is None else CALIBRATION.load(learnt),
            history=None if past is None else HISTORY.load(past),
        )

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.joints)

    @property
    def limits(self) -> MotionLimits:
        """The joint limits in use.

        Raises:
            ConfigurationError: The file states none.
        """
        return self.limits_named(self.limits_used)

    def limits_named(self, name: str) -> MotionLimits:
        """Return the set of joint limits with this name.

        Raises:
            UnknownNameError: The file has no such set.
            ConfigurationError: The file states none at all.
        """
        require_type(name, str, "name", "the name of a set of limits")
        if not self.limit_sets:
            raise ConfigurationError(
                f"{self.path} states no 'limits', within which motions are planned and simulated; "
                "add at least limits: {sets: {urdf: {acceleration: [...]}}} [rad/s2 or m/s2], "
                "which takes positions, speeds and efforts from the robot description."
            )
        if name not in self.limit_sets:
            raise UnknownNameError("limit set", name, self.limit_sets, self.path.name)
        return self.limit_sets[name]

    @property
    def turn_limited(self) -> tuple[str, ...]:
        """Joints that turn without end but whose turn some set of limits limits."""
        finite = np.zeros(self.n, dtype=bool)
        for x in self.limit_sets.values():
            finite |= np.isfinite(x.position_lower) | np.isfinite(x.position_upper)
        both = zip(self.joints, self.continuous, finite, strict=True)
        return tuple(name for name, endless, limited in both if endless and limited)

    def limits_at(self, name: str, turns: Mapping[str, int]) -> MotionLimits:
        """Return a set of limits for positions as they are reported and commanded now.

        Args:
            name: The set.
            turns: By how many whole turns joints have turned more than their positions say.

        Raises:
            UnknownNameError: The file has no such set.
        """
        more = 2.0 * np.pi * np.array([float(turns.get(joint, 0)) for joint in self.joints])
        limits = self.limits_named(name).shifted(-more, -more)
        if self.joint_states.turns == "counted" or self.command.across_turn == "sent":
            return limits
        most = np.where(self.continuous, np.pi, np.inf)
        return limits.within(-most, most)

    def joint_map(self) -> JointMap:
        """Return how joint states become samples.

        Raises:
            ConfigurationError: The robot measures no torque.
        """
        effort = self.effort
        if effort.source == "none":
            raise ConfigurationError(
                f"Robot '{self.name}' has effort.source 'none' in {self.path}: its joint states "
                "hold no torque, so no payload can be identified from them. If they do, set the "
                "source to 'torque', or to 'current' with torque_constants."
            )
        return JointMap(self.joints, tuple(effort.factor.tolist()), tuple(effort.offset.tolist()))


def robot_names() -> tuple[str, ...]:
    """Return the names of the robots that this package ships, for `RobotFile.load`."""
    return tuple(name for name, path in shipped("robots").items() if _names_description(path))


def _names_description(path: Path) -> bool:
    """Tell whether a file that is shipped names a robot description; its lines are enough."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return any(line.startswith(("urdf:", "extends:")) for line in lines)


def find_robot_file(robot: str | Path) -> Path:
    """Return the path of a robot file, given as path or as name of a robot that is shipped.

    Raises:
        ConfigurationError: It is a robot description, not a robot file, or does not exist.
        UnknownNameError: No robot of that name is shipped.
    """
    path = from_home(input_path(robot, "robot file"), "robot file")
    if path.suffix in (".urdf", ".xacro"):
        raise ConfigurationError(
            f"{path} is a robot description, not a robot file. Write a robot file (YAML) that "
            "names it under 'urdf', starting from one in config/robots/, and give that."
        )
    if path.suffix in (".yaml", ".yml") or len(path.parts) > 1 or path.is_file():
        return path.resolve()
    files = shipped("robots")
    if str(robot) not in files:
        raise UnknownNameError("robot", str(robot), robot_names())
    path = files[str(robot)]
    if not _names_description(path):
        raise ConfigurationError(
            f"'{robot}' is shipped without a robot description, so it cannot be used by its name. "
            f"Write a robot file with 'extends: package://payload_id/config/robots/{robot}.yaml' "
            "and 'urdf', 'payload_frame' and 'uncertainty' of your arm, and give that."
        )
    return path


def _check_names(urdf: str, keys: RobotKeys, source: Source) -> None:
    """Raise unless the description has the joints, which move, and the payload frame."""
    tree = UrdfTree.of(urdf)
    moving = [joint.name for joint in tree.joints.values() if not joint.is_fixed]
    for k, joint in enumerate(keys.joints):
        if joint not in moving:
            raise UnknownNameError("moving joint", joint, moving, source.where("joints", k))
    if keys.payload_frame not in tree.masses:
        where = source.where("payload_frame")
        raise UnknownNameError("link for payload_frame", keys.payload_frame, tree.masses, where)


def _limit_sets(
    keys: RobotKeys, found: Sequence[UrdfJoint], source: Source
) -> dict[str, MotionLimits]:
    """Return the sets of joint limits; what they leave out is as the description says."""
    described = {
        name: np.array([getattr(joint, entry) for joint in found], dtype=float)
        for name, entry in DESCRIBED.items()
    }
    sliding = np.array([joint.kind == "prismatic" for joint in found])
    turns, sets = _cable(keys, found, source), {}
    for name, stated in keys.limits.sets.items():
        try:
            limits = stated_limits(dict(stated), described, sliding)
        except InputError as error:
            raise source.refuse(str(error), "limits", "sets", name) from error
        sets[name] = limits.within(*turns)
    if sets and keys.limits.use not in sets:
        raise UnknownNameError("limit set", keys.limits.use, sets, source.where("limits", "use"))
    return sets


def _cable(keys: RobotKeys, found: Sequence[UrdfJoint], source: Source) -> tuple[Array, Array]:
    """Return the least and largest turn of every joint, infinite where no cable limits it."""
    known = [joint.name for joint in found if joint.kind == "continuous"]
    lower, upper = np.full(len(found), -np.inf), np.full(len(found), np.inf)
    for name, ends in keys.turn_limits.items():
        if name not in known:
            where = source.where("turn_limits", name)
            raise UnknownNameError("continuous joint for turn_limits", name, known, where)
        j = keys.joints.index(name)
        lower[j], upper[j] = ends.lower, ends.upper
    return lower, upper


def _home(keys: RobotKeys, sets: Mapping[str, MotionLimits], source: Source) -> Array | None:
    """Return the home position, which lies within the limits in use."""
    home, limits = keys.home, sets.get(keys.limits.use)
    if home is None or limits is None:
        return home
    for k in np.flatnonzero((home < limits.position_lower) | (home > limits.position_upper)):
        raise source.refuse(
            f"has {home[k]:g} for {keys.joints[k]}, outside the limits '{keys.limits.use}': "
            f"{limits.position_lower[k]:g} to {limits.position_upper[k]:g}.",
            "home", int(k),
        )  # fmt: skip
    return home
