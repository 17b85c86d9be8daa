"""Motion as goals of an action, as ros2_control's joint_trajectory_controller takes it.

Every command is a goal of its own; the controller drops the one before as it accepts the next. Each
goal has the tube of the certificate as tolerances of all joints, so that the controller itself
gives up where the arm leaves the tube, and says so.
"""

from __future__ import annotations

import time
import uuid
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from action_msgs.msg import GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from control_msgs.action import FollowJointTrajectory as Action
from control_msgs.msg import JointTolerance
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.node import Node
from rclpy.qos import QoSProfile, qos_profile_action_status_default
from rclpy.task import Future as RosFuture
from trajectory_msgs.msg import JointTrajectory
from unique_identifier_msgs.msg import UUID

from ....core.arrays import Array
from ....core.errors import InputError, printable, shortened
from ....core.motion.trajectory import Motion
from ....core.safety.tube.tracking_tube import TrackingTube
from ....files.drivers.driver_facts import GoalTolerances
from ...common.conversions import decoded, duration_message
from ...common.joint_trajectory_message import message_of_points
from ...common.polled_subscription import PolledSubscription
from ..snapshot import ControllerReport, Found
from ..stop_reason import Reason
from .back_end import BackEnd, OtherPublishers

ANSWER = 0.5  # [s] of listening within which the controller must answer a goal, or a cancelling
LOOK = 0.1  # [s] that one look adds to it at most: in what is more this process did not listen
NOTHING_STATED = GoalTolerances()
LEAST = 1e-9  # [rad or m] a tolerance of 0 would mean: whatever the controller has
WAITING = 100  # messages that may wait to be looked at
RESULT = Action.Result
CODES = {getattr(RESULT, name): name for name in (
    "SUCCESSFUL", "INVALID_GOAL", "INVALID_JOINTS", "OLD_HEADER_TIMESTAMP",
    "PATH_TOLERANCE_VIOLATED", "GOAL_TOLERANCE_VIOLATED")}  # fmt: skip
LEFT = (RESULT.PATH_TOLERANCE_VIOLATED, RESULT.GOAL_TOLERANCE_VIOLATED)
CANCELED = GoalStatus.STATUS_CANCELED
IN_ORDER = (GoalStatus.STATUS_UNKNOWN, GoalStatus.STATUS_SUCCEEDED)
UNDER_WAY = (GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING)


@dataclass(frozen=True)
class _Goal:
    """A goal, and what became of it."""

    sent: float  # when, in time of listening [s]
    accepted: bool | None = None  # None: not answered yet
    status: int = GoalStatus.STATUS_UNKNOWN
    code: int = RESULT.SUCCESSFUL
    text: str = ""
    cancelled: bool = False  # by this node, as the controller has answered

    @property
    def is_open(self) -> bool:
        """Whether the arm may move by it yet."""
        over = self.cancelled or self.status != GoalStatus.STATUS_UNKNOWN
        return self.accepted is not False and not over


@dataclass(frozen=True)
class _Use:
    """Whether the arm was taken, and whether it is to be held: cancelling, since when [s]."""

    taken: bool = False
    held: bool = False
    cancelling: float | None = None  # its answer is waited for


