"""The simulated arm: MuJoCo integrates it, a joint-space controller drives it.

The controller is evaluated in continuous time, at every stage of the Runge-Kutta integration: the
torque is a smooth function of time, and the torque that is reported for an instant is exactly the
one that the actuators applied at that instant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

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
from .mujoco_arm import STEPPING, MujocoArm, per_joint

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


class Plant(MujocoArm):
    """An arm with a payload under joint-space control, see `JointController`.

    It starts at time 0 at rest, holding `q0` as well as its controller can.

    Attributes:
        controller: The controller, which knows the nominal arm.
    """

    def __init__(
        self,
        urdf: str,
        joints: Sequence[str],
        payload_frame: str,
        payload_phi: Array | Sequence[float] = (0.0,) * 10,
        gravity: Sequence[float] | Array = STANDARD_GRAVITY,
        *,
        effort_limit: float | Array = np.inf,
        q0: Array | Sequence[float] | None = None,
        block: int = BLOCK,
        **true_arm: Any,
    ) -> None:
        """Build the arm and its controller.

        Args:
            urdf: As `MujocoArm` has it, and so the next four.
            joints: The n joints that move.
            payload_frame: Link to which the payload is attached.
            payload_phi: The payload's inertial parameters, shape (10,).
            gravity: Gravity in the base frame, shape (3,) [m/s2].
            effort_limit: Largest torque of the actuators, one number or shape (n,) [N m or N].
            q0: Positions to hold at first, shape (n,) [rad or m]. None: zeros.
            block: Steps for which the reference is computed at once: `BLOCK`, or `SHORT_BLOCK`.
            **true_arm: The keywords of `MujocoArm`: links, friction, rotors and step.

        Raises:
            ModelError: The description cannot be simulated.
            InputError: A parameter is impossible.
        """
        super().__init__(urdf, joints, payload_frame, payload_phi, gravity, **true_arm)
        n = self.n
        self._to_mujoco = np.argsort(self._to_ours)
        self._block = block
        self.controller = tune(self.nominal, self.step, self.armature)
        self._limit = per_joint("effort_limit", effort_limit, n)[self._to_mujoco]
        self._limited = bool(np.isfinite(self._limit).any())
        self._push = np.zeros(n)
        # The controller runs at every stage of the integration: it reads views, not properties.
        self._state = np.empty(2 * n)
        self._position, self._velocity = self._state[:n], self._state[n:]
        self._dofs = n
        self._qpos, self._qvel, self._integral = self.data.qpos, self.data.qvel, self.data.act
        self._integral_rate = self.data.ctrl
        self.reset(np.zeros(n) if q0 is None else np.asarray(q0, dtype=float))

    def reset(self, q: Array) -> None:
        """Go back to time 0 at rest where the controller, told to hold q, keeps the arm still.

        Args:
            q: Desired positions, shape (n,) [rad or m].
        """
        self._restart(q)
        self._speed = 1.0
        self._imposed: Array | None = None
        self._hold(DesiredState.rest(q))
        self._find_equilibrium()

    def desired(self) -> DesiredState:
        """Return what the trajectory desires now, arrays of shape (n,)."""
        found = sample(self._trajectory, float(self._place(np.array(self.time))))
        return DesiredState(found.q, self._speed * found.dq, self._speed**2 * found.ddq)

    def set_speed(self, fraction: float) -> None:
        """Run through this trajectory and later ones at a fraction of their speed, from now on.

        A trajectory that comes later starts by the clock, and is slowed down from then on.

        Raises:
            InputError: It is not within 0 to 1.
        """
        if not 0.0 <= fraction <= 1.0:
            raise InputError(f"A fraction of the speed is within 0 to 1; found {fraction!r}.")
        if fraction == self._speed:
            return
        self._lost = float(self._lost_by(np.array(self.time)))
        self._speed, self._speed_since = fraction, self.time
        self._first = self._end = 0

    def _place(self, time: Array) -> Array:
        """Return where on the trajectory the controller is at times [s], same shape."""
        return np.asarray(time - self._trajectory_start - self._lost_by(time))

    def _lost_by(self, time: Array) -> Array:
        """Return what was lost since the trajectory came, because it runs slower, by times [s]."""
        return np.asarray(self._lost + (1.0 - self._speed) * (time - self._speed_since))

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
            torque: One for each joint, shape (n,) [N m or N]; they end at the effort limit. None:
                the controller takes over, and holds the arm where it is.

        Raises:
            InputError: They are not n finite numbers.
        """
        if torque is None:
            if self._imposed is not None:
                self._imposed = None
                self._hold(DesiredState.rest(self.state[0]))
            return
        if np.shape(torque) != (self.n,) or not np.isfinite(torque).all():
            raise InputError(f"The arm has {self.n} joints; found the torques {torque!r}.")
        limit = self._limit
        self._imposed = np.clip(np.asarray(torque)[self._to_mujoco], -limit, limit)

    def push(self, torque: Array) -> None:
        """Have somebody or something push the arm from now on; no sensor of torque shows it.

        Args:
            torque: What that exerts on each joint, shape (n,) [N m or N]; zeros: nothing.

        Raises:
            InputError: They are not n finite numbers.
        """
        if np.shape(torque) != (self.n,) or not np.isfinite(torque).all():
            raise InputError(f"The arm has {self.n} joints; found the push {torque!r}.")
        self._push = np.asarray(torque, dtype=float)[self._to_mujoco]

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
        self._check_finite(
            f". The gains are too stiff for the step of {self.step:g} s, or the payload is far "
            "beyond the arm; use a smaller step or other gains."
        )

    def measure(self) -> PlantState:
        """Return the true state and the torque that is applied in it."""
        if not self._first <= self._steps < self._end:
            self._prepare_reference()
        tau = self._torque(2 * (self._steps - self._first))
        return PlantState(self.time, *self.state, tau[self._to_ours])

    def rotor_torque(self) -> Array:
        """Return the part of the torque applied now that accelerates the rotors, shape (n,)."""
        self.data.qfrc_applied[:] = self._torque(2 * (self._steps - self._first)) + self._push
        mujoco.mj_forward(self.model, self.data)
        return np.asarray(self.armature * self.data.qacc[self._to_ours])

    def _hold(self, state: DesiredState) -> None:
        """Make the controller hold a position from now on."""
        self._trajectory = JointTrajectory(np.zeros(1), state.q[np.newaxis])
        self._begin_at(self.time)

    def _begin_at(self, start: float) -> None:
        """Begin a trajectory whose time 0 is at a time [s]."""
        self._trajectory_start = start
        self._lost, self._speed_since = 0.0, self.time
        self._first = self._end = 0

    def _prepare_reference(self) -> None:
        """Compute what the controller needs at all integration stages of the next steps.

        [tau - s, ds/dt] = reference - gains [q, dq]. Stages lie at whole and half steps; row k
        belongs to the time (first + k / 2) step. Arrays are in MuJoCo's joint order.
        """
        self._first, self._end = self._steps, self._steps + self._block
        half_steps = np.arange(2 * self._first, 2 * self._end + 1, dtype=float)
        times = self._place(half_steps * (0.5 * self.step))
        if times[0] >= self._trajectory.time[-1]:
            times = times[:1]  # The arm holds still: all rows are the same.
        there, speed = sample(self._trajectory, times), self._speed
        desired = DesiredState(there.q, speed * there.dq, speed**2 * there.ddq)
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

        The rate of its integral is left in MuJoCo's controls; it rests where the torque is cut.
        """
        if self._imposed is not None:
            self._integral_rate[:] = 0.0
            return self._imposed
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
            applied[:] = self._torque(int((data.time - start) * rate + offset)) + self._push

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
        self.data.qpos[self._to_ours] = wanted
        mujoco.mj_forward(self.model, self.data)
        missing = self.data.qfrc_bias[self._to_ours] - feedforward
        self.data.act[:] = missing[self._to_mujoco]


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
