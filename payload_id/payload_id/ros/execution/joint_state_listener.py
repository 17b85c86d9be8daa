"""The arm's joint states, taken at a node's own pace, and the robot's time."""

from __future__ import annotations

import time
from collections import deque
from itertools import islice

import numpy as np
from rclpy.node import Node

from ...core.arrays import Array
from ...core.samples.joint_map import JointMap
from ...core.samples.sample_checks import FASTEST, LARGEST, Drop, SampleGate
from ...core.samples.stamps import NANOSECONDS
from ...files.robots.robot_file import RobotFile
from ..common.joint_state_reader import JointStateReader, JointStateValues
from ..common.polled_subscription import PublisherCount, joint_state_subscription
from .clock_watch import ClockWatch
from .held_joint_watch import HeldJointWatch
from .snapshot import JointStates
from .standstill import AT_REST
from .turn_count import TurnCount

QUEUE = 4000  # messages that may wait
RESTART = 1.0  # [s] by which stamps jump back when a driver or simulation starts anew
COUNTED = 0.05  # [s] between two counts of the topic's publishers
IDLE = 0.035  # [s] between two looks into the queue where only the newest message counts
MEMORY = 0.2  # [s] of joint states by which rest is judged before a motion
ASLEEP = (
    0.1  # [s] between two looks, beyond which what waits is of before, and comes bit by bit, ...
)
WAKING = 1.0  # [s] ... for so long