class FollowJointTrajectory(BackEnd):
    """Sends goals of control_msgs/FollowJointTrajectory."""

    def __init__(
        self,
        node: Node,
        action: str,
        topic: str,
        joints: Sequence[str],
        settling: float,
        stated: GoalTolerances = NOTHING_STATED,
    ) -> None:
        """Listen to who else moves the arm, by goals or through the controller's topic.

        Args:
            node: The node.
            action: The controller's action.
            topic: The controller's topic; this back end sends nothing on it.
            joints: Names of the joints, in the order of the points' columns.
            settling: Time that the arm may take to rest after a motion [s]; the controller gives up
                after half of it, and so is heard.
            stated: Tolerances of the robot file, which hold where they are tighter than the
                certificate's.
        """
        self._joints, self._stated = tuple(joints), stated
        self._patience = min(0.5 * settling, stated.time or settling)
        self._node, self._client = node, ActionClient(node, Action, action)
        cancel, status = (f"{action}/_action/{part}" for part in ("cancel_goal", "status"))
        # A request of its own: it cancels every goal, also one that is not answered yet.
        self._canceller = node.create_client(CancelGoal, cancel)
        self._states = PolledSubscription(
            node, GoalStatusArray, status, qos_profile_action_status_default
        )
        self._trajectories = PolledSubscription(node, JointTrajectory, topic, QoSProfile(depth=10))
        self.other_publishers = OtherPublishers(node, (self._trajectories.topic,), ())
        self.target = node.resolve_service_name(cancel).removesuffix("/_action/cancel_goal")
        self._strangers: set[bytes] = set()  # goals of others that are under way
        self._sent: deque[bytes] = deque(maxlen=WAITING)  # names of own goals
        self._goals: dict[bytes, _Goal] = {}  # since the arm was taken, the newest one last
        self._use = _Use()
        self._listened = 0.0, time.monotonic()  # for how long, and until when [s]

    def take(self) -> None:
        """Note that goals will be sent."""
        self._use = _Use(taken=True)
        self._goals.clear()

    @property
    def is_taken(self) -> bool:
        """Whether a goal, and its cancelling, would be answered."""
        return self._use.taken and self._is_there

    @property
    def _is_there(self) -> bool:
        return bool(self._client.server_is_ready() and self._canceller.service_is_ready())

    def release(self) -> None:
        """Note that no more goals will be sent."""
        self._use = _Use()

    def absence(self) -> str:
        """Say that nobody takes goals; empty if somebody does."""
        if self._client.server_is_ready():
            return ""
        self._strangers.clear()  # whoever followed them is gone
        return (
            f"Nobody answers the action {self.target}: load and activate the arm's trajectory "
            "controller, or correct command.trajectory_topic, beside which it lies, or remap that."
        )

    def look(self) -> ControllerReport:
        """Return what the controller says, and what others have commanded since the last look."""
        foreign, others = self._look_at_trajectories(), self.other_publishers.look()
        if self._look_at_goals():
            foreign = f"A goal on {self.target} was not sent by this node"
        if self._strangers:
            others = (
                f"The arm is in use: {self.target} has a goal under way that was not sent by this "
                "node; only one node may command it at a time"
            )
        if not self._use.taken:
            return ControllerReport(foreign=foreign, others=others)
        return ControllerReport(self._fault(), foreign, others, self._unanswered())

    def _look_at_trajectories(self) -> str:
        """Say that somebody has sent a trajectory on the controller's topic; empty if nobody has.

        This node sends none there.
        """
        came = [data for data, _ in self._trajectories.take_all(WAITING)]
        return f"A trajectory on {self._trajectories.topic} was not sent by this node" * bool(came)

    def _look_at_goals(self) -> bool:
        """Take in which goals are under way; return whether any was that is not an own one."""
        found = False
        for data, _ in self._states.take_all(WAITING):
            message = decoded(data, GoalStatusArray)
            states = () if message is None else message.status_list
            under_way = {bytes(x.goal_info.goal_id.uuid) for x in states if x.status in UNDER_WAY}
            self._strangers = under_way - set(self._sent)
            found |= bool(self._strangers)
        return found

    def hold(self) -> None:
        """Cancel every goal: the controller then holds the arm where it is."""
        self._check_taken()
        at = self._listened[0]
        self._use = _Use(taken=True, held=True, cancelling=at)
        answer = self._canceller.call_async(CancelGoal.Request())  # no name: all of them
        answer.add_done_callback(lambda done: self._on_cancelled(at, done.result()))

    def _on_cancelled(self, at: float, answer: CancelGoal.Response) -> None:
        """Note which goals a cancelling has ended."""
        if self._use.cancelling == at:
            self._use = replace(self._use, cancelling=None)
        for info in answer.goals_canceling:
            self._note(bytes(info.goal_id.uuid), cancelled=True)

    def _note(self, name: bytes, **changes: Any) -> None:
        """Note what has become of a goal, if it is one of this motion."""
        if name in self._goals:
            self._goals[name] = replace(self._goals[name], **changes)

    def send(self, points: Motion, start_ns: int, tube: TrackingTube) -> None:
        """Send a goal, whose tolerances of all joints are the tube, or tighter ones."""
        self._check_taken()
        name = uuid.uuid4().bytes
        goal = Action.Goal(
            trajectory=message_of_points(points, self._joints, start_ns),
            # Velocities that a driver measures are noisy: the path's tolerance is of positions.
            path_tolerance=self._tolerances(_tighter(tube.position, self._stated.path)),
            goal_tolerance=self._tolerances(
                _tighter(tube.position, self._stated.end), tube.velocity
            ),
            goal_time_tolerance=duration_message(self._patience),
        )
        self._sent.append(name)
        self._use, self._goals[name] = _Use(taken=True), _Goal(self._listened[0])
        answer = self._client.send_goal_async(goal, goal_uuid=UUID(uuid=list(name)))
        answer.add_done_callback(lambda done: self._on_answer(name, done.result()))

    def _check_taken(self) -> None:
        if not self._use.taken:
            raise InputError("The arm was not taken: nothing can be sent to it.")

    def _tolerances(self, position: Array, velocity: Array | None = None) -> list[JointTolerance]:
        """Return tolerances of every joint; where there is none of velocities, 0."""
        return [
            JointTolerance(
                name=name,
                position=max(float(position[j]), LEAST),
                velocity=0.0 if velocity is None else max(float(velocity[j]), LEAST),
            )
            for j, name in enumerate(self._joints)
        ]

    def _on_answer(self, name: bytes, handle: ClientGoalHandle) -> None:
        """Note whether a goal was accepted, and wait for its end."""
        self._note(name, accepted=handle.accepted)
        if not handle.accepted:
            return
        handle.get_result_async().add_done_callback(lambda done: self._on_result(name, done))
        if self._use.held:  # it came when all goals before it had been cancelled
            self.hold()

    def _on_result(self, name: bytes, answer: RosFuture) -> None:
        """Note how a goal ended."""
        found = answer.result()
        words = " ".join(found.result.error_string.split())
        text = printable(shortened(words)).rstrip(".")
        self._note(name, status=found.status, code=found.result.error_code, text=text)

    @property
    def _newest(self) -> _Goal:
        """The newest goal; one that says nothing where there is none."""
        return next(reversed(self._goals.values()), _Goal(0.0, accepted=True, cancelled=True))

    def _fault(self) -> Found | None:
        """Return what the controller says against the newest goal; those before it do not count."""
        goal, use, (before, looked) = self._newest, self._use, self._listened
        now = before + min(time.monotonic() - looked, LOOK)
        self._listened = now, time.monotonic()
        if use.cancelling is not None and now - use.cancelling > ANSWER:
            return self._silent("a cancelling, by which the arm was to be held,")
        if goal.accepted is None:
            return self._silent("a goal") if now - goal.sent > ANSWER else None
        if not goal.accepted:
            return self._rejected()
        ours = goal.cancelled or use.cancelling is not None
        if goal.status not in IN_ORDER and not (ours and goal.status == CANCELED):
            return self._ended(goal)
        is_gone = goal.is_open and not use.held and not self._is_there
        what = f"The controller that answered {self.target} is gone"
        return (Reason.CONTROLLER_FAULT, what) if is_gone else None

    def _unanswered(self) -> str:
        """Say that a goal may be accepted yet, or that its cancelling was not answered."""
        if not self._is_there:
            return ""
        if self._newest.accepted is None:
            return f"{self.target} has not answered a goal yet: the arm may set off by it"
        # A controller that is deactivated takes a cancelling up, and never ends its goal.
        going = self._use.cancelling is not None or any(x.is_open for x in self._goals.values())
        if self._use.held and going:
            return f"{self.target} has not ended every goal: the arm may go on by one, or set off"
        return ""

    def _silent(self, what: str) -> Found:
        """Say that there was no answer."""
        return Reason.CONTROLLER_FAULT, (f"{self.target} did not answer {what} within {ANSWER:g} s")

    def _rejected(self) -> Found:
        """Say that a goal was rejected, for which the action has no reason."""
        what = f"The controller rejected a goal of {self.target}; its log says why"
        if any(goal.accepted for goal in self._goals.values()):
            return Reason.CONTROLLER_FAULT, f"{what}. The arm was on its way by an earlier one"
        return Reason.NOT_STARTED, (
            f"{what} (it is not active, has other joints, or its clock is another one)"
        )

    def _ended(self, goal: _Goal) -> Found:
        """Judge how a goal ended that nothing of this node has replaced."""
        if goal.status == CANCELED:
            return Reason.FOREIGN_COMMAND, f"Somebody else cancelled the goal of {self.target}"
        code = CODES.get(goal.code, f"error code {goal.code}")
        words = goal.text or "no words"
        said = f"The controller gave up the goal of {self.target}: {words} ({code})"
        if goal.code in LEFT:
            return Reason.TUBE_LEFT, said
        if goal.code == RESULT.INVALID_GOAL and "preempt" in goal.text:
            return Reason.FOREIGN_COMMAND, said
        if goal.code == RESULT.INVALID_GOAL and "deactivat" in goal.text:
            return Reason.CONTROLLER_INACTIVE, said
        return Reason.CONTROLLER_FAULT, said


def _tighter(tube: Array, stated: Array | None) -> Array:
    """Return the tighter tolerance of each joint, shape (n,)."""
    return tube if stated is None else np.minimum(tube, stated)
