"""The planner's line to the bridge: what it says of itself, and motions handed to it.

Nothing here waits: what the bridge answers is taken in when it comes, and a motion of which
nothing is heard any more is given up after a while.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from payload_id_msgs.action import Move
from payload_id_msgs.msg import BridgeState, StopReason
from payload_id_msgs.srv import ExtendMotion, GetBridgeState, PrepareMotion
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.node import Node
from rclpy.task import Future as RosFuture
from std_srvs.srv import Trigger

from ...core.arrays import Array
from ...core.errors import PayloadIdError, in_words
from ...core.safety.certificate.certified_motion import CertifiedMotion
from ...core.safety.clearance.convex_body import ConvexBody
from ...files.configuration.json_file import parsed_json
from ...planning.request import Documents
from ..common.awaited_answers import until
from ..common.conversions import stamp_of
from ..common.topics import LATCHED
from ..execution.monitors import Phase
from ..execution.stop_reason import Reason, sentence

SILENT = 3.0  # [s] without feedback after which a motion is given up
PROVING = 60.0  # [s] that the bridge may take to prove a motion and take the arm
ANSWERED = 3.0  # [s] within which the bridge says what holds now
SAID_AGAIN = 5.0  # [s] after which a state that cannot be read is told again
OWN_CANCEL = "The goal was cancelled"  # as the bridge says it of the planner's own cancelling
UNBEGUN = -0.3  # [s] on a motion of which nothing is heard yet


@dataclass
class FollowedMotion:
    """A motion that was handed to the bridge, as far as the bridge has told.

    Attributes:
        name: By which the bridge knows its newest part.
        motion: What is followed; receding horizons replace it.
        phase: What the arm is doing.
        reason: Why it has ended; None before that.
        sentence: That reason in the present case.
        begun: Whether anything may have moved; told at the end.
        at_rest: Whether the arm was seen to stand still after it.
        resting_place: Time on the motion at whose pose a pause has ended [s].
        tube_use: Largest tracking error of now as a part of the tube [-].
        largest_tube_use: Largest of all [-].
        remaining: Time to its end [s].
        not_continued: Why the newest part did not take over; empty: it did, or will.
        continuing: Whether the bridge has not said yet that the newest part takes over.
    """

    name: str
    motion: CertifiedMotion
    phase: Phase = Phase.STARTING
    reason: Reason | None = None
    sentence: str = ""
    begun: bool = True
    at_rest: bool = False
    resting_place: float = 0.0
    tube_use: float = 0.0
    largest_tube_use: float = 0.0
    remaining: float = 0.0
    not_continued: str = ""
    continuing: bool = False
    _ends: Array | None = None
    _start_ns: int | None = None
    _heard: float = field(default_factory=time.monotonic)  # when [s]
    _patience: float = PROVING
    _goal: ClientGoalHandle | None = None
    _called_off: bool = False
    _why: tuple[Reason, str] | None = None  # somebody wants it stopped
    _handed_over: bool = False  # whether the bridge was asked to follow it

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return self.reason is not None

    @property
    def stopping(self) -> bool:
        """Whether it ends before its end, or has ended."""
        ends = self.phase in (Phase.STOPPING, Phase.HOLDING)
        return self._called_off or self.done or ends

    @property
    def called_off(self) -> bool:
        """Whether somebody wants it stopped."""
        return self._called_off

    def time(self, now_ns: int) -> float:
        """Return the time on the motion [s]; negative before it begins."""
        return UNBEGUN if self._start_ns is None else 1e-9 * (now_ns - self._start_ns)

    def end_positions(self) -> Array:
        """Return where the arm is held, shape (n,) [rad or m]."""
        if self._ends is not None:
            return self._ends
        trajectory = self.motion.trajectory
        return trajectory.at(np.array([trajectory.duration])).q[0]

    def stop(self, reason: Reason, detail: str) -> None:
        """Have it end by the next certified stop, or not begin; the first reason counts."""
        self._why = self._why or (reason, detail.rstrip("."))
        self._called_off = True
        if self._goal is not None and not self.done:
            self._goal.cancel_goal_async()

    def hold_back(self) -> bool:
        """End it for a pause unless the bridge was asked to follow it; return whether it ended."""
        if self._handed_over or self.done:
            return False
        self.begun, self.at_rest = False, True
        self.end(Reason.PAUSED, sentence(Reason.PAUSED))
        return True

    def hand_over(self) -> None:
        """Note that the bridge is asked to follow it."""
        self._handed_over = True

    def take_goal(self, goal: ClientGoalHandle) -> None:
        """Note that the bridge has taken it."""
        self._goal = goal
        self._heard = time.monotonic()
        if self._called_off:
            goal.cancel_goal_async()

    def take_feedback(self, feedback: Move.Feedback) -> None:
        """Note how far it is."""
        if self.done:
            return
        self._heard = time.monotonic()
        self._patience = SILENT
        self._start_ns, self.phase = stamp_of(feedback.start), Phase(feedback.phase)
        self.tube_use, self.remaining = feedback.tube_use, feedback.remaining
        self.largest_tube_use = max(self.largest_tube_use, feedback.tube_use)

    def take_result(self, result: Move.Result) -> None:
        """Note how it ended."""
        if self.done:
            return
        if len(result.state.holding):
            self._ends = np.array(result.state.holding)
        self.begun, self.at_rest = result.begun, result.at_rest
        self.resting_place = result.resting_place
        self.largest_tube_use = max(self.largest_tube_use, result.largest_tube_use)
        reason, said = _reason_of(result.reason.code), result.message
        if reason is Reason.CANCELLED and self._why is not None:  # the bridge knows no more
            reason, detail = self._why
            said = said.replace(OWN_CANCEL, detail).replace(Reason.CANCELLED.value, reason.value)
        self.end(reason, said)

    def end(self, reason: Reason, said: str) -> None:
        """Note that it has ended; a part of which nothing was said until now did not take over."""
        self.reason, self.sentence = reason, said
        if self.continuing:
            self.do_not_continue("The motion ended before the bridge let it take over.")

    def do_not_continue(self, why: str) -> None:
        """Note that the newest part does not take over."""
        self.continuing, self.not_continued = False, why

    def look(self, absent: bool = False) -> None:
        """Give it up if nothing was heard of it for too long.

        Args:
            absent: Whether there is no bridge any more, of which nothing is to be waited for.
        """
        silence = time.monotonic() - self._heard
        if not self.done and silence > (SILENT if absent else self._patience):
            self.at_rest = False
            found = f"Nothing was heard of the bridge for {silence:.1f} s"
            self.end(Reason.BRIDGE_LOST, sentence(Reason.BRIDGE_LOST, found))


async def nothing() -> str:
    """Say that nothing speaks against it."""
    return ""


class BridgeLink:
    """Hears a bridge and hands it motions.

    Attributes:
        name: Of its node.
        state: What it said last; None before the first.
        hindrance: Says why a motion that was proved shall not begin after all; empty: it shall.
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
        self._bodies: tuple[ConvexBody, ...] = ()
        node.create_subscription(BridgeState, f"{name}/state", self._take, LATCHED)
        self._prepare = node.create_client(PrepareMotion, f"{name}/prepare")
        self._extend = node.create_client(ExtendMotion, f"{name}/extend")
        self._get = node.create_client(GetBridgeState, f"{name}/get_bridge_state")
        self._pause = node.create_client(Trigger, f"{name}/pause")
        self._move = ActionClient(node, Move, f"{name}/move")
        self._proofs: dict[str, RosFuture] = {}
        self.hindrance: Callable[[], Awaitable[str]] = nothing
        self._seeking = False

    @property
    def absence(self) -> str:
        """Say that there is no bridge, and what to do; empty if there is one."""
        if self.state is not None and self._prepare.service_is_ready():
            return ""
        place = self._node.resolve_service_name(self.name)
        if self._get.service_is_ready():
            return f"The bridge at {place} does not answer: see whether it runs, or start it anew."
        where, _, node = place.rpartition("/")
        if (node, where or "/") in self._node.get_node_names_and_namespaces():
            return (
                f"The bridge at {place} is not configured: `ros2 lifecycle set {place} configure`, "
                "then `activate`."
            )
        return f"There is no bridge at {place}: start it, or set the parameter bridge."

    def seek(self) -> None:
        """Ask a bridge that is there, but did not answer, once more what holds now."""
        if self.state is None and not self._seeking and self._get.service_is_ready():
            self._seeking = True
            self._spawn(self._sought())

    async def _sought(self) -> None:
        """Ask, and note that the answer has come or will not."""
        try:
            await self.refresh()
        finally:
            self._seeking = False

    async def refresh(self) -> None:
        """Have the bridge say what holds now; after a while without an answer, forget it."""
        if not self._get.service_is_ready():
            return
        found = await self._answer(self._get.call_async(GetBridgeState.Request()))
        if found is None:
            self.state = None
        else:
            self._take(found.state)

    async def _answer(self, asked: RosFuture) -> Any:
        """Return the bridge's answer; None if it takes too long."""
        return asked.result() if await until(self._node, asked.done, ANSWERED) else None

    @property
    def bodies(self) -> tuple[ConvexBody, ...]:
        """Obstacles in force, in the base frame."""
        return () if self.state is None else self._bodies

    @property
    def obstacles(self) -> str:
        """What tells whether the obstacles have changed."""
        return "" if self.state is None else self.state.bodies

    def prepare(self, name: str, documents: Documents) -> None:
        """Have a motion proved, to be followed later."""
        request = PrepareMotion.Request(
            motion_id=name, certificate=documents.motion, stops=list(documents.stops)
        )
        self._proofs = {name: self._prepare.call_async(request)}

    def follow(
        self, name: str, motion: CertifiedMotion, documents: Documents, who: str
    ) -> FollowedMotion:
        """Have a motion proved and followed."""
        self.prepare(name, documents)
        followed = FollowedMotion(name, motion)
        self._spawn(self._followed(followed, self._proofs[name], who))
        return followed

    async def _followed(self, followed: FollowedMotion, proof: RosFuture, who: str) -> None:
        """Hand a motion over once it is proved, and wait for its end."""
        answer = await proof
        if answer.success and not followed.called_off and (said := await self.hindrance()):
            followed.stop(Reason.CANCELLED, said)
        if followed.done:
            return
        if followed.called_off or not answer.success:
            reason = Reason.CANCELLED if followed.called_off else Reason.REFUSED
            followed.begun, followed.at_rest = False, True
            said = "It was called off before it began." if answer.success else answer.message
            followed.end(reason, said)
            return
        goal = Move.Goal(motion_id=followed.name, requested_by=who)
        followed.hand_over()
        handle = await self._move.send_goal_async(
            goal, feedback_callback=lambda message: followed.take_feedback(message.feedback)
        )
        followed.take_goal(handle)
        found = await handle.get_result_async()
        self._take(found.result.state)
        followed.take_result(found.result)

    def extend(
        self, followed: FollowedMotion, name: str, motion: CertifiedMotion, after: float
    ) -> None:
        """Have a motion continued by one that was prepared.

        Args:
            followed: The motion in progress.
            name: Of what takes over.
            motion: All of it, from the beginning to the end of what takes over.
            after: Time on the newest part at which it does [s].
        """
        request = ExtendMotion.Request(motion_id=name, follows=followed.name, after=after)
        before = followed.name, followed.motion
        followed.name, followed.motion, followed.continuing = name, motion, True
        self._spawn(self._extended(followed, request, before, self._proofs.get(name)))

    async def _extended(
        self,
        followed: FollowedMotion,
        request: ExtendMotion.Request,
        before: tuple[str, CertifiedMotion],
        proof: RosFuture | None,
    ) -> None:
        """Ask for a continuation once it is proved; undo it where it is refused."""
        answer: Any = None if proof is None else await proof
        if answer is not None and answer.success:
            answer = await self._extend.call_async(request)
        if answer is None or not answer.success:
            followed.name, followed.motion = before
            if followed.continuing:
                said = "It was not prepared." if answer is None else answer.message
                followed.do_not_continue(said)
        followed.continuing = False

    def pause(self) -> RosFuture:
        """Have the arm rest on its path; the answer says whether it will."""
        return self._pause.call_async(Trigger.Request())

    async def will_pause(self) -> bool:
        """Have the arm rest on its path; return whether it will."""
        answer = await self._answer(self.pause())
        return answer is not None and bool(answer.success)

    def _take(self, state: BridgeState) -> None:
        """Take in what the bridge says, unless it is no state of a bridge."""
        try:
            if self.state is None or state.bodies != self.state.bodies:
                self._bodies = tuple(map(ConvexBody.from_dict, parsed_json(state.bodies)))
        except (PayloadIdError, ValueError, TypeError, KeyError, RecursionError) as error:
            self._node.get_logger().error(
                f"A state of the bridge {self.name} is left out: its obstacles cannot be read "
                f"({in_words(error)}). Look who publishes {self.name}/state.",
                throttle_duration_sec=SAID_AGAIN,
            )
            return
        self.state = state
        self._on_state(state)

    def _spawn(self, coroutine: Any) -> None:
        """Carry out a coroutine beside the node's callbacks."""
        self._node.executor.create_task(coroutine)


def _reason_of(code: int) -> Reason:
    """Return the reason of a message's constant."""
    return next(reason for reason in Reason if getattr(StopReason, reason.name) == code)
