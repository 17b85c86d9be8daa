"""Serialized wrenches and poses, as drivers publish them."""

from __future__ import annotations

from rosbags.typesys import Stores, get_typestore

STORE = get_typestore(Stores.ROS2_JAZZY)


def message(kind, stamp_ns, frame, content):
    """Return a serialized stamped message."""
    types = STORE.types
    stamp = types["builtin_interfaces/msg/Time"](sec=stamp_ns // 10**9, nanosec=stamp_ns % 10**9)
    header = types["std_msgs/msg/Header"](stamp=stamp, frame_id=frame)
    name = kind.rsplit("/", 1)[1]
    part = "wrench" if name.startswith("Wrench") else "pose"
    return bytes(STORE.serialize_cdr(types[kind](header=header, **{part: content}), kind))


def wrench_message(stamp_ns, values, frame):
    types = STORE.types
    vector = types["geometry_msgs/msg/Vector3"]
    content = types["geometry_msgs/msg/Wrench"](
        force=vector(*map(float, values[:3])), torque=vector(*map(float, values[3:]))
    )
    return message("geometry_msgs/msg/WrenchStamped", stamp_ns, frame, content)


def pose_message(stamp_ns, origin, rotation):
    types = STORE.types
    content = types["geometry_msgs/msg/Pose"](
        position=types["geometry_msgs/msg/Point"](*map(float, origin)),
        orientation=types["geometry_msgs/msg/Quaternion"](*map(float, rotation.as_quat())),
    )
    return message("geometry_msgs/msg/PoseStamped", stamp_ns, "world", content)