class JointStateListener:
    """Joint states of one arm.

    Attributes:
        topic: Full name of the topic.
        received: Messages decoded.
        dropped: Why the last one that could not be used could not; empty if there was none.
        clock: Judges the stamps.
        held: Judges joints that the arm does not move.
        turns: Counts whole turns.
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
        self._reader = JointStateReader()
        self._publishers = PublisherCount()  # of states of this arm's joints
        self._endless = np.array(robot.continuous, dtype=bool)
        self._arrived, self._started = -np.inf, time.monotonic()
        self._read_at = -np.inf  # when the middleware was asked for messages [s]
        self._taken, self._woke = self._started, (0, -np.inf)  # time then [ns], and when [s]
        self._dropped_at = self._spoken = -np.inf  # when anything came at all [s]
        self.turns = TurnCount.of(robot)
        self.held = HeldJointWatch(robot.held, robot.held_silence)
        self._memory: deque[tuple[int, Array, Array]] = deque()
        self._effort = None if robot.effort.source == "none" else robot.effort
        self._torque: Array | None = None  # largest of each joint since the last look

    @property
    def silence(self) -> float:
        """Age of the newest joint states [s]; time since the start if there were none."""
        return time.monotonic() - max(self._arrived, self._started)

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
        by_newest = newest + round(NANOSECONDS * self.silence)
        least_ns, woke = self._woke
        since = time.monotonic() - woke
        return (
            max(by_newest, least_ns + round(NANOSECONDS * since)) if since < WAKING else by_newest
        )

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
        span = (self._memory[-1][0] - self._memory[0][0]) / NANOSECONDS
        q = np.array([entry[1] for entry in self._memory])
        dq = np.array([entry[2] for entry in self._memory])
        q[:, self._endless] = np.unwrap(q[:, self._endless], axis=0)
        measured = np.abs(dq).max(axis=0)
        when = np.array([entry[0] - self._memory[0][0] for entry in self._memory]) / NANOSECONDS
        when -= when.mean()
        line = np.abs(when @ q) / max(when @ when, 1e-9)
        moves = line * span > AT_REST * MEMORY
        largest = np.where(moves, np.fmax(measured, line), measured)
        return np.where(np.isfinite(measured), largest, np.ptp(q, axis=0) / max(span, 1e-3))

    def forget(self) -> None:
        """Let go what has arrived so far; the turns of joints stay counted."""
        self._subscription.forget()
        self._memory.clear()
        self._woke = 0, -np.inf
        self._arrived, self._started = -np.inf, time.monotonic()

    def take(self, every: bool) -> JointStates:
        """Return what has arrived since the last call.

        Args:
            every: Whether each message counts, or only the newest of the arm; where turns are
                counted or held joints watched, which may come in messages of their own, or the
                topic has other publishers, each does.
        """
        now = time.monotonic()
        if now - self._taken > ASLEEP and self.known:
            self._woke = self.now_ns, now  # time went on meanwhile
        self._taken = now
        every = every or bool(self.held.joints) or self.turns.needed or self._others_speak(now)
        waiting = []
        if every or now - self._read_at > IDLE:
            self._read_at, waiting = now, list(self._subscription.take_numbered(QUEUE))
        looked_at = waiting if every else reversed(waiting)
        usable = (x for data, number, _ in looked_at if (x := self._read(data, number)))
        found = list(usable if every else islice(usable, 1))
        for entry in found:
            if self._memory and entry[0] <= self._memory[-1][0]:  # the driver began anew
                self._memory.clear()
            self._memory.append(entry)
        while self.known and self._memory[-1][0] - self._memory[0][0] > MEMORY * NANOSECONDS:
            self._memory.popleft()
        torque, self._torque = self._torque, None
        if not found:
            nothing = np.zeros((0, len(self._map.joints)))
            parts = np.zeros(0, dtype=np.int64), nothing, nothing
        else:
            stamp, q, dq = zip(*found, strict=True)
            parts = np.array(stamp, dtype=np.int64), np.array(q), np.array(dq)
        held = self.held.look(self._spoken)  # where nothing comes, that is what is wrong
        return JointStates(*parts, self.silence, self.unusable, self.clock.fault, held, torque)

    def _others_speak(self, now: float) -> bool:
        """Tell whether the topic has more than one publisher: a gripper's, or a second arm's."""
        if now - self._counted > COUNTED:
            self._counted, self._speakers = now, self._node.count_publishers(self.topic)
            if self._speakers < 2:
                self._publishers = PublisherCount()
        return self._speakers > 1

    def _read(self, data: bytes, number: int | None) -> tuple[int, Array, Array] | None:
        """Return stamp, positions and velocities of a message that can be used."""
        message = self._reader.read(data)
        if message is None:
            return None
        self._spoken = time.monotonic()
        self.held.see(message.names, message.position, self._spoken)
        found = self._judged(message)
        if isinstance(found, tuple) or found in (Drop.DUPLICATE, Drop.OUT_OF_ORDER):
            self._publishers.see(number, found is Drop.OUT_OF_ORDER, time.monotonic())
        if isinstance(found, tuple):
            return found
        why = f"counts as {found.value.replace('_', ' ')}" if isinstance(found, Drop) else found
        self.dropped, self._dropped_at = why, time.monotonic()
        return None

    def _judged(self, message: JointStateValues) -> tuple[int, Array, Array] | Drop | str:
        """Return stamp, positions and velocities of a message, or why it cannot be used."""
        effort = message.effort if len(message.effort) == len(message.names) else ()
        rows = self._map.convert(message.names, message.position, message.velocity, effort)
        if isinstance(rows, Drop):
            return rows
        if self._effort is not None and np.isfinite(rows[2]).any():
            torque = np.nan_to_num(np.abs(self._effort.torque(rows[2])))
            self._torque = torque if self._torque is None else np.maximum(self._torque, torque)
        if not (np.abs(rows[0]) <= LARGEST).all():
            return Drop.NOT_FINITE  # its stamp is worth no more
        fast = np.abs(rows[1]) > FASTEST  # NaN is not
        if fast.any():
            j = int(np.argmax(fast))
            return (
                f"says that {self._map.joints[j]} has {rows[1][j]:.3g} rad/s (m/s), and beyond "
                f"{FASTEST:g} no joint is believed: are its velocities in degrees?"
            )
        stamp, now = message.stamp_ns, time.monotonic()
        self.clock = self.clock.after(stamp, self._clock.now().nanoseconds)
        if stamp < self._gate.newest - RESTART * NANOSECONDS:
            self._gate = SampleGate()
        self._gate, cause = self._gate.offer(stamp, rows[0])
        if cause is not None:
            return cause
        self.received += 1
        self.turns = self.turns.after(stamp, rows[0], now - self._arrived)
        self._arrived = now
        return stamp, rows[0], rows[1]
