r"""Which motions of a sensor can be true: as fast as arms are, and turning as omega says.

A false pose is no noise: rows that are made of it say something of a motion that never was, and may
narrow an interval wrongly. Between neighbouring samples, h apart,

    |log(R_{k-1}' R_k) - h (omega_k + omega_{k-1})/2| <= 2 e_R + h e_omega + v (h/4 + s),

v the larger of `TURN` and the lower angular velocity of the two, e what is stated of orientation
and angular velocity, s the time by which one may be late against the other. A sample is compared
with the one that was let through before it, unless a pause lies between them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Array, BoolArray
from ...samples.wrench_samples import WrenchSamples
from ..gate import Numbers, kept_in_turn
from .uncertainty import SIGMA_FACTOR, WrenchUncertainty

# Beyond these no arm moves what it holds: 16 turns a second, its standstill in 10 ms, 100 g.
LARGEST = {
    "angular_velocity": 100.0,  # [rad/s]
    "angular_acceleration": 1e4,  # [rad/s2]
    "linear_acceleration": 1e3,  # [m/s2]
}
TURN = 2.0 * np.pi  # [rad/s] of ordinary motion
SLACK = 0.005  # [s] of motion at the largest velocity that is no jump


class PoseGate:
    """Leaves out samples with motions that cannot be true.

    Attributes:
        dropped: Number of samples left out, by cause.
    """

    def __init__(self, uncertainty: WrenchUncertainty, pause: float) -> None:
        """Prepare for the samples of a run.

        Args:
            uncertainty: What is stated.
            pause: Longest time between samples over which rows integrate [s].
        """
        self.dropped: Mapping[str, int] = {}
        self._pause = pause
        self._slack = 2.0 * uncertainty.orientation_error
        self._late = SLACK + uncertainty.time_error
        error = uncertainty.axes("angular_velocity_error")
        sigma = uncertainty.axes("angular_velocity_sigma")
        self._slack_rate = float(np.linalg.norm(error + SIGMA_FACTOR * sigma))
        self._last = -np.inf, np.eye(3), np.zeros(3)  # stamp, rotation, omega let through

    def let_through(self, samples: WrenchSamples) -> WrenchSamples:
        """Return the newer samples whose motions can be true."""
        samples = self._possible(samples)
        if not len(samples):
            return samples
        stamp, rotation, omega = self._last
        stamps = np.append(stamp, samples.stamp)
        rotations = np.concatenate([rotation[None], samples.rotation])
        omegas = np.concatenate([omega[None], samples.angular_velocity])

        def off(one: Numbers, two: Numbers) -> BoolArray:
            """Tell which samples do not follow from others before them."""
            h = stamps[two] - stamps[one]
            turned = rotations[one].swapaxes(1, 2) @ rotations[two]
            return self._off(h, turned, omegas[one], omegas[two])

        keep = kept_in_turn(off, len(stamps))[1:]
        if not keep.all():
            self._count("an orientation off its angular velocity", int(np.count_nonzero(~keep)))
            samples = samples.where(keep)
        if len(samples):
            self._last = (
                float(samples.stamp[-1]),
                samples.rotation[-1],
                samples.angular_velocity[-1],
            )
        return samples

    def _possible(self, samples: WrenchSamples) -> WrenchSamples:
        """Return the samples that move as something on an arm can."""
        for name, largest in LARGEST.items():
            keep = np.asarray((np.abs(getattr(samples, name)) <= largest).all(axis=1))
            if not keep.all():
                self._count(f"an impossible {name}", int(np.count_nonzero(~keep)))
                samples = samples.where(keep)
        return samples

    def _off(self, h: Array, turned: Array, omega: Array, omega_next: Array) -> BoolArray:
        """Return which turns do not follow from the angular velocities, h apart."""
        near = h <= self._pause
        h = np.where(near, h, 0.0)
        speed = np.minimum(np.linalg.norm(omega, axis=1), np.linalg.norm(omega_next, axis=1))
        expected = Rotation.from_rotvec(0.5 * h[:, None] * (omega + omega_next))
        left = (Rotation.from_matrix(turned) * expected.inv()).magnitude()
        allowed = self._slack + h * self._slack_rate
        allowed += np.maximum(TURN, speed) * (0.25 * h + self._late)
        return np.asarray(near & (left > allowed))

    def _count(self, cause: str, number: int) -> None:
        """Count samples left out."""
        self.dropped = {**self.dropped, cause: self.dropped.get(cause, 0) + number}
