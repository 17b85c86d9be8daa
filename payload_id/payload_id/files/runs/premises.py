"""What a certificate rests on, each held against what the robot file and the cell file state.

A proof that repeats shows that the conclusion follows from what was assumed; here it is asked
whether that is what the owner of the arm states. What no file states is for a person to judge.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...core.arm.arm_model import ArmModel
from ...core.arrays import Array
from ...core.safety.certificate.safety_case import plain_limits
from ...core.safety.clearance.convex_body import ConvexBody
from ...core.safety.torque.parameter_box import ParameterBox
from ...core.safety.tube.tracking_tube import ROBUST
from ..cells.cell_file import Cell
from ..robots.arm_geometry import robot_geometry
from ..robots.robot_file import RobotFile
from .certificate_file import SavedCertificate

GRAVITY = 9.81  # [m/s2]
EDGE = 1e-9  # relative, by which a bound may seem narrower than stated: rounding
JOINT_TERMS = {
    "rotor_inertia": ("rotor inertia", "kg m2 or kg"),
    "coulomb": ("Coulomb friction", "N m or N"),
    "viscous": ("viscous friction", "N m s/rad or N s/m"),
}


@dataclass(frozen=True)
class Premise:
    """One thing that a certificate rests on.

    Attributes:
        subject: What it is about.
        certified: What the certificate assumes.
        stated: What robot file or cell file state; empty if they say nothing.
        holds: Whether the certificate assumes at least as much; None: a person must judge.
    """

    subject: str
    certified: str
    stated: str
    holds: bool | None

    def __str__(self) -> str:
        stated = f"; stated is {self.stated}" if self.stated else ""
        return f"The certificate's {self.subject}: {self.certified}{stated}."


def premises(
    saved: SavedCertificate, robot: RobotFile, model: ArmModel, cell: Cell
) -> tuple[Premise, ...]:
    """Return all that a certificate rests on.

    Args:
        saved: The certificate and what it was given for.
        robot: The robot file, of the same joints.
        model: The arm that it describes.
        cell: What is around the arm.
    """
    return (
        *_parameters(saved, robot, model, cell),
        *_tube(saved, robot),
        *_limits(saved, robot, cell),
        *_bodies(saved, robot, model),
        *_surroundings(saved, cell),
    )


def _parameters(
    saved: SavedCertificate, robot: RobotFile, model: ArmModel, cell: Cell
) -> Iterator[Premise]:
    """Yield payload, links, joints and gravity."""
    box = saved.box
    low, high = box.payload_lower, box.payload_upper
    prior_low, prior_high = robot.uncertainty.prior.box()
    yield Premise(
        "payload",
        f"mass {low[0]:.3g} to {high[0]:.3g} kg, first moments within "
        f"{np.abs([low[1:4], high[1:4]]).max():.3g} kg m",
        f"prior up to {prior_high[0]:.3g} kg, {prior_high[1]:.3g} kg m",
        None,
    )
    # What a torque accelerates; a torque measured behind the gear lacks most of it.
    rotor = robot.control.rotor_interval() if saved.tube.kind == ROBUST else None
    stated = ParameterBox.around(model, (prior_low, prior_high), robot.uncertainty, rotor)
    yield Premise(
        "links' parameters",
        f"within {_relative(box):.3g} of their values",
        f"{_relative(stated):.3g}",
        _contains(box.links_lower, box.links_upper, stated.links_lower, stated.links_upper),
    )
    for name, (words, unit) in JOINT_TERMS.items():
        ends = [getattr(x, f"{name}_{end}") for x in (box, stated) for end in ("lower", "upper")]
        yield Premise(
            words,
            f"{_range(ends[0], ends[1])} {unit}",
            f"{_range(ends[2], ends[3])} {unit}",
            _contains(*ends),
        )
    yield Premise(
        "speed below which friction may have either sign",
        f"{box.stiction_velocity:.3g} rad/s or m/s",
        f"{stated.stiction_velocity:.3g} rad/s or m/s",
        bool(box.stiction_velocity >= stated.stiction_velocity * (1 - EDGE)),
    )
    gravity = stated.gravity_error + GRAVITY * np.sin(cell.base_tilt)
    yield Premise(
        "gravity",
        f"wrong by at most {box.gravity_error:.3g} m/s2 in each direction",
        f"{gravity:.3g} m/s2 (tilt of the base included)",
        bool(box.gravity_error >= gravity * (1 - EDGE)),
    )


def _tube(saved: SavedCertificate, robot: RobotFile) -> Iterator[Premise]:
    """Yield the tracking errors."""
    tube, stated = saved.tube, robot.control.stated_tube(saved.speeds)
    if tube.kind == ROBUST:
        proved = "proved" if tube.reserve is not None else "stated without a design"
        yield Premise(
            "tracking error",
            f"that of the robust controller, {proved}: {_numbers(tube.position)} rad or m, "
            f"{_numbers(tube.velocity)} rad/s or m/s",
            f"{_numbers(stated.position)} rad or m for the arm's own controller",
            None if (tube.position > 0.0).all() and (tube.velocity > 0.0).all() else False,
        )
        return
    for name, what, unit in (
        ("position", "position", "rad or m"),
        ("velocity", "velocity", "rad/s or m/s"),
        ("reference_velocity", "velocity in the torque", "rad/s or m/s"),
        ("reference_acceleration", "acceleration", "rad/s2 or m/s2"),
    ):
        own, asked = getattr(tube, name), getattr(stated, name)
        yield Premise(
            f"tracking error of the {what}",
            f"{_numbers(own)} {unit}",
            f"{_numbers(asked)} {unit}",
            bool((own >= asked * (1 - EDGE)).all()),
        )


def _limits(saved: SavedCertificate, robot: RobotFile, cell: Cell) -> Iterator[Premise]:
    """Yield the joint limits, less the cell's margin."""
    name = saved.certificate.limits
    known = robot.limit_sets.get(name)
    if known is None:
        sets = ", ".join(robot.limit_sets)
        yield Premise("limits", f"'{name}'", f"no such set; there are {sets}", False)
        return
    known = robot.limits_at(name, saved.turns).shifted(cell.joint_margin, -cell.joint_margin)
    for joint, turns in saved.turns.items():
        counted = joint in robot.turn_limited or not turns
        words = "" if counted else "its turn is not limited"
        beyond = f"{turns:+d} whole turns beyond its positions"
        yield Premise(f"turn of {joint}", beyond, words, None if counted else False)
    own = plain_limits(saved.limits)
    for key, stated in plain_limits(known).items():
        yield Premise(f"limits of {key} ('{name}')", str(own[key]), str(stated), own[key] == stated)
    yield Premise("limits of speeds in space", _speeds(saved), "", None)


