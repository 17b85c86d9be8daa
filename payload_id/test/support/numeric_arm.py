"""An arm made of numbers, without a clock, that follows what the bridge's machine commands."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.joint_trajectory import JointTrajectory, sample
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.path_stop import PathStop
from payload_id.core.safety.certificate.certified_motion import CertifiedMotion, CertifiedStop
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.ros.certifying.prover import VerifiedMotion
from payload_id.ros.execution import monitors
from payload_id.ros.execution.commanded_motion import Part
from payload_id.ros.execution.machine import Command, State, asked_for, step, with_motion
from payload_id.ros.execution.monitors import Phase
from payload_id.ros.execution.snapshot import JointStates, Snapshot

JOINTS, TICK = ("shoulder", "elbow"), 0.01
START_NS = 1_700_000_000_000_000_000
HOME = np.array([0.3, -0.2])
TUBE = TrackingTube.position_controlled(np.full(2, 0.02), np.full(2, 0.1), np.ones(2))
ARM = monitors.WatchedArm(JOINTS, (False, False), np.zeros(2), silence=0.2, settling=1.0)


def stops_of(motion, until):
    times = np.arange(0.25, until - 0.1, 0.25)
    return tuple(CertifiedStop(t, PathStop(motion, t, 0.4)) for t in times)


def certified(k=(0.5, -0.4)):
    motion = BezierPiece(MotionState.at_rest(HOME), np.array(k), 2.0)
    return CertifiedMotion(motion, stops_of(motion, 2.0), TUBE)


def part_of(motion, name="motion"):
    proved = VerifiedMotion(motion, "limits", {}, np.full(10, -1.0), np.full(10, 1.0), None, None)
    return Part(name, proved, ())


@dataclass
class Arm:
    """Follows commands as joint_trajectory_controller does, with errors on request."""

    time: float = -0.3  # of the stamps, from START_NS [s]
    commands: list = field(default_factory=list)
    off: float = 0.0  # [rad] by which it is beside what was commanded
    held: Any = None
    heard: bool = True
    state: State = State()
    arm: monitors.WatchedArm = ARM
    age: float = 0.0  # of the newest joint states [s]
    done: list = field(default_factory=list)  # commands of the machine

    @property
    def now_ns(self):
        return START_NS + round(self.time * 1e9)

    def begin(self, motion, **changes):
        """Have a motion begin; `changes` are of `arm`."""
        self.arm, self.held = replace(self.arm, **changes), None
        self.state = asked_for(self.time)
        self.look(proof=part_of(motion))
        for _ in (Phase.ACQUIRING, Phase.STARTING):
            self.look()
        assert self.state.phase is Phase.STARTING, self.state
        return self

    def extend(self, motion, after):
        before = self.state.motion
        taken_up = before.time(self.now_ns) + self.arm.reaction
        self.state = with_motion(self.state, before.continued(part_of(motion), after, taken_up))
        self.send()

    def send(self):
        motion = self.state.motion
        points = motion.points(motion.time(self.now_ns), 50.0)
        assert np.abs(points.dq[-1]).max() < 1e-9  # whatever is commanded ends at rest
        time = points.time + 1e-9 * (motion.start_ns - START_NS)
        self.commands.append(JointTrajectory(time, points.q, points.dq, points.ddq))

    @property
    def seen(self):
        """Where it is: q, dq."""
        if self.held is not None:
            return self.held, np.zeros((1, 2))
        if not self.commands:
            return HOME[None] + self.off, np.zeros((1, 2))
        at = sample(self.commands[-1], np.array([self.time]))
        return at.q + self.off, at.dq

    def look(self, **known):
        """Have the machine look once; `known` is of the snapshot."""
        q, dq = self.seen
        stamp = np.array([self.now_ns], dtype=np.int64)
        states = JointStates(stamp, q, dq) if self.heard else JointStates(age=self.age)
        now = Snapshot(**{"steady": self.time, "now_ns": self.now_ns, "states": states} | known)
        self.state, command = step(self.state, now, self.arm)
        self.done += [] if command is None else [command]
        motion = self.state.motion
        if command is Command.SEND:
            self.state = with_motion(
                self.state, motion.beginning(self.now_ns, 0.3, q[0], self.arm.continuous)
            )
            self.send()
        elif command is Command.STOP:
            motion = motion.stopped(motion.time(self.now_ns), self.arm.reaction)
            self.state = with_motion(self.state, motion)
            if motion.stop is not None:
                self.send()
        elif command is Command.HOLD:
            self.held = q

    def tick(self, **known):
        self.time += TICK
        self.age = 0.0 if self.heard else self.age + TICK
        self.look(**known)

    def run(self, until=lambda: False, **known):
        for _ in range(2000):
            if self.state.phase is Phase.IDLE or until():
                return
            self.tick(**known)
        raise AssertionError(f"it does not end: {self.state}")
