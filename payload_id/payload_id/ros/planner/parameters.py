"""Parameters of the planner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...core.excitation.criteria import CRITERIA
from ...core.excitation.criteria import DEFAULT as DEFAULT_CRITERION
from ...core.safety.speed.speed_limits import PRESETS
from ..common.parameters import Parameter
from ..common.shared_parameters import (
    JOINT_STATES_TOPIC,
    RELIABILITY,
    ROBOT_FILE,
    UNCERTAINTY_PARAMETERS,
)

PIECES = ("bezier", "wave")  # families of short pieces, for receding horizon
FAMILIES = ("fourier", "there_and_back", *PIECES)
LONGEST = 60.0  # [s] of a motion at full speed
MOST_PROGRESS = 0.9  # largest part by which half-widths can be asked to shrink in a piece

PLANNER_TABLE = (
    ROBOT_FILE,
    JOINT_STATES_TOPIC,
    RELIABILITY,
    Parameter(
        "trajectory_topic",
        "",
        "Topic of trajectory_msgs/JointTrajectory that moves the arm; empty: "
        "command.trajectory_topic of the robot file.",
    ),
    Parameter(
        "controller_manager",
        "controller_manager",
        "Node of ros2_control that says whether the arm's controller is active; relative names lie "
        "in this node's namespace. Its service list_controllers is asked before a motion, and its "
        "topic activity heard in motion; where there is no such node, or the name is empty, "
        "nothing is asked.",
    ),
    Parameter(
        "estimator",
        "payload_estimator",
        "Node of the estimates whose intervals motions are certified for; relative names lie in "
        "this node's namespace. Its topic is <estimator>/payload, and ~/identify calls "
        "<estimator>/start where no run is in progress.",
    ),
    Parameter(
        "certificates_folder",
        "~/.ros/payload_id/certificates",
        "Folder in which every plan's certificate is kept.",
    ),
    Parameter(
        "signing_key",
        "",
        "Private key (PEM, ed25519) that signs every certificate, readable by its owner alone; the "
        "passphrase of an encrypted one is in the environment variable PAYLOAD_ID_KEY_PASSPHRASE. "
        "Empty: certificates are not signed.",
    ),
    Parameter(
        "limits",
        "",
        "Set of joint limits for goals that name none; empty: limits.use of the robot file.",
    ),
    Parameter("family", "fourier", "Family of motions for goals that name none.", choices=FAMILIES),
    Parameter(
        "criterion",
        DEFAULT_CRITERION,
        "What is made small, for goals that name nothing.",
        choices=tuple(CRITERIA),
    ),
    Parameter(
        "duration", 6.0, "Length of a motion at full speed, for goals without.", "s", 0.5, LONGEST
    ),
    Parameter(
        "time_budget",
        4.0,
        "Computing time until the best certified motion is returned, for goals without; its stops "
        "are certified after that.",
        "s",
        0.2,
        120.0,
    ),
    Parameter(
        "piece_duration",
        3.0,
        "Length of a piece in receding horizon if it were followed to its end.",
        "s",
        0.5,
        20.0,
    ),
    Parameter(
        "piece_time",
        1.5,
        "Part of a piece that is followed before the next one; planning and certification of that "
        "next one must fit into it.",
        "s",
        0.3,
        10.0,
    ),
    Parameter(
        "least_progress",
        0.05,
        "Receding horizon ends when no half-width shrinks by this part from one piece to the next.",
        "-",
        0.0,
        MOST_PROGRESS,
    ),
    Parameter(
        "cell",
        "",
        "Cell file: floor, walls, fixtures, zones, mounting; or 'none, ' and the reason why "
        "nothing stands around the arm. Nothing is planned without it.",
    ),
    Parameter(
        "speed_limits",
        "full",
        "Limits of speeds in space: collaborative (250 mm/s), reduced (500 mm/s) or full (joint "
        "limits only). Motions are slowed along their path until they are kept.",
        choices=tuple(PRESETS),
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
        read_only=False,
        kind="numbers",
    ),
    Parameter(
        "clock_tolerance",
        0.2,
        "By how much stamps of joint states may differ from this node's clock, which must be that "
        "of the arm's controller.",
        "s",
        0.001,
        60.0,
    ),
    Parameter(
        "obstacles_lifetime",
        2.0,
        "For how long the obstacles on the topic ~/obstacles count as known after they came.",
        "s",
        0.05,
        1e6,
    ),
    Parameter("clearance", 0.02, "Distance that bodies must keep from each other.", "m", 0.0, 0.5),
    Parameter(
        "ground",
        None,
        "Height of a floor in the base frame that the arm must not touch; not set: no floor.",
        "m",
        -10.0,
        10.0,
        kind="number",
    ),
    Parameter(
        "payload_box",
        None,
        "Lengths along x, y and z of a box in the payload frame that contains the payload; not "
        "set: only payload_mesh, or no volume is checked.",
        "m",
        0.001,
        5.0,
        kind="numbers",
        length=3,
    ),
    Parameter(
        "payload_box_centre",
        [0.0, 0.0, 0.0],
        "Centre of that box in the payload frame.",
        "m",
        -5.0,
        5.0,
        length=3,
    ),
    Parameter(
        "payload_mesh",
        "",
        "File of a mesh in the payload frame, metres, whose convex hull contains the payload.",
    ),
    Parameter(
        "stop_step",
        0.25,
        "Time between two points of a motion from which a stop is certified.",
        "s",
        0.05,
        5.0,
    ),
    Parameter("point_rate", 100.0, "Points of a commanded trajectory.", "Hz", 10.0, 1000.0),
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
        "Age of the newest joint states at which a moving arm is stopped.",
        "s",
        0.01,
        5.0,
    ),
    Parameter(
        "settling", 2.0, "Time that the arm may take to rest after a motion.", "s", 0.1, 30.0
    ),
    Parameter(
        "speed_scaling_topic",
        "",
        "Topic (std_msgs/Float64, in per cent) on which the robot reports its pendant's speed "
        "slider; an arm that the slider slows down is followed on its path. Empty: there is none, "
        "and an arm that is late is stopped.",
    ),
    Parameter("watch_period", 0.01, "Time between two looks at a moving arm.", "s", 0.001, 0.2),
    *(replace(entry, read_only=True) for entry in UNCERTAINTY_PARAMETERS),
)


@dataclass(frozen=True)
class PlannerParameters:
    """Values of `PLANNER_TABLE`, which explains them, but for the bounds."""

    robot_file: str
    joint_states_topic: str
    reliability: str
    trajectory_topic: str
    controller_manager: str
    estimator: str
    certificates_folder: str
    signing_key: str
    limits: str
    family: str
    criterion: str
    duration: float
    time_budget: float
    piece_duration: float
    piece_time: float
    least_progress: float
    cell: str
    speed_limits: str
    enable_topic: str
    enable_timeout: float
    clock_tolerance: float
    obstacles_lifetime: float
    clearance: float
    ground: float | None
    payload_box: list[float] | None
    payload_box_centre: list[float]
    payload_mesh: str
    stop_step: float
    point_rate: float
    start_delay: float
    reaction: float
    silence: float
    settling: float
    speed_scaling_topic: str
    watch_period: float

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> PlannerParameters:
        """Take them out of all values."""
        return cls(**{name: values[name] for name in cls.__dataclass_fields__})
