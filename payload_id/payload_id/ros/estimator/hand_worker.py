"""The thread that tells what is in the hand, and the topics on which it does.

It has its own copy of the samples: an update that takes long delays nothing that is told here.
"""

from __future__ import annotations

from array import array
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from payload_id_msgs.msg import PayloadEvent
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, Header

from ...core.control.carried_weight import CarriedWeight
from ...core.identification.hand_watch import HandWatch
from ...core.rows.gate import Gate
from ...core.rows.joint_torque.momentum import MomentumRows
from ...core.rows.windows import WindowCutter
from ...core.samples.joint_samples import Samples
from ...core.samples.sample_rows import SampleRows
from ...core.samples.stamps import NANOSECONDS, seconds_since
from ...core.threads import one_thread
from ...files.robots.robot_file import RobotFile
from ..common.conversions import time_message
from ..common.error_sentence import error_sentence
from ..common.joint_state_reader import JointStateReader
from ..common.timeouts import LOG
from ..common.topics import EVERY, JOINT_STATES
from ..runs.looping_thread import LoopingThread
from ..runs.part_queue import PartQueue
from .sources.live_run import Established, LiveRun

if TYPE_CHECKING:
    from ...files.robots.robot_keys import Gripper

LATEST = 2.0  # [s] of samples that may wait
STILL = 0.1  # [s]: fingers that close cross more than their tolerance in this time
DEVIATIONS = 2.0  # by which a mass is surely above a limit, or a weight surely carried
LEAST_PERIOD = 0.0036  # [s] between two feed-forwards: 250 Hz, and some jitter
TOO_HEAVY = "What is in the hand is heavier than the {:.3g} kg that the prior allows: put it down."


@dataclass
class _Watching:
    """A run's watch: what makes its rows, when it began [ns], and whether too much was told."""

    rows: MomentumRows
    cutter: WindowCutter
    gate: Gate
    hand: HandWatch
    start_ns: int = 0
    windows: int = 0
    newest_ns: int = 0
    too_heavy: bool = False


class _Fingers:
    """Tells from a gripper's joint whether it holds something."""

    def __init__(self, gripper: Gripper) -> None:
        """Know of no position."""
        self.gripper = gripper
        self._place, self._since_ns = np.nan, 0
        self._seen = deque[tuple[int, bool]](maxlen=1000)

    def look(self, stamp_ns: int, position: float) -> None:
        """Take in a position."""
        within, ends = self.gripper.tolerance, (self.gripper.open, self.gripper.closed)
        if not abs(position - self._place) <= within:
            self._place, self._since_ns = position, stamp_ns
        still = stamp_ns - self._since_ns >= STILL * NANOSECONDS
        held = still and all(abs(position - end) > within for end in ends)
        self._seen.append((stamp_ns, held))

    def at(self, stamp_ns: int) -> bool | None:
        """Return whether it held something at a time [ns]; None: that is not known."""
        oldest = stamp_ns - LATEST * NANOSECONDS
        newest = (held for seen, held in reversed([*self._seen]) if oldest < seen <= stamp_ns)
        return next(newest, None)


