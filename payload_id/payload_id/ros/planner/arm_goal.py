"""Goals of `~/execute` and `~/identify`: one has the arm, from its acceptance to its end."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

from rclpy.action import CancelResponse
from rclpy.action.server import ServerGoalHandle

from ...core.errors import printable, shortened
from ...core.safety.certificate.certified_motion import CertifiedMotion
from ...planning.request import Documents, Planned
from ..common.awaited_answers import until
from ..execution.start_check import CalledOffError, NotReadyError
from ..execution.stop_reason import Reason, sentence
from .bridge_client import Ended, Following
from .context import PlannerContext

PAUSED = Ended(Reason.PAUSED, sentence(Reason.PAUSED), at_rest=True)


class ArmGoal:
    """A goal, the motions that the bridge follows for it, and who wants them to end.

    Attributes:
        handle: The goal.
        what: It does, as a clause.
        who: Asks for it.
        called_off: Why nothing more shall move; None: it may.
        is_paused: Whether nothing begins until somebody resumes.
    """

    def __init__(self, context: PlannerContext, handle: ServerGoalHandle, what: str) -> None:
        """Follow nothing yet.

        Args:
            context: What all parts share.
            handle: The goal.
            what: It does, as a clause.
        """
        self._context, self.handle, self.what = context, handle, what
        self.who = printable(shortened(handle.request.requested_by)) or "somebody"
        self.called_off: tuple[Reason, str] | None = None
        self._followed: list[Following] = []  # what the bridge has not ended yet, the newest last
        self.is_paused = False

    @property
    def following(self) -> Following | None:
        """The motion in progress, or that is about to begin; None: nothing moves."""
        commanded = [x for x in self._followed if x.is_commanded]
        return next(reversed(commanded), next(iter(self._followed), None))

    @property
    def unwanted(self) -> str:
        """Why nothing more shall begin, as a clause; empty: it may."""
        if self.called_off is not None:
            return self.called_off[1] or self.called_off[0].value.rstrip(".")
        return "The goal was cancelled" if self.handle.is_cancel_requested else ""

    def check_wanted(self) -> None:
        """Raise if nothing more shall begin.

        Raises:
            CalledOffError: It shall not.
        """
        if why := self.unwanted:
            raise CalledOffError(f"{why} before the motion began.")

    def call_off(self, reason: Reason, detail: str) -> None:
        """Have what moves end by its certified stop, and nothing more begin."""
        self.called_off = self.called_off or (reason, detail.rstrip("."))
        self._end_motions(*self.called_off)
        self.is_paused = False

    def pause(self) -> None:
        """Have what moves end by its certified stop, and nothing more begin until `resume`."""
        self.is_paused = True
        self._end_motions(Reason.PAUSED, "")

    def resume(self, limits: str) -> None:
        """Go on.

        Args:
            limits: Name of the set of joint limits that the arm must be within.

        Raises:
            InputError: Nothing waits for it, or the arm could not set off.
        """
        if not self.is_paused:
            raise NotReadyError("Nothing rests in a pause.")
        self._context.standing(limits)
        self.is_paused = False

    async def resumed(self) -> None:
        """Wait until a pause is over, or all of it called off."""
        await until(self._context.node, lambda: not self.is_paused or bool(self.unwanted), math.inf)

    def _end_motions(self, reason: Reason, detail: str) -> None:
        """Have the bridge end what it follows."""
        for following in self._followed:
            following.end(reason, detail)

    async def follow(self, plan: Planned) -> Ended:
        """Have a plan followed; return how its motion has ended.

        Raises:
            InputError: Its certificate does not hold here and now, or it was called off.
        """
        await self._context.heard()
        self.check_wanted()
        self._context.check_plan(plan)
        if self.is_paused:
            return PAUSED
        return await self.end_of(self.hand_over(plan.name, plan.motion, plan.documents))

    def hand_over(
        self,
        name: str,
        motion: CertifiedMotion,
        documents: Documents,
        continues: str = "",
        after: float = 0.0,
    ) -> Following:
        """Have the bridge follow a motion, as `BridgeClient.follow`."""
        bridge, context = self._context.bridge, self._context
        following = bridge.follow(name, motion, documents, self.who, continues, after)
        context.ended = None
        self._followed.append(following)
        following.result.add_done_callback(lambda _: self._drop(following))
        return following

    def _drop(self, following: Following) -> None:
        """Forget a motion that the bridge has ended; say why it would not have it."""
        self._followed.remove(following)
        if following.ended is not None and following.ended.reason is Reason.REFUSED:
            text = f"{following.name}: {following.ended.message}"
            self._context.node.get_logger().warning(text)

    async def end_of(self, following: Following) -> Ended:
        """Return how a motion has ended, once it has."""
        ended: Ended = await following.result
        self._context.ended = ended
        text, log = f"{ended.reason.name}: {ended.message}", self._context.node.get_logger()
        if ended.reason.as_asked or ended.reason is Reason.PAUSED:
            log.info(text)
        else:
            log.warning(text)
        return ended


class ArmLease:
    """Lets one goal have the arm; answers `~/stop`, `~/pause` and `~/resume`.

    Attributes:
        goal: That has it; None: it is free.
    """

    def __init__(self, context: PlannerContext) -> None:
        """Note what all parts share."""
        self._context = context
        self.goal: ArmGoal | None = None

    @contextmanager
    def taken(self, handle: ServerGoalHandle, what: str) -> Iterator[ArmGoal]:
        """Let a goal have the arm for a while; `what` it does, as a clause.

        Raises:
            NotReadyError: Another goal has it, or nothing may be planned.
        """
        self._context.check_free()
        goal = ArmGoal(self._context, handle, what)
        self._context.node.get_logger().info(f"{what.capitalize()}, asked for by {goal.who}.")
        self.goal, self._context.in_use = goal, what
        try:
            yield goal
        finally:
            self.goal, self._context.in_use = None, ""

    def stop(self, reason: Reason, detail: str) -> bool:
        """Have the certified stop commanded; return whether anything moves or would."""
        if self.goal is not None:
            self.goal.call_off(reason, detail)
        return self.goal is not None

    def on_stop(self) -> str:
        """Stop whatever moves, and have nothing more begin; return a sentence.

        Raises:
            NotReadyError: Nothing moves or would.
        """
        following = None if self.goal is None else self.goal.following
        moves = following is not None and following.is_commanded
        if not self.stop(Reason.CANCELLED, "STOP was asked for (~/stop)"):
            raise NotReadyError("Nothing moves.")
        return "The arm comes to rest." if moves else "What is prepared will not begin."

    def on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        """Accept any cancelling; a moving arm is stopped."""
        if self.goal is not None and handle.goal_id == self.goal.handle.goal_id:
            self.goal.call_off(Reason.CANCELLED, "The goal was cancelled")
        return CancelResponse.ACCEPT

    def on_pause(self) -> str:
        """Stop whatever moves; an identification waits for `~/resume` then. Return a sentence.

        Raises:
            NotReadyError: Nothing moves or would.
        """
        if self.goal is None:
            raise NotReadyError("Nothing moves that could rest on its path and go on.")
        self.goal.pause()
        return (
            "The arm comes to rest on its path; ~/resume of an identification plans on from there, "
            "~/stop ends it."
        )

    def on_resume(self) -> str:
        """Have an identification go on from where the arm rests; return a sentence.

        Raises:
            InputError: Nothing waits for it, or the arm could not set off.
        """
        if self.goal is None:
            raise NotReadyError("Nothing rests in a pause.")
        self.goal.resume(self._context.limits)
        self._context.node.get_logger().info("Resumed.")
        return "It goes on."
