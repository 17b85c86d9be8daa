"""An arm made of numbers, without a clock, that follows commands as a controller does."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.joint_trajectory import JointTrajectory, sample
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.path_timing import PathStop
from payload_id.core.safety.certificate.certified_motion import CertifiedMotion, CertifiedStop
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.ros.execution.arm_watch import ArmWatch
from payload_id.ros.execution.motion_execution import MotionExecution, Timing

JOINTS, TICK = ("shoulder", "elbow"), 0.01
START_NS = 1_700_000_000_000_000_000
HOME = np.array([0.3, -0.2])
TUBE = TrackingTube.position_controlled(np.full(2, 0.02), np.full(2, 0.1), np.ones(2))
TIMING = Timing(point_rate=50.0, reaction=0.1, settling=1.0)


def stops_of(motion, until):
    times = np.arange(0.25, until - 0.1, 0.25)
    return tuple(CertifiedStop(t, PathStop(motion, t, 0.4)) for t in times)


def certified(k=(0.5, -0.4)):
    motion = BezierPiece(MotionState.at_rest(HOME), np.array(k), 2.0)
    return CertifiedMotion(motion, stops_of(motion, 2.0), TUBE)


@dataclass
class Arm:
    """Follows commands as joint_trajectory_controller does, with errors on request."""

    time: float = -0.3
    commands: list = field(default_factory=list)
    off: float = 0.0
    execution: MotionExecution | None = None
    held: tuple | None = None

    def command(self, points, start_ns):
        assert np.abs(points.dq[-1]).max() < 1e-9  # whatever is commanded ends at rest
        time = points.time + (1e-9 * (start_ns - START_NS) if start_ns else self.time)
        self.commands.append(JointTrajectory(time, points.q, points.dq, points.ddq))

    def hold(self):
        """Stay where it is."""
        at = sample(self.commands[-1], np.array([self.time]))
        self.held = (self.time, at.q + self.off)

    @property
    def now_ns(self):
        return START_NS + round(self.time * 1e9)

    def begin(self, motion, **timing):
        self.execution = MotionExecution(
            motion,
            self.now_ns + 300_000_000,
            replace(TIMING, **timing),
            self.command,
            self.hold,
            lambda: "",
            ArmWatch(JOINTS, (False, False), silence=0.2, encoder_error=np.zeros(2)),
        )
        self.execution.begin()
        return self.execution

    def tick(self, execution):
        self.time += TICK
        at = sample(self.commands[-1], np.array([self.time]))
        q, dq = at.q + self.off, at.dq
        if self.held is not None:
            q, dq = self.held[1], np.zeros_like(dq)
        stamps = np.array([self.now_ns], dtype=np.int64)
        execution.advance(self.now_ns, self.time, 0.0, stamps, q, dq)

    def run(self, execution, until=lambda: False):
        while not (execution.done or until()):
            self.tick(execution)
