r"""Rows that measured velocities hardly touch: a hat as weight, and positions in their place.

With a hat w over the window, w = 0 at its ends and 1 at its middle, partial integration gives

    -int w' W_m dt - int w W_c dt = R,    R theta + friction = int w tau dt:

the momentum's mean over the second half less that over the first, instead of its values at two
instants. An error e_v of a velocity changes R by

    int kappa e_v dt + int w B(e_v, e_v) dt,    kappa = -w' dW_m/d(dq) - w dW_c/d(dq),

B the quadratic part of W_c. kappa is smooth in either half, and int e_v dt over any time is known
from positions: what int dq dt is more than the change of q, up to 2 e, e the positions' error. So

    R = R(measured) - sum kappa (int dq dt - change of q over a step) + rest,

kappa the line between its values at some samples. Summed by parts, the positions' errors count
e (|kappa| at both ends + int |d kappa|), about 8 e |dW_m/d(dq)| / T, for 2 |e_v| |dW_m/d(dq)| at
the ends of a window of length T without a hat. What kappa has beside the line counts with |e_v|: by
its curvature as far as it depends on positions, and, W_c being quadratic in dq, by what dq itself
has beside the lines through those samples, which a vibration in step with them has in full.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arm.arm_model import ArmModel
from ...arm.kinetics import BodyMotion, body_motion, force_regressor, momentum_regressor
from ...arrays import Array, BoolArray, IntArray
from ...samples.joint_samples import Samples
from ..quadrature import SMOOTH, WindowWeights, fastest, hat, hat_remainder, mean_square_step
from .kinematic_error import sensitivity
from .stamp_error import stamp_error
from .uncertainty import Uncertainty

LEAST_STEPS = 4  # between samples in each half of a window; pieces for its curvature
PIECE = 0.00625  # [s] between the samples at which kappa is taken, where they are dense enough
HIGHER = 1.2  # allowance for products of errors, and for what lies between the samples looked at


def worth_it(uncertainty: Uncertainty, stamp: Array, n: int) -> bool:
    """Tell whether a hat makes rows of a window less wrong for their size.

    For joint i the errors of velocities are 2 e_v,i without, and with it, for half the size, the
    smaller of that and 8 e_i / T.
    """
    speed = uncertainty.per_joint("velocity_error", n)
    wrong = speed > 0.0
    if not wrong.any() or len(stamp) <= 2 * LEAST_STEPS:
        return False
    position = uncertainty.per_joint("position_error", n)[wrong]
    with_hat = 4.0 * position / (stamp[-1] - stamp[0]) / speed[wrong]
    return bool(np.minimum(with_hat, 1.0).mean() < 0.5)


@dataclass(frozen=True)
class HatRow:
    """One window with a hat as its weight.

    Attributes:
        model: The arm.
        uncertainty: What is assumed of its sensors.
        samples: Of the window.
        weights: The hat's.
    """

    model: ArmModel
    uncertainty: Uncertainty
    samples: Samples
    weights: WindowWeights

    def _halves(self, pieces: int) -> tuple[IntArray, IntArray]:
        """Return numbers of samples that cut either half into pieces, its ends among them."""
        first, last = self.weights.peak, len(self.samples) - 1
        ends = np.linspace(0, first, pieces + 1), np.linspace(first, last, pieces + 1)
        return ends[0].round().astype(int), ends[1].round().astype(int)

    @property
    def _pieces(self) -> int:
        """Number of pieces of either half."""
        wanted = max(
            LEAST_STEPS, round((self.samples.stamp[-1] - self.samples.stamp[0]) / (2 * PIECE))
        )
        return min(wanted, self.weights.peak, len(self.samples) - 1 - self.weights.peak)

    @property
    def _speed_error(self) -> Array:
        """Bound on e_v, shape (n,)."""
        return self.uncertainty.per_joint("velocity_error", self.model.n)

    @property
    def _position_error(self) -> Array:
        """Bound on e, with what a wrong stamp does to a position, shape (n,)."""
        jitter = self.uncertainty.stamp_jitter * np.abs(self.samples.dq).max(axis=0)
        return np.asarray(self.uncertainty.per_joint("position_error", self.model.n) + jitter)

    @property
    def _from_positions(self) -> BoolArray:
        """Joints of which positions tell more than velocities, shape (n,)."""
        duration = self.samples.stamp[-1] - self.samples.stamp[0]
        return np.asarray(4.0 * self._position_error < self._speed_error * duration)

    def regressor(self, motion: BodyMotion) -> tuple[Array, Array]:
        """Return R and a bound on its errors, shape (n + 1, n, 10) each."""
        momentum, force = momentum_regressor(motion), force_regressor(motion)
        R = np.tensordot(self.weights.momentum, momentum, axes=1)
        R -= np.tensordot(self.weights.force, force, axes=1)
        at = np.concatenate(self._halves(self._pieces))
        error = hat_remainder(self.samples.stamp, self.weights.peak, momentum)
        if self._speed_error.any():
            moved, left = self._velocities(at)
            R, error = R - moved, error + left
        return R, error + self._positions() + self._stamps(momentum)

    def speed_change(self) -> tuple[Array, Array]:
        """Return  int w ddq dt  of each joint and a bound on its error, shape (n,) each."""
        stamp, peak, dq = self.samples.stamp, self.weights.peak, self.samples.dq
        remainder = hat_remainder(stamp, peak, dq)
        q = self._unwrapped
        first, second = stamp[peak] - stamp[0], stamp[-1] - stamp[peak]
        from_q = (q[-1] - q[peak]) / second - (q[peak] - q[0]) / first
        error = self._position_error * (2.0 / first + 2.0 / second)
        change = np.where(self._from_positions, from_q, self.weights.momentum @ dq)
        return change, remainder + np.where(self._from_positions, error, 2.0 * self._speed_error)

    @property
    def _unwrapped(self) -> Array:
        """Positions without jumps of a turn, shape (N, n)."""
        q = self.samples.q.copy()
        turning = np.array(self.model.continuous)
        q[:, turning] = np.unwrap(q[:, turning], axis=0)
        return q

    def _velocities(self, at: IntArray) -> tuple[Array, Array]:
        """Return what the velocities' errors are known to add to R, and a bound on the rest."""
        wrong = np.flatnonzero(self._speed_error)
        kappa = self._kappa(at, wrong)  # (k, K, n + 1, n, 10)
        excess, even, curved = self._excess(at)
        e, e_v = self._position_error[wrong], self._speed_error[wrong]
        from_q = self._from_positions[wrong]
        moved = np.einsum("pk,kp...->...", excess[:, wrong] * from_q, kappa)

        change = np.abs(np.diff(kappa, axis=1)).sum(axis=1)  # with the jump at the top
        ends = np.abs(kappa[:, 0]) + np.abs(kappa[:, -1])
        left = _times(e + even[wrong], ends + change)
        left += _times(curved[wrong], np.abs(kappa).max(axis=1))
        left += _times(e_v, self._beside_the_line(kappa, change))
        duration = self.samples.stamp[-1] - self.samples.stamp[0]
        without = _times(e_v * duration, np.abs(kappa).mean(axis=1) + change / self._pieces)
        left = np.where(from_q[:, None, None, None], left, without)
        return moved, HIGHER * (left.sum(axis=0) + self._of_products(at, wrong))

    def _beside_the_line(self, kappa: Array, change: Array) -> Array:
        """Return a bound on  int |kappa - line| dt, shape (k, n + 1, n, 10).

        The line is taken in the middle of each step, where kappa differs by half its change.
        """
        step = np.diff(self.samples.stamp)
        halves = np.split(kappa, 2, axis=1)
        bend = sum(np.abs(np.diff(x, n=2, axis=1)).max(axis=1) for x in halves)
        return np.asarray(step.max() * change / 4 + SMOOTH / 8 * bend * step.sum() / 2)

    def _excess(self, at: IntArray) -> tuple[Array, Array, Array]:
        """Return what int dq dt is more than the change of q, and its errors without those of q.

        The first for each sample of `at`, which has the part of the steps near to it, shape (K, n);
        then what is wrong with it over any time, and what adds up over all, shape (n,) each.
        """
        stamp, dq = self.samples.stamp, self.samples.dq
        step = np.diff(stamp)[:, None]
        beyond = step * (dq[1:] + dq[:-1]) / 2 - np.diff(self._unwrapped, axis=0)
        middle, peak = (stamp[1:] + stamp[:-1]) / 2, self.weights.peak
        halves = self._halves(self._pieces)
        parts = [
            np.interp(middle[steps], stamp[half], unit) @ beyond[steps]
            for half, steps in zip(halves, (slice(peak), slice(peak, None)), strict=True)
            for unit in np.eye(len(half))
        ]
        jitter = self.uncertainty.stamp_jitter * np.abs(np.diff(dq[at], axis=0)).sum(axis=0)
        even, uneven = self._curved()
        return np.array(parts), even, uneven + jitter

    def _curved(self) -> tuple[Array, Array]:
        """Return bounds on the errors of the trapezoid rule for int dq dt, shape (n,) each.

        Over any equal steps h they sum up to the change of  h^2/12 ddq,  so that the largest |ddq|
        tells; as far as steps are not equal they do to its variation, by differences at some
        samples.
        """
        stamp, dq = self.samples.stamp, self.samples.dq
        square = mean_square_step(stamp)
        edges = np.unique(np.concatenate(self._halves(LEAST_STEPS)))
        length = np.diff(stamp[edges])[:, None]
        turn = np.abs(np.diff(np.diff(dq[edges], axis=0) / length, axis=0)).sum(axis=0)
        turn += turn / len(length) + 4.0 * self._speed_error / length.min()
        uneven = float(np.abs(np.diff(stamp) ** 2 - square).max())
        return SMOOTH * square / 12.0 * self._steepest(), SMOOTH * uneven / 12.0 * turn

    def _steepest(self) -> Array:
        """Return the largest |ddq|, of velocities or of positions, which err less, shape (n,)."""
        step, q = np.diff(self.samples.stamp)[:, None], self._unwrapped
        of_speeds = np.abs(np.diff(self.samples.dq, axis=0) / step).max(axis=0)
        slope = np.diff(q, axis=0) / step
        of_positions = np.abs(np.diff(slope, axis=0) * 2.0 / (step[1:] + step[:-1])).max(axis=0)
        return np.asarray(np.minimum(of_speeds, of_positions))

    def _kappa(self, at: IntArray, wrong: IntArray) -> Array:
        """Return kappa of some joints at some samples, shape (k, K, n + 1, n, 10)."""
        q, dq = self.samples.q[at], self.samples.dq[at]
        k, K, n = len(wrong), len(at), self.model.n
        unit = np.eye(n)[wrong][:, None]  # W_m is linear and W_c quadratic in dq: any step is exact
        speeds = np.stack([dq + unit, dq - unit]).reshape(2 * k * K, n)
        motion = body_motion(self.model, np.tile(q, (2 * k, 1)), speeds)
        G, C = (
            np.subtract(*f(motion).reshape(2, k, K, n + 1, n, 10)) / 2
            for f in (momentum_regressor, force_regressor)
        )
        slope, w = self._hat(at)
        return np.asarray(-slope[:, None, None, None] * G - w[:, None, None, None] * C)

    def _hat(self, at: IntArray) -> tuple[Array, Array]:
        """Return w' and w at the samples of `at`, shape (K,) each."""
        stamp, peak = self.samples.stamp, self.weights.peak
        first, second = stamp[peak] - stamp[0], stamp[-1] - stamp[peak]
        slope = np.repeat([1.0 / first, -1.0 / second], self._pieces + 1)
        return slope, hat(stamp, peak)[at]

    def _of_products(self, at: IntArray, wrong: IntArray) -> Array:
        """Return what products of velocities can do beside the line of kappa, (n + 1, n, 10).

        int w |B(e_v, e_v)| dt,  and  int w |2 B(e_v, dq - its line)| dt.
        """
        n, e_v = self.model.n, self._speed_error
        some = at[[0, self._pieces, -1]]
        first, second = np.triu_indices(n)
        units = np.eye(n)
        speeds = np.vstack([np.zeros(n), units, units[first] + units[second]])
        K, count = len(some), len(speeds)
        motion = body_motion(
            self.model, np.repeat(self.samples.q[some], count, axis=0), np.tile(speeds, (K, 1))
        )
        F = force_regressor(motion).reshape(K, count, n + 1, n, 10)
        still, alone = F[:, :1], F[:, 1 : 1 + n]
        both = F[:, 1 + n :] - alone[:, first] - alone[:, second] + still  # 2 B of unit velocities
        beside = self._beside_lines(at)
        size = float(self.weights.force.sum()) * e_v[first] * e_v[second]
        size = size + e_v[first] * beside[second] + e_v[second] * beside[first]
        factor = np.where(first == second, 0.5, 1.0)
        return np.asarray(np.einsum("p,kp...->k...", factor * size, np.abs(both)).max(axis=0))

    def _beside_lines(self, at: IntArray) -> Array:
        """Return  int w |dq - line| dt,  the line through dq at some samples, shape (n,)."""
        stamp, dq = self.samples.stamp, self.samples.dq
        at = np.unique(at)
        lines = np.stack([np.interp(stamp, stamp[at], x) for x in dq[at].T], axis=1)
        return np.asarray(self.weights.force @ np.abs(dq - lines))

    def _positions(self) -> Array:
        """Return what errors of positions do to W_m and W_c, shape (n + 1, n, 10)."""
        position = self.uncertainty.per_joint("position_error", self.model.n)
        if not position.any():
            return np.zeros((self.model.n + 1, self.model.n, 10))
        dq = self.samples.dq
        at = np.concatenate([fastest(dq, half) for half in self._halves(self._pieces)])
        force, momentum = sensitivity(
            self.model, self.samples.q[at], dq[at], position, np.zeros(self.model.n)
        )
        duration = float(self.weights.force.sum())
        means = sum(half.mean(axis=0) for half in np.split(momentum, 2))
        return np.asarray(HIGHER * (means + duration * force.mean(axis=0)))

    def _stamps(self, momentum: Array) -> Array:
        r"""Return what wrong stamps do, shape (n + 1, n, 10).

        The samples' weights are those of wrong instants: beside what `stamp_error` says of w W_m,
        each moves  int w dW_m  by  w' dW_m/dt  times its error.
        """
        stamp, jitter = self.samples.stamp, self.uncertainty.stamp_jitter
        if jitter == 0.0:
            return np.zeros(momentum.shape[1:])
        w = hat(stamp, self.weights.peak)
        rate = np.abs(np.gradient(momentum, stamp, axis=0))
        moved = np.tensordot(np.abs(self.weights.momentum), rate, axes=1)
        whole = stamp_error(stamp, w[:, None, None, None] * momentum, jitter)
        return np.asarray(whole + 2.0 * jitter * moved)


def _times(size: Array, coefficients: Array) -> Array:
    """Return coefficients times the size of each joint, shapes (k,) and (k, n + 1, n, 10)."""
    return np.asarray(size[:, None, None, None] * coefficients)
