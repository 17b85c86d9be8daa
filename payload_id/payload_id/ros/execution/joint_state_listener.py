"""The arm's joint states as the planner needs them: newest ones at once, and the robot's time."""

from __future__ import annotations

import time
from collections import deque
from itertools import islice

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState

from ...core.arm.one_arm import beyond_reach
from ...core.arrays import Array
from ...core.samples.joint_map import JointMap
from ...core.samples.sample_checks import FASTEST, LARGEST, Drop, SampleGate
from ...files.robots.robot_file import RobotFile
from ..common.conversions import decoded, stamp_of
from ..common.polled_subscription import PublisherCount, joint_state_subscription
from .clock_watch import ClockWatch
from .held_joint_watch import HeldJointWatch
from .rest_watch import AT_REST
from .silence import WAKING, RunningTime, Silence
from .turn_count import TurnCount

QUEUE = 4000  # messages that may wait
RESTART = 1.0  # [s] by which stamps jump back when a driver or simulation starts anew
ASLEEP = 0.1  # [s] between two looks at every message, beyond which this process stood still
COUNTED = 0.05  # [s] between two counts of the topic's publishers
CREEP = 1e-3  # of the time that passes, by which stamps must go on to be those of a clock
MEMORY = 0.2  # [s] of joint states by which rest is judged


