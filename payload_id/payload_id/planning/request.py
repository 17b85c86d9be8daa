"""What is asked of the planning process, and what it answers; everything is picklable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..core.arrays import Array
from ..core.errors import InputError, UnknownNameError
from ..core.excitation.criteria import CRITERIA
from ..core.excitation.search.planning import NoPlan, Plan
from ..core.motion.motion_state import MotionState
from ..core.rows.wrench.uncertainty import WrenchUncertainty
from ..core.safety.certificate.certificate import Certificate
from ..core.safety.certificate.certified_motion import CertifiedMotion, CertifiedStop
from ..core.safety.clearance.convex_body import ConvexBody
from ..core.safety.clearance.swept_volume import Swept
from ..core.safety.tube.tracking_tube import TrackingTube
from .case_settings import CaseSettings

PIECES = ("bezier", "wave")  # families of short pieces, for receding horizon
FAMILIES = ("fourier", "there_and_back", *PIECES)
LONGEST = 60.0  # [s] of a motion at full speed


@dataclass(frozen=True)
class PlanningSettings(CaseSettings):
    """What is the same for all plans of a planner.

    Attributes:
        stop_step: Time between two certified stops [s].
        folder: Where certificates are kept.
        signing_key: File of the private key that signs them; empty: they are not signed.
        robust_gain: K_r of robust designs, where torques move the arm [1/s].
        wrench: Of the force-torque sensor that the payload is identified from; None: joint torques.
    """

    stop_step: float
    folder: str
    signing_key: str = ""
    robust_gain: float = 4.0
    wrench: WrenchUncertainty | None = None


@dataclass(frozen=True)
class Goal:
    """What a motion shall be; every field has a value.

    Attributes:
        family: "fourier", "there_and_back", "bezier" or "wave".
        criterion: What is minimised.
        duration: At full speed [s].
        speed_scale: Part of the velocity limits that may be used [-].
        time_budget: Computing time [s].
        seed: Of what is drawn at random.
        limits: Name of a set of joint limits.
        payload_lower: Least phi, shape (10,); -inf: as the prior says.
        payload_upper: Largest phi, shape (10,); inf: as the prior says.
        intervals: Where these come from, in words.
        turns: By how many whole turns joints whose turn is limited have turned more than the
            start's positions say.
    """

    family: str
    criterion: str
    duration: float
    speed_scale: float
    time_budget: float
    seed: int
    limits: str
    payload_lower: Array
    payload_upper: Array
    intervals: str
    turns: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise UnknownNameError("family of motions", self.family, FAMILIES, "the goal")
        if self.criterion not in CRITERIA:
            raise UnknownNameError("criterion", self.criterion, list(CRITERIA), "the goal")
        for name, most in (("duration", LONGEST), ("speed_scale", 1.0), ("time_budget", np.inf)):
            value = getattr(self, name)
            if not 0.0 < value <= most:
                raise InputError(
                    f"The goal's '{name}' must be above 0 and at most {most:g}; found {value!r}."
                )
            object.__setattr__(self, name, float(value))  # certificates are kept digit by digit


@dataclass(frozen=True)
class PlanRequest:
    """Plan one motion from rest to rest.

    Attributes:
        plan_id: Its name.
        goal: What it shall be.
        start: Pose, shape (n,) [rad or m].
        obstacles: In the base frame.
    """

    plan_id: str
    goal: Goal
    start: Array
    obstacles: tuple[ConvexBody, ...]


@dataclass(frozen=True)
class ScaleRequest:
    """Certify a planned motion along the same path at a fraction of its speed.

    Attributes:
        planned: The plan.
        scale: Above 0, below 1 [-].
        obstacles: In the base frame.
    """

    planned: Planned
    scale: float
    obstacles: tuple[ConvexBody, ...]


@dataclass(frozen=True)
class MoveRequest:
    """Certify the straight way of the joints from rest to rest in a pose.

    Attributes:
        plan: Name, goal, start and obstacles.
        target: Where it ends, shape (n,) [rad or m].
    """

    plan: PlanRequest
    target: Array


@dataclass(frozen=True)
class PieceRequest:
    """Plan one piece of a receding horizon.

    Attributes:
        plan_id: Name of the run.
        index: Number of the piece, from 0; 0 forgets what earlier pieces have taught.
        goal: What it shall be; its `time_budget` is for this piece, stops included.
        start: State from which it begins.
        handover: When the next piece takes over [s].
        obstacles: In the base frame.
    """

    plan_id: str
    index: int
    goal: Goal
    start: MotionState
    handover: float
    obstacles: tuple[ConvexBody, ...]


@dataclass(frozen=True)
class Figures:
    """What a person wants to know of a plan; arrays of shape (n,) are for the joints.

    Attributes:
        position: Part of half the range that is used; 0 for joints without limits [-].
        velocity: Part of the limit [-].
        acceleration: Part of the limit [-].
        torque: Part of the limit [-].
        clearance: Least distance that is left [m]; inf if nothing was to be checked.
        closest: The two bodies that come closest.
        half_width_now: Of the intervals that the plan was made for, shape (10,).
        half_width_expected: After the motion, shape (10,).
        half_width_calibrated: Of the intervals that the arm's history lets expect after it, with
            95 %, shape (10,); inf where it has too few runs. None: the plan was not made for them.
        seconds: Computing time [s].
    """

    position: Array
    velocity: Array
    acceleration: Array
    torque: Array
    clearance: float
    closest: tuple[str, ...]
    half_width_now: Array
    half_width_expected: Array
    half_width_calibrated: Array | None
    seconds: float


@dataclass(frozen=True)
class Documents:
    """Certificates as they are saved: what whoever follows a motion proves anew.

    Attributes:
        motion: Of the motion.
        stops: Of its stops, by increasing time.
    """

    motion: str
    stops: tuple[str, ...]


@dataclass(frozen=True)
class Planned:
    """A certified motion from rest to rest.

    Attributes:
        request: What was asked for.
        motion: The motion with its stops.
        certificate: Its certificate.
        certificate_path: Where that is kept.
        figures: For people.
        swept: What arm, tool and payload sweep.
        clearance: Distance that bodies must keep [m].
        documents: The certificates of the motion and of its stops.
    """

    request: PlanRequest
    motion: CertifiedMotion
    certificate: Certificate
    certificate_path: str
    figures: Figures
    swept: tuple[Swept, ...]
    clearance: float
    documents: Documents

    @property
    def name(self) -> str:
        """Name of the motion: that of the plan, and how it was changed since."""
        return "/".join(Path(self.certificate_path).parts[-3:-1])


@dataclass(frozen=True)
class Refused:
    """No motion was certified.

    Attributes:
        sentence: Why, and what to do.
    """

    sentence: str


@dataclass(frozen=True)
class Piece:
    """The answer to a `PieceRequest`.

    Attributes:
        plan: The certified piece, or why there is none.
        tube: Of the certificates.
        stops: Certified stops from within the part that is followed, times on the piece.
        condition_number: Of all rows up to the handover of this piece [-]; NaN without a plan.
        seconds: Computing time [s].
        documents: The certificates of piece and stops; None without a plan.
    """

    plan: Plan | NoPlan
    tube: TrackingTube
    stops: tuple[CertifiedStop, ...] = ()
    condition_number: float = float("nan")
    seconds: float = float("nan")
    documents: Documents | None = None
