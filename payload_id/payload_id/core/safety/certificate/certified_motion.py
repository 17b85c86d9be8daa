"""A motion from rest to rest together with the ways to end it early, all of them certified."""

from __future__ import annotations

from dataclasses import dataclass

from ...motion.motion_sequence import MotionSequence
from ...motion.path_stop import PathStop
from ...motion.trajectory import Trajectory
from ..tube.tracking_tube import TrackingTube


@dataclass(frozen=True)
class CertifiedStop:
    """A stop that was certified together with the motion it ends.

    Attributes:
        time: When it leaves the motion [s].
        motion: From that state to rest, on the same path.
    """

    time: float
    motion: PathStop

    def later(self, by: float) -> CertifiedStop:
        """Return the stop for a motion that begins that much [s] earlier."""
        return CertifiedStop(self.time + by, self.motion)


@dataclass(frozen=True)
class CertifiedMotion:
    """A motion and its stops.

    Attributes:
        trajectory: The motion, from rest to rest.
        stops: By increasing time; the end of the motion is a stop, too.
        tube: Tracking errors that the certificates allow.
    """

    trajectory: Trajectory
    stops: tuple[CertifiedStop, ...]
    tube: TrackingTube

    @property
    def longest_stop(self) -> float:
        """Longest time from an event during the motion until rest [s]."""
        waits, before = [0.0], 0.0
        for stop in self.stops:
            waits.append(stop.time + stop.motion.duration - before)
            before = stop.time
        return max(*waits, self.trajectory.duration - before)

    def stop_after(self, time: float) -> CertifiedStop | None:
        """Return the first stop that leaves the motion at a time [s] or later; None: none does."""
        return next((stop for stop in self.stops if stop.time >= time), None)

    def ended_by(self, stop: CertifiedStop) -> Trajectory:
        """Return the motion up to a stop, then the stop."""
        return MotionSequence((self.trajectory, stop.motion), (stop.time, stop.motion.duration))
