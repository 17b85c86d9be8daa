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
from dataclasses import dataclass

import numpy as np
from action_msgs.msg import GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from control_msgs.action import FollowJointTrajectory as Action
from control_msgs.msg import JointTolerance
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.node import Node
from rclpy.qos import qos_profile_action_status_default
from rclpy.task import Future as RosFuture
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
from .back_end import BackEnd
from .foreign_trajectories import ForeignTrajectories

ANSWER = 0.5  # [s] of listening within which the controller must answer a goal, or a cancelling
END = 0.2  # [s] of listening within which the end of a goal is heard
LOOK = 0.1  # [s] that one look adds to it at most: in what is more this process did not listen
NOTHING_STATED = GoalTolerances()
LEAST = 1e-9  # [rad or m] a tolerance of 0 would mean: whatever the controller has
WAITING = 100  # states of goals that may wait to be looked at
SENT = 64  # own goals that may still be in progress
RESULT = Action.Result
CODES = {getattr(RESULT, name): name for name in (
    "SUCCESSFUL", "INVALID_GOAL", "INVALID_JOINTS", "OLD_HEADER_TIMESTAMP",
    "PATH_TOLERANCE_VIOLATED", "GOAL_TOLERANCE_VIOLATED")}  # fmt: skip
LEFT = (RESULT.PATH_TOLERANCE_VIOLATED, RESULT.GOAL_TOLERANCE_VIOLATED)
UNDER_WAY = (GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING)


