"""The newest message of each topic that the view hears, and curves of what they told."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from payload_id_msgs.msg import BridgeState, PayloadEffort, PayloadEstimate, PlanDescription
from rclpy.subscription import Subscription
from sensor_msgs.msg import JointState
from visualization_msgs.msg import MarkerArray

from ...core.arrays import Array
from ...core.errors import InputError
from ...core.identification.estimate import Estimate
from ...core.safety.clearance.convex_body import ConvexBody
from ...core.samples.joint_map import JointMap
from ...files.robots.robot_file import RobotFile
from ..client.payload_client import PayloadClient, estimate_from
from ..common.conversions import body_of, decoded
from ..common.polled_subscription import joint_state_subscription
from ..common.timeouts import SILENT
from ..common.topics import LATCHED, RUNNING, SAMPLER
from .history import History, interval_row
from .node_names import NodeNames
from .workflow import NODES, NodeHeard

LEVELS = {b"\x00": "ok", b"\x01": "warning", b"\x02": "error", b"\x03": "stale"}


@dataclass(frozen=True, eq=False)
class JointsNow:
    """A joint state, in the robot file's order.

    Attributes:
        positions: Of all joints in the message, by name [rad or m].
        q: Shape (n,) [rad or m].
        tau: Joint torques, shape (n,) [N m or N]; NaN where none are told.
        at: When it came, by the monotonic clock [s].
    """

    positions: Mapping[str, float]
    q: Array
    tau: Array
    at: float


class TopicCache:
    """Keeps the newest message of each kind; callbacks put it there, `poll` makes use of it.

    Attributes:
        joints: None before the first joint state that can be used.
        estimate: None before the first.
        obstacles: In force, in the base frame; none where they cannot be read.
        intervals: Of the run, 30 numbers a row: see `interval_row`.
        torques: Measured, lower, upper and unexplained torques of all joints.
    """

    def __init__(self, client: PayloadClient, robot: RobotFile, names: NodeNames) -> None:
        """Subscribe.

        Args:
            client: Whose node it subscribes with.
            robot: The robot file.
            names: Of the nodes.
        """
        self.joints: JointsNow | None = None
        self.estimate: Estimate | None = None
        self.obstacles: tuple[ConvexBody, ...] = ()
        self.intervals, self.torques = History(30), History(4 * robot.n)
        self._client, self._robot, self._names = client, robot, names
        self._map = JointMap(robot.joints) if robot.effort.source == "none" else robot.joint_map()
        self._newest: dict[str, tuple[float, Any]] = {}  # by kind: when it came, and the message
        self._used: dict[str, Any] = {}  # by kind: the message of which use was made last
        self._hear("plan", PlanDescription, f"{names.planner}/description", LATCHED)
        self._hear("swept", MarkerArray, f"{names.planner}/swept_volume", LATCHED)
        self._hear("bridge_state", BridgeState, f"{names.bridge}/state", LATCHED)
        self._hear("effort", PayloadEffort, f"{names.estimator}/payload_effort", 1)
        for name in NODES[1:]:
            self._hear(name, DiagnosticStatus, f"{getattr(names, name)}/condition", LATCHED)
        self._sampler: Subscription | None = None
        self._states = joint_state_subscription(  # the newest alone
            client.node, robot, 1, topic=robot.joint_states.topic
        )

    def message(self, kind: str) -> Any:
        """Return the newest message of a kind; None: there is none."""
        return self._newest.get(kind, (0.0, None))[1]

    @property
    def plan(self) -> PlanDescription | None:
        """The newest plan; None: there is none."""
        plan = self.message("plan")
        if plan is None:
            return None
        peaks = (plan.peak_position_percent, plan.peak_velocity_percent,
                 plan.peak_acceleration_percent, plan.peak_torque_percent)  # fmt: skip
        # Else it is anybody's, not a planner's.
        return plan if all(len(x) in (0, len(plan.joint_names)) for x in peaks) else None

    def node(self, name: str) -> NodeHeard:
        """Return what was heard of a node."""
        at, status = self._newest.get(name, (-np.inf, None))
        if status is None:
            return NodeHeard()
        figures = {value.key: value.value for value in status.values}
        if time.monotonic() - at >= SILENT:
            return NodeHeard(figures=figures)
        return NodeHeard(True, LEVELS[bytes(status.level)], status.message, figures)

    def poll(self) -> bool:
        """Make use of what has come since the last time; return whether a run has begun."""
        self._hear_sampler()
        if "planner" in self._newest and not self.node("planner").found:
            self._newest.pop("plan", None)  # nobody would follow it
        if estimates := self._client.messages:
            del estimates[:-1]
            self._newest["estimate"] = (time.monotonic(), estimates[-1])
        for kind in ("estimate", "effort", "bridge_state"):
            message = self.message(kind)
            if message is not None and message is not self._used.get(kind):
                self._used[kind] = message
                getattr(self, f"_use_{kind}")(message)
        for data, _ in self._states.take_all(1):
            self._use_joint_state(decoded(data, JointState))
        runs = self.node("estimator").figures.get(RUNNING) == "True"
        begun, self._used["runs"] = runs and not self._used.get("runs"), runs
        if begun:
            self.intervals.clear()
            self.torques.clear()
        return begun

    def _hear(self, kind: str, message_type: Any, topic: str, quality: Any) -> Subscription:
        """Keep the newest message of a topic."""

        def note(message: Any) -> None:
            self._newest[kind] = (time.monotonic(), message)

        return self._client.node.create_subscription(message_type, topic, note, quality)

    def _hear_sampler(self) -> None:
        """Hear the sampler that was named, else the one that the estimator listens to."""
        sampler = self._names.sampler or self.node("estimator").figures.get(SAMPLER, "")
        if not sampler or sampler == self._used.get("sampler"):
            return
        if self._sampler is not None:
            self._client.node.destroy_subscription(self._sampler)
        self._used["sampler"] = sampler
        self._sampler = self._hear("sampler", DiagnosticStatus, f"{sampler}/condition", LATCHED)

    def _use_estimate(self, message: PayloadEstimate) -> None:
        """Take an estimate, and add it to the curves."""
        try:
            self.estimate = estimate_from(message)
        except InputError:  # of another version, say: it is none
            self.estimate = None
        if self.estimate is not None and np.isfinite(self.estimate.phi).all():
            self.intervals.add(self.estimate.seconds, interval_row(self.estimate))

    def _use_effort(self, message: PayloadEffort) -> None:
        """Add what the estimator says of torques to the curves."""
        joints = self.joints
        lower, upper = np.array(message.external_lower), np.array(message.external_upper)
        if joints is None or list(message.joints) != list(self._robot.joints):
            return
        if not len(lower) == len(upper) == self._robot.n:
            return
        # What arm and payload explain: the measured torque without what they do not.
        row = [joints.tau, joints.tau - upper, joints.tau - lower, (lower + upper) / 2]
        stamp = message.header.stamp
        self.torques.add(stamp.sec + 1e-9 * stamp.nanosec, np.concatenate(row))

    def _use_bridge_state(self, message: BridgeState) -> None:
        """Take the obstacles, where they are others."""
        if message.bodies == self._used.get("bodies", []):
            return
        self._used["bodies"] = message.bodies
        try:
            self.obstacles = tuple(map(body_of, message.bodies))
        except InputError:
            self.obstacles = ()

    def _use_joint_state(self, message: JointState | None) -> None:
        """Take a joint state that can be used."""
        if message is None or len(message.name) != len(message.position):
            return
        taken = self._map.convert(message.name, message.position, message.velocity, message.effort)
        if not isinstance(taken, tuple) or not np.isfinite(taken[0]).all():
            return
        positions = dict(zip(message.name, map(float, message.position), strict=True))
        q, _, tau = taken
        self.joints = JointsNow(positions, q, tau, time.monotonic())
