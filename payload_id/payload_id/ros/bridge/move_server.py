"""Moving the arm: proved motions, followed under watch, each to its end or to a stop with a reason.

A motion in progress may be continued by another one that was proved from the state in which it
takes over. A pause ends a motion by a certified stop on its path; whoever asked for the motion
knows where it rests, and may have the rest of it proved and followed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from payload_id_msgs.action import Move
from payload_id_msgs.msg import PayloadEstimate
from payload_id_msgs.srv import Acknowledge, ExtendMotion
from rclpy.action import CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.task import Future as RosFuture
from std_srvs.srv import Trigger

from ...core.arrays import Array
from ...core.errors import InputError, printable, shortened
from ...core.motion.motion_sequence import MotionSequence
from ...core.motion.trajectory import Motion
from ...core.safety.certificate.certified_motion import CertifiedMotion
from ...core.safety.tube.tube_watch import position_error
from ...core.samples.stamps import NANOSECONDS
from ..common.conversions import time_message
from ..execution.arm_watch import ArmWatch
from ..execution.back_ends.back_end import BackEnd
from ..execution.controller_watch import ControllerWatch
from ..execution.joint_state_listener import ASLEEP
from ..execution.motion_execution import MotionExecution, Phase, Timing
from ..execution.payload_intervals import check_payload, is_usable, is_within
from ..execution.rest_watch import AT_REST
from ..execution.speed_slider import SpeedSlider
from ..execution.start_check import NotReadyError, check_place
from ..execution.stop_reason import Reason, reason_message, sentence
from ..execution.turn_count import difference, in_turns_of
from ..supervision.watches import Watches
from .arm_use import ArmUse
from .context import BridgeContext
from .prepared_motions import Prepared, PreparedMotions, as_sequence
from .promises import Promises
from .state_publisher import StatePublisher

NOBODY = Watches()
STEEPEST = 1.875  # speed on a way to a motion's start, in parts of its length over its time
SLOWLY = 0.5 * AT_REST  # [rad/s or m/s] at which an arm on that way may be held at once
GIVEN_BACK = 1.0  # [s] after a motion, in which who takes the arm back does not move it
CATCHING_UP = 0.5  # [s] after it stood still, in which joint states may be late for that
ANSWER_LOST = 10.0  # [s] in which who asks again to acknowledge is answered as before
NOT_PROMISED = (
    "The estimator's intervals are not within those that the motion was certified for any more"
)


class MoveServer:
    """Answers `~/move`, `~/extend`, `~/stop`, `~/pause` and `~/acknowledge`; watches the arm.

    Attributes:
        use: Takes the arm for this node.
        watches: What driver and controller say of themselves.
        execution: The newest motion; None before the first.
        ended: Why the last one ended; None while one is in progress.
    """

    def __init__(
        self,
        context: BridgeContext,
        motions: PreparedMotions,
        back_end: BackEnd,
        slider: SpeedSlider,
        controller: ControllerWatch,
        state: StatePublisher,
        watches: Watches = NOBODY,
    ) -> None:
        """Note where motion goes.

        Args:
            context: What all parts share.
            motions: Those that may be followed.
            back_end: Moves the arm.
            slider: What may slow it down.
            controller: Whether it would follow.
            state: Tells others what goes on.
            watches: What driver and controller say of themselves.
        """
        self.watches = watches
        self._context, self._motions, self._back_end = context, motions, back_end
        self._slider, self._controller, self._state = slider, controller, state
        self._left: tuple[float, Array, Array] | None = None  # when and where, and how far
        self.use = ArmUse(context, back_end, controller)
        self.execution: MotionExecution | None = None
        self.ended: tuple[Reason, str] | None = None
        self._promises = Promises()
        self._newest: Prepared | None = None  # part of the motion in progress
        self._finished: RosFuture | None = None
        self._goal: ServerGoalHandle | None = None
        self._acknowledged = "", -math.inf  # what was answered last, and when [s]

    @property
    def unwatched(self) -> Sequence[str]:
        """What the robot file names and nobody watches."""
        return self.watches.unwatched()

    @property
    def motion_id(self) -> str:
        """Name of the newest part of the newest motion; empty before the first."""
        return "" if self._newest is None else self._newest.name

    async def on_move(self, handle: ServerGoalHandle) -> Move.Result:
        """Follow a motion."""
        asked = handle.request
        try:
            prepared = self._motions.named(asked.motion_id)
            self._context.check_free()
            self._context.standing(prepared.proved.limits)
            self.use.prepare(handle)
            await self._check_controller()
            self._check_before(prepared)
            await self.use.take()
            self.use.check_wanted()
            prepared = self._motions.named(asked.motion_id)
            self._check_before(prepared)
            self._context.begin_motion()
        except InputError as error:
            why = self.use.give_up(handle, error)
            return self._result(why, str(error), moved=False)
        who = printable(shortened(asked.requested_by)) or "somebody"
        self._context.node.get_logger().info(f"Moving: {prepared.name}, asked for by {who}.")
        self._context.busy, self._goal, self._finished = "a motion runs", handle, RosFuture()
        self._begin(prepared)
        self.on_feedback_due()
        await self._finished
        reason, detail = self.ended or (Reason.SHUT_DOWN, "")
        self._finish(handle, reason)
        return self._result(reason, detail)

    async def _check_controller(self) -> None:
        """Raise unless the arm's controller is active; meanwhile nobody else may use the arm."""
        self._context.busy = "a motion is checked"
        try:
            await self._controller.check()
            await self.use.named()
        finally:
            self._context.busy = ""

    def _check_before(self, prepared: Prepared) -> None:
        """Raise unless a motion may begin here and now."""
        context, proved = self._context, prepared.proved
        context.check_free()
        context.standing(proved.limits)
        check_payload(context.estimate, proved.payload_lower, proved.payload_upper)
        self.use.check()
        self._back_end.get_ready(proved.motion.tube, proved.box, proved.torque_limit)
        if doubt := self.watches.doubt():
            raise NotReadyError(doubt)
        start, states = proved.motion.trajectory.at(np.zeros(1)), context.arm.states
        if (np.abs(start.dq) > AT_REST).any():
            raise NotReadyError(
                f"{prepared.name} begins in motion: it can only continue another one (~/extend)."
            )
        if turned := difference(proved.turns, states.turns.at(start.q[0])):
            raise NotReadyError(turned)
        check_place(
            context.arm.joints, states.q, start.q[0], proved.motion.tube, context.arm.continuous,
            states.topic, context.arm.encoder_error,
        )  # fmt: skip

    def _begin(self, prepared: Prepared) -> None:
        """Command a motion that begins shortly."""
        settings, arm = self._context.settings, self._context.arm
        proved = prepared.proved
        motion = replace(proved.motion, trajectory=as_sequence(prepared))
        start = motion.trajectory.at(np.zeros(1)).q[0]
        off = np.abs(position_error(start, arm.states.q, arm.continuous)).max()
        moves = self._back_end.goes_to_start and STEEPEST * off > SLOWLY * settings.start_delay
        timing = Timing(
            settings.point_rate, settings.reaction, settings.settling, bool(moves),
            self._back_end.answers_holds,
        )  # fmt: skip
        self._slider.begin()
        self._controller.begin()
        watch = ArmWatch(
            arm.joints, arm.continuous, settings.silence, arm.encoder_error, self._slider,
            lambda: "; ".join(self._besides()), self._back_end.gives_back,
        )  # fmt: skip
        start_ns = arm.states.now_ns + round(settings.start_delay * 1e9)
        self._back_end.foreign()  # what was heard before is of no account

        def command(points: Motion, begin_ns: int) -> None:
            if (left_ns := execution.left_ns) is not None:
                back_end.leave_at(left_ns)
            back_end.send(points, begin_ns, motion.tube)

        send, back_end = in_turns_of(command, start, arm.states.q, arm.continuous), self._back_end
        execution = MotionExecution(
            motion, start_ns, timing, send, back_end.hold, back_end.unanswered, watch
        )
        self.execution, self.ended, self._newest = execution, None, prepared
        self._promises.follow(0.0, proved)
        self.watches.begin(start_ns, motion.tube)
        execution.begin()
        self._state.publish(self)

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
        execution, newest = self.execution, self._newest
        if execution is None or execution.done or newest is None or newest.name != request.follows:
            named = printable(shortened(request.follows))
            raise NotReadyError(f"No motion is in progress whose newest part is '{named}'.")
        if execution.reason is not None:
            raise NotReadyError("The motion in progress is being ended: nothing continues it.")
        following = self._motions.named(request.motion_id)
        proved = following.proved
        if (proved.limits, proved.turns) != (newest.proved.limits, newest.proved.turns):
            raise NotReadyError("It was proved within other limits than the motion in progress.")
        tubes = (proved.motion.tube, newest.proved.motion.tube)
        if tubes[0] is not tubes[1] and tubes[0].to_dict() != tubes[1].to_dict():
            raise NotReadyError("It was proved for another tracking error than the one before.")
        check_payload(self._context.estimate, proved.payload_lower, proved.payload_upper)
        motion, begins = _continued(execution.motion, following, request.after)
        now_ns = self._context.arm.states.now_ns
        if not execution.may_extend(motion, now_ns):
            raise NotReadyError("It came too late.")
        begins_ns = execution.start_ns + round(1e9 * begins)
        self._back_end.get_ready_for_more(proved.box, proved.torque_limit, begins_ns)
        execution.extend(motion, now_ns)
        self._newest = following
        self._promises.follow(begins, proved)

    def on_watch_due(self) -> None:
        """Take in joint states, judge the motion, pass on what was proved."""
        context, execution = self._context, self.execution
        self.use.look()
        moving = execution is not None and not execution.done
        stamps, q, dq = context.arm.states.take(every=moving or self._left is not None)
        self.watches.attend()
        if execution is not None and moving:
            states = context.arm.states
            now_ns, silence = states.now_ns, states.unheard
            if said := self._back_end.fault():
                execution.fail(Reason[said[0].name], said[1], now_ns)
            if refused := self._back_end.refused_to_hold():
                execution.go_on(refused, now_ns)
            outside = self._outside_fault()
            steady, seen = time.monotonic(), (stamps, q, dq)
            execution.advance(now_ns, steady, silence, *seen, outside, states.unusable)
            self._look_around()
            if execution.done:
                self._end(execution)
        self._look_where_it_was_left(q)
        if not moving and self._back_end.still_has_arm:
            self._look_on_the_way_back()
        context.look_at_device()
        self._state.publish(self)

    def _look_where_it_was_left(self, seen: Array) -> None:
        """Keep as a fault that the arm moved as another controller took it back.

        Args:
            seen: Positions since the last look, shape (N, n): it may have been for one of them.
        """
        if self._left is None:
            return
        at, q, allowed = self._left
        if time.monotonic() - at > GIVEN_BACK:
            self._left = None
        if self._left is None or self._context.busy:  # with the end of the goal, or the next one
            return
        continuous = self._context.arm.continuous
        every = [np.abs(position_error(q, row, continuous)) for row in seen]
        off = np.max(every, axis=0, initial=0.0)
        if (off <= allowed).all():
            return
        self._left, reason = None, Reason.CONTROLLER_FAULT
        j = int(np.argmax(off / allowed))
        found = (
            f"{self._context.arm.joints[j]} moved by {off[j]:.3f} rad (m) as another controller "
            "took the arm back after the motion"
        )
        if strangers := self._context.arm.strangers():
            if self._context.fault:
                return
            reason = Reason.JOINT_STATES_LOST
            found = f"{strangers}; or {found}"
        self._context.latch(f"{reason.name}: {found}")
        self._context.node.get_logger().error(found)

    def _look_on_the_way_back(self) -> None:
        """Keep as a fault that an arm does not come back, or is not seen on its way back."""
        silence, reason = self._context.arm.states.unheard, Reason.CONTROLLER_INACTIVE
        found = self._back_end.not_given_back()
        if self._left is not None:
            self._left = time.monotonic(), *self._left[1:]
        if not found and silence > self._context.settings.silence:
            reason = Reason.JOINT_STATES_LOST
            found = (
                f"No joint states for {silence:.2f} s, and no controller has taken the arm back "
                "after the motion yet: torques only hold it up"
            )
        if found and not self._context.fault:
            self._context.latch(f"{reason.name}: {found}")
            self._context.node.get_logger().error(found)

    def _outside_fault(self) -> tuple[Reason, str] | None:
        """Return a fault of driver, clocks or held joints, or a foreign command; else None."""
        states = self._context.arm.states
        found = self.watches.fault()
        if found is not None and found[0].is_fault:
            return found
        if inactive := self._controller.fault():
            return Reason.CONTROLLER_INACTIVE, inactive
        if foreign := self._back_end.foreign():
            return Reason.FOREIGN_COMMAND, foreign
        starting = self.execution is not None and self.execution.phase is Phase.STARTING
        if starting and (others := self._back_end.others()):
            return Reason.FOREIGN_COMMAND, others
        clock = states.clock
        woke = states.awake < (CATCHING_UP if clock.is_held_up else ASLEEP)
        if (fault := clock.fault) and not (woke and clock.is_as_late_as(states.slept)):
            return clock.reason, fault
        if doubt := states.held.fault(states.running.now()):
            return Reason.HELD_JOINT_OFF, doubt
        if states.has_several_publishers and (strangers := self._context.arm.strangers()):
            return Reason.JOINT_STATES_LOST, strangers
        return None

    def _look_around(self) -> None:
        """Stop where motion is not allowed any more, or not safe for what is known now."""
        found = self.watches.fault()
        if found is not None and not found[0].is_fault:
            self.stop(*found)
        now = self._context.arm.states.running.now()
        if forbidden := self._context.forbids(now):
            self.stop(Reason.NOT_ENABLED, forbidden)
        elif doubt := self._context.obstacles.doubt(now):
            self.stop(Reason.OBSTACLES_CHANGED, doubt)

    def hear(self, message: PayloadEstimate) -> None:
        """Take in an estimate."""
        self._context.estimate = message
        execution = self.execution
        if execution is None or execution.done:
            return
        if message.status == PayloadEstimate.INCONSISTENT:
            self.stop(Reason.ESTIMATE_INCONSISTENT, message.message)
        elif is_usable(message):
            now = execution.time(self._context.arm.states.now_ns)
            parts = self._promises.in_force(now)
            if not all(is_within(message, x.payload_lower, x.payload_upper) for x in parts):
                self.stop(Reason.INTERVALS_LEFT, NOT_PROMISED)

    def stop(self, reason: Reason, detail: str) -> bool:
        """Have the certified stop commanded; return whether anything moves or will."""
        if self.execution is not None and not self.execution.done:
            self.execution.stop(reason, detail, self._context.arm.states.now_ns)
            return True
        return reason in (Reason.CANCELLED, Reason.SHUT_DOWN) and self.use.call_off(detail)

    def on_stop(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Stop whatever moves."""
        response.success = self.stop(Reason.CANCELLED, "The service ~/stop was called")
        response.message = "Nothing moves."
        if response.success:
            response.message = (
                "What is prepared will not begin."
                if self.use.preparing
                else "The arm comes to rest."
            )
        return response

    def on_pause(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Have the arm rest on its path, by a certified stop, as the end of its motion."""
        execution, now_ns = self.execution, self._context.arm.states.now_ns
        response.success = execution is not None and execution.pause(now_ns)
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
        again, at = self._acknowledged
        if not context.fault and time.monotonic() - at < ANSWER_LOST:
            response.success, response.message = True, again
        elif not context.fault:
            response.message = "There is no fault to acknowledge."
        elif not request.reason.strip():
            response.message = f"Say what was found and done. The fault is: {context.fault}"
        else:
            response.success = True
            reason = printable(request.reason.strip())
            response.message = f"Acknowledged ({reason}): {context.fault}"
            self._acknowledged = response.message, time.monotonic()
            context.unlatch()
        context.node.get_logger().warning(response.message)
        self._state.publish(self)
        return response

    def _besides(self) -> list[str]:
        """Say how joint states have failed the back end, and that they are not of one arm."""
        return [x for x in (self._back_end.delay(), self._context.arm.strangers()) if x]

    def _end(self, execution: MotionExecution) -> None:
        """Note how a motion ended, and wake who waits for it."""
        reason, detail = execution.reason or Reason.COMPLETED, execution.detail
        for besides in self._besides():
            if besides not in detail:
                detail = f"{detail}; {besides}" if detail else f"{besides[:1].upper()}{besides[1:]}"
        self.ended, context = (reason, detail), self._context
        held = execution.held or reason.is_fault
        context.holding = None if held else execution.end_positions()
        if self._back_end.gives_back and context.arm.states.known:
            allowed = np.broadcast_to(execution.motion.tube.position, context.arm.states.q.shape)
            self._left = time.monotonic(), context.arm.states.q.copy(), allowed
        # A stop for another reason may have met a fault.
        if fault := (reason, detail) if reason.is_kept else execution.fault:
            context.latch(f"{fault[0].name}: {sentence(*fault)}")
        else:
            context.end_motion()
        text = f"{reason.name}: {sentence(reason, detail)}"
        if reason.as_asked or reason is Reason.PAUSED:
            context.node.get_logger().info(text)
        else:
            context.node.get_logger().warning(text)
        if self._finished is not None and not self._finished.done():
            self._finished.set_result(None)

    def _finish(self, handle: ServerGoalHandle, reason: Reason) -> None:
        """End a goal as its reason says."""
        self._context.busy, self._goal = "", None
        self.use.release()
        if handle.is_cancel_requested:
            handle.canceled()
        elif reason.as_asked:
            handle.succeed()
        else:
            handle.abort()
        self._state.publish(self)

    def _result(self, reason: Reason, detail: str, moved: bool = True) -> Move.Result:
        """Return the result of a motion."""
        execution = self.execution if moved else None
        result = Move.Result(success=reason is Reason.COMPLETED)
        result.at_rest = self._context.arm.is_seen_at_rest(self._context.settings.silence)
        result.message, result.reason = sentence(reason, detail), reason_message(reason, detail)
        if execution is not None:
            if execution.fault is not None and execution.fault[0] is not reason:
                met = execution.fault
                result.message += (
                    f" Meanwhile {met[0].name}: {sentence(*met)} Nothing moves until "
                    "~/acknowledge is called."
                )
            result.begun, result.at_rest = execution.begun, execution.at_rest
            result.resting_place = execution.resting_place
            result.largest_tube_use = execution.watch.largest_use
        result.state = self._state.message(self)
        return result

    def on_feedback_due(self) -> None:
        """Tell the goal in progress how far it is."""
        handle, execution = self._goal, self.execution
        if handle is None or execution is None or not handle.is_active:
            return
        now = execution.time(self._context.arm.states.now_ns)
        handle.publish_feedback(
            Move.Feedback(
                start=time_message(execution.start_ns),
                phase=execution.phase.value,
                time=now,
                remaining=max(0.0, execution.commanded.duration - now),
                tube_use=execution.watch.use,
            )
        )


def _continued(
    present: CertifiedMotion, following: Prepared, after: float
) -> tuple[CertifiedMotion, float]:
    """Return a motion that another one takes over, and when it does [s].

    Args:
        present: The motion in progress.
        following: What takes over.
        after: Time on the newest part at which it does [s].

    Raises:
        InputError: It does not go on from the state in which the motion is then.
    """
    before, then = present.trajectory, as_sequence(following)
    if not isinstance(before, MotionSequence):
        raise NotReadyError("The motion in progress cannot be continued.")
    begins = sum(before.until[:-1]) + after
    trajectory = MotionSequence(
        (*before.parts, *then.parts), (*before.until[:-1], after, *then.until)
    )
    kept = tuple(stop for stop in present.stops if stop.time <= begins)
    # one at its very beginning would be followed as the part before it was proved
    own = (stop for stop in following.proved.motion.stops if stop.time >= 1.0 / NANOSECONDS)
    later = tuple(stop.later(begins) for stop in own)
    return replace(present, trajectory=trajectory, stops=(*kept, *later)), begins
