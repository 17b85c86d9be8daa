"""`~/follow`: certified motions, proved anew and followed under watch, each to its end.

Every cycle makes a snapshot, has `execution.machine` judge it, and carries out what that commands.
A motion in progress may be continued by another goal, whose motion is proved from the state in
which it takes over: then the goal before has ended, and the newest one tells how all of it ends.
"""

from __future__ import annotations

import time

from payload_id_msgs.action import Follow
from payload_id_msgs.srv import Acknowledge
from rclpy.action import CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.task import Future as RosFuture
from std_srvs.srv import Trigger

from ...core.errors import InputError, printable, shortened
from ...core.samples.stamps import NANOSECONDS
from ..common.conversions import time_message
from ..common.goal_end import end_goal
from ..execution.back_ends.back_end import BackEnd
from ..execution.commanded_motion import CommandedMotion, Part
from ..execution.machine import Command, State, asked_for, met_meanwhile, step, with_motion
from ..execution.monitors import BEFORE, Phase
from ..execution.payload_intervals import check_payload
from ..execution.snapshot import Found, NotProved
from ..execution.start_check import NotReadyError
from ..execution.stop_reason import Reason, reason_message, sentence
from .context import BridgeContext
from .motion_proofs import proved
from .sources import Sources
from .state_publisher import StatePublisher