@dataclass
class _Goal:
    """A goal, and what became of it."""

    sent: float  # when, in time of listening [s]
    accepted: bool | None = None  # None: not answered yet
    status: int = GoalStatus.STATUS_UNKNOWN
    code: int = RESULT.SUCCESSFUL
    text: str = ""
    name: bytes = b""
    taken_up: int = 0  # which of the goals that were accepted; 0: none yet
    is_to_end: bool = False  # its cancelling was asked for here, ...
    was_cancelled: bool = False  # ... and taken up

    @property
    def is_open(self) -> bool:
        """Whether the arm may move by it yet."""
        return self.accepted is not False and self.status == GoalStatus.STATUS_UNKNOWN


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
        self._topic = ForeignTrajectories(node, topic)
        self._client = ActionClient(node, Action, action)
        cancel, status = (f"{action}/_action/{part}" for part in ("cancel_goal", "status"))
        # A request of its own: it cancels every goal, also one that is not answered yet.
        self._canceller = node.create_client(CancelGoal, cancel)
        self._states = PolledSubscription(
            node, GoalStatusArray, status, qos_profile_action_status_default
        )
        self.target = node.resolve_service_name(cancel).removesuffix("/_action/cancel_goal")
        self._sent: deque[bytes] = deque(maxlen=SENT)
        self._strangers: set[bytes] = set()  # goals of others that are under way
        self._taken, self._follows, self._holding = False, False, False
        self._listened, self._looked = 0.0, time.monotonic()  # for how long, and until when [s]
        self._goal: _Goal | None = None  # the newest one
        self._goals: list[_Goal] = []  # that may be open yet
        self._taken_up = 0  # how many goals were accepted
        self._cancelled: float | None = None  # when that was asked for; None: it was answered
        self._cancels = 0  # how many were asked for
        self._rejected_at: float | None = None  # from when on a cancelling counts as rejected

    def take(self) -> None:
        """Note that goals will be sent."""
        if not self._taken:
            self._taken, self._goal, self._cancelled = True, None, None
            self._goals = []
            self._follows = self._holding = False

    @property
    def is_taken(self) -> bool:
        """Whether a goal, and its cancelling, would be answered."""
        return self._taken and self._is_there

    @property
    def _is_there(self) -> bool:
        return bool(self._client.server_is_ready() and self._canceller.service_is_ready())

    def release(self) -> None:
        """Note that no more goals will be sent."""
        self._taken, self._goal = False, None

    def absence(self) -> str:
        """Say that nobody takes goals; empty if somebody does."""
        if self._client.server_is_ready():
            return ""
        self._look_at_goals()
        self._strangers.clear()  # whoever followed them is gone
        return (
            f"Nobody answers the action {self.target}: load and activate the arm's trajectory "
            "controller, or set the parameter trajectory_action."
        )

    def is_unnamed(self) -> bool:
        """Whether somebody publishes trajectories whose name is not known yet."""
        return self._topic.is_unnamed()

    def look(self, with_others: bool) -> ControllerReport:
        """Return what the controller says, and what others have commanded since the last look."""
        goal = f"A goal on {self.target} was not sent by this node" if self._look_at_goals() else ""
        foreign = self._topic.heard()
        return ControllerReport(
            fault=self._fault(),
            foreign=goal or foreign,
            others=self._others() if with_others else "",
            unanswered=self._unanswered(),
        )

    def _others(self) -> str:
        """Say who else moves the arm; empty if nobody does."""
        if self._strangers:
            return (
                f"The arm is in use: {self.target} has a goal under way that was not sent by this "
                "node; only one node may command it at a time"
            )
        return self._topic.others()

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
        self._holding = True
        self._cancel()

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
        self._holding, self._cancelled, self._rejected_at = False, None, None
        self._goal = following = _Goal(self._listened, name=name)
        self._goals = [*(one for one in self._goals if one.is_open), following]
        answer = self._client.send_goal_async(goal, goal_uuid=UUID(uuid=list(name)))
        answer.add_done_callback(lambda done: self._on_answer(following, done))

    def _check_taken(self) -> None:
        if not self._taken:
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

    def _cancel(self) -> None:
        """Ask for every goal to be cancelled."""
        self._cancelled, self._cancels = self._listened, self._cancels + 1
        number = self._cancels
        answer = self._canceller.call_async(CancelGoal.Request())  # no name: all of them
        asked = [one for one in self._goals if one.is_open]
        for one in asked:
            one.is_to_end = True

        def on_answer(done: RosFuture) -> None:
            answered: CancelGoal.Response = done.result()
            named = {bytes(x.goal_id.uuid) for x in answered.goals_canceling}
            for one in asked:
                one.was_cancelled |= one.name in named
            if self._cancels == number:
                self._cancelled = None
                known = any(one.is_open and one.accepted and not one.was_cancelled for one in asked)
                rejected = answered.return_code == CancelGoal.Response.ERROR_REJECTED
                # Some servers say nothing where they go on: then the goal's end may be on its way.
                wait = 0.0 if rejected else END
                self._rejected_at = self._listened + wait if rejected or known else None

        answer.add_done_callback(on_answer)

    def _on_answer(self, goal: _Goal, answer: RosFuture) -> None:
        """Note whether a goal was accepted, and wait for its end."""
        handle: ClientGoalHandle = answer.result()
        goal.accepted = handle.accepted
        if not handle.accepted:
            return
        self._follows, self._taken_up = True, self._taken_up + 1
        goal.taken_up = self._taken_up
        handle.get_result_async().add_done_callback(lambda done: self._on_result(goal, done))
        if self._holding:  # it came when all goals before it had been cancelled
            self._cancel()

    def _on_result(self, goal: _Goal, answer: RosFuture) -> None:
        """Note how a goal ended."""
        found = answer.result()
        goal.code = found.result.error_code
        words = " ".join(found.result.error_string.split())
        goal.text = printable(shortened(words)).rstrip(".")
        goal.status = found.status

    def _fault(self) -> Found | None:
        """Return what the controller says against the newest goal; those before it do not count."""
        goal, now = self._goal, self._listen()
        if not self._taken:
            return None
        if self._holding:
            if goal is not None and goal.accepted is None and now - goal.sent > ANSWER:
                return self._silent("a goal")
            if self._cancelled is None:
                return self._ended_before(goal) or self._goes_on(goal, now)
            if now - self._cancelled <= ANSWER:
                return None
            return self._silent("a cancelling, by which the arm was to be held,")
        if goal is None:
            return None
        if goal.accepted is None:
            return self._silent("a goal") if now - goal.sent > ANSWER else None
        if not goal.accepted:
            return self._rejected()
        if goal.status != GoalStatus.STATUS_UNKNOWN:
            return self._ended(goal)
        if not self._is_there:
            return Reason.CONTROLLER_FAULT, f"The controller that answered {self.target} is gone"
        return None

    def _listen(self) -> float:
        """Return how long answers were listened to [s]; to be called more often than `LOOK`."""
        now = time.monotonic()
        self._listened += min(now - self._looked, LOOK)
        self._looked = now
        return self._listened

    def _unanswered(self) -> str:
        """Say that a goal may be accepted yet, or that its cancelling was not answered."""
        if not self._taken or not self._is_there:
            return ""
        if self._goal is not None and self._goal.accepted is None:
            return f"{self.target} has not answered a goal yet: the arm may set off by it"
        if self._holding and self._cancelled is not None:
            return f"{self.target} has not answered the cancelling yet: the arm may go on"
        # A controller that is deactivated takes a cancelling up, and never ends its goal.
        if any(one.is_to_end and one.is_open and not one.was_cancelled for one in self._goals):
            return (
                f"{self.target} has not ended a goal whose cancelling it did not take up: the arm "
                "may go on by it, or set off"
            )
        return ""

    def _ended_before(self, goal: _Goal | None) -> Found | None:
        """Say how a goal ended that was over before it was cancelled here."""
        if goal is None or goal.was_cancelled or goal.status == GoalStatus.STATUS_UNKNOWN:
            return None
        return self._ended(goal)

    def _goes_on(self, goal: _Goal | None, now: float) -> Found | None:
        """Say that a cancelling was rejected, by which the arm was to be held."""
        over = goal is None or goal.status != GoalStatus.STATUS_UNKNOWN
        if over or self._rejected_at is None or now < self._rejected_at:
            return None
        return Reason.CONTROLLER_FAULT, (
            f"{self.target} rejected a cancelling, by which the arm was to be held"
        )

    def _silent(self, what: str) -> Found:
        """Say that there was no answer."""
        return Reason.CONTROLLER_FAULT, (f"{self.target} did not answer {what} within {ANSWER:g} s")

    def _rejected(self) -> Found:
        """Say that a goal was rejected, for which the action has no reason."""
        what = f"The controller rejected a goal of {self.target}; its log says why"
        if self._follows:
            return Reason.CONTROLLER_FAULT, f"{what}. The arm was on its way by an earlier one"
        return Reason.NOT_STARTED, (
            f"{what} (it is not active, has other joints, or its clock is another one)"
        )

    def _ended(self, goal: _Goal) -> Found | None:
        """Judge how a goal ended that nothing of this node has replaced."""
        if goal.status == GoalStatus.STATUS_SUCCEEDED and goal.code == RESULT.SUCCESSFUL:
            return None
        if goal.status == GoalStatus.STATUS_CANCELED:
            return Reason.FOREIGN_COMMAND, f"Somebody else cancelled the goal of {self.target}"
        code = CODES.get(goal.code, f"error code {goal.code}")
        if goal.code == RESULT.SUCCESSFUL:
            code = "without an error code"
        said = (
            f"The controller gave up the goal of {self.target}: {goal.text or 'no words'} ({code})"
        )
        if goal.code in LEFT:
            return Reason.TUBE_LEFT, said
        if goal.code == RESULT.INVALID_GOAL and "preempt" in goal.text:
            if any(one.taken_up > goal.taken_up for one in self._goals):
                return Reason.CONTROLLER_FAULT, f"{said}, for an earlier one of this node"
            return Reason.FOREIGN_COMMAND, said
        if goal.code == RESULT.INVALID_GOAL and "deactivat" in goal.text:
            return Reason.CONTROLLER_INACTIVE, said
        return Reason.CONTROLLER_FAULT, said


def _tighter(tube: Array, stated: Array | None) -> Array:
    """Return the tighter tolerance of each joint, shape (n,)."""
    return tube if stated is None else np.minimum(tube, stated)