def _speeds(saved: SavedCertificate) -> str:
    """Return the limits of speeds."""
    units = {"energy": "J"}
    found = saved.speeds.to_dict().items()
    stated = [f"{name} {x:g} {units.get(name, 'm/s')}" for name, x in found if x is not None]
    return ", ".join(stated) or "none"


def _bodies(saved: SavedCertificate, robot: RobotFile, model: ArmModel) -> Iterator[Premise]:
    """Yield the arm's bodies and what is exempt from the checks."""
    attached = [item.body for item in saved.geometry.bodies if item.attached]
    own = robot_geometry(robot, model)
    same = own.digest == saved.geometry.without_attached().digest
    words = f"{len(saved.geometry.bodies) - len(attached)} bodies"
    yield Premise("links' bodies and exceptions", words, f"those of {robot.path.name}", same)
    volume = ", ".join(f"{body.name} ({_extent(body)})" for body in attached) or "none"
    yield Premise("volume of payload and tool", volume, "", None)
    stated = {frozenset(pair) for pair in robot.allowed_contacts}
    for contact in saved.geometry.allowed:
        if contact not in own.allowed:
            holds = frozenset(contact.bodies) in stated
            yield Premise("allowed contact", str(contact), "" if holds else "not allowed", holds)


def _surroundings(saved: SavedCertificate, cell: Cell) -> Iterator[Premise]:
    """Yield the required clearance and what stands around the arm."""
    enough = saved.clearance >= cell.clearance * (1 - EDGE)
    yield Premise(
        "clearance",
        f"{saved.clearance:.4g} m",
        "" if cell.reason else f"{cell.clearance:.4g} m",
        (None if saved.clearance > 0.0 else False) if cell.reason else enough,
    )
    known = {body.digest for body in saved.obstacles}
    missing = [body.name for body in cell.bodies if body.digest not in known]
    yield Premise(
        "surroundings",
        ", ".join(body.name for body in saved.obstacles) or "nothing",
        f"without {', '.join(missing)} of the cell" if missing else cell.assumption.rstrip("."),
        not missing if not cell.reason else None,
    )


def _extent(body: ConvexBody) -> str:
    """Return kind and size of a body."""
    size = np.ptp(body.points, axis=0) if body.kind == "hull" else np.array(body.size)
    return f"{body.kind} {' x '.join(f'{1000 * x:.3g}' for x in size)} mm"


def _contains(low: Array, high: Array, inner_low: Array, inner_high: Array) -> bool:
    """Tell whether one interval contains another, but for rounding."""
    edge = EDGE * (np.abs(inner_low) + np.abs(inner_high))
    return bool((low <= inner_low + edge).all() and (high >= inner_high - edge).all())


def _relative(box: ParameterBox) -> float:
    """Return the largest half width of a link's parameter as a part of its size."""
    half = (box.links_upper - box.links_lower) / 2
    middle = np.abs(box.links_upper + box.links_lower) / 2
    return float(np.max(np.divide(half, middle, out=np.zeros_like(half), where=middle > 0)))


def _range(low: Array, high: Array) -> str:
    """Return the intervals of all joints in one."""
    return f"{low.min():.3g} to {high.max():.3g}"


def _numbers(values: Array) -> str:
    """Return one number, or the least and the largest."""
    low, high = float(values.min()), float(values.max())
    return f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"
