"""What all pages share: the arm, what is heard of it, what is being done, who may."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...core.arrays import Array
from ...core.safety.tube.tube_watch import position_error
from ...files.robots.arm_frames import ArmFrames, LinkFrame
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ..common.timeouts import SILENT
from .bodies import Triangles
from .planned_motion import PlannedMotion
from .session_auth import SessionAuth
from .tasks import Tasks
from .topic_cache import TopicCache
from .workflow import NODES, Snapshot

NEAR = 0.05  # [rad or m] off where a plan begins, from which on it is to be made anew


@dataclass(frozen=True, eq=False)
class LiveArm:
    """One for the whole server.

    Attributes:
        robot: The robot file.
        model: Its arm.
        frames: Its kinematics.
        shapes: Surfaces of its links.
        topics: What nodes have told.
        tasks: What is being done.
        auth: Who may watch and command.
        may_move: Whether the arm may be moved.
        open_to_readers: Whether a page shows anything before the token is proved.
    """

    robot: RobotFile
    model: RobotModel
    frames: ArmFrames
    shapes: Mapping[str, Sequence[Triangles]]
    topics: TopicCache
    tasks: Tasks
    auth: SessionAuth
    may_move: bool
    open_to_readers: bool

    def poll(self) -> None:
        """Take what has come; a run that begins, whoever begins it, has nothing of one before."""
        if self.topics.poll():
            self.tasks.begin_run()

    def snapshot(self, motion: PlannedMotion | None = None) -> Snapshot:
        """Return all that a page depends on.

        Args:
            motion: The one that was looked at there; None: none was.
        """
        topics, now = self.topics, time.monotonic()
        message = topics.message("estimate")
        return Snapshot(
            nodes={name: topics.node(name) for name in NODES},
            estimate=topics.estimate,
            rests_on=() if message is None else tuple(message.rests_on),
            width=() if message is None else tuple(message.width),
            plan=topics.plan,
            bridge=topics.message("bridge_state"),
            states=topics.joints is None or now - topics.joints.at < SILENT,
            previewed="" if motion is None else str(motion.plan.plan_id),
            at_start=self._is_at_start(motion),
            may_move=self.may_move,
            tasks=self.tasks.state,
            now=now,
        )

    def moving(self, q: Array) -> list[LinkFrame]:
        """Return the links that move, at positions of shape (n,) [rad or m]."""
        return self.frames.moving(dict(zip(self.robot.joints, map(float, q), strict=True)))

    def _is_at_start(self, motion: PlannedMotion | None) -> bool:
        """Tell whether the arm is where a motion begins; True: it moves, or that is not known."""
        joints, bridge = self.topics.joints, self.topics.message("bridge_state")
        if motion is None or joints is None or bridge is None or bridge.state != bridge.IDLE:
            return True
        off = position_error(motion.at(motion.began), joints.q, self.model.continuous)
        return bool(self.tasks.state.progress.task) or bool(np.abs(off).max() <= NEAR)
