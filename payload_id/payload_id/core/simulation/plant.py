"""The simulated arm: MuJoCo integrates it, a joint-space controller or given torques drive it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import mujoco
import numpy as np
from scipy.interpolate import CubicSpline

from ..arm.arm_model import STANDARD_GRAVITY
from ..arrays import Array
from ..errors import InputError
from ..motion.joint_trajectory import DesiredState, JointTrajectory, sample, starting_from
from ..samples.joint_samples import Samples
from ..threads import one_thread
from .controller import tune
from .mujoco_plant import MujocoPlant
from .plant_model import PAYLOAD, build_plant_model
from .skeleton import nominal_arm, skeleton

PHYSICS_STEP = 0.25e-3  # [s]
BLOCK = 128  # steps for which the reference is computed at once
SHORT_BLOCK = 16  # where another trajectory comes within a few milliseconds
GAINS_EVERY = 16  # half steps between two computed gains; divides the 2 steps of a block


@dataclass(frozen=True)
class PlantState:
    """What really happens in the simulated arm at one instant.

    Attributes:
        t: Simulated time [s].
        q: Joint positions, shape (n,) [rad or m].
        dq: Joint velocities, shape (n,) [rad/s or m/s].
        tau: Torques that the actuators apply, shape (n,) [N m or N].
    """

    t: float
    q: Array
    dq: Array
    tau: Array


@lru_cache
def _spline(block: int) -> Array:
    """Return the weights of the knots at every half step of a block, shape (2 block + 1, K)."""
    knots = np.arange(0, 2 * block + 1, GAINS_EVERY)
    return np.asarray(CubicSpline(knots, np.eye(len(knots)))(np.arange(2 * block + 1)))


class Plant(MujocoPlant):
    """An arm with a payload under joint-space control, see `JointController`.

    It starts at time 0 at rest, holding `q0` as well as its controller can.

    Attributes:
        nominal: The arm as the description says.
        controller: The controller, which knows the nominal arm.
        payload_phi: The payload's true inertial parameters, shape (10,).
        link_phis: True inertial parameters of the links between two joints, shape (n, 10).
        armature: Reflected rotor inertia, shape (n,) [kg m2 or kg].
    """

    def __init__(
        self,
        urdf: str,
        joints: Sequence[str],
        payload_frame: str,
        payload_phi: Array | Sequence[float] = (0.0,) * 10,
        gravity: Sequence[float] | Array = STANDARD_GRAVITY,
        *,
        q0: Array | Sequence[float] | None = None,
        link_phis: Array | None = None,
        friction_coulomb: float | Array = 0.0,
        friction_viscous: float | Array = 0.0,
        armature: float | Array = 0.0,
        step: float = PHYSICS_STEP,
        block: int = BLOCK,
    ) -> None:
        """Build the arm and its controller.

        Args:
            urdf: Robot description, XML text.
            joints: The n joints that move, in the order of all arrays; the others stay at 0.
            payload_frame: Link to which the payload is rigidly attached.
            payload_phi: The payload's inertial parameters about the origin of that link's frame,
                shape (10,); zeros: no payload.
            gravity: Gravity in the base frame, shape (3,) [m/s2].
            q0: Positions to hold at first, shape (n,) [rad or m]. None: zeros.
            link_phis: True inertial parameters of the links between two joints taken together,
                about the joint's frame, shape (n, 10). None: as the description says.
            friction_coulomb: Coulomb friction, one number or shape (n,) [N m or N].
            friction_viscous: Viscous friction, one number or shape (n,) [N m s/rad or N s/m].
            armature: Reflected rotor inertia, one number or shape (n,) [kg m2 or kg].
            step: Integration step [s].
            block: Steps for which the reference is computed at once: `BLOCK`, or `SHORT_BLOCK`.

        Raises:
            ModelError: The description cannot be simulated.
            InputError: A parameter is impossible.
        """
        if not (np.isfinite(step) and step > 0):
            raise InputError(f"step must be a finite number above 0 s; found {step!r}.")
        self.nominal = nominal_arm(urdf, joints, payload_frame, gravity)
        self.n = self.nominal.n
        self.armature = self._per_joint("armature", armature)
        self.payload_phi = np.array(payload_phi, dtype=float)
        self.link_phis = self.nominal.link_phi if link_phis is None else np.array(link_phis)
        self._built = partial(
            build_plant_model,
            skeleton(urdf, joints),
            joints,
            payload_frame,
            gravity=self.nominal.gravity,
            link_phis=None if link_phis is None else self.link_phis,
            friction_coulomb=self._per_joint("friction_coulomb", friction_coulomb),
            friction_viscous=self._per_joint("friction_viscous", friction_viscous),
            armature=self.armature,
            step=step,
        )
        super().__init__(self._built(self.payload_phi))
        # Index of each of our joints among MuJoCo's coordinates.
        self._to_ours = np.array([self.model.joint(name).dofadr[0] for name in joints])
        self._to_mujoco = np.argsort(self._to_ours)
        self._block = block
        self.controller = tune(self.nominal, step, self.armature)
        self._push = np.zeros(self.n)
        # The controller runs at every stage of the integration: it reads views, not properties.
        self._qpos, self._qvel, self._integral = self.data.qpos, self.data.qvel, self.data.act
        self._integral_rate = self.data.ctrl
        self.reset(np.zeros(self.n) if q0 is None else np.asarray(q0, dtype=float))

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
        for name in ("body_mass", "body_ipos", "body_iquat", "body_inertia"):
            getattr(self.model, name)[:] = getattr(other, name)
        mujoco.mj_setConst(self.model, mujoco.MjData(self.model))
        self.payload_phi = payload

    def reset(self, q: Array, dq: Array | None = None) -> None:
        """Go back to time 0 where the controller, told to hold q, keeps the arm still.

        Args:
            q: Desired positions, shape (n,) [rad or m].
            dq: Velocities at which the arm moves there all the same, shape (n,); None: at rest.
        """
        wanted = self._joint_numbers("positions", q)
        self._restart()
        self._imposed: Array | None = None
        self._hold(DesiredState.rest(wanted))
        self._find_equilibrium()
        self.data.qvel[self._to_ours] = 0.0 if dq is None else dq

    def desired(self) -> DesiredState:
        """Return what the trajectory desires now, arrays of shape (n,)."""
        return sample(self._trajectory, self.time - self._trajectory_start)

    def set_trajectory(
        self, trajectory: JointTrajectory | None, start_time: float | None = None
    ) -> None:
        """Replace the trajectory that the arm follows.

        Args:
            trajectory: The new one; None: stop here and hold.
            start_time: Simulated time at which it starts [s]; None: now.

        Raises:
            InputError: The trajectory has another number of joints.
        """
        present = self.desired()
        if trajectory is None:
            self._hold(DesiredState.rest(present.q))
            return
        start = self.time if start_time is None else start_time
        self._trajectory = starting_from(trajectory, present, at=self.time - start)
        self._begin_at(start)

    def set_torque(self, torque: Array | None) -> None:
        """Apply torques from now on, whatever becomes of the arm, in place of the controller's.

        Args:
            torque: One for each joint, shape (n,) [N m or N]. None: the controller takes over, and
                holds the arm where it is.

        Raises:
            InputError: They are not n finite numbers.
        """
        if torque is not None:
            self._imposed = self._joint_numbers("torques", torque)[self._to_mujoco]
        elif self._imposed is not None:
            self._imposed = None
            self._hold(DesiredState.rest(self.state[0]))

    def push(self, torque: Array) -> None:
        """Have somebody or something push the arm from now on; no sensor of torque shows it.

        Args:
            torque: What that exerts on each joint, shape (n,) [N m or N]; zeros: nothing.

        Raises:
            InputError: They are not n finite numbers.
        """
        self._push = self._joint_numbers("push", torque)[self._to_mujoco]

    def step_to(self, t: float) -> None:
        """Simulate up to time t [s], rounded to whole integration steps.

        Raises:
            SimulationError: The motion has diverged.
        """
        target = round(t / self.step)
        while self._steps < target:
            if self._steps >= self._end:
                self._prepare_reference()
            self._advance(min(target, self._end) - self._steps, self._present_torque())
        self._check_finite(
            f". The torques are too stiff for the step of {self.step:g} s, or the payload is far "
            "beyond the arm; use a smaller step, or a controller that holds it."
        )

    def measure(self) -> PlantState:
        """Return the true state and the torque that is applied in it."""
        if not self._first <= self._steps < self._end:
            self._prepare_reference()
        tau = self._torque(2 * (self._steps - self._first))
        return PlantState(self.time, *self.state, tau[self._to_ours])

    def rotor_torque(self) -> Array:
        """Return the part of the torque applied now that accelerates the rotors, shape (n,)."""
        self._find_acceleration()
        return np.asarray(self.armature * self.data.qacc[self._to_ours])

    def payload_wrench(self) -> Array:
        """Return what the arm exerts on the payload now, in the payload frame, shape (6,) [N, N m].

        Force first; the torque is about the frame's origin.
        """
        self._find_acceleration()
        model, data = self.model, self.data
        mujoco.mj_rnePostConstraint(model, data)
        body = model.body(PAYLOAD).id
        torque, force = data.cfrc_int[body].reshape(2, 3)  # along the base's axes, about `about`
        about = data.subtree_com[model.body_rootid[body]]
        torque = torque + np.cross(about - data.xpos[body], force)
        return np.ravel(np.stack([force, torque]) @ data.xmat[body].reshape(3, 3))

    def _find_acceleration(self) -> None:
        """Have MuJoCo compute how the torques applied now accelerate the arm."""
        self.data.qfrc_applied[:] = self._torque(2 * (self._steps - self._first)) + self._push
        mujoco.mj_forward(self.model, self.data)

    def _hold(self, state: DesiredState) -> None:
        """Make the controller hold a position from now on."""
        self._trajectory = JointTrajectory(np.zeros(1), state.q[np.newaxis])
        self._begin_at(self.time)

    def _begin_at(self, start: float) -> None:
        """Begin a trajectory whose time 0 is at a time [s]."""
        self._trajectory_start = start
        self._first = self._end = 0

    def _prepare_reference(self) -> None:
        """Compute what the controller needs at all integration stages of the next steps.

        [tau - s, ds/dt] = reference - gains [q, dq]. Stages lie at whole and half steps; row k
        belongs to the time (first + k / 2) step. Arrays are in MuJoCo's joint order.
        """
        self._first, self._end = self._steps, self._steps + self._block
        half_steps = np.arange(2 * self._first, 2 * self._end + 1, dtype=float)
        times = half_steps * (0.5 * self.step) - self._trajectory_start
        if times[0] >= self._trajectory.time[-1]:
            times = times[:1]  # The arm holds still: all rows are the same.
        desired = sample(self._trajectory, times)
        gains = self._gains_along(desired.q)
        order, rows, n = self._to_mujoco, len(half_steps), self.n
        state = np.concatenate([desired.q[:, order], desired.dq[:, order]], axis=1)
        reference = (gains @ state[:, :, np.newaxis])[:, :, 0]
        reference[:, :n] += self.controller.feedforward(desired)[:, order]
        self._reference = np.broadcast_to(reference, (rows, 2 * n))
        self._gains = np.broadcast_to(gains, (rows, 2 * n, 2 * n))

    def _gains_along(self, q: Array) -> Array:
        """Return [[Kp, Kd], [Ki, 0]] along poses q, shape (N, n), in MuJoCo's joint order.

        They are computed at every `GAINS_EVERY`th pose; cubic splines join them.
        """
        order = self._to_mujoco
        kp, kd, ki = (K[:, order][:, :, order] for K in self.controller.gains(q[::GAINS_EVERY]))
        knots = np.block([[kp, kd], [ki, np.zeros_like(ki)]])
        return knots if len(q) == 1 else np.tensordot(_spline(self._block), knots, axes=1)

    def _torque(self, row: int) -> Array:
        """Return the controller's torque in MuJoCo's present state, in MuJoCo's joint order.

        The rate of its integral is left in MuJoCo's controls.
        """
        if self._imposed is not None:
            self._integral_rate[:] = 0.0
            return self._imposed
        state = np.concatenate((self._qpos, self._qvel))
        both = self._reference[row] - self._gains[row] @ state
        self._integral_rate[:] = both[self.n :]
        return np.asarray(both[: self.n] + self._integral)

    def _present_torque(self) -> Callable[[int], Array]:
        """Return what torque and push exert together so many half steps from now."""
        first = 2 * (self._steps - self._first)
        return lambda half: self._torque(first + half) + self._push

    def _find_equilibrium(self) -> None:
        """Let the integral carry what the feedforward lacks of gravity."""
        wanted = self.desired().q
        feedforward = self.controller.feedforward(DesiredState.rest(wanted[np.newaxis]))[0]
        self.data.qpos[self._to_ours] = wanted
        mujoco.mj_forward(self.model, self.data)
        missing = self.data.qfrc_bias[self._to_ours] - feedforward
        self.data.act[:] = missing[self._to_mujoco]

    def _per_joint(self, name: str, value: float | Array) -> Array:
        """Return one non-negative number for each joint, shape (n,)."""
        array, n = np.asarray(value, dtype=float), self.n
        if array.shape not in ((), (n,)) or np.isnan(array).any() or (array < 0).any():
            raise InputError(
                f"{name} must be one number or {n} numbers (one for each joint), none negative; "
                f"found {value!r}."
            )
        return np.broadcast_to(array, (n,)).astype(float)

    def _joint_numbers(self, what: str, value: Array) -> Array:
        """Return n finite numbers."""
        if np.shape(value) != (self.n,) or not np.isfinite(value).all():
            raise InputError(f"The arm has {self.n} joints; found the {what} {value!r}.")
        return np.asarray(value, dtype=float)


def simulate(
    plant: Plant, trajectory: JointTrajectory, duration: float, rate: float = 1000.0
) -> Samples:
    """Let a plant follow a trajectory from now on.

    Args:
        plant: The plant; it is left in its last state.
        trajectory: The trajectory.
        duration: How long [s].
        rate: Samples per second [Hz]; their times are whole integration steps.

    Returns:
        samples: True positions, velocities and torques at `duration * rate + 1` instants.
    """
    start = plant.time
    plant.set_trajectory(trajectory)
    states = []
    with one_thread():
        for k in range(round(duration * rate) + 1):
            plant.step_to(start + k / rate)
            states.append(plant.measure())
    return Samples(
        np.array([state.t for state in states]),
        np.array([state.q for state in states]),
        np.array([state.dq for state in states]),
        np.array([state.tau for state in states]),
    )
