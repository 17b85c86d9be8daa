"""A recording written as a bag, for tools that read bags."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...core.errors import InputError
from ..bags.bag_writer import BagWriter
from ..bags.joint_states_bag import JOINT_STATE, JointStateMessage, write_joint_state
from .recording import Recording


def write_joint_states(
    path: Path | str,
    recording: Recording,
    joints: Sequence[str] | None = None,
    topic: str = "/joint_states",
) -> Path:
    """Write a recording as a bag of sensor_msgs/msg/JointState, torque as effort.

    Args:
        path: The bag's folder; if it exists, the next free name is taken.
        recording: What to write; its stamps are rounded to nanoseconds.
        joints: Names of the joints; None: those of the recording.
        topic: Topic of the messages.

    Returns:
        path: The folder that was written.

    Raises:
        InputError: There is not one name for each joint.
        RecordingError: The disk failed.

    """
    names = tuple(recording.joints if joints is None else joints)
    if len(names) != recording.n:
        raise InputError(f"joints must name {recording.n} joints; found {list(names)}.")
    with BagWriter(path) as writer:
        rows = zip(recording.stamp, recording.q, recording.dq, recording.tau, strict=True)
        for stamp, q, dq, tau in rows:
            stamp_ns = recording.start_ns + round(float(stamp) * 1e9)
            data = write_joint_state(JointStateMessage(stamp_ns, names, q, dq, tau))
            writer.write(topic, JOINT_STATE, stamp_ns, data)
    return writer.path
