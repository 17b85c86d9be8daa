"""What stops a moving arm: joint states that fail to come, and tracking errors outside the tube."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...core.arrays import Array
from ...core.motion.trajectory import Trajectory
from ...core.safety.tube.tracking_tube import TrackingTube
from ...core.safety.tube.tube_watch import (
    LateUse,
    TubeUse,
    late_use,
    position_error,
    rests_at_end,
    tube_use,
)
from .rest_watch import AT_REST, SETTLED
from .speed_slider import REACH, SpeedSlider
from .stop_reason import Reason

CLEARLY = 0.5  # part of the tube up to which an arm that left it counts as late on its path
LEAST_LAG = 0.01  # [s] from which on an arm is late
EARLIER = 0.05  # [s] by which an arm may be less late than it seemed


@dataclass(frozen=True)
class Seen:
    """What has come from the arm since the last look.

    Attributes:
        now: The robot's time [s].
        silence: Age of the newest joint states [s].
        time: Of the joint states on the motion, shape (N,) [s].
        q: Positions, shape (N, n) [rad or m].
        dq: Velocities, shape (N, n); NaN where not measured [rad/s or m/s].
        unusable: Why what has come since the newest joint states is none, as a sentence; empty:
            nothing has come.
    """

    now: float
    silence: float
    time: Array
    q: Array
    dq: Array
    unusable: str = ""


@dataclass
class ArmWatch:
    """Judges whether an arm does what it was told to do; it knows no ROS and commands nothing.

    Attributes:
        joints: Names of the joints.
        continuous: Joints whose position may be reported up to whole turns.
        silence: Joint states older than this are a fault [s].
        encoder_error: Largest error of a measured position, shape (n,) [rad or m]: the arm may be
            so much farther from the motion than it seems.
        slider: What may make the arm late on its path.
        besides: Says what else may have made it so: that what was commanded is itself beside its
            time, or that joint states contradict one another; else empty.
        needs_states: Whether what moves the arm follows joint states, and so must have them until
            the arm rests.
        use: Part of the tube that the newest joint states take [-].
        largest_use: Largest one while the arm was to move [-].
        lag: By how much the arm turned out to be late at the last look, the slider's doing [s].
    """

    joints: Sequence[str]
    continuous: Sequence[bool]
    silence: float
    encoder_error: Array
    slider: SpeedSlider = field(default_factory=SpeedSlider)
    besides: Callable[[], str] = lambda: ""
    needs_states: bool = False
    use: float = 0.0
    largest_use: float = 0.0
    lag: float = 0.0

    def look(
        self,
        commanded: Trajectory,
        tube: TrackingTube,
        seen: Seen,
        moving: bool,
        outside: tuple[Reason, str] | None = None,
    ) -> tuple[Reason, str] | None:
        """Return why the arm must stop, and what was found; None while it does as it was told.

        Args:
            commanded: The desired motion.
            tube: How far from it the arm may be.
            seen: What has come since the last look.
            moving: Whether the motion is not over yet; afterwards leaving its end is a fault.
            outside: A fault that was found elsewhere: of the clocks, or a foreign command. After
                the motion it counts where the arm is not at its end.
        """
        self.lag = 0.0
        if not moving:
            if not len(seen.time):
                return self._silent(seen) if self.needs_states else None
            end = self._from_desired(commanded, tube, seen)
            self.use = end.part
            if end.part <= 1.0:
                return None
            return outside or (Reason.TUBE_LEFT, end.sentence(self.joints))
        found = self._followed(commanded, tube, seen) if len(seen.time) else None
        self.largest_use = max(self.largest_use, self.use)
        if outside is not None:
            return outside
        if found is not None:
            besides = self.besides()
            return (found[0], f"{found[1]}; {besides}") if besides else found
        return self._silent(seen)

    def _silent(self, seen: Seen) -> tuple[Reason, str] | None:
        """Return that joint states fail to come; None if they do."""
        if seen.silence <= self.silence:
            return None
        return Reason.JOINT_STATES_LOST, (
            f"No joint states for {seen.silence:.2f} s; at most {self.silence:g} s are allowed "
            f"while the arm moves.{seen.unusable}".rstrip(".")
        )

    def _followed(
        self, commanded: Trajectory, tube: TrackingTube, seen: Seen
    ) -> tuple[Reason, str] | None:
        """Return how the motion is not followed; None if it is, late where the slider says so."""
        if seen.time[-1] > 0.0 and self.slider.explains(seen.now):
            expected = self.slider.expected(seen.now)
            if rests_at_end(commanded, tube, *newest_of(seen), self.continuous):
                return None  # whatever the slider says, nothing is left to be late for
            late = self._late(commanded, tube, seen, EARLIER, expected)
            self.use, self.lag = late.part, late.lag
            if late.part > 1.0:
                return Reason.TUBE_LEFT, (
                    f"The speed is turned down ({self.slider.percent:.0f} %), and the arm is not "
                    f"on the path of its motion: {late.part:.2g} times the tracking error that the "
                    "certificate allows"
                )
            if self.slider.is_too_late(late.lag, expected):
                return Reason.BEHIND, (
                    f"The speed is turned down to {self.slider.percent:.0f} %, but the arm is "
                    f"{self.slider.unexplained:.2f} s later than that explains"
                )
            return None
        found = self._from_desired(commanded, tube, seen)
        self.use = found.part
        if found.part <= 1.0:
            self.slider.late_since = None
            return None
        now = replace(seen, time=seen.time[-1:], q=seen.q[-1:], dq=seen.dq[-1:])
        if self._from_desired(commanded, tube, now).part <= 1.0:
            return Reason.TUBE_LEFT, (
                f"{found.sentence(self.joints)}, in a joint state; those after it say otherwise"
            )
        late = self._late(commanded, tube, seen, 0.0, 0.0)
        stands = self._stands_at_start(commanded, seen)
        if (late.part > CLEARLY or late.lag <= LEAST_LAG) and not stands:
            return Reason.TUBE_LEFT, found.sentence(self.joints)
        if self.slider.waits(seen.now):
            return None
        if stands:
            return Reason.CONTROLLER_FAULT, (
                f"The arm has not begun to move, {seen.time[-1]:.2f} s into its motion: its "
                "controller does nothing, its driver is in fault, or its speed is turned down"
            )
        return Reason.BEHIND, (
            f"The arm is on the path of its motion, but {late.lag:.2f} s late, "
            f"{seen.time[-1]:.2f} s into it"
        )

    def _stands_at_start(self, commanded: Trajectory, seen: Seen) -> bool:
        """Tell whether the arm stands where its motion begins."""
        start = commanded.at(np.zeros(1)).q[0]
        moved = np.abs(position_error(start, seen.q[-1], self.continuous))
        slow = (np.abs(np.nan_to_num(seen.dq[-1])) < AT_REST).all()
        return bool(slow and (moved <= self.encoder_error + AT_REST * SETTLED).all())

    def _from_desired(self, commanded: Trajectory, tube: TrackingTube, seen: Seen) -> TubeUse:
        """Return how far the arm is from where it should be at that time."""
        measured = seen.time, seen.q, seen.dq
        return tube_use(commanded, tube, *measured, self.continuous, self.encoder_error)

    def _late(
        self,
        commanded: Trajectory,
        tube: TrackingTube,
        seen: Seen,
        earlier: float,
        expected: float,
    ) -> LateUse:
        """Return where on its path the arm is."""
        bounds = self.continuous, self.encoder_error, (-earlier, REACH)
        return late_use(commanded, tube, *newest_of(seen), *bounds, expected)


def newest_of(seen: Seen) -> tuple[float, Array, Array]:
    """Return time on the motion [s], positions and velocities of the newest joint states."""
    return float(seen.time[-1]), seen.q[-1], seen.dq[-1]
