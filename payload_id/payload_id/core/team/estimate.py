"""The answer of a team: grasp frames, clocks and the payload, with everything to judge them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np

from ..arrays import Array
from ..identification.status import Status


class Fault(str, Enum):
    """What is wrong with the data, as far as it can be named."""

    SLIPS = "SLIPS"  # the robot does not move with the others' body any more, or let go
    GIMBAL_LOCKED = "GIMBAL_LOCKED"  # it does not turn, or not about one axis, as the others do
    MIRRORED = "MIRRORED"  # its frame is left-handed against the others'
    FORCE_INVERTED = "FORCE_INVERTED"  # the sign of its force is wrong
    FORCE_FALSE = "FORCE_FALSE"  # its forces do not fit, otherwise
    NO_FORCE = "NO_FORCE"  # it shows no more force than errors may be: none, or a dead sensor
    CLOCK = "CLOCK"  # its clock is further off than stated
    SILENT = "SILENT"  # nothing has come from it for long, while others go on
    COLLINEAR = "COLLINEAR"  # grasps on one line
    NO_ROTATION = "NO_ROTATION"  # too little rotation to find frames
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True)
class Finding:
    """Something that is wrong or missing, and about whom.

    Attributes:
        fault: What it is.
        robots: Names of the robots it is about; empty if it is about all.
        sentence: Cause and remedy, in words.
        since: Team time from which on, NaN if not known [s].
    """

    fault: Fault
    robots: tuple[str, ...]
    sentence: str
    since: float = float("nan")


@dataclass(frozen=True)
class GraspFrame:
    """Grasp frame {i} of one robot in the reference frame {s}, which is the first robot's {1}.

    Attributes:
        name: Of the robot.
        rotation: R_si, shape (3, 3); NaN if not known.
        position: p_si, shape (3,) [m]; NaN if not known.
        covariance: Of (rotation vector in {i}, p_si), shape (6, 6) [rad, m].
        rotation_bound: Largest error of each component of the rotation vector from the estimate to
            the truth, in {i}, shape (3,) [rad]; infinite if nothing is known.
        position_bound: Largest error of p_si, shape (3,) [m].
        clock: Offset of the robot's clock: its time minus team time [s].
        clock_deviation: Standard deviation of that [s].
        clock_bound: Largest error of that [s].
    """

    name: str
    rotation: Array
    position: Array
    covariance: Array
    rotation_bound: Array
    position_bound: Array
    clock: float = 0.0
    clock_deviation: float = 0.0
    clock_bound: float = 0.0

    @property
    def known(self) -> bool:
        """Whether there is an estimate."""
        return bool(np.isfinite(self.position).all())


@dataclass(frozen=True)
class GraspedPayload:
    """The payload in the grasp frame of one robot.

    Attributes:
        name: Of the robot.
        phi: Point estimate in {i}, shape (10,), NaN if there is none.
        lower: Lower ends of the intervals, shape (10,).
        upper: Upper ends, shape (10,).
        share: Part of the payload's mass that the robot carries at level rest, NaN if not known.
        share_lower: Lower end of its interval.
        share_upper: Upper end.
    """

    name: str
    phi: Array
    lower: Array
    upper: Array
    share: float = float("nan")
    share_lower: float = -float("inf")
    share_upper: float = float("inf")


@dataclass(frozen=True)
class PrincipalAxes:
    """Frame {c} at the centre of mass, along the principal axes.

    Attributes:
        com: p_sc, shape (3,) [m].
        rotation: R_sc, columns the axes of ascending moments, shape (3, 3).
        moments: Principal moments, ascending, shape (3,) [kg m2].
    """

    com: Array
    rotation: Array
    moments: Array


@dataclass(frozen=True)
class TeamEstimate:
    """What is known of the payload and of how the team holds it.

    Attributes:
        status: The verdict.
        message: Cause and remedy in a sentence or more.
        reference: Name of the robot whose grasp frame is {s}.
        phi: Point estimate in {s}, shape (10,), NaN if there is none.
        lower: Lower ends of the intervals, shape (10,).
        upper: Upper ends, shape (10,).
        identifiable: Which parameters the data bound clearly tighter than the prior, shape (10,).
        axes: Frame {c} and principal moments of `phi`; None if there is no estimate.
        frames: Grasp frames by name, the reference's among them.
        payload: The payload in every grasp frame, by name.
        findings: What is wrong or missing.
        cannot: What cannot be given, and why, a sentence each.
        time: Team time up to which data were used [s].
        windows: Number of windows of forces used.
        holds: Number of static holds found.
        noise_factor: Smallest factor on all bounds that makes the rows consistent; NaN if they are.
    """

    status: Status
    message: str
    reference: str
    phi: Array
    lower: Array
    upper: Array
    identifiable: Array
    axes: PrincipalAxes | None
    frames: Mapping[str, GraspFrame]
    payload: Mapping[str, GraspedPayload]
    findings: tuple[Finding, ...] = ()
    cannot: tuple[str, ...] = ()
    time: float = float("nan")
    windows: int = 0
    holds: int = 0
    noise_factor: float = float("nan")

    @property
    def half_width(self) -> Array:
        """Half the width of each interval, shape (10,)."""
        return (self.upper - self.lower) / 2

    def contains(self, phi: Array) -> Array:
        """Return which elements of phi, in {s}, lie in their intervals, shape (10,)."""
        return np.asarray((self.lower <= phi) & (phi <= self.upper))

    def relative(self, i: str, j: str) -> tuple[Array, Array]:
        """Return R_ij (3, 3) and p_ij (3,) [m] of two robots' grasp frames."""
        one, two = self.frames[i], self.frames[j]
        turned = one.rotation.T
        return turned @ two.rotation, turned @ (two.position - one.position)
