"""An arm with a payload in MuJoCo: what simulations with and without controller share.

There are no mechanical stops and no contacts.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial

import mujoco
import numpy as np

from ..arm.arm_model import STANDARD_GRAVITY, ArmModel
from ..arrays import Array
from ..errors import InputError, PayloadIdError
from .mujoco_state import new_state
from .plant_model import build_plant_model
from .skeleton import skeleton

PHYSICS_STEP = 0.25e-3  # [s]
INERTIA = ("body_mass", "body_ipos", "body_iquat", "body_inertia")  # of MuJoCo's model

# MuJoCo's control callback is one for the whole process: one plant steps at a time.
STEPPING = threading.Lock()


class SimulationError(PayloadIdError, RuntimeError):
    """The simulated motion has diverged."""


class MujocoArm:
    """An arm whose true state MuJoCo integrates.

    Attributes:
        nominal: The arm as the description says.
        payload_phi: The payload's true inertial parameters, shape (10,).
        link_phis: True inertial parameters of the links between two joints, shape (n, 10).
        armature: Reflected rotor inertia, shape (n,) [kg m2 or kg].
        step: Integration step [s].
        model: MuJoCo's model.
        data: MuJoCo's state.
    """

    def __init__(
        self,
        urdf: str,
        joints: Sequence[str],
        payload_frame: str,
        payload_phi: Array | Sequence[float] = (0.0,) * 10,
        gravity: Sequence[float] | Array = STANDARD_GRAVITY,
        *,
        link_phis: Array | None = None,
        friction_coulomb: float | Array = 0.0,
        friction_viscous: float | Array = 0.0,
        armature: float | Array = 0.0,
        step: float = PHYSICS_STEP,
    ) -> None:
        """Build the arm.

        Args:
            urdf: Robot description, XML text.
            joints: The n joints that move, in the order of all arrays; the others stay at 0.
            payload_frame: Link to which the payload is rigidly attached.
            payload_phi: The payload's inertial parameters about the origin of that link's frame,
                shape (10,); zeros: no payload.
            gravity: Gravity in the base frame, shape (3,) [m/s2].
            link_phis: True inertial parameters of the links between two joints taken together,
                about the joint's frame, shape (n, 10). None: as the description says.
            friction_coulomb: Coulomb friction, one number or shape (n,) [N m or N].
            friction_viscous: Viscous friction, one number or shape (n,) [N m s/rad or N s/m].
            armature: Reflected rotor inertia, one number or shape (n,) [kg m2 or kg].
            step: Integration step [s].

        Raises:
            ModelError: The description cannot be simulated.
            InputError: A parameter is impossible.
        """
        bare = skeleton(urdf, joints)
        self.nominal = nominal_arm(urdf, joints, payload_frame, gravity)
        n = self.nominal.n
        self.armature = per_joint("armature", armature, n)
        self.payload_phi = np.array(payload_phi, dtype=float)
        self.link_phis = self.nominal.link_phi if link_phis is None else np.array(link_phis)
        self.step = _positive("step", step)
        self._built = partial(
            build_plant_model,
            bare,
            joints,
            payload_frame,
            gravity=self.nominal.gravity,
            link_phis=None if link_phis is None else self.link_phis,
            friction_coulomb=per_joint("friction_coulomb", friction_coulomb, n),
            friction_viscous=per_joint("friction_viscous", friction_viscous, n),
            armature=self.armature,
            step=step,
        )
        self.model = self._built(self.payload_phi)
        self.data = new_state(self.model)
        # Index of each of our joints among MuJoCo's coordinates.
        self._to_ours = np.array([self.model.joint(name).dofadr[0] for name in joints])
        self._steps = 0

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.nominal.n

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._steps * self.step

    @property
    def state(self) -> tuple[Array, Array]:
        """True positions and velocities, each of shape (n,)."""
        return self.data.qpos[self._to_ours], self.data.qvel[self._to_ours]

    def set_payload(self, phi: Array | Sequence[float]) -> None:
        """Carry another payload from now on, in whatever state the arm is.

        Args:
            phi: Inertial parameters about the payload frame, shape (10,); zeros: no payload.

        Raises:
            InputError: They belong to no body.
        """
        payload = np.array(phi, dtype=float)
        other = self._built(payload)
        for name in INERTIA:
            getattr(self.model, name)[:] = getattr(other, name)
        mujoco.mj_setConst(self.model, mujoco.MjData(self.model))
        self.payload_phi = payload

    def _restart(self, q: Array) -> None:
        """Go back to time 0, after checking the positions to start from, shape (n,)."""
        if np.shape(q) != (self.n,) or not np.isfinite(q).all():
            raise InputError(f"The arm has {self.n} joints; found the positions {q!r}.")
        mujoco.mj_resetData(self.model, self.data)
        self._steps = 0

    def _check_finite(self, cause: str) -> None:
        """Raise when the motion has diverged, with a sentence on what may have caused it."""
        if not (np.isfinite(self.data.qpos).all() and np.isfinite(self.data.qvel).all()):
            raise SimulationError(f"The simulated arm has diverged before {self.time:.3f} s{cause}")


def nominal_arm(
    urdf: str,
    joints: Sequence[str],
    payload_frame: str,
    gravity: Sequence[float] | Array = STANDARD_GRAVITY,
) -> ArmModel:
    """Return the arm as its description says, one coordinate for each joint; see `Plant`."""
    return ArmModel.from_xml(skeleton(urdf, joints), payload_frame, tuple(joints), tuple(gravity))


def per_joint(name: str, value: float | Array, n: int) -> Array:
    """Return one non-negative number for each joint, shape (n,)."""
    array = np.asarray(value, dtype=float)
    if array.shape not in ((), (n,)) or np.isnan(array).any() or (array < 0).any():
        raise InputError(
            f"{name} must be one number or {n} numbers (one for each joint), none negative; "
            f"found {value!r}."
        )
    return np.broadcast_to(array, (n,)).astype(float)


def _positive(name: str, value: float) -> float:
    """Return a finite number above 0."""
    if not (np.isfinite(value) and value > 0):
        raise InputError(f"{name} must be a finite number above 0; found {value!r}.")
    return float(value)
