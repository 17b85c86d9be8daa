"""The thread that tells what is in the hand, and the topics on which it does.

It has its own copy of the samples: an update that takes long delays nothing that is told here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from payload_id_msgs.msg import PayloadEvent
from rclpy.node import Node
from std_msgs.msg import Header

from ...core.arrays import Array
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
from ..common.timeouts import LOG
from ..common.topics import EVERY
from ..runs.looping_thread import LoopingThread
from ..runs.part_queue import PartQueue
from .sources.live_run import Established, LiveRun
from .state_follower import StateFollower

LATEST = 2.0  # [s] of samples that may wait
DEVIATIONS = 2.0  # by which a mass is surely above a limit, or a weight surely carried
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


class HandWorker:
    """Publishes `~/payload_event`, and has `~/payload_feedforward` follow.

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
        self._surely = feedforward == "sure"
        self._queue = PartQueue[SampleRows](int(LATEST * robot.joint_states.rate))
        self._events = node.create_publisher(PayloadEvent, "~/payload_event", EVERY)
        self._watching: _Watching | None = None
        self._follower: StateFollower | None = None
        if feedforward or robot.gripper.joint:
            self._follower = StateFollower(node, robot, run.model, bool(feedforward))
        self._thread = LoopingThread("hand", self._step)

    def begin(self, found: Established) -> None:
        """Watch a run that begins, with an empty hand."""
        cutter, arm = WindowCutter(self._run.settings.identification.window), found.rows
        hand = HandWatch.empty_handed(found.source, arm)
        gate = found.source.gate(cutter.pause)
        self._watching = _Watching(found.source, cutter, gate, hand)
        self._carry(np.zeros(10))

    def write(self, rows: SampleRows) -> None:
        """Hand over samples; returns at once."""
        if self._watching is not None:
            self._queue.put(rows)
            self._thread.wake()

    def end(self) -> None:
        """Watch no longer: nothing is carried."""
        self._watching = None
        self._carry(np.zeros(10))

    def close(self) -> None:
        """End the threads once they have finished what they are doing."""
        self._thread.close()
        if self._follower is not None:
            self._follower.close()

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
                grip = self._follower.fingers.at(end_ns) if self._follower else None
                at.hand = at.hand.with_window(at.windows, at.rows.window(window), grip)
            at.windows += 1
            mass, spread = at.hand.phi[0], at.hand.deviation[0]
            sure = max(0.0, 1.0 - DEVIATIONS * spread / mass) if mass > 0.0 else 0.0
            if self._watching is at:
                self._carry(at.hand.phi * (sure if self._surely else 1.0))
            for event in at.hand.events:
                if event.again:
                    continue
                at.too_heavy = False
                self._tell(at, event.seen.value, event.start, event.told, event.sentence)
            most = at.rows.prior.mass_max
            if not at.too_heavy and mass - DEVIATIONS * spread > most:
                at.too_heavy, end = True, float(window.stamp[-1])
                self._tell(at, "too heavy", end, end, TOO_HEAVY.format(most))

    def _carry(self, phi: Array) -> None:
        """Have the feed-forward carry a payload from now on."""
        if self._follower is not None:
            self._follower.phi = phi

    def _tell(self, at: _Watching, kind: str, since: float, told: float, sentence: str) -> None:
        """Publish an event."""
        when, begun = (time_message(at.start_ns + round(x * NANOSECONDS)) for x in (told, since))
        self._events.publish(PayloadEvent(
            header=Header(stamp=when, frame_id=at.rows.frame), kind=kind, since=begun,
            mass=float(at.hand.phi[0]), mass_deviation=float(at.hand.deviation[0]),
            message=sentence,
        ))  # fmt: skip
        self._log.info(sentence)
