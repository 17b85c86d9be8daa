"""Moving the arm: proved motions, followed under watch, each to its end or to a stop with a reason.

Every cycle makes a snapshot, has `execution.machine` judge it, and carries out what that commands.
A motion in progress may be continued by another one that was proved from the state in which it
takes over. A pause ends a motion by a certified stop on its path; whoever asked for the motion
knows where it rests, and may have the rest of it proved and followed.
"""

from __future__ import annotations

import time

import numpy as np
from payload_id_msgs.action import Move
from payload_id_msgs.srv import Acknowledge, ExtendMotion
from rclpy.action import CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.task import Future as RosFuture
from std_srvs.srv import Trigger

from ...core.errors import InputError, printable, shortened
from ...core.motion.trajectory import Motion
from ...core.safety.tube.tube_watch import position_error
from ...core.samples.stamps import NANOSECONDS
from ..common.conversions import time_message
from ..common.goal_end import end_goal
from ..execution.back_ends.back_end import BackEnd
from ..execution.commanded_motion import CommandedMotion
from ..execution.machine import Command, State, asked_for, met_meanwhile, step, with_motion
from ..execution.monitors import BEFORE, Phase
from ..execution.payload_intervals import check_payload
from ..execution.snapshot import Found
from ..execution.standstill import AT_REST
from ..execution.start_check import NotReadyError
from ..execution.stop_reason import Reason, reason_message, sentence
from ..execution.turn_count import Send, in_turns_of
from .context import BridgeContext
from .prepared_motions import PreparedMotions
from .sources import Sources
from .state_publisher import StatePublisher

STEEPEST = 1.875  # speed on a way to a motion's start, in parts of its length over its time
SLOWLY = 0.5 * AT_REST  # [rad/s or m/s] at which an arm on that way may be held at once


