"""The planner's line to the bridge: what it says of itself, and motions that it follows."""

from __future__ import annotations

import math
import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from payload_id_msgs.action import Follow
from payload_id_msgs.msg import BridgeState, Certificate, StopReason
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.node import Node
from rclpy.task import Future as RosFuture

from ...core.arrays import Array
from ...core.errors import InputError
from ...core.safety.certificate.certified_motion import CertifiedMotion
from ...core.safety.clearance.convex_body import ConvexBody
from ...planning.request import Documents
from ..common.awaited_answers import until
from ..common.conversions import body_of, stamp_of
from ..common.timeouts import LOG, SOLVED
from ..common.topics import LATCHED
from ..execution.stop_reason import Reason, sentence

SILENT = 3.0  # [s] without feedback after which a motion is given up


@dataclass(frozen=True)
class Ended:
    """How a motion has ended.

    Attributes:
        reason: Why.
        message: That in the present case, as a sentence.
        begun: Whether anything may have moved.
        at_rest: Whether the arm was seen to stand still after it; before it, if nothing has moved.
        largest_tube_use: Largest tracking error as a part of the tube [-].
    """

    reason: Reason
    message: str
    begun: bool = False
    at_rest: bool = False
    largest_tube_use: float = 0.0


class Following:
    """A motion that the bridge was asked to follow.

    Attributes:
        name: By which the bridge knows it.
        motion: The motion.
        told: What the bridge said last of it.
        ended: How it has ended; None before that.
        result: Done once it has ended, with that.
    """

    def __init__(self, name: str, motion: CertifiedMotion) -> None:
        """Nothing is known of it yet."""
        self.name, self.motion = name, motion
        self.told = Follow.Feedback(phase="proving")
        self.ended: Ended | None = None
        self.result = RosFuture()
        self._heard, self._patience = time.monotonic(), SOLVED
        self._goal: ClientGoalHandle | None = None
        self._why: tuple[Reason, str] | None = None  # it shall end, or not begin

    @property
    def is_commanded(self) -> bool:
        """Whether the arm's controller has it, so that it begins, or takes over, in time."""
        return stamp_of(self.told.start) != 0

    def time(self, now_ns: int) -> float:
        """Return the time on the motion [s]; -inf before it is commanded."""
        start = stamp_of(self.told.start)
        return 1e-9 * (now_ns - start) if start else -math.inf

    def end(self, reason: Reason, detail: str) -> None:
        """Have it end by the next certified stop, or not begin; the first reason counts."""
        self._why = self._why or (reason, detail)
        if self._goal is not None and self.ended is None:
            self._goal.cancel_goal_async()

    def take_goal(self, goal: ClientGoalHandle) -> None:
        """Note that the bridge proves it."""
        self._goal = goal
        if self._why is not None:
            goal.cancel_goal_async()

    def hear(self, told: Follow.Feedback) -> None:
        """Note how far it is."""
        self._heard, self.told = time.monotonic(), told
        if self.is_commanded:
            self._patience = SILENT

    def is_unheard(self, absent: bool) -> bool:
        """Tell whether nothing was heard for too long; of a bridge that is gone, for a while."""
        silence = time.monotonic() - self._heard
        return silence > (SILENT if absent else self._patience)

    def take_result(self, result: Follow.Result) -> None:
        """Note how it has ended."""
        reason, said = _reason_of(result.reason.code), result.message
        if reason is Reason.CANCELLED and self._why is not None:  # the bridge knows no more
            reason, said = self._why[0], sentence(*self._why)
            if result.state.fault:
                said = f"{said} Meanwhile the bridge has met a fault: {result.state.fault}"
        use = result.largest_tube_use
        self.conclude(Ended(reason, said, result.begun, result.at_rest, use))

    def lose(self) -> None:
        """Note that nothing is heard of it any more; should it be accepted yet, it is cancelled."""
        self._why = self._why or (Reason.BRIDGE_LOST, "")
        found = f"Nothing was heard of the bridge for {time.monotonic() - self._heard:.1f} s"
        self.conclude(Ended(Reason.BRIDGE_LOST, sentence(Reason.BRIDGE_LOST, found), begun=True))

    def conclude(self, ended: Ended) -> None:
        """Note how it has ended, and wake who waits for it."""
        self.ended = ended
        self.result.set_result(ended)


