"""One robot of a team in a run: its messages made samples; what was left out of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from ...core.arrays import Array
from ...core.mechanism.readings import JointReadings
from ...core.samples.sample_checks import ClockGate
from ...core.team.samples import RobotSamples
from ...core.wrists.imu_join import ImuJoin
from ...core.wrists.joint_stream import JointStream
from ...core.wrists.wrench_stream import WrenchStream
from ...files.teams.team_file import TeamRobot
from .robot_messages import RobotMessages

REFUSED = "refused by the estimator"
LEAP = 2.0  # a stamp that differs by more from the newest one is doubted [s]: robots do not pause
OLDER = "older than before the clock was set back"
KINDS = ("pose", "twist", "wrench")
NO_IMU = np.empty((0, 7))
LONG_AGO = -(10**15)  # a stamp far from any that a message has [ns]
BARREN = 300  # messages without a sample that somebody should look at


class Member:
    """A robot from the beginning of a run.

    Attributes:
        robot: The robot.
        heard: Messages taken in.
        samples: Samples made.
        holds: Whether it is taken to hold the payload.
        refusal: Why the estimator refused samples, the newest of them; empty: it did not.
        clock_doubt: Why its clock is doubted; empty: it is not.
        newest: Newest sample; None: none yet.
        newest_ns: Its stamp [ns].
    """

    def __init__(self, robot: TeamRobot) -> None:
        """Begin."""
        self.robot, self.holds = robot, True
        self.heard = self.samples = 0
        self._since = Counter[str]()  # messages since the newest sample was made, by topic
        self.newest: RobotSamples | None = None
        self.newest_ns = 0
        self._past = Counter[str]()  # what was left out before the streams began
        # The first stamps, too, are believed only when some in a row agree.
        self._clocks = dict.fromkeys(robot.topics, ClockGate(newest_ns=LONG_AGO, leap=LEAP))
        self._begin_streams()
        self.refusal = self.clock_doubt = ""

    @property
    def dropped(self) -> Counter[str]:
        """Messages and samples that were left out, by cause."""
        total = self._past.copy()
        for stream in self._streams:
            if stream is not None:
                total.update(stream.dropped)
        return +total

    @property
    def barrenness(self) -> str:
        """Why no sample has come of the last messages; empty: some has, or there were few."""
        count = self._since.total()
        if count < BARREN:
            return ""
        silent = [topic for kind, topic in self.robot.topics.items() if not self._since[kind]]
        why = f"nothing came on {' and '.join(silent)}" if silent else "none fits another"
        if not silent and (causes := self.dropped.most_common(1)):
            why = f"mostly '{causes[0][0]}'"
        return (
            f"No sample came of the last {count} messages of {self.robot.name}: {why}. Compare its "
            "messages with the team file: rate, joints, topics."
        )

    @property
    def doubts(self) -> tuple[str, ...]:
        """What is wrong with what it sends, a sentence each."""
        found = (self.clock_doubt, self.refusal, self.barrenness)
        return tuple(x for x in found if x)

    def take(self, heard: RobotMessages, start_ns: int) -> Iterable[RobotSamples]:
        """Yield the samples that are complete with what was heard.

        Args:
            heard: Messages.
            start_ns: Stamp of the time 0 [ns].
        """
        self.heard += len(heard)
        self._past.update(heard.dropped)
        self._since.update({kind: len(stamps) for kind, stamps in heard.stamps.items()})
        for key, count in heard.dropped.items():
            self._since[key.split()[0]] += count
        rows = {kind: self._timed(heard, kind, start_ns) for kind in heard.stamps}
        made = self._made(rows)
        parts = [made] if made is not None else []
        if (imu := self._streams[1]) is not None:
            parts = imu.add(made, rows.get("imu", NO_IMU))
        for whole in parts:
            newest = -np.inf if self.newest is None else self.newest.time[-1]
            part = whole.where(whole.time > newest)
            self._past[OLDER] += len(whole) - len(part)
            if len(whole):  # some are right again, or none is
                self.clock_doubt = "" if len(part) else self._set_back()
            if not len(part):
                continue
            self.samples += len(part)
            self._since.clear()
            self.newest = part.where(slice(len(part) - 1, None))
            self.newest_ns = start_ns + round(float(part.time[-1]) * 1e9)
            yield part

    def refuse(self, samples: int, why: str) -> None:
        """Note that the estimator refused samples."""
        self._past[REFUSED] += samples
        self.refusal = why

    def _begin_streams(self) -> None:
        """Make samples of what comes from now on alone."""
        robot = self.robot
        own: JointStream | WrenchStream = (
            JointStream(robot.name, robot.mechanism, robot.rate, robot.smoothing)
            if robot.source == "joint_states"
            else WrenchStream(robot.name, robot.conventions, robot.rate)
        )
        self._streams = own, ImuJoin(robot.imu_rotation) if "imu" in robot.topics else None

    def _timed(self, heard: RobotMessages, kind: str, start_ns: int) -> Array:
        """Return rows with their times before them, shape (k, 1 + width); none with a wrong stamp.

        One stamp that leaps is left out; several in a row say that the clock was set.
        """
        stamps = heard.stamps[kind]
        keep: list[int] = []
        for k, stamp in enumerate(stamps.tolist()):
            times = self._clocks[kind].times
            self._clocks[kind], leap = self._clocks[kind].offer(stamp)
            if leap is not None:
                self._past[f"{kind} {leap.value}"] += 1
                continue
            if self._clocks[kind].times != times:
                self._past = self.dropped
                self._begin_streams()
                keep.clear()
            keep.append(k)
        return np.column_stack([(stamps[keep] - start_ns) / 1e9, heard.rows[kind][keep]])

    def _made(self, rows: dict[str, Array]) -> RobotSamples | None:
        """Return the samples of the robot's own source."""
        own = self._streams[0]
        if isinstance(own, WrenchStream):
            return own.add({kind: rows[kind] for kind in KINDS if kind in rows})
        if "joint_states" not in rows:
            return None
        table = rows["joint_states"]
        before, theta, gimbal, tau = (table[:, 1 + 3 * k : 4 + 3 * k] for k in range(4))
        return own.add(JointReadings(table[:, 0], before, theta, gimbal, tau))

    def _set_back(self) -> str:
        """Say that the clock is behind what came before."""
        return (
            f"The clock of {self.robot.name} was set back: what it sends now would be older than "
            "what it sent before, and does not count. Begin anew with ~/reset."
        )
