"""What stops a moving arm: joint states that fail to come, and tracking errors outside the tube."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.arrays import Array
from ...core.motion.trajectory import Trajectory
from ...core.safety.tube.tracking_tube import TrackingTube
from ...core.safety.tube.tube_watch import tube_use
from .stop_reason import Reason


@dataclass
class ArmWatch:
    """Judges whether an arm does what it was told to do; it knows no ROS and commands nothing.

    Attributes:
        joints: Names of the joints.
        continuous: Joints whose position may be reported up to whole turns.
        silence: Joint states older than this are a fault [s].
        encoder_error: Largest error of a measured position, shape (n,) [rad or m]: the arm may be
            so much farther from the motion than it seems.
        use: Part of the tube that the newest joint states take [-].
        largest_use: Largest one while the arm was to move [-].
    """

    joints: Sequence[str]
    continuous: Sequence[bool]
    silence: float
    encoder_error: Array
    use: float = 0.0
    largest_use: float = 0.0

    def look(
        self,
        commanded: Trajectory,
        tube: TrackingTube,
        measured: tuple[Array, Array, Array],
        silence: float,
        moving: bool,
        outside: tuple[Reason, str] | None = None,
    ) -> tuple[Reason, str] | None:
        """Return why the arm must stop, and what was found; None while it does as it was told.

        Args:
            commanded: The desired motion.
            tube: How far from it the arm may be.
            measured: The joint states since the last look: times on the motion, shape (N,) [s];
                positions, shape (N, n) [rad or m]; velocities, shape (N, n), NaN where not measured
                [rad/s or m/s].
            silence: Age of the newest joint states [s].
            moving: Whether the motion is not over yet; afterwards nothing is a fault.
            outside: A fault that was found elsewhere: of the clocks, or a foreign command.
        """
        time, q, dq = measured
        found = (
            tube_use(commanded, tube, time, q, dq, self.continuous, self.encoder_error)
            if len(time)
            else None
        )
        if found is not None:
            self.use = found.part
        if not moving:
            return None
        self.largest_use = max(self.largest_use, self.use)
        if outside is not None:
            return outside
        if found is not None and found.part > 1.0:
            return Reason.TUBE_LEFT, found.sentence(self.joints)
        if silence > self.silence:
            return Reason.JOINT_STATES_LOST, (
                f"No joint states for {silence:.2f} s; at most {self.silence:g} s are allowed "
                "while the arm moves"
            )
        return None
