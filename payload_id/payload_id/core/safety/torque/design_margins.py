"""Whether the design of a robust controller holds for a motion: what its tube takes for granted.

The proof of docs/proofs.md needs numbers of the arm, the box and the motion. Each is compared with
what is proved of it:

    torque change     delta >= change of RNEA(theta_0; ...) and of the bound of |w| in T, and |C' r|
    momentum error    mismatch >= |p - p0|
    momentum          pi >= T f + mismatch, and a layer
    inertia           d and D from below, for every pose and theta
    level             V <= V_M wherever |p| <= pi

The sixth, the largest disturbance, is proved with the torque (`torque_margins`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...arm.arm_model import ArmModel
from ...arrays import Array
from ...motion.trajectory import Trajectory
from ..certificate.safety_case import SafetyCase
from ..margins.margin import Margin, Refusal
from ..margins.subdivision import LimitBound, Need, Needs, Slices
from ..tube.inertia_bound import inertia_bound
from ..tube.sampling_reserve import Sampling, SamplingReserve
from .parameter_box import ParameterBox
from .torque_change import torque_change


def design_margins(
    case: SafetyCase, trajectory: Trajectory, step: float
) -> tuple[Margin, ...] | Refusal:
    """Return the margins of a robust design, or the first that is not kept; () without a design.

    Args:
        case: What is certified; its tube follows from the design.
        trajectory: The desired motion.
        step: Length of the slices of time on which the change of torque is bounded [s].
    """
    design = case.tube.reserve
    if design is None:
        return ()
    sampling = Sampling(design.period, design.position_error, design.velocity_error)
    change = torque_change(case.model, case.box, trajectory, case.tube, sampling, step)
    needed, end = change.on_slices(design.force), change.edges[-1]
    # Slice k of the change of torque is from edge k to edge k + 2, or to the last.
    S = len(needed)
    pairs = Slices(change.edges[:S], np.append(change.edges[2:], end)[:S])
    whole = Slices(np.zeros(1), np.array([trajectory.duration]))
    mismatch, joints = change.mismatch(design.level), case.model.joints
    needs = (
        Need.within("torque change", joints, needed, design.change),
        Need.within("momentum error", joints, mismatch, design.mismatch),
    )
    bound = LimitBound(lambda _: (), trajectory)
    for found in (Needs(whole, tuple(_needs(case, design))), Needs(pairs, needs)):
        if found.first is not None:
            return found.refusal(found.first)
        bound.settle(found, np.ones(len(found.slices.start), dtype=bool))
    return tuple(bound.smallest.values())


def _needs(case: SafetyCase, design: SamplingReserve) -> Iterator[Need]:
    """Yield what the design needs of itself, and of the inertias that are proved."""
    joints = case.model.joints
    level, whole = np.array([design.level]), ("robust controller",)
    yield Need.within("momentum", joints, design.needed_momentum[None], design.momentum)
    yield Need.within("inertia", joints, design.inertia[None], proved_inertia(case.model, case.box))
    yield Need.within("inertia", joints, design.rotor[None], case.box.rotor_inertia_lower)
    yield Need.within("level", whole, np.array([[design.needed_level]]), level)


def proved_inertia(model: ArmModel, box: ParameterBox) -> Array:
    """Return d with r' M r >= d_j r_j^2, shape (n,) [kg m2 or kg]."""
    middle, half = box.bodies
    return inertia_bound(model, box.rotor_inertia_lower, middle[:-1], half[:-1])
