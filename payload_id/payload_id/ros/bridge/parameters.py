"""Parameters of the bridge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..certifying.case_parameters import CASE_PARAMETERS, CaseParameters
from ..common.parameters import Parameter
from ..execution.arm_parameters import ARM_PARAMETERS, ArmParameters

BRIDGE_TABLE = (
    *CASE_PARAMETERS,
    *ARM_PARAMETERS,
    Parameter(
        "team_robot",
        "/omnid1",
        "Namespace of the topics delta/desired_position, delta/additional_force and cmd_vel, with "
        "the back_end 'team_topics'.",
    ),
    Parameter(
        "trajectory_topic",
        "",
        "Topic of trajectory_msgs/JointTrajectory of the arm's controller; empty: "
        "command.trajectory_topic of the robot file. Nobody may publish on it while the arm moves.",
    ),
    Parameter(
        "trajectory_action",
        "",
        "Action of control_msgs/FollowJointTrajectory that moves the arm with the back_end "
        "'follow_joint_trajectory'; empty: follow_joint_trajectory beside the topic.",
    ),
    Parameter(
        "controller_manager",
        "",
        "Node of ros2_control that says whether the arm's controller is active, who else commands "
        "its joints and whether its hardware takes commands; relative names lie in this node's "
        "namespace. Empty: driver.controller_manager of the robot file, in this node's namespace. "
        "One that is named by either must be there.",
    ),
    Parameter(
        "effort_controller",
        "forward_effort_controller",
        "Controller that takes joint torques with the back_end 'effort': a "
        "JointGroupEffortController of all joints, in the robot file's order, loaded and inactive. "
        "Its topic commands lies beside that of the trajectory controller.",
    ),
    Parameter(
        "dry_run",
        False,
        "Whether motions are proved and then refused: nothing moves, whatever allow_motion says.",
    ),
    Parameter("allow_motion", True, "Whether any motion may be commanded at all.", read_only=False),
    Parameter(
        "enable_topic",
        "",
        "Topic of std_msgs/Bool of an enabling device: the arm moves only while true arrives on it "
        "at least every enable_timeout; empty: there is none.",
    ),
    Parameter("enable_timeout", 0.3, "Longest time between two messages of it.", "s", 0.02, 5.0),
    Parameter(
        "turned",
        None,
        "How far each joint has turned when this is set, whole turns included, to within 1 rad: "
        "needed where the robot file limits the turn of continuous joints (cable_turns) and the "
        "driver does not count turns; numbers of other joints do not matter.",
        "rad",
        -1e4,
        1e4,
        read_only=False,
        kind="numbers",
    ),
    Parameter(
        "obstacles_lifetime",
        2.0,
        "For how long the obstacles on the topic ~/obstacles count as known after they came.",
        "s",
        0.05,
        1e6,
    ),
    Parameter(
        "state_folder",
        "",
        "Folder in which a latched fault is remembered until somebody acknowledges, so that a "
        "bridge that is started anew has it still. Empty: payload_id in ROS_HOME (~/.ros).",
    ),
    Parameter(
        "longest_proof",
        50.0,
        "Time after which the proof of a motion is given up, and the motion refused; the planner "
        "waits for 60 s. Longer motions of other clients may need more.",
        "s",
        1.0,
        3600.0,
    ),
    Parameter("start_delay", 0.3, "Time from a command to its first motion.", "s", 0.05, 10.0),
    Parameter(
        "reaction",
        0.1,
        "Longest time from sending a command until the arm's controller has taken it up.",
        "s",
        0.01,
        5.0,
    ),
    Parameter(
        "silence",
        0.25,
        "Age of the newest joint states at which a moving arm is held, and time between two looks "
        "at it at which it is stopped.",
        "s",
        0.01,
        5.0,
    ),
    Parameter(
        "settling", 2.0, "Time that the arm may take to rest after a motion.", "s", 0.5, 30.0
    ),
    Parameter(
        "speed_scaling_topic",
        "",
        "Topic (std_msgs/Float64, in per cent) on which the robot reports its pendant's speed "
        "slider; none but a full one lets a motion begin, and one that is turned down later ends "
        "it. Empty: driver.speed_scaling_topic of the robot file; where that names none either, an "
        "arm that is late is held.",
    ),
    Parameter("watch_period", 0.01, "Time between two looks at a moving arm.", "s", 0.001, 0.05),
)


@dataclass(frozen=True)
class BridgeParameters(CaseParameters, ArmParameters):
    """Values of `BRIDGE_TABLE`, which explains them, but for the bounds."""

    team_robot: str
    trajectory_topic: str
    trajectory_action: str
    controller_manager: str
    effort_controller: str
    dry_run: bool
    enable_topic: str
    enable_timeout: float
    obstacles_lifetime: float
    state_folder: str
    longest_proof: float
    start_delay: float
    reaction: float
    silence: float
    settling: float
    speed_scaling_topic: str
    watch_period: float

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> BridgeParameters:
        """Take them out of all values."""
        return cls(**{name: values[name] for name in cls.__dataclass_fields__})
