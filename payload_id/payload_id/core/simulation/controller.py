"""The joint-space controller that moves the simulated arm.

    tau = RNEA(q_d, dq_d, ddq_d) + Kp(q_d) (q_d - q) + Kd(q_d) (dq_d - dq)

RNEA is the inverse dynamics of the arm as its description says, without payload: the controller
does not know what is to be identified. The gains are matrices,

    Kp(q) = w^2 (M(q) + a_p L(q)),   Kd(q) = 2 w (M(q) + a_d L(q)),

M the joint-space inertia of the arm and L that of a load for which the gains are made. They follow
the inertia of the arm, which keeps every pose of every arm damped; one gain for each joint cannot,
because joints whose axes fall into one line move far less inertia than each of them elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ..arm_model import ArmModel
from ..errors import ModelError
from ..inertial import Array
from .joint_trajectory import DesiredState

LOAD_MASS = 4.0  # [kg] load for which the gains are made
LOAD_RADIUS = 0.15  # [m] its radius of gyration about the payload frame
BANDWIDTH = 40.0  # [rad/s] natural frequency w with that load
# RK4 is stable up to |pole| step = 2.78 on the negative real axis; links may be lighter than said.
STABLE_POLE = 1.5  # largest pole of the arm without load, times the step [-]
LOWEST_DAMPING = 0.1  # damping ratio with the load, where the step forbids full damping [-]
POSES = 128  # poses that are looked at
SMALLEST_INERTIA = 1e-9  # [kg m2 or kg]


@dataclass(frozen=True)
class JointController:
    """The controller's model and the shares of the load in its gains.

    Attributes:
        model: The arm without payload; each joint has one coordinate.
        pinocchio: The same as a Pinocchio model with rotor inertias, joints in its own order.
        stiffness_share: a_p [-].
        damping_share: a_d [-].
    """

    model: ArmModel
    pinocchio: pin.Model
    stiffness_share: float
    damping_share: float

    def feedforward(self, desired: DesiredState) -> Array:
        """Return RNEA(q_d, dq_d, ddq_d), shape (N, n), for arrays of shape (N, n) [N m or N]."""
        order, model = list(self.model.order), self.pinocchio
        data = model.createData()
        given = (desired.q, desired.dq, desired.ddq)
        parts = (np.ascontiguousarray(part[:, order]) for part in given)
        tau = np.empty_like(desired.q)
        tau[:, order] = [pin.rnea(model, data, *row) for row in zip(*parts, strict=True)]
        return tau

    def gains(self, q: Array) -> Array:
        """Return [Kp(q), Kd(q)] side by side, shape (N, n, 2 n), for poses q of shape (N, n)."""
        M, L = inertia_with_load(self.model, self.pinocchio, q)
        kp = BANDWIDTH**2 * (M + self.stiffness_share * L)
        kd = 2.0 * BANDWIDTH * (M + self.damping_share * L)
        return np.concatenate([kp, kd], axis=2)


def tune(model: ArmModel, step: float, armature: Array) -> JointController:
    """Return a controller that suits the arm with and without payload.

    Without load the fastest pole is 2 w (1 + a_d r), r the largest eigenvalue of M^-1 L over a
    fixed set of poses; a_d is as large as the integration step allows, and at most 1.

    Args:
        model: The arm without payload.
        step: Step of the integration [s].
        armature: Reflected rotor inertia, shape (n,) [kg m2 or kg].

    Raises:
        ModelError: A joint moves no inertia.
    """
    rng = np.random.default_rng(0)
    poses = np.vstack([np.zeros(model.n), rng.uniform(-np.pi, np.pi, (POSES - 1, model.n))])
    bare = model.pinocchio.copy()
    bare.armature = armature[list(model.order)]
    M, L = inertia_with_load(model, bare, poses)
    if np.linalg.eigvalsh(M).min() < SMALLEST_INERTIA:
        joint = int(np.argmin(np.diagonal(M, axis1=1, axis2=2).min(axis=0)))
        raise ModelError(
            f"Joint '{model.joints[joint]}' moves (almost) no inertia, so that its motion without "
            "payload is not determined. Add <inertial> elements to the links beyond it, or "
            "give it an armature."
        )
    ratio = float(np.linalg.eigvals(np.linalg.solve(M, L)).real.max())
    fastest = STABLE_POLE / step
    damping = float(np.clip((fastest / (2.0 * BANDWIDTH) - 1.0) / ratio, 0.0, 1.0))
    stiffness = min(1.0, (damping / LOWEST_DAMPING) ** 2)
    return JointController(model, bare, max(stiffness, damping), damping)


def inertia_with_load(model: ArmModel, bare: pin.Model, q: Array) -> tuple[Array, Array]:
    """Return joint-space inertias for poses q of shape (N, n).

    Args:
        model: The arm.
        bare: Its Pinocchio model with rotor inertias.
        q: Poses, shape (N, n) [rad or m].

    Returns:
        M: Inertia of the arm, shape (N, n, n).
        L: Inertia of the load for which gains are made, at the payload frame, same shape.
    """
    order = list(model.order)
    frame = bare.getFrameId(model.payload_frame)
    data = bare.createData()
    M, J = np.empty((len(q), model.n, model.n)), np.empty((len(q), 6, model.n))
    for k, pose in enumerate(np.ascontiguousarray(q[:, order])):
        M[k] = pin.crba(bare, data, pose)
        # With one joint Pinocchio returns a vector.
        J[k] = np.reshape(pin.computeFrameJacobian(bare, data, pose, frame), (6, model.n))
    M = np.triu(M) + np.triu(M, 1).transpose(0, 2, 1)
    load = LOAD_MASS * np.array([1.0] * 3 + [LOAD_RADIUS**2] * 3)
    L = np.einsum("kij,i,kil->kjl", J, load, J)
    back = np.argsort(order)
    return M[:, back][:, :, back], L[:, back][:, :, back]
