"""The arm's joint states, taken at a node's own pace, and the robot's time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from rclpy.node import Node

from ...core.arrays import Array
from ...core.samples.joint_map import JointMap
from ...core.samples.sample_checks import FASTEST, LARGEST, Drop, SampleGate
from ...core.samples.stamps import NANOSECONDS
from ...files.robots.robot_file import RobotFile
from ..common.joint_state_reader import JointStateReader, JointStateValues
from ..common.polled_subscription import joint_state_subscription
from ..common.topic_report import publisher_names
from ..common.topics import JOINT_STATES
from .passive_joint_watch import PassiveJointWatch
from .snapshot import JointStates
from .standstill import AT_REST
from .turn_count import TurnCount

QUEUE = 4000  # messages that may wait
RESTART = 1.0  # [s] by which stamps jump back when a driver or simulation starts anew
MEMORY = 0.2  # [s] of joint states by which rest is judged before a motion
PATIENCE = 20  # messages with one stamp until the clock counts as frozen
# Between two looks, beyond which what waits is of before, and comes bit by bit; and for how long.
ASLEEP, WAKING = 0.1, 1.0  # [s]

_State = tuple[int, Array, Array]  # stamp [ns], positions, velocities


@dataclass(frozen=True)
class _Heard:
    """When what was heard, by a clock that nobody sets [s], and why a message was of no use.

    `silence` counts only looks: of one that comes late, not more than ASLEEP. `ahead` of the clock
    is the newest `stamp` [s], which `frozen` messages since the first one of it have had, too.
    """

    arrived: float
    silence: float = 0.0
    spoken: float = -np.inf
    dropped: str = ""
    dropped_at: float = -np.inf
    ahead: float = 0.0
    stamp: int | None = None
    frozen: int = 0


class JointStateListener:
    """Joint states of one arm.

    Attributes:
        topic: Full name of the topic.
        held: Judges joints that the arm does not move.
        turns: Counts whole turns.
    """

    def __init__(
        self,
        node: Node,
        robot: RobotFile,
        clock_tolerance: float,
        reliability: str = "",
        topic: str = JOINT_STATES,
    ) -> None:
        """Subscribe.

        Args:
            node: The node, whose clock is the controller's.
            robot: The robot file.
            clock_tolerance: By how much stamps and that clock may differ [s].
            reliability: Empty: as the robot file says.
            topic: For commands, which nobody remaps, another name.
        """
        self._node, self._clock = node, node.get_clock()
        self._clock_tolerance = clock_tolerance
        self._subscription = joint_state_subscription(node, robot, QUEUE, reliability, topic)
        self.topic = self._subscription.topic
        self._map, self._gate = JointMap(robot.joints), SampleGate()
        self._endless = np.array(robot.continuous, dtype=bool)
        self._heard = _Heard(arrived=time.monotonic())  # from now on there is silence
        self._taken, self._woke = self._heard.arrived, (0, -np.inf)  # time then [ns], and when [s]
        self.turns = TurnCount.of(robot)
        self.held = PassiveJointWatch(robot.held, robot.held_silence)
        self._reader = JointStateReader()
        self._memory: deque[_State] = deque()
        self._effort = None if robot.effort.source == "none" else robot.effort
        self._torque: Array | None = None  # largest of each joint since the last look

    @property
    def silence(self) -> float:
        """Age of the newest joint states [s]; time since the start if there were none."""
        return time.monotonic() - self._heard.arrived

    @property
    def unusable(self) -> str:
        """Why messages since the newest joint states are none, as a sentence; empty: none came."""
        if self._heard.dropped_at <= self._heard.arrived:
            return ""
        return f" Messages come on {self.topic}, but cannot be used: the last one {self.dropped}."

    @property
    def dropped(self) -> str:
        """Why the last message that could not be used could not; empty if there was none."""
        return self._heard.dropped

    @property
    def clock_fault(self) -> str:
        """That stamps do not go with the controller's clock; empty if they do.

        A motion begins at an instant that is written in stamps. Where those are behind the clock,
        the motion has begun before it was sent, and the arm would jump onto it.
        """
        if self._heard.frozen >= PATIENCE:
            return f"The last {self._heard.frozen + 1} joint states have one and the same stamp"
        ahead, tolerance = self._heard.ahead, self._clock_tolerance
        if abs(ahead) <= tolerance:
            return ""
        return (
            f"The stamps of the joint states are {abs(ahead):.3f} s "
            f"{'ahead of' if ahead > 0 else 'behind'} the clock; at most {tolerance:g} s are "
            "allowed"
        )

    @property
    def conflict(self) -> str:
        """That more than one publishes joint states; empty if one does."""
        if self._node.count_publishers(self.topic) < 2:
            return ""
        by = ", ".join(publisher_names(self._node, self.topic)) or "nobody known"
        return (
            f"{self.topic} has more than one publisher (in {by}), so it is not known whose joint "
            "states are this arm's: have one node publish all of them"
        )

    @property
    def known(self) -> bool:
        """Whether there were any joint states."""
        return bool(self._memory)

    @property
    def now_ns(self) -> int:
        """The robot's time: the newest stamp and what has passed since it came [ns]."""
        newest = self._memory[-1][0] if self._memory else 0
        return max(newest + round(NANOSECONDS * self.silence), self._least_ns(time.monotonic()))

    def _least_ns(self, now: float) -> int:
        """Return the robot's time at a time [s] as it went on while this process slept [ns]."""
        then_ns, woke = self._woke
        since = now - woke
        return then_ns + round(NANOSECONDS * since) if since < WAKING else 0

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
        self._heard = _Heard(arrived=time.monotonic())

    def take(self, every: bool) -> JointStates:
        """Return what has arrived since the last call.

        Args:
            every: Whether each message counts, or only the newest of the arm; where turns are
                counted or passive joints watched, which may come in messages of their own, all do.
        """
        every = every or bool(self.held.joints) or self.turns.needed
        waiting = [data for data, _ in self._subscription.take_all(QUEUE)]
        now, clock_ns = time.monotonic(), self._clock.now().nanoseconds  # it may have slept so far
        passed = now - self._taken
        if passed > ASLEEP and self.known:
            self._woke = self.now_ns, now  # time went on meanwhile
        self._taken = now
        looked_at = waiting if every else waiting[::-1]
        usable = (
            (x, self.clock_fault) for data in looked_at if (x := self._read(data, now, clock_ns))
        )
        read = list(usable if every else islice(usable, 1))
        found = [x for x, _ in read]
        clock = next((fault for _, fault in read if fault), self.clock_fault)
        unheard = 0.0 if found else self._heard.silence + min(passed, ASLEEP)
        self._heard = replace(self._heard, silence=unheard)
        self._remember(found)
        torque, self._torque = self._torque, None
        stamp, q, dq = zip(*found, strict=True) if found else ((), (), ())
        shape = -1, len(self._map.joints)
        rows = np.array(q).reshape(shape), np.array(dq).reshape(shape)
        held = self.held.look(self._heard.spoken)  # where nothing comes, that is what is wrong
        return JointStates(
            np.array(stamp, dtype=np.int64), *rows, unheard, self.unusable, clock, held, torque
        )

    def _remember(self, found: Sequence[_State]) -> None:
        """Keep states by which rest is judged; none of before a driver began anew."""
        for entry in found:
            if self._memory and entry[0] <= self._memory[-1][0]:
                self._memory.clear()
            self._memory.append(entry)
        while self.known and self._memory[-1][0] - self._memory[0][0] > MEMORY * NANOSECONDS:
            self._memory.popleft()

    def _read(self, data: bytes, now: float, clock_ns: int) -> _State | None:
        """Return stamp, positions and velocities of a message that can be used.

        Args:
            data: The message.
            now: When the middleware handed it out [s].
            clock_ns: The controller's clock then [ns].
        """
        message = self._reader.read(data)
        if message is None:
            return None
        self._heard = replace(self._heard, spoken=now)
        self.held.see(message.names, message.position, now)
        found = self._judged(message, now, clock_ns)
        if isinstance(found, tuple):
            return found
        why = f"counts as {found.value.replace('_', ' ')}" if isinstance(found, Drop) else found
        self._heard = replace(self._heard, dropped=why, dropped_at=now)
        return None

    def _judged(self, message: JointStateValues, now: float, clock_ns: int) -> _State | Drop | str:
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
        stamp = message.stamp_ns
        # What waited while this process slept is old, however well the clocks agree.
        robot_ns = max(stamp, min(self._least_ns(now), clock_ns))
        frozen = self._heard.frozen + 1 if self._heard.stamp == stamp else 0
        ahead = (robot_ns - clock_ns) / NANOSECONDS
        self._heard = replace(self._heard, ahead=ahead, stamp=stamp, frozen=frozen)
        anew = stamp < self._gate.newest - RESTART * NANOSECONDS
        self._gate, cause = (SampleGate() if anew else self._gate).offer(stamp, rows[0])
        if cause is not None:
            return cause
        self.turns = self.turns.after(stamp, rows[0], now - self._heard.arrived)
        self._heard = replace(self._heard, arrived=now)
        return stamp, rows[0], rows[1]
