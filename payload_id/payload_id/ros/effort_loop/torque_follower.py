"""Torques that follow a motion, from where the arm rests until it rests again; it knows no ROS.

Time is the robot's: that of the joint states' stamps. What is desired before the motion begins at
t_0 is a way from where the arm is, q_m, to where the motion begins, q_0:

    q(t) = q_0 + (q_m - q_0) (1 - s(x)),   x = (t - t_m) / (t_0 - t_m),   s = 10x^3 - 15x^4 + 6x^5,

so that the first torque has no tracking error to act on: an arm at rest gets the torque that holds
it. After the motion its end is held; a motion that replaces another one is on its path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.arm.arm_model import ArmModel
from ...core.arrays import Array
from ...core.control.armour import Armour, ArmourState
from ...core.control.controller import Command, Measurement, errors, limited
from ...core.errors import InputError
from ...core.motion.joint_trajectory import DesiredState, JointTrajectory, sample
from ...core.safety.torque.arm_dynamics import ArmDynamics
from ...core.safety.torque.parameter_box import ParameterBox
from ...core.safety.tube.tracking_tube import TrackingTube

AT_REST = 0.02  # [rad/s or m/s] that counts as rest where torques take over
BRAKING = 0.3  # [s] within which an arm that is to be held comes to rest wherever that is
STALE = 0.05  # [s] without a joint state after which an arm is only held up against gravity


@dataclass(frozen=True, eq=False)
class Proof:
    """What a motion's certificate was proved for, and torques must be made with.

    Attributes:
        tube: That of a robust design.
        box: What is uncertain of arm and payload.
        torque_limit: Of the certificate's limits, shape (n,) [N m or N].
    """

    tube: TrackingTube
    box: ParameterBox
    torque_limit: Array


def controller_of(model: ArmModel, proof: Proof) -> Armour:
    """Return the robust controller that a certificate's tube was proved for.

    Raises:
        InputError: The tube is not that of a robust design.
    """
    _ = proof.tube.design  # there is one
    return Armour(ArmDynamics(model, proof.box), proof.tube, proof.torque_limit)


@dataclass(frozen=True, eq=False)
class _Hold:
    """Where an arm is held, shape (n,); while it brakes, wherever it is."""

    q: Array
    until: float = -np.inf  # which it brakes [s]
    seen: float = -np.inf  # time of the newest state [s]

    def after(self, now: Measurement) -> _Hold:
        """Return the hold after one more state."""
        unseen = now.time - self.seen > STALE  # also before the first
        until = now.time + BRAKING if unseen else self.until
        if now.time > until:
            return _Hold(self.q, until, now.time)
        moves = (np.abs(now.dq) > AT_REST).any()
        return _Hold(np.array(now.q), until if moves else -np.inf, now.time)


class TorqueFollower:
    """One motion, and what replaces it, under the robust controller.

    Attributes:
        controller: The robust controller; parts that take over have their own.
        said: What of its assumptions did not hold, with how many steps each.
    """

    def __init__(
        self, controller: Armour, now: Measurement, trajectory: JointTrajectory, start: float
    ) -> None:
        """Begin from where an arm rests.

        Args:
            controller: The robust controller.
            now: Of the arm; its time is after the trajectory's start, negative [s].
            trajectory: Where to be; begins and ends at rest.
            start: When time 0 of the trajectory is, in the time of measurements [s].

        Raises:
            InputError: The arm moves, its velocity is not measured, or it is elsewhere.
        """
        self.controller = controller
        self.said: dict[str, int] = {}
        self._parts: list[tuple[float, Armour]] = []
        self._continuous = np.asarray(controller.dynamics.model.continuous)
        self._plans = [(trajectory, start)]  # in the order in which they were given
        self._from = now
        begin = DesiredState.rest(trajectory.q[0])
        self._way = -errors(now, begin, self._continuous)[0]  # q_m - q_0
        self._hold: _Hold | None = None
        self._check(now)
        self._state: ArmourState = controller.start(now)

    def _check(self, now: Measurement) -> None:
        """Raise unless the tube's assumptions of a motion's start hold."""
        tube, names = self.controller.tube, self.controller.dynamics.model.joints
        if not (np.abs(now.dq) <= AT_REST).all():  # NaN, too
            j = int(np.argmax(np.nan_to_num(np.abs(now.dq), nan=np.inf)))
            raise InputError(
                f"Torques take over only an arm at rest whose velocities are measured; {names[j]} "
                f"has {now.dq[j]:.3g} rad/s (m/s), at most {AT_REST:g} count as rest."
            )
        allowed, dynamics = tube.design.start, self.controller.dynamics
        found = np.abs(dynamics.momentum(np.array(now.q), tube.gain * self._way))
        if (found > allowed).any():
            j = int(np.argmax(found - allowed))
            raise InputError(
                f"{names[j]} is {abs(self._way[j]):.4g} rad (m) from where the motion begins, "
                f"{found[j] / allowed[j]:.2g} times what the robust design allows. Plan again from "
                "where the arm is."
            )

    def replace(
        self, trajectory: JointTrajectory, start: float, parts: Sequence[tuple[float, Armour]] = ()
    ) -> None:
        """Follow another motion from now on; it is where the one before is at this time.

        What is earlier than its first point is that of the one before: states may be held up.

        Args:
            trajectory: Where to be.
            start: When its time 0 is, in the time of measurements [s].
            parts: The controllers of parts that take over, with their times in order [s].
        """
        self._plans, self._parts = [*self._plans, (trajectory, start)], list(parts)

    def hold(self, now: Measurement) -> None:
        """Brake, and hold where the arm comes to rest; nothing of this is certified.

        The newest state may be of long ago, and where a moving arm was pulls it back: so only its
        velocity counts until it is slow, but not for ever, as an arm may sink. The same holds after
        every silence while it is held.

        Args:
            now: The newest state.
        """
        self._hold = _Hold(np.array(now.q))

    def desired(self, time: float) -> DesiredState:
        """Return what is desired at a time of measurements [s], arrays of shape (n,)."""
        if self._hold is not None:
            return DesiredState.rest(self._hold.q)
        plans = reversed(self._plans)
        known = (plan for plan in plans if time - plan[1] >= plan[0].time[0])
        trajectory, start = next(known, self._plans[0])
        t, duration = time - start, start - self._from.time
        found = sample(trajectory, t)
        if t >= 0.0 or duration <= 0.0:
            return found
        x = min(max((time - self._from.time) / duration, 0.0), 1.0)
        left = 1.0 - x**3 * (10.0 - 15.0 * x + 6.0 * x**2)
        speed = -30.0 * x**2 * (1.0 - x) ** 2 / duration
        bend = -60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / duration**2
        return DesiredState(found.q + left * self._way, speed * self._way, bend * self._way)

    def is_over(self, time: float) -> bool:
        """Tell whether the motion has come to its end."""
        trajectory, start = self._plans[-1]
        return self._hold is not None or time >= start + trajectory.duration

    def step(self, now: Measurement) -> Command:
        """Return the torque for a state."""
        while self._parts and now.time >= self._parts[0][0]:
            _, self.controller = self._parts.pop(0)
        if self._hold is not None:
            self._hold = self._hold.after(now)
        found, self._state = self.controller.command(self._state, now, self.desired(now.time))
        for reason in found.reasons:
            kind = reason.split(":")[0]
            self.said[kind] = self.said.get(kind, 0) + 1
        return found

    def has_left_tube(self, now: Measurement) -> bool:
        """Tell whether the arm is farther from what is desired than the tube allows."""
        e, de = errors(now, self.desired(now.time), self._continuous)
        return not self.controller.tube.contains(e, de)

    def holding_torque(self, q: Array) -> Array:
        """Return the torque that holds a pose against gravity, as theta_0 has it [N m or N]."""
        zero = np.zeros_like(q)
        torque, _ = self.controller.dynamics.torque(q, zero, zero, zero)
        names = self.controller.dynamics.model.joints
        return limited(torque, self.controller.torque_limit, names)[0]
