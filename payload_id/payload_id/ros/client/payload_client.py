"""Talking to the nodes of one arm from Python: its estimator, its planner and its bridge."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from payload_id_msgs.action import Execute, Identify, Plan
from payload_id_msgs.msg import ExcitationGoal, Obstacle, PayloadEstimate, PlanDescription
from payload_id_msgs.srv import Acknowledge, BeginRun, GetEstimate, Save, SetObstacles
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.context import Context
from std_srvs.srv import Trigger

from ...core.body.inertial import mass_com_inertia
from ...core.errors import InputError
from ...core.identification.estimate import Estimate
from ...core.identification.headline import HISTORY, Headline
from ...core.safety.clearance.convex_body import ConvexBody
from ..bridge.obstacles.obstacle_messages import obstacle_message
from ..common.conversions import STATUSES
from ..common.timeouts import FOUND, SOLVED
from ..common.topics import EVERY, LATCHED
from ..planner.identifying.stages import NAMES as STAGES
from .node_client import NodeClient, message_of
from .waiting import GoneError, NotAnsweredError, allowed, wait_for

Feedback = Callable[[Any], object]
OF_ESTIMATOR: Mapping[str, Any] = {
    **dict.fromkeys(("start", "stop", "reset", "tare"), Trigger),
    "begin": BeginRun,
    "get_estimate": GetEstimate,
    "save": Save,
}
OF_PLANNER: Mapping[str, Any] = dict.fromkeys(("stop", "pause", "resume"), Trigger)
OF_BRIDGE: Mapping[str, Any] = {"set_obstacles": SetObstacles, "acknowledge": Acknowledge}
ACTIONS: Mapping[str, Any] = {"plan": Plan, "execute": Execute, "identify": Identify}
MOTION_FIELDS = frozenset(ExcitationGoal.get_fields_and_field_types())


def estimate_from(message: PayloadEstimate) -> Estimate:
    """Return a message's estimate.

    Raises:
        InputError: It is none, such as one with a status that does not exist.
    """
    if message.status not in STATUSES:
        raise InputError(
            f"An estimate has the unknown status {message.status}. Build both sides from the same "
            "message definitions, and see that the estimator alone publishes them."
        )
    return Estimate(
        phi=np.array(message.phi, dtype=float),
        lower=np.array(message.lower, dtype=float),
        upper=np.array(message.upper, dtype=float),
        identifiable=np.array(message.identifiable, dtype=bool),
        status=STATUSES[message.status],
        message=message.message,
        estimator=message.estimator,
        intervals=message.intervals,
        samples=message.samples,
        windows=message.windows,
        seconds=message.seconds,
        residual_rms=message.residual_rms,
        condition_number=message.condition_number,
        noise_factor=message.noise_factor,
        cause=message.cause,
        payload_frame=message.header.frame_id,
        headline=_headline(message),
    )


def _headline(message: PayloadEstimate) -> Headline | None:
    """Return mass and centre of mass by the kind of interval that the message names."""
    if not message.kind:
        return None
    phi = message.calibrated_phi if message.kind == HISTORY else message.phi
    mass, com, _ = mass_com_inertia(np.array(phi, dtype=float))
    return Headline(
        message.kind,
        np.append(mass, com),
        np.append(message.mass_lower, message.com_lower),
        np.append(message.mass_upper, message.com_upper),
    )


def each_stage(say: Callable[[str], object]) -> Feedback:
    """Return what takes feedback of `PayloadClient.identify` and says a line about each stage."""
    said = -1

    def on_feedback(feedback: Identify.Feedback) -> None:
        nonlocal said
        if feedback.state != said:
            said = feedback.state
            say(
                f"{feedback.progress:5.0%} {STAGES[said]}; the mass is known to "
                f"± {feedback.half_width[0]:.3f} kg"
            )

    return on_feedback


async def _result_of(
    action: ActionClient, goal: Any, on_feedback: Feedback | None, accepted: list[ClientGoalHandle]
) -> Any:
    """Send a goal; note its handle, and return its result. None: it was not accepted."""
    handle = await action.send_goal_async(
        goal, feedback_callback=None if on_feedback is None else lambda m: on_feedback(m.feedback)
    )
    if not handle.accepted:
        return None
    accepted.append(handle)
    return (await handle.get_result_async()).result


class PayloadClient(NodeClient):
    """Runs of the estimator, motions of the planner, and what the bridge is told.

    A refusal is a `NotAnsweredError` with the node's own sentence. A motion whose result is not
    waited for to its end, because of the timeout or an interrupt from the keyboard, is cancelled,
    and has come to rest before the exception goes on.

    Attributes:
        planner: Name of the planner's node.
        messages: Estimates published since the client began, oldest first.
    """

    def __init__(
        self,
        estimator: str = "payload_estimator",
        planner: str = "payload_planner",
        bridge: str = "payload_bridge",
        context: Context | None = None,
    ) -> None:
        """Create the node; rclpy (or the given context) must be initialised."""
        services = {name: (f"{estimator}/{name}", kind) for name, kind in OF_ESTIMATOR.items()}
        services |= {f"{x}_motion": (f"{planner}/{x}", kind) for x, kind in OF_PLANNER.items()}
        services |= {name: (f"{bridge}/{name}", kind) for name, kind in OF_BRIDGE.items()}
        super().__init__(services, context)
        self.planner = planner
        self._actions: dict[str, ActionClient] = {}
        self.messages: list[PayloadEstimate] = []
        self.node.create_subscription(
            PayloadEstimate, f"{estimator}/payload", self.messages.append, EVERY
        )

    def wait_until_ready(self, timeout: float, planner: bool = False) -> None:
        """Wait for the estimator, or for planner and bridge.

        Raises:
            NotAnsweredError: They did not appear in time.
        """
        of_planner = [f"{name}_motion" for name in OF_PLANNER]
        self.wait_for_services([*of_planner, *OF_BRIDGE] if planner else OF_ESTIMATOR, timeout)
        for name in ACTIONS if planner else ():
            wait_for(self._action(name).server_is_ready, timeout, f"action {name}")

    # The estimator.

    def start(
        self,
        timeout: float = 10.0,
        enough: Sequence[float] = (),
        known_mass: Sequence[float] = (),
    ) -> str:
        """Begin a run.

        Args:
            timeout: For the answer [s].
            enough: What GOOD asks for, see payload_id_msgs/BeginRun; empty: the node's parameter.
            known_mass: And its largest error [kg]; empty: not known.
        """
        given = {"enough": enough, "known_mass": known_mass}
        wanted = {name: [float(x) for x in values] for name, values in given.items()}
        return str(self.ask("begin", timeout, **wanted).message)

    def stop(self, timeout: float = SOLVED) -> str:
        """End the run; the final estimate has been published when this returns.

        Raises:
            NotAnsweredError: No run was in progress, or it has led to no intervals that hold:
                `estimate` then says why.
        """
        return str(self.ask("stop", timeout).message)

    def reset(self, timeout: float = 10.0) -> str:
        """Forget the payload."""
        return str(self.ask("reset", timeout).message)

    def tare(self, timeout: float = SOLVED) -> str:
        """Declare that the run just made had no payload."""
        return str(self.ask("tare", timeout).message)

    def estimate(self, timeout: float = SOLVED) -> Estimate:
        """Return the estimate from all samples so far; its status says what it is worth."""
        return estimate_from(self._answer("get_estimate", timeout).estimate)

    def save(self, folder: str, timeout: float = SOLVED) -> str:
        """Save the run's settings and result in a folder; return the file's absolute path."""
        return str(self.ask("save", timeout, path=folder).path)

    # Planner and bridge.

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
        named = [Obstacle(id=name) for name in names]
        return self.ask(
            "set_obstacles", 10.0, operation=SetObstacles.Request.REMOVE, obstacles=named
        )

    def _obstacles(
        self, operation: int, bodies: Iterable[ConvexBody], frame: str
    ) -> SetObstacles.Response:
        """Change the obstacles."""
        obstacles = [obstacle_message(body, frame) for body in bodies]
        return self.ask("set_obstacles", 10.0, operation=operation, obstacles=obstacles)

    def plan(
        self,
        timeout: float = 180.0,
        on_feedback: Feedback | None = None,
        called_off: threading.Event | None = None,
        **goal: Any,
    ) -> PlanDescription:
        """Plan and certify a motion from where the arm stands; nothing moves.

        Args:
            timeout: Longest time to wait [s].
            on_feedback: Called with feedback of payload_id_msgs/Plan.
            called_off: Once it is set, the planning is ended, and none is begun.
            goal: Fields of payload_id_msgs/ExcitationGoal.
        """
        asked = Plan.Goal(goal=message_of(ExcitationGoal, goal))
        result = self._act("plan", asked, timeout, on_feedback, called_off)
        if not result.success:
            raise NotAnsweredError(f"{self.planner}/plan: {result.message}")
        return result.description

    def described(self, plan_id: str = "") -> PlanDescription:
        """Return the description of the newest plan, which must be the one of that name, if any."""
        found: PlanDescription = self._newest(PlanDescription, "description")
        if plan_id not in ("", found.plan_id):
            raise NotAnsweredError(
                f"The newest plan is {found.plan_id}, not {plan_id}: plan again, or execute it."
            )
        return found

    def execute(
        self,
        plan: PlanDescription,
        timeout: float = 120.0,
        speed_scale: float = 1.0,
        requested_by: str = "",
        on_feedback: Feedback | None = None,
        called_off: threading.Event | None = None,
    ) -> Execute.Result:
        """Execute a plan; return once the arm is at rest, whatever the reason.

        Args:
            plan: What `plan` or `described` returned: what was read is what is executed.
            timeout: Longest time to wait [s].
            speed_scale: The same path at this fraction of its speed, certified as such; 0.1 or less
                is a dry run.
            requested_by: Who asks, for the planner's log.
            on_feedback: Called with each feedback.
            called_off: Once it is set, the motion is cancelled, and none is begun.
        """
        goal = Execute.Goal(plan_id=plan.plan_id, token=plan.token)
        goal.speed_scale, goal.requested_by = speed_scale, requested_by
        return self._act("execute", goal, timeout, on_feedback, called_off)

    def identify(
        self,
        timeout: float = 600.0,
        on_feedback: Feedback | None = None,
        called_off: threading.Event | None = None,
        **fields: Any,
    ) -> Identify.Result:
        """Identify the payload: check, plan, move, solve, validate, save; return at rest.

        Args:
            timeout: Longest time to wait [s].
            on_feedback: Called with each feedback.
            called_off: Once it is set, all of it is cancelled, and nothing is begun.
            fields: Of payload_id_msgs/Identify, and of the ExcitationGoal in it.
        """
        motion = {k: fields.pop(k) for k in list(fields) if k in MOTION_FIELDS}
        goal = message_of(Identify.Goal, fields | {"goal": message_of(ExcitationGoal, motion)})
        return self._act("identify", goal, timeout, on_feedback, called_off)

    def stop_motion(self) -> str:
        """Have the certified stop commanded, if anything moves; return the planner's sentence."""
        return str(self._answer("stop_motion", 10.0).message)

    def pause_motion(self) -> str:
        """Have the arm come to rest on its path; `identify` waits for `resume_motion` then."""
        return str(self.ask("pause_motion", 10.0).message)

    def resume_motion(self) -> str:
        """Have an identification plan on from where it rests in a pause."""
        return str(self.ask("resume_motion", 60.0).message)

    def acknowledge(self, reason: str) -> str:
        """Let the arm move again after a fault; return the bridge's sentence.

        Args:
            reason: What was found and done.
        """
        return str(self.ask("acknowledge", 10.0, reason=reason).message)

    def _action(self, name: str) -> ActionClient:
        """Return what sends goals."""
        if name not in self._actions:
            full = self.full(name)
            self._actions[name] = allowed(
                lambda: ActionClient(self.node, ACTIONS[name], full), f"goals of {full}"
            )
        return self._actions[name]

    def _act(
        self,
        name: str,
        goal: Any,
        timeout: float,
        on_feedback: Feedback | None,
        called_off: threading.Event | None,
    ) -> Any:
        """Send a goal and return its result; where nobody waits for it any more, cancel it.

        The executor's own thread sends: rclpy may miss what is answered before it has noted what
        was asked (rclpy, issue 1123).
        """
        action, off, full = self._action(name), called_off or threading.Event(), self.full(name)
        there = action.server_is_ready
        wait_for(lambda: there() or off.is_set(), min(timeout, FOUND), f"action {full}")
        if off.is_set():
            raise NotAnsweredError(f"{full} was called off before it was asked for.")
        accepted: list[ClientGoalHandle] = []
        asked = self._executor.create_task(_result_of(action, goal, on_feedback, accepted))

        def cancel() -> None:
            """Bring what moves to rest; return once it has ended."""
            known = f"the acceptance of {full}"
            wait_for(lambda: bool(accepted) or asked.done(), SOLVED, known, there)
            if accepted:
                self._executor.create_task(accepted[0].cancel_goal_async)
            wait_for(asked.done, SOLVED, f"the end of {full}", there)

        try:
            what = f"the result of {full}"
            wait_for(lambda: asked.done() or off.is_set(), timeout, what, there)
            if not asked.done():
                cancel()
        except GoneError:
            raise  # a motion was sent up to its end at rest: nobody is left to be asked
        except BaseException:  # nobody waits any more
            cancel()
            raise
        if asked.result() is None:
            raise NotAnsweredError(f"{full}: the node is not active.")
        return asked.result()

    def full(self, name: str) -> str:
        """Return the full name of a topic or an action of the planner's."""
        return f"{self.planner}/{name}"

    def _newest(self, kind: Any, name: str) -> Any:
        """Return the newest message of a latched topic of the planner.

        Raises:
            NotAnsweredError: There is none.
        """
        heard: list[Any] = []
        topic = self.full(name)
        subscription = allowed(
            lambda: self.node.create_subscription(kind, topic, heard.append, LATCHED), topic
        )
        try:
            wait_for(lambda: bool(heard), FOUND, f"{topic}, which comes with a plan")
        finally:
            self.node.destroy_subscription(subscription)
        return heard[-1]