class HandWorker:
    """Publishes `~/payload_event`, and `~/payload_feedforward` at every joint state.

    `begin`, `write` and `end` may be called by other threads.
    """

    def __init__(self, node: Node, robot: RobotFile, run: LiveRun, feedforward: str) -> None:
        """Start the thread.

        Args:
            node: The node.
            robot: The robot file.
            run: What is watched beside.
            feedforward: "estimate" or "sure", see the parameter; empty: none.
        """
        self._run, self._log = run, node.get_logger()
        self._feedforward = feedforward
        self._robot = robot
        self._queue = PartQueue[SampleRows](int(LATEST * robot.joint_states.rate))
        self._events = node.create_publisher(PayloadEvent, "~/payload_event", EVERY)
        self._watching: _Watching | None = None
        self.phi, self._stamp_ns = np.zeros(10), 0
        self._carried: CarriedWeight | None = None
        self._fingers, self._map = _Fingers(robot.gripper), robot.joint_map()
        self._reader = JointStateReader()
        if feedforward:
            self._torques = node.create_publisher(
                Float64MultiArray, "~/payload_feedforward", qos_profile_sensor_data
            )
        if feedforward or robot.gripper.joint:
            node.create_subscription(
                JointState, JOINT_STATES, self._on_state, qos_profile_sensor_data, raw=True
            )
        self._thread = LoopingThread("hand", self._step)

    def begin(self, found: Established) -> None:
        """Watch a run that begins, with an empty hand."""
        cutter, arm = WindowCutter(self._run.settings.identification.window), found.rows
        hand = HandWatch.empty_handed(found.source, arm)
        gate = found.source.gate(cutter.pause)
        if self._carried is None:
            limits = self._robot.limits.torque
            self._carried = CarriedWeight(found.source.model, limits)
        self._watching, self.phi = _Watching(found.source, cutter, gate, hand), np.zeros(10)

    def write(self, rows: SampleRows) -> None:
        """Hand over samples; returns at once."""
        if self._watching is not None:
            self._queue.put(rows)
            self._thread.wake()

    def end(self) -> None:
        """Watch no longer: nothing is carried."""
        self._watching, self.phi = None, np.zeros(10)

    def close(self) -> None:
        """End the thread once it has finished what it is doing."""
        self._thread.close()

    def _step(self) -> None:
        """Judge what has arrived."""
        try:
            parts, _ = self._queue.take()
            if parts and (watching := self._watching) is not None:
                self._judge(watching, SampleRows.joined(parts))
        except Exception as error:  # the thread must outlive any error
            said = error_sentence(error, "Please report it.")
            self._log.warning(said, throttle_duration_sec=LOG)

    def _judge(self, at: _Watching, rows: SampleRows) -> None:
        """Judge samples."""
        rows = rows.newer_than(at.newest_ns)
        if not len(rows):
            return
        at.start_ns = at.start_ns or int(rows.stamp_ns[0])
        at.newest_ns = int(rows.stamp_ns[-1])
        samples = Samples(seconds_since(rows.stamp_ns, at.start_ns), rows.q, rows.dq, rows.tau)
        for window in at.cutter.add(at.gate.let_through(at.rows.fitted(samples))):
            with one_thread():
                end_ns = at.start_ns + round(window.stamp[-1] * NANOSECONDS)
                grip = self._fingers.at(end_ns)
                at.hand = at.hand.with_window(at.windows, at.rows.window(window), grip)
            at.windows += 1
            mass, spread = at.hand.phi[0], at.hand.deviation[0]
            sure = max(0.0, 1.0 - DEVIATIONS * spread / mass) if mass > 0.0 else 0.0
            if self._watching is at:
                self.phi = at.hand.phi * (sure if self._feedforward == "sure" else 1.0)
            for event in at.hand.events:
                if event.again:
                    continue
                at.too_heavy = False
                self._tell(at, event.seen.value, event.start, event.told, event.sentence)
            most = at.rows.prior.mass_max
            if not at.too_heavy and mass - DEVIATIONS * spread > most:
                at.too_heavy, end = True, float(window.stamp[-1])
                self._tell(at, "too heavy", end, end, TOO_HEAVY.format(most))

    def _tell(self, at: _Watching, kind: str, since: float, told: float, sentence: str) -> None:
        """Publish an event."""
        when, begun = (time_message(at.start_ns + round(x * NANOSECONDS)) for x in (told, since))
        self._events.publish(PayloadEvent(
            header=Header(stamp=when, frame_id=at.rows.frame), kind=kind, since=begun,
            mass=float(at.hand.phi[0]), mass_deviation=float(at.hand.deviation[0]),
            message=sentence,
        ))  # fmt: skip
        self._log.info(sentence)

    def _on_state(self, data: bytes) -> None:
        """Look at the gripper, and publish the torques that carry what is in the hand."""
        state, carried = self._reader.read(data), self._carried
        if state is None or len(state.position) != len(state.names):
            return
        gripper = self._fingers.gripper.joint
        if gripper in state.names:
            self._fingers.look(state.stamp_ns, state.position[state.names.index(gripper)])
        if not self._feedforward or carried is None:
            return
        columns, since_ns = self._map.columns(state.names), state.stamp_ns - self._stamp_ns
        if columns is None or 0 <= since_ns < LEAST_PERIOD * NANOSECONDS:
            return
        self._stamp_ns, q = state.stamp_ns, state.position[columns]
        if np.isfinite(q).all():
            torque = carried.at(q, self.phi)
            self._torques.publish(Float64MultiArray(data=array("d", torque.tobytes())))
