"""Margins of speeds in space and of kinetic energy, from their bounds over slices of time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...arrays import Array
from ...motion.trajectory import MotionRanges
from ..certificate.safety_case import SafetyCase
from ..clearance.arm_geometry import BASE, LinkBody
from ..clearance.convex_body import ConvexBody
from ..margins.subdivision import Need
from .speed_bounds import energy_bounds, speed_bounds

STEP = 0.02  # [s] length of the first slices
POINT = 1e-6  # [m] radius of the ball that stands for the payload frame's origin


def speed_needs(case: SafetyCase, ranges: MotionRanges) -> Iterator[Need]:
    """Yield what slices of a motion need of each limit of speeds that there is."""
    limits, bodies = case.speeds, moving_bodies(case)
    total = speed_bounds(case.model, bodies, ranges, case.tube).total
    last = np.array([item.joint == case.model.payload_joint for item in bodies])
    attached = np.array([item.attached for item in bodies])
    names = np.array([item.name for item in bodies])
    for name, limit, own in (
        ("tool speed", limits.tool, last & ~attached),
        ("payload speed", limits.payload, attached),
        ("elbow speed", limits.elbow, ~last & ~attached),
    ):
        if np.isfinite(limit) and own.any():
            bound: Array = np.full(own.sum(), limit)
            yield Need.within(name, tuple(names[own].tolist()), total[:, own], bound)
    if np.isfinite(limits.energy):
        energy = energy_bounds(case.model, bodies, case.box, ranges, case.tube)
        most = np.array([limits.energy])
        yield Need.within("kinetic energy", ("arm and payload",), energy[:, None], most)


def moving_bodies(case: SafetyCase) -> tuple[LinkBody, ...]:
    """Return moving bodies, and a ball at the payload frame, which is the tool's point."""
    model = case.model
    point = ConvexBody.primitive(
        "sphere", (POINT,), translation=model.payload_translation, name=model.payload_frame
    )
    moving = (item for item in case.geometry.bodies if item.joint != BASE)
    return (*moving, LinkBody(model.payload_frame, model.payload_joint, point))


def speed_use(case: SafetyCase, ranges: MotionRanges) -> dict[str, Array]:
    """Return the part of each limit that is used on each slice, shape (K,) each."""
    return {need.constraint: need.used.max(axis=1) for need in speed_needs(case, ranges)}
