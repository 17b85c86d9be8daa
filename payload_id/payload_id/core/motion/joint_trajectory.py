"""Joint trajectories, interpolated as ros2_control's joint_trajectory_controller does it.

Between two points: linear with positions only, cubic with velocities as well, quintic with
velocities and accelerations. Before the first point and after the last one the arm holds still.
A new trajectory replaces the old one; where its first point lies in the future, the way there
starts from the state that was desired when the trajectory came (`starting_from`).

Source: ros-controls/ros2_controllers, joint_trajectory_controller, trajectory.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.interpolate import BPoly

from ..arrays import Array
from ..errors import InputError, UnknownNameError

# The controller refuses an end that moves; it compares with the epsilon of a 32-bit float.
END_VELOCITY = float(np.finfo(np.float32).eps)  # [rad/s or m/s]


@dataclass(frozen=True)
class DesiredState:
    """Where a trajectory wants the arm to be, n joints, at one instant or at N.

    Attributes:
        q: Positions, shape (n,) or (N, n) [rad or m].
        dq: Velocities, same shape [rad/s or m/s].
        ddq: Accelerations, same shape [rad/s2 or m/s2].
    """

    q: Array
    dq: Array
    ddq: Array

    @classmethod
    def rest(cls, q: Array) -> DesiredState:
        """Return a state without motion at q."""
        position = np.array(q, dtype=float)
        return cls(position, np.zeros_like(position), np.zeros_like(position))


@dataclass(frozen=True)
class JointTrajectory:
    """Points through which n joints shall go, checked as the controller checks them.

    Attributes:
        time: Time of each point after the trajectory's start, shape (K,) [s], increasing.
        q: Positions, shape (K, n) [rad or m].
        dq: Velocities, shape (K, n) [rad/s or m/s], or None: linear interpolation.
        ddq: Accelerations, shape (K, n) [rad/s2 or m/s2], or None: cubic interpolation.

    Raises:
        InputError: No points, wrong shapes, times not strictly increasing, numbers not finite,
            accelerations without velocities, or motion at the last point.
    """

    time: Array
    q: Array
    dq: Array | None = None
    ddq: Array | None = None

    def __post_init__(self) -> None:
        for name in ("time", "q", "dq", "ddq"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, np.array(value, dtype=float))
        _check_points(self)
        _check_times(self.time)
        if self.dq is not None:
            _check_end(self.dq[-1])

    @property
    def n(self) -> int:
        """Number of joints."""
        return int(self.q.shape[1])

    @property
    def duration(self) -> float:
        """Time of the last point [s]."""
        return float(self.time[-1])

    @property
    def curve(self) -> BPoly | None:
        """Position as a piecewise polynomial; None for one point."""
        return None if self._curves is None else self._curves[0]

    @cached_property
    def _curves(self) -> tuple[BPoly, BPoly, BPoly] | None:
        """Position, velocity and acceleration as piecewise polynomials; None for one point."""
        if len(self.time) < 2:
            return None
        position = BPoly(_control_points(self), self.time)
        return position, position.derivative(1), position.derivative(2)


def _control_points(trajectory: JointTrajectory) -> Array:
    """Return the control points of every segment, shape (degree + 1, K - 1, n) [rad or m].

    A polynomial of degree m over a length h has q' = m (b_1 - b_0) / h and
    q'' = m (m - 1) (b_2 - 2 b_1 + b_0) / h^2 at its beginning, and likewise at its end.
    """
    h, q = np.diff(trajectory.time)[:, np.newaxis], trajectory.q
    if trajectory.dq is None:
        return np.stack([q[:-1], q[1:]])
    m = 3 if trajectory.ddq is None else 5
    after, before = q[:-1] + h * trajectory.dq[:-1] / m, q[1:] - h * trajectory.dq[1:] / m
    if trajectory.ddq is None:
        return np.stack([q[:-1], after, before, q[1:]])
    bend = h**2 * trajectory.ddq[:-1] / 20.0, h**2 * trajectory.ddq[1:] / 20.0
    second, second_last = 2.0 * after - q[:-1] + bend[0], 2.0 * before - q[1:] + bend[1]
    return np.stack([q[:-1], after, second, second_last, before, q[1:]])


def sample(trajectory: JointTrajectory, t: float | Array) -> DesiredState:
    """Return what a trajectory desires.

    Args:
        trajectory: The trajectory.
        t: Times after its start, a number or shape (N,) [s].

    Returns:
        state: Arrays of shape (n,), or (N, n). At a point the segment that begins there counts.
    """
    t = np.asarray(t, dtype=float)
    first, last = trajectory.time[0], trajectory.time[-1]
    after = (t >= last)[..., np.newaxis]
    q = np.where(after, trajectory.q[-1], trajectory.q[0])
    if trajectory._curves is None:
        return DesiredState.rest(q)
    moving = ((t >= first) & (t < last))[..., np.newaxis]
    inside = np.clip(t, first, last)
    position, velocity, acceleration = (curve(inside) for curve in trajectory._curves)
    return DesiredState(
        np.where(moving, position, q),
        np.where(moving, velocity, 0.0),
        np.where(moving, acceleration, 0.0),
    )


def starting_from(
    trajectory: JointTrajectory, state: DesiredState, at: float = 0.0
) -> JointTrajectory:
    """Return the trajectory with the way from a present state to its first point.

    Args:
        trajectory: The trajectory as it was received.
        state: What was desired when it came, arrays of shape (n,).
        at: That instant after the trajectory's start [s]; negative when it starts later.

    Returns:
        trajectory: The same one when its first point already lies in the past.

    Raises:
        InputError: The state has another number of joints.
    """
    if state.q.shape != (trajectory.n,):
        raise InputError(
            f"The trajectory has {trajectory.n} joints; the arm has {state.q.shape[-1]}."
        )
    if at >= trajectory.time[0]:
        return trajectory
    dq, ddq = trajectory.dq, trajectory.ddq
    return JointTrajectory(
        np.concatenate([[at], trajectory.time]),
        np.vstack([state.q, trajectory.q]),
        None if dq is None else np.vstack([state.dq, dq]),
        None if ddq is None else np.vstack([state.ddq, ddq]),
    )


def column_order(names: Sequence[str], joints: Sequence[str]) -> list[int]:
    """Return where each of the arm's joints stands among the joints that a trajectory names.

    Args:
        names: Joint names of the trajectory, in its order.
        joints: The arm's joints.

    Raises:
        UnknownNameError: A name that the arm does not have.
        InputError: A joint is missing or named twice; partial trajectories are not accepted.
    """
    for name in names:
        if name not in joints:
            raise UnknownNameError("joint", name, joints, where="the trajectory")
    missing = [joint for joint in joints if joint not in names]
    if missing or len(names) != len(joints):
        what = f"{', '.join(missing)} missing" if missing else "a joint is named twice"
        raise InputError(
            f"The trajectory must name each of the {len(joints)} joints once; found "
            f"{len(names)} names, {what}."
        )
    return [list(names).index(joint) for joint in joints]


def _check_points(trajectory: JointTrajectory) -> None:
    """Raise unless all arrays have matching shapes and finite numbers."""
    time, q = trajectory.time, trajectory.q
    if time.ndim != 1 or len(time) == 0:
        raise InputError(f"A trajectory needs at least one point; found times {time.shape}.")
    if q.ndim != 2 or q.shape[1] == 0:
        raise InputError(f"Positions must have shape (K, n); found {q.shape}.")
    if trajectory.ddq is not None and trajectory.dq is None:
        raise InputError("A trajectory with accelerations needs velocities, too; add them.")
    for name in ("q", "dq", "ddq"):
        array = getattr(trajectory, name)
        if array is None:
            continue
        if array.shape != (len(time), q.shape[1]):
            raise InputError(
                f"{name} must have shape (K, n) = ({len(time)}, {q.shape[1]}); found {array.shape}."
            )
        if not np.isfinite(array).all():
            point = int(np.argwhere(~np.isfinite(array))[0][0])
            raise InputError(f"{name} of point {point} is not finite: {array[point].tolist()}.")


def _check_times(time: Array) -> None:
    """Raise unless times are finite and strictly increasing."""
    if not np.isfinite(time).all():
        raise InputError(f"Times of a trajectory must be finite; found {time.tolist()}.")
    late = np.flatnonzero(np.diff(time) <= 0)
    if len(late):
        k = int(late[0])
        raise InputError(
            f"Times of a trajectory must increase strictly; point {k} is at {time[k]} s and "
            f"point {k + 1} at {time[k + 1]} s."
        )


def _check_end(dq: Array) -> None:
    """Raise unless the last velocities are zero."""
    if (np.abs(dq) > END_VELOCITY).any():
        raise InputError(
            f"The last point of a trajectory must be at rest; its velocities are {dq.tolist()}. "
            "End with zero velocities."
        )