class JointStateListener:
    """Joint states, taken at the planner's own pace.

    Attributes:
        topic: Full name of the topic.
        received: Messages decoded.
        dropped: Why the last one that could not be used could not; empty if there was none.
        clock: Judges the stamps.
        held: Judges joints that the arm does not move.
        turns: Counts whole turns.
        running: The time by which others grow silent.
    """

    def __init__(
        self, node: Node, robot: RobotFile, topic: str, reliability: str, clock_tolerance: float
    ) -> None:
        """Subscribe.

        Args:
            node: The node, whose clock is the controller's.
            robot: The robot file.
            topic: Empty: as the robot file says.
            reliability: Empty: as the robot file says.
            clock_tolerance: By how much stamps and that clock may differ [s].
        """
        self._node, self._clock = node, node.get_clock()
        self._speakers, self._counted = 0, -np.inf  # publishers of the topic, and when counted [s]
        self.clock = ClockWatch(clock_tolerance)
        self._subscription = joint_state_subscription(node, robot, topic, reliability, QUEUE)
        self.topic = self._subscription.topic
        self.received = 0
        self.dropped = ""
        self._map, self._gate = JointMap(robot.joints), SampleGate()
        self._publishers = PublisherCount()  # of states of this arm's joints
        self._endless = np.array(robot.continuous, dtype=bool)
        self._arrived, self._started = -np.inf, time.monotonic()
        self._dropped_at = self._taken = -np.inf
        self._unheard = Silence(step=ASLEEP)
        self.running = RunningTime(step=ASLEEP)
        self._follows = False  # whether every message counted the last time
        self._woke = 0, -np.inf  # the robot's time [ns] as this process last woke up, and when [s]
        self._slept = 0.0  # before that, or before another time not long ago [s]
        self.turns = TurnCount.of(robot)
        self.held = HeldJointWatch(robot.held, robot.held_silence)
        self._memory: deque[tuple[int, Array, Array]] = deque()
        self._effort = None if robot.effort.source == "none" else robot.effort
        self._peak: Array | None = None

    @property
    def silence(self) -> float:
        """Age of the newest joint states [s]; time since the start if there were none."""
        return time.monotonic() - max(self._arrived, self._started)

    @property
    def unheard(self) -> float:
        """Age of the newest joint states, but for what this process slept [s]."""
        return min(self.silence, self._unheard.seconds)

    @property
    def awake(self) -> float:
        """Time since this process, which takes every message, woke up after it stood still [s]."""
        return time.monotonic() - self._woke[1]

    @property
    def slept(self) -> float:
        """For how long this process stood still, the longest time of late [s]."""
        return self._slept if self.awake < WAKING else 0.0

    @property
    def unusable(self) -> str:
        """Why messages since the newest joint states are none, as a sentence; empty: none came."""
        if not self.dropped or self._dropped_at <= self._arrived:
            return ""
        return f" Messages come on {self.topic}, but cannot be used: the last one {self.dropped}."

    @property
    def has_several_publishers(self) -> bool:
        """Whether more than one sends states of this arm's joints."""
        now = time.monotonic()
        return self._others_speak(now) and self._publishers.are_several(now)

    @property
    def known(self) -> bool:
        """Whether there were any joint states."""
        return bool(self._memory)

    @property
    def now_ns(self) -> int:
        """The robot's time: the newest stamp and what has passed since it came [ns]."""
        newest = self._memory[-1][0] if self._memory else 0
        by_newest = newest + round(self.silence * 1e9)
        slept_to, woke = self._woke
        since = time.monotonic() - woke
        return max(by_newest, slept_to + round(since * 1e9)) if since < WAKING else by_newest

    @property
    def q(self) -> Array:
        """Newest positions, shape (n,) [rad or m]."""
        return self._memory[-1][1]

    @property
    def speed(self) -> Array:
        """Largest recent speed of each joint, shape (n,) [rad/s or m/s].

        From positions over the memory where the driver gives no velocity; and by the line that fits
        them best where that moves although the velocities hardly do.
        """
        span = 1e-9 * (self._memory[-1][0] - self._memory[0][0])
        q = np.array([entry[1] for entry in self._memory])
        dq = np.array([entry[2] for entry in self._memory])
        q[:, self._endless] = np.unwrap(q[:, self._endless], axis=0)
        measured = np.abs(dq).max(axis=0)
        time = 1e-9 * np.array([entry[0] - self._memory[0][0] for entry in self._memory])
        time -= time.mean()
        line = np.abs(time @ q) / max(time @ time, 1e-9)
        moves = line * span > AT_REST * MEMORY
        largest = np.where(moves, np.fmax(measured, line), measured)
        return np.where(np.isfinite(measured), largest, np.ptp(q, axis=0) / max(span, 1e-3))

    def leap(self, fastest: Array) -> tuple[int, float, float] | None:
        """Return the largest step of recent positions that an arm cannot have made.

        Args:
            fastest: Largest speed of each joint, shape (n,) [rad/s or m/s].

        Returns:
            joint: Its number.
            step: By how much its position changes [rad or m].
            time: Between the two stamps [s].
        """
        if len(self._memory) < 2:
            return None
        time = 1e-9 * np.diff([entry[0] for entry in self._memory])
        q = np.array([entry[1] for entry in self._memory])
        q[:, self._endless] = np.unwrap(q[:, self._endless], axis=0)
        step = np.abs(np.diff(q, axis=0))
        beyond = beyond_reach(step, time[:, None], fastest)
        k, j = np.unravel_index(int(np.argmax(beyond)), beyond.shape)
        return (int(j), float(step[k, j]), float(time[k])) if beyond[k, j] > 0.0 else None

    def take_peak(self) -> Array | None:
        """Return the largest torque of each joint in what was taken since the last call.

        Returns:
            peak: Shape (n,) [N m]; None where there was none, or the driver reports none.
        """
        peak, self._peak = self._peak, None
        return peak

    def forget(self) -> None:
        """Let go what has arrived so far; the turns of joints stay counted."""
        self._subscription.forget()
        self._memory.clear()
        self._woke = 0, -np.inf
        self._arrived, self._started = -np.inf, time.monotonic()

    def take(self, every: bool) -> tuple[Array, Array, Array]:
        """Take what has arrived.

        Args:
            every: Whether each message counts, or only the newest of the arm; where turns are
                counted or held joints watched, which may come in messages of their own, or the
                topic has other publishers, each does.

        Returns:
            stamps: Shape (N,) [ns], int64.
            q: Shape (N, n) [rad or m].
            dq: Shape (N, n), NaN where not measured [rad/s or m/s].
        """
        now = time.monotonic()
        if every and self._follows and now - self._taken > ASLEEP and self.known:
            self._slept = max(now - self._taken, self.slept)
            self._woke = self.now_ns, now  # what waits is read piece by piece, the oldest first
        self._taken, self._follows = now, every
        waiting = list(self._subscription.take_numbered(QUEUE))
        every = every or bool(self.held.joints) or self.turns.needed or self._others_speak(now)
        looked_at = waiting if every else reversed(waiting)
        usable = (x for data, number, _ in looked_at if (x := self._read(data, number)))
        found = list(usable if every else islice(usable, 1))
        self._unheard.look()
        self.running.now()
        if found:
            self._unheard.end()
        n = len(self._map.joints)
        if not found:
            return np.zeros(0, dtype=np.int64), np.zeros((0, n)), np.zeros((0, n))
        for entry in found:
            if self._memory and entry[0] <= self._memory[-1][0]:  # the driver began anew
                self._memory.clear()
            self._memory.append(entry)
        while self._memory[-1][0] - self._memory[0][0] > MEMORY * 1e9:
            self._memory.popleft()
        stamps = np.array([x[0] for x in found], dtype=np.int64)
        return stamps, np.array([x[1] for x in found]), np.array([x[2] for x in found])

    def _others_speak(self, now: float) -> bool:
        """Tell whether the topic has more than one publisher: a gripper's, or a second arm's."""
        if now - self._counted > COUNTED:
            self._counted, self._speakers = now, self._node.count_publishers(self.topic)
            if self._speakers < 2:
                self._publishers = PublisherCount()
        return self._speakers > 1

    def _read(self, data: bytes, number: int | None) -> tuple[int, Array, Array] | None:
        """Return stamp, positions and velocities of a message that can be used."""
        message = decoded(data, JointState)
        if message is None:
            return None
        self.held.see(message.name, message.position, self.running.real())
        found = self._judged(message)
        if isinstance(found, tuple) or found in (Drop.DUPLICATE, Drop.OUT_OF_ORDER):
            self._publishers.see(number, found is Drop.OUT_OF_ORDER, time.monotonic())
        if isinstance(found, tuple):
            return found
        why = f"counts as {found.value.replace('_', ' ')}" if isinstance(found, Drop) else found
        self.dropped, self._dropped_at = why, time.monotonic()
        return None

    def _judged(self, message: JointState) -> tuple[int, Array, Array] | Drop | str:
        """Return stamp, positions and velocities of a message, or why it cannot be used."""
        effort = message.effort if len(message.effort) == len(message.name) else ()
        rows = self._map.convert(message.name, message.position, message.velocity, effort)
        if isinstance(rows, Drop):
            return rows
        if self._effort is not None and np.isfinite(rows[2]).any():
            torque = np.nan_to_num(np.abs(self._effort.torque(rows[2])))
            self._peak = torque if self._peak is None else np.maximum(self._peak, torque)
        if not (np.abs(rows[0]) <= LARGEST).all():
            return Drop.NOT_FINITE  # its stamp is worth no more
        fast = np.abs(rows[1]) > FASTEST  # NaN is not
        if fast.any():
            j = int(np.argmax(fast))
            return (
                f"says that {self._map.joints[j]} has {rows[1][j]:.3g} rad/s (m/s), and beyond "
                f"{FASTEST:g} no joint is believed: are its velocities in degrees?"
            )
        stamp, now = stamp_of(message.header.stamp), time.monotonic()
        self.clock = self.clock.after(stamp, self._clock.now().nanoseconds, now - self._arrived)
        if stamp < self._gate.newest - RESTART * 1e9:
            self._gate = SampleGate()
        newest, passed = self._gate.newest, now - self._arrived
        if newest < stamp < newest + CREEP * 1e9 * min(passed, RESTART):
            return (
                f"has a stamp only {1e-9 * (stamp - newest):.2g} s after that of one that came "
                f"{passed:.2f} s before it"
            )
        self._gate, cause = self._gate.offer(stamp, rows[0])
        if cause is not None:
            return cause
        self.received += 1
        self.turns = self.turns.after(stamp, rows[0], now - self._arrived)
        self._arrived = now
        return stamp, rows[0], rows[1]
