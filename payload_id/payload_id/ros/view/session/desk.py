"""What all pages share: what was heard, what is being done, who may, and the plan to preview."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from payload_id_msgs.msg import PlanDescription
from visualization_msgs.msg import MarkerArray

from ....core.arm.centre_of_mass import gravity_in_payload_frame
from ....core.arrays import Array
from ....core.errors import InputError
from ....core.motion.trajectory import Trajectory
from ....core.safety.tube.tube_watch import position_error
from ....files.robots.arm_frames import ArmFrames, LinkFrame
from ....files.robots.description.urdf_tree import UrdfTree
from ....files.robots.robot_file import RobotFile
from ....files.robots.robot_model import RobotModel
from ....files.runs.certificate_file import load_certificate
from .bodies import link_triangles
from .curves import History, interval_row
from .guard import Guard, Operator
from .heard import Heard
from .tasks import Tasks
from .workflow import NODES, Seen

NEAR = 0.05  # [rad or m] off where a plan begins, from which on it is to be made anew
LIMITS_PAUSE = 0.1  # [s] between two points of the curves of limits
VIEW = ((1.25, -1.15, 0.95), (0.15, 0.0, 0.4))  # the camera's place, and what it looks at [m]


class Desk:
    """One for the whole server.

    Attributes:
        robot: The robot file.
        guard: Who may watch and command.
        heard: What nodes have told.
        tasks: What is being done.
        may_move: Whether the arm may be moved.
        open_to_readers: Whether a page shows anything before the token is proved.
        frames: Kinematics.
        shapes: Surfaces of the links.
        joint_links: Link that each joint moves.
        intervals: Of the run, 30 numbers a row: see `interval_row`.
        limits: Use of limits, three numbers a row.
        limits_seen: How many rows there have been.
        torques: Measured, lower, upper and unexplained torques of all joints.
        torques_seen: The same.
        swept: What the plan that was read sweeps.
        motion_length: Of that plan [s].
    """

    def __init__(
        self,
        robot: RobotFile,
        guard: Guard,
        heard: Heard,
        tasks: Tasks,
        planner: PlannerClient,
        may_move: bool,
        open_to_readers: bool,
    ) -> None:
        """Keep what is given, and read what the arm looks like."""
        self.robot, self.guard, self.heard, self.tasks = robot, guard, heard, tasks
        self.may_move, self.open_to_readers = may_move, open_to_readers
        self.frames, self.shapes = (
            ArmFrames(robot.urdf),
            link_triangles(robot.urdf, robot.urdf_path.parent),
        )
        tree = UrdfTree.of(robot.urdf)
        self.joint_links = tuple(tree.named(name).child for name in robot.joints)
        self.intervals, self.limits = History(30), History(3)
        self.torques, self.torques_seen = History(4 * robot.n), 0
        self.swept: MarkerArray | None = None
        self.motion_length, self.limits_seen = 0.0, 0
        self._planner, self._model = planner, RobotModel.from_robot_file(robot)
        self._trajectory: Trajectory | None = None
        self._begins: dict[str, Array] = {}  # positions, by the name of the plan that was read
        self._limits = robot.limits if robot.limit_sets else None
        self._last: dict[str, Any] = {"estimate": None, "limits": -np.inf, "running": False}

    def look(self) -> tuple[list[LinkFrame], Array | None] | None:
        """Take what has come, and add it to the curves; return what `moving` does."""
        heard = self.heard
        heard.look()
        if heard.running and not self._last["running"]:
            self.tasks.forget_run()
        self._last["running"] = heard.running
        estimate = heard.estimate
        if estimate is not self._last["estimate"]:
            self._last["estimate"] = estimate
            if estimate is not None and np.isfinite(estimate.phi).all():
                self.intervals.add(estimate.seconds, interval_row(estimate))
        self._add_limits()
        self._add_torques()
        return self.moving()

    def seen(self, operator: Operator | None, previewed: str) -> Seen:
        """Return what the steps depend on, for a page.

        Args:
            operator: Who sits there; None: nobody has proved the token.
            previewed: Name of the plan that was looked at there.
        """
        heard, tasks, guard = self.heard, self.tasks, self.guard
        bridge, plan = heard.bridge, heard.plan
        return Seen(
            nodes={name: heard.node(name) for name in NODES},
            running=heard.running,
            tared=heard.tared,
            estimate=heard.estimate,
            plan=plan.plan_id if plan is not None else "",
            previewed=previewed,
            dry_run=tasks.dry_run,
            executed=tasks.executed,
            saved=tasks.saved,
            reported=tasks.reported,
            exported=tasks.exported,
            idle=bridge is not None and bridge.state == bridge.IDLE,
            fault=bridge.fault if bridge is not None else "",
            doing=tasks.progress.task,
            in_control=guard.has_control(operator),
            holder=guard.holder.name if guard.holder is not None else "",
            holder_is_here=guard.holder_is_here(),
            at_start=self._is_at_start(previewed),
            states=heard.states_come,
            may_move=self.may_move,
        )

    def _is_at_start(self, previewed: str) -> bool:
        """Tell whether the arm is where the plan that was previewed begins; True: not known."""
        joints, begins = self.heard.joints, self._begins.get(previewed)
        bridge = self.heard.bridge
        moves = self.tasks.progress.task or bridge is None or bridge.state != bridge.IDLE
        if moves or joints is None or begins is None:
            return True
        off = np.abs(position_error(begins, joints.q, self._model.continuous))
        return bool(off.max() <= NEAR)

    def moving(self) -> tuple[list[LinkFrame], Array | None] | None:
        """Return the links that move, and gravity in the payload frame; None: nothing is heard."""
        joints = self.heard.joints
        if joints is None:
            return None
        return self.frames.moving(joints.positions), gravity_in_payload_frame(self._model, joints.q)

    def read_plan(self, plan: PlanDescription) -> None:
        """Read the motion of a plan from its certificate, and what it sweeps.

        Raises:
            PayloadIdError: The planner does not answer, or its certificate is not on this machine.
        """
        path = Path(plan.certificate_path)
        if not path.is_file():
            raise InputError(
                f"The motion is in the planner's file {path}, which is not on this machine: start "
                "the view where the planner runs, or share that folder."
            )
        self._trajectory = load_certificate(path).trajectory
        self._begins = {plan.plan_id: self._trajectory.at(np.zeros(1)).q[0]}
        self.motion_length = float(self._trajectory.duration)
        self.swept = self._planner.swept_volume()

    def motion_at(self, time: float) -> list[LinkFrame]:
        """Return the links where the plan that was read has them at a time [s]."""
        if self._trajectory is None:
            return []
        q = self._trajectory.at(np.array([time])).q[0]
        return self.frames.moving(dict(zip(self.robot.joints, map(float, q), strict=True)))

    def _add_limits(self) -> None:
        """Add the present use of limits."""
        joints, limits = self.heard.joints, self._limits
        if joints is None or limits is None or joints.at - self._last["limits"] < LIMITS_PAUSE:
            return
        self._last["limits"] = joints.at
        lower, upper = limits.position_lower, limits.position_upper
        bounded = np.isfinite(upper - lower)
        middle, reach = (upper[bounded] + lower[bounded]) / 2, (upper - lower)[bounded] / 2
        uses = (
            np.abs(joints.q[bounded] - middle) / reach,
            np.abs(joints.dq) / limits.velocity,
            np.abs(joints.tau) / limits.effort,
        )
        row = np.array([_largest(use) for use in uses])
        self.limits.add(joints.at, row)
        self.limits_seen += 1

    def _add_torques(self) -> None:
        """Add what the estimator says of torques since the last look."""
        joints, n = self.heard.joints, self.robot.n
        while self.heard.efforts:
            message = self.heard.efforts.popleft()
            lower, upper = np.array(message.external_lower), np.array(message.external_upper)
            if joints is None or len(lower) != n or list(message.joints) != list(self.robot.joints):
                continue
            # What arm and payload explain: the measured torque without what they do not.
            row = np.concatenate(
                [joints.tau, joints.tau - upper, joints.tau - lower, (lower + upper) / 2]
            )
            stamp = message.header.stamp
            self.torques.add(stamp.sec + 1e-9 * stamp.nanosec, row)
            self.torques_seen += 1


def _largest(use: Array) -> float:
    """Return the largest finite number; NaN: there is none."""
    finite = use[np.isfinite(use)]
    return float(finite.max()) if len(finite) else np.nan
