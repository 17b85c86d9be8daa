"""One robot of a team in a run: its messages made samples; what was left out of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from ...core.arrays import Array
from ...core.mechanism.readings import JointReadings
from ...core.team.samples import RobotSamples
from ...core.wrists.imu_join import ImuJoin
from ...core.wrists.joint_stream import JointStream
from ...core.wrists.wrench_stream import WrenchStream
from ...files.teams.team_file import TeamRobot
from .heard import Heard

KINDS = ("pose", "twist", "wrench")
NO_IMU = np.empty((0, 7))
LATE = 0.5  # part of the newest messages that may be out of order before a clock is doubted
JUDGED = 50  # messages that a verdict on a clock rests on


class Member:
    """A robot from the beginning of a run.

    Attributes:
        robot: The robot.
        samples: Samples made.
        holds: Whether it is taken to hold the payload.
        refused: Samples that the estimator refused.
        refusal: Why it refused the newest of them.
        clock_doubt: Why its clock is doubted; empty: it is not.
        newest: Newest sample; None: none yet.
        newest_ns: Its stamp [ns].
    """

    def __init__(self, robot: TeamRobot) -> None:
        """Begin."""
        self.robot, self.samples, self.holds, self.refused = robot, 0, True, 0
        self.newest: RobotSamples | None = None
        self.newest_ns = 0
        self._joints = self._wrenches = None
        if robot.source == "joint_states":
            self._joints = JointStream(robot.name, robot.mechanism, robot.rate, robot.smoothing)
        else:
            self._wrenches = WrenchStream(robot.name, robot.conventions, robot.rate)
        self._imu = ImuJoin(robot.imu_rotation) if "imu" in robot.topics else None
        self._late = self._seen = 0  # of the messages since the last verdict on the clock
        self.refusal = self.clock_doubt = ""

    @property
    def dropped(self) -> Counter[str]:
        """Messages and samples that were left out, by cause."""
        total = Counter({"refused by the estimator": self.refused} if self.refused else {})
        for stream in (self._joints, self._wrenches, self._imu):
            if stream is not None:
                total.update(stream.dropped)
        return +total

    def take(self, heard: Heard, start_ns: int) -> Iterable[RobotSamples]:
        """Yield the samples that are complete with what was heard.

        Args:
            heard: Messages.
            start_ns: Stamp of the time 0 [ns].
        """
        rows = {kind: _timed(heard, kind, start_ns) for kind in heard.stamps}
        before = sum(n for cause, n in self.dropped.items() if "out_of_order" in cause)
        made = self._made(rows)
        parts = [made] if made is not None else []
        if self._imu is not None:
            parts = self._imu.add(made, rows.get("imu", NO_IMU))
        late = sum(n for cause, n in self.dropped.items() if "out_of_order" in cause) - before
        self._judge_clock(late, heard.count)
        for part in parts:
            self.samples += len(part)
            self.newest = part.where(slice(len(part) - 1, None))
            self.newest_ns = start_ns + round(float(part.time[-1]) * 1e9)
            yield part

    def _made(self, rows: dict[str, Array]) -> RobotSamples | None:
        """Return the samples of the robot's own source."""
        if self._wrenches is not None:
            return self._wrenches.add({kind: rows[kind] for kind in KINDS if kind in rows})
        if self._joints is None or "joint_states" not in rows:
            return None
        table = rows["joint_states"]
        before, theta, gimbal, tau = (table[:, 1 + 3 * k : 4 + 3 * k] for k in range(4))
        return self._joints.add(JointReadings(table[:, 0], before, theta, gimbal, tau))

    def _judge_clock(self, late: int, count: int) -> None:
        """Doubt a clock whose stamps are mostly older than what came before them."""
        self._late, self._seen = self._late + late, self._seen + count
        if self._seen < JUDGED:
            return
        doubtful = self._late > LATE * self._seen
        self.clock_doubt = (
            f"Most messages of {self.robot.name} are older than earlier ones: its clock was set "
            "back, or two robots publish as one. Begin anew with ~/reset once it is right."
            if doubtful
            else ""
        )
        self._late = self._seen = 0


def _timed(heard: Heard, kind: str, start_ns: int) -> Array:
    """Return rows with their times before them, shape (k, 1 + width)."""
    return np.column_stack([(heard.stamps[kind] - start_ns) / 1e9, heard.rows[kind]])
