"""The keys of a robot file's section `driver`; what is left out is unknown."""

from __future__ import annotations

from ..configuration.schema import Key, Schema

BACK_ENDS = ("follow_joint_trajectory", "effort", "team_topics")
PAYLOAD_TARGETS = (
    "xarm", "ur", "franka", "kinova",
    "kuka_krc", "kuka_sunrise", "abb", "doosan", "fanuc", "yaskawa",
)  # fmt: skip
JOINTS = "joints"


def _unknown(text: str) -> Key:
    """Return the key of a text that may be unknown."""
    return Key("text", text, default=None, nullable=True)


def _list(text: str, choices: tuple[str, ...] = ()) -> Key:
    """Return the key of a list of texts, empty if unknown."""
    return Key("texts", text, default=(), choices=choices)


def _tolerance(text: str) -> Key:
    """Return the key of a tolerance, one for all joints or one for each."""
    return Key(
        "number or numbers",
        text,
        "rad or m",
        default=None,
        lowest=1e-6,
        length=JOINTS,
        nullable=True,
    )


def _service(more: Schema) -> Schema:
    """Return the keys of a service."""
    return {
        "service": Key("text", "its full name"),
        "type": Key("text", "its type, package/srv/Name"),
        **more,
    }


DRIVER: Schema = {
    "software": _unknown("package and commit that these facts were read in"),
    "controller_manager": _unknown("node of the controller manager, as without a namespace"),
    "update_rate": Key("number", "rate of its loop", "Hz", default=None, lowest=1.0, nullable=True),
    "state_delay": Key(
        "number",
        "age of what joint states hold, at their stamp",
        "s",
        default=None,
        lowest=0.0,
        nullable=True,
    ),
    "controller": Key(
        "section",
        "the controller that moves the arm",
        default=None,
        keys={
            "name": _unknown("its name"),
            "type": _unknown("its type, package/Class"),
            "command_interfaces": _list("command interfaces of each joint that it claims"),
            "state_interfaces": _list("state interfaces of each joint that it reads"),
        },
    ),
    "exported": _list("command interfaces of each joint that the driver offers"),
    "executed": _list("those of them that reach the arm; the others are accepted and ignored"),
    "back_ends": _list("ways in which the arm may be moved, the best first", BACK_ENDS),
    "goal": Key(
        "section",
        "tolerances to be sent with every goal; without them a controller may check nothing",
        default=None,
        keys={
            "path": _tolerance("largest position error on the way"),
            "end": _tolerance("largest position error at the end"),
            "time": Key(
                "number",
                "time that it may take to come within that after the motion's end",
                "s",
                default=None,
                lowest=0.0,
                nullable=True,
            ),
        },
    ),
    "effort_warning": Key(
        "number or numbers",
        "torque at which the arm's own safety system warns, before it stops the arm with a fault; "
        "the bridge ends a motion there",
        "N m or N",
        default=None,
        lowest=1e-6,
        length=JOINTS,
        nullable=True,
    ),
    "speed_scaling_topic": _unknown(
        "topic on which the robot reports its speed slider, std_msgs/Float64 in per cent"
    ),
    "follows_while": Key(
        "sections",
        "conditions, all of which hold while the arm follows its controller; else it is in fault "
        "or in another mode",
        default={},
        keys={
            "topic": Key("text", "topic that says so"),
            "type": Key("text", "its type, package/msg/Name"),
            "field": Key("text", "field of the message; of a flag 1 is true"),
            "allowed": Key("numbers", "values with which the arm follows"),
        },
    ),
    "reset": Key(
        "sections",
        "services that end a fault, in this order",
        default={},
        keys=_service({"request": Key("text", "what is sent, as YAML", default="{}")}),
    ),
    "payload": Key(
        "section",
        "how the arm's own controller is told of its load",
        default=None,
        keys={
            "target": Key(
                "text",
                "units and fields that it takes; null: not known",
                default=None,
                choices=PAYLOAD_TARGETS,
                nullable=True,
            ),
            "service": _unknown("service that sets it; null: none that is known"),
            "type": _unknown("its type, package/srv/Name"),
            "state_topic": _unknown("topic that says which load the arm has; null: none"),
            "frame": _unknown("link of the description whose frame the load is stated in"),
            "rated_mass": Key(
                "number",
                "largest mass of the payload that the vendor rates, less a gripper that belongs "
                "to the description",
                "kg",
                default=None,
                lowest=0.0,
                nullable=True,
            ),
        },
    ),
}
