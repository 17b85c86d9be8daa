"""Recordings as files, written here: tables, and bags in either format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from .arms import START_NS, Arm, Motion

STORE = get_typestore(Stores.ROS2_JAZZY)
STORAGES = {"mcap": StoragePlugin.MCAP, "sqlite3": StoragePlugin.SQLITE3}
JOINT_STATE = "sensor_msgs/msg/JointState"
EXACT = (
    "torque_absolute torque_offset friction_coulomb friction_viscous rotor_inertia position_error "
    "link_relative"
).split()


def noise_only(torque_relative: float) -> list[str]:
    """Return options that state nothing but noise of the torques, as a fraction of them."""
    bounds = {"torque_relative": torque_relative, **dict.fromkeys(EXACT, 0)}
    return [f"--uncertainty={name}={value}" for name, value in bounds.items()]


def noisy(rng: np.random.Generator, tau: np.ndarray, relative: float) -> np.ndarray:
    """Return torques with errors of up to a fraction of them."""
    return tau * (1 + relative * rng.uniform(-1, 1, tau.shape))


def stamps_ns(motion: Motion) -> np.ndarray:
    """Return the stamps of a motion's samples [ns]."""
    return START_NS + np.rint(motion.time * 1e9).astype(np.int64)


def signs(arm: Arm) -> np.ndarray:
    """Return how the arm's driver counts efforts."""
    given = arm.file.effort.sign
    return np.ones(arm.n) if given is None else np.asarray(given, dtype=float)


def write_table(path: Path, motion: Motion, tau: np.ndarray) -> Path:
    """Write a table: time [s], position [rad], velocity [rad/s], torque [N m]; return its path."""
    n = range(1, motion.q.shape[1] + 1)
    head = ["time", *(f"{what}_{k}" for what in ("position", "velocity", "torque") for k in n)]
    rows = np.column_stack([motion.time, motion.q, motion.dq, tau]).tolist()
    path.write_text("\n".join([",".join(head), *(",".join(map(repr, x)) for x in rows), ""]))
    return path


def columns_of(joints: tuple[str, ...]) -> str:
    """Return the file that says what the columns of such a table hold."""
    return (
        f"---\njoints: [{', '.join(joints)}]\nstamp: {{column: time, unit: s}}\n"
        'position: "position_{j}"\nvelocity: "velocity_{j}"\neffort: "torque_{j}"\n'
        "position_unit: rad\n...\n"
    )


def message(kind: str, /, **fields: Any) -> Any:
    """Return a message of a type such as "std_msgs/msg/Header"."""
    return STORE.types[kind](**fields)


def joint_state(stamp_ns: int, joints: tuple[str, ...], q: Any, dq: Any, effort: Any) -> bytes:
    """Return a serialised message of joint states."""
    stamp = message(
        "builtin_interfaces/msg/Time", sec=int(stamp_ns) // 10**9, nanosec=int(stamp_ns) % 10**9
    )
    header = message("std_msgs/msg/Header", stamp=stamp, frame_id="")
    made = message(
        JOINT_STATE, header=header, name=list(joints), position=np.asarray(q, dtype=float),
        velocity=np.asarray(dq, dtype=float), effort=np.asarray(effort, dtype=float),
    )  # fmt: skip
    return bytes(STORE.serialize_cdr(made, JOINT_STATE))


def write_bag(
    folder: Path, arm: Arm, motion: Motion, tau: np.ndarray, storage: str = "mcap"
) -> Path:
    """Write what the arm's driver would publish, efforts with its signs; return the folder."""
    writer = Writer(folder, version=8, storage_plugin=STORAGES[storage])
    with writer:
        topic = writer.add_connection(arm.file.joint_states.topic, JOINT_STATE, typestore=STORE)
        rows = zip(stamps_ns(motion), motion.q, motion.dq, signs(arm) * tau, strict=True)
        for k, (stamp, q, dq, effort) in enumerate(rows):
            raw = joint_state(stamp, arm.file.joints, q, dq, effort)
            writer.write(topic, START_NS + k * 1_000_000, raw)  # received in this order
    return folder
