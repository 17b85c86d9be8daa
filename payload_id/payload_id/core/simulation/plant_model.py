"""MuJoCo model of an arm with a payload, built from the arm's URDF."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from ..arrays import Array
from ..body.inertial import as_phi, mass_com_inertia, pseudo_inertia
from ..errors import InputError, ModelError, UnknownNameError
from .mujoco_plant import new_spec

PAYLOAD = "simulated payload"  # name of its body
# MuJoCo refuses a moving body without mass or inertia; such a body gets this much.
NEGLIGIBLE = 1e-12  # [kg] and [kg m2]
# How far rounding may carry a payload at the edge of physical consistency beyond it.
ROUNDING = 1e-9  # relative to the largest principal moment [-], and [kg m2]


def plant_spec(
    skeleton: str,
    joints: Sequence[str],
    payload_frame: str,
    payload_phi: Array,
    gravity: Array,
    link_phis: Array | None,
    friction_coulomb: Array,
    friction_viscous: Array,
    armature: Array,
    step: float,
) -> mujoco.MjSpec:
    """Return what the MuJoCo model is made of; the payload is the body `PAYLOAD`.

    Args:
        skeleton: URDF with inertias and joints only, see `skeleton`.
        joints: The n joints that move.
        payload_frame: Link to which the payload is attached.
        payload_phi: Its inertial parameters about that link's frame, shape (10,).
        gravity: Gravity in the base frame, shape (3,) [m/s2].
        link_phis: Inertial parameters of the links between two joints taken together, about the
            joint's frame, shape (n, 10); None: those of the description.
        friction_coulomb: Shape (n,) [N m or N].
        friction_viscous: Shape (n,) [N m s/rad or N s/m].
        armature: Reflected rotor inertia, shape (n,) [kg m2 or kg].
        step: Step of the integration [s].

    Raises:
        ModelError: MuJoCo cannot read the description.
        InputError: The payload's or a link's parameters belong to no body.
        UnknownNameError: No such payload frame.
    """
    spec = _made("read", new_spec, step, gravity, skeleton)
    _fill(spec, joints, link_phis, (friction_coulomb, friction_viscous, armature))
    _attach_payload(spec, payload_frame, as_phi(payload_phi))
    return spec


def build_plant_model(*given: Any, **named: Any) -> mujoco.MjModel:
    """Return the MuJoCo model of `plant_spec`; ModelError where MuJoCo cannot simulate it."""
    return _made("simulate", plant_spec(*given, **named).compile)


def _made(what: str, make: Callable[..., Any], *given: Any) -> Any:
    """Return what MuJoCo makes of a description."""
    try:
        return make(*given)
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise ModelError(f"MuJoCo cannot {what} this robot description: {reason}") from error


def _fill(
    spec: mujoco.MjSpec,
    joints: Sequence[str],
    link_phis: Array | None,
    per_joint: tuple[Array, Array, Array],
) -> None:
    """Give joints and links what is simulated of them, and the controller its integrals."""
    friction_coulomb, friction_viscous, armature = per_joint
    for k, name in enumerate(joints):
        joint = spec.joint(name)
        joint.limited = mujoco.mjtLimited.mjLIMITED_FALSE
        joint.actfrclimited = mujoco.mjtLimited.mjLIMITED_FALSE
        joint.frictionloss, joint.armature = friction_coulomb[k], armature[k]
        joint.damping = [friction_viscous[k], 0.0, 0.0]
        if link_phis is not None:
            _replace_inertia(joint.parent, as_phi(link_phis[k]), f"the links of joint '{name}'")
        _ensure_inertia(joint.parent)
        _add_integral(spec, name)


def _add_integral(spec: mujoco.MjSpec, joint: str) -> None:
    """Add a state s of the controller, ds/dt = ctrl, which exerts no torque by itself."""
    spec.add_actuator(
        name=f"integral of {joint}",
        target=joint,
        trntype=mujoco.mjtTrn.mjTRN_JOINT,
        dyntype=mujoco.mjtDyn.mjDYN_INTEGRATOR,
        gaintype=mujoco.mjtGain.mjGAIN_FIXED,
        gainprm=np.zeros(10),
        biastype=mujoco.mjtBias.mjBIAS_NONE,
    )


def _attach_payload(spec: mujoco.MjSpec, payload_frame: str, phi: Array) -> None:
    """Weld a body with the inertial parameters phi to the payload frame."""
    frame = spec.body(payload_frame)
    if frame is None:
        names = [body.name for body in spec.bodies]
        raise UnknownNameError("payload frame", payload_frame, names, "the robot description")
    set_inertia(frame.add_body(name=PAYLOAD), phi, "the payload")


def _replace_inertia(body: mujoco.MjsBody, phi: Array, whose: str) -> None:
    """Give a moving body the inertia phi, and none to the bodies welded to it."""
    for child in body.bodies:
        if not child.joints:
            _replace_inertia(child, np.zeros(10), whose)
    set_inertia(body, phi, whose)


def _ensure_inertia(body: mujoco.MjsBody) -> None:
    """Give a moving body that has no inertia of its own a negligible one."""
    if not body.explicitinertial or body.mass < NEGLIGIBLE:
        set_inertia(body, np.array([1.0, 0, 0, 0, 1, 0, 0, 1, 0, 1]) * NEGLIGIBLE, "a link")
    elif np.isnan(body.fullinertia[0]):
        body.inertia = np.maximum(body.inertia, NEGLIGIBLE)
    elif not body.fullinertia.any():
        body.fullinertia = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]) * NEGLIGIBLE


def set_inertia(body: mujoco.MjsBody, phi: Array, whose: str) -> None:
    """Write inertial parameters about the body's frame in the form that MuJoCo wants."""
    mass, com, moments, axes = principal_inertia(phi, whose)
    body.explicitinertial = True
    body.mass, body.ipos, body.inertia = mass, com, moments
    body.fullinertia = np.array([np.nan, 0, 0, 0, 0, 0])
    body.iquat = Rotation.from_matrix(axes).as_quat(scalar_first=True)