class MoveServer:
    """Answers `~/move`, `~/extend`, `~/stop`, `~/pause` and `~/acknowledge`; runs the machine.

    Attributes:
        state: What is done with the arm.
    """

    def __init__(
        self,
        context: BridgeContext,
        motions: PreparedMotions,
        back_end: BackEnd,
        sources: Sources,
        publisher: StatePublisher,
    ) -> None:
        """Move nothing yet.

        Args:
            context: What all parts share.
            motions: Those that may be followed.
            back_end: Moves the arm.
            sources: What is heard of it.
            publisher: Tells others what goes on.
        """
        self._context, self._motions, self._back_end = context, motions, back_end
        self._sources, self._publisher = sources, publisher
        self.state = State()
        self._asked: Found | None = None  # that somebody wants the motion ended
        self._ended: RosFuture | None = None
        self._goal: ServerGoalHandle | None = None
        self._send: Send = self._send_as_planned

    async def on_move(self, handle: ServerGoalHandle) -> Move.Result:
        """Follow a motion."""
        asked = handle.request
        try:
            part = self._motions.named(asked.motion_id)
            self._context.check_usable()
            if self.state.phase is not Phase.IDLE:
                raise NotReadyError(
                    f"The arm is in use: {self.state.phase.value}. Wait, or call ~/stop."
                )
        except InputError as error:
            handle.abort()
            return self._result(Reason.REFUSED, str(error))
        who = printable(shortened(asked.requested_by)) or "somebody"
        self._context.node.get_logger().info(f"Asked to move by {who}: {part.name}.")
        early = (Reason.CANCELLED, "The goal was cancelled") if handle.is_cancel_requested else None
        ended = RosFuture()
        self._asked, self._goal, self._ended = early, handle, ended
        self._sources.manager.ask()
        now_ns = self._context.arm.states.now_ns
        self.state = asked_for(CommandedMotion.of(part), time.monotonic(), now_ns)
        state: State = await ended
        reason, detail = state.ended
        self._goal = None if self._goal is handle else self._goal
        end_goal(handle, reason.as_asked)
        self._publisher.publish(self.state)
        return self._result(reason, detail, state)

    def on_cycle(self) -> None:
        """Look, judge, and do what follows."""
        before, asked, self._asked = self.state, self._asked, None
        now = self._sources.look(before.phase, before.motion, asked)
        self.state, command = step(before, now, self._sources.arm)
        if command is not None:
            self._carry_out(command)
        if self.state.phase is Phase.IDLE and before.phase is not Phase.IDLE:
            self._conclude(before)
        self._publisher.look(self.state)

    def _carry_out(self, command: Command) -> None:
        """Do what the machine commands, by the time that it is now: this process may have slept."""
        motion = self.state.motion
        if motion is None:
            return
        if command is Command.TAKE:
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
        off = np.abs(position_error(motion.start, arm.states.q, arm.continuous)).max()
        steep = STEEPEST * off > SLOWLY * context.settings.start_delay
        comes = bool(self._back_end.goes_to_start and steep)
        motion = motion.beginning(arm.states.now_ns, context.settings.start_delay, comes)
        self.state = with_motion(self.state, motion)
        self._send = in_turns_of(self._send_as_planned, motion.start, arm.states.q, arm.continuous)
        self._command(motion, motion.start_ns)

    def _command(self, motion: CommandedMotion, now_ns: int) -> None:
        """Send what is to be followed from now on."""
        points = motion.points(motion.time(now_ns), self._context.settings.point_rate)
        self._send(points, motion.start_ns)

    def _send_as_planned(self, points: Motion, start_ns: int) -> None:
        """Send points in the turns in which they were planned."""
        if self.state.motion is not None:
            self._back_end.send(points, start_ns, self.state.motion.tube)

    def _conclude(self, before: State) -> None:
        """Note how a motion ended, and wake who waits for it."""
        context, state, motion = self._context, self.state, self.state.motion
        reason, detail = state.ended
        if before.phase in BEFORE:
            context.end_motion()
        elif motion is not None:
            is_known = not (state.held or reason.is_fault) and state.at_rest
            context.holding = motion.end if is_known else None
            if state.fault is not None:
                fault = state.fault
                context.latch(f"{fault.reason.name}: {sentence(fault.reason, fault.message)}")
            else:
                context.end_motion()
            log, text = context.node.get_logger(), f"{reason.name}: {sentence(reason, detail)}"
            if reason.as_asked or reason is Reason.PAUSED:
                log.info(text)
            else:
                log.warning(text)
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(state)

    def on_extend(
        self, request: ExtendMotion.Request, response: ExtendMotion.Response
    ) -> ExtendMotion.Response:
        """Continue the motion in progress with another one."""
        try:
            self._extend(request)
        except InputError as error:
            response.message = str(error)
            return response
        response.success, response.message = True, "It takes over in time."
        return response

    def _extend(self, request: ExtendMotion.Request) -> None:
        """Continue the motion in progress.

        Raises:
            InputError: It is another one, or over, or this one does not go on from there.
        """
        state, motion, context = self.state, self.state.motion, self._context
        if not state.moves or motion is None or motion.newest.name != request.follows:
            named = printable(shortened(request.follows))
            raise NotReadyError(f"No motion is in progress whose newest part is '{named}'.")
        if self._asked or state.phase not in (Phase.STARTING, Phase.FOLLOWING):
            raise NotReadyError("The motion in progress is being ended: nothing continues it.")
        part = self._motions.named(request.motion_id)
        proved = part.proved
        check_payload(context.estimate, proved.payload_lower, proved.payload_upper)
        now_ns = context.arm.states.now_ns
        taken_up = motion.time(now_ns) + context.settings.reaction
        motion = motion.continued(part, request.after, taken_up)
        begins_ns = motion.start_ns + round(NANOSECONDS * motion.newest.begins)
        self._back_end.get_ready_for_more(proved.box, proved.torque_limit, begins_ns)
        self.state = with_motion(state, motion)
        self._command(motion, now_ns)

    def stop(self, reason: Reason, detail: str) -> bool:
        """Have what is in progress end; return whether anything is."""
        if self.state.phase is Phase.IDLE:
            return False
        if self._asked is None or self._asked[0] is Reason.PAUSED:
            self._asked = reason, detail
        return True

    def on_stop(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Stop whatever moves."""
        prepares = self.state.phase in BEFORE
        response.success = self.stop(Reason.CANCELLED, "The service ~/stop was called")
        response.message = "Nothing moves."
        if response.success:
            response.message = (
                "What is prepared will not begin." if prepares else "The arm comes to rest."
            )
        return response

    def on_pause(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Have the arm rest on its path, by a certified stop, as the end of its motion."""
        state, reaction = self.state, self._context.settings.reaction
        motion, waits = state.motion, state.phase is Phase.STARTING
        if motion is not None and state.phase is Phase.FOLLOWING:
            now = motion.time(self._context.arm.states.now_ns)
            waits = motion.stopped(now, reaction).stop is not None
        response.success = waits and self.stop(Reason.PAUSED, "The service ~/pause was called")
        response.message = (
            "The arm comes to rest on its path."
            if response.success
            else "Nothing moves that could rest on its path and go on."
        )
        return response

    def on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        """Accept any cancelling; a moving arm is stopped."""
        if self._goal is not None and handle.goal_id == self._goal.goal_id:
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

    def _result(self, reason: Reason, detail: str, state: State | None = None) -> Move.Result:
        """Return the result of a motion."""
        result = Move.Result(success=reason is Reason.COMPLETED)
        result.at_rest = self._context.arm.is_seen_at_rest(self._context.settings.silence)
        result.message, result.reason = sentence(reason, detail), reason_message(reason, detail)
        if state is not None and (state.begun or state.fault is not None):
            result.at_rest = state.at_rest
        if state is not None:
            result.message += met_meanwhile(state)
            result.begun, result.resting_place = state.begun, state.resting_place
            result.largest_tube_use = state.largest_use
        result.state = self._publisher.message(self.state)
        return result

    def on_feedback_due(self) -> None:
        """Tell the goal in progress how far it is."""
        handle, state, motion = self._goal, self.state, self.state.motion
        if handle is None or not state.moves or motion is None or not handle.is_active:
            return
        now = motion.time(self._context.arm.states.now_ns)
        handle.publish_feedback(
            Move.Feedback(
                start=time_message(motion.start_ns),
                phase=state.phase.value,
                time=now,
                remaining=max(0.0, motion.commanded.duration - now),
                tube_use=state.use,
            )
        )
