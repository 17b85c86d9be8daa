"""The simulated arm: MuJoCo integrates it, a joint-space controller drives it.

The controller is evaluated in continuous time, at every stage of the Runge-Kutta integration: the
torque is a smooth function of time, and the torque that is reported for an instant is exactly the
one that the actuators applied at that instant. There are no mechanical stops and no contacts.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.interpolate import CubicSpline

from ..arm.arm_model import STANDARD_GRAVITY, ArmModel
from ..arrays import Array
from ..errors import InputError, PayloadIdError
from ..motion.joint_trajectory import DesiredState, JointTrajectory, sample, starting_from
from ..samples.joint_samples import Samples
from .controller import tune
from .plant_model import build_plant_model
from .skeleton import skeleton

PHYSICS_STEP = 0.25e-3  # [s]
BLOCK = 128  # steps for which the reference is computed at once
GAINS_EVERY = 16  # half steps between two computed gains; divides the 2 BLOCK of a reference
_KNOTS = np.arange(0, 2 * BLOCK + 1, GAINS_EVERY)
SPLINE = CubicSpline(_KNOTS, np.eye(len(_KNOTS)))(np.arange(2 * BLOCK + 1))  # weights of the knots

# MuJoCo's control callback is one for the whole process: one plant steps at a time.
STEPPING = threading.Lock()


class SimulationError(PayloadIdError, RuntimeError):
    """The simulated motion has diverged."""


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


class Plant:
    """An arm with a payload under joint-space control, see `JointController`.

    It starts at time 0 at rest, holding `q0` as well as its controller can.

    Attributes:
        nominal: The arm as the description says, which the controller knows.
        controller: The controller.
        payload_phi: The payload's true inertial parameters, shape (10,).
        link_phis: True inertial parameters of the links between two joints, shape (n, 10).
        step: Integration step [s].
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
        effort_limit: float | Array = np.inf,
        q0: Array | Sequence[float] | None = None,
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
            effort_limit: Largest torque of the actuators, one number or shape (n,) [N m or N].
            q0: Positions to hold at first, shape (n,) [rad or m]. None: zeros.
            step: Integration step [s].

        Raises:
            ModelError: The description cannot be simulated.
            InputError: A parameter is impossible.
        """
        bare = skeleton(urdf, joints)
        self.nominal = nominal_arm(urdf, joints, payload_frame, gravity)
        n = self.nominal.n
        self._armature = _per_joint("armature", armature, n)
        self._effort_limit = _per_joint("effort_limit", effort_limit, n)
        self._limited = bool(np.isfinite(self._effort_limit).any())
        self.payload_phi = np.array(payload_phi, dtype=float)
        self.link_phis = self.nominal.link_phi if link_phis is None else np.array(link_phis)
        self.step = _positive("step", step)
        self.model = build_plant_model(
            bare,
            joints,
            payload_frame,
            self.payload_phi,
            self.nominal.gravity,
            None if link_phis is None else self.link_phis,
            _per_joint("friction_coulomb", friction_coulomb, n),
            _per_joint("friction_viscous", friction_viscous, n),
            self._armature,
            step,
        )
        self.data = mujoco.MjData(self.model)
        # Index of each of our joints among MuJoCo's coordinates, and the other way round.
        self._to_ours = np.array([self.model.joint(name).dofadr[0] for name in joints])
        self._to_mujoco = np.argsort(self._to_ours)
        self.controller = tune(self.nominal, step, self._armature)
        self._limit = self._effort_limit[self._to_mujoco]
        # The controller runs at every stage of the integration: it reads views, not properties.
        self._state = np.empty(2 * n)
        self._position, self._velocity = self._state[:n], self._state[n:]
        self._dofs = n
        self._qpos, self._qvel, self._integral = self.data.qpos, self.data.qvel, self.data.act
        self._integral_rate = self.data.ctrl
        self.reset(np.zeros(n) if q0 is None else np.asarray(q0, dtype=float))

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

    def reset(self, q: Array) -> None:
        """Go back to time 0 at rest where the controller, told to hold q, keeps the arm still.

        Args:
            q: Desired positions, shape (n,) [rad or m].
        """
        if np.shape(q) != (self.n,) or not np.isfinite(q).all():
            raise InputError(f"The arm has {self.n} joints; found the positions {q!r}.")
        mujoco.mj_resetData(self.model, self.data)
        self._steps = 0
        self._hold(DesiredState.rest(q))
        self._find_equilibrium()

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
        self._trajectory_start = start
        self._first = self._end = 0

    def step_to(self, t: float) -> None:
        """Simulate up to time t [s], rounded to whole integration steps.

        Raises:
            SimulationError: The motion has diverged.
        """
        target = round(t / self.step)
        while self._steps < target:
            if self._steps >= self._end:
                self._prepare_reference()
            count = min(target, self._end) - self._steps
            self._advance(count)
            self._steps += count
        self._check_finite()

    def measure(self) -> PlantState:
        """Return the true state and the torque that is applied in it."""
        if not self._first <= self._steps < self._end:
            self._prepare_reference()
        tau = self._torque(2 * (self._steps - self._first))
        return PlantState(self.time, *self.state, tau[self._to_ours])

    def _hold(self, state: DesiredState) -> None:
        """Make the controller hold a position from now on."""
        self._trajectory = JointTrajectory(np.zeros(1), state.q[np.newaxis])
        self._trajectory_start = self.time
        self._first = self._end = 0

    def _prepare_reference(self) -> None:
        """Compute what the controller needs at all integration stages of the next steps.

        [tau - s, ds/dt] = reference - gains [q, dq]. Stages lie at whole and half steps; row k
        belongs to the time (first + k / 2) step. Arrays are in MuJoCo's joint order.
        """
        self._first, self._end = self._steps, self._steps + BLOCK
        half_steps = np.arange(2 * self._first, 2 * self._end + 1, dtype=float)
        times: Array = half_steps * (0.5 * self.step) - self._trajectory_start
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
        return knots if len(q) == 1 else np.tensordot(SPLINE, knots, axes=1)

    def _torque(self, row: int) -> Array:
        """Return the controller's torque in MuJoCo's present state, in MuJoCo's joint order.

        The rate of its integral is left in MuJoCo's controls; it rests where the torque is cut.
        """
        self._position[:], self._velocity[:] = self._qpos, self._qvel
        both = self._reference[row] - self._gains[row] @ self._state
        tau = both[: self._dofs] + self._integral
        self._integral_rate[:] = both[self._dofs :]
        if not self._limited:
            return tau
        cut = np.clip(tau, -self._limit, self._limit)
        self._integral_rate[cut != tau] = 0.0
        return cut

    def _advance(self, count: int) -> None:
        """Integrate some steps within the prepared reference."""
        data = self.data
        applied = data.qfrc_applied
        start = data.time = self._steps * self.step
        offset = 2 * (self._steps - self._first) + 0.5
        rate = 2.0 / self.step

        def control(_model: mujoco.MjModel, _data: mujoco.MjData) -> None:
            applied[:] = self._torque(int((data.time - start) * rate + offset))

        with STEPPING:
            previous = mujoco.get_mjcb_control()
            mujoco.set_mjcb_control(control)
            try:
                mujoco.mj_step(self.model, data, nstep=count)
            finally:
                mujoco.set_mjcb_control(previous)

    def _find_equilibrium(self) -> None:
        """Let the integral carry what the feedforward lacks of gravity."""
        wanted = self.desired().q
        feedforward = self.controller.feedforward(DesiredState.rest(wanted[np.newaxis]))[0]
        missing = self._gravity_torque(wanted) - feedforward
        self.data.act[:] = missing[self._to_mujoco]

    def _gravity_torque(self, q: Array) -> Array:
        """Return the torque that holds the true arm at q, shape (n,)."""
        self.data.qpos[self._to_ours] = q
        mujoco.mj_forward(self.model, self.data)
        return self.data.qfrc_bias[self._to_ours]

    def _check_finite(self) -> None:
        """Raise when the motion has diverged."""
        if not (np.isfinite(self.data.qpos).all() and np.isfinite(self.data.qvel).all()):
            raise SimulationError(
                f"The simulated arm has diverged before {self.time:.3f} s. The gains are too stiff "
                f"for the step of {self.step:g} s, or the payload is far beyond the arm; use a "
                "smaller step or other gains."
            )


def nominal_arm(
    urdf: str,
    joints: Sequence[str],
    payload_frame: str,
    gravity: Sequence[float] | Array = STANDARD_GRAVITY,
) -> ArmModel:
    """Return the arm as its description says, one coordinate for each joint; see `Plant`."""
    return ArmModel.from_xml(skeleton(urdf, joints), payload_frame, tuple(joints), tuple(gravity))


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
    for k in range(round(duration * rate) + 1):
        plant.step_to(start + k / rate)
        states.append(plant.measure())
    return Samples(
        np.array([state.t for state in states]),
        np.array([state.q for state in states]),
        np.array([state.dq for state in states]),
        np.array([state.tau for state in states]),
    )


def _per_joint(name: str, value: float | Array, n: int) -> Array:
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
