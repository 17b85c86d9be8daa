"""Everything that a motion is certified against, and what a certificate of it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property

import numpy as np

from ...arm.arm_model import ArmModel
from ...arrays import Array
from ...errors import InputError
from ...motion.limits import MotionLimits
from ..clearance.arm_geometry import BASE, ArmGeometry
from ..clearance.convex_body import ConvexBody
from ..clearance.scene import Scene
from ..speed.speed_limits import SpeedLimits
from ..torque.parameter_box import ParameterBox
from ..tube.tracking_tube import TrackingTube
from .certificate import digest_of


@dataclass(frozen=True, eq=False)
class SafetyCase:
    """Everything that a motion is certified against.

    Attributes:
        model: The arm.
        geometry: Its bodies, with those of payload and tool.
        obstacles: Bodies in the base frame.
        box: Bounds of the payload's and the arm's parameters.
        tube: Bounds of the tracking error.
        limits: What a motion may not exceed.
        limits_name: Name of that set of limits.
        clearance: Distance that bodies keep from each other [m].
        speeds: Limits of speeds in space and of kinetic energy.
        turns: By how many whole turns joints have turned more than the motion's positions say;
            their position limits are less by that.
    """

    model: ArmModel
    geometry: ArmGeometry
    obstacles: tuple[ConvexBody, ...]
    box: ParameterBox
    tube: TrackingTube
    limits: MotionLimits
    limits_name: str = "unnamed"
    clearance: float = 0.0
    speeds: SpeedLimits = SpeedLimits()
    turns: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = self.model.n
        if self.tube.n != n:
            raise InputError(f"The tube is for {self.tube.n} joints; the arm has {n}.")
        for item in self.geometry.bodies:
            if not BASE <= item.joint < n:
                raise InputError(
                    f"The body of '{item.link}' moves with joint number {item.joint}; this arm has "
                    f"0 to {n - 1}, and {BASE} stands for the base. Give the arm's own bodies."
                )
        if not (np.isfinite(self.clearance) and self.clearance >= 0.0):
            raise InputError(
                f"The required clearance must be a number of 0 m or more; found {self.clearance!r}."
            )
        _check_limits(self.limits, self.model.joints)
        self._check_speeds()

    def _check_speeds(self) -> None:
        """Raise where a limit is of something whose place is not known."""
        own = {item.joint for item in self.geometry.bodies if not item.attached}
        held = any(item.attached for item in self.geometry.bodies)
        if not held and np.isfinite([self.speeds.payload, self.speeds.energy]).any():
            raise InputError(
                "A limit of the payload's speed or energy needs the payload's volume: attach it to "
                "the geometry."
            )
        bare = [j for j in range(self.model.n) if self.box.links_upper[j, 0] > 0 and j not in own]
        if bare and np.isfinite(self.speeds.energy):
            raise InputError(
                f"A limit of the energy needs a body for every link with mass; joint "
                f"{self.model.joints[bare[0]]} carries none."
            )

    @cached_property
    def scene(self) -> Scene:
        """Arm and obstacles, prepared for many checks."""
        return Scene.of(self.model, self.geometry, self.obstacles)

    @cached_property
    def digests(self) -> dict[str, str]:
        """Return sha256 of everything but the motion."""
        return {
            "model": self.model.digest,
            "geometry": self.geometry.digest,
            "obstacles": digest_of([body.to_dict() for body in self.obstacles]),
            "box": self.box.digest,
            "tube": digest_of(self.tube.to_dict()),
            "limits": digest_of({"name": self.limits_name, **plain_limits(self.limits)}),
            "required_clearance": digest_of(self.clearance),
            "speeds": digest_of(self.speeds.to_dict()),
        }

    def assumptions(self) -> tuple[str, ...]:
        """Return what must be true for a certificate to hold."""
        allowed = tuple(
            f"{' and '.join(contact.bodies)} are not checked against each other: {contact.reason}."
            for contact in self.geometry.allowed
        )
        joined = "; ".join(" and ".join(links) for links in self.geometry.joined)
        turned = tuple(
            f"{name} has turned by {turns:+d} whole turns more than its positions here say; its "
            "position limits are those of the whole turn, less that."
            for name, turns in self.turns.items()
        )
        return (
            *self.tube.rests_on,
            "The payload and the arm's parameters lie in the parameter box, now and throughout the "
            "motion; the payload is rigid and rigidly held.",
            "The arm's kinematics are those of the description; links are rigid.",
            "The collision bodies contain the arm's links, and the attached bodies the payload and "
            "the tool.",
            "Obstacles stay where they are and are contained in their bodies.",
            "Links that one movable joint joins directly are not checked against each other, since "
            f"they touch by construction: {joined}.",
            *self.geometry.notes,
            *turned,
            *allowed,
        )


def plain_limits(limits: MotionLimits) -> dict[str, list[float | None]]:
    """Return limits as lists, None where there is none."""
    return {
        entry.name: [float(x) if np.isfinite(x) else None for x in getattr(limits, entry.name)]
        for entry in fields(limits)
    }


def _check_limits(limits: MotionLimits, joints: Sequence[str]) -> None:
    """Raise unless there is a usable limit for each joint."""
    for name, value in vars(limits).items():
        array: Array = np.asarray(value, dtype=float)
        if array.shape != (len(joints),) or np.isnan(array).any():
            raise InputError(
                f"The limits' '{name}' needs {len(joints)} numbers, one for each joint; found "
                f"{array.tolist()}."
            )
        if not name.startswith("position") and (array <= 0).any():
            raise InputError(f"The limits' '{name}' must be above 0; found {array.tolist()}.")
    for joint, low, high in zip(joints, limits.position_lower, limits.position_upper, strict=True):
        if low >= high:
            raise InputError(
                f"The position limits of {joint} are inverted: {low:g} is not below {high:g}."
            )
