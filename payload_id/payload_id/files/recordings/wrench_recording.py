"""Recordings of a force-torque sensor: rosbag2 bags and tables, all in one form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...core.arm.arm_model import STANDARD_GRAVITY, ArmModel
from ...core.arm.kinetics import frames
from ...core.arrays import Array, BoolArray, real_numbers
from ...core.errors import InputError, RecordingError, brief
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ...core.samples.arm_sensor_motion import model_at, wrench_samples_of_arm
from ...core.samples.differentiation import velocities
from ...core.samples.sample_checks import LARGEST, rows_to_keep
from ...core.samples.sensor_motion import Accelerometer, Poses, wrench_samples
from ...core.samples.stamp_faults import stamp_faults
from ...core.samples.stamps import seconds_since
from ...core.samples.watches import WrenchWatch
from ...core.samples.wrench_samples import WrenchSamples, checked_gravity
from ..bags.joint_states_bag import read_bag
from ..bags.wrench_bag import read_poses, read_wrenches
from ..configuration.input_path import input_path
from ..tables.joint_table import counted_together, usable_rows
from ..tables.wrench_csv import WrenchTables, read_wrench_csv

UNACCOMPANIED = 0.15  # part of the wrenches without motion, above which that is said


@dataclass(frozen=True)
class WrenchRecording(WrenchSamples):
    """Motion of a force-torque sensor and its wrench over time, and where they come from.

    Attributes:
        frame: Name of the sensor frame, in which the payload is identified.
        start_ns: Absolute time of stamp 0 [ns].
        source: The file, and the topic in it.
        notes: What the user should know about how the data were read.
        assumed: The uncertainty that a description of columns states; None if it says nothing.
    """

    frame: str = "sensor"
    start_ns: int = 0
    source: str = ""
    notes: tuple[str, ...] = ()
    assumed: WrenchUncertainty | None = None

    @classmethod
    def from_bag(
        cls,
        path: Path | str,
        wrench_topic: str | None = None,
        robot: ArmModel | None = None,
        joint_topic: str = "/joint_states",
        pose_topic: str | None = None,
        frame: str | None = None,
        sign: float | Sequence[float] = 1.0,
        gravity: tuple[float, float, float] = STANDARD_GRAVITY,
        cutoff: float | None = None,
        orientation: Array | None = None,
    ) -> WrenchRecording:
        """Read geometry_msgs/msg/WrenchStamped messages of a rosbag2 recording, and the motion.

        The motion comes from joint states and the robot's kinematics, or from a topic of
        geometry_msgs/msg/PoseStamped that holds the sensor's pose in the world; or there is none,
        for a sensor that rests.

        Args:
            path: The bag's folder, or a single .mcap or .db3 file.
            wrench_topic: Topic of the wrench; None: the only one of that type.
            robot: The arm that carries the sensor; needed unless there is a pose topic.
            joint_topic: Topic of the joint states.
            pose_topic: Topic of the sensor's pose; replaces robot and joint states.
            frame: Frame of the sensor in the robot's description; None: the frame_id of the
                messages, or the robot's payload frame where that is empty.
            sign: 1 where the wrench is what the sensor exerts on the payload, -1 where it is the
                opposite; or factors to N and N m, one for each axis.
            gravity: In the world, for a pose topic; a robot has its own [m/s2].
            cutoff: Bandwidth of the motion that is kept [Hz]; None: told from joints or poses.
            orientation: Axes in the world of a sensor that rests, shape (3, 3); replaces robot and
                pose topic.

        Raises:
            RecordingError: Nothing can be read, or a topic is absent.
            UnknownNameError: The robot has no such frame, or the bag no such topic.
        """
        path, factor = input_path(path, "recording", RecordingError), _sign(sign)
        wrench = read_wrenches(path, wrench_topic, frame)
        start_ns = int(wrench.stamp_ns[0])
        stamp: Array = seconds_since(wrench.stamp_ns, start_ns)
        keep, dropped = _usable(stamp, wrench.values, f"The wrench of {path}")
        time, values, name = stamp[keep], factor * wrench.values[keep], frame or wrench.frame
        lost: Mapping[str, int] = {}  # of the motion
        notes: tuple[str, ...] = ()
        if pose_topic is not None:
            poses, gone, notes = _poses(path, pose_topic, start_ns)
            samples, lost = wrench_samples(time, values, poses, gravity, None, cutoff), gone
        elif robot is not None:
            arm = model_at(robot, name or robot.payload_frame)
            table, _ = read_bag(path, joint_topic, arm.joints, 1.0, 0.0)
            table = usable_rows(replace(table, tau=np.zeros_like(table.q)))
            moved = seconds_since(table.stamp_ns, start_ns)
            samples = wrench_samples_of_arm(arm, moved, table.q, table.dq, time, values, cutoff)
            lost, notes, name = table.dropped, table.notes, arm.payload_frame
        elif orientation is not None:
            axes, none = np.broadcast_to(orientation, (len(time), 3, 3)), np.zeros((len(time), 3))
            samples = WrenchSamples(time, axes, none, none, none, values, gravity=gravity)
        else:
            raise InputError(
                "A wrench needs a motion: give the robot whose joint states are in the bag, the "
                "topic of the sensor's pose (pose_topic), or the orientation of a sensor that "
                "rests."
            )
        _require_measured(samples, str(path))
        unmoved = len(time) - len(samples)
        if unmoved > UNACCOMPANIED * len(time):  # a few at the ends never have a motion
            notes += (
                f"{unmoved} of {len(time)} wrenches are not used: '{pose_topic or joint_topic}' "
                "tells no motion at their stamps. It paused, or its clock and that of the wrench "
                "are not one.",
            )
        of_motion = {f"motion_{cause}": count for cause, count in lost.items()}
        return cls.of(
            samples, frame=name or "sensor", start_ns=start_ns, source=str(path),
            notes=tuple(dict.fromkeys((*wrench.notes, *notes))),
            lost=counted_together(dropped, of_motion, wrench.dropped),
        )  # fmt: skip

    @classmethod
    def from_csv(
        cls,
        path: Path | str,
        columns: Mapping[str, Any] | Path | str,
        robot: ArmModel | None = None,
        static: bool = False,
    ) -> WrenchRecording:
        """Read tables of comma-separated values: wrench, orientation, and acceleration if recorded.

        Args:
            path: The file of the wrench; its first line names the columns.
            columns: What the columns hold, or the path of a YAML file that says so;
                config/recordings/kuka_wrench_csv.yaml explains every entry.
            robot: The arm that carries the sensor, where its joint positions tell the orientation.
            static: Whether rows without time, or far apart, are one pose at rest each.

        Raises:
            RecordingError: A file cannot be read; says line and column of a bad cell.
            UnknownNameError: A column does not exist.
            ConfigurationError: `columns` has an unknown, missing or impossible entry.
        """
        path = input_path(path, "table", RecordingError)
        tables = read_wrench_csv(path, columns, static)
        arm = _carrier(
            tables, robot, str(columns) if isinstance(columns, str | Path) else "columns"
        )
        if tables.at_rest:
            return _poses_at_rest(tables, arm)
        stamp_ns, wrench = tables.wrench
        origin = int(stamp_ns[0])
        stamp = seconds_since(stamp_ns, origin)
        keep, dropped = _usable(stamp, wrench, f"The table {path}")
        moved = seconds_since(tables.rotation[0], origin)
        if arm is None:
            samples = wrench_samples(
                stamp[keep], wrench[keep], Poses(moved, tables.rotation[1], tables.position),
                tables.gravity, _accelerometer(tables, origin), tables.cutoff,
            )  # fmt: skip
        else:
            q = tables.rotation[1]
            samples = wrench_samples_of_arm(
                arm, moved, q, velocities(moved, q), stamp[keep], wrench[keep], tables.cutoff
            )
        _require_measured(samples, str(path))
        return cls.of(
            samples, frame=tables.frame or (arm.payload_frame if arm else "sensor"),
            start_ns=origin, source=tables.source,
            lost=counted_together(dropped, tables.dropped),
            notes=(*_notes(tables), *stamp_faults(stamp_ns, wrench)),
            assumed=tables.uncertainty,
        )  # fmt: skip

    @classmethod
    def of(
        cls, samples: WrenchSamples, lost: Mapping[str, int] | None = None, **rest: Any
    ) -> WrenchRecording:
        """Return a recording of samples; `lost` counts what was left out before them, by cause."""
        values = {entry.name: getattr(samples, entry.name) for entry in fields(WrenchSamples)}
        values["dropped"] = counted_together(samples.dropped, lost or {})
        return cls(**values, **rest)


def _carrier(tables: WrenchTables, robot: ArmModel | None, where: str) -> ArmModel | None:
    """Return the arm whose joint positions tables hold, at the sensor; None where they hold axes.

    Raises:
        InputError: They need an arm and there is none, or one of other joints.
    """
    values = tables.rotation[1]
    if values.ndim == 3:
        return None
    if robot is None:
        raise InputError(
            f"'orientation' of {where} names joints: give the robot that carries the sensor "
            "(--robot FILE, in Python robot=)."
        )
    if values.shape[1] != robot.n:
        raise InputError(
            f"'joints' of 'orientation' in {where} must name {robot.n} columns, one for each of "
            f"{', '.join(robot.joints)}; found {values.shape[1]}."
        )
    return model_at(robot, tables.frame or robot.payload_frame)


def _poses_at_rest(tables: WrenchTables, arm: ArmModel | None) -> WrenchRecording:
    """Return a recording of one row for each pose at rest."""
    (number, wrench), (turned, rotation) = tables.wrench, tables.rotation
    if arm is not None:
        rotation = frames(arm, rotation)[0][:, -1]
    wrench = wrench[np.isin(number, turned)]
    none = np.zeros((len(wrench), 3))
    stamp = seconds_since(turned, 0)
    _usable(stamp, wrench, f"The table {tables.source}")
    gravity = tables.gravity if arm is None else checked_gravity(arm.gravity)
    samples = WrenchSamples(stamp, rotation, none, none, none, wrench, gravity=gravity)
    _require_measured(samples, tables.source)
    note = f"Each of {len(samples)} rows is taken as one reading of a pose at rest."
    return WrenchRecording.of(
        samples, frame=tables.frame or (arm.payload_frame if arm else "sensor"),
        source=tables.source, lost=tables.dropped, notes=(note,), assumed=tables.uncertainty,
    )  # fmt: skip


def _accelerometer(tables: WrenchTables, origin: int) -> Accelerometer | None:
    """Return the accelerometer of the tables, if there is one."""
    if tables.acceleration is None:
        return None
    stamp, value = tables.acceleration
    return Accelerometer(seconds_since(stamp, origin), value, tables.accelerometer_at)


def _notes(tables: WrenchTables) -> tuple[str, ...]:
    """Say where the acceleration of the sensor's origin comes from, if from nothing."""
    known = tables.acceleration is not None or tables.position is not None
    if known or tables.rotation[1].ndim == 2:
        return ()
    return (
        "Neither the sensor's position nor its acceleration was recorded: its origin is taken to "
        "stand still. State how much it accelerates as linear_acceleration_error.",
    )


