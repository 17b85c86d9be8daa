"""joint_trajectory_controller's action and topics.

Goals are answered, cancelled and ended as by the real one: bad ones are rejected without a code,
and what ends in a cycle is reported by a timer (`action_monitor_rate`), as is the feedback.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable

from control_msgs.action import FollowJointTrajectory as Action
from control_msgs.msg import JointTrajectoryControllerState
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node
from rclpy.qos import qos_profile_system_default
from trajectory_msgs.msg import JointTrajectory as Message
from trajectory_msgs.msg import JointTrajectoryPoint

from ....core.errors import InputError
from ....core.motion.joint_trajectory import DesiredState, JointTrajectory
from ...access.interfaces import action_beside, state_beside
from ...common.awaited_answers import until
from ...common.conversions import duration_message, time_message
from ...common.steady_timer import steady_timer
from ...common.timeouts import LOOK
from ..controllers.joint_trajectory import (
    End,
    Goal,
    JointTrajectoryController,
    Look,
)
from ..controllers.tolerances import Tolerances

# Reads a message: the trajectory, and the simulated time of its start [s], None: now.
Reader = Callable[[Message], tuple[JointTrajectory, float | None]]


class TrajectoryServer:
    """Lets others move the arm by one controller, whose cycles run in another thread."""

    def __init__(
        self,
        node: Node,
        controller: JointTrajectoryController,
        lock: threading.Lock,
        topic: str,
        read: Reader,
        stamp: Callable[[float], int],
    ) -> None:
        """Offer action and topics.

        Args:
            node: The node.
            controller: The controller.
            lock: Held by whoever touches the controller.
            topic: That of trajectories; the others lie beside it.
            read: Reads a message, or raises InputError.
            stamp: Returns the stamp of a simulated time [ns].
        """
        self._node, self._log = node, node.get_logger()
        self._controller, self._lock = controller, lock
        self._read, self._stamp = read, stamp
        self._checked: tuple[JointTrajectory, float | None]  # of the goal that is accepted next
        self._under_way: dict[bytes, Goal] = {}  # by identity
        node.create_subscription(Message, topic, self._on_message, qos_profile_system_default)
        action = action_beside(topic)
        self._states = node.create_publisher(
            JointTrajectoryControllerState,
            state_beside(topic),
            qos_profile_system_default,
        )
        self._accepted = node.create_publisher(Message, "~/accepted", 10)
        self._server = ActionServer(
            node, Action, action, self._until_it_ends,
            goal_callback=self._on_goal,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel,
        )  # fmt: skip
        steady_timer(node, LOOK, self._on_monitor_due)

    def publish(self, told: Callable[[], DesiredState]) -> None:
        """Publish what the newest cycle showed, and what drives are told, if anybody listens."""
        look = self._controller.look
        if not self._controller.watched or look is None:
            return
        message = JointTrajectoryControllerState(joint_names=self._controller.joints)
        message.header.stamp = time_message(self._stamp(look.cycle.time))
        message.reference, message.feedback, message.error = _points(look)
        message.output.positions = array("d", told().q.tobytes())
        message.speed_scaling_factor = 1.0
        self._states.publish(message)

    def _on_message(self, message: Message) -> None:
        """Check a trajectory, and have it followed."""
        try:
            trajectory, start = self._read(message)
        except InputError as error:
            self._log.error(f"Trajectory rejected: {error}")
            return
        with self._lock:
            active = self._controller.active
            self._controller.replace(trajectory, start)
        if active:
            self._accepted.publish(message)

    def _on_goal(self, goal: Action.Goal) -> GoalResponse:
        """Check a goal."""
        if not self._controller.active:
            self._log.error("Can't accept new action goals. Controller is not running.")
            return GoalResponse.REJECT
        try:
            self._checked = self._read(goal.trajectory)
        except InputError as error:
            self._log.error(f"Goal rejected: {error}")
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    def _on_accepted(self, handle: ServerGoalHandle) -> None:
        """Have a goal followed; the one before it ends now."""
        request, joints = handle.request, self._controller.joints
        allowed = request.goal_time_tolerance
        path, goal = (
            [(x.name, x.position, x.velocity) for x in stated]
            for stated in (request.path_tolerance, request.goal_tolerance)
        )
        try:
            time = allowed.sec + 1e-9 * allowed.nanosec
            tolerances = Tolerances.of_goal(joints, path, goal, time)
        except InputError as error:
            self._log.error(str(error))
            tolerances = Tolerances.of_goal(joints)
        with self._lock:
            begun = self._controller.begin(*self._checked, tolerances)
        self._accepted.publish(request.trajectory)
        self._under_way[_identity(handle)] = begun
        handle.execute()

    async def _until_it_ends(self, handle: ServerGoalHandle) -> Action.Result:
        """Tell how far a goal is, and how it has ended."""
        goal = self._under_way[_identity(handle)]
        while not await until(self._node, lambda: goal.end is not None, LOOK):
            look = self._controller.look
            if look is not None and goal is self._controller.goal:
                feedback = Action.Feedback(joint_names=self._controller.joints)
                feedback.header.stamp = time_message(self._stamp(look.cycle.time))
                feedback.desired, feedback.actual, feedback.error = _points(look)
                handle.publish_feedback(feedback)
        del self._under_way[_identity(handle)]
        end, code, text = goal.end or (End.ABORTED, Action.Result.SUCCESSFUL, "")
        getattr(handle, end.value)()
        self._log.info(f"A goal has ended: {end.name}. {text}")
        return Action.Result(error_code=code, error_string=text)

    def _on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        """Have the arm held, if this is the goal under way."""
        with self._lock:
            if mine := self._under_way.get(_identity(handle)):
                self._controller.cancel(mine)
        self._accepted.publish(Message(joint_names=self._controller.joints))
        return CancelResponse.ACCEPT

    def _on_monitor_due(self) -> None:
        """See whether anybody wants to know each cycle."""
        self._controller.watched = self._states.get_subscription_count() > 0


def _identity(handle: ServerGoalHandle) -> bytes:
    """Return what a goal is told from others by."""
    return bytes(handle.goal_id.uuid)


def _points(look: Look) -> tuple[JointTrajectoryPoint, ...]:
    """Return what is desired, what is, and the error."""
    desired, at = look.desired, duration_message(max(look.place, 0.0))
    rows = ((desired.q, desired.dq, desired.ddq), (look.cycle.q, look.cycle.dq), look.error)
    names = ("positions", "velocities", "accelerations")
    points = []
    for row in rows:
        values = {name: array("d", x.tobytes()) for name, x in zip(names, row, strict=False)}
        points.append(JointTrajectoryPoint(time_from_start=at, **values))
    return tuple(points)
