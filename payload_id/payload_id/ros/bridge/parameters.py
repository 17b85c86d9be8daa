"""Parameters of the bridge."""

from __future__ import annotations

from dataclasses import dataclass

from ..certifying.case_parameters import CaseParameters
from ..common.parameters import parameter, table_of
from ..execution.arm_parameters import ArmParameters


@dataclass(frozen=True)
class BridgeParameters(CaseParameters, ArmParameters):
    """Parameters of the bridge."""

    team_robot: str = parameter(
        "/omnid1",
        "Namespace of the topics delta/desired_position, delta/additional_force and cmd_vel, with "
        "the back_end 'team_topics'.",
    )
    controller_manager: str = parameter(
        "",
        "Node of ros2_control that says whether the arm's controller is active, who else commands "
        "its joints and whether its hardware takes commands; relative names lie in this node's "
        "namespace. Empty: driver.controller_manager of the robot file, in this node's namespace. "
        "One that is named by either must be there.",
    )
    effort_controller: str = parameter(
        "forward_effort_controller",
        "Controller that takes joint torques with the back_end 'effort': a "
        "JointGroupEffortController of all joints, in the robot file's order, loaded and inactive. "
        "Its topic commands lies beside that of the trajectory controller.",
    )
    dry_run: bool = parameter(
        False,
        "Whether motions are proved and then refused: nothing moves, whatever allow_motion says.",
    )
    allow_motion: bool = parameter(
        True,
        "Whether any motion may be commanded at all.",
        read_only=False,
    )
    enabling_device: bool = parameter(
        False,
        "Whether there is an enabling device: the arm moves only while true arrives on the topic "
        "enable (std_msgs/Bool) at least every enable_timeout. One that has sent anything there "
        "counts in any case.",
    )
    enable_timeout: float = parameter(
        0.3,
        "Longest time between two messages of an enabling device.",
        "s",
        0.02,
        5.0,
    )
    turned: list[float] | None = parameter(
        None,
        "How far each joint has turned when this is set, whole turns included, to within 1 rad: "
        "needed where the robot file limits the turn of continuous joints (turn_limits) and the "
        "driver does not count turns; numbers of other joints do not matter.",
        "rad",
        -1e4,
        1e4,
        read_only=False,
        kind="numbers",
    )
    obstacles_lifetime: float = parameter(
        2.0,
        "For how long the obstacles on the topic ~/obstacles count as known after they came.",
        "s",
        0.05,
        1e6,
    )
    state_folder: str = parameter(
        "",
        "Folder in which a latched fault is remembered until somebody acknowledges, so that a "
        "bridge that is started anew has it still. Empty: payload_id in ROS_HOME (~/.ros).",
    )
    longest_proof: float = parameter(
        50.0,
        "Time after which the proof of a motion is given up, and the motion refused; the planner "
        "waits for 60 s. Longer motions of other clients may need more.",
        "s",
        1.0,
        3600.0,
    )
    start_delay: float = parameter(
        0.3,
        "Time from a command to its first motion.",
        "s",
        0.05,
        10.0,
    )
    reaction: float = parameter(
        0.1,
        "Longest time from sending a command until the arm's controller has taken it up.",
        "s",
        0.01,
        5.0,
    )
    silence: float = parameter(
        0.25,
        "Age of the newest joint states at which a moving arm is held, and time between two looks "
        "at it at which it is stopped.",
        "s",
        0.01,
        5.0,
    )
    settling: float = parameter(
        2.0,
        "Time that the arm may take to rest after a motion.",
        "s",
        0.5,
        30.0,
    )
    watch_period: float = parameter(
        0.01,
        "Time between two looks at a moving arm.",
        "s",
        0.001,
        0.05,
    )


BRIDGE_TABLE = table_of(BridgeParameters)
SWITCH = tuple(entry for entry in BRIDGE_TABLE if entry.name == "allow_motion")