def _poses(
    path: Path, topic: str, start_ns: int
) -> tuple[Poses, Mapping[str, int], tuple[str, ...]]:
    """Return the poses of a topic, how many were left out, by cause, and notes."""
    rows, rotation = read_poses(path, topic)
    stamp = seconds_since(rows.stamp_ns, start_ns)
    keep, lost = _usable(stamp, rows.values, f"Topic '{topic}' of {path}")
    poses = Poses(stamp[keep], rotation[keep], rows.values[keep, :3])
    return poses, counted_together(lost, rows.dropped), rows.notes


def _sign(sign: object) -> Array:
    """Return the factor of each axis of the wrench, shape (6,).

    Raises:
        RecordingError: It is not one number other than 0, or six.
    """
    factor = real_numbers(sign, "sign", RecordingError)
    if factor.shape not in ((), (6,)) or not (np.isfinite(factor) & (factor != 0.0)).all():
        raise RecordingError(
            "sign must be 1 or -1, or a factor to N and N m other than 0, once or for each of six "
            f"axes; found {brief(sign)}."
        )
    return np.broadcast_to(factor, (6,)).astype(float)


def _usable(stamp: Array, values: Array, what: str) -> tuple[BoolArray, Mapping[str, int]]:
    """Return which rows can be used, two or more, and how many cannot, by cause."""
    keep, dropped = rows_to_keep(stamp, values)
    if keep.sum() < 2:
        causes = ", ".join(f"{count} {cause}" for cause, count in dropped.items())
        raise RecordingError(
            f"{what} holds {int(keep.sum())} usable samples of {len(keep)}, two or more are needed "
            f"(left out: {causes or 'none'}). Numbers must be finite and at most {LARGEST:g}, "
            "stamps increase."
        )
    return keep, dropped


def _require_measured(samples: WrenchSamples, source: str) -> None:
    """Raise where the wrench is that of a sensor that does not measure."""
    if complaint := WrenchWatch().seen(samples).complaint:
        raise RecordingError(f"{source}: {complaint}")
