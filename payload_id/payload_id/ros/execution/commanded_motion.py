"""A certified motion that an arm follows: its parts, its stop, and where it is at a time.

Time is the robot's: that of the joint states' stamps. Nothing here changes, and nothing knows ROS.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import tau

import numpy as np

from ...core.arrays import Array
from ...core.motion.motion_sequence import MotionSequence
from ...core.motion.trajectory import Motion, Trajectory
from ...core.motion.trajectory_points import points_of
from ...core.safety.certificate.certified_motion import CertifiedMotion, CertifiedStop
from ...core.safety.tube.tracking_tube import TrackingTube
from ...core.safety.tube.tube_watch import position_error
from ...core.samples.stamps import NANOSECONDS, seconds_since
from ..certifying.prover import VerifiedMotion
from .standstill import AT_REST
from .start_check import NotReadyError

BEHIND = 0.1  # [s] of the motion's past that a new command holds as well
EARLY = 20  # places of a motion's beginning that are looked at


@dataclass(frozen=True)
class Part:
    """A proved motion that is the whole of what is followed, or takes over from a part before.

    Attributes:
        name: By which it is known.
        proved: The motion, and what it was proved for.
        obstacles: Digest of the obstacles that it was proved with.
        begins: Time on the motion at which it takes over [s].
    """

    name: str
    proved: VerifiedMotion
    obstacles: tuple[str, ...]
    begins: float = 0.0

    @property
    def sequence(self) -> MotionSequence:
        """It as a motion that others may continue."""
        motion = self.proved.motion.trajectory
        if isinstance(motion, MotionSequence):
            return motion
        return MotionSequence((motion,), (motion.duration,))


@dataclass(frozen=True)
class CommandedMotion:
    """What the arm is to do.

    Attributes:
        parts: By increasing time; the newest one last.
        certified: All of them as one motion, with the stops.
        start_ns: Stamp of the motion's time 0 [ns]; 0: it was not commanded yet.
        stop: The certified stop that ends it; None: its own end does.
        turns: Whole turns by which what is commanded is shifted, so that it begins where the arm
            is reported to be, shape (n,) [rad].
    """

    parts: tuple[Part, ...]
    certified: CertifiedMotion
    start_ns: int = 0
    stop: CertifiedStop | None = None
    turns: Array | float = 0.0

    @classmethod
    def of(cls, part: Part) -> CommandedMotion:
        """Return a motion of one part, not commanded yet."""
        return cls((part,), replace(part.proved.motion, trajectory=part.sequence))

    @property
    def newest(self) -> Part:
        """The part that was added last."""
        return self.parts[-1]

    @property
    def tube(self) -> TrackingTube:
        """How far from it the arm may be."""
        return self.certified.tube

    @cached_property
    def commanded(self) -> Trajectory:
        """What the arm was told to do: the motion, or the motion and a stop."""
        if self.stop is None:
            return self.certified.trajectory
        return self.stop.motion if self.stop.time <= 0.0 else self.certified.ended_by(self.stop)

    @property
    def start(self) -> Array:
        """Where it begins, shape (n,) [rad or m]."""
        return self.certified.trajectory.at(np.zeros(1)).q[0]

    @property
    def end(self) -> Array:
        """Where what was commanded ends, shape (n,) [rad or m]."""
        return self.commanded.at(np.array([self.commanded.duration])).q[0]

    @property
    def stop_ns(self) -> int | None:
        """Stamp at which a certified stop leaves the motion [ns]; None: none was commanded."""
        return None if self.stop is None else self.start_ns + round(NANOSECONDS * self.stop.time)

    def time(self, now_ns: int) -> float:
        """Return the time on the motion [s]; negative before it begins."""
        return seconds_since(now_ns, self.start_ns)

    def in_force(self, time: float) -> tuple[Part, ...]:
        """Return the part at a time on the motion [s], and those after it."""
        ends = [part.begins for part in self.parts[1:]] + [np.inf]
        return tuple(part for part, end in zip(self.parts, ends, strict=True) if end > time)

    def points(self, time: float, rate: float) -> Motion:
        """Return what is to be commanded from a little before a time [s] on, at a rate [Hz]."""
        begin = max(0.0, min(time, self.commanded.duration) - BEHIND)
        points = points_of(self.commanded, rate, begin)
        return replace(points, q=points.q + self.turns)

    def may_have_begun(self, time: float, reaction: float) -> bool:
        """Tell whether a hold at a time [s] may find the arm outside the tube about its start.

        Args:
            time: On the motion [s].
            reaction: From a command until the controller follows it, at most [s].
        """
        end = time + reaction
        if time >= 0.0 or end <= 0.0:
            return time >= 0.0
        early = np.linspace(0.0, min(end, self.commanded.duration), EARLY)
        begun = self.commanded.at(early)
        left = np.abs(begun.q - begun.q[0]) > self.tube.position
        fast = np.abs(begun.dq) > np.maximum(self.tube.velocity, AT_REST)
        return bool(end > self.commanded.duration or left.any() or fast.any())

    def beginning(
        self, now_ns: int, delay: float, q: Array, continuous: Sequence[bool]
    ) -> CommandedMotion:
        """Return the motion as it is commanded.

        Args:
            now_ns: Stamp of now [ns].
            delay: After which it begins [s].
            q: What the driver reports, shape (n,) [rad or m].
            continuous: Joints that turn without end.
        """
        turns = np.rint((q - self.start - position_error(self.start, q, continuous)) / tau)
        start_ns = now_ns + round(NANOSECONDS * delay)
        return replace(self, start_ns=start_ns, turns=tau * turns)

    def stopped(self, time: float, reaction: float) -> CommandedMotion:
        """Return the motion with the next certified stop that can be taken; else with its own end.

        Args:
            time: On the motion [s].
            reaction: From a command until the controller follows it, at most [s].
        """
        stop = self.certified.stop_after(max(time + reaction, 0.0))
        ends = np.inf if stop is None else stop.time + stop.motion.duration
        return replace(self, stop=stop) if ends < self.certified.trajectory.duration else self

    def continued(self, part: Part, after: float, time: float) -> CommandedMotion:
        """Return the motion, of which a proved one takes over.

        Args:
            part: What takes over; its `begins` does not matter.
            after: Time on the newest part at which it does [s].
            time: On the motion [s] at which the controller will have taken it up.

        Raises:
            NotReadyError: It does not go on from there, is for something else, or comes too late.
        """
        proved, newest = part.proved, self.newest.proved
        if (proved.limits, proved.turns) != (newest.limits, newest.turns):
            raise NotReadyError("It was proved within other limits than the motion in progress.")
        tubes = (proved.motion.tube, newest.motion.tube)
        if tubes[0] is not tubes[1] and tubes[0].to_dict() != tubes[1].to_dict():
            raise NotReadyError("It was proved for another tracking error than the one before.")
        before, then = self.certified.trajectory, part.sequence
        if not isinstance(before, MotionSequence):
            raise NotReadyError("The motion in progress cannot be continued.")
        begins = sum(before.until[:-1]) + after
        trajectory = MotionSequence(
            (*before.parts, *then.parts), (*before.until[:-1], after, *then.until)
        )
        if time > begins:
            raise NotReadyError("It came too late.")
        kept = tuple(stop for stop in self.certified.stops if stop.time <= begins)
        # one at its very beginning would be followed as the part before it was proved
        own = (stop for stop in proved.motion.stops if stop.time >= 1.0 / NANOSECONDS)
        stops = (*kept, *(stop.later(begins) for stop in own))
        certified = replace(self.certified, trajectory=trajectory, stops=stops)
        return replace(self, parts=(*self.parts, replace(part, begins=begins)), certified=certified)