def principal_inertia(phi: Array, whose: str = "the body") -> tuple[float, Array, Array, Array]:
    """Return mass, centre of mass, principal moments about it and their axes.

    Bodies at the edge of physical consistency (no mass, point mass, rod, plate) are allowed; where
    rounding has carried their moments beyond the edge, they are brought back, by at most
    `ROUNDING`.

    Args:
        phi: Inertial parameters, shape (10,).
        whose: Whose they are, for the error's sentence.

    Returns:
        mass: [kg].
        com: Centre of mass, shape (3,) [m].
        moments: Increasing principal moments, shape (3,) [kg m2].
        axes: Principal axes as columns of a rotation matrix, shape (3, 3).

    Raises:
        InputError: No mass distribution has these parameters.
    """
    smallest = float(np.linalg.eigvalsh(pseudo_inertia(phi))[0])
    if smallest < -ROUNDING * max(1.0, float(np.abs(phi).max())):
        raise InputError(
            f"The inertial parameters of {whose} belong to no body: the smallest eigenvalue of "
            f"their pseudo-inertia is {smallest:.3g}, and none may be negative. Found "
            f"{phi.tolist()} (mass, first moments, inertia about the frame's origin)."
        )
    mass, com, inertia = mass_com_inertia(phi)
    if mass <= 0.0:
        return 0.0, np.zeros(3), np.zeros(3), np.eye(3)
    moments, axes = np.linalg.eigh(inertia)
    moments = np.maximum(moments, 0.0)
    moments[2] = min(moments[2], moments[0] + moments[1])
    if np.linalg.det(axes) < 0:
        axes[:, 0] = -axes[:, 0]
    return mass, com, moments, axes
