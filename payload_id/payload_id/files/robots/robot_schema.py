"""The keys of a robot file, each with unit, default and when to change it."""

from __future__ import annotations

from ...core.rows.joint_torque.uncertainty import BOUNDS
from ..configuration.schema import Key, Schema
from ..drivers.driver_schema import DRIVER

JOINTS = "joints"


def _bound(name: str) -> Key:
    """Return the key of a bound of `Uncertainty`; what is left out is known exactly."""
    entry = BOUNDS[name]
    kind = {"float": "number", "PerJoint": "number or numbers"}.get(str(entry.type), "numbers")
    meaning, unit, highest = (entry.metadata[x] for x in ("meaning", "unit", "highest"))
    length = JOINTS if str(entry.type) == "PerJoint" else None
    return Key(
        kind, meaning, unit, default=entry.default, lowest=0.0, highest=highest, length=length
    )


UNCERTAINTY: Schema = {
    **{name: _bound(name) for name in BOUNDS},
    "prior": Key(
        "section",
        "box that surely holds the payload before any data",
        default=None,
        keys={
            "mass_max": Key("number", "largest mass", "kg", default=30.0, lowest=0.0),
            "com_max": Key(
                "number",
                "largest distance of any of its mass from the payload frame",
                "m",
                default=1.0,
                lowest=0.0,
            ),
        },
    ),
}

_LIMIT_SET: Schema = {
    "position_lower": Key(
        "numbers",
        "smallest position, null for a joint that may turn on and on; of a continuous joint it is "
        "the least turn, whole turns included; null for all: the description's",
        "rad or m",
        length=JOINTS,
        null_entries=True,
        nullable=True,
        default=None,
    ),
    "position_upper": Key(
        "numbers",
        "largest position; likewise",
        "rad or m",
        length=JOINTS,
        null_entries=True,
        nullable=True,
        default=None,
    ),
    "velocity": Key(
        "numbers",
        "largest speed; null: the description's",
        "rad/s or m/s",
        lowest=0.0,
        length=JOINTS,
        nullable=True,
        default=None,
    ),
    "acceleration": Key(
        "numbers", "largest acceleration", "rad/s2 or m/s2", lowest=0.0, length=JOINTS
    ),
    "effort": Key(
        "numbers",
        "largest torque or force; null: the description's",
        "N m or N",
        lowest=0.0,
        length=JOINTS,
        nullable=True,
        default=None,
    ),
}

