"""Margins of speeds in space and of kinetic energy, from their bounds over slices of time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...arm.arm_model import ArmModel
from ...arrays import Array, BoolArray
from ...motion.trajectory import MotionRanges, Trajectory, even_edges
from ..clearance.arm_geometry import BASE, ArmGeometry, LinkBody
from ..clearance.convex_body import ConvexBody
from ..margins.margin import CONSTRAINTS, Margin, Refusal
from ..margins.subdivision import Slices, SmallestMargins, prove
from ..torque.parameter_box import ParameterBox
from ..tube.tracking_tube import TrackingTube
from .speed_bounds import SpeedBounds, energy_bounds, speed_bounds
from .speed_limits import SpeedLimits

STEP = 0.02  # [s] length of the first slices
DEPTH = 6  # times that a slice is cut in two before a proof is given up
POINT = 1e-6  # [m] radius of the ball that stands for the payload frame's origin


@dataclass(frozen=True, eq=False)
class SpeedCase:
    """What speeds are proved for.

    Attributes:
        model: The arm.
        geometry: Its bodies, with the payload's.
        box: Bounds of the payload's and the arm's parameters.
        tube: Bounds of the tracking error.
        limits: What may not be exceeded.
    """

    model: ArmModel
    geometry: ArmGeometry
    box: ParameterBox
    tube: TrackingTube
    limits: SpeedLimits

    @property
    def bodies(self) -> tuple[LinkBody, ...]:
        """Moving bodies, and a ball at the payload frame, which is the tool's point."""
        model = self.model
        point = ConvexBody.primitive(
            "sphere", (POINT,), translation=model.payload_translation, name=model.payload_frame
        )
        moving = (item for item in self.geometry.bodies if item.joint != BASE)
        return (*moving, LinkBody(model.payload_frame, model.payload_joint, point))


def speed_margins(case: SpeedCase, trajectory: Trajectory) -> tuple[Margin, ...] | Refusal:
    """Return the smallest margin of each limit, or the first that is not kept.

    Args:
        case: What is proved.
        trajectory: The desired motion.
    """
    if not case.limits.any:
        return ()
    bound = SpeedBound(case, trajectory)
    refused = prove(bound, Slices.between(even_edges(trajectory, STEP)))
    return refused or tuple(bound.smallest.found.values())


def speed_use(case: SpeedCase, ranges: MotionRanges) -> dict[str, Array]:
    """Return the part of each limit that is used on each slice, shape (K,) each.

    Args:
        case: What is proved.
        ranges: Extrema of the desired motion on K slices.
    """
    return {name: bound.max(axis=1) / limit for name, bound, limit, _ in _bounds(case, ranges)}


Found = tuple[str, Array, float, tuple[str, ...]]


def _bounds(case: SpeedCase, ranges: MotionRanges) -> Iterator[Found]:
    """Yield name, bounds (K, B), limit and names of the B bodies of each limit that there is."""
    limits, bodies = case.limits, case.bodies
    found: SpeedBounds = speed_bounds(case.model, bodies, ranges, case.tube)
    last = np.array([item.joint == case.model.payload_joint for item in bodies])
    attached = np.array([item.attached for item in bodies])
    groups = {
        "tool speed": last & ~attached,
        "payload speed": attached,
        "elbow speed": ~last & ~attached,
    }
    for name, own in groups.items():
        if np.isfinite(limits.named(name)) and own.any():
            names = tuple(item.name for item, mine in zip(bodies, own, strict=True) if mine)
            yield name, found.total[:, own], limits.named(name), names
    if np.isfinite(limits.energy):
        energy = energy_bounds(case.model, bodies, case.box, ranges, case.tube)
        yield "kinetic energy", energy[:, None], limits.energy, ("arm and payload",)


@dataclass(frozen=True, eq=False)
class JudgedSpeeds:
    """What slices may reach.

    Attributes:
        slices: The slices, shape (I,).
        found: Name, bounds (I, B), limit and names of the B bodies of each limit that there is.
    """

    slices: Slices
    found: Sequence[Found]

    @property
    def failed(self) -> BoolArray:
        """Slices on which a limit may be exceeded."""
        over = [(bound > limit).any(axis=1) for _, bound, limit, _ in self.found]
        return np.asarray(np.any(over, axis=0))

    @property
    def loose(self) -> BoolArray:
        """None: the first slices tell margins closely enough."""
        return np.zeros(len(self.slices.start), dtype=bool)


class SpeedBound:
    """Speeds and energy of a motion, to be proved within their limits.

    Attributes:
        smallest: Margins so far.
    """

    depth, report_depth = DEPTH, 0

    def __init__(self, case: SpeedCase, trajectory: Trajectory) -> None:
        """Prove nothing yet."""
        self._case, self._trajectory = case, trajectory
        self.smallest = SmallestMargins()

    def judge(self, slices: Slices) -> JudgedSpeeds:
        """Return what slices may reach."""
        ranges = slices.ranges(self._trajectory)
        return JudgedSpeeds(slices, tuple(_bounds(self._case, ranges)))

    def refused(self, found: JudgedSpeeds, last: bool) -> Refusal | None:
        """Return the earliest speed that no finer cut can prove; None if there is hope."""
        slices = found.slices.take(found.failed)
        instants = MotionRanges.at_instants(self._trajectory.at(slices.middle))
        at_instants = JudgedSpeeds(slices, tuple(_bounds(self._case, instants)))
        if (hopeless := at_instants.failed).any():
            k, found, when = int(np.argmax(hopeless)), at_instants, "at"
            time = f"{slices.middle[k]:.3f}"
        elif last:
            k, when = int(np.argmax(found.failed)), "between"
            time = f"{found.slices.start[k]:.3f} and {found.slices.end[k]:.3f}"
        else:
            return None
        name, bound, limit, where = next(x for x in found.found if (x[1][k] > x[2]).any())
        b = int(np.argmax(bound[k]))
        sentence = (
            f"Refused ({name}): {where[b]} may reach {bound[k, b]:.4g} {CONSTRAINTS[name]} {when} "
            f"{time} s with the tracking error of the tube; allowed are {limit:.4g}. Move slower, "
            "or state a smaller tracking error."
        )
        middle, missing = float(found.slices.middle[k]), float(bound[k, b] - limit)
        return Refusal(name, (where[b],), middle, missing, False, sentence)

    def settle(self, found: JudgedSpeeds, done: BoolArray) -> None:
        """Keep the largest parts used among the slices that are done."""
        slices = found.slices.take(done)
        for name, bound, limit, where in found.found:
            limits = np.full(len(where), limit)
            self.smallest.take(name, where, bound[done], limits, slices)

    def halves(self, found: JudgedSpeeds, again: BoolArray) -> Slices:
        """Return both halves of slices."""
        return found.slices.halves(again)
