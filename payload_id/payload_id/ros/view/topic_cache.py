"""The newest message of each topic that the view hears, and curves of what they told."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from payload_id_msgs.msg import BridgeState, PayloadEffort, PayloadEstimate, PlanDescription
from sensor_msgs.msg import JointState
from visualization_msgs.msg import MarkerArray

from ...core.arrays import Array
from ...core.errors import InputError
from ...core.identification.estimate import Estimate
from ...core.safety.clearance.convex_body import ConvexBody
from ...core.samples.joint_map import JointMap
from ...files.robots.robot_file import RobotFile
from ..client.payload_client import PayloadClient, estimate_from
from ..common.conversions import body_of, decoded, stamp_of
from ..common.diagnostics import WORDS
from ..common.polled_subscription import joint_state_subscription
from ..common.timeouts import SILENT
from ..common.topics import LATCHED, RUNNING, SAMPLER
from .history import History
from .node_names import NodeNames
from .workflow import NODES, NodeHeard, peaks

NEVER = (-math.inf, None)  # when a message came that never did, and the message


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
        intervals: Of the run, upper end, estimate and lower end of each parameter.
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
        self._client, self._robot, self._names = client, robot, names
        self._map = JointMap(robot.joints) if robot.effort.source == "none" else robot.joint_map()
        self._newest: dict[str, tuple[float, Any]] = {}  # by kind: when it came, and the message
        self._fresh: dict[str, Any] = {}  # by kind: a message of which no use was made yet
        self._running, self._bodies = False, list[Any]()  # as the newest messages said
        self._begin_curves()
        self._hear("plan", PlanDescription, f"{names.planner}/description", LATCHED)
        self._hear("swept", MarkerArray, f"{names.planner}/swept_volume", LATCHED)
        self._hear("bridge_state", BridgeState, f"{names.bridge}/state", LATCHED)
        self._hear("effort", PayloadEffort, f"{names.estimator}/payload_effort", 1)
        self._states = joint_state_subscription(  # the newest alone
            client.node, robot, 1, topic=robot.joint_states.topic
        )

    def message(self, kind: str) -> Any:
        """Return the newest message of a kind; None: there is none."""
        return self._newest.get(kind, NEVER)[1]

    @property
    def plan(self) -> PlanDescription | None:
        """The newest plan; None: there is none."""
        plan = self.message("plan")
        if plan is None or any(
            len(x) not in (0, len(plan.joint_names)) for x in peaks(plan).values()
        ):
            return None  # or it is anybody's, not a planner's
        return plan

    def node(self, name: str) -> NodeHeard:
        """Return what was heard of a node."""
        at, status = self._newest.get(self._condition(name), NEVER)
        if status is None:
            return NodeHeard()
        figures = {value.key: value.value for value in status.values}
        if time.monotonic() - at >= SILENT:
            return NodeHeard(figures=figures)
        return NodeHeard(True, WORDS[bytes(status.level)], status.message, figures)

    def poll(self) -> bool:
        """Make use of what has come since the last time; return whether a run has begun."""
        for topic in {self._condition(name) for name in NODES} - {"", *self._newest}:
            self._hear(topic, DiagnosticStatus, topic, LATCHED)
        planner = self.node("planner")
        if planner.figures and not planner.found:
            self._newest["plan"] = NEVER  # nobody would follow it
        while self._client.messages:
            self._note("estimate", self._client.messages.pop(0))
        for kind in ("estimate", "effort", "bridge_state"):
            if (message := self._fresh.pop(kind, None)) is not None:
                getattr(self, f"_use_{kind}")(message)
        for data, _ in self._states.take_all(1):
            self._use_joint_state(decoded(data, JointState))
        before, self._running = self._running, self.node("estimator").figures.get(RUNNING) == "True"
        begun = self._running and not before
        if begun:
            self._begin_curves()
        return begun

    def _begin_curves(self) -> None:
        """Begin curves anew."""
        self.intervals, self.torques = History(30), History(4 * self._robot.n)

    def _condition(self, node: str) -> str:
        """Return on which topic a node says how it is; empty: that is not known.

        Unless a sampler is named it is that which the estimator listens to.
        """
        name = getattr(self._names, node) or self.node("estimator").figures.get(SAMPLER, "")
        return f"{name}/condition" if name else ""

    def _hear(self, kind: str, message_type: Any, topic: str, quality: Any) -> None:
        """Keep the newest message of a topic."""
        self._newest[kind] = NEVER
        self._client.node.create_subscription(
            message_type, topic, partial(self._note, kind), quality
        )

    def _note(self, kind: str, message: Any) -> None:
        """Keep a message."""
        self._newest[kind], self._fresh[kind] = (time.monotonic(), message), message

    def _use_estimate(self, message: PayloadEstimate) -> None:
        """Take an estimate, and add it to the curves."""
        try:
            self.estimate = estimate_from(message)
        except InputError:  # of another version, say: it is none
            self.estimate = None
        if self.estimate is not None:
            self.intervals.add_estimate(self.estimate)

    def _use_effort(self, message: PayloadEffort) -> None:
        """Add what the estimator says of torques to the curves."""
        joints, of_arm = self.joints, list(message.joints) == list(self._robot.joints)
        lower, upper = np.array(message.external_lower), np.array(message.external_upper)
        if joints is None or not (of_arm and len(lower) == len(upper) == self._robot.n):
            return
        # What arm and payload explain: the measured torque without what they do not.
        row = [joints.tau, joints.tau - upper, joints.tau - lower, (lower + upper) / 2]
        self.torques.add(1e-9 * stamp_of(message.header.stamp), np.concatenate(row))

    def _use_bridge_state(self, message: BridgeState) -> None:
        """Take the obstacles, where they are others."""
        if message.bodies == self._bodies:
            return
        self._bodies = message.bodies
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
