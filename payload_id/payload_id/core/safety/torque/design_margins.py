"""Whether the design of a robust controller holds for a motion: what its tube takes for granted.

The proof of docs/proofs.md needs numbers of the arm, the box and the motion. Each is compared with
what is proved of it:

    torque change   delta >= change of RNEA(theta_0; ...) and of the bound of |w| in T, and |C r|
    reserve         largest >= reserve at the largest disturbance, for |dr/dt| and sigma
    inertia         d and D from below, M_jj from above, for every pose and theta
    level           V_c + sigma / alpha <= V_M
    initial energy  V <= V_M at the start, for the |r_j| that the design allows there

The sixth, the largest disturbance, is proved with the torque (`torque_margins`).
"""

from __future__ import annotations

import numpy as np

from ...arm.arm_model import ArmModel
from ...arrays import Array
from ...motion.trajectory import Trajectory
from ..certificate.safety_case import SafetyCase
from ..margins.margin import CONSTRAINTS, Margin, Refusal, part_used
from ..tube.inertia_bound import bodies_upper, inertia_bound
from ..tube.sampling_reserve import SamplingReserve
from ..tube.tracking_tube import TrackingTube
from .parameter_box import ParameterBox
from .torque_change import torque_change

WHOLE = ("robust controller",)  # where what is not of one joint is


def design_margins(
    case: SafetyCase, trajectory: Trajectory, step: float
) -> tuple[Margin, ...] | Refusal:
    """Return the margins of a robust design, or the first that is not kept; () without a design.

    Args:
        case: What is certified; its tube follows from the design.
        trajectory: The desired motion.
        step: Length of the slices of time on which the change of torque is bounded [s].
    """
    model, box, tube = case.model, case.box, case.tube
    design, end = tube.reserve, trajectory.duration
    if design is None:
        return ()
    ratios = (
        _reserve(model, design),
        _inertia(model, box, design),
        ("level", WHOLE, design.needed_level, design.level),
        ("initial energy", WHOLE, design.start_energy, design.level),
    )
    margins = [_margin(*found, (0.0, end)) for found in ratios]
    refused = next((m for m in margins if m.used > 1.0), None)
    if refused is None:
        change = _change(model, box, tube, design, trajectory, step)
        margins = [change, *margins]
        refused = change if change.used > 1.0 else None
    return tuple(margins) if refused is None else _refusal(refused)


def proved_inertia(model: ArmModel, box: ParameterBox) -> tuple[Array, Array]:
    """Return d with r' M r >= d_j r_j^2, and upper bounds of M_jj, shape (n,) each [kg m2 or kg].

    The latter are infinite where a joint turns before one that slides.
    """
    middle, half = box.bodies
    lower = inertia_bound(model, box.rotor_inertia_lower, middle[:-1], half[:-1])
    return lower, box.rotor_inertia_upper + bodies_upper(model, middle + half)


# What a margin is made of: constraint, where, largest that is needed, largest that is allowed.
Found = tuple[str, tuple[str, ...], float, float]


def _reserve(model: ArmModel, design: SamplingReserve) -> Found:
    """Return the reserve that the controller may take, and what |dr/dt| and sigma rest on."""
    most = design(design.disturbance)
    j = int(np.argmax(part_used(most, design.largest)))
    return "reserve", (model.joints[j],), float(most[j]), float(design.largest[j])


def _inertia(model: ArmModel, box: ParameterBox, design: SamplingReserve) -> Found:
    """Return the inertia that the design takes for granted and the one that is proved."""
    lower, upper = proved_inertia(model, box)
    needed = np.stack([design.inertia, design.rotor, upper])
    allowed = np.stack([lower, box.rotor_inertia_lower, design.upper])
    k, j = np.unravel_index(int(np.argmax(part_used(needed, allowed))), needed.shape)
    return "inertia", (model.joints[j],), float(needed[k, j]), float(allowed[k, j])


def _margin(
    name: str, where: tuple[str, ...], needed: float, allowed: float, time: tuple[float, float]
) -> Margin:
    """Return what is left of one quantity."""
    used = float(part_used(np.array(needed), np.array(allowed)))
    return Margin(name, where, allowed - needed, used, *time)


def _change(
    model: ArmModel,
    box: ParameterBox,
    tube: TrackingTube,
    design: SamplingReserve,
    trajectory: Trajectory,
    step: float,
) -> Margin:
    """Return the margin of delta, at the speed that r may have with this design."""
    bound = torque_change(model, box, trajectory, tube, design.period, step)
    change = bound.on_slices(design.fastest)
    part = part_used(change, np.broadcast_to(design.change, change.shape))
    k, j = (int(x) for x in np.unravel_index(int(np.argmax(part)), part.shape))
    time = (float(bound.edges[k]), float(bound.edges[min(k + 2, len(bound.edges) - 1)]))
    where = (model.joints[j],)
    return _margin("torque change", where, float(change[k, j]), float(design.change[j]), time)


def _refusal(margin: Margin) -> Refusal:
    """Return the refusal of a margin that is not kept."""
    name, unit = margin.constraint, CONSTRAINTS[margin.constraint]
    what = {
        "torque change": "the change of torque within a period, or |C r|, may exceed the design's "
        "delta",
        "reserve": "the reserve for sampling may exceed what the design allows for",
        "inertia": "the design rests on an inertia that is not proved: it misses the bound",
        "level": "the design's V_c leaves too little of V_M for what V may rise in a period: it "
        "exceeds V_M",
        "initial energy": "V of the start that the design allows may exceed V_M",
    }[name]
    sentence = (
        f"Refused ({name}): for {margin.where[0]} {what} by {-margin.value:.4g} {unit}, between "
        f"{margin.start:.3f} and {margin.end:.3f} s. Design the controller for this motion and box "
        "(design_for), or move more slowly."
    )
    time = 0.5 * (margin.start + margin.end)
    return Refusal(name, margin.where, time, -margin.value, False, sentence)
