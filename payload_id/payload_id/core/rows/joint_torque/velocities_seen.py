r"""Whether measured velocities are those of the positions.

Over a stretch of T seconds the integral of the measured velocity is the change of the measured
position but for

    |int dq dt - (q(T) - q(0))| <= e_dq T + 2 e_q + 2 e_t |dq| + h/12 sum_k |d2_k|,

e the stated errors of velocity, position and stamp, h the time between samples; the last term, with
the second differences d2 of the velocities, is what the trapezoidal rule leaves. What is beyond is
unexplained. Rows of torques hardly show it: a clock at another pace, a filter's delay or a velocity
that is not measured at all looks like another payload. Where much of a joint's way is unexplained,
what is stated of its motion is false.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array
from ...samples.joint_samples import Samples
from .uncertainty import Uncertainty

STRETCH = 1.0  # [s] of windows one after the other that are compared at once
SLACK = 1.5  # times what is stated
# What encoders and drivers usually leave, where nothing is stated.
USUAL_POSITION, USUAL_VELOCITY = 5e-4, 5e-3  # [rad or m], [rad/s or m/s]
PART = 0.01  # of a joint's way, above which it is much
LEAST_WAY = 0.5  # [rad or m] of a joint that is judged


@dataclass(frozen=True)
class VelocitiesSeen:
    """The windows of a run so far, n joints.

    Attributes:
        way: Sum of the sizes of changes of position, shape (n,) [rad or m].
        integrated: The same changes as velocities have them, shape (n,) [rad or m].
        unexplained: What is beyond all errors, shape (n,) [rad or m].
        needed: Velocity error that would explain every stretch, shape (n,) [rad/s or m/s].
    """

    way: Array
    integrated: Array
    unexplained: Array
    needed: Array
    _off: Array  # of the stretch that is going on
    _allowed: Array
    _seconds: float = 0.0
    _end: float = float("nan")

    @classmethod
    def none(cls, n: int) -> VelocitiesSeen:
        """Return what is seen before any window."""
        return cls(*np.zeros((6, n)))

    def with_window(self, samples: Samples, stated: Uncertainty) -> VelocitiesSeen:
        """Return what is seen with one more window of at least two samples."""
        n = len(self.way)
        seen = self if samples.stamp[0] <= self._end else self._closed(stated)
        steps = np.diff(samples.q, axis=0)
        steps -= 2.0 * np.pi * np.round(steps / (2.0 * np.pi))  # a turn's end may be reported
        change = steps.sum(axis=0)
        integral = np.trapezoid(samples.dq, samples.stamp, axis=0)
        seconds = float(samples.stamp[-1] - samples.stamp[0])
        between = float(np.diff(samples.stamp).max())
        allowed = _stated(stated, "velocity_error", n, USUAL_VELOCITY) * seconds
        allowed += between / 12.0 * np.abs(np.diff(samples.dq, 2, axis=0)).sum(axis=0)
        allowed += 2.0 * stated.stamp_jitter * np.abs(samples.dq).max(axis=0)
        seen = replace(
            seen,
            way=seen.way + np.abs(change),
            integrated=seen.integrated + np.sign(change) * integral,
            _off=seen._off + integral - change,
            _allowed=seen._allowed + allowed,
            _seconds=seen._seconds + seconds,
            _end=float(samples.stamp[-1]),
        )
        return seen if seen._seconds < STRETCH else seen._closed(stated)

    def _closed(self, stated: Uncertainty) -> VelocitiesSeen:
        """Return the same once the stretch is judged."""
        if self._seconds == 0.0:
            return self
        n = len(self.way)
        positions = 2.0 * _stated(stated, "position_error", n, USUAL_POSITION)
        beyond = np.abs(self._off) - SLACK * (self._allowed + positions)
        return replace(
            self,
            unexplained=self.unexplained + np.maximum(0.0, beyond),
            needed=np.maximum(self.needed, (np.abs(self._off) - positions) / self._seconds),
            _off=np.zeros(n),
            _allowed=np.zeros(n),
            _seconds=0.0,
        )

    def contradiction(self, joints: Sequence[str]) -> str:
        """Say of which joint the velocities are not those of the positions; empty if of none."""
        much = (self.way > LEAST_WAY) & (self.unexplained > PART * self.way)
        if not much.any():
            return ""
        j = int(np.argmax(np.where(much, self.unexplained / np.maximum(self.way, LEAST_WAY), 0.0)))
        return (
            f"The velocities of {joints[j]} are not those of its positions within what is stated: "
            f"over its way they are {self.integrated[j] / self.way[j]:.3g} times as large, and off "
            f"by up to {self.needed[j]:.2g} in a second. Check the clock of the stamps, delays and "
            "filters; leave velocities out, so that positions are differentiated; or state "
            "velocity_error."
        )


def _stated(uncertainty: Uncertainty, name: str, n: int, usual: float) -> Array:
    """Return an error of each joint, shape (n,); the usual one of those that are 0."""
    stated = uncertainty.per_joint(name, n)
    return np.where(stated > 0.0, stated, usual)
