"""How a payload is identified."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..arrays import one_number, real_numbers
from ..body.shape import Shape
from ..bounds import METHODS, IntervalMethod, method_named
from ..errors import InputError, require_type
from ..estimators import estimator_named
from ..history.conformal import runs_needed
from ..knowledge.knowledge import NOTHING, Knowledge
from ..rows.joint_torque.uncertainty import Uncertainty
from ..rows.windows import SHORTEST
from .headline import ENOUGH, Enough

LONGEST = 1e6  # [s] of a window
MOST_SCALES = 50  # further lengths of windows: each costs as much as the windows themselves
INTERVALS = tuple(METHODS)


@dataclass(frozen=True)
class Settings:
    """How a payload is identified.

    Attributes:
        uncertainty: What is assumed about sensors, links and payload.
        estimator: Name of the point estimator.
        intervals: Name of the method of the intervals that follow from the stated bounds.
        window: Length of a window [s].
        shape: What is known of the payload's shape, in the payload frame. It must be true:
            estimates and intervals rely on it.
        level: Probability with which confidence intervals and those from the arm's history hold.
        knowledge: What else is stated of the payload, in the payload frame. It must be true, too.
        scales: Further lengths of windows whose rows the intervals use [s], beside those for which
            the uncertainty states a mean of the noise, and 0.5 and 2 s where it states errors of
            velocities; estimates use `window` alone.
        enough: How near mass and centre of mass must be known for the verdict GOOD.
        hands_free: Whether the arm takes up and puts down payloads as it likes, beginning with an
            empty hand: what is in the hand is told by the rows (`hand_watch.py`).
    """

    uncertainty: Uncertainty = field(default_factory=Uncertainty)
    estimator: str = "lmi"
    intervals: str = "hull"
    window: float = 0.1
    shape: Shape | None = None
    level: float = 0.95
    knowledge: Knowledge = NOTHING
    scales: tuple[float, ...] = ()
    enough: Enough = ENOUGH
    hands_free: bool = False

    def __post_init__(self) -> None:
        require_type(self.uncertainty, Uncertainty, "uncertainty", "an Uncertainty")
        require_type(self.shape, (Shape, type(None)), "shape", "a Shape, or None")
        require_type(self.knowledge, Knowledge, "knowledge", "a Knowledge, or left out")
        require_type(self.enough, Enough, "enough", "an Enough, or left out")
        window = one_number(self.window, "window")
        if not SHORTEST <= window <= LONGEST:
            raise InputError(
                f"window must be a length of time above 0 s, from {SHORTEST:g} to {LONGEST:g} s; "
                f"found {self.window!r}."
            )
        scales = real_numbers(self.scales, "scales")
        if scales.ndim != 1:
            raise InputError(f"scales must be a list of lengths of time; found {self.scales!r}.")
        if scales.size > MOST_SCALES:
            raise InputError(
                f"scales must be at most {MOST_SCALES} lengths of time; found {scales.size}."
            )
        object.__setattr__(self, "window", window)
        object.__setattr__(self, "scales", tuple(scales.tolist()))
        estimator_named(self.estimator, self.shape)  # what cannot be is refused before any data
        runs_needed(self.level)
        method_named(self.intervals)

    @property
    def method(self) -> IntervalMethod:
        """What finds the intervals that follow from the stated bounds."""
        return method_named(self.intervals)
