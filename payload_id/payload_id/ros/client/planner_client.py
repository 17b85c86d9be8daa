"""Talking to a running planner and its bridge from Python."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from payload_id_msgs.action import Execute, Identify
from payload_id_msgs.action import Plan as PlanAction
from payload_id_msgs.msg import ExcitationGoal, Obstacle, PlanDescription
from payload_id_msgs.srv import Acknowledge, SetObstacles
from rclpy.client import Client
from rclpy.node import Node
from std_srvs.srv import Trigger
from visualization_msgs.msg import MarkerArray

from ...core.safety.clearance.convex_body import ConvexBody
from ..bridge.obstacles.obstacle_messages import obstacle_message
from ..common.topics import LATCHED
from ..planner.identifying.stages import NAMES as STAGES
from .action_client import ActionClient
from .waiting import FOUND, GoneError, NotAnsweredError, allowed, call, wait_for

Tell = Callable[[Any], object]
SAID = 2.0  # [s] in which it is heard what was planned last
ENDING = 60.0  # [s] that a cancelled goal may take to come to rest


def each_piece(say: Callable[[str], object]) -> Tell:
    """Return what takes feedback of `PlannerClient.identify` and says a line about each piece."""
    said = 0

    def tell(feedback: Identify.Feedback) -> None:
        nonlocal said
        if feedback.piece > said:
            said = feedback.piece
            say(
                f"  piece {said}, planned in {feedback.planning_seconds:.1f} s; the mass is known "
                f"to ± {feedback.half_width[0]:.3f} kg"
            )

    return tell


def each_stage(say: Callable[[str], object]) -> Tell:
    """Return what takes feedback of `PlannerClient.identify` and says a line about each stage."""
    said = -1

    def tell(feedback: Identify.Feedback) -> None:
        nonlocal said
        if feedback.state != said:
            said = feedback.state
            say(
                f"{feedback.progress:5.0%} {STAGES[said]}; the mass is known to "
                f"± {feedback.half_width[0]:.3f} kg"
            )

    return tell


SERVICES = {
    "set_obstacles": SetObstacles,
    **dict.fromkeys(("stop", "pause", "resume"), Trigger),
    "acknowledge": Acknowledge,
}
ACTIONS = {"plan": PlanAction, "execute": Execute, "identify": Identify}
MOTIONS = ("execute", "identify")
OF_BRIDGE = ("set_obstacles", "acknowledge")
IDENTIFY_FIELDS = set(Identify.Goal.get_fields_and_field_types()) - {"goal"}


class PlannerClient:
    """Plans, describes, executes; uses a node that spins elsewhere, such as `PayloadClient.node`.

    Every call waits at most its timeout. A refusal is a `NotAnsweredError` with the planner's own
    sentence. A motion whose result is not waited for to its end, because of the timeout or an
    interrupt from the keyboard, is cancelled, and has come to rest before the exception goes on.
    """

    def __init__(
        self, node: Node, planner: str = "payload_planner", bridge: str = "payload_bridge"
    ) -> None:
        """Note whom to talk to; clients are made when needed: not everybody may call everything.

        Args:
            node: A node that an executor in another thread serves.
            planner: Name of the planner's node.
            bridge: Name of the node that moves the arm.
        """
        self._node, self._name, self._bridge = node, planner, bridge
        self._clients: dict[str, Client] = {}
        self._actions: dict[str, ActionClient] = {}

    def wait_until_ready(self, timeout: float) -> None:
        """Wait for all services and actions.

        Raises:
            NotAnsweredError: They did not appear in time.
        """
        for name in SERVICES:
            wait_for(self._client(name).service_is_ready, timeout, f"service {name}")
        for name in ACTIONS:
            wait_for(self._action(name).server_is_ready, timeout, f"action {name}")

    def set_obstacles(self, bodies: Iterable[ConvexBody], frame: str = "") -> str:
        """Have these obstacles and no others; return the bridge's sentence.

        Args:
            bodies: Boxes, spheres, cylinders and hulls, each with its own name.
            frame: Frame of their poses; empty: the robot's base link.
        """
        return str(self._obstacles(SetObstacles.Request.REPLACE, bodies, frame).message)

    def add_obstacles(self, bodies: Iterable[ConvexBody], frame: str = "") -> SetObstacles.Response:
        """Have these obstacles beside the others; none: see which there are. As above."""
        return self._obstacles(SetObstacles.Request.ADD, bodies, frame)

    def remove_obstacles(self, names: Iterable[str]) -> SetObstacles.Response:
        """Take obstacles away."""
        messages = [Obstacle(id=name) for name in names]
        request = SetObstacles.Request(operation=SetObstacles.Request.REMOVE, obstacles=messages)
        return self._call("set_obstacles", request, 10.0)

    def _obstacles(
        self, operation: int, bodies: Iterable[ConvexBody], frame: str
    ) -> SetObstacles.Response:
        """Change the obstacles."""
        messages: list[Obstacle] = [obstacle_message(body, frame) for body in bodies]
        request = SetObstacles.Request(operation=operation, obstacles=messages)
        return self._call("set_obstacles", request, 10.0)

    def plan(
        self,
        timeout: float = 180.0,
        tell: Tell | None = None,
        called_off: threading.Event | None = None,
        **goal: Any,
    ) -> PlanDescription:
        """Plan and certify a motion from where the arm stands; nothing moves.

        Args:
            timeout: Longest time to wait [s].
            tell: Called with feedback of payload_id_msgs/Plan.
            called_off: Once it is set, the planning is ended, and none is begun.
            goal: Fields of payload_id_msgs/ExcitationGoal.
        """
        asked = PlanAction.Goal(goal=ExcitationGoal(**goal))
        result = self._act("plan", asked, timeout, tell, called_off)
        if not result.success:
            raise NotAnsweredError(f"{self._name}/plan: {result.message}")
        return result.description

    def described(self, plan_id: str = "") -> PlanDescription:
        """Return the description of the newest plan, which must be the one of that name, if any."""
        found: PlanDescription = self._newest(PlanDescription, "description")
        if plan_id not in ("", found.plan_id):
            raise NotAnsweredError(
                f"The newest plan is {found.plan_id}, not {plan_id}: plan again, or execute it."
            )
        return found

    def swept_volume(self) -> MarkerArray:
        """Return what arm, tool and payload sweep in the newest plan."""
        return self._newest(MarkerArray, "swept_volume")

    def execute(
        self,
        plan: PlanDescription,
        timeout: float = 120.0,
        speed_scale: float = 1.0,
        requested_by: str = "",
        tell: Tell | None = None,
        called_off: threading.Event | None = None,
    ) -> Execute.Result:
        """Execute a plan; return once the arm is at rest, whatever the reason.

        Args:
            plan: What `plan` or `described` returned: what was read is what is executed.
            timeout: Longest time to wait [s].
            speed_scale: The same path at this fraction of its speed, certified as such; 0.1 or less
                is a dry run.
            requested_by: Who asks, for the planner's log.
            tell: Called with each feedback.
            called_off: Once it is set, the motion is cancelled, and none is begun.
        """
        goal = Execute.Goal(plan_id=plan.plan_id, token=plan.token)
        goal.speed_scale, goal.requested_by = speed_scale, requested_by
        return self._act("execute", goal, timeout, tell, called_off)

    def identify(
        self,
        timeout: float = 600.0,
        tell: Tell | None = None,
        called_off: threading.Event | None = None,
        **fields: Any,
    ) -> Identify.Result:
        """Identify the payload: check, plan, move, solve, validate, save; return at rest.

        Args:
            timeout: Longest time to wait [s].
            tell: Called with each feedback.
            called_off: Once it is set, all of it is cancelled, and nothing is begun.
            fields: Of payload_id_msgs/Identify, and of the ExcitationGoal in it.
        """
        own = {k: fields.pop(k) for k in list(fields) if k in IDENTIFY_FIELDS}
        goal = Identify.Goal(goal=ExcitationGoal(**fields), **own)
        return self._act("identify", goal, timeout, tell, called_off)

    def stop(self) -> str:
        """Have the certified stop commanded, if anything moves; return the planner's sentence."""
        client = self._client("stop")
        wait_for(client.service_is_ready, 10.0, f"service {self._name}/stop")
        future = client.call_async(Trigger.Request())
        wait_for(future.done, 10.0, "an answer of stop")
        return str(future.result().message)

    def pause(self) -> str:
        """Have the arm come to rest on its path; `identify` waits for `resume` then."""
        return str(self._call("pause", Trigger.Request(), 10.0).message)

    def resume(self) -> str:
        """Have an identification plan on from where it rests in a pause."""
        return str(self._call("resume", Trigger.Request(), 60.0).message)

    def acknowledge(self, reason: str) -> str:
        """Let the arm move again after a fault; return the bridge's sentence.

        Args:
            reason: What was found and done.
        """
        return str(self._call("acknowledge", Acknowledge.Request(reason=reason), 10.0).message)

    def _call(self, name: str, request: Any, timeout: float) -> Any:
        """Call a service and return its response."""
        return call(self._client(name), request, timeout)

    def _client(self, name: str) -> Client:
        """Return what calls a service."""
        if name not in self._clients:
            full = f"{self._bridge if name in OF_BRIDGE else self._name}/{name}"
            self._clients[name] = allowed(
                lambda: self._node.create_client(SERVICES[name], full), f"calls of {full}"
            )
        return self._clients[name]

    def _action(self, name: str) -> ActionClient:
        """Return what sends goals; for motions, what stops them is ready, too."""
        if name not in self._actions:
            full = f"{self._name}/{name}"
            self._actions[name] = allowed(
                lambda: ActionClient(self._node, ACTIONS[name], full), f"goals of {full}"
            )
        if name in MOTIONS:
            self._client("stop")
        return self._actions[name]

    def _act(
        self,
        name: str,
        goal: Any,
        timeout: float,
        tell: Tell | None,
        called_off: threading.Event | None,
    ) -> Any:
        """Send a goal and return its result."""
        action, off = self._action(name), called_off or threading.Event()
        there = action.server_is_ready
        wanted = f"action {self._name}/{name}"
        wait_for(lambda: there() or off.is_set(), min(timeout, FOUND), wanted)
        if off.is_set():
            raise NotAnsweredError(f"{self._name}/{name} was called off before it was asked for.")
        sent = action.send_goal_async(
            goal, feedback_callback=None if tell is None else lambda m: tell(m.feedback)
        )
        ended = False
        try:
            accepted = f"the acceptance of {self._name}/{name}"
            wait_for(lambda: sent.done() or off.is_set(), timeout, accepted, there)
            if not sent.done():
                wait_for(sent.done, ENDING, accepted, there)
            if not sent.result().accepted:
                ended = True
                raise NotAnsweredError(f"{self._name}/{name}: the node is not active.")
            future = sent.result().get_result_async()
            result = f"the result of {self._name}/{name}"
            wait_for(lambda: future.done() or off.is_set(), timeout, result, there)
            if not future.done():
                self._cancel(sent, name)
                wait_for(future.done, ENDING, result, there)
            ended = True
        except GoneError:
            ended = True  # a motion was sent up to its end at rest: nobody is left to be asked
            raise
        finally:
            if not ended:  # nobody waits any more: what moves comes to rest
                self._cancel(sent, name)
        return future.result().result

    def _newest(self, kind: Any, name: str) -> Any:
        """Return the newest message of a latched topic of the planner.

        Raises:
            NotAnsweredError: There is none.
        """
        heard: list[Any] = []
        topic = f"{self._name}/{name}"
        subscription = allowed(
            lambda: self._node.create_subscription(kind, topic, heard.append, LATCHED), topic
        )
        try:
            wait_for(lambda: bool(heard), SAID, f"{topic}: is there a planner, and a plan of it?")
        finally:
            self._node.destroy_subscription(subscription)
        return heard[-1]

    def _cancel(self, sent: Any, name: str) -> None:
        """Cancel a goal that was sent; return once it has ended."""
        wait_for(sent.done, ENDING, f"the acceptance of {self._name}/{name}")
        handle = sent.result()
        if not handle.accepted:
            return
        handle.cancel_goal_async()
        wait_for(handle.get_result_async().done, ENDING, f"the end of {self._name}/{name}")
