"""Types of messages of a recording: those of ROS, and those that it defines itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rosbags.typesys import Stores, TypesysError, get_types_from_idl, get_types_from_msg
from rosbags.typesys import get_typestore as store_of

from .mcap_file import Topic

DYNAMIC_STATE = "control_msgs/msg/DynamicJointState"
# Its fields, as some recordings do not hold definitions.
DYNAMIC = f"""
std_msgs/Header header
string[] joint_names
control_msgs/InterfaceValue[] interface_values
{"=" * 80}
MSG: control_msgs/InterfaceValue
string[] interface_names
float64[] values
"""
READERS = {
    "ros2msg": get_types_from_msg,
    "ros2idl": lambda text, _: get_types_from_idl(text),
}


def types_of(topics: Iterable[Topic], ros1: bool) -> Any:
    """Return the types of messages, those of a recording's topics among them.

    Args:
        topics: The recording's.
        ros1: Whether it is of ROS 1.
    """
    store = store_of(Stores.ROS1_NOETIC if ros1 else Stores.ROS2_JAZZY)
    for topic in topics:
        read = READERS.get(topic.format)
        if read is None or topic.kind in store.fielddefs:
            continue
        try:
            store.register(read(topic.definition, topic.kind))
        except TypesysError:  # a definition that is damaged, or unlike that of ROS: not decodable
            continue
    if DYNAMIC_STATE not in store.fielddefs:
        store.register(get_types_from_msg(DYNAMIC, DYNAMIC_STATE))
    return store
