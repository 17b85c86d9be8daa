r"""Upper bounds of speeds and of kinetic energy over slices of time, for every state in the tube.

On a slice q is within delta_j of q_c and dq within eps_j of dq_c. A material point p of a body has

    v(p) = sum_j dq_j J_j(p),   J_j = z_j x (p - o_j), or z_j of a sliding joint,

affine in p at (q_c, dq_c), so that its largest norm over a body is found at corners of a box. What
the slice adds to it is at most

    sum_j eps_j R_j + sum_i delta_i sum_j |dq_j| G_ij,   G_ij >= |d J_j / d q_i| in all the range,

with R_j >= |J_j| there: R_j as in `separation.reach`, 1 for a sliding joint. For i nearer to the
base than j, d J_j / d q_i = z_i x J_j if joint i turns, else 0; for i nearer to the tip, z_j x J_i
if joint j turns, else 0. So G_ij is R of the one nearer to the tip, if the other one turns.

Energy: T is linear in the bodies' parameters, hence exact over their box at (q_c, dq_c). A speed
that is at most D above v_c all over a body of mass m adds at most m D (2 v_c + D) / 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arm.arm_model import ArmModel
from ...arm.kinetics import bilinear_form, body_motion, cross, frames
from ...arrays import Array
from ...motion.trajectory import MotionRanges
from ..clearance.arm_geometry import BASE, LinkBody
from ..torque.parameter_box import ParameterBox
from ..tube.tracking_tube import TrackingTube

_CORNERS = np.stack(np.meshgrid(*[[-1.0, 1.0]] * 3), axis=-1).reshape(-1, 3)


@dataclass(frozen=True, eq=False)
class SpeedBounds:
    """Bounds on K slices for B bodies.

    Attributes:
        nominal: Largest speed at the middle state, shape (K, B) [m/s].
        added: What the slice's other states may add, shape (K, B) [m/s].
    """

    nominal: Array
    added: Array

    @property
    def total(self) -> Array:
        """Largest speed of any point of each body, shape (K, B) [m/s]."""
        return self.nominal + self.added


def speed_bounds(
    model: ArmModel, bodies: tuple[LinkBody, ...], ranges: MotionRanges, tube: TrackingTube
) -> SpeedBounds:
    """Return how fast the points of bodies are on slices of time.

    Args:
        model: The arm.
        bodies: Bounded bodies on its joints.
        ranges: Extrema of the desired motion on K slices.
        tube: Bounds of the tracking error.
    """
    middle = ranges.middle
    delta = (ranges.q_upper - ranges.q_lower) / 2 + tube.position
    eps = (ranges.dq_upper - ranges.dq_lower) / 2 + tube.velocity
    rotation, origin = frames(model, middle.q)
    rotation, origin = rotation[:, :-1], origin[:, :-1]
    turns = np.linalg.norm(model.axis_angular, axis=1) > 0.5
    axis = np.einsum("knij,nj->kni", rotation, model.axis_angular + model.axis_linear)
    support = model.supports()[:-1]
    order = np.argsort(-support.sum(axis=1), kind="stable")  # from the tip to the base
    nominal, added = [], []
    for item in bodies:
        if item.joint == BASE:
            nominal.append(np.zeros(len(delta)))
            added.append(np.zeros(len(delta)))
            continue
        moves = support[item.joint]
        points = _corners(item, rotation, origin)  # (K, C, 3)
        arm = points[:, :, None] - origin[:, None]  # (K, C, n, 3)
        lever = np.where(turns[:, None], cross(axis[:, None], arm), axis[:, None])
        speed = np.einsum("kn,kcni->kci", middle.dq * moves, lever)
        nominal.append(np.linalg.norm(speed, axis=2).max(axis=1))
        # Largest |J_j| anywhere in the range: joints beyond j move the body towards or from it.
        here = np.linalg.norm(lever, axis=3).max(axis=1)  # (K, n)
        R = np.ones_like(here)
        away = np.zeros(len(here))
        for j in order:
            if not moves[j]:
                continue
            if turns[j]:
                R[:, j] = here[:, j] + away
            away = away + delta[:, j] * R[:, j]
        rate = (np.abs(middle.dq) + eps) * moves
        first = np.sum(eps * moves * R, axis=1)
        second = _second(moves, order, turns, delta, rate, R)
        added.append(first + second)
    return SpeedBounds(np.stack(nominal, axis=1), np.stack(added, axis=1))


def _corners(item: LinkBody, rotation: Array, origin: Array) -> Array:
    """Return corners of a box around a body at K poses, shape (K, 8, 3) [m]."""
    body = item.body
    half = body.half + np.array([body.disc, body.disc, 0.0]) + body.radius
    corners = (_CORNERS * half) @ body.rotation.T + body.translation
    turned = np.einsum("kij,cj->kci", rotation[:, item.joint], corners)
    return np.asarray(turned + origin[:, item.joint, None])


def _second(moves: Array, order: Array, turns: Array, delta: Array, rate: Array, R: Array) -> Array:
    """Return sum_ij delta_i |dq_j| G_ij, shape (K,)."""
    chain = [int(j) for j in order if moves[j]]  # from the tip to the base
    total = np.zeros(len(delta))
    for a, i in enumerate(chain):
        for b, j in enumerate(chain):
            tip, other = (i, j) if a < b else (j, i)
            if turns[other] or i == j and turns[i]:
                total += delta[:, i] * rate[:, j] * R[:, tip]
    return total


def energy_bounds(
    model: ArmModel,
    bodies: tuple[LinkBody, ...],
    box: ParameterBox,
    ranges: MotionRanges,
    tube: TrackingTube,
) -> Array:
    """Return the largest kinetic energy of arm and payload on slices of time, shape (K,) [J].

    Args:
        model: The arm.
        bodies: Bodies that contain all mass of the links and of the payload, by their joints; the
            payload's are attached.
        box: Bounds of all parameters.
        ranges: Extrema of the desired motion on K slices.
        tube: Bounds of the tracking error.
    """
    middle = ranges.middle
    found = speed_bounds(model, bodies, ranges, tube)
    velocity = body_motion(model, middle.q, middle.dq).velocity  # (K, n + 1, 6)
    row = bilinear_form(velocity, velocity) / 2
    centre, half = box.bodies
    energy = np.einsum("kla,la->k", row, centre) + np.einsum("kla,la->k", np.abs(row), half)
    eps = (ranges.dq_upper - ranges.dq_lower) / 2 + tube.velocity
    rotor = box.rotor_inertia_upper / 2
    energy = energy + ((np.abs(middle.dq) + eps) ** 2) @ rotor
    mass = centre[:, 0] + half[:, 0]
    groups = [(j, False) for j in range(model.n)] + [(model.payload_joint, True)]
    for index, (joint, attached) in enumerate(groups):
        own = [
            b for b, item in enumerate(bodies) if item.joint == joint and item.attached == attached
        ]
        if not own:
            continue
        more = found.added[:, own].max(axis=1)
        fastest = found.nominal[:, own].max(axis=1)
        energy = energy + mass[index] * more * (2 * fastest + more) / 2
    return np.asarray(energy)
