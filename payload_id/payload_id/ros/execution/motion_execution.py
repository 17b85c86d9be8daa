"""One certified motion from its first command until the arm rests; it knows no ROS.

Time is the robot's: that of the joint states' stamps. What leaves it as a command is the certified
motion, or that motion up to the time of one of its certified stops and then that stop. The
controller is asked to hold instead while the arm cannot have left the tube about its start, where a
slider has brought it to a standstill on its path, and after a fault (it may be elsewhere than the
certificate assumes). Once a stop or a hold was commanded, no later event changes it again, but for
a fault during a stop. Where nobody answers a hold, what ends the motion sooner is commanded: a
certified stop before it, or in its place that an arm that stands stays there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from ...core.arrays import Array
from ...core.motion.motion_sequence import MotionSequence
from ...core.motion.trajectory import Motion, Trajectory
from ...core.motion.trajectory_points import points_of
from ...core.safety.certificate.certified_motion import CertifiedMotion, CertifiedStop
from ...core.safety.tube.tube_watch import rests_at_end, tube_use
from ...core.samples.stamps import seconds_since
from .arm_watch import ArmWatch, Seen
from .rest_watch import AT_REST, ComingToRest
from .stop_reason import Reason

BEHIND = 0.1  # [s] of the motion's past that a new command holds as well
EARLY = 20  # places of a motion's beginning that are looked at
AHEAD = 0.1  # [s] by which a command to a late arm begins in the future
# What makes an arm leave its tube, and may be heard of only then.
CAUSES = (
    Reason.DRIVER_FAULT,
    Reason.CONTROLLER_INACTIVE,
    Reason.FOREIGN_COMMAND,
    Reason.CLOCK_FAULT,
)
UNREAD = 0.05  # [s] that a command may take to be read
# Reasons after which it is not known where on the motion the arm's controller is.
UNTIMED = (Reason.CLOCK_FAULT, Reason.JOINT_STATES_LOST, Reason.BEHIND)
SEEN = (Reason.TUBE_LEFT, Reason.BEHIND, Reason.CONTROLLER_FAULT)  # what they look like before
STANDING = 0.05  # [s] of joint states in which a late arm must, to be held there


class Phase(Enum):
    """What the arm is doing."""

    STARTING = "starting"
    MOVING = "moving"
    STOPPING = "stopping"
    SETTLING = "settling"
    DONE = "done"


@dataclass(frozen=True)
class Timing:
    """Times that an execution keeps.

    Attributes:
        point_rate: Of the points of a command [Hz].
        reaction: From a command until the controller follows it, at most [s].
        settling: Time that the arm may take to come to rest after the motion [s].
        moves_before: Whether the arm moves before the start, to where the motion begins.
        answers_holds: Whether who moves the arm answers that it holds it; if nobody does, an arm is
            believed to rest once its motion would have taken it elsewhere.
    """

    point_rate: float
    reaction: float
    settling: float
    moves_before: bool = False
    answers_holds: bool = True


Command = Callable[[Motion, int], None]  # points, and the stamp of their time 0; 0: at once [ns]


@dataclass
class MotionExecution:
    """Follows one motion; `advance` is called every few milliseconds.

    Attributes:
        motion: What is executed; receding horizons replace it through `extend`.
        start_ns: Stamp of its time 0 [ns]; later where the arm was made late.
        timing: Times to keep.
        command: Sends points to the arm's controller.
        hold: Has the controller hold the arm where it is.
        unanswered: Says what the controller may set a standing arm in motion by yet; else empty.
        watch: Judges the arm; what it finds stops the motion.
        phase: What the arm is doing.
        reason: Why it stops or has stopped; None while it moves as planned.
        detail: That reason in the present case, one clause.
        fault: What made it hold, and what was found, also where it was being stopped for another
            reason; None if nothing did.
        at_rest: Whether the arm was seen to stand still after its motion.
    """

    motion: CertifiedMotion
    start_ns: int
    timing: Timing
    command: Command
    hold: Callable[[], None]
    unanswered: Callable[[], str]
    watch: ArmWatch
    phase: Phase = Phase.STARTING
    reason: Reason | None = None
    detail: str = ""
    fault: tuple[Reason, str] | None = None
    at_rest: bool = False
    _commanded: Trajectory | None = None
    _stop: CertifiedStop | None = None  # that was commanded
    _held: bool = False
    _late: bool = False  # whether it was ever made late
    _unread: float = 0.0  # what is left until a stop was read, and a hold is asked for [s]
    _coming: ComingToRest = field(init=False, repr=False)

    def __post_init__(self) -> None:
        timing = self.timing
        self._coming = ComingToRest(
            self.watch.continuous, timing.reaction, timing.settling, timing.answers_holds
        )

    @property
    def commanded(self) -> Trajectory:
        """What the arm was told to do: the motion, or the motion and a stop."""
        return self._commanded or self.motion.trajectory

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return self.phase is Phase.DONE

    def begin(self) -> None:
        """Command the motion."""
        self._send(0.0)

    def time(self, now_ns: int) -> float:
        """Return the time on the motion [s]; negative before it begins."""
        return seconds_since(now_ns, self.start_ns)

    @property
    def held(self) -> bool:
        """Whether the controller was asked to hold, so that where the arm ends is not known."""
        return self._held

    @property
    def begun(self) -> bool:
        """Whether anything may have moved: not where a hold came before the start, and held."""
        return self._coming.ends != 0.0 or (self.done and not self.at_rest)

    def end_positions(self) -> Array:
        """Return where what was commanded ends, shape (n,) [rad or m]."""
        return self.commanded.at(np.array([self.commanded.duration])).q[0]

    @property
    def left_ns(self) -> int | None:
        """Stamp at which a certified stop leaves the motion [ns]; None: none was commanded."""
        return None if self._stop is None else self.start_ns + round(1e9 * self._stop.time)

    def may_extend(self, motion: CertifiedMotion, now_ns: int) -> bool:
        """Tell whether another motion, whose past is the same, can take over in time."""
        if self.reason is not None or self.phase not in (Phase.STARTING, Phase.MOVING):
            return False
        time = self.time(now_ns) + self.timing.reaction
        return time <= _common(self.motion.trajectory, motion.trajectory)

    def extend(self, motion: CertifiedMotion, now_ns: int) -> bool:
        """Continue with another motion, whose past is the same; return whether it was in time."""
        if not self.may_extend(motion, now_ns):
            return False
        self.motion = motion
        self._send(self.time(now_ns))
        return True

    def advance(
        self,
        now_ns: int,
        steady: float,
        silence: float,
        stamps: Array,
        q: Array,
        dq: Array,
        outside: tuple[Reason, str] | None = None,
        unusable: str = "",
    ) -> None:
        """Take in what was measured, and judge.

        Args:
            now_ns: The robot's time [ns].
            steady: The time by a clock that nobody sets, from any beginning [s].
            silence: Age of the newest joint states [s].
            stamps: Of the joint states since the last call, shape (N,) [ns].
            q: Positions, shape (N, n) [rad or m].
            dq: Velocities, shape (N, n); NaN where not measured [rad/s or m/s].
            outside: A fault that was found elsewhere: of the clocks, or a foreign command.
            unusable: Why messages since the newest joint states are none, as a sentence.
        """
        if self.done:
            return
        on_motion = np.asarray(seconds_since(stamps, self.start_ns))
        seen = Seen(1e-9 * now_ns, silence, on_motion, q, dq, unusable)
        slowed = self.watch.slider.explains(seen.now) and not self._held
        moving = self.phase is not Phase.SETTLING or slowed
        fault = self.watch.look(self.commanded, self.motion.tube, seen, moving, outside)
        lost = fault is not None and fault[0] is Reason.JOINT_STATES_LOST
        if self._held and not moving and not lost:
            fault = None  # it is not where it was commanded to be
        if moving and self.watch.lag:
            self.start_ns += round(1e9 * self.watch.lag)
            self._late = True
        time = self.time(now_ns)
        self._coming.see(stamps, q, dq, steady, time)
        self._hold_once_read()
        self._learn_cause(outside)
        if fault is not None and fault[0] is Reason.CONTROLLER_FAULT and not self._held:
            waiting = self.unanswered()
            fault = fault[0], f"{fault[1]}; {waiting}" if waiting else fault[1]
        if fault is not None and self.phase is Phase.SETTLING:
            self._fail(*fault)
        elif fault is not None:
            self.stop(*fault, now_ns)
        elif self.phase is Phase.STOPPING and slowed and len(stamps):
            self._end_stop_early(now_ns, q[-1], dq[-1])
        if self.phase is Phase.STARTING and time >= 0.0:
            self.phase = Phase.MOVING
        if self.phase is not Phase.SETTLING and time >= self.commanded.duration:
            self.phase = Phase.SETTLING
            self._coming.begin()
        if self.phase is Phase.SETTLING:
            self._settle(time, stamps, q, silence, slowed)

    def pause(self, now_ns: int) -> bool:
        """Rest on the path by the next certified stop; return whether one comes before the end."""
        if self.reason is not None or self.phase not in (Phase.STARTING, Phase.MOVING):
            return False
        if self._may_have_begun(now_ns) and self._next_stop(now_ns) is None:
            return False
        self.stop(Reason.PAUSED, "The service ~/pause was called", now_ns)
        return True

    @property
    def resting_place(self) -> float:
        """Time on the motion at whose pose a pause ends [s]."""
        return self._coming.ends or 0.0 if self._stop is None else self._stop.resting_place

    def stop(self, reason: Reason, detail: str, now_ns: int) -> None:
        """End the motion by the next certified stop, or by a hold; the first reason counts.

        Args:
            reason: Why.
            detail: One clause for people.
            now_ns: The robot's time [ns].
        """
        if self.phase in (Phase.SETTLING, Phase.DONE) or self._held:
            if self.reason is Reason.PAUSED and not self.done:  # the arm rests, but not for a pause
                self.reason, self.detail = reason, detail
            return
        if self.reason not in (None, Reason.PAUSED) and not reason.is_fault:
            return
        already = self.reason is not None
        if self.reason in (None, Reason.PAUSED):
            self.reason, self.detail = reason, detail
        if reason.is_fault:
            self.fault = reason, detail
        time = self.time(now_ns)
        if reason.is_fault or reason is Reason.NOT_STARTED:
            self._hold(time if reason.is_fault else 0.0, now_ns)
            return
        if self._hold_if_late(now_ns) or already:
            return
        if not self._may_have_begun(now_ns):
            self._hold(time, now_ns)
            return
        self._take_next_stop(now_ns)

    def fail(self, reason: Reason, detail: str, now_ns: int) -> None:
        """Take in what the controller itself says against the motion; while the arm settles, too.

        Args:
            reason: A fault, or NOT_STARTED.
            detail: One clause for people.
            now_ns: The robot's time [ns].
        """
        if self.phase is not Phase.SETTLING:
            self.stop(reason, detail, now_ns)
        elif self._held and self._explains(reason):
            self._learn_cause((reason, detail))
        else:
            self._fail(reason, detail)

    def _learn_cause(self, outside: tuple[Reason, str] | None) -> None:
        """Say why the tube was left, where that is heard only while the arm is being held.

        A driver in fault brakes the arm before its own message is heard.
        """
        if outside is not None and self._held and self._explains(outside[0]):
            found = outside[1].rstrip(".")
            self.reason, self.detail = outside[0], f"{found}. Before that: {self.detail}"
            self.fault = self.reason, self.detail

    def _explains(self, cause: Reason) -> bool:
        """Whether what made the arm be held is what another fault looks like."""
        unheard = cause is Reason.CONTROLLER_FAULT and self.reason is Reason.BEHIND
        return unheard or (cause in CAUSES and self.reason in SEEN)

    def go_on(self, detail: str, now_ns: int) -> None:
        """Take in that the controller does not hold the arm, which goes on with its motion.

        Where it was to be held for no fault, it is where it should be: a certified stop is left.
        After a fault nothing is; then it may take until the motion's end to come to rest.

        Args:
            detail: One clause for people.
            now_ns: The robot's time [ns].
        """
        if self.done or not self._held:
            return
        trusted = self.fault is None
        self._coming.go_on(self.commanded.duration - self.time(now_ns))
        self.fault = self.fault or (Reason.CONTROLLER_FAULT, detail)
        self.detail = f"{self.detail.rstrip('.')}. {detail}" if self.detail else detail
        if not trusted:
            self._commanded = None  # no stop may have been taken
            return
        self._held = False
        self._take_next_stop(now_ns)

    def _take_next_stop(self, now_ns: int) -> None:
        """Command the next certified stop; where there is none, the motion goes on to its end."""
        self.phase, self._stop = Phase.STOPPING, self._next_stop(now_ns)
        if self._stop is not None:
            at_once = self._stop.time <= 0.0
            self._commanded = self._stop.motion if at_once else self.motion.ended_by(self._stop)
            self._send(self.time(now_ns))

    def _may_have_begun(self, now_ns: int) -> bool:
        """Whether it has, or may be outside the tube about its start when a hold comes."""
        time = self.time(now_ns)
        end = time + self.timing.reaction
        if time >= 0.0 or self.timing.moves_before:
            return True
        if end <= 0.0:
            return False
        tube, early = self.motion.tube, np.linspace(0.0, min(end, self.commanded.duration), EARLY)
        begun = self.commanded.at(early)
        left = np.abs(begun.q - begun.q[0]) > tube.position
        return bool(end > self.commanded.duration or left.any() or self._fast(begun.dq))

    def _fast(self, dq: Array) -> bool:
        """Whether velocities, shape (N, n), are ones that an arm at rest would not have."""
        return bool((np.abs(dq) > np.maximum(self.motion.tube.velocity, AT_REST)).any())

    def _end_stop_early(self, now_ns: int, q: Array, dq: Array) -> None:
        """Hold an arm that a slider has brought to rest during its stop, but for one of a pause."""
        tube, time = self.motion.tube, self.time(now_ns)
        near = rests_at_end(self.commanded, tube, time, q, dq, self.watch.continuous)
        if self.reason is not Reason.PAUSED and not near:
            self._hold_if_late(now_ns)

    def _hold_if_late(self, now_ns: int) -> bool:
        """Hold an arm that a slider keeps standing on its path: points would make it go again."""
        time = self.time(now_ns)
        stands = self._late and time > 0.0 and self._stands
        if stands:
            self._hold(time, now_ns)
        return stands

    @property
    def _stands(self) -> bool:
        """Whether the arm was seen to stand still a moment ago."""
        return self._coming.arm.seconds >= STANDING

    def _next_stop(self, now_ns: int) -> CertifiedStop | None:
        """Return the certified stop that can be taken now; None where the end comes before it."""
        stop = self.motion.stop_after(max(self.time(now_ns) + self.timing.reaction, 0.0))
        ends = np.inf if stop is None else stop.time + stop.motion.duration
        return stop if ends < self.motion.trajectory.duration else None

    def _hold(self, time: float, now_ns: int) -> None:
        """Have the controller hold the arm, and wait until it stands still."""
        motion, heeds = self.commanded, self.timing.answers_holds
        if heeds or not self._stay_or_end_sooner(now_ns):
            self.hold()
        self.phase, self._held = Phase.SETTLING, True
        self._coming.hold(time, motion, is_known=self.reason not in UNTIMED)

    def _hold_once_read(self) -> None:
        """Ask for a hold that was left until a stop before it was read."""
        if self._unread > 0.0:
            self._unread -= self._coming.passed
            if self._unread <= 0.0:
                self.hold()

    def _stay_or_end_sooner(self, now_ns: int) -> bool:
        """Command what a controller follows that may not heed a hold; return whether there is that.

        An arm that stands stays there. One that moves takes a certified stop, and is asked to hold
        once that was read, for a controller may keep the newest command only. One that follows
        somebody else, or that is nobody knows where, would leap onto a stop.
        """
        if self.reason is Reason.FOREIGN_COMMAND:
            return False
        begun, place = self._may_have_begun(now_ns), self._coming.arm.place
        if place is None and not begun:
            place = self.commanded.at(np.zeros(1)).q[0]
        still = self._stands or not begun or self.phase is Phase.STARTING  # whatever stamps leapt
        if place is not None and still:
            q = place[np.newaxis]
            rest = np.zeros_like(q)
            self.command(Motion(np.array([self.timing.reaction]), q, rest, rest), 0)
            return True
        if self._stop is not None or self.reason in UNTIMED:
            return False
        stop = self._next_stop(now_ns)
        if stop is not None:
            self._commanded, self._unread = self.motion.ended_by(stop), UNREAD
            self._send(self.time(now_ns))
        return stop is not None

    def _settle(self, time: float, stamps: Array, q: Array, silence: float, slowed: bool) -> None:
        """End once the arm stands still where it should, or has had time enough to.

        Args:
            time: On the motion [s].
            stamps: Of the joint states since the last call, shape (N,) [ns].
            q: Positions, shape (N, n) [rad or m].
            silence: Age of the newest joint states [s].
            slowed: Whether a slider may keep the arm from its end.
        """
        coming, start_ns = self._coming, self.start_ns
        coming.settle(start_ns, silence, slowed)
        if len(stamps):
            over = coming.is_over(start_ns, q[-1], self.commanded, self._held)
            self.at_rest = over and not self.unanswered()
        duration, is_silent = self.commanded.duration, silence > self.watch.silence
        if self.at_rest and not self._held and len(stamps):
            self._check_place(q[-1], coming.newest(start_ns), slowed)
        elif not self.at_rest and coming.is_overdue(start_ns, time, duration, is_silent):
            reason, detail = self._restless(silence)
            if self.fault is not None:
                before, found = self.fault
                self.fault = before, f"{found.rstrip('.')}. Then: {detail}"
                self.detail = self.fault[1] if before is self.reason else self.detail
            self._fail(reason, detail)
            self.phase = Phase.DONE
        if self.at_rest:
            self.phase = Phase.DONE
            self.reason = self.reason or Reason.COMPLETED

    def _restless(self, silence: float) -> tuple[Reason, str]:
        """Return why the arm was not seen to rest, by the age of the newest joint states [s]."""
        if waiting := self.unanswered():
            return Reason.CONTROLLER_FAULT, waiting
        within = f"within {self.timing.settling:g} s of the end of its motion"
        arm = self._coming.arm
        if arm.moves and silence <= self.watch.silence and not arm.leaps:
            asked = ", though the controller was asked to hold it" if self._held else ""
            return Reason.CONTROLLER_FAULT, f"The arm did not come to rest {within}{asked}"
        return Reason.JOINT_STATES_LOST, (
            f"The arm was not seen to rest {within}; the newest joint states are {silence:.2f} s "
            "old"
        )

    def _check_place(self, q: Array, time: float, slowed: bool) -> None:
        """See whether the arm rests at the end of what was commanded, positions of shape (n,)."""
        tube, bounds = self.motion.tube, (self.watch.continuous, self.watch.encoder_error)
        unknown = np.full((1, len(q)), np.nan)
        at = np.array([max(time, self.commanded.duration)])
        use = tube_use(self.commanded, tube, at, q[None], unknown, *bounds)
        if use.part <= 1.0:
            return
        self.at_rest = not slowed
        if not slowed:
            self._fail(Reason.TUBE_LEFT, use.sentence(self.watch.joints))

    def _fail(self, reason: Reason, detail: str) -> None:
        """Keep a fault that is found at the end, and have the controller hold the arm.

        Who was not heard while the arm was to come to rest may be another driver since.
        """
        if reason is Reason.TUBE_LEFT and self._coming.silence > self.watch.silence:
            lost = f"No joint states for {self._coming.silence:.2f} s at the end of the motion"
            reason, detail = Reason.JOINT_STATES_LOST, f"{lost}. Then: {detail}"
        self.fault = self.fault or (reason, detail)
        if self.reason in (None, Reason.PAUSED):
            self.reason, self.detail = reason, detail
        if not self._held:
            self.hold()
            self._held = True

    def _send(self, time: float) -> None:
        """Command what is commanded, from a little before a time on.

        Where the controller of a late arm is on its trajectory is not known exactly: the first
        point then lies a little ahead, so that it goes there smoothly from where it is.
        """
        first = time + min(AHEAD, self.timing.reaction) if self._late else time - BEHIND
        begin = max(0.0, min(first, self.commanded.duration - BEHIND))
        self.command(points_of(self.commanded, self.timing.point_rate, begin), self.start_ns)


def _common(present: Trajectory, following: Trajectory) -> float:
    """Return until when two motions are the same: sequences that share their first parts [s]."""
    if not (isinstance(present, MotionSequence) and isinstance(following, MotionSequence)):
        return 0.0
    time = 0.0
    pairs = zip(present.parts, present.until, following.parts, following.until, strict=False)
    for one, one_until, other, other_until in pairs:
        if one is not other and one.to_dict() != other.to_dict():
            break
        time += min(one_until, other_until)
        if one_until != other_until:
            break
    return time
