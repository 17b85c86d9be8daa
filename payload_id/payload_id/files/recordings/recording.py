"""Recordings of an arm: arrays, rosbag2 bags and tables, all in one form."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from typing_extensions import Self

from ...core.arm.effort_scale import JOINT_STATES, TABLE, EffortScale, Scales
from ...core.arm.per_joint import PerJoint
from ...core.errors import RecordingError, require_type
from ...core.samples.joint_map import JointMap
from ...core.samples.joint_samples import Samples
from ...core.samples.stamps import seconds_since
from ...core.views import Viewed
from ..bags.joint_states_bag import read_bag
from ..configuration.input_path import input_path
from ..robots.robot_file import RobotFile
from ..tables.joint_csv import read_csv
from ..tables.joint_table import (
    PAUSE,
    JointTable,
    counted_together,
    require_effort,
    usable_rows,
    with_stamp_faults,
)

FARTHEST_NS = 2**62  # of stamps, whose differences are integers of 64 bits


@dataclass(frozen=True)
class Recording(Viewed, Samples):
    """Joint positions, velocities and torques over time, and where they come from.

    Attributes:
        start_ns: Absolute time of stamp 0 [ns]. An integer, because seconds since 1970 in floating
            point are only exact to about 2e-7 s.
        source: The file, and the topic in it.
        notes: What the user should know about how the data were read.
        effort: How efforts became torques.

    """

    start_ns: int = 0
    source: str = ""
    notes: tuple[str, ...] = ()
    effort: Scales = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_type(self.start_ns, (int, np.integer), "start_ns", "a whole number [ns]")
        require_type(self.effort, Mapping, "effort", "scales by their source")
        require_type(self.notes, (list, tuple), "notes", "a list of sentences")

    def of_joints(self, joints: Sequence[str]) -> Self:
        """Return the samples of these joints, in this order; columns without names are theirs.

        Raises:
            RecordingError: One of them is not among the named columns.
        """
        some, k = super().of_joints(joints), self.columns_of(joints)
        if k is None:
            return some
        effort = {source: scale.of_joints(k.tolist()) for source, scale in self.effort.items()}
        return replace(some, effort=effort)

    def followed_by(self, other: Recording) -> Recording:
        """Return both as one recording, with a pause of `PAUSE` between them.

        No window reaches over the pause, so that the arm may stand elsewhere after it. What is
        constant in a run (the payload, links, friction, gains, offsets) must be so in both.

        Raises:
            RecordingError: They are of different joints.
        """
        require_type(other, Recording, "What follows a recording", "a Recording")
        if set(self.joints) != set(other.joints) or self.n != other.n:
            raise RecordingError(
                f"{other.source} is of the joints {', '.join(other.joints)}, {self.source} of "
                f"{', '.join(self.joints)}; only recordings of the same arm go together."
            )
        other = other.of_joints(self.joints) if self.joints else other
        shift = (self.stamp[-1] if len(self) else 0.0) + PAUSE
        later = replace(other, stamp=other.stamp - other.stamp[:1] + shift, dropped={})
        return replace(
            self,
            stamp=np.concatenate([self.stamp, later.stamp]),
            q=np.concatenate([self.q, later.q]),
            dq=np.concatenate([self.dq, later.dq]),
            tau=np.concatenate([self.tau, later.tau]),
            dropped=counted_together(self.dropped, other.dropped),
            source=f"{self.source}, {other.source}",
            notes=(*self.notes, *other.notes),
            effort={**self.effort, **other.effort},
        )

    @classmethod
    def from_bag(
        cls,
        path: Path | str,
        topic: str = "/joint_states",
        joints: Sequence[str] | None = None,
        effort_sign: PerJoint = 1.0,
        effort_offset: PerJoint = 0.0,
        start_ns: int | None = None,
        end_ns: int | None = None,
    ) -> Recording:
        """Read joint states of a rosbag2 recording (sqlite3 or MCAP) or of a bag of ROS 1.

        tau = effort_sign * effort - effort_offset. Messages that lack a wanted joint, have arrays
        of a wrong length, NaN, or a stamp that is not newer than those before are left out and
        counted in `dropped`. Where velocity was not measured, positions are differentiated and
        `notes` says so.

        Args:
            path: The bag's folder, or a single .mcap, .db3 or .bag file.
            topic: Topic of sensor_msgs/msg/JointState or control_msgs/msg/DynamicJointState.
                Several separated by commas, or `TOPIC:FIELD` for efforts in a field of any message,
                are merged: all are taken at the instants of the slowest.
            joints: Names of the wanted joints, in the order wanted; None: all joints of the first
                message, in its order.
            effort_sign: Factor of the efforts: 1, or -1 where the driver's sign is reversed. Per
                joint.
            effort_offset: Effort at zero torque, after the sign [N m or N]. Per joint.
            start_ns: Header stamp of the first sample to use, which becomes stamp 0 [ns]; None:
                the first usable sample.
            end_ns: Header stamp of the last sample to use [ns]; None: the last.

        Raises:
            RecordingError: Nothing can be read, the topic is absent, or effort was not measured.
            UnknownNameError: A wanted joint does not exist in the recording.

        """
        path = input_path(path, "recording", RecordingError)
        require_type(topic, str, "topic", "the name of a topic")
        require_type(joints, (list, tuple, type(None)), "joints", "a list of names, or None")
        for name, stamp in (("start_ns", start_ns), ("end_ns", end_ns)):
            require_type(stamp, (int, np.integer, type(None)), name, "a whole number [ns], or None")
            if stamp is not None and abs(int(stamp)) > FARTHEST_NS:
                raise RecordingError(f"{name} is {stamp} ns, more than 146 years from 1970.")
        table, joint_map = read_bag(
            path, topic, joints, effort_sign, effort_offset, start_ns, end_ns
        )
        within = table.between(start_ns, end_ns)
        return cls._from_table(within, joint_map, start_ns, JOINT_STATES)

    @classmethod
    def of_robot(cls, path: Path | str, robot: RobotFile, topic: str = "") -> Recording:
        """Read a rosbag2 recording as a robot file says.

        Args:
            path: The bag's folder, or a single .mcap or .db3 file.
            robot: The robot file: joints, signs and offsets of efforts.
            topic: Topic of the joint states; empty: the robot file's.

        Raises:
            PayloadIdError: As `from_bag`.
        """
        require_type(robot, RobotFile, "robot", "a RobotFile")
        require_type(topic, str, "topic", "the name of a topic")
        return cls.from_bag(
            path,
            topic or robot.joint_states.topic,
            robot.joints,
            tuple(float(x) for x in robot.effort.factor),
            tuple(float(x) for x in robot.effort.offset),
        )

    @classmethod
    def from_csv(
        cls,
        path: Path | str,
        columns: Mapping[str, Any] | Path | str,
        torque_constants: Mapping[str, float] | None = None,
        sliding: Collection[str] | None = None,
        static: bool = False,
    ) -> Recording:
        """Read a table of comma-separated values.

        Args:
            path: The file; its first line names the columns.
            columns: What the columns hold, or the path of a YAML file that says so:

                - `stamp`: `{column: NAME, unit: s | ms | us | ns | min}`; with `nanoseconds: NAME`
                  where a second column holds these; left out where each row is a pose at rest.
                - `position`, `velocity` (may be left out), `effort`: a list of column names, or a
                  pattern such as `Position{j}` with {j} = 1 ... n.
                - `joints`: the joints' names.
                - `position_unit`: rad (default; m of joints that slide), deg, mrad, rev, m or mm,
                  of position and velocity alike; one word, or one for each joint.
                - `effort_source`: torque (default), or current: [A].
                - `torque_constants`: with current, [N m/A], one number or one for each joint.
                - `effort_sign`, `effort_offset`: as in `from_bag`.
                - `delimiter`: "," by default.
            torque_constants: Those of a robot that reports currents, by joint [N m/A]; the
                description of the columns must say then which they hold.
            sliding: Names of joints that slide, of a robot that is known: their unit is checked.
            static: Whether rows without time, or far apart, are one pose at rest each.

        Raises:
            RecordingError: The file cannot be read; says line and column of a bad cell.
            UnknownNameError: A column does not exist.
            ConfigurationError: `columns` has an unknown or missing entry.

        """
        path = input_path(path, "table", RecordingError)
        read = read_csv(path, columns, torque_constants, sliding, static)
        return cls._from_table(*read, None, TABLE)

    @classmethod
    def _from_table(
        cls, table: JointTable, joint_map: JointMap, start_ns: int | None, efforts: str
    ) -> Recording:
        """Judge a table, and build the recording."""
        require_effort(table, joint_map)
        table = usable_rows(with_stamp_faults(table))
        origin = int(table.stamp_ns[0]) if start_ns is None else start_ns
        n = len(joint_map.joints)
        scale = EffortScale.of(joint_map.effort_sign, joint_map.effort_offset, n)
        return cls(
            stamp=seconds_since(table.stamp_ns, origin),
            q=table.q,
            dq=table.dq,
            tau=table.tau,
            dropped=table.dropped,
            joints=joint_map.joints,
            start_ns=origin,
            source=table.source,
            notes=table.notes,
            effort={efforts: scale},
        )
