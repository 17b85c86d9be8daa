"""Margins of speeds in space and of kinetic energy, from their bounds over slices of time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...arm.arm_model import ArmModel
from ...arrays import Array
from ...motion.trajectory import MotionRanges, Trajectory
from ..clearance.arm_geometry import BASE, ArmGeometry, LinkBody
from ..clearance.convex_body import ConvexBody
from ..margins.margin import CONSTRAINTS, Margin, Refusal
from ..torque.parameter_box import ParameterBox
from ..tube.tracking_tube import TrackingTube
from .speed_bounds import SpeedBounds, energy_bounds, speed_bounds
from .speed_limits import SpeedLimits

STEP = 0.02  # [s] length of the first slices
CUTS = 3  # times that slices which fail are cut in four before a motion is refused
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


def speed_margins(case: SpeedCase, trajectory: Trajectory) -> list[Margin | Refusal]:
    """Return the smallest margin of each limit, or the refusal.

    Args:
        case: What is proved.
        trajectory: The desired motion.
    """
    if not case.limits.any:
        return []
    edges = _edges(trajectory)
    for _ in range(CUTS):
        over = np.zeros(len(edges) - 1, dtype=bool)
        for _, bound, limit, _ in _bounds(case, trajectory.ranges(edges)):
            over |= (bound > limit).any(axis=1)
        if not over.any():
            break
        edges = _cut(edges, over)
    ranges = trajectory.ranges(edges)
    return [
        _judged(name, bound, limit, where, edges)
        for name, bound, limit, where in _bounds(case, ranges)
    ]


def speed_use(case: SpeedCase, ranges: MotionRanges) -> dict[str, Array]:
    """Return the part of each limit that is used on each slice, shape (K,) each.

    Args:
        case: What is proved.
        ranges: Extrema of the desired motion on K slices.
    """
    return {name: bound.max(axis=1) / limit for name, bound, limit, _ in _bounds(case, ranges)}


def _bounds(
    case: SpeedCase, ranges: MotionRanges
) -> Iterator[tuple[str, Array, float, tuple[str, ...]]]:
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


def _edges(trajectory: Trajectory) -> Array:
    """Return the edges of the first slices."""
    count = max(1, int(np.ceil(trajectory.duration / STEP)))
    return np.linspace(0.0, trajectory.duration, count + 1)


def _cut(edges: Array, over: Array) -> Array:
    """Return edges with some slices cut in four."""
    parts = [
        np.linspace(edges[k], edges[k + 1], 5)[:-1] if cut else edges[k : k + 1]
        for k, cut in enumerate(over)
    ]
    return np.concatenate([*parts, edges[-1:]])


def _judged(
    name: str, bound: Array, limit: float, where: tuple[str, ...], edges: Array
) -> Margin | Refusal:
    """Return the margin of one limit, or the earliest slice on which it is not kept."""
    if (bound > limit).any():
        k = int(np.flatnonzero((bound > limit).any(axis=1))[0])
        b = int(np.argmax(bound[k]))
        missing = float(bound[k, b] - limit)
        sentence = (
            f"Refused ({name}): {where[b]} may reach {bound[k, b]:.4g} {CONSTRAINTS[name]} between "
            f"{edges[k]:.3f} and {edges[k + 1]:.3f} s with the tracking error of the tube; allowed "
            f"are {limit:.4g}. Move slower, or state a smaller tracking error."
        )
        time = float(edges[k] + edges[k + 1]) / 2
        return Refusal(name, (where[b],), time, missing, False, sentence)
    k, b = (int(x) for x in np.unravel_index(int(np.argmax(bound)), bound.shape))
    return Margin(
        constraint=name,
        where=(where[b],),
        value=float(limit - bound[k, b]),
        used=float(bound[k, b] / limit),
        start=float(edges[k]),
        end=float(edges[k + 1]),
    )
