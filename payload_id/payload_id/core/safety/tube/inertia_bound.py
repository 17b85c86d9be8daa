"""Lower bounds of the inertia at each joint, for every pose and every body in the box.

sigma_m of ARMOUR is the smallest eigenvalue of M(q; theta). The tube needs less, and gets more,
with one number for each joint,

    r' M(q; theta) r >= d_j r_j^2   for every r, q, theta,   so that   |r_j| <= sqrt(2 V_M / d_j).

d_j = I_j + mu_j: the rotor's reflected inertia, and what the bodies add. r' M r is twice the
kinetic energy at joint velocities r. Leave out all bodies but the two that joint j connects, A and
B, and let them float freely with S r_j between them: both only lower the energy. With spatial
inertias in the joint's frame and by Cauchy-Schwarz, where |S| = 1,

    min 2 T = r_j^2 S' (I_A^-1 + I_B^-1)^-1 S >= r_j^2 / (S' I_A^-1 S + S' I_B^-1 S) = r_j^2 mu_j.

S is the same seen from either body, whatever q_j: mu_j holds in every pose. On the base, mu_j is
S' I_B S. docs/proofs.md says what that means for the tube.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ...arm.arm_model import ArmModel
from ...arrays import Array
from ...body.inertial import TO_PINOCCHIO, pseudo_inertia


def inertia_bound(
    model: ArmModel, rotor_lower: Array, links: Array, link_half_width: Array
) -> Array:
    """Return d with r' M r >= d_j r_j^2 for each j, rotors included, shape (n,) [kg m2 or kg].

    The payload counts as nothing: whatever it is, its energy is not negative.

    Args:
        model: The arm.
        rotor_lower: Smallest reflected rotor inertia, shape (n,) [kg m2 or kg].
        links: phi of each body about its joint's frame, middle of its interval, shape (n, 10).
        link_half_width: Half-widths, shape (n, 10). Only bodies that exist are meant.
    """
    rotor = np.broadcast_to(np.asarray(rotor_lower, dtype=float), (model.n,))
    shares = [surely_there(*pair) for pair in zip(links, link_half_width, strict=True)]
    bodies = [
        share * pin.Inertia.FromDynamicParameters(phi[TO_PINOCCHIO]).matrix()
        for share, phi in zip(shares, links, strict=True)
    ]
    mu = [_floating_pair(model, j, bodies) for j in range(model.n)]
    return np.asarray(rotor + mu)


def surely_there(phi: Array, half_width: Array) -> float:
    """Return s in [0, 1] with J(phi') >= s J(phi) for every phi' of the box around phi.

    J(phi') - J(phi) = L (sum_k d_k L^-1 J_k L^-T) L' with J(phi) = L L' and |d_k| <= half_width_k:
    s = 1 - sum_k half_width_k ||L^-1 J_k L^-T||. A body that may vanish, or has no volume, gives 0.
    """
    values, vectors = np.linalg.eigh(pseudo_inertia(phi))
    if values[0] <= 1e-12 * max(values[-1], 1e-12):
        return 0.0
    white = vectors / np.sqrt(values)
    units = [white.T @ pseudo_inertia(unit) @ white for unit in np.eye(10)]
    spread = sum(h * np.linalg.norm(unit, 2) for h, unit in zip(half_width, units, strict=True))
    return float(np.clip(1.0 - spread, 0.0, 1.0))


def _floating_pair(model: ArmModel, j: int, bodies: list[Array]) -> float:
    """Return mu_j of joint j, bodies as spatial inertias about their joints' frames, (6, 6)."""
    axis = np.concatenate([model.axis_linear[j], model.axis_angular[j]])
    own, parent = bodies[j], model.parent[j]
    if not own.any():
        return 0.0
    if parent < 0:
        # The base stands still: all of the body's motion is about the axis.
        return float(axis @ own @ axis)
    if not bodies[parent].any():
        return 0.0
    X = pin.SE3(model.rotation[j], model.translation[j]).toActionMatrix()
    carrier = X.T @ bodies[parent] @ X
    compliance = axis @ np.linalg.solve(carrier, axis) + axis @ np.linalg.solve(own, axis)
    return float(1.0 / compliance)