class FollowServer:
    """Answers `~/follow`, `~/stop` and `~/acknowledge`; runs the machine.

    Attributes:
        state: What is done with the arm.
    """

    def __init__(
        self,
        context: BridgeContext,
        back_end: BackEnd,
        sources: Sources,
        publisher: StatePublisher,
    ) -> None:
        """Move nothing yet.

        Args:
            context: What all parts share.
            back_end: Moves the arm.
            sources: What is heard of it.
            publisher: Tells others what goes on.
        """
        self._context, self._back_end = context, back_end
        self._sources, self._publisher = sources, publisher
        self.state = State()
        self._asked: Found | None = None  # that somebody wants the motion ended
        self._proof: Part | NotProved | None = None  # of the motion that is proved
        # The newest goal, which tells how the motion ends, and what its end is awaited by.
        self._goal: tuple[ServerGoalHandle, RosFuture] | None = None

    @property
    def in_use(self) -> str:
        """That something is done with the arm, as a sentence; empty if nothing is."""
        phase = self.state.phase
        said = f"The arm is in use: {phase.value}. Wait, or call ~/stop."
        return "" if phase is Phase.IDLE else said

    async def on_follow(self, handle: ServerGoalHandle) -> Follow.Result:
        """Follow a motion."""
        who = printable(shortened(handle.request.requested_by)) or "somebody"
        name = printable(shortened(handle.request.motion_id))
        self._context.node.get_logger().info(f"Asked to move by {who}: {name}.")
        try:
            if handle.request.continues:
                ended = await self._continue(handle)
            else:
                ended = self._from_rest(handle)
        except InputError as error:
            handle.abort()
            return self._result(Reason.REFUSED, str(error))
        state: State | None = await ended
        if state is None:
            handle.succeed()
            return self._result(Reason.CONTINUED, "", self.state)
        reason, detail = state.ended
        end_goal(handle, reason.as_asked)
        self._publisher.publish(self.state)
        return self._result(reason, detail, state)

    def _from_rest(self, handle: ServerGoalHandle) -> RosFuture:
        """Begin with a motion from rest; return what holds the state in which it ends.

        Raises:
            InputError: The arm is in use, or nothing may move.
        """
        self._context.check_usable()
        if self.in_use:
            raise NotReadyError(self.in_use)
        ended = self._take_goal(handle)
        self._asked = self._proof = None
        self.state = asked_for(time.monotonic())
        if handle.is_cancel_requested:
            self._asked = Reason.CANCELLED, "The goal was cancelled"
        self._context.node.executor.create_task(self._prove(handle))
        return ended

    async def _prove(self, handle: ServerGoalHandle) -> None:
        """Prove the motion of a goal; of no use where the goal is called off meanwhile."""
        found = await proved(self._context, handle.request)
        if self._goal is not None and self._goal[0] is handle:
            self._proof = found

    async def _continue(self, handle: ServerGoalHandle) -> RosFuture:
        """Have a motion take over from the one in progress; as `_from_rest`.

        Raises:
            InputError: It is not proved, or cannot take over.
        """
        self._check_continues(handle.request)
        found = await proved(self._context, handle.request)
        if isinstance(found, NotProved):
            raise InputError(found.sentence)
        if handle.is_cancel_requested:
            raise NotReadyError("The goal was cancelled before it took over.")
        motion = self._check_continues(handle.request)
        self._extend(motion, found, handle.request.after)
        if self._goal is not None:
            self._goal[1].set_result(None)
        ended = self._take_goal(handle)
        self.on_feedback_due()
        return ended

    def _take_goal(self, handle: ServerGoalHandle) -> RosFuture:
        """Let a goal tell how the motion ends."""
        self._goal = handle, RosFuture()
        return self._goal[1]

    def on_cycle(self) -> None:
        """Look, judge, and do what follows."""
        before, asked, self._asked = self.state, self._asked, None
        proof, self._proof = self._proof, None
        now = self._sources.look(before.phase, before.motion, asked, proof)
        self.state, command = step(before, now, self._sources.arm)
        if command is not None:
            self._carry_out(command)
        if self.state.phase is Phase.IDLE and before.phase is not Phase.IDLE:
            self._conclude(before)
        if self.state.phase is not before.phase:
            self._publisher.publish(self.state)

    def _carry_out(self, command: Command) -> None:
        """Do what the machine commands, by the time that it is now: this process may have slept."""
        motion = self.state.motion
        if motion is None:  # it was refused before it was proved
            return
        if command is Command.ASK:
            self._sources.manager.ask()
        elif command is Command.TAKE:
            self._take()
        elif command is Command.SEND:
            self._begin(motion)
        elif command is Command.STOP:
            self._stop(motion)
        elif command is Command.HOLD:
            self._back_end.hold()
        elif command in (Command.RELEASE, Command.REFUSE):
            self._back_end.release()

    def _take(self) -> None:
        """Take the arm, once it is noted on the disk that it is going to move."""
        try:
            self._context.begin_motion()
        except NotReadyError as error:
            self._asked = Reason.REFUSED, str(error)
            return
        self._back_end.take()

    def _stop(self, motion: CommandedMotion) -> None:
        """Command the next certified stop, if one comes before the end."""
        now_ns = self._context.arm.states.now_ns
        motion = motion.stopped(motion.time(now_ns), self._sources.arm.reaction)
        self.state = with_motion(self.state, motion)
        if motion.stop_ns is not None:
            self._back_end.leave_at(motion.stop_ns)
            self._command(motion, now_ns)

    def _begin(self, motion: CommandedMotion) -> None:
        """Command a motion that begins shortly."""
        context, arm = self._context, self._context.arm
        delay, states = context.settings.start_delay, arm.states
        motion = motion.beginning(states.now_ns, delay, states.q, arm.continuous)
        self.state = with_motion(self.state, motion)
        self._command(motion, motion.start_ns)

    def _command(self, motion: CommandedMotion, now_ns: int) -> None:
        """Send what is to be followed from now on."""
        points = motion.points(motion.time(now_ns), self._context.settings.point_rate)
        self._back_end.send(points, motion.start_ns, motion.tube)

    def _conclude(self, before: State) -> None:
        """Note how a motion ended, and wake who waits for it."""
        context, state, motion = self._context, self.state, self.state.motion
        reason, detail = state.ended
        if before.phase in BEFORE:
            context.end_motion()
        elif motion is not None:
            is_known = not (state.held or reason.has_arm_held) and state.at_rest
            context.holding = motion.end if is_known else None
            if state.fault is not None:
                fault = state.fault
                context.latch(f"{fault.reason.name}: {sentence(fault.reason, fault.message)}")
            else:
                context.end_motion()
            log, text = context.node.get_logger(), f"{reason.name}: {sentence(reason, detail)}"
            if reason.as_asked:
                log.info(text)
            else:
                log.warning(text)
        goal, self._goal = self._goal, None
        if goal is not None:
            goal[1].set_result(state)

    def _check_continues(self, asked: Follow.Goal) -> CommandedMotion:
        """Return the motion in progress, if a goal may continue it.

        Raises:
            NotReadyError: It is another one, or ends.
        """
        state, motion = self.state, self.state.motion
        if not state.moves or motion is None or motion.newest.name != asked.continues:
            named = printable(shortened(asked.continues))
            raise NotReadyError(f"No motion is in progress whose newest part is '{named}'.")
        if self._asked or state.phase not in (Phase.STARTING, Phase.FOLLOWING):
            raise NotReadyError("The motion in progress is being ended: nothing continues it.")
        return motion

    def _extend(self, motion: CommandedMotion, part: Part, after: float) -> None:
        """Have a proved motion take over at a time on the newest part [s].

        Raises:
            InputError: It does not go on from there, or the obstacles are other ones now.
        """
        context, proof = self._context, part.proved
        if part.obstacles != context.obstacles.digest:
            raise NotReadyError("The obstacles have changed since this plan was made. Plan again.")
        check_payload(context.estimator.estimate, proof.payload_lower, proof.payload_upper)
        now_ns = context.arm.states.now_ns
        taken_up = motion.time(now_ns) + context.settings.reaction
        motion = motion.continued(part, after, taken_up)
        begins_ns = motion.start_ns + round(NANOSECONDS * motion.newest.begins)
        self._back_end.get_ready_for_more(proof.box, proof.torque_limit, begins_ns)
        self.state = with_motion(self.state, motion)
        self._command(motion, now_ns)

    def stop(self, reason: Reason, detail: str) -> bool:
        """Have what is in progress end; return whether anything is."""
        if self.state.phase is Phase.IDLE:
            return False
        self._asked = self._asked or (reason, detail)
        return True

    def on_stop(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Stop whatever moves."""
        prepares = self.state.phase in BEFORE
        response.success = self.stop(Reason.CANCELLED, "STOP was asked for (~/stop)")
        response.message = "Nothing moves."
        if response.success:
            response.message = (
                "The motion will not begin." if prepares else "The arm comes to rest."
            )
        return response

    def on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        """Accept any cancelling; a moving arm is stopped."""
        if self._goal is not None and handle.goal_id == self._goal[0].goal_id:
            self.stop(Reason.CANCELLED, "The goal was cancelled")
        return CancelResponse.ACCEPT

    def on_acknowledge(
        self, request: Acknowledge.Request, response: Acknowledge.Response
    ) -> Acknowledge.Response:
        """Let the arm move again after a fault."""
        context = self._context
        if not context.fault:
            response.message = "There is no fault to acknowledge."
        elif not request.reason.strip():
            response.message = f"Say what was found and done. The fault is: {context.fault}"
        else:
            response.success = True
            reason = printable(request.reason.strip())
            response.message = f"Acknowledged ({reason}): {context.fault}"
            context.unlatch()
        context.node.get_logger().warning(response.message)
        self._publisher.publish(self.state)
        return response

    def _result(self, reason: Reason, detail: str, state: State | None = None) -> Follow.Result:
        """Return the result of a motion."""
        result = Follow.Result(success=reason in (Reason.COMPLETED, Reason.CONTINUED))
        result.at_rest = self._context.arm.is_seen_at_rest(self._context.settings.silence)
        result.message = sentence(reason, detail)
        result.reason = reason_message(reason, result.message)
        if state is not None and (state.begun or state.fault is not None):
            result.at_rest = state.at_rest
        if state is not None:
            result.message += met_meanwhile(state)
            result.begun, result.largest_tube_use = state.begun, state.largest_use
        result.state = self._publisher.message(self.state)
        return result

    def on_feedback_due(self) -> None:
        """Tell the newest goal how far it is, and everybody what has changed."""
        self._publisher.publish(self.state)
        state, motion = self.state, self.state.motion
        if self._goal is None or not self._goal[0].is_active:
            return
        told = Follow.Feedback(phase=state.phase.value, tube_use=state.use)
        if state.moves and motion is not None:
            begins = motion.newest.begins
            now = motion.time(self._context.arm.states.now_ns)
            told.start = time_message(motion.start_ns + round(NANOSECONDS * begins))
            told.time, told.remaining = now - begins, max(0.0, motion.commanded.duration - now)
        self._goal[0].publish_feedback(told)
