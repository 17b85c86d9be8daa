"""Types of messages of a recording: those of ROS, and those that it defines itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rosbags.typesys import (
    Stores,
    TypesysError,
    get_types_from_idl,
    get_types_from_msg,
    get_typestore,
)

from .mcap_file import Topic

DYNAMIC_STATE = "control_msgs/msg/DynamicJointState"
# Fields of messages whose definitions some recordings do not hold.
DYNAMIC = f"""
std_msgs/Header header
string[] joint_names
control_msgs/InterfaceValue[] interface_values
{"=" * 80}
MSG: control_msgs/InterfaceValue
string[] interface_names
float64[] values
"""
BLOCK = "payload_id_msgs/msg/WrenchBlock"
DEFINITION = """
std_msgs/Header header
uint64 sequence
uint64 sampler
uint64 first_index
geometry_msgs/Vector3 gravity
int64[] stamp_ns
float64[] rotation
float64[] angular_velocity
float64[] angular_acceleration
float64[] linear_acceleration
float64[] wrench
uint64 received
uint64 dropped
uint64 dropped_joint_states
"""
OWN = {DYNAMIC_STATE: DYNAMIC, BLOCK: DEFINITION}
READERS = {
    "ros2msg": get_types_from_msg,
    "ros2idl": lambda text, _: get_types_from_idl(text),
}


def types_of(topics: Iterable[Topic] = (), ros1: bool = False) -> Any:
    """Return the types of messages, those of a recording's topics among them.

    Args:
        topics: The recording's.
        ros1: Whether it is of ROS 1.
    """
    store = get_typestore(Stores.ROS1_NOETIC if ros1 else Stores.ROS2_JAZZY)
    for kind, text in OWN.items():
        store.register(get_types_from_msg(text, kind))
    for topic in topics:
        read = READERS.get(topic.format)
        if read is None or topic.kind in store.fielddefs:
            continue
        try:
            store.register(read(topic.definition, topic.kind))
        except TypesysError:  # a definition that is damaged, or unlike that of ROS: not decodable
            continue
    return store
