"""A controller on the simulated arm: how far from the desired motion, with which torques."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from payload_id.core.arrays import Array
from payload_id.core.control.controller import Controller, Measurement
from payload_id.core.motion.joint_trajectory import DesiredState
from payload_id.core.motion.trajectory import Trajectory
from payload_id.core.simulation.plant import Plant


@dataclass(frozen=True, eq=False)
class ClosedLoopRun:
    """What happened, at the N steps of the controller.

    Attributes:
        time: Shape (N,) [s].
        q: True positions, shape (N, n) [rad or m].
        dq: True velocities, shape (N, n) [rad/s or m/s].
        q_d: Desired positions, shape (N, n).
        dq_d: Desired velocities, shape (N, n).
        torque: Commanded torques, shape (N, n) [N m or N].
        states: The controller's state after each step, N of them.
        reasons: What the controller said, each sentence once, with the time of the first.
    """

    time: Array
    q: Array
    dq: Array
    q_d: Array
    dq_d: Array
    torque: Array
    states: tuple[Any, ...]
    reasons: tuple[tuple[float, str], ...]

    @property
    def position_error(self) -> Array:
        """q_d - q, shape (N, n) [rad or m]."""
        return np.asarray(self.q_d - self.q)

    @property
    def velocity_error(self) -> Array:
        """dq_d - dq, shape (N, n) [rad/s or m/s]."""
        return np.asarray(self.dq_d - self.dq)


def run(
    plant: Plant,
    controller: Controller[Any],
    trajectory: Trajectory,
    period: float = 1e-3,
    measure: Callable[[Measurement], Measurement] = lambda truth: truth,
    state: Any = None,
    hold: float = 0.0,
    error: tuple[Array | float, Array | float] = (0.0, 0.0),
    late: int = 0,
) -> ClosedLoopRun:
    """Let a controller follow a trajectory; the plant starts where the trajectory does, or near.

    Torques are held for a period. The controller sees the state at the beginning of it.

    Args:
        plant: The arm; its state is replaced.
        controller: The controller.
        trajectory: The desired motion.
        period: Time between two steps of the controller [s].
        measure: What the sensors make of the truth.
        state: State of the controller to start from; None: its own start.
        hold: How long to hold the last position after the motion [s].
        error: q_d - q and dq_d - dq at the start, shape (n,) each.
        late: Periods by which a torque acts after the state that it was made from.
    """
    count = round((trajectory.duration + hold) / period)
    times = np.minimum(np.arange(count) * period, trajectory.duration)
    desired = trajectory.at(times)
    moving = (np.arange(count) * period < trajectory.duration)[:, np.newaxis]
    dq_d, ddq_d = desired.dq * moving, desired.ddq * moving
    plant.reset(desired.q[0] - error[0], dq_d[0] - error[1])
    q, dq, torque = (np.empty_like(desired.q) for _ in range(3))
    states: list[Any] = []
    said: dict[str, tuple[float, str]] = {}
    for k in range(count):
        q[k], dq[k] = plant.state
        seen = measure(Measurement(k * period, q[k], dq[k]))
        if k == 0 and state is None:
            state = controller.start(seen)
        reference = DesiredState(desired.q[k], dq_d[k], ddq_d[k])
        command, state = controller.command(state, seen, reference)
        torque[k] = command.torque
        states.append(state)
        for reason in command.reasons:
            said.setdefault(reason.split(":")[0], (k * period, reason))
        plant.set_torque(torque[max(k - late, 0)])
        plant.step_to(plant.time + period)
    time = np.arange(count) * period
    return ClosedLoopRun(time, q, dq, desired.q, dq_d, torque, tuple(states), tuple(said.values()))
