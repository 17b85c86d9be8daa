"""What the nodes have told, newest first: the view's own subscriptions."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from payload_id_msgs.msg import BridgeState, PayloadEffort, PayloadEstimate, PlanDescription
from rclpy.subscription import Subscription
from sensor_msgs.msg import JointState

from ....core.arrays import Array
from ....core.errors import InputError
from ....core.identification.estimate import Estimate
from ....core.safety.clearance.convex_body import ConvexBody
from ....core.samples.joint_map import JointMap
from ....files.robots.robot_file import RobotFile
from ...client.payload_client import PayloadClient, estimate_from
from ...common.conversions import decoded
from ...common.polled_subscription import joint_state_subscription
from ...common.topics import LATCHED, RUNNING, SAMPLER
from .names import Names
from .workflow import NODES, NodeSeen

SILENT = 3.5  # [s] without its condition, after which a node counts as not found
LEVELS = {b"\x00": "ok", b"\x01": "warning", b"\x02": "error", b"\x03": "stale"}
EFFORTS = 100  # messages that may wait between two looks


@dataclass(frozen=True, eq=False)
class JointsNow:
    """The newest joint state, in the robot file's order.

    Attributes:
        positions: Of all joints in the message, by name [rad or m].
        q: Shape (n,) [rad or m].
        dq: Shape (n,) [rad/s or m/s].
        tau: Joint torques, shape (n,) [N m or N]; NaN where none are told.
        at: When it came, by `time.monotonic` [s].
    """

    positions: dict[str, float]
    q: Array
    dq: Array
    tau: Array
    at: float


class Heard:
    """Keeps the newest message of each kind.

    Attributes:
        joints: None before the first joint state that can be used.
        estimate: None before the first.
        plan: None before the first.
        bridge: None before the first.
        efforts: Those not looked at yet.
    """

    def __init__(self, client: PayloadClient, robot: RobotFile, names: Names) -> None:
        """Subscribe.

        Args:
            client: Whose node it subscribes with.
            robot: The robot file.
            names: Of the nodes.
        """
        self.joints: JointsNow | None = None
        self.estimate: Estimate | None = None
        self.plan: PlanDescription | None = None
        self.bridge: BridgeState | None = None
        self.efforts: deque[PayloadEffort] = deque(maxlen=EFFORTS)
        self._client = client
        self._newest: PayloadEstimate | None = None
        has_effort = robot.effort.source != "none"
        self._map = robot.joint_map() if has_effort else JointMap(robot.joints)
        self._conditions: dict[str, tuple[float, DiagnosticStatus]] = {}
        self._bodies: tuple[str, tuple[ConvexBody, ...]] = ("", ())
        node = client.node
        self._follows = not names.sampler  # the sampler is the one that the estimator listens to
        self._of_sampler: Subscription | None = None
        for name in NODES:
            if full := getattr(names, name):
                self._hear(name, full)
        node.create_subscription(
            PlanDescription, f"{names.planner}/description", self._on_plan, LATCHED
        )
        node.create_subscription(BridgeState, f"{names.bridge}/state", self._on_bridge, LATCHED)
        node.create_subscription(
            PayloadEffort, f"{names.estimator}/payload_effort", self._on_effort, EFFORTS
        )
        self._states = joint_state_subscription(node, robot, "", "", 1)  # the newest one alone

    @property
    def states_come(self) -> bool:
        """Whether joint states come; True before the first one."""
        return self.joints is None or time.monotonic() - self.joints.at < SILENT

    def look(self) -> None:
        """Take what has come since the last look."""
        if (
            self.plan is not None
            and "planner" in self._conditions
            and not self.node("planner").found
        ):
            self.plan = None  # of one that is gone: nobody would follow it
        messages = self._client.messages
        del messages[:-1]
        if messages and messages[-1] is not self._newest:
            self._newest = messages[-1]
            try:
                self.estimate = estimate_from(self._newest)
            except InputError:  # of another version, say: it is none
                self.estimate = None
        for data, _ in self._states.take_all(1):
            self._on_joint_state(decoded(data, JointState))

    def node(self, name: str) -> NodeSeen:
        """Return what was heard of a node."""
        at, status = self._conditions.get(name, (-np.inf, None))
        if status is None:
            return NodeSeen()
        there = time.monotonic() - at < SILENT
        return NodeSeen(there, LEVELS.get(bytes(status.level), "stale"), status.message)

    def figure(self, name: str, key: str) -> str:
        """Return a figure of a node's condition; empty: it has none."""
        _, status = self._conditions.get(name, (0.0, None))
        return "" if status is None else next((x.value for x in status.values if x.key == key), "")

    @property
    def running(self) -> bool:
        """Whether the estimator takes data."""
        return self.figure("estimator", RUNNING) == "True"

    @property
    def tared(self) -> bool:
        """Whether a tare is in force."""
        return self.figure("estimator", "tared") == "True"

    @property
    def obstacles(self) -> tuple[ConvexBody, ...]:
        """Obstacles in force, in the base frame."""
        text = "" if self.bridge is None else self.bridge.bodies
        if text != self._bodies[0]:
            try:
                self._bodies = (text, tuple(map(ConvexBody.from_dict, json.loads(text or "[]"))))
            except (ValueError, InputError):
                self._bodies = (text, ())
        return self._bodies[1]

    def _hear(self, name: str, node: str) -> Subscription:
        """Listen to the condition of a node, by its name among the steps and in ROS."""
        topic = f"{node}/condition"
        return self._client.node.create_subscription(
            DiagnosticStatus, topic, self._noting(name), LATCHED
        )

    def _hear_sampler(self) -> None:
        """Listen to the sampler that the estimator listens to."""
        sampler, known = self.figure("estimator", SAMPLER), self._of_sampler
        if not sampler or (known is not None and known.topic_name == f"{sampler}/condition"):
            return
        if known is not None:
            self._client.node.destroy_subscription(known)
        self._of_sampler = self._hear("sampler", sampler)

    def _noting(self, name: str) -> Callable[[DiagnosticStatus], None]:
        """Return what notes the condition of a node."""

        def note(status: DiagnosticStatus) -> None:
            self._conditions[name] = (time.monotonic(), status)
            if name == "estimator" and self._follows:
                self._hear_sampler()

        return note

    def _on_plan(self, message: PlanDescription) -> None:
        n = len(message.joint_names)
        peaks = (
            message.peak_position_percent, message.peak_velocity_percent,
            message.peak_acceleration_percent, message.peak_torque_percent,
        )  # fmt: skip
        if all(len(peak) in (0, n) for peak in peaks):  # else anybody's, not a planner's
            self.plan = message

    def _on_bridge(self, message: BridgeState) -> None:
        self.bridge = message

    def _on_effort(self, message: PayloadEffort) -> None:
        self.efforts.append(message)

    def _on_joint_state(self, message: JointState | None) -> None:
        """Note a joint state that can be used."""
        if message is None or len(message.name) != len(message.position):
            return
        taken = self._map.convert(message.name, message.position, message.velocity, message.effort)
        if not isinstance(taken, tuple) or not np.isfinite(taken[0]).all():
            return
        positions = dict(zip(message.name, map(float, message.position), strict=True))
        self.joints = JointsNow(positions, *taken, time.monotonic())
