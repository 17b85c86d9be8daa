"""The keys of a team file, each with unit, default and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

from ...core.body.payload_prior import PayloadPrior
from ...core.mechanism.gimbal import ORDERS
from ...core.team.bounds import RobotBounds
from ..configuration.schema import Key, Schema

BOUND_TEXTS: Mapping[str, tuple[str, str]] = {
    "orientation": ("of the orientation, about each axis", "rad"),
    "position": ("of the position", "m"),
    "angular_velocity": ("of the angular velocity", "rad/s"),
    "linear_velocity": ("of the linear velocity", "m/s"),
    "force_absolute": ("of the force, whatever its size", "N"),
    "force_relative": ("of the force, as a part of each component", "-"),
    "force_bias": ("constant offset of the force", "N"),
    "force_gain": ("constant error of the force sensor's gain", "-"),
    "friction": ("force that the mechanism's friction hides", "N"),
    "moment_absolute": ("of the moment; for a passive gimbal, what its friction transmits", "N m"),
    "moment_relative": ("of the moment, as a part of each component", "-"),
    "tilt": ("of the robot's base against level", "rad"),
    "gravity": ("of the size of gravity where the team is against 9.81 m/s2", "m/s2"),
    "imu_angular_velocity": ("of the gyroscope, with its bias", "rad/s"),
    "imu_specific_force": ("of the accelerometer, with its bias", "m/s2"),
    "clock": ("offset of the robot's clock from the first robot's", "s"),
    "jitter": ("of each stamp, beside that", "s"),
}


def _bounds() -> Schema:
    """Return the bounds of a robot, all 0 unless given."""
    return {
        entry.name: Key("number", *BOUND_TEXTS[entry.name], default=0.0, lowest=0.0)
        for entry in fields(RobotBounds)
    }


def _length(text: str, default: float) -> Key:
    return Key("number", text, "m", default=default, lowest=1e-4, highest=10.0)


def _mass(text: str) -> Key:
    return Key("number", text, "kg", default=0.0, lowest=0.0)


_MECHANISM: Schema = {
    "base_radius": _length("radius of the circle of the actuated joints", 0.180),
    "lower_leg": _length("length of the actuated, lower legs", 0.200),
    "upper_leg": _length("length of the upper legs", 0.368),
    "platform_radius": _length("radius of the circle of the upper legs' ends", 0.062),
    "leg_angles": Key(
        "numbers", "angles of the legs around the base's z axis", "rad",
        default=(0.0, 2.0943951, 4.1887902), length=3,
    ),
    "gimbal_order": Key(
        "text", "the gimbal's axes from the platform outwards", default="xyz", choices=ORDERS
    ),
    "platform_mass": _mass("platform, with what of the gimbal does not turn with the payload"),
    "lower_leg_mass": _mass("each lower leg"),
    "upper_leg_mass": _mass("each upper leg"),
    "spring": Key(
        "number", "stiffness of the series springs; null: efforts say the torque", "N m/rad",
        default=None, nullable=True, lowest=1e-3,
    ),
    "gravity": Key(
        "numbers", "gravity in the base's axes", "m/s2", default=(0.0, 0.0, -9.80665), length=3
    ),
}  # fmt: skip

_JOINT_STATES: Schema = {
    "topic": Key("text", "sensor_msgs/JointState", default="joint/joint_states"),
    "before": Key("texts", "joints before the springs", length=3,
                  default=("before_1", "before_2", "before_3")),
    "after": Key("texts", "joints behind the springs: the lower legs", length=3,
                 default=("after_1", "after_2", "after_3")),
    "gimbal": Key("texts", "joints of the gimbal about x, y and z", length=3,
                  default=("gimbal_x", "gimbal_y", "gimbal_z")),
    "effort_of": Key("text", "joints whose effort is the springs' torque", default="after",
                     choices=("before", "after")),
    "effort_sign": Key("number", "1 where that torque lifts the lower legs, -1 for the opposite",
                       default=1.0, lowest=-1.0, highest=1.0),
}  # fmt: skip

_AXES = ("grasp", "base")
_TOPICS: Schema = {
    "pose": Key("text", "geometry_msgs/PoseStamped of {i} in {i0}", default="grasp/pose"),
    "twist": Key("text", "geometry_msgs/TwistStamped of {i} against {i0}", default="grasp/twist"),
    "wrench": Key("text", "geometry_msgs/WrenchStamped about the origin of {i}",
                  default="grasp/wrench"),
    "twist_axes": Key("text", "in whose axes twists are", default="grasp", choices=_AXES),
    "wrench_axes": Key("text", "in whose axes wrenches are", default="grasp", choices=_AXES),
    "wrench_sign": Key(
        "number", "1 where the wrench is what the robot exerts on the payload, -1 for the opposite",
        default=1.0, lowest=-1.0, highest=1.0,
    ),
    "moments": Key("flag", "whether torques are measured; false for a passive gimbal",
                   default=False),
}  # fmt: skip

_IMU: Schema = {
    "topic": Key("text", "sensor_msgs/Imu at the grasp; empty: there is none", default=""),
    "rpy": Key("numbers", "roll, pitch and yaw of the IMU in the grasp frame", "rad",
               default=(0.0, 0.0, 0.0), length=3),
}  # fmt: skip

ROBOT: Schema = {
    "namespace": Key(
        "text", "namespace of its topics that do not begin with /; empty: its name", default=""
    ),
    "grasp_frame": Key("text", "name of its grasp frame; empty: its name and /grasp", default=""),
    "source": Key(
        "text",
        "what it publishes: joint states of delta and gimbal, or pose, twist and wrench",
        default="joint_states",
        choices=("joint_states", "topics"),
    ),
    "rate": Key(
        "number", "of its messages; values are taken between two that are at most 0.055 s apart",
        "Hz", default=100.0, lowest=20.0, highest=2000.0,
    ),
    "reliability": Key(
        "text", "quality of service of the subscriptions", default="best_effort",
        choices=("best_effort", "reliable"),
    ),
    "smoothing": Key(
        "number", "time on either side of a reading of joints whose readings smooth it", "s",
        default=0.08, lowest=0.005, highest=1.0,
    ),
    "joint_states": Key("section", "where source is joint_states", default={}, keys=_JOINT_STATES),
    "mechanism": Key("section", "delta and gimbal, for joint_states", default={}, keys=_MECHANISM),
    "topics": Key("section", "where source is topics", default={}, keys=_TOPICS),
    "imu": Key("section", "inertial measurement unit at the grasp", default={}, keys=_IMU),
    "bounds": Key("section", "largest errors of what it measures", default={}, keys=_bounds()),
}  # fmt: skip


def _optional(schema: Schema) -> Schema:
    """Return a schema of which everything may be left out; what is, is None."""
    return {
        name: replace(key, keys=_optional(key.keys), default={})
        if key.kind == "section"
        else replace(key, default=None, nullable=True)
        for name, key in schema.items()
    }


_PRIOR = PayloadPrior()
TEAM: Schema = {
    "name": Key("text", "name of the team in reports"),
    "prior": Key(
        "section",
        "what is known of the payload before any data; it must be true",
        default={},
        keys={
            "mass_max": Key("number", "largest mass", "kg", default=_PRIOR.mass_max, lowest=1e-6),
            "com_max": Key(
                "number",
                "largest distance of any of its mass from the first robot's grasp",
                "m",
                default=2.0,
                lowest=1e-6,
            ),
        },
    ),
    "every_robot": Key("section", "what holds for every robot", default={}, keys=ROBOT),
    "robots": Key(
        "sections",
        "the robots, by names that are theirs alone; the first one's grasp frame and clock are the "
        "reference. What a robot does not say is as in every_robot",
        keys=_optional(ROBOT),
    ),
}
