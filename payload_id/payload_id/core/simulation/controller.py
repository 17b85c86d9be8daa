r"""The joint-space controller that moves the simulated arm.

    tau = RNEA(q_d, dq_d, ddq_d) + Kp(q_d) (q_d - q) + Kd(q_d) (dq_d - dq) + s,
    ds/dt = Ki(q_d) (q_d - q).

RNEA is the inverse dynamics of the arm as its description says, without payload: the controller
does not know what is to be identified; the integral s learns to carry it. The gains are made for
the inertia M + L, M that of the arm and L that of a load at the payload frame and of rotors,

    L(q) = J' J_load J + D,    M = C C',    C^-1 L C'^-1 = U diag(l) U',

so that in each of the modes C U the arm with that load is an oscillator of inertia 1 + l:

    [Kp, Kd, Ki] = C U diag([kp, kd, ki]) U' C',
    kp = w^2 (1 + l),    kd = 2 w (1 + l),    ki = w/3 kp,

but the integration step allows no pole beyond p without load: kd is smaller where it comes near,
by a damping ratio z < 1. There kp keeps to the stiffness that so little damping suffers, and ki to
what the integral may have (Routh: ki < 2 z w kp). All are smooth functions of l, so that torques
are smooth.

Gains that follow the inertia keep every pose of every arm damped; one gain for each
joint cannot, because joints whose axes fall into one line move far less inertia than each of them
elsewhere. For the same reason D is needed: where axes fall into one line, one turning against the
other moves neither load nor links, and without D a gain of the order of 1 N m/rad would have to
withstand a payload whose torques change by as much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ..arm.arm_model import ArmModel
from ..arm.frames import frame_id
from ..arrays import Array
from ..errors import ModelError
from ..motion.joint_trajectory import DesiredState
from .rigid_body import inverse_dynamics

LOAD_MASS = 4.0  # [kg] load for which the gains are made
LOAD_RADIUS = 0.15  # [m] its radius of gyration about the payload frame
ROTOR = 0.05  # [kg m2 or kg] D of each joint, the reflected inertia of a small drive
BANDWIDTH = 60.0  # [rad/s] natural frequency w with that load
INTEGRAL = 1.0 / 3.0  # rate of the integral over w, at full damping [-]
# RK4 is stable up to |pole| step = 2.78 on the negative real axis; links may be lighter than said.
STABLE_POLE = 1.5  # largest pole p of the arm without load, times the step [-]
LOWEST_DAMPING = 0.1  # damping ratio z at which half of the stiffness is left [-]
POSES = 128  # poses that are looked at
SMALLEST_INERTIA = 1e-9  # [kg m2 or kg]


@dataclass(frozen=True)
class JointController:
    """The controller's model.

    Attributes:
        model: The arm without payload; each joint has one coordinate.
        pinocchio: The same as a Pinocchio model with rotor inertias, joints in its own order.
        fastest: Pole that the integration step allows [rad/s].
    """

    model: ArmModel
    pinocchio: pin.Model
    fastest: float

    def feedforward(self, desired: DesiredState) -> Array:
        """Return RNEA(q_d, dq_d, ddq_d), shape (N, n), for arrays of shape (N, n) [N m or N]."""
        return inverse_dynamics(self.model, self.pinocchio, desired.q, desired.dq, desired.ddq)

    def gains(self, q: Array) -> tuple[Array, Array, Array]:
        """Return Kp, Kd and Ki, shape (N, n, n) each, for poses q of shape (N, n)."""
        M, L = inertia_with_load(self.model, self.pinocchio, q)
        C = np.linalg.cholesky(M)
        half = np.linalg.solve(C, L)
        l, U = np.linalg.eigh(np.linalg.solve(C, half.transpose(0, 2, 1)))
        kp, kd, ki = modal_gains(np.maximum(l, 0.0), self.fastest)
        modes = C @ U
        kp, kd, ki = ((modes * k[:, None]) @ modes.transpose(0, 2, 1) for k in (kp, kd, ki))
        return kp, kd, ki


def modal_gains(l: Array, fastest: float) -> tuple[Array, Array, Array]:
    """Return kp, kd and ki of modes, same shape as l.

    Args:
        l: Inertia of the load over that of the arm, none negative [-].
        fastest: Largest pole of a mode without load [rad/s].
    """
    full = 2.0 * BANDWIDTH * (1.0 + l)
    z = 1.0 / np.sqrt(1.0 + (full / fastest) ** 2)
    kp = BANDWIDTH**2 * (1.0 + l) * z**2 / (z**2 + LOWEST_DAMPING**2)
    return kp, z * full, INTEGRAL * z * BANDWIDTH * kp


def tune(model: ArmModel, step: float, armature: Array) -> JointController:
    """Return a controller that suits the arm with and without payload.

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
    M, _ = inertia_with_load(model, bare, poses)
    if np.linalg.eigvalsh(M).min() < SMALLEST_INERTIA:
        joint = int(np.argmin(np.diagonal(M, axis1=1, axis2=2).min(axis=0)))
        raise ModelError(
            f"Joint '{model.joints[joint]}' moves (almost) no inertia, so that its motion without "
            "payload is not determined. Add <inertial> elements to the links beyond it, or "
            "give it an armature."
        )
    return JointController(model, bare, STABLE_POLE / step)


def inertia_with_load(model: ArmModel, bare: pin.Model, q: Array) -> tuple[Array, Array]:
    """Return joint-space inertias for poses q of shape (N, n).

    Args:
        model: The arm.
        bare: Its Pinocchio model with rotor inertias.
        q: Poses, shape (N, n) [rad or m].

    Returns:
        M: Inertia of the arm, shape (N, n, n).
        L: Inertia for which gains are made: load at the payload frame and rotors, same shape.
    """
    order = list(model.order)
    frame = frame_id(bare, model.payload_frame)
    data = bare.createData()
    M, J = np.empty((len(q), model.n, model.n)), np.empty((len(q), 6, model.n))
    for k, pose in enumerate(np.ascontiguousarray(q[:, order])):
        M[k] = pin.crba(bare, data, pose)
        # With one joint Pinocchio returns a vector.
        J[k] = np.reshape(pin.computeFrameJacobian(bare, data, pose, frame), (6, model.n))
    M = np.triu(M) + np.triu(M, 1).transpose(0, 2, 1)
    load = LOAD_MASS * np.array([1.0] * 3 + [LOAD_RADIUS**2] * 3)
    L = np.einsum("kij,i,kil->kjl", J, load, J) + ROTOR * np.eye(model.n)
    back = np.argsort(order)
    return M[:, back][:, :, back], L[:, back][:, :, back]