class BridgeClient:
    """Hears a bridge and has it follow motions.

    Attributes:
        name: Of its node.
        state: What it said last; None before the first.
        bodies: Obstacles in force, in the base frame.
    """

    def __init__(self, node: Node, name: str, on_state: Callable[[BridgeState], object]) -> None:
        """Listen.

        Args:
            node: The node, with an executor that serves it.
            name: Of the bridge's node.
            on_state: Called with each state.
        """
        self._node, self.name, self._on_state = node, name, on_state
        self.state: BridgeState | None = None
        self.bodies: tuple[ConvexBody, ...] = ()
        node.create_subscription(BridgeState, f"{name}/state", self._hear, LATCHED)
        self._follow = ActionClient(node, Follow, f"{name}/follow")

    @property
    def absence(self) -> str:
        """Say that there is no bridge, and what to do; empty if there is one."""
        if self.state is not None and self._follow.server_is_ready():
            return ""
        place = self._node.resolve_service_name(self.name)
        where, _, node = place.rpartition("/")
        if (node, where or "/") in self._node.get_node_names_and_namespaces():
            return (
                f"The bridge at {place} has not said how it is: where it is not configured, "
                f"`ros2 lifecycle set {place} configure`, then `activate`; else start it anew."
            )
        return f"There is no bridge at {place}: start it, or set the parameter bridge."

    @property
    def holding(self) -> Array | None:
        """Where the arm's controller holds it, shape (n,) [rad or m]; None: not known."""
        state = self.state
        return np.array(state.holding) if state is not None and len(state.holding) else None

    def follow(
        self,
        name: str,
        motion: CertifiedMotion,
        documents: Documents,
        who: str,
        continues: str = "",
        after: float = 0.0,
    ) -> Following:
        """Have a motion proved and followed.

        Args:
            name: Of the motion.
            motion: The motion.
            documents: Its certificates.
            who: Asks for it.
            continues: Name of the motion in progress of which it takes over; empty: it begins at
                rest.
            after: Time on that one at which it does [s].
        """
        goal = Follow.Goal(
            motion_id=name, motion=_file(documents.motion), stops=_files(documents.stops),
            continues=continues, after=after, requested_by=who,
        )  # fmt: skip
        following = Following(name, motion)
        self._node.executor.create_task(self._until_end(following, goal))
        return following

    async def _until_end(self, following: Following, goal: Follow.Goal) -> None:
        """Send a goal, and note what becomes of it."""
        sent = self._follow.send_goal_async(
            goal, feedback_callback=lambda message: following.hear(message.feedback)
        )
        sent.add_done_callback(lambda sent: following.take_goal(sent.result()))
        if not await self._heard_of(following, sent):
            return
        found = sent.result().get_result_async()
        if await self._heard_of(following, found):
            self._hear(found.result().result.state)
            following.take_result(found.result().result)

    async def _heard_of(self, following: Following, answer: RosFuture) -> bool:
        """Wait for an answer about a motion; where none comes, it is lost, and False returned."""

        def over() -> bool:
            return answer.done() or following.is_unheard(bool(self.absence))

        await until(self._node, over, math.inf)
        if not answer.done():
            following.lose()
        return answer.done()

    def _hear(self, state: BridgeState) -> None:
        """Take in what the bridge says, unless it is no state of a bridge."""
        try:
            if self.state is None or state.bodies != self.state.bodies:
                self.bodies = tuple(map(body_of, state.bodies))
        except InputError as error:
            self._node.get_logger().error(
                f"A state of the bridge {self.name} is left out: its obstacles cannot be read "
                f"({error}). Look who publishes {self.name}/state.",
                throttle_duration_sec=LOG,
            )
            return
        self.state = state
        self._on_state(state)


def _file(text: str) -> Certificate:
    """Return a certificate as a message."""
    return Certificate(file=array("B", text.encode()))


def _files(texts: Sequence[str]) -> list[Certificate]:
    """Return certificates as messages."""
    return [_file(text) for text in texts]


def _reason_of(code: int) -> Reason:
    """Return the reason of a message's constant."""
    return next(reason for reason in Reason if getattr(StopReason, reason.name) == code)