ROBOT: Schema = {
    "name": Key(
        "text",
        "name of the robot in reports and topics' provenance; empty: the description's",
        default="",
    ),
    "urdf": Key("path", "robot description: .urdf or .xacro; relative to this file, or package://"),
    "xacro_arguments": Key("values", "values of the xacro file's arguments", default={}),
    "mass_factor": Key(
        "number",
        "factor on the description's masses and moments of inertia; 1.0 confirms masses that are "
        "doubted; null: nobody has said anything of them",
        lowest=1e-6,
        highest=1e6,
        nullable=True,
        default=None,
    ),
    "joints": Key(
        "texts", "moving joints from base to flange, as named in the URDF", counts=JOINTS
    ),
    "payload_frame": Key("text", "link of the URDF that carries the payload"),
    "gravity": Key(
        "numbers", "gravity in the base frame", "m/s2", default=(0.0, 0.0, -9.81), length=3
    ),
    "joint_states": Key(
        "section",
        "where measurements come from",
        default=None,
        keys={
            "topic": Key("text", "topic of sensor_msgs/JointState", default="/joint_states"),
            "rate": Key(
                "number", "rate at which it is published", "Hz", default=1000.0, lowest=0.1
            ),
            "reliability": Key(
                "text",
                "quality of service of the subscription",
                default="best_effort",
                choices=("best_effort", "reliable"),
            ),
            "turns": Key(
                "text",
                "positions of continuous joints: wrapped into (-pi, pi], or counted over turns",
                default="wrapped",
                choices=("wrapped", "counted"),
            ),
        },
    ),
    "effort": Key(
        "section",
        "how JointState.effort becomes joint torque: sign * (torque_constants *) effort - offset",
        keys={
            "source": Key(
                "text",
                "torque: [N m or N]; current: [A]; none: nothing useful",
                choices=("torque", "current", "none"),
            ),
            "sign": Key(
                "numbers",
                "1, or -1 where the sensor counts against the joint",
                lowest=-1.0,
                highest=1.0,
                length=JOINTS,
                nullable=True,
                default=None,
            ),
            "offset": Key(
                "numbers",
                "known offset of the torque",
                "N m or N",
                length=JOINTS,
                nullable=True,
                default=None,
            ),
            "torque_constants": Key(
                "numbers",
                "joint torque per ampere; needed for source current",
                "N m/A or N/A",
                lowest=0.0,
                length=JOINTS,
                nullable=True,
                default=None,
            ),
        },
    ),
    "command": Key(
        "section",
        "where motion goes",
        default=None,
        keys={
            "trajectory_topic": Key(
                "text",
                "topic of trajectory_msgs/JointTrajectory",
                default="/joint_trajectory_controller/joint_trajectory",
            ),
            "across_turn": Key(
                "text",
                "where positions are wrapped, motions of a continuous joint across +-pi: sent as "
                "positions beyond it, if controller and driver follow them, or refused",
                default="refused",
                choices=("sent", "refused"),
            ),
        },
    ),
    "driver": Key(
        "section",
        "what is known of the driver that follows the motion; what is left out is unknown",
        default=None,
        keys=DRIVER,
    ),
    "control": Key(
        "section",
        "what the arm's motion under a controller rests on",
        default=None,
        keys={
            "rotor_inertia": Key(
                "numbers",
                "reflected inertia of each rotor that the commanded torque accelerates",
                "kg m2 or kg",
                default=None,
                lowest=0.0,
                length=JOINTS,
                nullable=True,
            ),
            "rotor_inertia_relative": Key(
                "number",
                "error of each of them, as a fraction",
                "-",
                default=0.0,
                lowest=0.0,
                highest=0.999,
            ),
            "tracking_position": Key(
                "number or numbers",
                "largest tracking error that the arm's own position controller leaves",
                "rad or m",
                default=0.02,
                lowest=0.0,
                length=JOINTS,
            ),
            "tracking_velocity": Key(
                "number or numbers",
                "... of the velocity",
                "rad/s or m/s",
                default=0.1,
                lowest=0.0,
                length=JOINTS,
            ),
            "tracking_acceleration": Key(
                "number or numbers",
                "... of the acceleration",
                "rad/s2 or m/s2",
                default=1.0,
                lowest=0.0,
                length=JOINTS,
            ),
            "tracking_slow": Key(
                "number",
                "part of tracking_velocity and tracking_acceleration that holds for the slow "
                "motions of a planner whose speed_limits are 'collaborative' or 'reduced'",
                "-",
                default=1.0,
                lowest=0.001,
                highest=1.0,
            ),
        },
    ),
    "allowed_contacts": Key(
        "values",
        "pairs of bodies that are not checked against each other, 'body_a body_b: why'; a body is "
        "named as its link, with several bodies link/1, link/2, ..., the payload's volume payload",
        default={},
    ),
    "overlaps_at_zero": Key(
        "text",
        "why bodies of the description may overlap at q = 0, where this arm never is; they are "
        "checked along every motion all the same",
        default="",
    ),
    "held_joints": Key(
        "values",
        "where joints stand that the arm does not move, 'joint: position' [rad or m]; without it "
        "a gripper's may be anywhere in their travel, and a lift stands at 0",
        default={},
    ),
    "held_joints_watch": Key(
        "section",
        "how joints at a known place are watched: joint states are compared with it before and "
        "while the arm moves",
        default=None,
        keys={
            "turning": Key(
                "number",
                "by how much one that turns may be off its place; bodies and masses cover that",
                "rad",
                default=0.02,
                lowest=1e-5,
            ),
            "sliding": Key(
                "number",
                "by how much one that slides may be off its place; bodies and masses cover that",
                "m",
                default=0.002,
                lowest=1e-6,
            ),
            "silence": Key(
                "number",
                "age of its position at which such a joint counts as not heard",
                "s",
                default=1.0,
                lowest=0.01,
            ),
            "unreported": Key(
                "values",
                "those that no driver reports, 'joint: why it stays where it is'; they are not "
                "watched, and certificates repeat the reason as an assumption",
                default={},
            ),
        },
    ),
    "links_without_body": Key(
        "values",
        "links that have mass but nothing that could touch anything, 'link: why'",
        default={},
    ),
    "limits": Key(
        "section",
        "joint limits, needed where a motion is planned: named sets, one of them in use",
        default=None,
        keys={
            "use": Key("text", "the set in use", default="urdf"),
            "sets": Key("sections", "the sets by name", default={}, keys=_LIMIT_SET),
        },
    ),
    "cable_turns": Key(
        "sections",
        "continuous joints whose turn a cable limits, in every set of limits; counted as the "
        "driver does, or from what the planner's parameter 'turned' says",
        default={},
        keys={
            "lower": Key("number", "least turn, whole turns included", "rad"),
            "upper": Key("number", "largest turn", "rad"),
        },
    ),
    "uncertainty": Key(
        "section",
        "bounds that every interval rests on; what is left out is taken as known exactly",
        keys=UNCERTAINTY,
    ),
    "calibration": Key(
        "path",
        "what 'payload-id calibrate' has learnt about this arm (.npz); relative to this file",
        default=None,
        nullable=True,
    ),
    "history": Key(
        "path",
        "what 'payload-id calibrate --history' has seen of this arm (.npz); relative to this file",
        default=None,
        nullable=True,
    ),
    "home": Key(
        "numbers",
        "where excitation starts and ends",
        "rad or m",
        length=JOINTS,
        nullable=True,
        default=None,
    ),
}
